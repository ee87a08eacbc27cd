"""Sample graphs that no published prototype gives figures for: DenseNet-121."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from pase_core.costs.build import build_costs
from pase_core.errors import BudgetError
from pase_core.outline import outline
from pase_core.search.elimination import eliminate
from pase_core.search.growth import grow
from pase_core.skeleton import skeleton
from sample_graphs import SAMPLES
from tests.core.reference_data import MODEL, sample

N_DEVICES = [4, 8, 64]
DENSENET = SAMPLES["densenet121"]
DENSE_LAYERS = {"block1": 6, "block2": 12, "block3": 24, "block4": 16}
PUBLISHED_PARAMETERS, PUBLISHED_MULTIPLY_ADDS = 7_978_856, 2.83e9
"""torchvision's figures for its densenet121; multiply-adds of one image, forward."""


@pytest.fixture(scope="module")
def densenet():
    return sample("densenet121", DENSENET.batch)


def forward_multiply_adds(graph):
    total = 0.0
    for layer in graph.layers:
        sizes = dict(zip(layer.dimension_names, layer.sizes, strict=True))
        for work in layer.work:
            if work.unit == "multiply_add":  # three products: forward, and one per gradient
                total += work.count / 3 * math.prod(sizes[d] for d in work.over)
    return total


def dense_layer_number(name):
    """7 for a layer of the seventh dense layer of a block, such as `block2/layer7/a/conv`."""
    return next(int(part[5:]) for part in name.split("/") if part.startswith("layer"))


def concatenations(graph):
    """By block, the concatenations in their order, each with the names of what it reads."""
    found = {}
    for layer in graph.layers:
        if layer.operation == "concatenation":
            block = layer.name.split("/")[0]
            found.setdefault(block, []).append([access.tensor for access in layer.inputs])
    return found


def test_densenet_has_the_published_parameters(densenet):
    assert densenet.n_parameters == PUBLISHED_PARAMETERS


def test_densenet_has_the_published_multiply_adds(densenet):
    n_images = DENSENET.batch
    assert forward_multiply_adds(densenet) / n_images == pytest.approx(
        PUBLISHED_MULTIPLY_ADDS, rel=0.002
    )


def test_densenet_has_121_layers_with_weights_and_as_many_norms(densenet):
    n_dense = sum(DENSE_LAYERS.values())
    operations = Counter(layer.operation for layer in densenet.layers)
    assert operations == {
        "convolution": 1 + 2 * n_dense + 3,
        "fully connected": 1,
        "batch normalization": 1 + 2 * n_dense + 3 + 1,
        "concatenation": n_dense,  # the first dense layer joins nothing, the block's end does
        "max pooling": 1,
        "average pooling": 3,
        "mean": 1,
        "softmax cross entropy": 1,
    }
    assert operations["convolution"] + operations["fully connected"] == 121
    assert len(densenet.layers) == 306


def test_every_concatenation_of_densenet_reads_all_earlier_layers_of_its_block(densenet):
    writers = {access.tensor: layer for layer in densenet.layers for access in layer.outputs}
    found = concatenations(densenet)
    assert {block: len(each) for block, each in found.items()} == DENSE_LAYERS
    for block, each in found.items():
        for n_before, (start, *outputs) in enumerate(each, 1):
            assert writers[start].operation in ("max pooling", "average pooling")
            assert start == each[0][0]
            names = [writers[tensor].name for tensor in outputs]
            assert all(n.startswith(f"{block}/") and n.endswith("/b/conv") for n in names)
            assert [dense_layer_number(name) for name in names] == list(range(1, n_before + 1))


def test_every_dense_layer_adds_32_channels_and_a_transition_halves_them(densenet):
    channels = 64
    for i, n_layers in enumerate(DENSE_LAYERS.values(), 1):
        for n_outputs, inputs in enumerate(concatenations(densenet)[f"block{i}"], 1):
            joined = sum(densenet.tensor_by_name[tensor].sizes[1] for tensor in inputs)
            assert joined == channels + 32 * n_outputs
        channels += 32 * n_layers
        if i < len(DENSE_LAYERS):
            channels //= 2
            after = densenet.tensor_by_name[f"transition{i}/pool.out"]
            assert after.sizes == (DENSENET.batch, channels, 56 // 2**i, 56 // 2**i)
    assert densenet.tensor_by_name["head/mean.out"].sizes == (DENSENET.batch, 1024)


@pytest.mark.parametrize("n_devices", N_DEVICES)
def test_dependent_sets_of_densenet_are_as_large_as_its_longest_block(densenet, n_devices):
    shape = skeleton(densenet, n_devices, DENSENET.min_part)
    steps = grow(shape.neighbours, shape.n_choices, "generateseq")
    assert max(len(step.dependents) for step in steps) == max(DENSE_LAYERS.values()) + 1
    assert max(step.n_joint for step in steps) > 1e24


@pytest.mark.parametrize("n_devices", N_DEVICES)
def test_densenet_is_priced_in_little_memory_though_no_table_of_minima_fits(densenet, n_devices):
    tables = build_costs(densenet, MODEL, n_devices, DENSENET.min_part).tables
    assert len(tables.pairs) == len(densenet.transfers) == 840
    assert tables.n_bytes < 30e6
    with pytest.raises(BudgetError, match="does not fit the memory budget"):
        eliminate(tables)


def test_a_picture_of_densenet_has_a_box_per_block_and_two_for_the_longest(densenet):
    assert [box.title for box in outline(densenet).boxes] == [
        "stem",
        *("block1", "transition1", "block2", "transition2"),
        *("block3/part1", "block3/part2", "block3/concat", "transition3"),
        *("block4", "head"),
    ]
