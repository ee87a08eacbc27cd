"""Time against memory: limits, what does not fit, and the curve of a whole problem."""

from dataclasses import replace
from itertools import pairwise

import pytest

from pase_core.cli import main
from pase_core.cluster import preset
from pase_core.costs.step import StepOptions
from pase_core.errors import OptionError
from pase_core.fit import least_bytes, remedies
from pase_core.memory import memory_of
from pase_core.pricing import price_strategies
from pase_core.sharded import SHARDED, problem_behind
from pase_core.solve import CostOptions, Problem, compare, solve
from pase_core.sources import sample_graph
from pase_core.study import study
from pase_core.trade_off import trade_off


def problem_of(name: str, n_devices: int = 8, model: str = "cluster", **step) -> Problem:
    options = CostOptions(model=model, step=StepOptions(**step))
    return Problem(sample_graph(name), preset("rtx-2080-ti", n_devices), options)


@pytest.fixture(scope="module", params=["alexnet", "rnnlm", "transformer"])
def curve(request):
    return trade_off(problem_of(request.param))


def test_every_point_is_priced_as_the_curve_says(curve):
    for i, point in enumerate(curve.points):
        strategy = curve.strategy(i)
        (priced,) = price_strategies(curve.problem, [strategy], curve.costs)
        assert priced.total == pytest.approx(point.cost, rel=1e-12)
        assert memory_of(curve.problem, strategy).total == pytest.approx(point.weight, rel=1e-12)


def test_no_point_beats_another_and_the_fastest_is_the_optimum(curve):
    for lighter, heavier in pairwise(curve.points):
        assert lighter.weight < heavier.weight
        assert lighter.cost > heavier.cost
    assert curve.points[-1].cost == pytest.approx(solve(curve.problem).found.total, rel=1e-12)
    assert curve.points[0].weight == pytest.approx(least_bytes(curve.problem), rel=1e-12)
    assert curve.frontier.is_complete


def test_baselines_are_never_below_the_curve(curve):
    for each in curve.baselines:
        if each.name == SHARDED:
            continue  # it shares out what the others hold whole
        index = curve.fastest_within(each.weight * (1 + 1e-12))
        assert index is not None
        assert curve.points[index].cost <= each.cost * (1 + 1e-12)


def test_a_limit_at_a_point_is_solvable_and_just_below_it_is_not(curve):
    points = curve.points
    for i in {0, len(points) // 2, len(points) - 1}:
        limit = points[i].weight
        at = solve(replace(curve.problem, memory_limit_bytes=limit))
        assert at.fits
        assert at.found.total == pytest.approx(points[i].cost, rel=1e-12)
        below = solve(replace(curve.problem, memory_limit_bytes=limit * (1 - 1e-9)))
        if i == 0:
            assert not below.fits
            assert below.memory.total == pytest.approx(limit, rel=1e-12)
        else:
            assert below.found.total == pytest.approx(points[i - 1].cost, rel=1e-12)


def test_a_limit_that_binds_nothing_changes_nothing():
    problem = problem_of("alexnet", model="paper")
    free = solve(problem)
    limited = solve(replace(problem, memory_limit_bytes=1e15))
    assert limited.found.total == free.found.total
    assert limited.fits


@pytest.mark.parametrize("limit", [0.0, -1.0, float("nan"), float("inf")])
def test_a_limit_is_a_number_above_0(limit):
    with pytest.raises(OptionError, match="memory limit"):
        replace(problem_of("alexnet"), memory_limit_bytes=limit)


def test_pins_hold_under_a_limit():
    problem = problem_of("alexnet")
    layer = problem.graph.layers[0]
    pin = (layer.name, (8,) + (1,) * (len(layer.dimensions) - 1))
    pinned = replace(problem, pins=(pin,))
    free = solve(pinned)
    limited = solve(replace(pinned, memory_limit_bytes=free.memory.total * 0.97))
    assert limited.fits
    assert limited.found.strategy.configurations[0] == pin[1]
    assert limited.memory.total <= free.memory.total * 0.97
    assert trade_off(pinned).points[-1].cost == pytest.approx(free.found.total, rel=1e-12)


# What does not fit


def test_remedies_say_what_would_fit_and_do():
    problem = problem_of("transformer")
    small = replace(problem, memory_limit_bytes=0.9 * least_bytes(problem))
    found = remedies(small)
    assert {"--recompute", "--element-type bfloat16", "-p 16"} <= {r.options for r in found}
    for remedy in found:
        solved = solve(remedy.problem)
        assert solved.fits == remedy.fits
        if remedy.fits:
            assert solved.memory.total <= small.memory_limit_bytes
        assert remedy.least_bytes < least_bytes(problem)


def test_together_only_where_nothing_fits_alone():
    problem = problem_of("transformer", 2)
    alone = remedies(replace(problem, memory_limit_bytes=0.95 * least_bytes(problem)))
    assert not any("," in remedy.title for remedy in alone)
    tiny = replace(problem, memory_limit_bytes=0.02 * least_bytes(problem))
    together = remedies(tiny)
    assert any("--recompute" in r.options and "--zero 3" in r.options for r in together)


def test_the_study_of_what_does_not_fit_has_remedies():
    problem = problem_of("alexnet")
    tight = replace(problem, memory_limit_bytes=0.99 * least_bytes(problem))
    answer = study(tight)
    assert not answer.solution.fits
    assert answer.remedies
    assert answer.solution.found.strategy.note.startswith("Nothing fits")


def test_alternatives_refuse_a_limit():
    problem = replace(problem_of("alexnet"), memory_limit_bytes=1e12)
    with pytest.raises(OptionError, match="memory limit"):
        study(problem, k=2)
    with pytest.raises(OptionError, match="memory limit"):
        trade_off(problem)


# FSDP


def test_sharded_data_parallelism_holds_less_and_takes_longer():
    found = compare(problem_of("transformer"))
    (sharded,) = found.experts[SHARDED]
    whole = found.data_parallel
    assert sharded.strategy.configurations == whole.strategy.configurations
    assert sharded.total > whole.total
    held, kept = found.memory(sharded), found.memory(whole)
    for name in ("parameters", "gradients", "optimizer"):
        assert held.components[name] == pytest.approx(kept.components[name] / 8, rel=1e-9)
    assert held.components["activations"] == kept.components["activations"]


def test_only_a_model_in_seconds_prices_it():
    assert SHARDED not in compare(problem_of("alexnet", model="paper")).experts
    assert SHARDED not in compare(problem_of("alexnet", zero_stage=3)).experts
    problem = problem_of("alexnet")
    other = compare(problem).data_parallel.strategy
    assert problem_behind(problem, other) is problem


# The command line


def test_frontier_prints_points_and_baselines(capsys):
    assert main(["frontier", "alexnet", "--cost-model", "cluster"]) == 0
    out = capsys.readouterr().out
    assert "on the hull" in out
    assert "the whole frontier" in out
    assert "data parallel" in out
    assert "modelled, not measured" in out


def test_solve_under_a_limit_that_nothing_keeps_is_an_answer(capsys):
    words = ["solve", "transformer", "--cost-model", "cluster", "--memory-limit", "100MB"]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "Nothing fits 100 MB per device" in out
    assert "--element-type bfloat16" in out


def test_a_limit_that_is_no_size_is_one_line(capsys):
    assert main(["solve", "alexnet", "--memory-limit", "much"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_epsilon_out_of_range_is_one_line(capsys):
    assert main(["frontier", "alexnet", "--epsilon", "-1"]) == 2
    assert "epsilon" in capsys.readouterr().err
