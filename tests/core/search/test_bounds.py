import itertools
import math
import time
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pase_core.cost_tables import CostTables, PairTable
from pase_core.errors import BudgetError
from pase_core.search.bounds import search_by_bounds
from pase_core.search.brute_force import brute_force
from pase_core.search.elimination import eliminate
from pase_core.search.engine import FLAT_LOOPS, load_kernels
from pase_core.search.integer_program import integer_program, relaxed_optimum
from pase_core.search.marginals import marginals
from pase_core.search.methods import search
from pase_core.search.options import SearchOptions
from pase_core.search.program import build_program
from pase_core.search.relaxation import bound_of, first_messages, relax
from pase_core.search.rivals import RIVALS
from pase_core.search.trajectory import TrialOptions
from tests.core.search.random_tables import (
    DECIMALS,
    complete_problem,
    joint_costs,
    least_cost,
    problems,
    random_problem,
)

NO_TIME = SearchOptions(time_limit_seconds=0.0)
METHODS = {"bounds": search_by_bounds, "integer program": integer_program}


def frustrated_triangle(n_triangles=1):
    """Three vertices that all want to differ, two choices each: half choices cost nothing."""
    edge = np.array([[1.0, 0.0], [0.0, 1.0]])
    pairs = []
    for start in range(0, 3 * n_triangles, 3):
        for u, v in ((0, 1), (1, 2), (0, 2)):
            pairs.append(PairTable(start + u, start + v, edge))
    return CostTables((np.zeros(2),) * (3 * n_triangles), tuple(pairs))


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
@given(tables=problems(max_vertices=5))
def test_a_search_finds_the_optimum_of_all_combinations(method, tables):
    found, slow = method(tables), brute_force(tables)
    assert found.proved_optimal
    assert found.cost == pytest.approx(slow.cost, rel=1e-9, abs=1e-9)
    assert found.cost == tables.total(found.choices)
    assert found.lower_bound <= found.cost
    assert found.gap == 0.0


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
@given(tables=problems(costs=DECIMALS, max_vertices=4, max_choices=3))
def test_rounded_costs_are_no_obstacle(method, tables):
    found = method(tables)
    assert found.proved_optimal
    assert found.cost == pytest.approx(least_cost(tables), rel=1e-9, abs=1e-6)


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
@pytest.mark.parametrize("seed", range(6))
def test_dense_graphs_where_the_relaxation_is_loose(method, seed):
    tables = complete_problem(8, 4, seed)
    assert relax(tables, 200).bound < least_cost(tables) - 1e-6 or seed
    found = method(tables)
    assert found.proved_optimal
    assert found.cost == pytest.approx(least_cost(tables), rel=1e-9)


@given(problems(), st.integers(0, 12))
def test_a_relaxation_stays_below_every_whole(tables, n_sweeps):
    found = relax(tables, n_sweeps)
    joint = joint_costs(tables)
    assert found.bound <= joint.min() + 1e-9
    assert found.cost == tables.total(found.choices) >= joint.min() - 1e-9
    for floors, costs in zip(found.floors, marginals(tables).costs, strict=True):
        assert (floors <= costs + 1e-9).all()


@given(problems(max_vertices=5, max_choices=3))
def test_bounds_rise_towards_the_relaxed_optimum(tables):
    bounds = [relax(tables, n).bound for n in (0, 1, 2, 5, 20)]
    optimum = relaxed_optimum(tables)
    for earlier, later in itertools.pairwise(bounds):
        assert later >= earlier - 1e-9
    assert bounds[-1] <= optimum + 1e-6
    assert optimum <= least_cost(tables) + 1e-6


def slow_sweep(tables, messages, order):
    """One sweep from the definition, with a dictionary of messages by edge and end."""
    rank = {v: i for i, v in enumerate(order)}
    edges = tables.shape.edges
    at = {}
    for i, (first, second) in enumerate(messages):
        at[i, tables.pairs[i].first], at[i, tables.pairs[i].second] = first.copy(), second.copy()
    for v in order:
        mine = [i for i, p in enumerate(tables.pairs) if v in (p.first, p.second)]
        total = tables.vertices[v] + sum(at[i, v] for i in mine)
        later = [i for i in mine if rank[sum(edges[i]) - v] > rank[v]]
        for i in later:
            pair = tables.pairs[i]
            u = pair.first + pair.second - v
            table = pair.costs if pair.first == v else pair.costs.T
            at[i, v] = at[i, v] - total / max(len(later), len(mine) - len(later))
            at[i, u] = (table - at[i, v][:, None]).min(axis=0)
    return tuple((at[i, p.first], at[i, p.second]) for i, p in enumerate(tables.pairs))


@given(problems(costs=DECIMALS))
def test_sweeps_are_those_of_the_definition(tables):
    n = len(tables.vertices)
    messages = slow_sweep(tables, first_messages(tables), range(n))
    messages = slow_sweep(tables, messages, range(n - 1, -1, -1))
    found = relax(tables, 1)
    for ours, slow in zip(found.messages, messages, strict=True):
        for one, other in zip(ours, slow, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-4)
    assert bound_of(tables, messages) == pytest.approx(found.bound, rel=1e-9, abs=1e-4)


@given(problems(costs=DECIMALS))
def test_a_relaxation_goes_on_where_another_stopped(tables):
    half = relax(tables, 3)
    resumed, whole = relax(tables, 3, half.messages), relax(tables, 6)
    assert resumed.bound == pytest.approx(whole.bound, rel=1e-9, abs=1e-4)


def test_a_tree_is_closed_by_one_sweep():
    tables = random_problem([(0, 1), (1, 2), (1, 3), (3, 4)], [3, 4, 2, 5, 3], seed=2)
    found = relax(tables, 1)
    assert found.is_closed
    assert found.cost == pytest.approx(least_cost(tables))


def test_a_frustrated_triangle_has_a_gap_that_only_choices_close():
    tables = frustrated_triangle()
    assert relaxed_optimum(tables) == pytest.approx(0.0, abs=1e-9)
    assert relax(tables, 50).bound == pytest.approx(0.0, abs=1e-9)
    for method in METHODS.values():
        assert method(tables).cost == 1.0
        assert method(tables).proved_optimal


def test_what_is_left_goes_to_elimination_if_it_is_small_and_to_the_program_if_not(monkeypatch):
    tables = complete_problem(8, 4, seed=0)
    assert search_by_bounds(tables).method == "bounds and elimination"
    monkeypatch.setattr("pase_core.search.bounds._WORTH_ELIMINATING", 10)
    assert search_by_bounds(tables).method == "bounds and integer program"
    assert search_by_bounds(tables).cost == eliminate(tables).cost


@given(problems(max_vertices=4, max_choices=3))
def test_a_program_prices_every_combination_of_what_it_keeps(tables):
    """Its cost and rows, with y = x x, for the optimum, which it must keep."""
    best = brute_force(tables)
    program = build_program(tables, first_messages(tables), best.cost + 1e-9)
    x = program.value_of(best.choices)
    assert x.sum() == len(tables.vertices)
    values = np.zeros(len(program.costs))
    values[: len(x)] = x
    # A row of an edge fixes which of its y can be 1; the cheapest such y are the edge's own.
    remaining = program.constant + float(program.costs[: len(x)] @ x)
    assert remaining <= best.cost + 1e-9
    for row in range(len(program.sides)):
        entries = slice(program.row_starts[row], program.row_starts[row + 1])
        assert set(program.values[entries]) <= {1.0, -1.0}
    assert len(program.sides) == len(tables.vertices) + sum(
        len(set(program.choices[program.vertices == v].tolist()))
        for pair in tables.pairs
        for v in (pair.first, pair.second)
    )


def test_a_cost_of_nothing_beside_large_ones_is_proved():
    """Sums of numbers around 1e12 are off by more than any share of a cost of 0."""
    random = np.random.default_rng(0)
    edges = [(u, v) for u in range(12) for v in range(u + 1, 12)]
    tables = random_problem(edges, [5] * 12, seed=1)
    for pair in tables.pairs:
        pair.costs[:] = 1e12 * random.random((5, 5))
        pair.costs[2, 2] = 0.0
    for costs in tables.vertices:
        costs[:] = 1e12 * random.random(5)
        costs[2] = 0.0
    for method in METHODS.values():
        found = method(tables, SearchOptions(time_limit_seconds=20.0))
        assert (found.cost, found.proved_optimal, found.gap) == (0.0, True, 0.0)


def test_a_time_limit_of_nothing_returns_choices_and_a_bound():
    tables = complete_problem(10, 5, seed=3)
    options = SearchOptions(time_limit_seconds=0.0)
    for method in METHODS.values():
        found = method(tables, options)
        assert not found.proved_optimal
        assert found.lower_bound < found.cost == tables.total(found.choices)
        assert 0.0 < found.gap < math.inf
        assert found.lower_bound <= eliminate(tables).cost <= found.cost


def test_what_was_found_is_kept_where_the_integer_program_does_not_fit():
    tables = complete_problem(16, 12, seed=2)
    tight = SearchOptions(memory_budget_bytes=8 * search_by_bounds(tables, NO_TIME).peak_bytes)
    found = search_by_bounds(tables, tight)
    assert found.method == "bounds"
    assert not found.proved_optimal
    assert found.lower_bound < found.cost == tables.total(found.choices)


def test_the_entries_of_a_program_are_counted_before_they_are_made():
    edge = np.random.default_rng(0).random((60, 60))
    n = 200
    pairs = tuple(PairTable(v, v + 1, edge) for v in range(n - 1))
    tables = CostTables((np.zeros(60),) * n, pairs)
    start = relax(tables, 0)
    limits = SearchOptions(memory_budget_bytes=10e6)
    with pytest.raises(BudgetError, match=r"entries at the transfer from .* raise it"):
        integer_program(tables, limits, start=start)


def test_a_time_limit_is_looked_at_between_sweeps():
    tables = complete_problem(40, 30, seed=0)
    start = time.monotonic()
    relax(tables, 10_000, deadline=start + 0.2)
    assert time.monotonic() - start < 5.0


def test_more_vertices_at_once_than_an_array_has_axes():
    """One choice each costs no entries; elimination gives up its place, and bounds need none."""
    n = 80
    pairs = tuple(
        PairTable(u, v, np.ones((1, 1))) for u in range(n) for v in range(u + 1, min(u + 70, n))
    )
    tables = CostTables((np.ones(1),) * n, pairs)
    with pytest.raises(BudgetError, match="vertices at once"):
        eliminate(tables)
    found = search(tables)
    assert found.cost == n + len(pairs)
    assert found.method == "bounds"
    run = RIVALS["topological-sweep"].run(tables, (0,) * n, TrialOptions())
    assert "open at once" in run.failure


def test_progress_can_stop_a_search():
    class Stop(Exception):
        pass

    def stop(_share):
        raise Stop

    tables = complete_problem(16, 8, seed=1)
    for method in METHODS.values():
        with pytest.raises(Stop):
            method(tables, SearchOptions(max_entries=10), stop)


def peak_beside(tables, function):
    """Bytes in use at the worst moment of a call, beside what was there before."""
    load_kernels(FLAT_LOOPS)
    function()  # what is loaded and kept once does not count
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("n_choices", [40, 120])
def test_counted_bytes_are_those_in_use(n_choices):
    edges = [(v, v + 1) for v in range(11)] + [(v, v + 2) for v in range(10)]
    tables = random_problem(edges, [n_choices] * 12, seed=1)
    found = search_by_bounds(tables)
    used = tables.n_bytes + peak_beside(tables, lambda: search_by_bounds(tables))
    assert used < 1.05 * found.peak_bytes + 200_000
    all_costs = marginals(tables)
    used = tables.n_bytes + peak_beside(tables, lambda: marginals(tables))
    assert used < 1.05 * all_costs.peak_bytes + 200_000


def test_budgets_hold():
    tables = complete_problem(6, 4, seed=1)
    for method in METHODS.values():
        with pytest.raises(BudgetError, match="memory budget"):
            method(tables, SearchOptions(memory_budget_bytes=tables.n_bytes + 10))


@given(problems(max_vertices=4), st.floats(0.25, 4.0))
def test_a_scaled_problem_has_the_scaled_optimum(tables, factor):
    scaled = CostTables(
        tuple(costs * factor for costs in tables.vertices),
        tuple(replace(pair, costs=pair.costs * factor) for pair in tables.pairs),
    )
    assert search_by_bounds(scaled).cost == pytest.approx(
        factor * search_by_bounds(tables).cost, rel=1e-9, abs=1e-9
    )
