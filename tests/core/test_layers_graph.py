"""Axes, layers and graphs refuse what they say they refuse, and nothing else."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pase_core.axes import Axis, parse_axes
from pase_core.builder import GraphBuilder
from pase_core.checks import MAX_NAME_LENGTH, MAX_SIZE
from pase_core.errors import GraphError, OptionError, PaseError
from pase_core.graph import ELEMENT_BYTES, MAX_LAYERS, Graph
from pase_core.layers import Access, Dimension, Layer, Reduction, Tensor, Work
from pase_core.messages import AllReduce, Exchange, Halo, Relayout, Window
from sample_graphs import SAMPLES

IDENTIFIERS = st.sampled_from(["b", "c", "heads", "_x1", "B2", "__", "s_"])

# Axes

AXES = st.one_of(
    st.just(Axis()),
    st.builds(lambda name, window: Axis((name,), window), IDENTIFIERS, st.booleans()),
    st.builds(
        lambda names: Axis(tuple(names)), st.lists(IDENTIFIERS, min_size=2, max_size=4, unique=True)
    ),
)


@given(st.lists(AXES, max_size=6).map(tuple))
def test_axes_are_read_as_they_are_written(axes):
    assert parse_axes(" ".join(map(str, axes))) == axes


@given(st.text(alphabet="ab1~-() ,*", max_size=8))
def test_any_text_is_axes_or_an_error_that_quotes_it(text):
    try:
        axes = parse_axes(text)
    except GraphError as error:
        assert repr(text) in str(error)
    else:
        assert len(axes) <= len(text)


def test_axes_of_each_kind():
    assert parse_axes("b (c d) ~h -") == (
        Axis(("b",)),
        Axis(("c", "d")),
        Axis(("h",), window=True),
        Axis(),
    )
    assert parse_axes("") == parse_axes("  ") == ()


@pytest.mark.parametrize("text", ["b, c", "2b", "(b c", "b c)", "~", "~(b c)", "b * c", "((b))"])
def test_unreadable_axes_are_refused(text):
    with pytest.raises(GraphError, match="write one of b, \\(b c\\), ~h or -"):
        parse_axes(text)


# Names, sizes and numbers

BAD_SIZES = [0, -1, True, 2.0, math.nan, "4", None, MAX_SIZE + 1]
BAD_NAMES = ["", "  ", None, 7, "two\nlines", "bell\a", "x" * (MAX_NAME_LENGTH + 1)]
BAD_NUMBERS = [math.nan, math.inf, -1.0, True, "3", None, 1.1e30]


@pytest.mark.parametrize("size", BAD_SIZES)
def test_impossible_sizes_are_refused(size):
    with pytest.raises(GraphError, match="a size is an integer from 1 to"):
        Dimension("b", size)
    with pytest.raises(GraphError, match=r"axis of tensor 'x'.*a size is an integer from 1 to"):
        Tensor("x", (4, size))
    for window in (Window("b", size, 1), Window("b", 1, size)):
        with pytest.raises(GraphError, match="window of layer 'layer'"):
            layer(messages=(Halo((), (window,)),))


def test_the_largest_size_is_allowed():
    assert Dimension("b", MAX_SIZE).size == Tensor("x", (MAX_SIZE,)).n_elements == MAX_SIZE


@pytest.mark.parametrize("name", BAD_NAMES)
def test_impossible_names_are_refused(name):
    for make in (
        lambda: Tensor(name, ()),
        lambda: layer(name=name),
        lambda: layer(operation=name),
        lambda: Graph(name, (layer(),), (X, Y, W)),
    ):
        with pytest.raises(GraphError, match="name"):
            make()


def test_the_longest_name_is_allowed():
    assert layer(name="é" * MAX_NAME_LENGTH).name


@pytest.mark.parametrize("name", ["", "2b", "b c", "b-c", "é", None, 3, "x" * 65])
def test_dimension_names_are_identifiers(name):
    with pytest.raises(GraphError, match="dimension name"):
        Dimension(name, 4)


@pytest.mark.parametrize("number", BAD_NUMBERS)
def test_impossible_numbers_are_refused(number):
    with pytest.raises(GraphError, match="work of layer 'layer'"):
        layer(work=(Work(("b",), number),))
    for message in (AllReduce(("b",), ("n",), number), Exchange(("b",), ("n",), number)):
        with pytest.raises(GraphError, match=f"scale of a {message.kind} message of layer 'layer'"):
            layer(messages=(message,))
    with pytest.raises(GraphError, match="scale of a reduction of layer 'layer'"):
        layer(inputs=(Access("x", parse_axes("b c"), Reduction(("b",), ("c",), number)),))


# Layers

X, Y, W = Tensor("x", (4, 6)), Tensor("y", (4, 8)), Tensor("w", (6, 8))
PRODUCT = Layer(
    "layer",
    "product",
    (Dimension("b", 4), Dimension("n", 8), Dimension("c", 6)),
    inputs=(Access("x", parse_axes("b c")),),
    outputs=(Access("y", parse_axes("b n")),),
    parameters=(Access("w", parse_axes("c n")),),
    work=(Work(("b", "n", "c"), 3, "multiply_add"),),
)


TWICE = ("b", "n", "b")


def layer(**changes) -> Layer:
    return replace(PRODUCT, **changes)


def test_a_dimension_named_twice_is_refused():
    with pytest.raises(GraphError, match="layer 'layer' names a dimension twice: b n b"):
        layer(dimensions=(Dimension("b", 4), Dimension("n", 8), Dimension("b", 4)))


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"inputs": (Access("x", parse_axes("b z")),)}, "access to 'x'"),
        ({"outputs": (Access("y", parse_axes("b (n z)")),)}, "access to 'y'"),
        ({"parameters": (Access("w", parse_axes("~z n")),)}, "access to 'w'"),
        ({"inputs": (Access("x", parse_axes("b c"), Reduction(("z",), ())),)}, "reduction"),
        ({"inputs": (Access("x", parse_axes("b c"), Reduction((), ("z",))),)}, "reduction"),
        ({"work": (Work(("b", "z"), 1),)}, "work"),
        ({"messages": (AllReduce(("z",), ("b",)),)}, "all_reduce message"),
        ({"messages": (AllReduce(("b",), ("z",)),)}, "all_reduce message"),
        ({"messages": (Exchange(("b",), ("z",)),)}, "exchange message"),
        ({"messages": (Halo(("z",), ()),)}, "halo message"),
        ({"messages": (Halo(("b",), (Window("z", 4, 3),)),)}, "halo message"),
        ({"messages": (Relayout(("z",), ("b",), ("b",)),)}, "relayout message"),
        ({"messages": (Relayout(("n",), ("z",), ("b",)),)}, "relayout message"),
        ({"messages": (Relayout(("n",), ("b",), ("z",)),)}, "relayout message"),
        ({"row_major": (("b", "z"),)}, "row_major"),
    ],
)
def test_unknown_dimensions_are_refused_wherever_they_stand(changes, place):
    with pytest.raises(GraphError, match=f"{place}: unknown dimension 'z'.* are: b n c"):
        layer(**changes)


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"inputs": (Access("x", parse_axes("b c"), Reduction(TWICE, ())),)}, "reduction, tile"),
        ({"inputs": (Access("x", parse_axes("b c"), Reduction((), TWICE)),)}, "reduction, over"),
        ({"work": (Work(TWICE, 1),)}, "work"),
        ({"messages": (AllReduce(TWICE, ("c",)),)}, "all_reduce message, tile"),
        ({"messages": (AllReduce(("c",), TWICE),)}, "all_reduce message, over"),
        ({"messages": (Exchange(TWICE, ("c",)),)}, "exchange message, tile"),
        ({"messages": (Exchange(("c",), TWICE),)}, "exchange message, over"),
        ({"messages": (Halo(TWICE, ()),)}, "halo message, tile"),
        (
            {"messages": (Halo((), tuple(Window(n, 9 + i, 3) for i, n in enumerate(TWICE))),)},
            "halo message, windows",
        ),
        ({"messages": (Relayout(TWICE, ("c",), ("c",)),)}, "relayout message, times"),
        ({"messages": (Relayout((), TWICE, ("c", "n", "b")),)}, "relayout message, held"),
        ({"messages": (Relayout((), ("c", "n", "b"), TWICE),)}, "relayout message, needed"),
        ({"row_major": (TWICE,)}, "row_major"),
    ],
)
def test_a_dimension_that_stands_twice_is_refused(changes, place):
    # Its splits would count twice: an all-reduce over b and b, as one over q squared devices.
    with pytest.raises(GraphError, match=f"{place}: dimension 'b' stands twice in b n b; name"):
        layer(**changes)


def test_a_dimension_may_stand_in_several_lists():
    both = Relayout(("c",), ("b", "n"), ("n", "b"))
    assert layer(messages=(both, AllReduce(("b",), ("b",))), row_major=(("b", "n"),) * 2)


def test_reductions_follow_from_the_accesses():
    assert PRODUCT.reduction(PRODUCT.outputs[0]) == Reduction(("b", "n"), ("c",))
    assert PRODUCT.reduction(PRODUCT.inputs[0]) == Reduction(("b", "c"), ("n",))
    assert PRODUCT.reduction(PRODUCT.parameters[0]) == Reduction(("c", "n"), ("b",))


def test_a_reduction_that_is_given_counts():
    given = Reduction(("b",), ("n",), 2.0)
    changed = layer(inputs=(Access("x", parse_axes("b c"), given),))
    assert changed.reduction(changed.inputs[0]) is given


def test_layers_are_frozen_and_equal_by_content():
    assert layer() == PRODUCT
    assert hash(layer()) == hash(PRODUCT)
    assert layer(name="other") != PRODUCT
    with pytest.raises(FrozenInstanceError):
        PRODUCT.name = "other"


# Graphs


def graph_of(*layers: Layer, tensors: tuple[Tensor, ...] = (X, Y, W), **changes) -> Graph:
    return Graph("graph", layers, tensors, **changes)


def passing(name: str, read: str, written: str) -> Layer:
    """A layer that reads one vector and writes another."""
    axes = parse_axes("b")
    return Layer(
        name,
        "pass",
        (Dimension("b", 4),),
        inputs=(Access(read, axes),),
        outputs=(Access(written, axes),),
    )


VECTORS = tuple(Tensor(name, (4,)) for name in "pqrstu")


def test_a_graph_of_one_layer_is_allowed():
    graph = graph_of(PRODUCT)
    assert graph.transfers == ()
    assert graph.n_parameters == 48
    assert graph.position("layer") == 0


def test_parts_that_are_not_connected_are_allowed():
    graph = graph_of(passing("one", "p", "q"), passing("two", "r", "s"), tensors=VECTORS)
    assert graph.transfers == ()


def test_names_of_layers_are_unique():
    with pytest.raises(GraphError, match="two layers have the name 'one'"):
        graph_of(passing("one", "p", "q"), passing("one", "r", "s"), tensors=VECTORS)


def test_names_of_tensors_are_unique():
    with pytest.raises(GraphError, match="two tensors have the name 'x'"):
        graph_of(PRODUCT, tensors=(X, Y, W, Tensor("x", (4, 6))))


def test_unknown_tensors_are_refused():
    with pytest.raises(GraphError, match="layer 'layer' uses the unknown tensor 'w'"):
        graph_of(PRODUCT, tensors=(X, Y))


@pytest.mark.parametrize("sizes", [(4,), (4, 6, 1), ()])
def test_a_wrong_number_of_axes_is_refused(sizes):
    with pytest.raises(GraphError, match=f"2 axes for tensor 'x', which has {len(sizes)}"):
        graph_of(PRODUCT, tensors=(Tensor("x", sizes), Y, W))


def test_sizes_that_contradict_the_dimensions_are_refused():
    with pytest.raises(GraphError, match=r"axis c has size 5, but .* make it 6; mark .* as ~c"):
        graph_of(PRODUCT, tensors=(Tensor("x", (4, 5)), Y, W))
    grouped = layer(inputs=(Access("x", parse_axes("b (n c)")),))
    with pytest.raises(GraphError, match=r"axis \(n c\) has size 6, but .* make it 48"):
        graph_of(grouped)


def test_windows_and_uncut_axes_may_have_any_size():
    for axes in ("b ~c", "b -"):
        changed = layer(inputs=(Access("x", parse_axes(axes)),))
        assert graph_of(changed, tensors=(Tensor("x", (4, 5)), Y, W))


def test_a_tensor_has_one_writer():
    with pytest.raises(GraphError, match="tensor 'q' is written by 'one' and by 'two'"):
        graph_of(passing("one", "p", "q"), passing("two", "r", "q"), tensors=VECTORS)


def test_a_layer_that_writes_a_tensor_twice_is_refused():
    with pytest.raises(GraphError, match="tensor 'y' is written by 'layer' and by 'layer'"):
        graph_of(layer(outputs=PRODUCT.outputs * 2))


def test_a_parameter_is_not_written():
    writer = replace(passing("writer", "p", "q"), parameters=(Access("q", parse_axes("b")),))
    with pytest.raises(GraphError, match="tensor 'q' is a parameter of 'writer', but 'writer'"):
        graph_of(writer, tensors=VECTORS)


def test_cycles_are_refused_and_shown():
    layers = (passing("one", "r", "p"), passing("two", "p", "q"), passing("three", "q", "r"))
    with pytest.raises(GraphError, match=r"cycle: .*one -> two.*") as caught:
        graph_of(*layers, tensors=VECTORS)
    assert all(name in str(caught.value) for name in ("one", "two", "three"))


def test_a_layer_that_reads_what_it_writes_is_a_cycle():
    with pytest.raises(GraphError, match="cycle: one -> one"):
        graph_of(passing("one", "p", "p"), tensors=VECTORS)


def test_a_long_cycle_is_shown_in_part():
    names = [f"t{i}" for i in range(40)]
    layers = [passing(f"l{i}", names[i], names[(i + 1) % 40]) for i in range(40)]
    with pytest.raises(GraphError, match=r"\.\.\. -> ") as caught:
        graph_of(*layers, tensors=tuple(Tensor(name, (4,)) for name in names))
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("element_type", ["int8", "", "FLOAT32"])
def test_unknown_element_types_are_refused(element_type):
    with pytest.raises(GraphError, match=r"unknown element type .*; known: float64, float32"):
        graph_of(PRODUCT, element_type=element_type)


@pytest.mark.parametrize(("element_type", "word_bytes"), ELEMENT_BYTES.items())
def test_words_are_as_long_as_the_element_type(element_type, word_bytes):
    assert graph_of(PRODUCT, element_type=element_type).word_bytes == word_bytes


def test_a_graph_has_layers_but_not_too_many():
    with pytest.raises(GraphError, match="has 0 layers"):
        graph_of()
    with pytest.raises(GraphError, match=f"allowed are 1 to {MAX_LAYERS}"):
        graph_of(*[PRODUCT] * (MAX_LAYERS + 1))


def test_unknown_layers_have_no_position():
    with pytest.raises(GraphError, match="graph 'graph' has no layer 'nowhere'"):
        graph_of(PRODUCT).position("nowhere")


def test_layers_may_come_in_any_order():
    forward = [passing("one", "p", "q"), passing("two", "q", "r")]
    (transfer,) = graph_of(*forward, tensors=VECTORS).transfers
    (backward,) = graph_of(*forward[::-1], tensors=VECTORS).transfers
    assert (transfer.producer, transfer.consumer) == (0, 1)
    assert (backward.producer, backward.consumer) == (1, 0)


def test_a_tensor_read_twice_is_transferred_twice():
    reader = Layer(
        "reader", "square", (Dimension("b", 4),), inputs=(Access("q", parse_axes("b")),) * 2
    )
    graph = graph_of(passing("one", "p", "q"), reader, tensors=VECTORS)
    assert [(t.producer, t.consumer, t.tensor.name) for t in graph.transfers] == [(0, 1, "q")] * 2


def test_a_parameter_that_two_layers_read_counts_once():
    second = replace(PRODUCT, name="second", outputs=(Access("z", parse_axes("b n")),))
    graph = graph_of(PRODUCT, second, tensors=(X, Y, W, Tensor("z", (4, 8))))
    assert graph.n_parameters == W.n_elements


def test_equal_graphs_have_equal_hashes():
    build = SAMPLES["alexnet"].build
    assert build(16) == build(16)
    assert hash(build(16)) == hash(build(16))
    assert build(16) != build(32)


# The builder


def test_the_builder_refuses_unknown_operations():
    build = GraphBuilder("graph")
    with pytest.raises(OptionError, match=r"unknown operation 'convolve'; known: .*convolution"):
        build.layer("convolve", "a", build.input("x", (4, 4)))


def test_the_builder_names_tensors_after_layers():
    build = GraphBuilder("two layers", "bfloat16", "a note")
    x = build.layer("fully_connected", "first", build.input("x", (32, 64)), n=128)
    assert x == Tensor("first.out", (32, 128))
    graph = build.graph()
    assert (graph.name, graph.element_type, graph.note) == ("two layers", "bfloat16", "a note")
    assert [tensor.name for tensor in graph.tensors] == ["x", "first.out", "first.weight"]


def test_every_error_is_a_pase_error():
    assert issubclass(GraphError, PaseError)
    assert issubclass(OptionError, PaseError)
