"""Layers and Costs in a real Chromium: clicks select, marks follow, downloads, no complaints."""

import csv
import json
from pathlib import Path

import pytest

CHARTS = ".js-plotly-plot"


def open_page(page, title, query="network=alexnet"):
    page.goto(f"{page.address}/?page={title}&{query}")
    page.locator(CHARTS).first.wait_for(timeout=30_000)
    return page


def middle(locator):
    locator.scroll_into_view_if_needed()
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def click(page, locator):
    """Click where a mark is: plotly's own layer lies above it."""
    page.wait_for_timeout(350)  # two clicks in a shorter time are a double click
    page.mouse.click(*middle(locator))


def click_row(page, number):
    """Click the box before a row of the table, which is one canvas."""
    table = page.get_by_test_id("stDataFrame").first
    table.locator("canvas").first.wait_for(timeout=10_000)
    table.scroll_into_view_if_needed()
    page.wait_for_timeout(500)
    box = table.bounding_box()
    page.mouse.click(box["x"] + 17, box["y"] + 35 * (number + 0.5))


def wait_for_mark(page, name):
    """Wait for the arrow head before a name in a chart."""
    page.get_by_text(f"▶ {name}").first.wait_for(timeout=10_000)


def wait_for_selection(page, name):
    page.wait_for_url(f"**layer={name}**", timeout=10_000)


def cell(page, row_name, nth=0):
    """A cell of the grid by its layer, as plotly holds it."""
    index = page.evaluate(
        """([name, nth]) => {
            const cells = document.querySelector('.js-plotly-plot').data[0].customdata;
            return cells.map((c, i) => [c[0], i]).filter(c => c[0] === name)[nth][1];
        }""",
        [row_name, nth],
    )
    return page.locator(CHARTS).first.locator(".bars .point path").nth(index)


def test_a_click_on_a_square_selects_its_layer_in_table_and_panel(page):
    open_page(page, "Layers")
    click(page, cell(page, "fc2", 1))
    wait_for_selection(page, "fc2")
    page.get_by_role("heading", name="fc2").wait_for(timeout=10_000)
    page.get_by_text("Selected: fc2").wait_for(timeout=10_000)
    wait_for_mark(page, "fc2")
    assert page.complaints == []


def test_every_click_counts_the_second_and_the_same_again(page):
    open_page(page, "Layers")
    for name in ("fc2", "conv2", "fc2", "fc2", "pool1", "fc2"):
        click(page, cell(page, name))
        wait_for_selection(page, name)
        wait_for_mark(page, name)
    assert page.complaints == []


def test_a_click_on_a_row_selects_its_layer_in_the_grid(page):
    open_page(page, "Layers")
    click_row(page, 3)
    wait_for_selection(page, "conv2")
    wait_for_mark(page, "conv2")
    click(page, cell(page, "pool1"))
    wait_for_selection(page, "pool1")
    wait_for_mark(page, "pool1")
    click_row(page, 3)
    wait_for_selection(page, "conv2")
    assert page.complaints == []


def test_the_filter_keeps_the_selection_and_travels_in_the_address(page):
    open_page(page, "Layers", "network=alexnet&layer=fc2")
    page.get_by_label("Filter").fill("fully")
    page.get_by_label("Filter").press("Enter")
    page.get_by_text("3 of 14 layers").wait_for(timeout=10_000)
    wait_for_mark(page, "fc2")
    page.goto(page.url)
    page.get_by_text("3 of 14 layers").wait_for(timeout=30_000)
    assert page.complaints == []


def test_the_table_can_be_downloaded(page):
    open_page(page, "Layers")
    files = {}
    for kind in ("CSV", "JSON"):
        with page.expect_download() as waiting:
            page.get_by_role("button", name=kind, exact=True).click()
        files[kind] = Path(waiting.value.path()).read_text(encoding="utf-8")
    rows = list(csv.DictReader(files["CSV"].splitlines()))
    data = json.loads(files["JSON"])
    assert [row["layer"] for row in rows] == [row["layer"] for row in data["layers"]]
    assert page.complaints == []


@pytest.mark.parametrize(
    ("chart", "mark", "nth", "name"),
    [
        (0, ".trace.bars:nth-child(4) .point path", 2, "fc1"),  # the step: weight gradients
        (1, ".bars .point path", 1, "conv4"),
        (2, ".treemaplayer .slice path", 2, "conv4"),
        (3, ".scatterlayer .point", 2, "conv2"),
    ],
)
def test_a_click_on_any_chart_selects_a_layer(page, chart, mark, nth, name):
    open_page(page, "Costs")
    page.locator(CHARTS).nth(3).wait_for(timeout=30_000)
    click(page, page.locator(CHARTS).nth(chart).locator(mark).nth(nth))
    page.get_by_role("status").get_by_text("per step and device").wait_for(timeout=10_000)
    assert f"layer={name}" in page.url
    assert name in page.get_by_role("status").inner_text()
    assert page.complaints == []


def test_a_selection_is_the_same_on_both_pages(page):
    open_page(page, "Costs")
    page.locator(CHARTS).nth(3).wait_for(timeout=30_000)
    click(page, page.locator(CHARTS).nth(1).locator(".bars .point path").nth(2))
    wait_for_selection(page, "conv3")
    page.get_by_text("Layers", exact=True).first.click()
    page.get_by_text("Selected: conv3").wait_for(timeout=10_000)
    assert page.complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("network", ["inception_v3", "transformer"])
@pytest.mark.parametrize(("title", "n_charts"), [("Layers", 1), ("Costs", 4)])
def test_deep_networks_are_shown_without_complaints(page, title, n_charts, network, scheme):
    page.emulate_media(color_scheme=scheme)
    open_page(page, title, f"network={network}")
    page.locator(CHARTS).nth(n_charts - 1).wait_for(timeout=30_000)
    assert page.get_by_text("modelled, not measured").first.is_visible()
    assert page.complaints == []
