"""Alternatives in a real Chromium: clicks select, the address holds all, no complaints."""

import csv
from pathlib import Path

import pytest

from tests.browser.waiting import wait_until_drawn

CHARTS = ".js-plotly-plot"

FREEDOM, MAP, CHOICES, RANKING = range(4)
"""Places of the charts on the page."""


def open_page(page, query="network=alexnet"):
    page.goto(f"{page.address}/?page=Alternatives&{query}")
    page.locator(CHARTS).nth(RANKING).wait_for(timeout=30_000)
    page.get_by_test_id("stDataFrame").locator("canvas").first.wait_for(timeout=10_000)
    return page


def click(page, locator):
    """Click where a mark of a chart is that has been drawn: plotly's own layer lies above it."""
    locator.scroll_into_view_if_needed()
    box = locator.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def mark(page, chart, name, nth=0):
    """A bar of a chart by the layer in its customdata, as plotly draws it, once all are drawn."""
    wait_until_drawn(page)
    trace, point = page.evaluate(
        """([chart, name, nth]) => {
            const data = document.querySelectorAll('.js-plotly-plot')[chart].data;
            const found = [];
            data.filter(t => t.type === 'bar').forEach((trace, i) =>
                trace.customdata.forEach((c, j) => c[0] === name && found.push([i, j])));
            return found[nth];
        }""",
        [chart, name, nth],
    )
    bars = page.locator(CHARTS).nth(chart).locator(".trace.bars").nth(trace)
    return bars.locator(".point path").nth(point)


def wait_for_selection(page, name):
    page.wait_for_url(f"**layer={name}**", timeout=10_000)
    page.get_by_role("heading", name=name).wait_for(timeout=10_000)
    page.get_by_text(f"▶ {name}").first.wait_for(timeout=10_000)


def test_a_click_on_a_cell_selects_its_layer(page):
    open_page(page)
    for name, nth in (("fc2", 1), ("conv3", 0), ("fc2", 0), ("pool1", 2)):
        click(page, mark(page, MAP, name, nth))
        wait_for_selection(page, name)
    assert page.complaints == []


def test_a_click_on_a_bar_selects_its_layer(page):
    open_page(page)
    for name in ("loss", "conv5"):
        click(page, mark(page, FREEDOM, name))
        wait_for_selection(page, name)
    assert page.complaints == []


def test_a_click_on_a_strategy_selects_the_first_layer_that_differs(page):
    open_page(page)
    wait_until_drawn(page)
    click(page, page.locator(CHARTS).nth(RANKING).locator(".scatterlayer .point").nth(1))
    wait_for_selection(page, "loss")
    click(page, mark(page, MAP, "fc2"))
    wait_for_selection(page, "fc2")
    wait_until_drawn(page)
    table = page.get_by_test_id("stDataFrame").last
    table.scroll_into_view_if_needed()
    page.wait_for_timeout(500)
    box = table.bounding_box()
    page.mouse.click(box["x"] + 17, box["y"] + 35 * 2.5)
    wait_for_selection(page, "loss")
    page.get_by_role("button", name="Pin what number 2 does in 1 layer").click()
    page.wait_for_url("**pins=loss**", timeout=10_000)
    page.get_by_text("1 layer is pinned").wait_for(timeout=10_000)
    assert page.complaints == []


def test_the_reading_travels_in_the_address(page):
    open_page(page, "network=alexnet&layer=fc2")
    page.get_by_text("if left whole", exact=True).click()
    page.wait_for_url("**reading=if+left+whole**", timeout=10_000)
    open_page(page, page.url.split("?", 1)[1])
    wait_for_selection(page, "fc2")
    assert page.complaints == []


def test_the_best_strategies_can_be_downloaded(page):
    open_page(page, "network=alexnet&best=5")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="CSV", exact=True).last.click()
    rows = list(csv.DictReader(Path(waiting.value.path()).read_text(encoding="utf-8").splitlines()))
    assert [row["rank"] for row in rows] == ["1", "2", "3", "4", "5"]
    assert page.complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("network", ["inception_v3", "transformer"])
def test_deep_networks_are_shown_without_complaints(page, network, scheme):
    page.emulate_media(color_scheme=scheme)
    open_page(page, f"network={network}&devices=64")
    assert page.get_by_text("modelled, not measured").first.is_visible()
    assert page.complaints == []


def test_what_does_not_fit_is_said_in_place(page):
    page.goto(f"{page.address}/?page=Alternatives&network=densenet121")
    page.get_by_text("cannot be priced exactly").wait_for(timeout=60_000)
    assert page.complaints == []
