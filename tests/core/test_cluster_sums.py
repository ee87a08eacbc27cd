"""Sums of bytes that people know, and what `cluster` makes of them."""

from __future__ import annotations

from functools import cache

import pytest

from pase_core.builder import GraphBuilder
from pase_core.cluster import preset
from pase_core.components import LAYER_COMPONENTS, REDISTRIBUTION
from pase_core.costs.build import price_outline
from pase_core.costs.cost_outline import outline_strategy
from pase_core.costs.step import StepOptions
from pase_core.graph import Graph
from pase_core.memory import memory_of
from pase_core.problem import CostOptions, Problem
from pase_core.strategy import Strategy
from sample_graphs import SAMPLES
from sample_graphs.blocks import Heads, add, attend, embed, feed_forward, layer_norm, predict
from tests.core.cluster_bytes import byte_counter

BATCH, STEPS, WIDTH, HEADS, WORDS = 8, 16, 32, 8, 64
WORD_BYTES = 2


def bytes_sent(graph: Graph, rows, p: int, **step) -> dict[str, float]:
    """Bytes by component of a device, and of redistribution."""
    model = byte_counter(p, step=StepOptions(**step), element_type=graph.element_type)
    tables = price_outline(outline_strategy(graph, rows), model).tables
    sums = [sum(float(parts[i, 0]) for parts in tables.parts) for i in range(len(LAYER_COMPONENTS))]
    found = dict(zip(LAYER_COMPONENTS, sums, strict=True))
    found[REDISTRIBUTION] = sum(float(pair.costs[0, 0]) for pair in tables.pairs)
    return {name: n for name, n in found.items() if n > 1e-9}


def split(graph: Graph, **parts: int) -> list[tuple[int, ...]]:
    """The same dimensions of all layers in parts, as far as they can be split."""
    return [
        tuple(parts.get(d.name, 1) if d.splittable else 1 for d in layer.dimensions)
        for layer in graph.layers
    ]


@cache
def block(*, bias: bool = False, tied: bool = False) -> Graph:
    """Words, and one block of a transformer, of attention and feed-forward part."""
    build = GraphBuilder("block", element_type="bfloat16")
    table = build.parameter("table", (WORDS, WIDTH))
    x = embed(build, "embed", build.input("words", (BATCH, STEPS)), table)
    heads = Heads(HEADS, WIDTH // HEADS, bias=bias)
    scope = "block/1/attention"
    x = add(build, scope, x, attend(build, scope, layer_norm(build, scope, x), heads))
    scope = "block/1/mlp"
    y = layer_norm(build, scope, x)
    x = add(build, scope, x, feed_forward(build, scope, y, 4 * WIDTH, "gelu", bias=bias))
    if tied:
        predict(build, "head", x, WORDS, tied=table)
    return build.graph()


# Data parallelism


@pytest.mark.parametrize("p", [2, 4, 8])
def test_data_parallelism_moves_twice_the_gradients_less_the_own_part(p):
    graph = block(bias=True)
    n_bytes = WORD_BYTES * graph.n_parameters
    found = bytes_sent(graph, split(graph, b=p), p)
    assert found == {"parameter_gradient": pytest.approx(2 * n_bytes * (p - 1) / p)}


@pytest.mark.parametrize(("stage", "times"), [(0, 2), (1, 2), (2, 2), (3, 3)])
def test_zero_moves_no_more_until_it_shares_out_the_parameters(stage, times):
    # Rajbhandari et al., 2020, section 7: stages 1 and 2 as much as all-reduces, stage 3 half more.
    graph, p = block(bias=True), 8
    n_bytes = WORD_BYTES * graph.n_parameters
    found = bytes_sent(graph, split(graph, b=p), p, zero_stage=stage)
    assert found == {"parameter_gradient": pytest.approx(times * n_bytes * (p - 1) / p)}


# BUG: a tied table is reduced by each of the layers that read it; its gradients are added up on
# every device first, and reduced once.
@pytest.mark.xfail(
    strict=True, raises=AssertionError, reason="LayerMessages reduces a parameter once per reader"
)
def test_the_gradient_of_a_tied_table_is_reduced_once():
    graph, p = block(tied=True), 8
    n_bytes = WORD_BYTES * graph.n_parameters
    found = bytes_sent(graph, split(graph, b=p), p)
    assert found["parameter_gradient"] == pytest.approx(2 * n_bytes * (p - 1) / p)


# Tensor parallelism


@pytest.mark.parametrize("p", [2, 4, 8])
def test_a_block_as_in_megatron_has_two_all_reduces_forward_and_two_backward(p):
    # Shoeybi et al., 2019, figure 4: of activations, batch x steps x width.
    graph = block()
    activations = WORD_BYTES * BATCH * STEPS * WIDTH
    two = pytest.approx(2 * 2 * activations * (p - 1) / p)
    found = bytes_sent(graph, split(graph, h=p, e=p), p)
    assert found == {"output": two, "input_gradient": two}


@pytest.mark.parametrize("reduce", ["reduce_scatter", "reduce_scatter_all"])
def test_taking_all_reduces_apart_moves_as_much_where_everybody_needs_the_whole(reduce):
    graph, p = block(), 8
    rows = split(graph, h=p, e=p)
    whole = sum(bytes_sent(graph, rows, p).values())
    assert sum(bytes_sent(graph, rows, p, reduce=reduce).values()) == pytest.approx(whole)


def test_tensor_and_data_parallelism_add_up():
    graph, d, t = block(), 2, 4
    activations = WORD_BYTES * BATCH * STEPS * WIDTH / d
    cut = 4 * WIDTH * WIDTH + 2 * 4 * WIDTH * WIDTH  # attention and feed-forward part
    whole = graph.n_parameters - cut
    found = bytes_sent(graph, split(graph, b=d, h=t, e=t), d * t)
    assert found == {
        "output": pytest.approx(4 * activations * (t - 1) / t),
        "input_gradient": pytest.approx(4 * activations * (t - 1) / t),
        "parameter_gradient": pytest.approx(2 * WORD_BYTES * (cut / t + whole) * (d - 1) / d),
    }


def test_the_shift_of_a_row_parallel_product_has_its_gradient_everywhere():
    graph, p = block(bias=True), 4
    found = bytes_sent(graph, split(graph, h=p, e=p), p)
    assert "parameter_gradient" not in found


def test_the_gradients_of_a_normalization_are_reduced_once():
    build = GraphBuilder("norm", element_type="bfloat16")
    build.layer("normalization", "norm", build.input("x", (8, 4, 16)), along="d")
    n_bytes = WORD_BYTES * 2 * 16
    found = bytes_sent(build.graph(), [(8, 1, 1)], 8)
    assert found == {"parameter_gradient": pytest.approx(2 * n_bytes * 7 / 8)}


# Memory


def held_by(graph: Graph, p: int, rows, **step) -> dict[str, float]:
    problem = Problem(graph, preset("h100-sxm", p), CostOptions(step=StepOptions(**step)))
    return dict(memory_of(problem, Strategy("test", tuple(map(tuple, rows)))).components)


@pytest.mark.parametrize("element_type", ["bfloat16", "float16"])
def test_gpt3_with_adam_takes_sixteen_bytes_a_parameter(element_type):
    graph = SAMPLES["gpt3_175b"].build(1)
    assert graph.n_parameters == pytest.approx(175e9, rel=0.01)
    held = held_by(graph, 1, split(graph), element_type=element_type)
    n = graph.n_parameters
    assert held["parameters"] == held["gradients"] == 2 * n
    assert held["optimizer"] == 12 * n
    assert held["parameters"] + held["gradients"] + held["optimizer"] == 16 * n


def test_zero_leaves_of_sixteen_bytes_what_the_paper_says():
    # Rajbhandari et al., 2020, figure 1: 4 + 12 / N, 2 + 14 / N and 16 / N bytes a parameter.
    graph, p = block(), 8
    wanted = {0: 16, 1: 4 + 12 / p, 2: 2 + 14 / p, 3: 16 / p}
    for stage, per_parameter in wanted.items():
        held = held_by(graph, p, split(graph, b=p), zero_stage=stage)
        states = held["parameters"] + held["gradients"] + held["optimizer"]
        assert states == pytest.approx(per_parameter * graph.n_parameters)


def test_activations_are_those_of_the_layers_counted_by_hand():
    graph = block()
    one = BATCH * STEPS
    written = {
        "embed": one * WIDTH,
        "norms": 2 * one * WIDTH,
        "queries, keys, values": 3 * one * WIDTH,  # taking them apart writes nothing
        "scores, softmax": 2 * BATCH * HEADS * STEPS * STEPS,
        "values, project": 2 * one * WIDTH,
        "sums": 2 * one * WIDTH,
        "expand": 4 * one * WIDTH,
        "shrink": one * WIDTH,
    }
    words_read = one
    held = held_by(graph, 1, split(graph))
    assert held["activations"] == WORD_BYTES * (words_read + sum(written.values()))


def test_recomputation_drops_the_core_of_an_attention():
    # Korthikanti et al., 2022, selective recomputation: scores, softmax, and over the values.
    graph = block()
    kept, left = (
        held_by(graph, 1, split(graph), recompute=r)["activations"] for r in (False, True)
    )
    core = 2 * BATCH * HEADS * STEPS * STEPS + BATCH * STEPS * WIDTH
    assert kept - left == WORD_BYTES * core
