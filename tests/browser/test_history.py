"""Back and Forward in a real Chromium; links from any state."""

import pytest

from pase_core.importers.json_graph import graph_to_json
from sample_graphs import SAMPLES

CHARTS = ".js-plotly-plot"


def open_page(page, query=""):
    page.goto(f"{page.address}/?{query}")
    page.get_by_text("AlexNet on 8").wait_for(timeout=30_000)
    page.locator(CHARTS).nth(1).wait_for(timeout=30_000)
    page.wait_for_timeout(500)
    page.evaluate("window.isTheSameDocument = true")


def go_to(page, title):
    page.get_by_role("radio", name=title, exact=True).click()


def set_devices(page, text, key, times):
    slider = page.get_by_role("slider", name="Devices")
    slider.focus()
    for _ in range(times):
        slider.press(key)
    page.get_by_text(text).first.wait_for(timeout=30_000)
    page.wait_for_timeout(400)


def click_dearest(page, number):
    """Select the layer of a bar on Costs."""
    page.wait_for_timeout(500)
    bar = page.locator(CHARTS).nth(1).locator(".bars .point path").nth(number)
    bar.scroll_into_view_if_needed()
    box = bar.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def wait_for_selection(page, name):
    page.get_by_role("status").get_by_text(f"▶ {name}").wait_for(timeout=30_000)


def is_the_same_document(page):
    return page.evaluate("window.isTheSameDocument === true")


def test_back_and_forward_go_through_page_devices_and_selection(page):
    open_page(page)
    n_entries = page.evaluate("history.length")
    go_to(page, "Costs")
    page.locator(CHARTS).nth(3).wait_for(timeout=30_000)
    page.wait_for_timeout(400)
    set_devices(page, "AlexNet on 12", "ArrowRight", 1)
    click_dearest(page, 2)
    page.wait_for_url("**layer=*", timeout=10_000)
    name = page.url.split("layer=")[1].split("&")[0]
    wait_for_selection(page, name)
    assert page.evaluate("history.length") == n_entries + 3

    page.go_back()
    page.get_by_text("Click a bar, an area or a point").wait_for(timeout=10_000)
    assert "devices=12" in page.url and "layer" not in page.url
    page.go_back()
    page.get_by_text("AlexNet on 8").wait_for(timeout=10_000)
    assert "page=Costs" in page.url and "devices" not in page.url
    page.go_back()
    page.get_by_text("The strategy found needs").wait_for(timeout=10_000)
    assert page.get_by_text("AlexNet on 8").is_visible()
    page.go_forward()
    page.get_by_text("The dearest layers").wait_for(timeout=10_000)
    page.go_forward()
    page.get_by_text("AlexNet on 12").wait_for(timeout=10_000)
    page.go_forward()
    wait_for_selection(page, name)
    assert page.evaluate("history.length") == n_entries + 3  # going about made none
    assert is_the_same_document(page)
    assert page.complaints == []


def test_a_change_of_network_is_one_entry_and_brings_its_selection_back(page):
    open_page(page, "page=Costs&layer=fc2")
    n_entries = page.evaluate("history.length")
    page.get_by_label("Network", exact=True).first.click()
    page.get_by_role("option", name="Transformer", exact=True).click()
    page.get_by_text("Transformer on 8").wait_for(timeout=30_000)
    page.wait_for_timeout(400)
    assert "network=transformer" in page.url and "layer" not in page.url
    assert page.evaluate("history.length") == n_entries + 1
    page.go_back()
    page.get_by_text("AlexNet on 8").wait_for(timeout=10_000)
    wait_for_selection(page, "fc2")
    page.go_forward()
    page.get_by_text("Transformer on 8").wait_for(timeout=10_000)
    assert is_the_same_document(page)
    assert page.complaints == []


@pytest.mark.parametrize("query", ["network=rnnlm", "network=RNN+language+model"])
def test_a_link_by_name_or_title_makes_no_entry_of_its_own(page, query):
    page.goto("about:blank")
    n_entries = page.evaluate("history.length")
    page.goto(f"{page.address}/?{query}")
    page.get_by_text("RNN language model on 8").wait_for(timeout=30_000)
    page.wait_for_timeout(500)
    assert page.evaluate("history.length") == n_entries + 1


def test_an_uploaded_file_is_there_after_back_and_forward(page, tmp_path):
    open_page(page)
    page.get_by_label("Network", exact=True).first.click()
    page.get_by_role("option", name="Your own file", exact=True).click()
    page.get_by_text("Choose a graph as JSON or ONNX").wait_for(timeout=10_000)
    file = tmp_path / "mine.json"
    file.write_text(graph_to_json(SAMPLES["rnnlm"].build(8)), encoding="utf-8")
    page.locator("input[type=file]").first.set_input_files(file)
    page.get_by_text("RNN language model on 8").wait_for(timeout=30_000)
    go_to(page, "Costs")
    page.get_by_text("The dearest layers").wait_for(timeout=30_000)
    page.wait_for_timeout(400)
    page.go_back()
    page.get_by_text("The strategy found needs").wait_for(timeout=10_000)
    assert page.get_by_text("RNN language model on 8").is_visible()
    page.go_back()
    page.get_by_text("AlexNet on 8").wait_for(timeout=10_000)
    page.go_forward()
    page.get_by_text("RNN language model on 8").wait_for(timeout=10_000)
    assert is_the_same_document(page)
    assert page.complaints == []


def test_a_link_copied_from_any_state_gives_that_state(page, chromium):
    """From the address bar and from the popover, after clicks that redraw a part of a page."""
    open_page(page, "page=Costs")
    page.locator(CHARTS).nth(3).wait_for(timeout=30_000)
    page.get_by_role("radio", name="One weird trick").click()
    page.get_by_text("From one weird trick to the strategy found").wait_for(timeout=10_000)
    set_devices(page, "AlexNet on 12", "ArrowRight", 1)
    click_dearest(page, 1)
    page.wait_for_url("**layer=*", timeout=10_000)
    name = page.url.split("layer=")[1].split("&")[0]
    wait_for_selection(page, name)
    page.get_by_role("button", name="Share and export").click()
    shown = page.get_by_test_id("stPopoverBody").get_by_text(f"layer={name}")
    shown.wait_for(timeout=10_000)
    for link in (page.url, shown.inner_text()):
        fresh = chromium.new_page(viewport={"width": 1280, "height": 1400})
        fresh.goto(link)
        fresh.get_by_text("AlexNet on 12").wait_for(timeout=30_000)
        fresh.get_by_text("From one weird trick to the strategy found").wait_for(timeout=10_000)
        wait_for_selection(fresh, name)
        fresh.close()
    assert page.complaints == []


def test_back_undoes_a_selection_in_the_graph(page):
    page.goto(f"{page.address}/?page=Graph&layer=conv1")
    canvas = page.locator("canvas[data-boxes]")
    canvas.wait_for(timeout=30_000)
    page.wait_for_timeout(500)
    canvas.focus()
    canvas.press("ArrowRight")
    page.get_by_role("heading", name="pool1").wait_for(timeout=10_000)
    page.go_back()
    page.get_by_role("heading", name="conv1").wait_for(timeout=10_000)
    assert canvas.get_attribute("data-selected") == "conv1"
    assert page.complaints == []
