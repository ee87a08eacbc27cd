"""Compare in a real Chromium: two strategies, files in and out, clicks, no complaints."""

import json
from pathlib import Path

import pytest

from tests.browser.waiting import settle


def open_page(page, query=""):
    page.goto(f"{page.address}/?page=Compare{query}")
    page.get_by_text("layers are split differently").wait_for(timeout=60_000)
    page.locator(".js-plotly-plot").nth(2).wait_for(timeout=60_000)
    return page


def choose(page, label, option):
    settle(page)
    page.get_by_role("combobox", name=label).click()
    page.get_by_role("option", name=option, exact=True).click()


def give(page, file):
    page.get_by_text("Your own strategies, and downloads").click()
    page.locator("input[type=file]").set_input_files(file)


def download(page, label):
    with page.expect_download() as waiting:
        page.get_by_role("button", name=label).click()
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_text(encoding="utf-8")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_found_and_data_parallel_are_compared(page, scheme):
    page.emulate_media(color_scheme=scheme)
    open_page(page, "&devices=32")
    sentence = page.get_by_role("listitem").filter(has_text="fc1").first
    assert "instead of b 32 ways: saves 293 MB of weight gradients" in sentence.inner_text()
    assert page.complaints == []


def test_two_others_are_chosen_and_in_the_address(page):
    open_page(page)
    choose(page, "Against", "One weird trick")
    page.get_by_role("heading", name="One weird trick:").wait_for(timeout=30_000)
    page.wait_for_url("**against=One+weird+trick*")
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    page.get_by_role("heading", name="One weird trick:").wait_for(timeout=60_000)
    assert page.complaints == []


def test_a_click_on_a_bar_selects_the_layer(page):
    open_page(page, "&devices=32")
    bar = page.locator(".js-plotly-plot").nth(2).locator(".bars .point path").first
    bar.scroll_into_view_if_needed()
    box = bar.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.get_by_test_id("stAlert").get_by_text("fc1").wait_for(timeout=30_000)
    page.wait_for_url("**layer=fc1*")
    assert page.complaints == []


def test_a_strategy_goes_out_and_comes_back(page, tmp_path):
    open_page(page, "&this=Data+parallel&against=Found")
    page.get_by_text("Your own strategies, and downloads").click()
    name, text = download(page, "Download the strategy (CSV)")
    assert text.startswith("layer,dimension,split\nconv1,b,8\n")
    _name, as_json = download(page, "Download the strategy (JSON)")
    data = json.loads(as_json)
    assert (data["schema"], data["name"]) == ("pase.strategy/1", "data parallel")
    file = tmp_path / f"mine-{name}"
    file.write_text(text, encoding="utf-8")
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_role("button", name="✕").wait_for(timeout=30_000)
    settle(page)
    page.get_by_role("combobox", name="This strategy").click()
    page.get_by_role("option", name="mine-").click()
    page.get_by_role("heading", name="mine-").wait_for(timeout=30_000)
    assert page.get_by_test_id("stAlert").count() == 0
    assert page.complaints == []


def test_a_bad_file_is_refused_by_line_and_can_be_dismissed(page, tmp_path):
    open_page(page)
    file = tmp_path / "bad.csv"
    file.write_text("layer,dimension,split\nfc1,n,3\n", encoding="utf-8")
    give(page, file)
    message = page.get_by_test_id("stAlert").filter(has_text="bad.csv")
    message.wait_for(timeout=30_000)
    assert "line 2: split 3 does not divide" in message.inner_text()
    assert "Traceback" not in page.content()
    page.get_by_role("button", name="✕").click()
    message.wait_for(state="detached", timeout=30_000)
    assert page.complaints == []


def test_pins_are_compared_as_edited(page):
    open_page(page, "&pins=fc1:8.1.1")
    page.get_by_role("heading", name="Edited:").wait_for(timeout=30_000)
    assert page.complaints == []
