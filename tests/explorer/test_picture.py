"""Colours, and what the canvas is given to draw."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer import picture, tables
from explorer.colours import (
    colour_amounts,
    colour_differences,
    colour_kinds,
    ink_on,
    mix,
)
from explorer.labels import AMOUNT_COLOURS, SAVING_COLOURS, SPLIT_COLOURS
from explorer.picture import COLOURINGS, Look, draw
from explorer.scenario import Scenario
from pase_core.outline import outline
from pase_core.solve import compare

STOPS = ((0.0, "#000000"), (0.5, "#808080"), (1.0, "#FF0000"))


@pytest.mark.parametrize(
    ("share", "colour"),
    [(-1, "#000000"), (0, "#000000"), (0.25, "#404040"), (0.5, "#808080"), (1, "#FF0000")],
)
def test_scales_are_mixed_between_their_stops(share, colour):
    assert mix(STOPS, share) == colour


def contrast(first, second):
    def luminance(colour):
        channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    bright, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@given(st.sampled_from((AMOUNT_COLOURS, SAVING_COLOURS)), st.floats(0, 1))
def test_ink_can_be_read_on_every_colour_of_our_scales(stops, share):
    colour = mix(stops, share)
    assert contrast(colour, ink_on(colour)) >= 4.5


def test_no_difference_has_the_middle_colour():
    colouring = colour_differences([-4e9, 0.0, 2e9], SAVING_COLOURS, "saved", "FLOP")
    assert colouring.colours[1] == SAVING_COLOURS[1][1]
    assert colouring.colours[0] == SAVING_COLOURS[0][1]
    assert colouring.legend["labels"] == ["-4", "0", "4"]
    assert colouring.legend["title"] == "saved [GFLOP]"


def test_nothing_at_all_is_still_a_scale():
    assert colour_amounts([0.0, 0.0], AMOUNT_COLOURS, "cost", "FLOP").legend["labels"][0] == "0"


def test_kinds_that_do_not_occur_are_not_in_the_legend():
    legend = colour_kinds(["batch only"], SPLIT_COLOURS, "split").legend
    assert legend["entries"] == [["batch only", SPLIT_COLOURS["batch only"]]]


@pytest.mark.parametrize("colouring", COLOURINGS)
def test_the_picture_is_plain_data_with_every_box_and_edge(colouring):
    comparison = compare(Scenario(network="transformer").problem())
    graph = comparison.solution.problem.graph
    boxes = outline(graph, ["encoder/1"])
    picture = draw(
        graph.name,
        boxes,
        tables.box_table(comparison, boxes, tables.layer_table(comparison)),
        tables.box_transfers(comparison, boxes),
        comparison.solution.unit,
        Look(colouring=colouring, selected="encoder/1/attention/qkv"),
    )
    again = json.loads(json.dumps(picture, allow_nan=False))
    assert [box["id"] for box in again["boxes"]] == [box.name for box in boxes.boxes]
    assert len(again["edges"]) == len(boxes.edges)
    assert again["selected"] == "encoder/1/attention/qkv"
    assert again["legend"]["title"]


def test_sums_of_boxes_are_the_totals():
    comparison = compare(Scenario(network="inception_v3").problem())
    boxes = outline(comparison.solution.problem.graph)
    table = tables.box_table(comparison, boxes, tables.layer_table(comparison))
    found = comparison.solution.found
    assert table["cost"].sum() == pytest.approx(found.total, rel=1e-12)
    weights = comparison.solution.parameter_bytes_per_device(found.strategy)
    assert table["weights"].sum() == pytest.approx(weights, rel=1e-12)


@pytest.mark.parametrize("is_horizontal", [True, False])
@pytest.mark.parametrize(("network", "opened"), [("alexnet", ()), ("inception_v3", ("a1",))])
def test_a_picture_grows_until_its_names_can_be_read(network, opened, is_horizontal):
    comparison = compare(Scenario(network=network, n_devices=8).problem())
    boxes = outline(comparison.solution.problem.graph, opened)
    layout, height = picture._fit(boxes, is_horizontal=is_horizontal)
    width, extent = layout.size
    assert height in picture.HEIGHTS
    scale = min(picture.WIDTH / width, (height - picture.TOOLS) / extent)
    assert scale >= picture.READABLE or height == picture.HEIGHTS[0]
    inside = [x for x, _y in layout.centres]
    assert max(inside) - min(inside) <= width
