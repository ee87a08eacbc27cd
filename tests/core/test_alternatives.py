import math
from dataclasses import replace

import numpy as np
import pytest

from pase_core.alternatives import best_strategies, regrets
from pase_core.balance import balance, machine_balance
from pase_core.cluster import preset
from pase_core.errors import BudgetError, OptionError
from pase_core.grid import MAX_KINDS, global_splits, wishes
from pase_core.search.rivals import RIVALS
from pase_core.search.trajectory import TrialOptions
from pase_core.searches import run_searches
from pase_core.solve import COST_MODELS, CostOptions, Problem, compare, price_tables, solve
from sample_graphs import SAMPLES
from tests.samples import PAPER

FAST = TrialOptions(max_evaluations=20_000, time_limit_seconds=20.0)


def problem_of(name, n_devices=8, **changes):
    sample = SAMPLES[name]
    problem = Problem(
        sample.build(sample.batch),
        preset("gtx-1080-ti", n_devices),
        CostOptions(min_part=sample.min_part),
    )
    return replace(problem, **changes)


# Regrets


@pytest.fixture(scope="module")
def alexnet_regrets():
    return regrets(problem_of("alexnet"))


def test_the_least_regret_of_every_layer_is_none(alexnet_regrets):
    solution = solve(problem_of("alexnet"))
    assert alexnet_regrets.optimum == pytest.approx(solution.found.total, rel=1e-12)
    for layer, configuration in enumerate(solution.found.strategy.configurations):
        shares = alexnet_regrets.shares(layer)
        assert shares.min() == 0.0
        rows = (alexnet_regrets.configurations[layer] == configuration).all(axis=1)
        assert shares[rows] == pytest.approx(0.0, abs=1e-12)


def test_regrets_are_costs_of_searches_with_the_layer_pinned(alexnet_regrets):
    problem = problem_of("alexnet")
    for layer in (0, 5, 9):
        for row in (0, 3, -1):
            configuration = tuple(map(int, alexnet_regrets.configurations[layer][row]))
            pins = ((problem.graph.layers[layer].name, configuration),)
            pinned = solve(replace(problem, pins=pins)).found.total
            assert alexnet_regrets.costs[layer][row] == pytest.approx(pinned, rel=1e-12)


def test_dimensions_are_as_good_as_their_best_configuration(alexnet_regrets):
    for layer, splits in enumerate(alexnet_regrets.configurations):
        shares = alexnet_regrets.shares(layer)
        for column, name in enumerate(problem_of("alexnet").graph.layers[layer].dimension_names):
            for found, is_allowed in (
                (alexnet_regrets.split_regrets(layer)[column], splits[:, column] > 1),
                (alexnet_regrets.whole_regrets(layer)[column], splits[:, column] == 1),
            ):
                slow = min(shares[is_allowed], default=math.inf)
                assert found == slow, name


def test_freedom_grows_with_what_is_forgiven(alexnet_regrets):
    none, some, all_ = (alexnet_regrets.freedom(share) for share in (0.0, 0.05, math.inf))
    assert all(1 <= a <= b <= c for a, b, c in zip(none, some, all_, strict=True))
    assert all_ == tuple(len(splits) for splits in alexnet_regrets.configurations)


def test_pins_rule_the_rest_of_their_layer_out():
    pinned = regrets(problem_of("alexnet", pins=(("fc1", (8, 1, 1)),)))
    layer = problem_of("alexnet").graph.position("fc1")
    assert np.isfinite(pinned.costs[layer]).sum() == 1
    assert pinned.optimum >= regrets(problem_of("alexnet")).optimum
    assert pinned.split_regrets(layer)[0] == 0.0
    assert pinned.whole_regrets(layer)[0] == math.inf


def test_a_network_too_dense_for_elimination_is_refused():
    with pytest.raises(BudgetError, match="exact search does not fit"):
        regrets(problem_of("densenet121"))


# The best strategies


def test_the_best_strategies_begin_with_the_best_and_get_dearer():
    found = best_strategies(problem_of("rnnlm"), 20)
    costs = [priced.total for priced in found.strategies]
    assert len(costs) == 20
    assert costs == sorted(costs)
    assert costs[0] == pytest.approx(solve(problem_of("rnnlm")).found.total, rel=1e-12)
    assert found.above(0) == 0.0
    assert found.differences(0) == ()
    for rank in range(1, 20):
        assert found.above(rank) == pytest.approx(costs[rank] / costs[0] - 1)
        first, other = (found.strategies[i].strategy.configurations for i in (0, rank))
        assert found.differences(rank) == tuple(
            i for i, (a, b) in enumerate(zip(first, other, strict=True)) if a != b
        )
        assert found.differences(rank)


def test_pinned_layers_are_the_same_in_all_of_the_best():
    found = best_strategies(problem_of("alexnet", pins=(("fc1", (8, 1, 1)),)), 10)
    layer = problem_of("alexnet").graph.position("fc1")
    assert {p.strategy.configurations[layer] for p in found.strategies} == {(8, 1, 1)}


# Phases


@pytest.mark.parametrize("name", ["alexnet", "rnnlm", "inception_v3"])
def test_the_phase_here_is_what_a_search_finds(name):
    problem = problem_of(name)
    found = balance(problem)
    solution = solve(problem)
    ruling = found.phases[found.phase_here]
    assert ruling.start <= found.here < ruling.stop
    assert ruling.line.at(found.here) == pytest.approx(solution.found.total, rel=1e-12)
    assert found.here == machine_balance(problem.cluster, problem.graph.element_type)
    comparison = compare(problem)
    lines = dict(found.baselines)
    for priced in comparison.best_of_each[1:]:
        cost = lines[priced.strategy.name].at(found.here)
        assert cost == pytest.approx(priced.total, rel=1e-12)


def test_other_balances_are_other_clusters():
    problem = problem_of("alexnet")
    found = balance(problem)
    for phase, strategy in zip(found.phases, found.strategies, strict=True):
        if phase.start == 0.0 or math.isinf(phase.stop):
            continue
        at = math.sqrt(phase.start * phase.stop)
        flops = problem.cluster.flop_per_second(problem.graph.element_type)
        cluster = problem.cluster.with_overrides(bytes_per_second=flops / at)
        total = solve(replace(problem, cluster=cluster)).found.total
        assert phase.line.at(at) == pytest.approx(total, rel=1e-9)
        assert len(strategy.configurations) == len(problem.graph.layers)


def test_changes_are_layers_that_split_otherwise():
    found = balance(problem_of("alexnet"))
    assert found.changes(0) == ()
    for i in range(1, len(found.phases)):
        before, now = (found.strategies[j].configurations for j in (i - 1, i))
        assert found.changes(i) == tuple(
            k for k, (a, b) in enumerate(zip(before, now, strict=True)) if a != b
        )


def test_the_ruling_strategy_loses_nothing_here():
    found = balance(problem_of("alexnet"))
    losses = found.worst_losses(found.here, found.here)
    assert losses[found.phase_here] == pytest.approx(0.0, abs=1e-12)
    assert min(found.worst_losses(found.here / 10, found.here * 10)) >= 0.0


def test_phases_need_a_cost_that_is_linear(monkeypatch):
    monkeypatch.setitem(COST_MODELS, "other", lambda _problem: object())
    with pytest.raises(OptionError, match="linear in the machine balance"):
        balance(problem_of("alexnet", cost=CostOptions(model="other")))


def test_phases_of_a_dense_network_are_found_by_bounds():
    found = balance(problem_of("densenet121", 4))
    assert found.phases[found.phase_here].line.at(found.here) == pytest.approx(
        solve(problem_of("densenet121", 4)).found.total, rel=1e-9
    )


# Searches


@pytest.mark.parametrize("name", PAPER)
@pytest.mark.parametrize("n_devices", [4, 8])
def test_no_search_beats_the_proved_optimum_of_a_sample(name, n_devices):
    names = [key for key in RIVALS if key not in ("breadth-first", "topological-sweep")]
    found = run_searches(problem_of(name, n_devices), names, n_seeds=1, options=FAST)
    assert found.is_optimum
    optimum = solve(problem_of(name, n_devices)).found.total
    assert found.lower_bound == pytest.approx(optimum, rel=1e-9)
    for each in found.trajectories:
        assert each.cost >= optimum * (1 - 1e-12)
        assert each.points[0].cost == pytest.approx(found.start, rel=1e-12)
        assert found.gap(each.cost) == pytest.approx(each.cost / optimum - 1, abs=1e-9)
        if RIVALS[each.method].is_exact and not each.failure:
            assert each.cost == pytest.approx(optimum, rel=1e-9)


def test_the_exact_searches_agree_where_all_fit():
    names = [key for key, rival in RIVALS.items() if rival.is_exact]
    found = run_searches(problem_of("alexnet", 16), names, options=FAST)
    assert [each.failure for each in found.trajectories] == [""] * len(names)
    assert len({round(each.cost) for each in found.trajectories}) == 1


def test_random_searches_run_once_per_seed():
    found = run_searches(problem_of("rnnlm"), ["annealing", "grid"], n_seeds=3, options=FAST)
    assert [(t.method, t.seed) for t in found.trajectories] == [
        *(("annealing", seed) for seed in range(3)),
        ("grid", 0),
    ]
    assert found.is_optimum or found.lower_bound > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"names": ["luck"]}, "unknown search 'luck'; known: elimination"),
        ({"n_seeds": 0}, "0 seeds: must be an integer from 1 to 100"),
        ({"n_seeds": True}, "seeds: must be an integer"),
    ],
)
def test_bad_options_are_refused(arguments, message):
    with pytest.raises(OptionError, match=message):
        run_searches(problem_of("alexnet"), **arguments)


@pytest.mark.parametrize("n_devices", [16, 64])
def test_the_integer_program_alone_proves_a_dense_network(n_devices):
    names = ["integer-program", "bounds"]
    runs = run_searches(problem_of("densenet121", n_devices), names).trajectories
    assert runs[0].cost == pytest.approx(runs[1].cost, rel=1e-12)
    assert [run.lower_bound for run in runs] == [run.cost for run in runs]


# The grid


def test_wishes_divide_the_devices_between_a_few_kinds():
    found = list(wishes(("b", "n", "c", "h"), 8))
    assert {} in found
    assert {"b": 8} in found
    assert {"b": 2, "n": 2, "c": 2} in found
    assert len(found) == len({tuple(sorted(wish.items())) for wish in found})
    for wish in found:
        assert len(wish) <= MAX_KINDS
        assert 8 % math.prod(wish.values()) == 0
        assert all(q > 1 for q in wish.values())


def test_a_global_split_is_the_same_wish_for_every_layer():
    problem = problem_of("alexnet", 4)
    costs = price_tables(problem)
    wholes = global_splits(problem.graph, costs, 4)
    assert len(wholes) == len(set(wholes))
    assert wholes[0] == (0,) * len(problem.graph.layers)
    data_parallel = compare(problem).data_parallel.choices
    assert data_parallel in wholes
    for whole in wholes:
        for splits, choice in zip(costs.configurations, whole, strict=True):
            assert 0 <= choice < len(splits)
