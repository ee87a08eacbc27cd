"""Elimination on paper: every step obeys the definitions, and the sizes are the search's."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pase_core.costs.build import build_costs
from pase_core.errors import OptionError
from pase_core.search.elimination import eliminate
from pase_core.search.growth import grow
from pase_core.search.options import SearchOptions
from pase_core.search.ordering import ORDERINGS
from pase_core.skeleton import skeleton
from sample_graphs.toys import branches, three_layers
from tests.core.reference_data import MODEL, sample


@st.composite
def networks(draw):
    n = draw(st.integers(1, 9))
    pairs = [(u, v) for v in range(n) for u in range(v)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    around = [set() for _ in range(n)]
    for u, v in edges:
        around[u].add(v)
        around[v].add(u)
    choices = draw(st.lists(st.integers(1, 50), min_size=n, max_size=n))
    return [frozenset(each) for each in around], choices


def reachable(graph, start, allowed):
    found, waiting = {start}, [start]
    while waiting:
        fresh = (graph[waiting.pop()] & allowed) - found
        found |= fresh
        waiting += fresh
    return found


@given(networks(), st.sampled_from(sorted(ORDERINGS)))
def test_steps_obey_the_definitions(network, ordering):
    graph, choices = network
    steps = grow(graph, choices, ordering)
    order = [step.vertex for step in steps]
    assert sorted(order) == list(range(len(graph)))
    for i, step in enumerate(steps):
        connected = reachable(graph, step.vertex, set(order[: i + 1]))
        around = set().union(*(graph[v] for v in connected)) - set(order[: i + 1])
        assert {step.vertex, *step.connected} == connected
        assert set(step.dependents) == around
        assert list(step.dependents) == sorted(around, key=order.index)
        assert step.n_kept == math.prod(choices[v] for v in around)
        assert step.n_joint == step.n_kept * choices[step.vertex]


@pytest.mark.parametrize("ordering", ["generateseq", "weighted-min-degree"])
@pytest.mark.parametrize("name", ["alexnet", "transformer"])
def test_sizes_are_those_of_the_search(name, ordering):
    graph = sample(name, 32)
    costs = build_costs(graph, MODEL, 4)
    shape = skeleton(graph, 4)
    assert shape.n_choices == costs.tables.n_choices
    assert set(shape.edges) == {(pair.first, pair.second) for pair in costs.tables.pairs}
    steps = grow(shape.neighbours, shape.n_choices, ordering)
    result = eliminate(costs.tables, SearchOptions(ordering=ordering, remove_dominated=False))
    assert tuple(step.vertex for step in steps) == result.order
    assert tuple(step.dependents for step in steps) == result.dependent_sets
    assert max(step.n_joint for step in steps) == result.largest_table
    assert sum(step.n_joint for step in steps) == result.n_joint


def test_an_unknown_ordering_is_refused():
    with pytest.raises(OptionError, match="known: generateseq"):
        grow([frozenset()], [1], "alphabetical")


def test_a_part_stands_by_itself():
    whole = skeleton(branches(), 4)
    part = whole.part([2, 3, 7])
    assert part.names == ("middle 1", "middle 2", "join 1")
    assert part.edges == ((0, 1), (1, 2))
    assert part.n_choices == tuple(whole.n_choices[i] for i in (2, 3, 7))


def test_joins_are_counted():
    assert skeleton(three_layers(), 4).n_joins == 0
    assert skeleton(branches(), 4).n_joins == 2


def test_breadth_first_drowns_in_inception_v3_where_generateseq_does_not():
    shape = skeleton(sample("inception_v3", 128), 8)
    naive, clever = (
        grow(shape.neighbours, shape.n_choices, name) for name in ("breadth-first", "generateseq")
    )
    assert max(len(step.dependents) for step in clever) == 2
    assert max(len(step.dependents) for step in naive) >= 10
    assert max(step.n_joint for step in naive) > 1e11 * max(step.n_joint for step in clever)
