import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pase_core.search.marginals as module
from pase_core.cost_tables import CostTables, PairTable
from pase_core.errors import BudgetError
from pase_core.search.contraction import contract
from pase_core.search.elimination import ORDERING_NAMES, eliminate
from pase_core.search.marginals import marginals
from pase_core.search.methods import METHOD_NAMES
from pase_core.search.options import SearchOptions
from pase_core.search.pinned import pinned_costs
from tests.core.search.random_tables import (
    REALS,
    arrays_of,
    complete_problem,
    copy_of,
    joint_costs,
    problems,
    random_problem,
)


def pinned(tables, vertex, choice):
    kept = [np.arange(n) for n in tables.n_choices]
    kept[vertex] = np.array([choice])
    return tables.restricted(kept)


def slow_marginals(tables):
    """The least of the costs of all combinations, for each choice of each vertex."""
    joint = joint_costs(tables)
    axes = range(joint.ndim)
    return [joint.min(axis=tuple(a for a in axes if a != vertex)) for vertex in axes]


@given(problems(), st.sampled_from(ORDERING_NAMES), st.sampled_from(["numpy", "compiled"]))
def test_marginals_are_minima_over_all_combinations(tables, ordering, engine):
    found = marginals(tables, SearchOptions(ordering=ordering, engine=engine))
    for costs, slow in zip(found.costs, slow_marginals(tables), strict=True):
        np.testing.assert_allclose(costs, slow, rtol=1e-12, atol=1e-9)


@given(problems(costs=REALS))
def test_marginals_of_rounded_costs_are_minima_too(tables):
    found = marginals(tables)
    for costs, slow in zip(found.costs, slow_marginals(tables), strict=True):
        np.testing.assert_allclose(costs, slow, rtol=1e-10, atol=1e-6)


@given(problems(), st.data())
def test_marginals_are_costs_of_searches_with_the_choice_held(tables, data):
    vertex = data.draw(st.integers(0, len(tables.vertices) - 1))
    costs = marginals(tables).costs[vertex]
    slow = [eliminate(pinned(tables, vertex, c)).cost for c in range(tables.n_choices[vertex])]
    np.testing.assert_allclose(costs, slow, rtol=1e-12, atol=1e-9)


@given(problems(max_vertices=4, max_choices=3), st.data(), st.sampled_from(METHOD_NAMES))
def test_searches_for_every_choice_give_them_too(tables, data, method):
    vertex = data.draw(st.integers(0, len(tables.vertices) - 1))
    shares = []
    costs = pinned_costs(tables, vertex, SearchOptions(method=method), shares.append)
    np.testing.assert_allclose(costs, marginals(tables).costs[vertex], rtol=1e-9, atol=1e-9)
    assert shares[-1] == 1.0


def test_what_is_not_proved_in_time_is_refused():
    options = SearchOptions(method="bounds", time_limit_seconds=0.0)
    with pytest.raises(BudgetError, match="could not be priced exactly"):
        pinned_costs(complete_problem(10, 5, seed=3), 0, options)


@given(problems())
def test_the_least_cost_is_the_optimum_for_every_vertex(tables):
    found = marginals(tables)
    optimum = eliminate(tables).cost
    assert found.optimum == pytest.approx(optimum, rel=1e-12, abs=1e-9)
    for costs, regrets in zip(found.costs, found.regrets, strict=True):
        assert costs.min() == pytest.approx(optimum, rel=1e-12, abs=1e-9)
        assert regrets.min() == pytest.approx(0.0, abs=1e-9 + 1e-12 * optimum)
        assert (regrets >= 0.0).all()


@given(problems())
def test_the_tables_are_left_as_they_were(tables):
    before = copy_of(tables)
    marginals(tables)
    for old, new in zip(before, arrays_of(tables), strict=True):
        np.testing.assert_array_equal(old, new)


def ring_of_blocks(n_blocks):
    """A ring of equal blocks, sharing their arrays as the layers of equal blocks do."""
    block = random_problem([(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)], [5, 3, 3, 5], seed=0)
    n = 3 * n_blocks
    pairs = [
        PairTable((start + pair.first) % n, (start + pair.second) % n, pair.costs)
        for start in range(0, n, 3)
        for pair in block.pairs
    ]
    return CostTables(block.vertices[:3] * n_blocks, tuple(pairs))


def test_repeated_blocks_are_worked_with_once(monkeypatch):
    tables = ring_of_blocks(30)

    def counted(rounding):
        calls, progress = [], []
        monkeypatch.setattr(module, "_ROUNDING", rounding)
        monkeypatch.setattr(module, "contract", lambda *args: calls.append(1) or contract(*args))
        found = marginals(tables, progress=progress.append)
        assert progress[-1] == 1.0
        return len(calls), found

    n_shared, shared = counted(module._ROUNDING)
    n_alone, alone = counted(-1.0)
    assert n_shared < 0.7 * n_alone
    for costs, slow in zip(shared.costs, alone.costs, strict=True):
        np.testing.assert_allclose(costs, slow, rtol=1e-12)
    for vertex, choice in itertools.product((0, 7, len(tables.vertices) - 1), (0, 2)):
        cost = eliminate(pinned(tables, vertex, choice)).cost
        assert shared.costs[vertex][choice] == pytest.approx(cost, rel=1e-12)


def test_a_budget_that_is_just_met_passes_and_one_byte_less_fails():
    tables = complete_problem(6, 4, seed=1)
    peak = marginals(tables).peak_bytes
    found = marginals(tables, SearchOptions(memory_budget_bytes=peak))
    assert found.peak_bytes == peak
    with pytest.raises(BudgetError, match="memory budget"):
        marginals(tables, SearchOptions(memory_budget_bytes=peak - 1))


@given(problems())
def test_the_memory_budget_holds(tables):
    with pytest.raises(BudgetError):
        marginals(tables, SearchOptions(memory_budget_bytes=1.0))
