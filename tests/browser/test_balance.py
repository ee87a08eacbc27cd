"""The Balance page in a real Chromium: the range in the address, a click on a cell."""

import re

HEADLINE = re.compile("strategies are best for some machine")


def open_page(page, query):
    page.goto(f"{page.address}/?page=Balance&{query}")
    page.get_by_text(HEADLINE).wait_for(timeout=30_000)
    page.locator(".js-plotly-plot").nth(2).wait_for(timeout=30_000)
    page.wait_for_timeout(500)


def test_the_range_moves_and_stays_in_the_address(page):
    open_page(page, "network=alexnet")
    page.get_by_text("Between 50 and 3,000 FLOP per byte").wait_for(timeout=10_000)
    page.get_by_role("slider", name="Range of machines").first.focus()
    page.keyboard.press("ArrowLeft")
    page.get_by_text("Between 30 and 3,000 FLOP per byte").wait_for(timeout=10_000)
    assert "range=30" in page.url
    page.reload()
    page.get_by_text("Between 30 and 3,000 FLOP per byte").wait_for(timeout=30_000)
    assert page.complaints == []


def test_a_click_on_a_cell_loads_its_devices_and_links(page):
    open_page(page, "network=alexnet")
    bars = page.locator(".js-plotly-plot").nth(2).locator(".barlayer .point path")
    bars.last.scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    box = bars.last.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.get_by_text("AlexNet on 64").wait_for(timeout=30_000)
    page.get_by_text("in phase 18", exact=False).first.wait_for(timeout=30_000)
    page.wait_for_timeout(500)
    assert "devices=64" in page.url and "giga_bytes=" in page.url
    page.get_by_role("button", name="Back to the links").click()
    page.get_by_text("in phase 16", exact=False).first.wait_for(timeout=30_000)
    page.wait_for_timeout(500)
    assert "giga_bytes" not in page.url
    assert page.complaints == []


def test_the_phases_can_be_taken_away_as_a_file(page):
    open_page(page, "network=rnnlm")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="CSV", exact=True).first.click()
    assert waiting.value.suggested_filename == "phases-rnnlm-8.csv"
    assert page.complaints == []
