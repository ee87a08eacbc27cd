import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pase_core.search import annealing, candidates, local_search, policy_gradient
from pase_core.search.brute_force import brute_force
from pase_core.search.engine import FLAT_LOOPS, load_kernels
from pase_core.search.flat import flat_bytes, flatten
from pase_core.search.rivals import RIVALS
from pase_core.search.topological_sweep import cuts, n_states, sweep
from pase_core.search.trajectory import Recorder, TrialOptions
from tests.core.search.random_tables import (
    arrays_of,
    complete_problem,
    copy_of,
    joint_costs,
    least_cost,
    problems,
    random_problem,
)

QUICK = TrialOptions(max_evaluations=500, time_limit_seconds=5.0)
EXACT = [name for name, rival in RIVALS.items() if rival.is_exact]
LONG = [*itertools.pairwise(range(40)), *((v, v + 3) for v in range(37))]


def first_of(tables):
    return (0,) * len(tables.vertices)


@pytest.mark.parametrize("name", RIVALS)
@given(tables=problems(max_vertices=4, max_choices=3), seed=st.integers(0, 3))
def test_no_search_reports_less_than_the_optimum(name, tables, seed):
    start, optimum = first_of(tables), least_cost(tables)
    options = replace(QUICK, seed=seed, candidates=(start, tuple(n - 1 for n in tables.n_choices)))
    found = RIVALS[name].run(tables, start, options)
    assert found.cost >= optimum - 1e-9
    assert found.cost == tables.total(found.choices) <= tables.total(start)
    assert found.lower_bound <= optimum + 1e-9
    costs = [point.cost for point in found.points]
    assert costs == sorted(costs, reverse=True)
    assert costs[0] == tables.total(start)
    assert costs[-1] == found.cost
    seconds = [point.seconds for point in found.points]
    assert seconds == sorted(seconds)
    assert (found.method, found.seed, found.failure) == (name, seed, "")


@pytest.mark.parametrize("name", EXACT)
@given(tables=problems(max_vertices=4, max_choices=3))
def test_an_exact_search_proves_what_it_finds(name, tables):
    found = RIVALS[name].run(tables, first_of(tables), QUICK)
    assert found.cost == pytest.approx(least_cost(tables), rel=1e-9, abs=1e-9)
    assert found.lower_bound == pytest.approx(found.cost, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", EXACT)
def test_what_does_not_fit_is_a_failure_with_its_reason(name):
    tables = complete_problem(20, 6, seed=1)
    start = first_of(tables)
    options = TrialOptions(memory_budget_bytes=tables.n_bytes + 100)
    found = RIVALS[name].run(tables, start, options)
    reasons = ("memory budget", "entries of joint tables", "longer than the time limit")
    assert any(reason in found.failure for reason in reasons)
    assert found.choices == start
    assert found.lower_bound == -math.inf


@pytest.mark.parametrize("name", [name for name, rival in RIVALS.items() if rival.is_random])
def test_a_seed_gives_the_same_walk_again_and_others_another(name):
    tables = random_problem(LONG, [7] * 40, seed=4)
    options = replace(QUICK, max_evaluations=3000)
    start = first_of(tables)

    def walked(seed):
        found = RIVALS[name].run(tables, start, replace(options, seed=seed))
        return found.choices, [point[1:] for point in found.points]

    assert walked(1) == walked(1)
    assert len({walked(seed)[0] for seed in range(4)}) > 1


@pytest.mark.parametrize("name", [name for name, rival in RIVALS.items() if rival.is_random])
def test_limits_of_evaluations_and_time_are_kept(name):
    tables = random_problem(LONG, [7] * 40, seed=4)
    start = first_of(tables)
    few = RIVALS[name].run(tables, start, replace(QUICK, max_evaluations=100))
    assert 100 <= few.n_evaluations <= 2000
    late = RIVALS[name].run(tables, start, replace(QUICK, time_limit_seconds=0.0))
    assert late.n_evaluations == 0
    assert late.cost == tables.total(start)
    assert (few.ended, late.ended) == ("limit of proposals", "time limit")


def test_annealing_stops_once_half_of_its_walk_has_brought_nothing():
    tables = random_problem([(0, 1)], [3, 3], seed=0)
    found = annealing.anneal(tables, (0, 0), TrialOptions())
    assert found.n_evaluations < 50_000
    assert found.points[-2].evaluations <= found.n_evaluations / 2
    assert found.ended == "half of it brought nothing"


def test_a_sweep_that_would_be_late_is_not_begun():
    tables = random_problem(LONG, [7] * 40, seed=4)
    start = first_of(tables)
    quick = replace(QUICK, time_limit_seconds=1e-6)
    assert (
        "longer than the time limit"
        in RIVALS["topological-sweep"].run(tables, start, quick).failure
    )
    assert "at most" in RIVALS["elimination"].run(tables, start, quick).failure


@pytest.mark.parametrize(
    "search", [annealing.anneal, local_search.descend_greedily, policy_gradient.learn]
)
def test_a_search_improves_on_a_bad_start(search):
    tables = random_problem(LONG, [7] * 40, seed=4)
    worst = tuple(int(np.argmax(costs)) for costs in tables.vertices)
    found = search(tables, worst, TrialOptions(max_evaluations=100_000))
    optimum = RIVALS["elimination"].run(tables, worst, QUICK).cost
    assert optimum <= found.cost < optimum + 0.5 * (tables.total(worst) - optimum)


def test_candidates_are_tried_and_the_best_kept():
    tables = random_problem(LONG, [7] * 40, seed=4)
    random = np.random.default_rng(0)
    given_ = tuple(tuple(map(int, row)) for row in random.integers(0, 7, (600, 40)))
    found = candidates.try_candidates(tables, first_of(tables), TrialOptions(candidates=given_))
    assert found.n_evaluations == 600
    assert found.cost == min(map(tables.total, (*given_, first_of(tables))))


@given(problems())
def test_flat_tables_hold_what_the_tables_do(tables):
    flat = flatten(tables)
    wholes = np.array(list(itertools.product(*(range(n) for n in tables.n_choices))))
    costs = load_kernels(FLAT_LOOPS).total_costs(flat, wholes)
    np.testing.assert_allclose(costs, joint_costs(tables).ravel(), rtol=1e-12, atol=1e-9)
    assert sum(array.nbytes for array in flat) <= flat_bytes(tables.shape)
    for k, (u, here, there) in enumerate(zip(flat.others, flat.here, flat.there, strict=True)):
        back = [j for j in range(flat.heads[u], flat.heads[u + 1]) if flat.here[j] == there]
        assert [flat.there[j] for j in back] == [here]
        assert [flat.backs[j] for j in back] == [flat.tables[k]]


@given(problems(), st.data())
def test_a_descent_ends_where_no_single_change_helps(tables, data):
    loops = load_kernels(FLAT_LOOPS)
    chosen = [data.draw(st.integers(0, n - 1)) for n in tables.n_choices]
    choices = np.array(chosen)
    loops.descend(flatten(tables), choices, np.empty(max(tables.n_choices)))
    best = tables.total(tuple(choices))
    assert best <= tables.total(tuple(chosen))
    for vertex, n in enumerate(tables.n_choices):
        for choice in range(n):
            other = choices.copy()
            other[vertex] = choice
            assert tables.total(tuple(other)) >= best - 1e-9


@given(problems(max_vertices=5))
def test_a_sweep_finds_the_optimum(tables):
    choices = sweep(tables)
    assert tables.total(choices) == pytest.approx(brute_force(tables).cost, abs=1e-9)


@given(problems(max_vertices=6))
def test_cuts_are_those_of_the_definition(tables):
    shape = tables.shape
    n = len(shape.n_choices)
    wanted = [
        tuple(v for v in range(i) if any(u >= i for u in shape.neighbours[v])) for i in range(n)
    ]
    found = list(cuts(shape))
    assert [cut.open for cut in found] == wanted
    assert n_states(shape) == sum(
        math.prod(shape.n_choices[v] for v in (*cut.open, i)) for i, cut in enumerate(found)
    )
    assert sorted(v for cut in found for v in cut.closing) == list(range(n))


@given(problems(max_vertices=4, max_choices=3))
def test_the_tables_are_left_as_they_were(tables):
    before = copy_of(tables)
    for rival in RIVALS.values():
        rival.run(tables, first_of(tables), replace(QUICK, candidates=(first_of(tables),)))
    for old, new in zip(before, arrays_of(tables), strict=True):
        np.testing.assert_array_equal(old, new)


def test_the_time_to_a_cost_is_that_of_the_first_point_there():
    tables = random_problem([(0, 1)], [3, 3], seed=0)
    recorder = Recorder(tables, (0, 0), QUICK)
    costs = sorted((tables.total(c), c) for c in itertools.product(range(3), repeat=2))
    recorder.note(1, costs[1][1], 1.0)
    recorder.note(2, costs[2][1], 2.0)  # worse: not noted
    recorder.note(3, costs[0][1], 3.0)
    found = recorder.finish("test", 3)
    assert found.seconds_to(costs[1][0]) == 1.0
    assert found.seconds_to(costs[0][0]) == 3.0
    assert found.seconds_to(costs[0][0] - 1.0) == math.inf
