"""The Scaling page in a real Chromium: results, progress, stop, reload, a click on a point."""

import re

from tests.browser.waiting import LOOK, settle

HEADLINE = "From 1 to 64 devices"


def open_page(page, query):
    page.goto(f"{page.address}/?page=Scaling&{query}")


def stop_button(page):
    return page.get_by_role("button", name="Stop the searches")


def test_results_come_by_themselves(page):
    open_page(page, "network=rnnlm&min_part=2")
    page.get_by_text(HEADLINE).wait_for(timeout=30_000)
    stop_button(page).wait_for(state="detached", timeout=30_000)
    page.locator(".js-plotly-plot").nth(4).wait_for(timeout=10_000)
    settle(page, LOOK)
    page.get_by_text("All figures", exact=True).click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="CSV", exact=True).first.click()
    assert waiting.value.suggested_filename == "scaling-rnnlm.csv"
    assert "run=" in page.url
    assert page.complaints == []


def test_progress_appears_stop_stops_and_a_reload_keeps_the_run(page):
    open_page(page, "network=transformer&devices=1024")
    page.get_by_role("progressbar").wait_for(timeout=30_000)
    page.get_by_text(re.compile(r"searching for \d{2,} devices")).wait_for(timeout=60_000)
    stop_button(page).click()
    page.get_by_text("stopped").wait_for(timeout=10_000)
    stop_button(page).wait_for(state="detached", timeout=10_000)
    page.reload()
    page.get_by_text(re.compile(r"From 1 to \d+ devices")).wait_for(timeout=30_000)
    page.get_by_text("stopped").wait_for(timeout=10_000)
    assert stop_button(page).count() == 0
    assert page.complaints == []


def test_a_click_on_a_point_loads_its_number_of_devices(page):
    open_page(page, "network=alexnet")
    page.get_by_text(HEADLINE).wait_for(timeout=30_000)
    stop_button(page).wait_for(state="detached", timeout=30_000)
    page.get_by_text("p = 8", exact=True).first.wait_for(timeout=10_000)
    page.wait_for_timeout(500)
    found = page.locator(".js-plotly-plot").first.locator(".scatterlayer .trace").last
    box = found.locator(".point").nth(5).bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.get_by_text("p = 32", exact=True).first.wait_for(timeout=10_000)
    assert "devices=32" in page.url
    page.get_by_text("Overview", exact=True).click()
    page.get_by_text("AlexNet on 32").wait_for(timeout=30_000)
    assert page.complaints == []
