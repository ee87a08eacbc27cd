"""Words that `cluster` sends for every operation, beside a count over devices and elements.

Every operation stands between layers that train something, so that every gradient is asked for.
"""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pase_core.builder import GraphBuilder
from pase_core.components import COMPUTE, LAYER_COMPONENTS
from pase_core.configurations import configurations
from pase_core.costs.build import price_outline
from pase_core.costs.cost_outline import outline_strategy
from pase_core.graph import Graph
from pase_core.ops import OPS
from tests.core.cluster_bytes import byte_counter
from tests.core.cluster_cases import CASES, Case, Sizes
from tests.core.slow_cluster import blocks, cuts, transfer_words

WORD_BYTES = 4
NAMES = "a b c d e g h k l n q r s t v w x".split()
SIZES = st.sampled_from([2, 3, 4, 6, 8, 12])
DEVICES = st.sampled_from([2, 4, 8, 12, 24])


def shape(words: str, z: Sizes) -> tuple[int, ...]:
    """Sizes such as `b s*x 3`."""
    return tuple(
        math.prod(int(word) if word.isdigit() else z[word] for word in axis.split("*"))
        for axis in words.split()
    )


def norm(build: GraphBuilder, name: str, x):
    """A layer that trains something and may split every axis."""
    axes = " ".join(["b", "x1", "x2", "x3", "x4"][: len(x.sizes)])
    return build.layer("rms_normalization", name, x, axes=axes)


def between_norms(case: Case, z: Sizes) -> Graph:
    """The operation, `op`, with a layer before each of its inputs and one behind each output."""
    build = GraphBuilder("twin")
    inputs = [
        norm(build, f"before{i}", build.input(f"x{i}", shape(words, z)))
        for i, words in enumerate(case.shapes)
    ]
    outputs = build.layers(case.operation, "op", *inputs, **case.attributes(z))
    for i, y in enumerate(outputs):
        norm(build, f"behind{i}", y)
    return build.graph()


@st.composite
def strategies(draw, case: Case):
    """A graph, a number of devices and splits by layer."""
    graph = between_norms(case, {name: draw(SIZES) for name in NAMES})
    p = draw(DEVICES)
    rows = []
    for layer in graph.layers:
        every = configurations(layer, p, devices="mesh")
        rows.append(every[draw(st.integers(0, len(every) - 1))].tolist())
    return graph, p, rows


def splits_of(layer, row) -> dict[str, int]:
    return dict(zip(layer.dimension_names, row, strict=True))


def wanted_inside(case: Case, layer, row, p: int) -> dict[str, float]:
    """Bytes by component."""
    sizes = dict(zip(layer.dimension_names, layer.sizes, strict=True))
    layout = blocks(sizes, splits_of(layer, row), p)
    found = dict.fromkeys(LAYER_COMPONENTS, 0.0)
    for each in case.sent:
        found[each.component] += WORD_BYTES * each.words(layout)
    return found


def wanted_transfers(case: Case, graph: Graph, rows, p: int) -> dict[tuple[int, int], float]:
    """Bytes by producer and consumer; positions are those of the layers in the graph."""
    n_before = len(case.shapes)
    own, found = splits_of(graph.layers[n_before], rows[n_before]), {}
    for i, axes in enumerate(case.reads):
        held, sizes = rows[i], graph.layers[i].sizes
        forward, backward, _common = transfer_words(sizes, held, cuts(axes, own), p)
        has_gradient = not case.gradients or case.gradients[i]
        found[i, n_before] = WORD_BYTES * (forward + has_gradient * backward)
    for i, axes in enumerate(case.writes, n_before + 1):
        needed, sizes = rows[i], graph.layers[i].sizes
        forward, backward, _common = transfer_words(sizes, cuts(axes, own), needed, p)
        found[n_before, i] = WORD_BYTES * (forward + backward)
    return found


def test_every_operation_has_a_twin():
    assert {case.operation for case in CASES} == set(OPS)


@pytest.mark.parametrize("case", CASES, ids=[f"{i}-{c.operation}" for i, c in enumerate(CASES)])
@settings(max_examples=40)
@given(data=st.data())
def test_bytes_agree_with_the_count(case, data):
    graph, p, rows = data.draw(strategies(case))
    per_node = data.draw(st.sampled_from([1, 2, 4, p]))
    model = byte_counter(p, per_node)
    tables = price_outline(outline_strategy(graph, rows), model).tables
    position = len(case.shapes)
    inside = dict(zip(LAYER_COMPONENTS, tables.parts[position][:, 0], strict=True))
    inside[COMPUTE] = 0.0
    wanted = wanted_inside(case, graph.layers[position], rows[position], p)
    assert inside == pytest.approx(wanted, rel=1e-12)
    between = {(pair.first, pair.second): float(pair.costs[0, 0]) for pair in tables.pairs}
    # Differences of words: what is nothing comes out as rounding.
    assert between == pytest.approx(wanted_transfers(case, graph, rows, p), rel=1e-9, abs=1e-9)


# What the operations themselves say, beside what their windows and steps really read


@given(
    image=st.sampled_from([12, 24]),
    width=st.integers(1, 5),
    stride=st.integers(1, 3),
    parts=st.sampled_from([2, 3, 4]),
)
def test_no_window_reads_more_than_the_border_that_is_sent(image, width, stride, parts):
    build = GraphBuilder("window")
    x = norm(build, "before", build.input("x", (1, 1, image, 1)))
    build.layer("pooling", "op", x, kernel=(width, 1), stride=stride, padding="same")
    graph = build.graph()
    n_positions = -(-image // stride)
    if n_positions % parts or image % parts:
        return
    found = bytes_of(graph, [[1, 1, parts, 1], [1, 1, parts, 1]], parts)["other"]
    own, before = image // parts, max(0, (n_positions - 1) * stride + width - image) // 2
    for part in range(parts):
        first, last = part * n_positions // parts, (part + 1) * n_positions // parts - 1
        read = range(max(0, first * stride - before), min(image, last * stride - before + width))
        beyond = set(read) - set(range(part * own, (part + 1) * own))
        assert WORD_BYTES * len(beyond) <= found


def bytes_of(graph: Graph, rows, p: int) -> dict[str, float]:
    """Bytes by component of the layer `op`."""
    tables = price_outline(outline_strategy(graph, rows), byte_counter(p)).tables
    position = [layer.name for layer in graph.layers].index("op")
    return dict(zip(LAYER_COMPONENTS, tables.parts[position][:, 0].tolist(), strict=True))


@pytest.mark.parametrize(
    ("row", "n_steps", "lacking"),
    [
        pytest.param([1, 1, 1, 1, 2], 4, 12, id="e cut"),
        pytest.param([1, 1, 1, 2, 2], 4, 6, id="d and e cut, half of the devices have theirs"),
        pytest.param([1, 1, 1, 2, 1], 4, 0, id="d cut"),
        pytest.param([2, 1, 1, 1, 2], 2, 12, id="layers cut"),
    ],
)
def test_a_step_of_a_recurrence_fetches_what_it_lacks(row, n_steps, lacking):
    build = GraphBuilder("recurrence")
    x = norm(build, "before", build.input("x", (2, 2, 12)))
    build.layer("lstm", "op", x, layers=2, width=12)  # l b s d e: 2 layers of 2 steps
    found = bytes_of(build.graph(), [[1, 1, 1], row], math.prod(row))["other"]
    assert found == pytest.approx(WORD_BYTES * n_steps * lacking)


def test_the_gradient_of_a_router_has_a_word_per_expert_chosen():
    build = GraphBuilder("router")
    slots = norm(build, "slots", build.input("x0", (2, 4, 4, 6)))
    weights = norm(build, "weights", build.input("x1", (2, 8, 4)))
    build.layer("combine", "op", slots, weights, chosen=2)
    rows = [[1, 1, 1, 1], [1, 1, 1], [1, 1, 2]]
    n_words = 2 * 8 * 2
    found = bytes_of(build.graph(), rows, 2)["input_gradient"]
    assert found == pytest.approx(WORD_BYTES * 2 * n_words / 2)


def test_a_convolution_reduces_the_gradient_of_its_image_not_of_its_copies():
    build = GraphBuilder("convolution")
    x = norm(build, "before", build.input("x", (2, 4, 6, 6)))
    build.layer("convolution", "op", x, n=4, kernel=(3, 3), padding="same")
    rows = [[1] * 4, [1, 1, 1, 1, 2, 1, 1]]  # b c h w n r s
    found = bytes_of(build.graph(), rows, 2)["input_gradient"]
    n_words = 2 * 4 * 6 * 6
    assert found == pytest.approx(WORD_BYTES * 2 * n_words / 2)


def test_a_mean_reduces_its_result():
    build = GraphBuilder("mean")
    x = norm(build, "before", build.input("x", (2, 4, 6, 6)))
    build.layer("mean", "op", x, over=("h", "w"))
    found = bytes_of(build.graph(), [[1] * 4, [1, 1, 2, 1]], 2)["output"]
    assert found == pytest.approx(WORD_BYTES * 2 * (2 * 4) / 2)
