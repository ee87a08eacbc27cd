"""The hull and the frontier of two costs against all combinations of choices."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pase_core.cost_tables import CostTables, PairTable
from pase_core.errors import BudgetError, OptionError
from pase_core.search.between import HULL_ONLY, PROGRAM, TABLES
from pase_core.search.frontier import frontier, hull
from pase_core.search.options import SearchOptions
from tests.core.search.random_tables import (
    DECIMALS,
    INTEGERS,
    arrays_of,
    complete_problem,
    copy_of,
    joint_costs,
    problems,
)

WAYS = ["elimination", "bounds", "integer-program", "auto"]
NEAR = 1e-9


class Stop(Exception):
    """Raised by a progress."""


@st.composite
def two_costs(draw, costs=INTEGERS, max_vertices=5, max_choices=3):
    """A cost and a weight over the same vertices; pairs that one lacks, pairs the other way round.

    Where the cost shares an array, the weight mostly does.
    """
    cost = draw(problems(costs, max_vertices, max_choices))
    sizes, shared = cost.n_choices, {}

    def array(*shape):
        n = math.prod(shape)
        return np.array(draw(st.lists(costs, min_size=n, max_size=n)), float).reshape(shape)

    def beside(other, *shape):
        key = (id(other), shape)
        if key not in shared or draw(st.integers(0, 3)) == 0:
            shared[key] = array(*shape)
        return shared[key]

    pairs = []
    known = {frozenset((p.first, p.second)): p for p in cost.pairs}
    for u, v in itertools.combinations(range(len(sizes)), 2):
        other = known.get(frozenset((u, v)))
        if draw(st.integers(0, 3)) < (3 if other else 1):
            first, second = draw(st.permutations((u, v)))
            costs_of_pair = beside(other and other.costs, sizes[first], sizes[second])
            pairs.append(PairTable(first, second, costs_of_pair))
    vertices = tuple(beside(costs_, len(costs_)) for costs_ in cost.vertices)
    return cost, CostTables(vertices, tuple(pairs), names=cost.names)


def all_pairs(cost, weight):
    """Weight and cost of every combination."""
    return list(zip(joint_costs(weight).ravel(), joint_costs(cost).ravel(), strict=True))


def slow_frontier(cost, weight):
    """The pairs (weight, cost) that no other beats, by rising weight, by the definition."""
    pairs = set(all_pairs(cost, weight))
    return sorted(
        (w, c)
        for w, c in pairs
        if not any(u <= w and d <= c and (u, d) != (w, c) for u, d in pairs)
    )


def is_above_a_chord(point, points):
    """Whether a mixture of a lighter and a heavier point is cheaper at the point's weight."""
    w, c = point
    return any(
        (c - d) * (x - u) > (e - d) * (w - u)
        for (u, d), (x, e) in itertools.combinations(sorted(points), 2)
        if u < w < x
    )


def pairs_of(points):
    return [(point.weight, point.cost) for point in points]


@given(two_costs(), st.sampled_from(WAYS))
@settings(max_examples=200)
def test_the_frontier_is_all_that_no_combination_beats(costs, method):
    found = frontier(*costs, SearchOptions(method=method))
    assert pairs_of(found.points) == slow_frontier(*costs)
    assert found.is_complete


@given(two_costs(), st.sampled_from(WAYS))
def test_supported_points_are_those_on_the_convex_hull(costs, method):
    wanted = slow_frontier(*costs)
    for point in frontier(*costs, SearchOptions(method=method)).points:
        assert point.is_supported != is_above_a_chord((point.weight, point.cost), wanted)


@given(two_costs(), st.sampled_from(WAYS))
def test_the_hull_has_the_corners_and_nothing_else(costs, method):
    points = slow_frontier(*costs)
    corners = [p for p in points if not _is_on_or_above_a_chord(p, points)]
    found = hull(*costs, SearchOptions(method=method))
    assert pairs_of(found) == corners
    assert all(point.is_supported for point in found)


def _is_on_or_above_a_chord(point, points):
    w, c = point
    return any(
        (c - d) * (x - u) >= (e - d) * (w - u)
        for (u, d), (x, e) in itertools.combinations(sorted(points), 2)
        if u < w < x
    )


@given(two_costs(DECIMALS), st.sampled_from(["elimination", "auto"]))
def test_costs_that_are_rounded_are_covered_and_none_is_beaten(costs, method):
    cost, weight = costs
    found = frontier(cost, weight, SearchOptions(method=method)).points
    for point in found:
        assert point.cost == cost.total(point.choices)
        assert point.weight == weight.total(point.choices)
    for w, c in slow_frontier(cost, weight):
        assert any(p.weight <= w * (1 + NEAR) and p.cost <= c * (1 + NEAR) for p in found)
    pairs = pairs_of(found)
    for (w, c), (u, d) in itertools.pairwise(pairs):
        assert w < u and d < c
    for w, c in pairs:
        assert not any(
            u < w * (1 - NEAR) and d < c * (1 - NEAR) for u, d in all_pairs(cost, weight)
        )


@given(two_costs(DECIMALS))
def test_the_ends_are_the_least_weight_and_the_least_cost(costs):
    points = hull(*costs)
    all_of_them = all_pairs(*costs)
    assert points[0].weight == pytest.approx(min(w for w, _ in all_of_them), rel=NEAR)
    assert points[-1].cost == pytest.approx(min(c for _, c in all_of_them), rel=NEAR)
    whole = frontier(*costs).points
    assert pairs_of([whole[0], whole[-1]]) == pairs_of([points[0], points[-1]])


@given(two_costs(), st.sampled_from(WAYS), st.sampled_from([0.05, 0.3, 1.0]))
def test_nothing_lies_farther_below_the_points_than_epsilon(costs, method, epsilon):
    found = frontier(*costs, SearchOptions(method=method), epsilon=epsilon)
    assert found.is_complete
    factor = (1.0 + epsilon) * (1.0 + NEAR)
    for w, c in slow_frontier(*costs):
        assert any(p.weight <= factor * w and p.cost <= factor * c for p in found.points)
    assert set(pairs_of(found.points)) <= set(all_pairs(*costs))


def staircase(n_vertices=5, seed=0):
    """Independent vertices whose sums are many points, few of them on the hull."""
    random = np.random.default_rng(seed)
    arrays = [
        tuple(random.integers(1, 60, 4).astype(float) for _ in range(n_vertices)) for _ in range(2)
    ]
    return tuple(CostTables(vertices, ()) for vertices in arrays)


def test_a_larger_epsilon_leaves_points_out():
    costs = staircase(8)
    numbers = [len(frontier(*costs, epsilon=epsilon).points) for epsilon in (0.0, 0.05, 0.5)]
    assert numbers[0] == len(slow_frontier(*costs))
    assert numbers[0] > numbers[1] > numbers[2] == len(hull(*costs))


@pytest.mark.parametrize(
    ("method", "used"),
    [("elimination", TABLES), ("auto", TABLES), ("bounds", PROGRAM), ("integer-program", PROGRAM)],
)
def test_what_is_searched_with_between_the_corners_is_named(method, used):
    found = frontier(*staircase(3), SearchOptions(method=method))
    assert found.method == used
    assert pairs_of(found.points) == slow_frontier(*staircase(3))


def test_where_tables_grow_too_large_a_program_takes_over(monkeypatch):
    monkeypatch.setattr("pase_core.search.near_hull.WORTH_LISTING", 0)
    found = frontier(*staircase(3), SearchOptions(method="auto"))
    assert PROGRAM in found.method
    assert pairs_of(found.points) == slow_frontier(*staircase(3))


def test_a_free_weight_leaves_the_optimum_alone():
    cost = CostTables((np.array([3.0, 1.0, 2.0]),), ())
    found = frontier(cost, CostTables((np.zeros(3),), ()))
    assert [point.choices for point in found.points] == [(1,)]
    assert found.method == HULL_ONLY
    assert found.is_complete


@given(two_costs())
def test_tables_given_are_left_alone(costs):
    before = [copy_of(tables) for tables in costs]
    frontier(*costs)
    for tables, copies in zip(costs, before, strict=True):
        for array, copy in zip(arrays_of(tables), copies, strict=True):
            assert np.array_equal(array, copy)


def test_what_was_not_searched_for_lack_of_time_is_told():
    costs = staircase()
    found = frontier(*costs, SearchOptions(time_limit_seconds=0.0))
    assert not found.is_complete
    missing = set(slow_frontier(*costs)) - set(pairs_of(found.points))
    assert missing
    assert all(any(a < w < b for a, b in found.unproved) for w, _cost in missing)
    assert set(hull(*costs)) <= set(found.points)


def test_a_hull_that_is_not_proved_is_refused():
    cost, weight = complete_problem(12, 6, seed=1), complete_problem(12, 6, seed=2)
    with pytest.raises(BudgetError, match=r"not proved within 0 s.*--time-limit"):
        frontier(cost, weight, SearchOptions(method="bounds", time_limit_seconds=0.0))


@pytest.mark.parametrize("search", [hull, frontier])
def test_the_memory_budget_is_kept_to(search):
    cost, weight = complete_problem(6, 4, seed=1), complete_problem(6, 4, seed=2)
    with pytest.raises(BudgetError, match="--memory-budget"):
        search(cost, weight, SearchOptions(memory_budget_bytes=1000))


@pytest.mark.parametrize("epsilon", [-0.1, 1.5, math.nan])
def test_an_epsilon_out_of_range_is_refused(epsilon):
    with pytest.raises(OptionError, match="must be a number from 0 to 1"):
        frontier(*staircase(2), epsilon=epsilon)


def test_an_unknown_method_is_refused():
    with pytest.raises(OptionError, match="unknown method 'guess'"):
        frontier(*staircase(2), SearchOptions(method="guess"))


@pytest.mark.parametrize("method", WAYS)
def test_progress_rises_to_1(method):
    told = []
    frontier(*staircase(3), SearchOptions(method=method), progress=told.append)
    assert told == sorted(told)
    assert told[0] >= 0.0
    assert told[-1] == 1.0


@pytest.mark.parametrize("method", WAYS)
def test_progress_may_stop_the_search_at_any_time(method):
    told = []
    frontier(*staircase(2), SearchOptions(method=method), progress=told.append)
    for n in range(1, len(told), max(1, len(told) // 10)):
        left = iter(range(n))

        def progress(_share, left=left):
            if next(left, None) is None:
                raise Stop

        with pytest.raises(Stop):
            frontier(*staircase(2), SearchOptions(method=method), progress=progress)
