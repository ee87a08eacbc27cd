"""The Overview in a real Chromium: what is on it, clicks, links, downloads, no complaints."""

import json
from dataclasses import replace

import pytest

from pase_core.importers.json_graph import graph_to_json
from sample_graphs import SAMPLES

HEADLINE = "The strategy found needs"


def open_page(page, query=""):
    page.goto(page.address + "/" + query)
    page.get_by_text(HEADLINE).wait_for(timeout=30_000)
    page.locator(".js-plotly-plot").nth(1).wait_for(timeout=30_000)
    return page


def choose(page, label, option):
    page.get_by_label(label, exact=True).first.click()
    page.get_by_role("option", name=option, exact=True).click()


def test_the_page_opens_solved_without_complaints(page):
    open_page(page)
    assert page.get_by_text("AlexNet on 8").is_visible()
    assert page.get_by_text("proved optimal").is_visible()
    assert page.get_by_text("modelled, not measured").first.is_visible()
    assert page.complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("network", ["Inception v3", "Transformer"])
def test_other_networks_are_solved_on_choice(page, network, scheme):
    page.emulate_media(color_scheme=scheme)
    open_page(page)
    choose(page, "Network", network)
    page.get_by_text(f"{network} on 8").wait_for(timeout=30_000)
    assert page.complaints == []


def test_a_link_gives_the_same_page(page):
    open_page(page, "?network=transformer&devices=16")
    page.get_by_text("Transformer on 16").wait_for(timeout=30_000)
    choose(page, "Network", "RNN language model")
    page.get_by_text("RNN language model on 16").wait_for(timeout=30_000)
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    page.get_by_text("RNN language model on 16").wait_for(timeout=30_000)
    assert page.complaints == []


def test_a_click_on_a_module_shows_its_layers(page):
    open_page(page, "?network=inception_v3")
    blocks = page.locator(".js-plotly-plot").nth(1).locator(".bars .point path")
    assert blocks.count() == 13
    box = blocks.last.bounding_box()  # plotly's own layer lies above the blocks
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.get_by_text("Strategy of head").wait_for(timeout=10_000)
    page.wait_for_url("**layer=head*", timeout=10_000)  # its dearest layer
    page.get_by_role("radio", name="Costs", exact=True).click()
    page.get_by_role("status").get_by_text("▶ head/fc").wait_for(timeout=30_000)
    page.get_by_role("radio", name="Overview", exact=True).click()
    page.get_by_text("Only the selected module").wait_for(timeout=30_000)
    assert page.complaints == []


def test_the_strategy_can_be_downloaded(page):
    open_page(page)
    with page.expect_download() as waiting:
        page.get_by_text("Download the strategy").click()
    with open(waiting.value.path(), encoding="utf-8") as file:  # noqa: PTH123
        data = json.load(file)
    assert data["schema"] == "pase.solution/1"
    assert len(data["strategy"]) == data["graph"]["layers"] == 14


def test_a_file_of_ones_own_is_solved(page, tmp_path):
    open_page(page)
    choose(page, "Network", "Your own file")
    page.get_by_text("Choose a graph as JSON or ONNX").wait_for(timeout=10_000)
    file = tmp_path / "mine.json"
    file.write_text(graph_to_json(SAMPLES["rnnlm"].build(8)), encoding="utf-8")
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_text("RNN language model on 8").wait_for(timeout=30_000)
    assert page.complaints == []


def test_a_bad_file_gives_a_message_and_no_traceback(page, tmp_path):
    open_page(page)
    choose(page, "Network", "Your own file")
    file = tmp_path / "broken.onnx"
    file.write_bytes(b"version https://git-lfs.github.com/spec/v1\n")
    page.locator("input[type=file]").set_input_files(file)
    message = page.get_by_test_id("stAlert").get_by_text("broken.onnx")
    message.wait_for(timeout=30_000)
    assert "Git LFS" in message.inner_text()
    assert "Traceback" not in page.content()
    assert page.complaints == []


def test_names_from_a_file_are_shown_as_they_stand(page, tmp_path):
    """A hostile name may neither fetch a picture nor become a link or a formula."""
    open_page(page)
    choose(page, "Network", "Your own file")
    name = "![x](http://example.com/a.png) <img src=http://example.com/b.png> $a$"
    graph = SAMPLES["rnnlm"].build(8)
    layers = tuple(replace(layer, name=f"{name} {layer.name}") for layer in graph.layers)
    file = tmp_path / "mine.json"
    file.write_text(graph_to_json(replace(graph, name=name, layers=layers)), encoding="utf-8")
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_text(f"{name} on 8").wait_for(timeout=30_000)
    page.locator(".js-plotly-plot").nth(1).wait_for(timeout=30_000)
    page.get_by_text("Graph", exact=True).click()
    page.locator("canvas[data-boxes='4']").wait_for(timeout=30_000)
    assert page.complaints == []
