"""Orderings are permutations that do what their names say; dependent sets obey the definition."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pase_core.cost_tables import CostTables, PairTable
from pase_core.errors import OptionError
from pase_core.search.ordering import (
    ORDERINGS,
    dependent_sets,
    order_vertices,
)
from tests.core.reference_data import costs_of_case
from tests.core.search.random_tables import problems


@st.composite
def graphs(draw) -> list[frozenset[int]]:
    """Undirected graphs of up to 12 vertices."""
    n = draw(st.integers(1, 12))
    pairs = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    edges = draw(st.lists(pairs.filter(lambda pair: pair[0] != pair[1]), max_size=3 * n))
    graph = nx.empty_graph(n)
    graph.add_edges_from(edges)
    return neighbours_of(graph)


def neighbours_of(graph: nx.Graph) -> list[frozenset[int]]:
    return [frozenset(graph[v]) for v in range(len(graph))]


def networkx_graph(graph: list[frozenset[int]]) -> nx.Graph:
    made = nx.empty_graph(len(graph))
    made.add_edges_from((u, v) for u, around in enumerate(graph) for v in around)
    return made


def dependent_set_by_definition(graph: nx.Graph, order: list[int], vertex: int) -> set[int]:
    """D(i) as the paper has it: neighbours after vi of X(i), the vertices reached through v1..vi.

    `order` is v1 .. vi, and vi is `vertex`.
    """
    reached = nx.node_connected_component(graph.subgraph(order), vertex)
    return {u for v in reached for u in graph[v]} - set(order)


@pytest.mark.parametrize("ordering", ORDERINGS)
def test_every_ordering_is_a_permutation(ordering):
    @given(graphs())
    def check(graph):
        order = ORDERINGS[ordering](graph, [3] * len(graph))
        assert sorted(order) == list(range(len(graph)))

    check()


@given(graphs(), st.randoms(use_true_random=False))
def test_dependent_sets_obey_the_definition(graph, random):
    order = list(range(len(graph)))
    random.shuffle(order)
    made = networkx_graph(graph)
    wanted = [
        dependent_set_by_definition(made, order[: i + 1], vertex) for i, vertex in enumerate(order)
    ]
    assert dependent_sets(graph, order) == wanted


@given(graphs())
def test_generateseq_takes_a_smallest_dependent_set_each_time(graph):
    made = networkx_graph(graph)
    order = list(ORDERINGS["generateseq"](graph, [3] * len(graph)))
    for i, vertex in enumerate(order):
        sizes = {v: len(dependent_set_by_definition(made, [*order[:i], v], v)) for v in order[i:]}
        assert sizes[vertex] == min(sizes.values())
        assert vertex == min(v for v in sizes if sizes[v] == sizes[vertex])


@given(graphs(), st.data())
def test_weighted_min_degree_takes_a_smallest_joint_table_each_time(graph, data):
    n = len(graph)
    n_choices = data.draw(st.lists(st.integers(1, 50), min_size=n, max_size=n))
    made = networkx_graph(graph)
    order = list(ORDERINGS["weighted-min-degree"](graph, n_choices))
    for i, vertex in enumerate(order):
        entries = {
            v: math.prod(
                n_choices[u] for u in (v, *dependent_set_by_definition(made, [*order[:i], v], v))
            )
            for v in order[i:]
        }
        assert entries[vertex] <= min(entries.values()) * (1 + 1e-9)


@given(graphs())
def test_breadth_first_goes_by_distance_one_part_after_the_other(graph):
    made = networkx_graph(graph)
    order = ORDERINGS["breadth-first"](graph, [])
    position = {v: i for i, v in enumerate(order)}
    at = 0
    for part in sorted(nx.connected_components(made), key=min):
        here = order[at : at + len(part)]
        assert set(here) == part
        assert here[0] == min(part)
        distance = nx.single_source_shortest_path_length(made, here[0])
        assert [distance[v] for v in here] == sorted(distance.values())
        at += len(part)
    assert len(position) == len(graph)


@pytest.mark.parametrize(
    ("graph", "largest"),
    [
        (nx.path_graph(9), 1),
        (nx.star_graph(8), 1),
        (nx.balanced_tree(2, 3), 1),
        (nx.cycle_graph(9), 2),
        (nx.ladder_graph(6), 2),
        (nx.complete_graph(6), 5),
        (nx.complete_bipartite_graph(3, 5), 3),
        (nx.empty_graph(4), 0),
    ],
    ids=["path", "star", "tree", "cycle", "ladder", "complete", "bipartite", "empty"],
)
@pytest.mark.parametrize("ordering", ["generateseq", "weighted-min-degree"])
def test_dependent_sets_are_as_small_as_the_treewidth(graph, largest, ordering):
    around = neighbours_of(graph)
    sets = dependent_sets(around, ORDERINGS[ordering](around, [4] * len(graph)))
    assert max(map(len, sets)) == largest


def test_generateseq_keeps_inception_small_where_breadth_first_cannot():
    shape = costs_of_case("inception3/p8")[1].tables.shape
    largest = {
        name: max(map(len, dependent_sets(shape.neighbours, order_vertices(shape, name))))
        for name in ORDERINGS
    }
    # The paper: dependent set and vertex together are 3 at most, and 10 and more breadth-first.
    assert largest["generateseq"] + 1 == 3
    assert largest["breadth-first"] >= 10


def test_weights_decide_between_equal_degrees():
    # A path a - b - c of 2, 90, 50 choices: the end with the cheaper joint table goes first.
    path = neighbours_of(nx.path_graph(3))
    assert ORDERINGS["weighted-min-degree"](path, [50, 90, 2])[0] == 2
    assert ORDERINGS["weighted-min-degree"](path, [2, 90, 50])[0] == 0
    assert ORDERINGS["generateseq"](path, [50, 90, 2])[0] == 0


@given(problems())
def test_neighbours_are_the_ends_of_the_pairs(tables):
    found = tables.shape.neighbours
    edges = {frozenset((pair.first, pair.second)) for pair in tables.pairs}
    assert {frozenset((u, v)) for u, around in enumerate(found) for v in around} == edges


@pytest.mark.parametrize("ordering", ORDERINGS)
def test_cost_tables_are_ordered_by_name(ordering):
    costs = np.zeros(2)
    shape = CostTables((costs,) * 3, (PairTable(2, 0, np.zeros((2, 2))),)).shape
    expected = ORDERINGS[ordering](shape.neighbours, shape.n_choices)
    assert order_vertices(shape, ordering) == expected


def test_unknown_orderings_are_refused():
    tables = CostTables((np.zeros(1),), ())
    with pytest.raises(OptionError, match=r"unknown ordering 'min-fill'; known: generateseq, "):
        order_vertices(tables.shape, "min-fill")
