"""The least cost at a limited weight against all combinations of choices."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pase_core.cost_tables import CostTables
from pase_core.errors import BudgetError, OptionError
from pase_core.search import within as module
from pase_core.search.balance import Line
from pase_core.search.between import HULL_ONLY, PROGRAM, TABLES
from pase_core.search.frontier import hull
from pase_core.search.options import SearchOptions
from pase_core.search.within import cheapest_within, lightest_line
from tests.core.search.random_tables import DECIMALS, arrays_of, complete_problem, copy_of
from tests.core.search.test_frontier import (
    NEAR,
    WAYS,
    Stop,
    all_pairs,
    slow_frontier,
    staircase,
    two_costs,
)


def cheapest_of(points, limit):
    """Cost of the cheapest point within a limit, infinite if none is."""
    return min((c for w, c in points if w <= limit), default=math.inf)


@given(two_costs(), st.sampled_from(WAYS), st.integers(-1, 40))
@settings(max_examples=200)
def test_nothing_within_the_limit_is_cheaper(costs, method, limit):
    found = cheapest_within(*costs, float(limit), SearchOptions(method=method))
    points = all_pairs(*costs)
    assert found.cost == found.lower_bound == cheapest_of(points, limit)
    assert found.proved_optimal
    assert (found.least.weight, found.least.cost) == min(points)
    if found.choices is not None:
        assert found.weight <= limit
        assert (found.weight, found.cost) in points


@given(two_costs(), st.sampled_from(WAYS))
def test_the_limit_of_every_point_is_kept_to_and_no_less(costs, method):
    options = SearchOptions(method=method)
    points = slow_frontier(*costs)
    for before, (w, c) in zip([None, *points], points, strict=False):
        assert cheapest_within(*costs, w, options).cost == c
        below = cheapest_within(*costs, w - 1e-6, options)
        if before is None:
            assert below.choices is None
            assert below.least.weight == w
        else:
            assert (below.weight, below.cost) == before


@given(two_costs(DECIMALS), st.sampled_from(["elimination", "auto"]), st.data())
def test_costs_that_are_rounded_find_the_point_whose_weight_is_the_limit(costs, method, data):
    cost, weight = costs
    limit, _cost = data.draw(st.sampled_from(slow_frontier(cost, weight)))
    found = cheapest_within(cost, weight, limit, SearchOptions(method=method))
    assert found.proved_optimal
    assert found.cost == pytest.approx(cheapest_of(all_pairs(cost, weight), limit), rel=NEAR)
    assert found.weight <= limit * (1 + NEAR)
    assert found.cost == cost.total(found.choices)
    assert found.weight == weight.total(found.choices)
    assert found.least.weight == pytest.approx(weight.total(found.least.choices))


@pytest.mark.parametrize("method", WAYS)
def test_the_sum_of_a_weight_may_be_rounded_up(method):
    tenths = tuple(np.array([0.1, 0.0]) for _ in range(3))
    cost = CostTables(tuple(np.array([0.0, 1.0]) for _ in range(3)), ())
    weight = CostTables(tenths, ())
    assert weight.total((0, 0, 0)) > 0.3
    options = SearchOptions(method=method)
    assert cheapest_within(cost, weight, 0.3, options).choices == (0, 0, 0)
    assert cheapest_within(cost, weight, 0.3 * (1 - 1e-6), options).cost == 1.0


def test_what_fits_by_a_hair_is_kept_apart_from_what_does_not():
    cost, weight = staircase()
    for (w, c), (u, d) in itertools.pairwise(slow_frontier(cost, weight)):
        assert cheapest_within(cost, weight, u).cost == d
        just_below = cheapest_within(cost, weight, u * (1 - 1e-11))
        assert (just_below.weight, just_below.cost) == (w, c)


@pytest.mark.parametrize("method", WAYS)
def test_where_nothing_fits_the_lightest_is_told(method):
    cost = CostTables((np.array([5.0, 3.0, 1.0]), np.array([0.0, 0.0])), ())
    weight = CostTables((np.array([2.0, 2.0, 7.0]), np.array([1.0, 4.0])), ())
    found = cheapest_within(cost, weight, 2.5, SearchOptions(method=method))
    assert found.choices is None
    assert found.cost == found.weight == found.lower_bound == math.inf
    assert found.proved_optimal
    assert found.least.choices == (1, 0)
    assert (found.least.weight, found.least.cost) == (3.0, 3.0)


@pytest.mark.parametrize("limit", [math.inf, 1e300])
def test_without_a_limit_that_matters_it_is_the_optimum(limit):
    cost, weight = staircase()
    found = cheapest_within(cost, weight, limit)
    assert found.cost == min(c for _w, c in all_pairs(cost, weight))
    assert found.method == HULL_ONLY


def between_corners(costs):
    """A limit between two corners of the hull, whose best is neither."""
    corners = {point.weight for point in hull(*costs)}
    return next(w for w, _c in slow_frontier(*costs) if w not in corners)


@pytest.mark.parametrize(
    ("method", "used"),
    [("elimination", TABLES), ("auto", TABLES), ("bounds", PROGRAM), ("integer-program", PROGRAM)],
)
def test_what_is_searched_with_beyond_the_hull_is_named(method, used):
    costs = staircase()
    limit = between_corners(costs)
    found = cheapest_within(*costs, limit, SearchOptions(method=method))
    assert found.method == used
    assert found.cost == cheapest_of(all_pairs(*costs), limit)


def test_where_tables_grow_too_large_a_program_takes_over(monkeypatch):
    monkeypatch.setattr("pase_core.search.near_hull.WORTH_LISTING", 0)
    costs = staircase()
    limit = between_corners(costs)
    found = cheapest_within(*costs, limit)
    assert found.method == PROGRAM
    assert found.cost == found.lower_bound == cheapest_of(all_pairs(*costs), limit)


def test_what_is_listed_before_the_tables_grow_too_large_is_not_lost(monkeypatch):
    costs = staircase(8)
    limit = between_corners(costs)
    listings = iter(range(1))
    whole = module.NearHull._list

    def once(self, *args):
        if next(listings, None) is None:
            raise BudgetError("too large")
        return whole(self, *args)

    monkeypatch.setattr(module.NearHull, "_list", once)
    found = cheapest_within(*costs, limit)
    best = cheapest_of(slow_frontier(*costs), limit)
    assert found.method == f"{TABLES} and {PROGRAM}"
    assert found.cost == best
    assert found.proved_optimal


@pytest.mark.parametrize("method", WAYS)
def test_without_time_the_best_known_is_told_with_a_bound(method):
    costs = staircase(8)
    limit = between_corners(costs)
    options = SearchOptions(method=method)
    patient = cheapest_within(*costs, limit, options)
    objectives_time = SearchOptions(method=method, time_limit_seconds=0.0)
    if method in ("bounds", "integer-program"):
        with pytest.raises(BudgetError, match="--time-limit"):
            cheapest_within(*_hard(), 30.0, objectives_time)
        return
    hasty = cheapest_within(*costs, limit, objectives_time)
    assert not hasty.proved_optimal
    assert hasty.lower_bound <= patient.cost < hasty.cost
    assert hasty.weight <= limit
    assert hasty.weight in {point.weight for point in hull(*costs)}


def _hard():
    return complete_problem(12, 6, seed=1), complete_problem(12, 6, seed=2)


def test_the_lightest_line_is_found_where_no_tie_break_tells_it():
    lines = [Line((0,), 0.0, 1e9), Line((1,), 3.0, 1.0), Line((2,), 5.0, 0.0), Line((3,), 9.0, 0.0)]

    def best_at(first, second):
        return min(reversed(lines), key=lambda line: first * line.fixed + second * line.scaled)

    assert best_at(0.0, 1.0) == lines[3]
    assert best_at(1.0, 1e4 * 9.0 / 1e9) == lines[1]
    assert lightest_line(best_at, lines[0]) == lines[2]


def test_few_searches_are_made(monkeypatch):
    costs = staircase(24)
    corners = hull(*costs)
    n_searches = []
    line = module.Objectives.plan(*costs).search.__class__.line
    monkeypatch.setattr(
        "pase_core.search.balance.WeightedSearch.line",
        lambda *args: n_searches.append(1) or line(*args),
    )
    middle = len(corners) // 2
    cheapest_within(*costs, 0.5 * (corners[middle].weight + corners[middle + 1].weight))
    assert len(corners) > 20
    assert len(n_searches) <= 12


@given(two_costs(), st.integers(0, 30))
def test_tables_given_are_left_alone(costs, limit):
    before = [copy_of(tables) for tables in costs]
    cheapest_within(*costs, float(limit))
    for tables, copies in zip(costs, before, strict=True):
        for array, copy in zip(arrays_of(tables), copies, strict=True):
            assert np.array_equal(array, copy)


def test_a_limit_that_is_no_number_is_refused():
    with pytest.raises(OptionError, match="limit of nan: must be a number"):
        cheapest_within(*staircase(2), math.nan)


def test_an_unknown_method_is_refused():
    with pytest.raises(OptionError, match="unknown method 'guess'"):
        cheapest_within(*staircase(2), 100.0, SearchOptions(method="guess"))


def test_the_memory_budget_is_kept_to():
    with pytest.raises(BudgetError, match="--memory-budget"):
        cheapest_within(*_hard(), 30.0, SearchOptions(memory_budget_bytes=1000))


@pytest.mark.parametrize("method", WAYS)
def test_progress_rises_to_1(method):
    told = []
    costs = staircase()
    cheapest_within(*costs, between_corners(costs), SearchOptions(method=method), told.append)
    assert told == sorted(told)
    assert told[0] >= 0.0
    assert told[-1] == 1.0


@pytest.mark.parametrize("method", WAYS)
def test_progress_may_stop_the_search_at_any_time(method):
    costs, options, told = staircase(3), SearchOptions(method=method), []
    limit = between_corners(costs)
    cheapest_within(*costs, limit, options, told.append)
    for n in range(1, len(told), max(1, len(told) // 10)):
        left = iter(range(n))

        def progress(_share, left=left):
            if next(left, None) is None:
                raise Stop

        with pytest.raises(Stop):
            cheapest_within(*costs, limit, options, progress)
