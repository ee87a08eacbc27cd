"""Sample graphs of vision, recommendation and recurrent translation, against published figures."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from pase_core.cluster import preset
from pase_core.costs.paper import PaperCostModel
from pase_core.outline import outline
from pase_core.search.growth import grow
from pase_core.skeleton import skeleton
from pase_core.solve import CostOptions, Problem, Solution, solve
from sample_graphs import SAMPLES
from tests.core.reference_data import sample

VISION = ("vgg16", "resnet50", "gnmt", "dlrm", "unet_diffusion")

PARAMETERS = {
    "vgg16": 138_357_544,
    "resnet50": 25_557_032,
    "unet_diffusion": 859_520_964,
}
"""torchvision's `num_params`, and diffusers' `num_parameters` of `stable-diffusion-v1-5`."""

MULTIPLY_ADDS = {"vgg16": 15.47e9, "resnet50": 4.089e9}
"""torchvision's `_ops`; of one image, forward."""

N_LAYERS = {"vgg16": 23, "resnet50": 126, "gnmt": 46, "dlrm": 41, "unet_diffusion": 675}

GNMT_PARAMETERS, GNMT_MULTIPLY_ADDS = 278e6, 214e6
"""Shazeer et al. 2017, table of WMT'14 results; multiply-adds per word, forward."""

DLRM_ROWS = 187_767_399
"""Criteo Terabyte's categories, capped at 40 million a table, as HugeCTR's benchmarks give it."""

UNET_MULTIPLY_ADDS = 339e9
"""Kim et al. 2023 (BK-SDM), whose count leaves out products of two activations."""


def graph_of(name):
    return sample(name, SAMPLES[name].batch)


@pytest.fixture(scope="module")
def solutions() -> dict[str, Solution]:
    return {
        name: solve(
            Problem(
                graph_of(name),
                preset("gtx-1080-ti", 8),
                CostOptions(min_part=SAMPLES[name].min_part),
            )
        )
        for name in VISION
    }


def layer_multiply_adds(layer):
    """Of one forward pass; three products are counted: forward, and one per gradient."""
    sizes = dict(zip(layer.dimension_names, layer.sizes, strict=True))
    return sum(
        work.count / 3 * math.prod(sizes[d] for d in work.over)
        for work in layer.work
        if work.unit == "multiply_add"
    )


def multiply_adds(graph, n_examples):
    return sum(map(layer_multiply_adds, graph.layers)) / n_examples


def operations(name):
    return Counter(layer.operation for layer in graph_of(name).layers)


def splits(solution):
    """By layer, the parts of the dimensions that the strategy found splits."""
    return {
        layer.name: {
            d: parts for d, parts in zip(layer.dimension_names, found, strict=True) if parts > 1
        }
        for layer, found in zip(
            solution.problem.graph.layers, solution.found.strategy.configurations, strict=True
        )
    }


# Every sample


@pytest.mark.parametrize("name", VISION)
def test_the_graph_has_as_many_layers_as_the_network(name):
    assert len(graph_of(name).layers) == N_LAYERS[name]


@pytest.mark.parametrize("name", PARAMETERS)
def test_the_graph_has_the_published_parameters(name):
    assert graph_of(name).n_parameters == PARAMETERS[name]


@pytest.mark.parametrize("name", MULTIPLY_ADDS)
def test_the_graph_has_the_published_multiply_adds(name):
    found = multiply_adds(graph_of(name), SAMPLES[name].batch)
    assert found == pytest.approx(MULTIPLY_ADDS[name], rel=1e-3)


@pytest.mark.parametrize("name", VISION)
def test_the_optimum_on_8_devices_is_proved(name, solutions):
    search = solutions[name].search
    assert search.proved_optimal
    assert search.method == "elimination"


@pytest.mark.parametrize("name", VISION)
def test_a_batch_of_another_size_changes_the_batch_alone(name):
    small = SAMPLES[name].build(8)
    assert small.n_parameters == graph_of(name).n_parameters
    assert len(small.layers) == N_LAYERS[name]


@pytest.mark.parametrize(
    ("name", "titles"),
    [
        ("vgg16", "block1 block2 block3 block4 block5 head"),
        ("resnet50", "stem stage1 stage2 stage3/block1 stage3/block2×5 stage4 head"),
        (
            "gnmt",
            "encoder/embedding encoder/1 encoder/2/lstm encoder/3×6 "
            "decoder/embedding decoder/1/lstm attention decoder/2 decoder/3×6 head",
        ),
        ("dlrm", "bottom interaction tables/millions tables/thousands tables/few top loss"),
        (
            "unet_diffusion",
            "time input/conv down1 down2 down3 down4 middle up4 up3 up2 up1 output",
        ),
    ],
)
def test_a_picture_has_a_box_per_part(name, titles):
    boxes = outline(graph_of(name)).boxes
    assert [box.title.replace(" × ", "×") for box in boxes] == titles.split()


# Images


def test_vgg_has_16_layers_with_weights_and_most_parameters_in_the_last_three():
    found = operations("vgg16")
    assert (found["convolution"], found["fully connected"], found["max pooling"]) == (13, 3, 5)
    graph = graph_of("vgg16")
    sizes = {t.name: t.n_elements for t in graph.tensors}
    dense = sum(
        n for name, n in sizes.items() if name.endswith((".weight", ".bias")) and "fc" in name
    )
    assert dense / graph.n_parameters == pytest.approx(0.894, abs=1e-3)


def test_vgg_splits_the_batch_of_convolutions_and_not_of_what_holds_the_parameters(solutions):
    found = splits(solutions["vgg16"])
    assert all(found[name] == {"b": 8} for name in found if name.startswith("block"))
    assert all("b" not in found[f"head/fc{i}"] for i in (1, 2, 3))


def test_resnet_50_has_50_layers_with_weights_and_four_projections():
    found = operations("resnet50")
    assert found["convolution"] + found["fully connected"] == 50 + 4
    assert found["batch normalization"] == found["convolution"]
    assert found["add"] == 3 + 4 + 6 + 3


def test_resnet_50_splits_the_batch_of_all_but_the_classifier(solutions):
    found = splits(solutions["resnet50"])
    assert {name for name, parts in found.items() if parts != {"b": 8}} == {
        "head/fc",
        "head/loss",
    }


# U-Net


def unet_multiply_adds():
    """Products with weights and products of two activations, from channels and positions alone."""
    residual = [
        *((320, 320, 4096), (320, 320, 4096), (320, 640, 1024), (640, 640, 1024)),
        *((640, 1280, 256), (1280, 1280, 256), (1280, 1280, 64), (1280, 1280, 64)),
        *((1280, 1280, 64), (1280, 1280, 64)),
        *((2560, 1280, 64), (2560, 1280, 64), (2560, 1280, 64)),
        *((2560, 1280, 256), (2560, 1280, 256), (1920, 1280, 256)),
        *((1920, 640, 1024), (1280, 640, 1024), (960, 640, 1024)),
        *((960, 320, 4096), (640, 320, 4096), (640, 320, 4096)),
    ]
    attention = [(320, 4096)] * 5 + [(640, 1024)] * 5 + [(1280, 256)] * 5 + [(1280, 64)]
    halved, doubled = (
        [(320, 1024), (640, 256), (1280, 64)],
        [(1280, 256), (1280, 1024), (640, 4096)],
    )
    weights = 9 * 2 * 4 * 320 * 4096 + 320 * 1280 + 1280 * 1280
    weights += sum(9 * n * n * positions for n, positions in halved + doubled)
    for before, after, positions in residual:
        project = before * after if before != after else 0
        weights += positions * (9 * before * after + 9 * after * after + project) + 1280 * after
    activations = 0
    for n, positions in attention:
        # Enter and leave, self attention, queries and result of cross attention, feed forward.
        weights += positions * n * n * (2 + 4 + 2 + 12) + 2 * 77 * 768 * n
        activations += 2 * positions * n * (positions + 77)
    return weights, activations


def test_the_unet_has_the_multiply_adds_that_follow_from_its_sizes():
    weights, activations = unet_multiply_adds()
    n_images = SAMPLES["unet_diffusion"].batch
    assert multiply_adds(graph_of("unet_diffusion"), n_images) == weights + activations
    assert weights == pytest.approx(UNET_MULTIPLY_ADDS, rel=2e-3)


def test_the_unet_has_22_residual_blocks_and_16_with_attention():
    found = operations("unet_diffusion")
    assert found["softmax"] == 2 * 16
    assert found["group normalization"] == 2 * 22 + 16 + 1
    assert found["layer normalization"] == 3 * 16
    assert found["concatenation"] == 12
    assert found["upsampling"] == 3


def test_the_unet_reads_the_way_down_again_last_first():
    graph = graph_of("unet_diffusion")
    skips = [layer.inputs[1].tensor for layer in graph.layers if layer.operation == "concatenation"]
    position = {
        access.tensor: i for i, layer in enumerate(graph.layers) for access in layer.outputs
    }
    assert len(set(skips)) == 12
    assert all(position[first] > position[second] for first, second in pairwise(skips))
    assert skips[-1] == "input/conv.out"


@pytest.mark.parametrize("n_devices", [8, 64])
def test_skips_of_the_unet_cost_breadth_first_search_dearly_and_a_good_order_nothing(n_devices):
    shape = skeleton(graph_of("unet_diffusion"), n_devices, SAMPLES["unet_diffusion"].min_part)
    largest = {
        ordering: max(
            len(step.dependents) for step in grow(shape.neighbours, shape.n_choices, ordering)
        )
        for ordering in ("generateseq", "breadth-first")
    }
    assert largest["generateseq"] <= 3
    assert largest["breadth-first"] > 100


# Recommendation


def test_dlrm_has_the_rows_of_the_data_and_two_small_networks():
    graph = graph_of("dlrm")
    bottom, top = (13, 512, 256, 128), (479, 1024, 1024, 512, 256, 1)
    tables = [t.sizes for t in graph.tensors if t.name.endswith(".table")]
    assert len(tables) == 26
    assert sum(rows for rows, _width in tables) == DLRM_ROWS
    assert {width for _rows, width in tables} == {128}
    dense = sum((a + 1) * b for sizes in (bottom, top) for a, b in pairwise(sizes))
    assert graph.n_parameters == 128 * DLRM_ROWS + dense == 24_036_595_969


def test_dlrm_multiplies_what_its_networks_and_the_products_of_27_vectors_need():
    bottom, top = (13, 512, 256, 128), (479, 1024, 1024, 512, 256, 1)
    dense = sum(a * b for sizes in (bottom, top) for a, b in pairwise(sizes))
    found = multiply_adds(graph_of("dlrm"), SAMPLES["dlrm"].batch)
    assert found == dense + 27 * 27 * 128


def test_rows_and_columns_of_dlrms_tables_may_be_split():
    for layer in graph_of("dlrm").layers:
        if layer.operation == "embedding":
            assert {"b", "d", "v"} <= {d.name for d in layer.dimensions if d.splittable}


def test_the_gradient_of_a_table_is_added_up_whole_or_gathered_by_rows():
    batch, q = SAMPLES["dlrm"].batch, 8
    for layer in graph_of("dlrm").layers:
        if layer.operation == "embedding":
            sizes = dict(zip(layer.dimension_names, layer.sizes, strict=True))
            splits = np.array([[q if d == "b" else 1 for d in layer.dimension_names]])
            words = PaperCostModel(1.0, 1.0, 1.0).layer_costs(layer, splits)[3, 0]
            whole, gathered = 2 * sizes["v"] * 128, batch * 128
            assert words == pytest.approx(min(whole, gathered) * (q - 1) / q)


def test_dlrm_splits_long_tables_and_keeps_short_ones_whole(solutions):
    found = splits(solutions["dlrm"])
    scopes = {scope: [] for scope in ("millions", "few", "bottom", "top")}
    for name, parts in found.items():
        for scope, each in scopes.items():
            if scope in name.split("/"):
                each.append(parts)
    assert scopes["millions"] == [{"d": 8}] * 6
    for scope in ("few", "bottom", "top"):
        assert all(parts == {"b": 8} for parts in scopes[scope])


# Translation


def test_gnmt_has_the_published_parameters_and_multiply_adds():
    graph, batch = graph_of("gnmt"), SAMPLES["gnmt"].batch
    width, words = 1024, 32_000
    narrow, wide = (4 * width * (n * width + 1) for n in (2, 3))  # inputs of 1 and 2 widths
    encoder = 2 * narrow + wide + 6 * narrow
    decoder = narrow + 7 * wide
    attention = 2 * width * width + width
    head = (width + 1) * words
    assert graph.n_parameters == encoder + decoder + attention + 2 * words * width + head
    assert graph.n_parameters == pytest.approx(GNMT_PARAMETERS, rel=0.01)
    found = multiply_adds(graph, batch * graph.tensor_by_name["encoder/words"].sizes[1])
    assert found == pytest.approx(GNMT_MULTIPLY_ADDS, rel=0.02)


def test_gnmt_has_17_lstms_and_sums_from_the_third_layer_on():
    found = operations("gnmt")
    assert found["LSTM"] == 9 + 8
    assert found["add"] == 6 + 6
    assert found["concatenation"] == 1 + 7


def test_gnmt_splits_hidden_units_beside_the_batch_and_the_vocabulary(solutions):
    found = splits(solutions["gnmt"])
    lstms = [layer.name for layer in graph_of("gnmt").layers if layer.operation == "LSTM"]
    assert all(set(found[name]) == {"b", "e"} for name in lstms)
    assert "n" in found["head/fc"]
