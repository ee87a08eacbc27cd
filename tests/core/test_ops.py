"""Each operation writes the sizes that it should, and its layers fit into a graph."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pase_core.axes import Axis, parse_axes
from pase_core.configurations import configurations
from pase_core.costs.build import build_costs
from pase_core.costs.paper import PaperCostModel
from pase_core.errors import GraphError
from pase_core.graph import Graph
from pase_core.layers import Tensor
from pase_core.ops import OPS, Operation
from pase_core.ops.build import axis_names, broadcast
from pase_core.ops.convolution import (
    Kernel,
    convolution_of_size,
    pooling_of_size,
    window_positions,
)
from pase_core.ops.fusing import fuse, tie
from pase_core.ops.layout import reshape_groups

IMAGE = (8, 6, 10, 12)


def inputs_of(*sizes: tuple[int, ...]) -> tuple[Tensor, ...]:
    return tuple(Tensor(f"x{i}", each) for i, each in enumerate(sizes))


def checked(made: Operation, inputs: tuple[Tensor, ...]) -> Operation:
    """Freeze the layer in a graph of its own, which checks accesses against tensors."""
    Graph("graph", (made.layer,), (*inputs, *made.outputs, *made.parameters))
    return made


def make(operation: str, *sizes: tuple[int, ...], **attributes) -> Operation:
    inputs = inputs_of(*sizes)
    return checked(OPS[operation]("layer", inputs, **attributes), inputs)


SHAPES = [
    # operation, input sizes, attributes, output sizes, parameter sizes, dimensions
    ("fully_connected", [(8, 6)], {"n": 5}, [(8, 5)], [(6, 5)], "b n c"),
    ("fully_connected", [(8, 4, 6)], {"n": 5}, [(8, 4, 5)], [(6, 5)], "b s n c"),
    ("fully_connected", [(8, 6)], {"n": 5, "bias": True}, [(8, 5)], [(6, 5), (5,)], "b n c"),
    (
        "einsum",
        [(8, 4, 6), (8, 5, 6)],
        {"equation": "b s d, b t d -> b s t"},
        [(8, 4, 5)],
        [],
        "b s t d",
    ),
    (
        "einsum",
        [(8, 4, 6)],
        {"equation": "b s d, q h d -> q b h s", "weight": {"q": 3, "h": 2, "d": 6}},
        [(3, 8, 2, 4)],
        [(3, 2, 6)],
        "q b h s d",
    ),
    (
        "einsum",
        [(8, 4, 6)],
        {"equation": "b s d, q h d -> q b h s", "weight": {"q": 3, "h": 2, "d": 6}, "bias": "q h"},
        [(3, 8, 2, 4)],
        [(3, 2, 6), (3, 2)],
        "q b h s d",
    ),
    ("lookup", [(8, 4)], {"vocabulary": 100, "width": 6}, [(8, 4, 6)], [(100, 6)], "b s d v"),
    ("rms_normalization", [(8, 4, 6)], {"axes": "b s d"}, [(8, 4, 6)], [(6,)], "b s d"),
    ("row_softmax", [(8, 4, 6)], {"along": "d", "axes": "b s d"}, [(8, 4, 6)], [], "b s d"),
    (
        "dispatch",
        [(8, 4, 6), (8, 4, 2)],
        {"experts": 2, "chosen": 1},
        [(8, 2, 2, 6)],
        [],
        "b s d",
    ),
    ("combine", [(8, 2, 2, 6), (8, 4, 2)], {"chosen": 1}, [(8, 4, 6)], [], "b s d"),
    ("embedding", [(8, 4)], {"vocabulary": 100, "width": 6}, [(8, 4, 6)], [(100, 6)], "b s d v"),
    (
        "lstm",
        [(8, 4, 6)],
        {"layers": 2, "width": 6},
        [(8, 4, 6)],
        [(2, 2, 6, 4, 6)],
        "l b s d e",
    ),
    (
        "lstm_layer",
        [(8, 4, 6)],
        {"width": 5},
        [(8, 4, 5)],
        [(6, 4, 5), (5, 4, 5), (4, 5)],
        "b s d k e",
    ),
    ("additive_scores", [(8, 4, 6), (8, 3, 6)], {}, [(8, 4, 3)], [(6,)], "b s t a"),
    (
        "convolution",
        [IMAGE],
        {"n": 4, "kernel": (3, 5), "stride": 2},
        [(8, 4, 4, 4)],
        [(4, 6, 3, 5)],
        "b c h w n r s",
    ),
    (
        "convolution",
        [IMAGE],
        {"n": 4, "kernel": (3, 5), "stride": 2, "padding": "same"},
        [(8, 4, 5, 6)],
        [(4, 6, 3, 5)],
        "b c h w n r s",
    ),
    (
        "convolution",
        [IMAGE],
        {"n": 4, "kernel": (3, 5), "padding": (2, 0)},
        [(8, 4, 10, 8)],
        [(4, 6, 3, 5)],
        "b c h w n r s",
    ),
    ("pooling", [IMAGE], {"kernel": (2, 2), "stride": 2}, [(8, 6, 5, 6)], [], "b c h w"),
    ("elementwise", [IMAGE], {}, [IMAGE], [], "b c h w"),
    ("elementwise", [(8, 4, 6), (6,)], {}, [(8, 4, 6)], [], "b s d"),
    ("elementwise", [(8, 1, 6), (4, 1)], {}, [(8, 4, 6)], [], "b s d"),
    ("normalization", [(8, 4, 6)], {"along": "d"}, [(8, 4, 6)], [(6,), (6,)], "b s d"),
    (
        "normalization",
        [IMAGE],
        {"along": "b", "features": "c"},
        [IMAGE],
        [(6,), (6,)],
        "b c h w",
    ),
    ("batch_normalization", [IMAGE], {}, [IMAGE], [(6,), (6,)], "b c h w"),
    ("local_response_normalization", [IMAGE], {"width": 5}, [IMAGE], [], "b c h w"),
    ("mean", [IMAGE], {"over": ("h", "w")}, [(8, 6)], [], "b c h w"),
    ("mean", [IMAGE], {"over": ("h", "w"), "keep": True}, [(8, 6, 1, 1)], [], "b c h w"),
    ("softmax", [(8, 4, 6)], {"along": "d"}, [(8, 4, 6)], [], "b s d"),
    ("cross_entropy", [(8, 6)], {}, [], [], "b n"),
    ("concat", [(8, 6), (8, 2)], {"axis": 1}, [(8, 8)], [], "b n"),
    ("split", [(8, 6)], {"axis": 1, "parts": (4, 2)}, [(8, 4), (8, 2)], [], "b n"),
    ("stack", [(8, 6)] * 3, {"new": "q"}, [(3, 8, 6)], [], "q b n"),
    ("unstack", [(3, 8, 6)], {"axes": "q b n"}, [(8, 6)] * 3, [], "q b n"),
    ("flatten", [IMAGE], {}, [(5760,)], [], "b c h w"),
    ("unflatten", [(48,)], {"sizes": {"b": 8, "n": 6}}, [(8, 6)], [], "b n"),
    ("reshape", [IMAGE], {"sizes": (8, 720)}, [(8, 720)], [], "b x1_0 x1_1 x1_2"),
    ("reshape", [(8, 4, 6)], {"sizes": (32, 6)}, [(32, 6)], [], "b x0_1 x1_0"),
    ("reshape", [(8, 4, 6)], {"sizes": (8, 6, 4)}, [(8, 6, 4)], [], "b"),
    ("transpose", [(8, 4, 6)], {"order": (0, 2, 1)}, [(8, 6, 4)], [], "b s d"),
    ("resize_axes", [(8, 4, 6)], {"sizes": (8, 3, 6)}, [(8, 3, 6)], [], "b s d"),
    (
        "statistics_normalization",
        [IMAGE],
        {
            "sizes": {"b": 8, "g": 2, "c": 3, "h": 10, "w": 12},
            "over": ("c", "h", "w"),
            "axes": "b (g c) h w",
            "parameters": ("(g c)", "(g c)"),
        },
        [IMAGE],
        [(6,), (6,)],
        "b g c h w",
    ),
]


def test_every_operation_is_tried():
    assert {case[0] for case in SHAPES} == set(OPS)


@pytest.mark.parametrize(
    ("operation", "sizes", "attributes", "outputs", "parameters", "names"),
    SHAPES,
    ids=[f"{i}-{case[0]}" for i, case in enumerate(SHAPES)],
)
def test_shapes(operation, sizes, attributes, outputs, parameters, names):
    made = make(operation, *sizes, **attributes)
    assert [tensor.sizes for tensor in made.outputs] == outputs
    assert [tensor.sizes for tensor in made.parameters] == parameters
    assert made.layer.dimension_names == tuple(names.split())
    assert [a.tensor for a in made.layer.outputs] == [t.name for t in made.outputs]
    assert [a.tensor for a in made.layer.parameters] == [t.name for t in made.parameters]
    assert [a.tensor for a in made.layer.inputs] == [f"x{i}" for i in range(len(sizes))]


@pytest.mark.parametrize(
    ("operation", "sizes", "attributes", "whole"),
    [
        ("convolution", [IMAGE], {"n": 4, "kernel": (3, 3)}, "h w"),
        ("lstm", [(8, 4, 6)], {"layers": 2, "width": 6}, "s"),
        ("dispatch", [(8, 4, 6), (8, 4, 2)], {"experts": 2, "chosen": 1}, "s"),
        ("combine", [(8, 2, 2, 6), (8, 4, 2)], {"chosen": 1}, "s"),
        ("lstm_layer", [(8, 4, 6)], {"width": 5}, "s"),
        ("concat", [(8, 6), (8, 2)], {"axis": 1}, "n"),
        ("split", [(8, 6)], {"axis": 1, "parts": (4, 2)}, "n"),
        ("stack", [(8, 6)] * 4, {"new": "q"}, "q"),
        ("resize_axes", [(8, 6, 4)], {"sizes": (8, 3, 4)}, "s"),
        ("unstack", [(4, 8, 6)], {"axes": "q b n"}, "q"),
        ("pooling", [IMAGE], {"kernel": (2, 2)}, ""),
        ("fully_connected", [(8, 6)], {"n": 5}, ""),
    ],
)
def test_what_is_never_split(operation, sizes, attributes, whole):
    made = make(operation, *sizes, **attributes)
    assert [d.name for d in made.layer.dimensions if not d.splittable] == whole.split()


@pytest.mark.parametrize(
    ("operation", "sizes", "attributes", "complaint"),
    [
        ("fully_connected", [(8,)], {"n": 5}, "use 2 to 6 axes"),
        ("fully_connected", [(2,) * 7], {"n": 5}, "use 2 to 6 axes"),
        ("einsum", [(8, 4)], {"equation": "b s -> b"}, "write 'b s -> b' as"),
        ("einsum", [(8, 4), (4, 2)], {"equation": "b s, s d"}, "write 'b s, s d' as"),
        ("einsum", [(8, 4), (4, 2)], {"equation": "b s t, s d -> b d"}, "does not fit sizes"),
        ("lstm", [(8, 4, 6)], {"layers": 2, "width": 7}, "6 wide and the state 7"),
        ("lstm_layer", [(8, 6)], {"width": 5}, "allowed are 3 axes"),
        ("additive_scores", [(8, 4, 6), (8, 6)], {}, "allowed are 3 axes"),
        ("additive_scores", [(8, 4, 6), (8, 3, 5)], {}, "do not go together"),
        ("additive_scores", [(8, 4, 6), (7, 3, 6)], {}, "do not go together"),
        ("convolution", [(8, 6)], {"n": 4, "kernel": (3, 3)}, "allowed are 4 axes"),
        ("pooling", [(8, 6, 4)], {"kernel": (3, 3)}, "allowed are 4 axes"),
        ("convolution", [IMAGE], {"n": 4, "kernel": (11, 3)}, "window of 11 does not fit on 10"),
        ("elementwise", [(8, 4), (3,)], {}, "do not broadcast"),
        ("elementwise", [(8, 4)], {"axes": "b"}, "axes 'b' do not fit"),
        ("normalization", [(8, 4)], {"along": "z"}, "no dimension 'z' among b n"),
        (
            "row_softmax",
            [(8, 4)],
            {"along": "z", "axes": "b n"},
            "must name the 2 axes of 'x0', 'z'",
        ),
        ("row_softmax", [(8, 4)], {"along": "b", "axes": "b"}, "must name the 2 axes of 'x0', 'b'"),
        ("rms_normalization", [(8, 4)], {"axes": "b"}, r"have sizes \(8,\), not \(8, 4\)"),
        ("dispatch", [(8, 3, 6), (8, 3, 2)], {"experts": 2, "chosen": 1}, "do not spread evenly"),
        ("mean", [(8, 4)], {"over": ("z",)}, "z are not all among b n"),
        ("concat", [(8, 6), (7, 6)], {"axis": 1}, "do not go with"),
        ("concat", [(8, 6), (8, 6, 1)], {"axis": 1}, "do not go with"),
        ("split", [(8, 6)], {"axis": 1, "parts": (4, 1)}, "do not add up to 6"),
        ("unflatten", [(48,)], {"sizes": {"b": 7, "n": 7}}, "has 48 elements, 7 x 7 are 49"),
        ("reshape", [(8, 6)], {"sizes": (7, 7)}, r"has 48 elements.*49"),
        ("transpose", [(8, 6)], {"order": (0, 0)}, "no permutation of the 2 axes"),
        ("resize_axes", [(8, 6)], {"sizes": (8,)}, "differ in their axes"),
        (
            "statistics_normalization",
            [(8, 6)],
            {"sizes": {"b": 8, "n": 5}, "over": ("n",), "axes": "b n"},
            r"have sizes \(8, 5\), not \(8, 6\)",
        ),
    ],
)
def test_inputs_that_do_not_fit_are_refused(operation, sizes, attributes, complaint):
    with pytest.raises(GraphError, match=complaint):
        make(operation, *sizes, **attributes)


@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("width", [1, 2, 5])
@pytest.mark.parametrize("added", [0, 1, 4])
def test_window_positions_are_those_that_fit(width, stride, added):
    for size in range(width, 12):
        starts = [i for i in range(0, size + added, stride) if i + width <= size + added]
        assert window_positions(size, width, stride, added) == len(starts)
        same = window_positions(size, width, stride, "same")
        assert same == math.ceil(size / stride)


def test_valid_padding_adds_nothing():
    assert window_positions(10, 3, 2, "valid") == window_positions(10, 3, 2, 0) == 4
    with pytest.raises(GraphError, match="use a smaller window or more padding"):
        window_positions(2, 3, 1, "valid")


@pytest.mark.parametrize("n_axes", range(1, 8))
def test_axes_have_as_many_names_as_there_are(n_axes):
    names = axis_names(n_axes)
    assert len(set(names)) == len(names) == n_axes
    assert names[0] == "b"


# Beyond the paper's operations


def test_a_grouped_convolution_counts_each_group_alone():
    inputs, kernel = inputs_of(IMAGE), Kernel(widths=(3, 3), positions=(10, 12))
    made = checked(
        convolution_of_size("layer", inputs[0], kernel, n=4, groups=2, bias=True), inputs
    )
    assert made.outputs[0].sizes == (8, 4, 10, 12)
    assert [p.sizes for p in made.parameters] == [(4, 3, 3, 3), (4,)]
    model = PaperCostModel(1.0, 1.0, 1.0, 1.0)
    grouped = model.layer_costs(made.layer, configurations(made.layer, 1))[0, 0]
    whole = convolution_of_size("layer", inputs[0], kernel, n=4).layer
    assert grouped == model.layer_costs(whole, configurations(whole, 1))[0, 0] / 2


@pytest.mark.parametrize("n_axes", [1, 2, 3])
def test_windows_slide_along_one_to_three_axes(n_axes):
    extents, kernel = (9, 10, 11)[:n_axes], (2, 3, 4)[:n_axes]
    out_sizes = tuple(e - k + 1 for e, k in zip(extents, kernel, strict=True))
    inputs = inputs_of((8, 6, *extents))
    convolved = convolution_of_size("layer", inputs[0], Kernel(kernel, out_sizes), n=4)
    pooled = pooling_of_size("layer", inputs[0], Kernel(kernel, out_sizes))
    assert checked(convolved, inputs).outputs[0].sizes == (8, 4, *out_sizes)
    assert checked(pooled, inputs).outputs[0].sizes == (8, 6, *out_sizes)
    assert convolved.parameters[0].sizes == (4, 6, *kernel)


def test_batch_normalization_reduces_its_statistics_over_all_but_the_channels():
    made = make("batch_normalization", (8, 6, 2, 2))
    model = PaperCostModel(1.0, 1.0, 1.0)
    splits = np.array([[1, 1, 1, 1], [1, 3, 1, 1], [2, 1, 1, 1], [4, 3, 1, 1]])
    compute, output, inputs, parameters, other = model.layer_costs(made.layer, splits)
    assert compute.tolist() == [16 * 8 * 6 * 4 / q for q in (1, 3, 2, 12)]
    # Four sums per channel by ring all-reduce; two gradients per channel.
    assert other.tolist() == [0, 0, 4 * 2 * 6 / 2, 4 * 2 * 2 * 3 / 4]
    assert parameters.tolist() == [0, 0, 2 * 2 * 6 / 2, 2 * 2 * 2 * 3 / 4]
    assert not output.any()
    assert not inputs.any()


def test_an_lstm_layer_as_wide_as_its_input_costs_what_one_layer_of_a_stack_does():
    stack = make("lstm", (8, 4, 6), layers=1, width=6).layer  # dimensions l b s d e
    layer = make("lstm_layer", (8, 4, 6), width=6).layer  # dimensions b s d k e
    splits = np.array([[b, 1, 1, 1, e] for b in (1, 2, 4, 8) for e in (1, 2, 3, 6)])
    model = PaperCostModel(1.0, 1.0, 1.0)
    costs = model.layer_costs(layer, splits)
    expected = model.layer_costs(stack, splits[:, [1, 0, 1, 2, 4]])
    # The stack has no shift, whose gradient is four numbers per hidden unit.
    batch, hidden = splits[:, 0], splits[:, 4]
    expected[3] += 2 * 4 * (6 / hidden) * (batch - 1) / batch
    np.testing.assert_allclose(costs, expected, rtol=1e-12)


def test_an_lstm_layer_adds_up_partial_sums_of_its_input_and_of_its_state():
    layer = make("lstm_layer", (8, 4, 6), width=10).layer
    splits = np.array([[1, 1, 1, 1, 1], [1, 1, 3, 1, 1], [1, 1, 1, 5, 1], [1, 1, 3, 5, 1]])
    _, output, inputs, parameters, _ = PaperCostModel(1.0, 1.0, 1.0).layer_costs(layer, splits)
    gates = 4 * 8 * 4 * 10
    assert output.tolist() == pytest.approx([0, *(2 * gates * (q - 1) / q for q in (3, 5, 15))])
    assert not inputs.any()
    assert not parameters.any()


def test_additive_scores_are_as_much_work_as_the_products_they_replace():
    sizes = (8, 4, 6), (8, 3, 6)
    scores = make("additive_scores", *sizes).layer
    products = make("einsum", *sizes, equation="b s a, b t a -> b s t").layer
    splits = configurations(scores, 8)
    assert splits.tolist() == configurations(products, 8).tolist()
    model = PaperCostModel(1.0, 1.0, 1.0, flop_per_multiply_add=1.0)
    compute, output, inputs, parameters, _ = model.layer_costs(scores, splits)
    expected = model.layer_costs(products, splits)
    np.testing.assert_allclose(compute, 3 * expected[0])  # with sum and tanh
    np.testing.assert_allclose(output, expected[1])
    np.testing.assert_allclose(inputs, expected[2])
    elsewhere = splits[:, :3].prod(axis=1)
    np.testing.assert_allclose(parameters, 2 * (6 / splits[:, 3]) * (1 - 1 / elsewhere))


def test_a_lookup_adds_up_the_parts_of_a_split_table_and_sends_no_gradient_of_words():
    layer = make("lookup", (8, 4), vocabulary=10, width=6).layer  # dimensions b s d v
    splits = np.array([[1, 1, 1, 1], [2, 1, 1, 1], [1, 1, 3, 1], [1, 1, 1, 5], [2, 1, 3, 5]])
    model = PaperCostModel(1.0, 1.0, 1.0)
    compute, output, inputs, parameters, other = model.layer_costs(layer, splits)
    assert compute.tolist() == [192, 96, 64, 192, 32]
    assert output.tolist() == pytest.approx([0, 0, 0, 2 * 192 * 4 / 5, 2 * 32 * 4 / 5])
    assert parameters.tolist() == pytest.approx([0, 2 * 60 / 2, 0, 0, 2 * 4 / 2])
    assert not inputs.any()
    assert not other.any()


def test_rows_of_a_softmax_exchange_three_words_where_they_are_split():
    layer = make("row_softmax", (8, 6), along="n", axes="b n").layer
    splits = np.array([[1, 1], [2, 1], [1, 3], [2, 3]])
    compute, *_, other = PaperCostModel(1.0, 1.0, 1.0).layer_costs(layer, splits)
    assert compute.tolist() == [9 * 48, 9 * 24, 9 * 16, 9 * 8]
    assert other.tolist() == [0, 0, 3 * 2 * 8 * 2 / 3, 3 * 2 * 4 * 2 / 3]


def test_rms_normalization_reduces_half_of_what_layer_normalization_does():
    sizes = {"b": 8, "s": 4, "d": 6}
    rms = make("rms_normalization", (8, 4, 6), axes="b s d").layer
    layer = make(
        "statistics_normalization",
        (8, 4, 6),
        sizes=sizes,
        over=("d",),
        axes="b s d",
        parameters=("d", "d"),
    ).layer
    splits, model = configurations(rms, 8), PaperCostModel(1.0, 1.0, 1.0)
    half, full = model.layer_costs(rms, splits), model.layer_costs(layer, splits)
    np.testing.assert_allclose(half[1:], full[1:] / 2)
    np.testing.assert_allclose(half[0], full[0])


def test_experts_that_are_split_read_their_slots_from_every_device():
    """Batch to experts on p devices: an all-to-all, of which each keeps one part in p."""
    dispatched = make("dispatch", (8, 4, 6), (8, 4, 2), experts=2, chosen=1)
    (slots,) = dispatched.outputs
    inputs = (slots,)
    expert = OPS["einsum"](
        "expert",
        inputs,
        equation="b x k d, x d e -> b x k e",
        weight={"x": 2, "d": 6, "e": 5},
    )
    graph = Graph(
        "experts",
        (dispatched.layer, expert.layer),
        (*inputs_of((8, 4, 6), (8, 4, 2)), slots, *expert.outputs, *expert.parameters),
    )
    costs = build_costs(graph, PaperCostModel(1.0, 1.0, 1.0), 2)
    before = costs.configurations[0].tolist().index([2, 1, 1])
    splits = costs.configurations[1].tolist()  # dimensions b x k e d
    (pair,) = costs.tables.pairs
    n_slots = 8 * 2 * 2 * 6
    assert pair.costs[before, splits.index([2, 1, 1, 1, 1])] == 0
    assert pair.costs[before, splits.index([1, 2, 1, 1, 1])] == 2 * (n_slots / 2) / 2


def test_tied_weights_are_one_tensor():
    inputs = inputs_of((8, 4), (8, 4, 6))
    first = OPS["lookup"]("first", inputs[:1], vocabulary=10, width=6)
    (table,) = first.parameters
    equation = "b s d, v d -> b s v"
    own = OPS["einsum"]("last", inputs[1:], equation=equation, weight={"v": 10, "d": 6}, bias="v")
    last = tie(own, table)
    assert [read.tensor for read in last.layer.parameters] == ["first.table", "last.bias"]
    made = first.outputs + last.outputs + first.parameters + last.parameters
    graph = Graph("tied", (first.layer, last.layer), inputs + made)
    assert graph.n_parameters == 10 * 6 + 10
    with pytest.raises(GraphError, match=r"'last' trains \(10, 6\) numbers and cannot share 'x0'"):
        tie(own, inputs[0])


# Broadcasting


@given(st.lists(st.tuples(st.integers(1, 4), st.booleans()), max_size=4), st.integers(0, 4))
def test_what_broadcasts_is_cut_where_it_is_as_long(axes, n_missing):
    sizes = tuple(size for size, _is_one in axes)
    tensor = Tensor("w", tuple(1 if is_one else size for size, is_one in axes)[n_missing:])
    names = parse_axes(" ".join(f"d{i}" for i in range(len(sizes))))
    found = broadcast(tensor, names, sizes).axes
    assert len(found) == len(tensor.sizes)
    for i, axis in enumerate(reversed(found), start=1):
        assert axis == (names[-i] if tensor.sizes[-i] == sizes[-i] else Axis())
    assert np.broadcast_shapes(tensor.sizes, sizes) == sizes


@pytest.mark.parametrize(
    ("parameter", "is_fine"), [((4,), True), ((8, 1), True), ((3,), False), ((1, 8, 4), False)]
)
def test_a_fused_parameter_must_broadcast(parameter, is_fine):
    made = make("fully_connected", (8, 6), n=4)
    shift = Tensor("shift", parameter)
    if is_fine:
        assert fuse(made, "", [shift]).layer.parameters[-1].tensor == "shift"
    else:
        with pytest.raises(GraphError, match="which do not broadcast to"):
            fuse(made, "", [shift])


# Reshape

FACTORS = st.lists(st.sampled_from([1, 2, 3, 4, 6]), max_size=5)


@st.composite
def reshapes(draw) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Two shapes of equal numbers of elements, made by joining runs of the same factors."""

    def joined(factors: list[int]) -> tuple[int, ...]:
        sizes: list[int] = []
        for factor in factors:
            if sizes and draw(st.booleans()):
                sizes[-1] *= factor
            else:
                sizes.append(factor)
        return tuple(sizes)

    factors = draw(FACTORS)
    return joined(factors), joined(draw(st.permutations(factors)))


@given(reshapes())
def test_reshape_groups_partition_both_sides_into_equal_products(shapes):
    before, after = shapes
    groups = reshape_groups(before, after)
    assert sum((left for left, _ in groups), ()) == before
    assert sum((right for _, right in groups), ()) == after
    assert all(math.prod(left) == math.prod(right) for left, right in groups)


@given(reshapes())
def test_reshape_groups_are_as_short_as_can_be(shapes):
    for left, right in reshape_groups(*shapes)[:-1]:
        assert not any(
            math.prod(left[:i]) == math.prod(right[:j])
            for i in range(1, len(left) + 1)
            for j in range(1, len(right) + 1)
            if (i, j) != (len(left), len(right))
        )


@given(reshapes())
def test_reshapes_fit_into_a_graph_and_cost_nothing(shapes):
    before, after = shapes
    made = make("reshape", before, sizes=after)
    splits = configurations(made.layer, 8)
    assert not PaperCostModel(1.0, 1.0).layer_costs(made.layer, splits).any()


def test_axes_of_size_one_at_the_end_join_the_last_group():
    assert reshape_groups((8, 6), (8, 6, 1, 1)) == [((8,), (8,)), ((6,), (6, 1, 1))]
    assert reshape_groups((8, 6, 1), (8, 6)) == [((8,), (8,)), ((6, 1), (6,))]


def test_a_reshape_to_the_same_sizes_keeps_every_dimension():
    made = make("reshape", IMAGE, sizes=IMAGE)
    assert made.layer.sizes == IMAGE
    assert made.layer.row_major == ()
