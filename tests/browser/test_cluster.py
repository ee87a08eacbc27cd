"""The cluster in a real Chromium: figures typed in, saved as a file, loaded again."""

from pathlib import Path

import pytest

from pase_core.cluster import GIVEN, cluster_from_json
from tests.browser.waiting import settle


def open_page(page, query):
    page.goto(f"{page.address}/?network=alexnet&{query}")
    page.get_by_text("The strategy found needs").wait_for(timeout=30_000)
    settle(page)


def type_in(page, label, text):
    field = page.get_by_role("spinbutton", name=label, exact=True)
    field.fill(text)
    field.press("Enter")
    settle(page, 300)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_figures_are_typed_in_saved_and_loaded(page, scheme):
    page.emulate_media(color_scheme=scheme)
    open_page(page, "devices=16")
    type_in(page, "Link bandwidth [GB/s]", "12.345")
    page.get_by_role("heading", name="with links of 12.3 GB/s").wait_for()
    page.get_by_role("button", name="All figures of the cluster").click()
    type_in(page, "Latency between nodes [µs]", "3.456")
    type_in(page, "Memory per device [GB]", "12")
    for part in ("giga_bytes=12.345", "between_us=3.456", "memory_gb=12"):
        page.wait_for_url(f"**{part}**", timeout=10_000)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Cluster (JSON)").click()
    saved = Path(waiting.value.path()).read_text(encoding="utf-8")
    cluster = cluster_from_json(saved, "saved")
    assert cluster.inter_node.latency_seconds == 3.456e-6
    assert cluster.intra_node.bytes_per_second == 12.345e9
    assert [source for _, source in cluster.sources].count(GIVEN) == 4
    page.goto(f"{page.address}/?network=alexnet&devices=16&cluster=own+file")
    page.get_by_text("Choose a cluster as JSON in the sidebar").wait_for(timeout=30_000)
    file = {"name": "mine.json", "mimeType": "application/json", "buffer": saved.encode()}
    page.get_by_test_id("stSidebar").locator('input[type="file"]').first.set_input_files(file)
    page.get_by_role("heading", name="with 3 given figures").wait_for(timeout=30_000)
    assert page.complaints == []


def test_a_file_that_is_none_is_said_to_be_none(page):
    page.goto(f"{page.address}/?cluster=own+file")
    page.get_by_text("Choose a cluster as JSON in the sidebar").wait_for(timeout=30_000)
    file = {"name": "mine.json", "mimeType": "application/json", "buffer": b"{}"}
    page.get_by_test_id("stSidebar").locator('input[type="file"]').first.set_input_files(file)
    page.get_by_text("mine.json lacks 'schema'").wait_for(timeout=10_000)
    assert page.complaints == []
