"""Baselines split what their recipes say, and cost no less than what the search finds."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pase_core.axes import BATCH, parse_axes
from pase_core.baselines import (
    DATA_PARALLEL,
    data_parallel,
    expert_strategies,
    grant,
    unsplit_batch,
)
from pase_core.configurations import configurations
from pase_core.costs.build import Costs, build_costs
from pase_core.experts import EXPERTS, PAPER_EXPERTS
from pase_core.graph import Graph
from pase_core.layers import Access, Dimension, Layer, Tensor
from pase_core.search.elimination import eliminate
from pase_core.strategy import price
from tests.core.reference_data import MODEL, costs_of_case, sample_and_devices

CASES = ["alexnet/p8", "alexnet/p32", "rnnlm/p8", "resnet101/p8", "inception3/p8", "transformer/p8"]
APPLIES = {
    "alexnet": ["one weird trick"],
    "inception_v3": ["one weird trick"],
    "resnet101": ["one weird trick"],
    "rnnlm": ["data + pipeline"],
    "transformer": [
        "Mesh-TensorFlow",
        "Megatron-LM",
        "Megatron-LM + sequence",
        "context parallel",
    ],
}


def splits_of(case: str, strategy) -> dict[str, dict[str, int]]:
    """Splits by layer and dimension, without those that are whole."""
    graph = costs_of_case(case)[0]
    return {
        layer.name: {
            d: q for d, q in zip(layer.dimension_names, configuration, strict=True) if q > 1
        }
        for layer, configuration in zip(graph.layers, strategy.configurations, strict=True)
    }


def experts_of(case: str):
    graph, costs = costs_of_case(case)
    return expert_strategies(graph, costs, sample_and_devices(case)[1])


@pytest.mark.parametrize("case", CASES)
def test_data_parallelism_splits_the_batch_as_far_as_it_goes(case):
    graph, costs = costs_of_case(case)
    n_devices = sample_and_devices(case)[1]
    strategy = data_parallel(graph, costs, n_devices)
    assert strategy.name == DATA_PARALLEL
    for layer, configuration, splits in zip(
        graph.layers, strategy.configurations, costs.configurations, strict=True
    ):
        names = layer.dimension_names
        assert all(q == 1 for d, q in zip(names, configuration, strict=True) if d != BATCH)
        column = names.index(BATCH)
        alone = splits[(np.delete(splits, column, axis=1) == 1).all(axis=1), column]
        assert configuration[column] == alone.max()


def test_data_parallelism_leaves_layers_without_a_batch_whole():
    layer = Layer("table", "lookup", (Dimension("v", 8), Dimension("d", 8)))
    splits = configurations(layer, 8)
    assert grant(layer, splits, {BATCH: 8}) == 0


@given(
    sizes=st.lists(st.integers(1, 12), min_size=1, max_size=3),
    wishes=st.dictionaries(st.sampled_from("abcz"), st.integers(1, 12)),
    n_devices=st.integers(1, 16),
)
def test_a_wish_is_granted_with_as_many_devices_as_it_allows(sizes, wishes, n_devices):
    layer = Layer("any", "any", tuple(map(Dimension, "abc", sizes)))
    splits = configurations(layer, n_devices)
    granted = splits[grant(layer, splits, wishes)].tolist()
    within = [
        row
        for row in splits.tolist()
        if all(q <= wishes.get(d, 1) for d, q in zip(layer.dimension_names, row, strict=True))
    ]
    assert granted == max(within, key=math.prod)  # the first of equals


@pytest.mark.parametrize("case", CASES)
def test_experts_are_asked_where_their_recipe_applies(case):
    assert list(experts_of(case)) == APPLIES[sample_and_devices(case)[0]]


def test_every_expert_is_asked_somewhere():
    assert {name for names in APPLIES.values() for name in names} == set(EXPERTS)
    assert {names[0] for names in APPLIES.values()} == PAPER_EXPERTS


def test_one_weird_trick_splits_outputs_of_fully_connected_layers_only():
    ((strategy,),) = experts_of("alexnet/p8").values()
    splits = splits_of("alexnet/p8", strategy)
    assert {name for name, parts in splits.items() if parts == {"n": 8}} == {
        "fc1",
        "fc2",
        "fc3",
        "loss",
    }
    assert all(parts == {"b": 8} for parts in splits.values() if parts != {"n": 8})


def test_one_weird_trick_keeps_the_batch_of_convolutions_split_in_deep_networks():
    ((strategy,),) = experts_of("inception3/p8").values()
    splits = splits_of("inception3/p8", strategy)
    assert splits["head/fc"] == {"n": 8}
    assert splits["head/loss"] == {"n": 8}
    others = set(splits) - {"head/fc", "head/loss"}
    assert {tuple(splits[name].items()) for name in others} == {(("b", 8),)}


def test_data_and_pipeline_puts_recurrent_layers_on_different_devices():
    ((strategy,),) = experts_of("rnnlm/p8").values()
    splits = splits_of("rnnlm/p8", strategy)
    assert splits["lstm"] == {"l": 2, "b": 4}
    assert all(splits[name] == {"b": 8} for name in ("embedding", "fc", "loss"))


def test_mesh_tensorflow_tries_every_mesh():
    variants = experts_of("transformer/p8")["Mesh-TensorFlow"]
    assert [strategy.name for strategy in variants] == [
        "Mesh-TensorFlow 8 x 1",
        "Mesh-TensorFlow 4 x 2",
        "Mesh-TensorFlow 2 x 4",
        "Mesh-TensorFlow 1 x 8",
    ]
    splits = splits_of("transformer/p8", variants[1])
    assert splits["encoder/embedding"] == {"b": 4, "v": 2}
    assert splits["encoder/1/attention/scores"] == {"b": 4, "h": 2}
    assert splits["encoder/1/feed_forward/expand"] == {"b": 4, "e": 2}
    assert splits["encoder/1/attention/norm"] == {"b": 4}
    assert splits["head/fc"] == {"b": 4, "v": 2}


def test_a_mesh_of_one_column_is_data_parallelism():
    graph, costs = costs_of_case("transformer/p8")
    variants = experts_of("transformer/p8")["Mesh-TensorFlow"]
    assert variants[0].configurations == data_parallel(graph, costs, 8).configurations


def test_meshes_of_odd_numbers_of_devices_are_all_tried():
    graph, costs = costs_of_case("transformer/p8")
    variants = expert_strategies(graph, costs, 6)["Mesh-TensorFlow"]
    names = [strategy.name.removeprefix("Mesh-TensorFlow ") for strategy in variants]
    assert names == ["6 x 1", "3 x 2", "2 x 3", "1 x 6"]


def all_baselines(case: str, costs: Costs):
    graph = costs_of_case(case)[0]
    yield data_parallel(graph, costs, sample_and_devices(case)[1])
    for variants in experts_of(case).values():
        yield from variants


@pytest.mark.parametrize("case", CASES)
def test_no_baseline_beats_the_search(case):
    graph, costs = costs_of_case(case)
    best = eliminate(costs.tables).cost
    for strategy in all_baselines(case, costs):
        assert price(graph, costs, strategy).total >= best * (1 - 1e-12), strategy.name
        assert strategy.note.endswith((".", ")."))


# Files may call a layer anything


def graph_of(*layers: tuple[str, str], size: int = 8) -> tuple[Graph, Costs]:
    """Layers as pairs of operation and names of dimensions, all of one size; on 8 devices."""
    made = tuple(
        Layer(
            f"layer {i}",
            operation,
            tuple(Dimension(name, size) for name in names.split()),
            outputs=(Access(f"y{i}", parse_axes(names)),),
        )
        for i, (operation, names) in enumerate(layers)
    )
    tensors = tuple(
        Tensor(f"y{i}", (size,) * len(names.split())) for i, (_, names) in enumerate(layers)
    )
    graph = Graph("toy", made, tensors)
    return graph, build_costs(graph, MODEL, 8)


@pytest.mark.parametrize(
    "layers",
    [
        [("LSTM", "b s d e")],
        [("LSTM", "")],
        [("convolution", "b c"), ("fully connected", "b v d")],
        [("convolution", "x c"), ("fully connected", "b n")],
        [("embedding", "b s d"), ("softmax", "b h s t")],
        [("embedding", "b s d v"), ("softmax", "x")],
    ],
)
def test_experts_are_not_asked_where_a_layer_lacks_what_their_recipe_splits(layers):
    graph, costs = graph_of(*layers)
    assert expert_strategies(graph, costs, 8) == {}


def test_layers_that_are_only_called_recurrent_are_data_parallel():
    graph, costs = graph_of(("LSTM", "l b"), ("LSTM", "b d"), ("add", ""))
    ((strategy,),) = expert_strategies(graph, costs, 8).values()
    assert strategy.configurations == ((8, 1), (8, 1), ())


def test_layers_that_are_only_called_fully_connected_are_data_parallel():
    graph, costs = graph_of(
        ("convolution", "b c"), ("fully connected", "b n"), ("fully connected", "b v")
    )
    ((strategy,),) = expert_strategies(graph, costs, 8).values()
    assert strategy.configurations == ((8, 1), (1, 8), (8, 1))


# A batch that cannot be split


@pytest.mark.parametrize(
    ("layers", "size", "note"),
    [
        ([("add", "b n")], 1, "The batch of 1 cannot be split; set a batch size."),
        ([("add", "b n")], 11, "The batch of 11 cannot be split; set another batch size."),
        ([("add", "s n")], 8, "No layer has a batch, the dimension named b, to split."),
    ],
)
def test_data_parallelism_that_splits_nothing_says_so(layers, size, note):
    graph, costs = graph_of(*layers, size=size)
    strategy = data_parallel(graph, costs, 8)
    assert strategy.configurations == ((1, 1),)
    assert strategy.note == unsplit_batch(graph, costs, 8) == note
    assert unsplit_batch(graph, costs, 1) == ""


def test_one_layer_with_a_batch_to_split_is_enough():
    graph, costs = graph_of(("add", "s n"), ("add", "b n"))
    assert unsplit_batch(graph, costs, 8) == ""
    assert data_parallel(graph, costs, 8).note.startswith("Every layer's batch is split")
