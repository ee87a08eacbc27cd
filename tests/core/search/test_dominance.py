"""Removing dominated choices loses no optimum, and the compiled loop removes the same ones."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given

from pase_core.cost_tables import CostTables, PairTable
from pase_core.search.dominance import N_CANDIDATES, mark_dominated_numpy, remove_dominated
from tests.core.reference_data import costs_of_case
from tests.core.search.random_tables import (
    REALS,
    arrays_of,
    copy_of,
    joint_costs,
    least_cost,
    problems,
    random_problem,
)


def check_kept_alike(tables: CostTables) -> None:
    compiled, numpy = (remove_dominated(tables, is_compiled=c).kept for c in (True, False))
    for ours, wanted in zip(compiled, numpy, strict=True):
        np.testing.assert_array_equal(ours, wanted)


@given(problems(max_choices=6))
def test_compiled_loop_and_numpy_keep_the_same_choices(tables):
    check_kept_alike(tables)


@given(problems(costs=REALS, max_choices=6))
def test_they_keep_the_same_choices_with_rounding(tables):
    check_kept_alike(tables)


@pytest.mark.parametrize("case", ["alexnet/p32", "inception3/p8", "transformer/p8"])
def test_they_keep_the_same_choices_of_real_networks(case):
    check_kept_alike(costs_of_case(case)[1].tables)


@given(problems(max_choices=5))
def test_no_removed_choice_was_needed_for_the_optimum(tables):
    reduced = remove_dominated(tables)
    assert least_cost(reduced.tables) == least_cost(tables)
    # Nor is it the only optimum: some optimum uses kept choices only.
    joint = joint_costs(tables)
    assert joint[np.ix_(*reduced.kept)].min() == joint.min()


def edges_of(tables: CostTables, vertex: int) -> list[tuple[int, np.ndarray]]:
    """Neighbour and table of each edge, choices of the vertex first."""
    ends = [(p.second, p.costs) for p in tables.pairs if p.first == vertex]
    return ends + [(p.first, p.costs.T) for p in tables.pairs if p.second == vertex]


def is_no_worse(tables: CostTables, vertex: int, b: int, a: int) -> bool:
    """Try b in place of a beside every combination of the neighbours' choices."""
    edges = edges_of(tables, vertex)
    everything = itertools.product(*(range(table.shape[1]) for _u, table in edges))
    own = tables.vertices[vertex]
    return all(
        own[b] + sum(table[b, c] for (_u, table), c in zip(edges, around, strict=True))
        <= own[a] + sum(table[a, c] for (_u, table), c in zip(edges, around, strict=True))
        for around in everything
    )


@given(problems(max_vertices=4, max_choices=4))
def test_each_removed_choice_is_dominated_by_one_that_stays(tables):
    reduced = remove_dominated(tables)
    for vertex, kept in enumerate(reduced.kept):
        for a in set(range(tables.n_choices[vertex])) - set(kept.tolist()):
            assert any(is_no_worse(tables, vertex, b, a) for b in kept)


@given(problems(max_vertices=4, max_choices=4))
def test_no_choice_that_stays_is_dominated(tables):
    # With as few choices as here, all are candidates.
    for vertex, kept in enumerate(remove_dominated(tables).kept):
        for a, b in itertools.permutations(kept.tolist(), 2):
            assert not is_no_worse(tables, vertex, b, a)


@given(problems(max_choices=5))
def test_the_reduced_tables_are_rows_and_columns_of_the_old_ones(tables):
    reduced = remove_dominated(tables)
    for kept, costs, before in zip(
        reduced.kept, reduced.tables.vertices, tables.vertices, strict=True
    ):
        assert len(kept) >= 1
        assert kept.tolist() == sorted(set(kept.tolist()))
        np.testing.assert_array_equal(costs, before[kept])
    for pair, before in zip(reduced.tables.pairs, tables.pairs, strict=True):
        assert (pair.first, pair.second) == (before.first, before.second)
        wanted = before.costs[np.ix_(reduced.kept[pair.first], reduced.kept[pair.second])]
        np.testing.assert_array_equal(pair.costs, wanted)
    assert reduced.tables.names == tables.names


@given(problems(max_choices=5))
def test_inputs_are_not_changed(tables):
    before = copy_of(tables)
    for is_compiled in (True, False):
        remove_dominated(tables, is_compiled=is_compiled)
    for ours, wanted in zip(arrays_of(tables), before, strict=True):
        np.testing.assert_array_equal(ours, wanted)


@pytest.mark.parametrize("case", ["transformer/p8", "resnet101/p8"])
def test_equal_tables_stay_shared(case):
    tables = costs_of_case(case)[1].tables
    reduced = remove_dominated(tables).tables
    assert reduced.n_bytes < tables.n_bytes
    assert len({id(costs) for costs in reduced.vertices}) < len(reduced.vertices) / 2
    assert len({id(pair.costs) for pair in reduced.pairs}) < len(reduced.pairs) / 2


@pytest.mark.parametrize("is_compiled", [False, True])
def test_of_equal_choices_the_first_stays(is_compiled):
    tables = CostTables(
        (np.array([2.0, 1.0, 1.0, 1.0]), np.zeros(2)),
        (PairTable(0, 1, np.array([[1.0, 1.0], [3.0, 0.0], [3.0, 0.0], [0.0, 3.0]])),),
    )
    reduced = remove_dominated(tables, is_compiled=is_compiled)
    # 0 costs 3 whatever happens, less than 4; 1 and 2 are equal.
    assert reduced.kept[0].tolist() == [0, 1, 3]


@pytest.mark.parametrize("is_compiled", [False, True])
def test_a_vertex_without_neighbours_keeps_its_cheapest_choice(is_compiled):
    tables = CostTables((np.array([3.0, 1.0, 1.0]),), ())
    assert remove_dominated(tables, is_compiled=is_compiled).kept[0].tolist() == [1]


@pytest.mark.parametrize("is_compiled", [False, True])
def test_a_difference_that_one_neighbour_makes_up_for_is_not_enough(is_compiled):
    # Choice 1 is 2 cheaper and at most 2 dearer on the edge: it dominates. With 2.5 it does not.
    for extra, kept in ((2.0, [1]), (2.5, [0, 1])):
        edge = np.array([[0.0, 1.0], [extra, 0.0]])
        tables = CostTables((np.array([2.0, 0.0]), np.zeros(2)), (PairTable(0, 1, edge),))
        assert remove_dominated(tables, is_compiled=is_compiled).kept[0].tolist() == kept


@pytest.mark.parametrize("is_compiled", [False, True])
def test_only_the_promising_choices_are_tried_as_dominating_ones(is_compiled):
    # The first n choices are each best for one neighbour's choice, and good on the whole; of the
    # two behind them the one dominates the other, but is tried only if n leaves room for it.
    for n in (N_CANDIDATES - 1, N_CANDIDATES):
        edge = np.ones((n + 2, n + 1))
        edge[range(n), range(n)] = 0.0
        edge[n], edge[n + 1] = 5.0, 6.0
        edge[n, n], edge[n + 1, n] = 0.0, 0.5
        tables = CostTables((np.zeros(n + 2), np.zeros(n + 1)), (PairTable(0, 1, edge),))
        kept = remove_dominated(tables, is_compiled=is_compiled).kept[0]
        assert len(kept) == (n + 1 if n < N_CANDIDATES else n + 2)


def test_marks_are_added_to_those_that_are_there():
    marks = np.array([False, False, True])
    costs = np.array([0.0, 1.0, 0.0])
    mark_dominated_numpy(costs, [np.zeros((3, 2))], np.array([2, 0]), marks)
    assert marks.tolist() == [False, True, True]


def test_removal_helps_on_random_problems():
    tables = random_problem([(0, 1), (1, 2)], [30, 30, 30], seed=5)
    tables.vertices[1][:] *= 10
    assert len(remove_dominated(tables).kept[1]) < 30
