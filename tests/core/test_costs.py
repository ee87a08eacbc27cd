"""The paper's cost model beside its slow twin, and the tables that are made with it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pase_core.axes import parse_axes
from pase_core.builder import GraphBuilder
from pase_core.components import LAYER_COMPONENTS
from pase_core.configurations import configurations, tensor_cuts
from pase_core.costs.build import build_costs
from pase_core.costs.cost_outline import layer_key, outline_costs
from pase_core.costs.paper import PaperCostModel
from pase_core.errors import BudgetError, OptionError
from pase_core.graph import Graph
from pase_core.layers import Access, Dimension, Layer, Tensor
from pase_core.ops import OPS
from tests.core import slow_paper
from tests.core.reference_data import MODEL, sample
from tests.core.slow_paper import Local, Machine

SIZES = st.sampled_from([1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 30])
SMALL = st.sampled_from([1, 2, 3, 4, 6, 8])
FUSED = st.integers(0, 3)
DEVICES = st.integers(1, 48)
MACHINES = st.builds(
    Machine,
    flop_per_second=st.floats(1e3, 1e15),
    bytes_per_second=st.floats(1e3, 1e12),
    word_bytes=st.sampled_from([0.5, 1, 2, 4, 8, 3.7]),
    flop_per_multiply_add=st.sampled_from([1, 2, 1.5]),
)

Slow = Callable[[Local, Machine], float]


@dataclass(frozen=True)
class Case:
    """A layer and its slow price."""

    layer: Layer
    slow: Slow


def fuse(n: int) -> tuple[str, ...]:
    return tuple(f"pointwise{i}" for i in range(n))


def made(operation: str, *sizes: tuple[int, ...], **attributes) -> Layer:
    inputs = tuple(Tensor(f"x{i}", each) for i, each in enumerate(sizes))
    return OPS[operation]("layer", inputs, **attributes).layer


def sizes_of(n: int):
    return st.tuples(*[SIZES] * n)


@st.composite
def fully_connected(draw) -> Case:
    leading = draw(st.lists(SIZES, min_size=1, max_size=3))
    fused = draw(FUSED)
    layer = made("fully_connected", (*leading, draw(SIZES)), n=draw(SIZES), fused=fuse(fused))
    return Case(layer, partial(slow_paper.fully_connected, fused=fused))


@st.composite
def einsum(draw) -> Case:
    equation = draw(
        st.sampled_from(
            [
                "b s d, d e -> b s e",
                "b h s c, b h t c -> b h s t",
                "b h s t, b h t c -> b h s c",
                "b h s c, h c d -> b s d",
                "q b s d, q h c d -> q b h s c",
                "b s d, q h c d -> q b h s c",
                "m, n -> m n",
                "b k, b k -> b",
            ]
        )
    )
    operands = [term.split() for term in equation.split("->")[0].split(",")]
    size = {name: draw(SMALL) for name in sorted(set(operands[0] + operands[1]))}
    first, second = (tuple(size[name] for name in names) for names in operands)
    fused = draw(FUSED)
    attributes = {"equation": equation, "fused": fuse(fused)}
    if draw(st.booleans()):
        weight = {name: size[name] for name in operands[1]}
        layer = made("einsum", first, weight=weight, **attributes)
    else:
        layer = made("einsum", first, second, **attributes)
    return Case(layer, partial(slow_paper.einsum, equation=equation, fused=fused))


@st.composite
def convolution(draw) -> Case:
    b, c, height, width = draw(sizes_of(4))
    kernel, fused = draw(st.tuples(SMALL, SMALL)), draw(FUSED)
    layer = made(
        "convolution",
        (b, c, height, width),
        n=draw(SIZES),
        kernel=kernel,
        stride=draw(st.integers(1, 3)),
        padding="same",
        fused=fuse(fused),
    )
    return Case(layer, partial(slow_paper.convolution, fused=fused))


@st.composite
def embedding(draw) -> Case:
    layer = made("embedding", draw(sizes_of(2)), vocabulary=draw(SIZES), width=draw(SIZES))
    return Case(layer, slow_paper.embedding)


@st.composite
def lstm(draw) -> Case:
    width = draw(SIZES)
    layer = made("lstm", (*draw(sizes_of(2)), width), layers=draw(SMALL), width=width)
    return Case(layer, slow_paper.lstm)


@st.composite
def elementwise(draw) -> Case:
    sizes, fused = draw(st.integers(1, 5).flatmap(sizes_of)), draw(FUSED)
    return Case(
        made("elementwise", sizes, sizes, fused=fuse(fused)),
        partial(slow_paper.elementwise, fused=fused),
    )


@st.composite
def pooling(draw) -> Case:
    sizes, kernel = draw(sizes_of(4)), draw(st.tuples(SMALL, SMALL))
    layer = made("pooling", sizes, kernel=kernel, stride=draw(st.integers(1, 3)), padding="same")
    return Case(layer, partial(slow_paper.pooling, image=sizes[2:], kernel=kernel))


@st.composite
def normalization(draw) -> Case:
    sizes = draw(sizes_of(4))
    along = draw(st.sampled_from("bchw"))
    return Case(
        made("normalization", sizes, along=along),
        partial(slow_paper.normalization, along=along),
    )


@st.composite
def mean(draw) -> Case:
    over = draw(st.lists(st.sampled_from("bchw"), min_size=1, max_size=3, unique=True))
    layer = made("mean", draw(sizes_of(4)), over=over, keep=draw(st.booleans()))
    return Case(layer, partial(slow_paper.mean, over=over))


@st.composite
def softmax(draw) -> Case:
    along = draw(st.sampled_from("bsd"))
    return Case(
        made("softmax", draw(sizes_of(3)), along=along), partial(slow_paper.softmax, along=along)
    )


@st.composite
def cross_entropy(draw) -> Case:
    sizes = draw(st.integers(2, 3).flatmap(sizes_of))
    return Case(made("cross_entropy", sizes), slow_paper.cross_entropy)


@st.composite
def layout(draw) -> Case:
    sizes = draw(sizes_of(4))
    layers = {
        "concat": lambda: made("concat", sizes, sizes, axis=draw(st.integers(0, 3))),
        "split": lambda: made("split", sizes, axis=1, parts=(1,) * sizes[1]),
        "stack": lambda: made("stack", sizes, sizes, new="q"),
        "unstack": lambda: made("unstack", sizes, axes="q b s d"),
        "flatten": lambda: made("flatten", sizes),
        "unflatten": lambda: made(
            "unflatten", (math.prod(sizes),), sizes=dict(zip("bchw", sizes, strict=True))
        ),
    }
    return Case(layers[draw(st.sampled_from(sorted(layers)))](), slow_paper.free)


CASES = {
    "fully connected": fully_connected(),
    "einsum": einsum(),
    "convolution": convolution(),
    "embedding": embedding(),
    "LSTM": lstm(),
    "elementwise": elementwise(),
    "pooling": pooling(),
    "normalization": normalization(),
    "mean": mean(),
    "softmax": softmax(),
    "cross entropy": cross_entropy(),
    "layout": layout(),
}


def model_of(machine: Machine) -> PaperCostModel:
    return PaperCostModel(
        machine.flop_per_second,
        machine.bytes_per_second,
        machine.word_bytes,
        machine.flop_per_multiply_add,
    )


@pytest.mark.parametrize("operation", CASES)
def test_layer_costs_agree_with_the_slow_twin(operation):
    @given(case=CASES[operation], machine=MACHINES, n_devices=DEVICES)
    def agree(case: Case, machine: Machine, n_devices: int) -> None:
        layer = case.layer
        splits = configurations(layer, n_devices)
        costs = model_of(machine).layer_costs(layer, splits)
        assert costs.shape == (len(LAYER_COMPONENTS), len(splits))
        names = layer.dimension_names
        size = dict(zip(names, layer.sizes, strict=True))
        wanted = [
            case.slow(Local(size, dict(zip(names, row, strict=True))), machine)
            for row in splits.tolist()
        ]
        np.testing.assert_allclose(costs.sum(axis=0), wanted, rtol=1e-12)

    agree()


@given(data=st.data(), machine=MACHINES, sizes=st.lists(SIZES, max_size=4))
def test_transfer_costs_agree_with_the_slow_twin(data, machine, sizes):
    cuts = st.lists(
        st.tuples(*(st.sampled_from([q for q in range(1, n + 1) if n % q == 0]) for n in sizes)),
        min_size=1,
        max_size=5,
    )
    held, needed = data.draw(cuts), data.draw(cuts)
    costs = model_of(machine).transfer_costs(
        np.array(sizes, dtype=float),
        np.array(held, dtype=float).reshape(len(held), len(sizes)),
        np.array(needed, dtype=float).reshape(len(needed), len(sizes)),
    )
    wanted = [[slow_paper.transfer(machine, sizes, held=u, needed=v) for v in needed] for u in held]
    np.testing.assert_allclose(costs, wanted, rtol=1e-12)


# Edges: the tensor's cut follows from the layer's configuration


@dataclass(frozen=True)
class End:
    """One end of an edge: how to add the layer, and which dimension cuts which axis (- none).

    The axes are written from the document, not read from the layer.
    """

    operation: str
    attributes: dict
    axes: str
    n_inputs: int = 1


IMAGE = (4, 6, 8, 8)
CONVOLUTION = {"n": 6, "kernel": (3, 3), "padding": "same"}
IMAGE_PRODUCERS = {
    "convolution": End("convolution", CONVOLUTION, "b n h w"),
    "pooling": End("pooling", {"kernel": (2, 2), "padding": "same"}, "b c h w"),
    "normalization": End("normalization", {"along": "b"}, "b c h w"),
    "concatenation": End("concat", {"axis": 1}, "b c h w"),
    "elementwise": End("elementwise", {}, "b c h w", 2),
    "softmax": End("softmax", {"along": "c"}, "b c h w"),
}
IMAGE_CONSUMERS = IMAGE_PRODUCERS | {
    "convolution": End("convolution", CONVOLUTION, "b c h w"),
    "concatenation": End("concat", {"axis": 2}, "b c - w", 2),
    "mean": End("mean", {"over": ("h", "w")}, "b c h w"),
    "flatten": End("flatten", {}, "b c h w"),
    "split": End("split", {"axis": 1, "parts": (2, 4)}, "b c h w"),
    "stack": End("stack", {"new": "q"}, "b c h w", 2),
    "unstack": End("unstack", {"axes": "q b s d"}, "q b s d"),
}


def cuts_of(layer: Layer, axes: str, row: list[int]) -> list[int]:
    splits = dict(zip(layer.dimension_names, row, strict=True))
    return [splits.get(name, 1) for name in axes.split()]


@pytest.mark.parametrize(
    ("producer", "consumer"), list(itertools.product(IMAGE_PRODUCERS, IMAGE_CONSUMERS))
)
def test_edges_agree_with_the_slow_twin(producer, consumer):
    first, second = IMAGE_PRODUCERS[producer], IMAGE_CONSUMERS[consumer]
    build = GraphBuilder("edge")
    images = [build.input(f"image{i}", IMAGE) for i in range(2)]
    x = build.layer(first.operation, "u", *images[: first.n_inputs], **first.attributes)
    others = images[: second.n_inputs - 1]
    build.layers(second.operation, "v", x, *others, **second.attributes)
    graph, machine = build.graph(), Machine(1e9, 1e9, 4, 2)
    costs = build_costs(graph, model_of(machine), 6)
    (pair,) = costs.tables.pairs
    u, v = graph.layers
    wanted = [
        [
            slow_paper.transfer(
                machine,
                x.sizes,
                held=cuts_of(u, first.axes, a),
                needed=cuts_of(v, second.axes, b),
            )
            for b in costs.configurations[1].tolist()
        ]
        for a in costs.configurations[0].tolist()
    ]
    assert (pair.first, pair.second) == (0, 1)
    np.testing.assert_allclose(pair.costs, wanted, rtol=1e-12)


def test_two_tensors_between_the_same_layers_add_up():
    build = GraphBuilder("attention")
    x = build.input("x", (3, 4, 8))
    q, k, _v = build.layers("unstack", "u", x, axes="q b d")
    build.layer("einsum", "v", q, k, equation="b d, c d -> b c")
    graph, machine = build.graph(), Machine(1e9, 1e9, 4, 2)
    costs = build_costs(graph, model_of(machine), 8)
    (pair,) = costs.tables.pairs
    u, v = graph.layers
    assert len(graph.transfers) == 2
    for i, a in enumerate(costs.configurations[0].tolist()):
        held = cuts_of(u, "b d", a)
        for j, b in enumerate(costs.configurations[1].tolist()):
            wanted = sum(
                slow_paper.transfer(machine, (4, 8), held=held, needed=cuts_of(v, axes, b))
                for axes in ("b d", "c d")
            )
            assert pair.costs[i, j] == pytest.approx(wanted, rel=1e-12)


def test_a_flattened_axis_is_cut_by_the_product_of_the_splits():
    build = GraphBuilder("rows")
    x = build.layer("flatten", "u", build.input("x", (4, 6)), axes="b c")
    build.layer("elementwise", "v", x, axes="d")
    graph, machine = build.graph(), Machine(1e9, 1e9, 4, 2)
    costs = build_costs(graph, model_of(machine), 12)
    (pair,) = costs.tables.pairs
    for i, a in enumerate(costs.configurations[0].tolist()):
        for j, b in enumerate(costs.configurations[1].tolist()):
            wanted = slow_paper.transfer(machine, (24,), held=[a[0] * a[1]], needed=b)
            assert pair.costs[i, j] == pytest.approx(wanted, rel=1e-12)


def test_a_scalar_costs_nothing_to_transfer():
    mean = OPS["mean"]("u", (Tensor("x", (4,)),), over=("b",))
    assert mean.outputs[0].sizes == ()
    reader = Layer("v", "log", (), inputs=(Access("u.out", ()),))
    graph = Graph("scalar", (mean.layer, reader), (Tensor("x", (4,)), *mean.outputs))
    (pair,) = build_costs(graph, MODEL, 4).tables.pairs
    # Every device has the whole of it, wherever it was summed up.
    np.testing.assert_array_equal(pair.costs, np.zeros((3, 1)))


# The figures of the model


@pytest.mark.parametrize(
    "field", ["flop_per_second", "bytes_per_second", "word_bytes", "flop_per_multiply_add"]
)
@pytest.mark.parametrize("value", [0, -1, math.nan, math.inf, 1e31, 1e-31, "8"])
def test_impossible_figures_are_refused_by_name(field, value):
    figures = dict.fromkeys(
        ("flop_per_second", "bytes_per_second", "word_bytes", "flop_per_multiply_add"), 1.0
    )
    with pytest.raises(OptionError, match=field.replace("_", " ")):
        PaperCostModel(**figures | {field: value})


def test_the_most_extreme_figures_give_finite_costs():
    graph = sample("transformer", 64)
    for figures in ((1e30, 1e-30, 1e30, 1e30), (1e-30, 1e30, 1e-30, 1e-30)):
        tables = build_costs(graph, PaperCostModel(*figures), 8).tables
        for array in (*tables.vertices, *(pair.costs for pair in tables.pairs)):
            assert np.isfinite(array).all()
            assert (array >= 0).all()


def test_costs_become_seconds_at_peak_speed():
    model = PaperCostModel(2e12, 1e9)
    assert model.seconds(4e12) == 2.0
    assert model.flop_per_word == 2e12 * 4 / 1e9


# The tables


@pytest.fixture(params=["alexnet", "inception_v3", "rnnlm", "transformer"])
def graph(request) -> Graph:
    return sample(request.param, 64)


def test_components_add_up_to_the_costs_of_a_layer(graph):
    tables = build_costs(graph, MODEL, 8).tables
    assert tables.components == LAYER_COMPONENTS
    for costs, parts in zip(tables.vertices, tables.parts, strict=True):
        np.testing.assert_array_equal(parts.sum(axis=0), costs)
        assert (parts >= 0).all()


def test_sharing_changes_no_table(graph):
    costs = build_costs(graph, MODEL, 8)
    for layer, splits, ours in zip(
        graph.layers, costs.configurations, costs.tables.vertices, strict=True
    ):
        alone = configurations(layer, 8)
        np.testing.assert_array_equal(splits, alone)
        np.testing.assert_array_equal(ours, MODEL.layer_costs(layer, alone).sum(axis=0))
    sums = {(pair.first, pair.second): np.zeros_like(pair.costs) for pair in costs.tables.pairs}
    assert len(sums) == len(costs.tables.pairs)
    for transfer in graph.transfers:
        held, needed = (
            tensor_cuts(graph.layers[v], access, costs.configurations[v]).astype(float)
            for v, access in (
                (transfer.producer, transfer.written),
                (transfer.consumer, transfer.read),
            )
        )
        sizes = np.array(transfer.tensor.sizes, dtype=float)
        table = MODEL.transfer_costs(sizes, held, needed)
        sums[transfer.producer, transfer.consumer] += table
    for pair in costs.tables.pairs:
        np.testing.assert_allclose(pair.costs, sums[pair.first, pair.second], rtol=1e-12)


def test_equal_layers_and_equal_edges_share_arrays(graph):
    costs = build_costs(graph, MODEL, 8)
    keys = [layer_key(layer) for layer in graph.layers]
    for arrays in (costs.configurations, costs.tables.vertices, costs.tables.parts):
        assert len({id(array) for array in arrays}) == len(set(keys))


def chain(*widths: int) -> Graph:
    build = GraphBuilder("chain")
    x = build.input("x", (8, widths[0]))
    for i, width in enumerate(widths[1:]):
        x = build.layer("fully_connected", f"fc{i}", x, n=width)
    return build.graph()


def test_a_chain_of_equal_layers_has_one_table_of_each_kind():
    tables = build_costs(chain(16, 16, 16, 16, 32), MODEL, 8).tables
    assert [id(a) == id(tables.vertices[0]) for a in tables.vertices] == [True, True, True, False]
    assert [id(p.costs) == id(tables.pairs[0].costs) for p in tables.pairs] == [True, True, False]


def test_layers_that_differ_in_size_share_nothing():
    tables = build_costs(chain(16, 8, 4), MODEL, 8).tables
    assert tables.vertices[0] is not tables.vertices[1]


def test_layers_that_differ_in_what_may_be_cut_share_nothing():
    axes = parse_axes("b c")
    free = Layer("free", "any", (Dimension("b", 4), Dimension("c", 6)), (Access("x", axes),))
    bound = replace(free, name="bound", row_major=(("b", "c"),))
    graph = Graph("two", (free, bound), (Tensor("x", (4, 6)),))
    first, second = build_costs(graph, MODEL, 12).configurations
    assert [2, 3] in first.tolist()
    assert [2, 3] not in second.tolist()


def test_equal_layers_may_read_tensors_of_different_sizes():
    # Along an axis that nothing cuts, sizes are no part of a layer.
    axes = parse_axes("b -")
    batch = (Dimension("b", 4),)
    writer = Layer("writer", "split", batch, outputs=(Access("x", axes), Access("y", axes)))
    readers = [Layer(f"reads {t}", "read", batch, (Access(t, axes),)) for t in "xy"]
    graph = Graph("three", (writer, *readers), (Tensor("x", (4, 5)), Tensor("y", (4, 7))))
    tables = build_costs(graph, MODEL, 4).tables
    assert tables.vertices[1] is tables.vertices[2]
    small, large = (pair.costs for pair in tables.pairs)
    assert small.any()
    np.testing.assert_allclose(large, small * 7 / 5, rtol=1e-12)


def test_the_tables_may_use_the_whole_budget_and_no_more():
    graph = chain(16, 8, 4, 2)
    tables = build_costs(graph, MODEL, 8).tables
    need = tables.n_bytes
    assert build_costs(graph, MODEL, 8, memory_budget_bytes=need).tables.n_choices
    with pytest.raises(BudgetError, match="'fc1' -> 'fc2'"):
        build_costs(graph, MODEL, 8, memory_budget_bytes=need - 1)
    layers = need - sum(pair.costs.nbytes for pair in tables.pairs)
    with pytest.raises(BudgetError, match="'fc0' -> 'fc1'"):
        build_costs(graph, MODEL, 8, memory_budget_bytes=layers)
    with pytest.raises(BudgetError, match="those of the layers alone reach"):
        build_costs(graph, MODEL, 8, memory_budget_bytes=layers - 1)


def test_shared_tables_count_once_against_the_budget():
    graph = chain(*[16] * 9)
    tables = build_costs(graph, MODEL, 8).tables
    assert len(tables.pairs) == 7
    own = tables.vertices[0].nbytes + tables.parts[0].nbytes
    need = own + tables.pairs[0].costs.nbytes
    assert build_costs(graph, MODEL, 8, memory_budget_bytes=need).tables.pairs


class Refusing(PaperCostModel):
    """A cost model that must not be asked."""

    def layer_costs(self, *_):
        raise AssertionError("a layer was priced")

    transfer_costs = layer_costs


def test_tables_that_do_not_fit_are_refused_unpriced():
    with pytest.raises(BudgetError, match="cost tables need"):
        build_costs(chain(16, 8, 4), Refusing(1.0, 1.0), 8, memory_budget_bytes=1000)


@pytest.mark.parametrize("name", ["alexnet", "transformer"])
def test_the_outline_is_the_shape_of_the_tables(name):
    graph = sample(name, 64)
    outlined = outline_costs(graph, 4).shape
    costs = build_costs(graph, MODEL, 4)
    shape = costs.tables.shape
    assert (outlined.n_choices, outlined.edges) == (shape.n_choices, shape.edges)
    assert outlined.names == shape.names
    assert outlined.n_bytes == shape.n_bytes == costs.tables.n_bytes
    assert partition(outlined.vertex_keys) == partition(shape.vertex_keys)
    assert partition(outlined.edge_keys) == partition(shape.edge_keys)


def partition(keys) -> list[int]:
    """For each place the first one with an equal key."""
    return [keys.index(key) for key in keys]
