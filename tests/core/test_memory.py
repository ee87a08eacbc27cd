"""Bytes that a device holds, beside a plain count over devices and elements."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pase_core.builder import GraphBuilder
from pase_core.cluster import preset
from pase_core.components import FETCHED, HELD, MEMORY_COMPONENTS
from pase_core.configurations import configurations
from pase_core.costs.step import StepOptions
from pase_core.graph import Graph
from pase_core.memory import memory_of, memory_tables
from pase_core.problem import CostOptions, Problem
from pase_core.strategy import PricedStrategy, Strategy, price
from sample_graphs.blocks import embed, predict
from tests.core.slow_cluster import blocks, cuts, n_points, transfer_words


@dataclass(frozen=True)
class Bytes:
    """Of a number: a weight, a gradient, an activation, and what an optimizer keeps beside it."""

    weight: int
    gradient: int
    activation: int
    state: dict[str, int]


FORMATS = {
    "float64": Bytes(8, 8, 8, {"adam": 16, "momentum": 8, "sgd": 0}),
    "float32": Bytes(4, 4, 4, {"adam": 8, "momentum": 4, "sgd": 0}),
    "float16": Bytes(2, 2, 2, {"adam": 12, "momentum": 8, "sgd": 4}),
    "bfloat16": Bytes(2, 2, 2, {"adam": 12, "momentum": 8, "sgd": 4}),
    "float8": Bytes(1, 2, 1, {"adam": 12, "momentum": 8, "sgd": 4}),
}

# Of `network`, by layer: trained tensors held there, what comes from outside, what is written.
TRAINED = {
    "embed": ("v d",),
    "block/1/up": ("c n", "n"),
    "block/1/down": ("c n", "n"),
    "block/1/norm": ("d",),
    "head/fc": (),  # `embed` holds it
}
FROM_OUTSIDE = {"embed": "b s"}
WRITTEN = {
    "embed": "b s d",
    "block/1/up": "b s n",
    "block/1/gelu": "b s n",
    "block/1/softmax": "b s n",
    "block/1/down": "b s n",
    "block/1/add": "b s d",
    "block/1/norm": "b s d",
    "turned": "",  # only a view
    "head/fc": "b s v",
}
RECOMPUTED = {"block/1/gelu", "block/1/softmax"}
"""What trains nothing, inside a module; `add` reads what comes from outside of its own."""

TRANSFERS = {
    ("embed", "block/1/up"): ("b s d", "b s c"),
    ("embed", "block/1/add"): ("b s d", "b s d"),
    ("block/1/up", "block/1/gelu"): ("b s n", "b s n"),
    ("block/1/gelu", "block/1/softmax"): ("b s n", "b s n"),
    ("block/1/softmax", "block/1/down"): ("b s n", "b s c"),
    ("block/1/down", "block/1/add"): ("b s n", "b s d"),
    ("block/1/add", "block/1/norm"): ("b s d", "b s d"),
    ("block/1/norm", "turned"): ("b s d", "b s d"),
    ("turned", "head/fc"): ("b s d", "b s d"),
    ("head/fc", "head/loss"): ("b s v", "b s v"),
}
"""How either end cuts what goes between two layers."""


@cache
def network() -> Graph:
    """A block with everything that memory tells apart."""
    build = GraphBuilder("small")
    table = build.parameter("table", (24, 12))
    x = embed(build, "embed", build.input("words", (8, 6)), table)
    y = build.layer("fully_connected", "block/1/up", x, n=24, bias=True)
    y = build.layer("elementwise", "block/1/gelu", y, axes="b s n")
    y = build.layer("row_softmax", "block/1/softmax", y, along="n", axes="b s n")
    y = build.layer("fully_connected", "block/1/down", y, n=12, bias=True)
    x = build.layer("elementwise", "block/1/add", x, y, axes="b s d")
    x = build.layer("rms_normalization", "block/1/norm", x, axes="b s d")
    x = build.layer("transpose", "turned", x, order=(0, 1, 2))
    predict(build, "head", x, 24, tied=table)
    return build.graph()


def problem_of(step: StepOptions, p: int, model: str = "cluster") -> Problem:
    return Problem(network(), preset("h100-sxm", p), CostOptions(model=model, step=step))


def held(step: StepOptions, p: int, rows) -> PricedStrategy:
    return memory_of(problem_of(step, p), Strategy("test", tuple(map(tuple, rows))))


@st.composite
def strategies(draw):
    """A number of devices, and a configuration for every layer that a mesh allows."""
    p = draw(st.sampled_from([1, 2, 4, 8, 12, 24]))
    rows = []
    for layer in network().layers:
        every = configurations(layer, p, devices="mesh")
        rows.append(tuple(every[draw(st.integers(0, len(every) - 1))].tolist()))
    return p, rows


STEPS = st.builds(
    StepOptions,
    element_type=st.sampled_from([*FORMATS]),
    optimizer=st.sampled_from(["adam", "momentum", "sgd"]),
    zero_stage=st.integers(0, 3),
    recompute=st.booleans(),
)


# The count


def words_held(layout, names: str) -> tuple[float, float]:
    """Words of a tensor on a device, and those that are left if all that have them share."""
    parts = [tuple(block[name] for name in names.split()) for block in layout]
    each = [n_points(block, names.split()) for block in layout]
    shared = [n / parts.count(part) for n, part in zip(each, parts, strict=True)]
    return sum(each) / len(layout), sum(shared) / len(layout)


def counted_layer(layer, row, p: int, step: StepOptions) -> dict[str, float]:
    sizes = dict(zip(layer.dimension_names, layer.sizes, strict=True))
    layout = blocks(sizes, dict(zip(layer.dimension_names, row, strict=True)), p)
    trained = [words_held(layout, names) for names in TRAINED.get(layer.name, ())]
    whole, shared = (sum(words[i] for words in trained) for i in range(2))
    width, zero = FORMATS[step.element_type], step.zero_stage
    kept = 0.0
    if layer.name in FROM_OUTSIDE:
        kept += words_held(layout, FROM_OUTSIDE[layer.name])[0]
    is_dropped = step.recompute and layer.name in RECOMPUTED
    if WRITTEN.get(layer.name) and not is_dropped:
        kept += words_held(layout, WRITTEN[layer.name])[0]
    return {
        "parameters": width.weight * (shared if zero == 3 else whole),
        "gradients": width.gradient * (shared if zero >= 2 else whole),
        "optimizer": width.state[step.optimizer] * (shared if zero >= 1 else whole),
        "activations": width.activation * kept,
    }


def counted_transfer(ends, rows, p: int, step: StepOptions) -> float:
    if step.recompute and set(ends) & RECOMPUTED:
        return 0.0
    graph = network()
    named = {
        layer.name: dict(zip(layer.dimension_names, row, strict=True))
        for layer, row in zip(graph.layers, rows, strict=True)
    }
    first, second = ends
    written, read = TRANSFERS[ends]
    layer = next(layer for layer in graph.layers if layer.name == first)
    whole = dict(zip(layer.dimension_names, layer.sizes, strict=True))
    sizes = [whole[name] for name in written.split()]
    forward = transfer_words(sizes, cuts(written, named[first]), cuts(read, named[second]), p)[0]
    return FORMATS[step.element_type].activation * forward


@settings(max_examples=150)
@given(strategy=strategies(), step=STEPS)
def test_bytes_agree_with_the_count(strategy, step):
    p, rows = strategy
    found, layers = held(step, p, rows), network().layers
    assert found.component_names == MEMORY_COMPONENTS
    for layer, row, parts in zip(layers, rows, found.layer_components, strict=True):
        by_name = dict(zip(MEMORY_COMPONENTS, parts, strict=True))
        assert by_name == pytest.approx(counted_layer(layer, row, p, step)), layer.name
    between = {(layers[u].name, layers[v].name): n_bytes for u, v, n_bytes in found.transfers}
    wanted = {ends: counted_transfer(ends, rows, p, step) for ends in TRANSFERS}
    assert between == pytest.approx(wanted, abs=1e-9)
    total = found.layer_components.sum() + sum(wanted.values())
    assert found.total == pytest.approx(total)


# What options do


@given(strategy=strategies(), step=STEPS)
def test_sharing_out_more_never_takes_more(strategy, step):
    totals = [held(replace(step, zero_stage=stage), *strategy).total for stage in range(4)]
    assert totals == sorted(totals, reverse=True)


@pytest.mark.parametrize("p", [2, 4, 8])
def test_each_stage_shares_out_one_part_more_over_the_replicas(p):
    rows = [
        tuple(p if d.name == "b" else 1 for d in layer.dimensions) for layer in network().layers
    ]
    parts = [dict(held(StepOptions(zero_stage=stage), p, rows).components) for stage in range(4)]
    shared_out = ("optimizer", "gradients", "parameters")
    for stage in range(1, 4):
        for i, name in enumerate(shared_out):
            share = p if i < stage else 1
            assert parts[stage][name] == pytest.approx(parts[0][name] / share), (stage, name)
        assert parts[stage]["activations"] == parts[0]["activations"]


def test_nothing_is_shared_out_where_every_device_has_parts_of_its_own():
    rows = [tuple(4 if d.name in "vn" else 1 for d in each.dimensions) for each in network().layers]
    by_layer = [
        held(StepOptions(zero_stage=stage), 4, rows).layer_components[:, :3] for stage in (0, 3)
    ]
    position = [layer.name for layer in network().layers].index("embed")
    np.testing.assert_array_equal(by_layer[0][position], by_layer[1][position])


def test_devices_that_do_not_share_evenly_leave_some_out():
    # 3 parts on 8 devices, as the paper's model allows: two devices or more hold each.
    rows = [tuple(3 if d.name == "v" else 1 for d in each.dimensions) for each in network().layers]
    plain, shared = (
        memory_of(
            problem_of(StepOptions(zero_stage=stage), 8, "paper"), Strategy("", tuple(rows))
        ).layer_components[0, MEMORY_COMPONENTS.index("optimizer")]
        for stage in (0, 1)
    )
    assert shared == plain / 2


@given(strategy=strategies(), step=STEPS)
def test_recomputation_takes_only_activations_and_never_more(strategy, step):
    kept, left = (held(replace(step, recompute=r), *strategy).components for r in (False, True))
    for name in MEMORY_COMPONENTS[:3]:
        assert kept[name] == left[name]
    assert left["activations"] < kept["activations"]
    assert sum(left.values()) < sum(kept.values())


@given(strategy=strategies(), step=STEPS)
def test_more_parts_hold_no_more_of_a_layer(strategy, step):
    p, rows = strategy
    whole = [tuple(1 for _part in row) for row in rows]
    cut, uncut = (held(step, p, each).layer_components for each in (rows, whole))
    columns = slice(0, 4) if step.zero_stage == 0 else slice(3, 4)
    assert (cut[:, columns] <= uncut[:, columns]).all()


# Tables


@settings(max_examples=15)
@given(strategy=strategies(), step=STEPS)
def test_tables_have_the_bytes_of_each_strategy(strategy, step):
    p, rows = strategy
    problem, one = problem_of(step, p), Strategy("one", tuple(rows))
    priced, alone = price(network(), memory_tables(problem), one), memory_of(problem, one)
    np.testing.assert_array_equal(priced.layer_components, alone.layer_components)
    assert priced.transfers == alone.transfers
    assert priced.components.keys() == alone.components.keys()


def test_the_parts_of_memory_have_a_meaning_each():
    assert {*MEMORY_COMPONENTS, FETCHED} == set(HELD)
