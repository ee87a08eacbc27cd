"""The page Searches in a real Chromium: results, figures, a stop."""

from tests.browser.waiting import LOOK, settle


def stop_button(page):
    return page.get_by_role("button", name="Stop the searches")


def test_results_come_by_themselves(page):
    page.goto(f"{page.address}/?page=Searches&network=alexnet&seeds=2&seconds=0.5")
    page.get_by_text("proves it in").first.wait_for(timeout=30_000)
    stop_button(page).wait_for(state="detached", timeout=30_000)
    page.locator(".js-plotly-plot").nth(1).wait_for(timeout=10_000)
    settle(page, LOOK)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="CSV", exact=True).first.click()
    assert waiting.value.suggested_filename == "searches-alexnet.csv"
    assert page.complaints == []


def test_stop_stops(page):
    page.goto(f"{page.address}/?page=Searches&network=transformer&seeds=20&seconds=10")
    stop_button(page).wait_for(timeout=30_000)
    page.get_by_text("policy gradient").first.wait_for(timeout=30_000)
    stop_button(page).click()
    page.get_by_text("stopped").wait_for(timeout=10_000)
    stop_button(page).wait_for(state="detached", timeout=10_000)
    assert page.get_by_role("button", name="Go on").count() == 1
    assert page.complaints == []
