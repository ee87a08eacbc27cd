"""The recipes for transformers: what they split, and what that must cost by known sums."""

from __future__ import annotations

import math
from functools import cache

import pytest

from pase_core.axes import BATCH
from pase_core.baselines import data_parallel, expert_strategies
from pase_core.costs.build import Costs, build_costs
from pase_core.graph import Graph
from pase_core.strategy import PricedStrategy, Strategy, price
from tests.core.reference_data import MODEL
from tests.core.transformer_cases import TRANSFORMERS, sample

TENSOR, SEQUENCE, CONTEXT = "Megatron-LM", "Megatron-LM + sequence", "context parallel"
RECIPES = (TENSOR, SEQUENCE, CONTEXT)
BLOCKS = ("block/1/", "encoder/1/", "decoder/1/")


@cache
def costs_of(name: str, n_devices: int) -> Costs:
    return build_costs(sample(name), MODEL, n_devices)


def variants(name: str, recipe: str, n_devices: int) -> dict[str, Strategy]:
    """Strategies of a recipe by mesh, such as `2 x 4`."""
    found = expert_strategies(sample(name), costs_of(name, n_devices), n_devices)[recipe]
    return {strategy.name.removeprefix(recipe).strip(): strategy for strategy in found}


def splits(name: str, strategy: Strategy) -> dict[str, dict[str, int]]:
    """Parts by layer and dimension, without those that are whole."""
    return {
        layer.name: {d: q for d, q in zip(layer.dimension_names, parts, strict=True) if q > 1}
        for layer, parts in zip(sample(name).layers, strategy.configurations, strict=True)
    }


def priced(name: str, recipe: str, d: int, t: int) -> PricedStrategy:
    strategy = variants(name, recipe, d * t)[f"{d} x {t}"]
    return price(sample(name), costs_of(name, d * t), strategy)


def inside(name: str, graph: Graph) -> list[int]:
    """Positions of the layers of the first blocks, or all of a graph that has none."""
    own = [i for i, layer in enumerate(graph.layers) if layer.name.startswith(BLOCKS)]
    return own or [i for i, layer in enumerate(graph.layers) if layer.name.startswith("one/")]


# Known sums


def sums(
    graph: Graph, strategy: Strategy, positions: list[int], kind: str
) -> list[tuple[str, tuple[int, ...], int]]:
    """Sums over devices that accesses imply: tensor, sizes of the tile, devices in a group."""
    found = []
    for i in positions:
        layer = graph.layers[i]
        parts = dict(zip(layer.dimension_names, strategy.configurations[i], strict=True))
        sizes = dict(zip(layer.dimension_names, layer.sizes, strict=True))
        for access in getattr(layer, kind):
            reduction = layer.reduction(access)
            group = math.prod(parts[d] for d in reduction.over)
            tile = tuple(sizes[d] // parts[d] for d in reduction.tile)
            found += [(access.tensor, tile, group)] if group > 1 else []
    return found


@pytest.mark.parametrize(("name", "n_pairs"), [
    ("gpt2", 2), ("bert_large", 2), ("vit_b16", 2), ("llama3_8b", 2), ("onnx-like", 2),
    ("transformer", 5), ("t5_large", 5),  # an encoder's block of two, and a decoder's of three
])  # fmt: skip
def test_a_block_sums_its_activations_twice_forward_and_twice_backward(name, n_pairs):
    """Each pair of products sums b s d over the t devices of a group behind it, and the gradient
    of what it reads. Where two or three products read one tensor (queries, keys and values),
    each sums its own gradient in our accounts; one sum of their sum is the same tensor, and counts
    once here. A decoder's attention to a memory sums the memory's gradient as well."""
    graph, (d, t) = sample(name), (2, 4)
    strategy, block = variants(name, TENSOR, d * t)[f"{d} x {t}"], inside(name, graph)
    outputs = sums(graph, strategy, block, "outputs")
    gradients = set(sums(graph, strategy, block, "inputs"))
    assert len(outputs) == n_pairs
    assert len(gradients) == n_pairs + (name == "t5_large")
    sizes = {tensor: graph.tensor_by_name[tensor].sizes for tensor, _, _ in outputs}
    for tensor, tile, group in outputs:
        assert (math.prod(tile), group) == (math.prod(sizes[tensor]) // d, t)
    if name != "t5_large":  # its memory is longer than its decoder's text
        assert {(math.prod(tile), g) for _, tile, g in gradients} == {
            (math.prod(tile), g) for _, tile, g in outputs
        } | ({(math.prod(sizes_of_stack(graph)) // d, t)} if name == "transformer" else set())


def sizes_of_stack(graph: Graph) -> tuple[int, ...]:
    """Of the tensor that holds what queries, keys and values of a cross attention are made of."""
    return graph.tensor_by_name["decoder/1/cross_attention/stack.out"].sizes


def test_the_sums_of_a_block_cost_what_a_ring_takes():
    d, t = 2, 4
    found, graph = priced("gpt2", TENSOR, d, t), sample("gpt2")
    words = 64 * 1024 * 768 / d
    ring = MODEL.flop_per_word * 2 * words * (t - 1) / t
    block = inside("gpt2", graph)
    for component in ("output", "input_gradient"):
        column = found.component_names.index(component)
        assert found.layer_components[block, column].sum() == pytest.approx(2 * ring, rel=1e-12)


def test_weights_are_cut_among_a_group_and_their_gradients_summed_over_the_others():
    """But for norms, which every device of a group has: 2 of 4096 words per block."""
    d, t = 2, 4
    found, graph = priced("llama3_8b", TENSOR, d, t), sample("llama3_8b")
    block = inside("llama3_8b", graph)
    cut = 2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 14_336
    cost = MODEL.flop_per_word * 2 * (cut / t + 2 * 4096) * (d - 1) / d
    column = found.component_names.index("parameter_gradient")
    assert found.layer_components[block, column].sum() == pytest.approx(cost, rel=1e-12)


def moved(name: str, recipe: str) -> set[tuple[str, str]]:
    """Last words of the names of layers inside the blocks between which tensors move."""
    graph, found = sample(name), priced(name, recipe, 2, 4)
    block = set(inside(name, graph))
    return {
        (graph.layers[u].name.split("/", 2)[-1], graph.layers[v].name.split("/", 2)[-1])
        for u, v, cost in found.transfers
        if cost and {u, v} <= block
    }


@pytest.mark.parametrize("name", [*TRANSFORMERS, "onnx-like"])
def test_megatron_moves_nothing_inside_a_block(name):
    assert moved(name, TENSOR) == set()


def test_sequences_are_gathered_before_a_pair_of_products_and_cut_behind_it():
    assert moved("gpt2", SEQUENCE) == {
        ("attention/norm", "attention/qkv"),
        ("attention/project", "attention/add"),
        ("mlp/norm", "mlp/expand"),
        ("mlp/shrink", "mlp/add"),
    }


def test_context_parallelism_gathers_keys_and_values_only():
    unstack = "attention/qkv/unstack"
    assert moved("gpt2", CONTEXT) == {
        (unstack, "attention/scores"),
        (unstack, "attention/values"),
    }


# What is split


def test_megatron_splits_columns_then_rows():
    found = splits("gpt2", variants("gpt2", TENSOR, 8)["2 x 4"])
    for part in ("qkv", "scores", "softmax", "values", "project"):
        assert found[f"block/7/attention/{part}"] == {"b": 2, "h": 4}
    for part in ("expand", "shrink"):
        assert found[f"block/7/mlp/{part}"] == {"b": 2, "e": 4}
    for part in ("attention/norm", "attention/add", "mlp/norm", "mlp/add"):
        assert found[f"block/7/{part}"] == {"b": 2}


def test_sequence_splitting_differs_from_megatron_in_norms_and_sums_only():
    plain = splits("llama3_8b", variants("llama3_8b", TENSOR, 8)["2 x 4"])
    found = splits("llama3_8b", variants("llama3_8b", SEQUENCE, 8)["2 x 4"])
    differing = {layer for layer in plain if plain[layer] != found[layer]}
    assert {layer.split("/")[-1] for layer in differing} == {"norm", "add"}
    assert all(found[layer] == plain[layer] | {"s": 4} for layer in differing)


@pytest.mark.parametrize("name", ["gpt2", "llama3_8b", "transformer", "t5_large"])
def test_context_parallelism_splits_every_sequence(name):
    found = splits(name, variants(name, CONTEXT, 8)["2 x 4"])
    assert set(map(str, found.values())) == {str({"b": 2, "s": 4})}


def test_the_transformer_is_split_as_mesh_tensorflow_splits_it():
    ours = variants("transformer", TENSOR, 8)
    for mesh, theirs in variants("transformer", "Mesh-TensorFlow", 8).items():
        assert ours[mesh].configurations == theirs.configurations


@pytest.mark.parametrize("name", [*TRANSFORMERS, "onnx-like"])
def test_one_column_is_data_parallelism(name):
    n_devices = 8
    strategy = variants(name, TENSOR, n_devices)["8 x 1"]
    theirs = data_parallel(sample(name), costs_of(name, n_devices), n_devices)
    assert strategy.configurations == theirs.configurations


# Numbers that do not go into each other


def test_heads_are_split_as_far_as_they_go_evenly():
    found = splits("vit_b16", variants("vit_b16", TENSOR, 8)["1 x 8"])
    assert found["block/1/attention/qkv"] == {"h": 4}  # of 12 heads; 6 would not divide 8
    assert found["block/1/mlp/expand"] == {"e": 8}
    assert found["head/fc"] == {"n": 8}


def test_heads_of_queries_that_share_keys_take_the_rest():
    found = splits("llama3_8b", variants("llama3_8b", TENSOR, 32)["2 x 16"])
    for part in ("queries", "scores", "softmax", "values", "project"):
        assert found[f"block/1/attention/{part}"] == {"b": 2, "h": 8, "r": 2}
    assert found["block/1/attention/keys_values"] == {"b": 2, "h": 8}


def test_every_expert_of_a_mixture_splits_its_hidden_units():
    found = splits("mixtral_8x7b", variants("mixtral_8x7b", TENSOR, 8)["2 x 4"])
    assert found["block/1/experts/expand"] == {"b": 2, "e": 4}
    assert found["block/1/experts/shrink"] == {"b": 2, "e": 4}
    for part in ("route", "choose", "dispatch", "combine"):
        assert found[f"block/1/experts/{part}"] == {"b": 2}
    found = splits("mixtral_8x7b", variants("mixtral_8x7b", SEQUENCE, 8)["2 x 4"])
    assert found["block/1/experts/route"] == {"b": 2, "s": 4}
    assert found["block/1/experts/dispatch"] == {"b": 2}  # whole sequences are sorted


def test_positions_are_split_where_a_vocabulary_cannot_be():
    found = splits("gpt2", variants("gpt2", TENSOR, 8)["2 x 4"])
    assert found["head/fc"] == found["head/loss"] == found["embed/words"] == {"b": 2, "s": 4}
    found = splits("transformer", variants("transformer", TENSOR, 64)["2 x 32"])
    assert found["head/fc"] == {"b": 2, "v": 16, "s": 2}  # 50,000 has the factor 2 four times


@pytest.mark.parametrize("n_devices", [1, 6, 16])
@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("name", [*TRANSFORMERS, "onnx-like"])
def test_every_group_is_divided_evenly(name, recipe, n_devices):
    found = variants(name, recipe, n_devices)
    columns = [t for t in range(1, n_devices + 1) if n_devices % t == 0]
    if recipe != TENSOR and n_devices > 1:
        columns.remove(1)
    assert list(found) == [f"{n_devices // t} x {t}" for t in columns]
    for t, strategy in zip(columns, found.values(), strict=True):
        for parts in splits(name, strategy).values():
            assert parts.pop(BATCH, 1) <= n_devices // t
            assert t % math.prod(parts.values()) == 0


@pytest.mark.parametrize("name", ["gpt2", "vit_b16", "onnx-like"])
def test_large_groups_find_something_to_split(name):
    found = splits(name, variants(name, TENSOR, 4)["1 x 4"])
    products = [n for n in found if n.endswith(("qkv", "expand", "shrink", "up", "down", "/q"))]
    assert products and all(math.prod(found[n].values()) == 4 for n in products)
