from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pase_core.axes import parse_axes
from pase_core.builder import GraphBuilder
from pase_core.checks import MAX_SIZE
from pase_core.errors import GraphError
from pase_core.graph import Graph
from pase_core.importers.batch import with_batch
from pase_core.layers import Access, Dimension, Layer, Tensor
from pase_core.messages import Halo, Window
from sample_graphs import SAMPLES
from tests.core.reference_data import sample
from tests.samples import DISTINCT


def layer(name, sizes, inputs=(), outputs=(), parameters=(), **more):
    """A layer from sizes by dimension name and accesses as pairs of tensor and axes."""
    accesses = (
        tuple(Access(tensor, parse_axes(axes)) for tensor, axes in pairs)
        for pairs in (inputs, outputs, parameters)
    )
    dimensions = tuple(Dimension(d, size) for d, size in sizes.items())
    return Layer(name, "any", dimensions, *accesses, **more)


def graph(layers, **tensors):
    return Graph("toy", tuple(layers), tuple(Tensor(name, s) for name, s in tensors.items()))


def sizes_of(graph):
    return {tensor.name: tensor.sizes for tensor in graph.tensors}


# DLRM brings the gradients of its tables together in the way that is cheaper for its batch.
@pytest.mark.parametrize("name", [name for name in DISTINCT if name != "dlrm"])
@pytest.mark.parametrize("before", [1, 128])
@pytest.mark.parametrize("after", [1, 32, 96])
def test_a_sample_with_another_batch_is_the_sample_built_with_it(name, before, after):
    assert with_batch(sample(name, before), after) == sample(name, after)


@pytest.mark.parametrize("name", SAMPLES)
def test_the_same_batch_changes_nothing(name):
    graph = SAMPLES[name].build(48)
    assert with_batch(graph, 48) == graph


@given(st.lists(st.integers(1, 5000), min_size=1, max_size=4))
def test_only_the_last_of_several_changes_counts(batches):
    changed = start = SAMPLES["alexnet"].build(128)
    for batch in batches:
        changed = with_batch(changed, batch)
    assert changed == with_batch(start, batches[-1])
    assert with_batch(changed, 128) == start


def test_the_graph_given_is_left_alone():
    start = SAMPLES["rnnlm"].build(64)
    with_batch(start, 32)
    assert start == SAMPLES["rnnlm"].build(64)


def test_every_axis_that_the_batch_cuts_follows_alone_in_a_group_or_whole():
    first = layer("first", {"b": 4, "c": 3}, [("x", "b c")], [("y", "(b c)"), ("z", "(c b) -")])
    last = layer("last", {"k": 7}, [("x", "- -"), ("y", "-"), ("o", "k -")])
    changed = with_batch(graph([last, first], x=(4, 3), y=(12,), z=(12, 3), o=(7, 4)), 10)
    assert sizes_of(changed) == {"x": (10, 3), "y": (30,), "z": (30, 3), "o": (7, 4)}
    assert [new.sizes for new in changed.layers] == [(7,), (10, 3)]


def test_contradictory_batches_name_two_layers():
    one = layer("one", {"b": 4}, [("x", "b")])
    other = layer("other", {"b": 8}, [("y", "b")])
    with pytest.raises(GraphError, match="b has size 4 in layer 'one' and 8 in layer 'other'"):
        with_batch(graph([one, other], x=(4,), y=(8,)), 4)


def test_a_graph_without_b_says_what_the_batch_is():
    with pytest.raises(GraphError, match="the batch is the dimension named b"):
        with_batch(graph([layer("one", {"n": 4}, [("x", "n")])], x=(4,)), 4)


def test_a_window_over_the_batch_is_refused():
    sliding = layer("slide", {"b": 4}, [("x", "~b")])
    with pytest.raises(GraphError, match="in layer 'slide' a window slides over b"):
        with_batch(graph([sliding], x=(6,)), 8)


def test_a_halo_over_the_batch_is_refused():
    halo = Halo(tile=(), windows=(Window("b", 4, 3),))
    sliding = layer("slide", {"b": 4}, [("x", "b")], messages=(halo,))
    with pytest.raises(GraphError, match="layer 'slide' the window of a halo slides over b"):
        with_batch(graph([sliding], x=(4,)), 8)


@pytest.mark.parametrize("axes", ["n", "~n", "(n m)"])
def test_an_axis_with_another_name_elsewhere_is_refused(axes):
    one = layer("one", {"b": 4}, [("x", "b")])
    other = layer("other", {"n": 4, "m": 1}, [("x", axes)])
    with pytest.raises(GraphError, match=r"is b in layer 'one' and .* in layer 'other'"):
        with_batch(graph([one, other], x=(4,)), 8)


def test_a_parameter_does_not_grow_with_the_batch():
    build = GraphBuilder("positions")
    x = build.input("x", (1, 5))
    build.layer("elementwise", "add", x, build.input("w", (1, 5)))
    made = build.graph()
    trained = layer("add", {"b": 1, "n": 5}, [("x", "b n")], [("add.out", "b n")], [("w", "b n")])
    with pytest.raises(GraphError, match="axis 0 of 'w', a parameter of layer 'add'"):
        with_batch(Graph("toy", (trained,), made.tensors), 8)
    assert sizes_of(with_batch(made, 8))["w"] == (8, 5)  # an input, as far as anyone can tell


@pytest.mark.parametrize("batch", [0, -1, True, 2.0, "8", MAX_SIZE + 1])
def test_a_batch_must_be_a_size(batch):
    with pytest.raises(GraphError, match=r"the batch has size .*; a size is an integer from 1"):
        with_batch(SAMPLES["alexnet"].build(8), batch)


def test_a_batch_that_makes_a_tensor_too_large_is_refused():
    with pytest.raises(GraphError, match=r"an axis of tensor 'flatten.out' has size"):
        with_batch(SAMPLES["alexnet"].build(8), MAX_SIZE)
