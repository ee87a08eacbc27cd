"""Report and scenario in a real Chromium: downloaded, opened offline, loaded again."""

from dataclasses import replace

import pytest

from pase_core.importers.json_graph import graph_to_json
from sample_graphs import SAMPLES

HEADLINE = "The strategy found needs"


def open_page(page, query=""):
    page.goto(page.address + "/" + query)
    page.get_by_text(HEADLINE).wait_for(timeout=30_000)


def open_export(page):
    page.get_by_role("button", name="Share and export").click()
    page.get_by_text("Load a scenario").wait_for(timeout=30_000)


def download(page, label, path):
    with page.expect_download(timeout=30_000) as waiting:
        page.get_by_role("button", name=label).click()
    waiting.value.save_as(path)
    return path


def load(page, path):
    open_export(page)
    page.get_by_test_id("stPopoverBody").locator("input[type=file]").set_input_files(path)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_report_opens_offline(page, chromium, tmp_path, scheme):
    open_page(page, "?network=transformer&devices=16")
    headline = page.get_by_text(HEADLINE).inner_text()
    open_export(page)
    path = download(page, "Report (HTML)", tmp_path / "report.html")
    assert page.complaints == []
    context = chromium.new_context(offline=True, color_scheme=scheme)
    report = context.new_page()
    complaints = []
    report.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
    report.on("pageerror", lambda error: complaints.append(str(error)))
    report.on(
        "request",
        lambda request: None if request.url.startswith("file:") else complaints.append(request.url),
    )
    report.goto(path.as_uri())
    report.locator(".js-plotly-plot .main-svg").nth(3).wait_for(state="attached", timeout=30_000)
    assert report.locator(".js-plotly-plot").count() == 2
    assert report.locator("#chart-strip .bars .point path").count() > 5
    assert report.locator(".headline").inner_text() == headline
    assert report.get_by_text("modelled, not measured").first.is_visible()
    assert report.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    context.close()
    assert complaints == []


def test_a_scenario_gives_the_same_page_elsewhere(page, chromium, tmp_path):
    query = "?network=transformer&devices=16&batch=32&tera_flops=20&page=Layers"
    page.goto(page.address + "/" + query)
    page.get_by_text("Transformer on 16").wait_for(timeout=30_000)
    page.get_by_text("Overview", exact=True).click()
    page.get_by_text(HEADLINE).wait_for(timeout=30_000)
    headline = page.get_by_text(HEADLINE).inner_text()
    open_export(page)
    path = download(page, "Scenario (JSON)", tmp_path / "scenario.json")
    fresh = chromium.new_page(viewport={"width": 1280, "height": 1400})
    fresh.address = page.address
    open_page(fresh)
    load(fresh, path)
    fresh.get_by_text("Transformer on 16").wait_for(timeout=30_000)
    assert fresh.get_by_text(HEADLINE).inner_text() == headline
    for part in ("devices=16", "batch=32", "tera_flops=20"):
        fresh.wait_for_url(f"**{part}**", timeout=10_000)
    fresh.close()
    assert page.complaints == []


def test_a_file_of_ones_own_travels_with_the_scenario(page, tmp_path):
    open_page(page)
    page.get_by_label("Network", exact=True).first.click()
    page.get_by_role("option", name="Your own file", exact=True).click()
    page.get_by_text("Choose a graph as JSON or ONNX").wait_for(timeout=10_000)
    name = "![x](http://example.com/a.png) <img src=http://example.com/b.png>"
    file = tmp_path / "mine.json"
    file.write_text(graph_to_json(replace(SAMPLES["rnnlm"].build(8), name=name)), encoding="utf-8")
    page.locator("input[type=file]").first.set_input_files(file)
    page.get_by_text(f"{name} on 8").wait_for(timeout=30_000)
    open_export(page)
    path = download(page, "Scenario (JSON)", tmp_path / "scenario.json")
    open_page(page)
    load(page, path)
    page.get_by_text(f"{name} on 8").wait_for(timeout=30_000)
    assert page.get_by_text("In use: mine.json").is_visible()
    assert page.complaints == []
