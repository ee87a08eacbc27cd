"""Modules by name, and the outline of a graph: every layer in one box, equal neighbours as one."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pase_core.builder import GraphBuilder
from pase_core.modules import MAX_MODULES, N_STRETCHES, SMALLEST_GRAPH, module_names
from pase_core.outline import outline
from sample_graphs import SAMPLES

GRAPHS = {name: sample.build(sample.batch) for name, sample in SAMPLES.items()}


def test_small_graphs_are_not_grouped():
    names = [f"a/{i}" for i in range(SMALLEST_GRAPH)]
    assert module_names(names) == tuple(names)


def test_a_large_scope_is_taken_apart_and_a_small_one_is_not():
    names = ["stem/conv", "stem/norm"] + [f"body/{i // 10}/{i}" for i in range(40)]
    modules = module_names(names)
    assert modules[:2] == ("stem", "stem")
    assert modules[2] == "body/0"
    assert modules[-1] == "body/3"


@given(st.integers(MAX_MODULES + 1, 700))
def test_names_without_scopes_are_joined_to_few_stretches(n):
    modules = module_names([f"n{i}" for i in range(n)])
    assert len(set(modules)) <= N_STRETCHES
    changes = sum(a != b for a, b in pairwise(modules))
    assert changes == len(set(modules)) - 1
    assert modules[0].startswith("n0 … n")


@given(st.lists(st.text("ab/", min_size=1, max_size=6), min_size=1, max_size=90, unique=True))
def test_every_layer_has_a_module_whatever_its_name(names):
    assert len(module_names(names)) == len(names)


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("opened", [(), ("e1", "encoder/1", "stage4"), ("nothing",)])
def test_every_layer_is_in_one_box_and_edges_join_boxes_that_exchange_tensors(name, opened):
    graph = GRAPHS[name]
    found = outline(graph, opened)
    inside = [layer for box in found.boxes for layer in box.layers]
    assert sorted(inside) == list(range(len(graph.layers)))
    assert len({box.name for box in found.boxes}) == len(found.boxes)
    home = found.box_of_layer()
    expected = {(home[t.producer], home[t.consumer]) for t in graph.transfers}
    assert set(found.edges) == {(u, v) for u, v in expected if u != v}


def test_equal_modules_that_follow_each_other_are_one_box():
    titles = [box.title for box in outline(GRAPHS["transformer"]).boxes]
    assert "encoder/1 × 6" in titles
    assert "decoder/1 × 6" in titles


def test_an_opened_module_leaves_the_rest_of_its_run_as_one_box():
    boxes = outline(GRAPHS["transformer"], ["encoder/1"]).boxes
    assert "encoder/2 × 5" in [box.title for box in boxes]
    layers = [box for box in boxes if box.is_layer and box.name.startswith("encoder/1/")]
    assert len(layers) == 12


def test_modules_that_differ_stay_apart():
    build = GraphBuilder("four")
    x = build.input("x", (8, 16))
    for block, n in (("a", 16), ("b", 32), ("c", 16), ("d", 32)):
        for i in range(9):
            x = build.layer("fully_connected", f"{block}/{i}", x, n=n)
    assert [box.title for box in outline(build.graph()).boxes] == ["a", "b", "c", "d"]


@pytest.mark.parametrize("n_widths", [1, 70])
def test_more_blocks_than_a_picture_holds_are_one_box_if_equal_and_stretches_if_not(n_widths):
    build = GraphBuilder("blocks")
    x = build.input("x", (8, 16))
    for block in range(70):
        for i in range(2):
            x = build.layer("fully_connected", f"block/{block}/{i}", x, n=16 + block % n_widths)
    x = build.layer("fully_connected", "head", x, n=16)
    titles = [box.title for box in outline(build.graph()).boxes]
    if n_widths == 1:
        assert titles == ["block/0 × 70", "head"]
    else:
        assert len(titles) <= N_STRETCHES
        assert titles[0] == "block/0 … block/2"
