"""Alternatives, phases and searches as JSON; costs are modelled, not measured.

What is infinite is null: the end of the last phase, the regret of what cannot be.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from pase_core.alternatives import Ranking, Regrets
from pase_core.balance import Balance
from pase_core.exporters.solution_json import Json, setup_to_dict, solution_to_dict
from pase_core.graph import Graph
from pase_core.search.balance import Line
from pase_core.search.rivals import RIVALS
from pase_core.search.trajectory import Trajectory
from pase_core.searches import Searches
from pase_core.study import Study
from pase_core.trade_off import TradeOff


def finite(value: float) -> float | None:
    """A number, or None for an infinite one, which JSON does not know."""
    return float(value) if math.isfinite(value) else None


def study_to_dict(study: Study) -> Json:
    """A solution, `pase.solution/1`, with `regrets` and `best` where asked for and had."""
    answer = solution_to_dict(study.solution)
    if not study.solution.fits:
        answer["remedies"] = [
            {
                "title": each.title,
                "options": each.options,
                "least_memory_bytes": each.least_bytes,
                "fits": each.fits,
            }
            for each in study.remedies
        ]
    if study.remark:
        answer["remark"] = study.remark
    if study.regrets is not None:
        answer["regrets"] = regrets_to_rows(study.regrets)
    if study.ranking is not None:
        answer["best"] = ranking_to_rows(study.ranking)
    return answer


def regrets_to_rows(regrets: Regrets) -> list[Json]:
    """Per layer and configuration the cost of the best whole strategy that contains it."""
    rows: list[Json] = []
    for i, layer in enumerate(regrets.problem.graph.layers):
        names = layer.dimension_names
        splits, whole = regrets.split_regrets(i), regrets.whole_regrets(i)
        rows.append(
            {
                "layer": layer.name,
                "split": {n: finite(v) for n, v in zip(names, splits, strict=True)},
                "whole": {n: finite(v) for n, v in zip(names, whole, strict=True)},
                "configurations": [
                    {"configuration": list(map(int, configuration)), "cost": finite(cost)}
                    for configuration, cost in zip(
                        regrets.configurations[i], regrets.costs[i], strict=True
                    )
                ],
            }
        )
    return rows


def changed_rows(
    graph: Graph, positions: Sequence[int], configurations: Sequence[Sequence[int]]
) -> Json:
    """Configurations of some layers, by the layer's name."""
    return {
        graph.layers[i].name: dict(
            zip(graph.layers[i].dimension_names, map(int, configurations[i]), strict=True)
        )
        for i in positions
    }


def ranking_to_rows(ranking: Ranking) -> list[Json]:
    """The best strategies: cost, excess, and what differs from the first."""
    graph = ranking.problem.graph
    return [
        {
            "rank": rank + 1,
            "cost": priced.total,
            "above_optimum": ranking.above(rank),
            "differences": changed_rows(
                graph, ranking.differences(rank), priced.strategy.configurations
            ),
        }
        for rank, priced in enumerate(ranking.strategies)
    ]


def _line(line: Line) -> Json:
    return {"flop": line.fixed, "bytes": line.scaled}


def balance_to_dict(balance: Balance) -> Json:
    """Phases, schema `pase.balance/1`: FLOP and bytes of each, and where it rules."""
    graph = balance.problem.graph
    return {
        "schema": "pase.balance/1",
        **setup_to_dict(balance.problem),
        "flop_per_byte": balance.here,
        "seconds": balance.seconds,
        "phases": [
            {
                "start_flop_per_byte": phase.start,
                "stop_flop_per_byte": finite(phase.stop),
                **_line(phase.line),
                "changes": changed_rows(graph, balance.changes(i), strategy.configurations),
                "configurations": [list(each) for each in strategy.configurations],
            }
            for i, (phase, strategy) in enumerate(
                zip(balance.phases, balance.strategies, strict=True)
            )
        ],
        "baselines": {name: _line(line) for name, line in balance.baselines},
    }


def searches_to_dict(searches: Searches) -> Json:
    """Trajectories, schema `pase.searches/1`."""
    return {
        "schema": "pase.searches/1",
        **setup_to_dict(searches.problem),
        "unit": searches.unit,
        "start": searches.start,
        "lower_bound": searches.lower_bound,
        "proved_optimal": searches.is_optimum,
        "runs": [_run(searches, each) for each in searches.trajectories],
    }


def _run(searches: Searches, run: Trajectory) -> Json:
    return {
        "search": run.method,
        "title": RIVALS[run.method].title,
        "seed": run.seed,
        "cost": run.cost,
        "gap": searches.gap(run.cost),
        "lower_bound": finite(run.lower_bound),
        "evaluations": run.n_evaluations,
        "seconds": run.seconds,
        "failure": run.failure,
        "ended": run.ended,
        "points": [list(point) for point in run.points],
    }


def trade_off_to_dict(found: TradeOff) -> Json:
    """The frontier of time and memory, schema `pase.frontier/1`."""
    graph, searched = found.problem.graph, found.frontier
    strategies = [found.strategy(i).configurations for i in range(len(found.points))]
    return {
        "schema": "pase.frontier/1",
        **setup_to_dict(found.problem),
        "unit": found.unit,
        "epsilon": searched.epsilon,
        "method": searched.method,
        "complete": searched.is_complete,
        "unproved_bytes": [list(each) for each in searched.unproved],
        "seconds": searched.seconds,
        "layers": [layer.name for layer in graph.layers],
        "dimensions": [list(layer.dimension_names) for layer in graph.layers],
        "points": [
            {
                "cost": point.cost,
                "seconds": found.seconds(point.cost),
                "memory_bytes_per_device": point.weight,
                "on_hull": point.is_supported,
                "configurations": [list(each) for each in configurations],
            }
            for point, configurations in zip(found.points, strategies, strict=True)
        ],
        "baselines": [
            {"name": each.name, "cost": each.cost, "memory_bytes_per_device": each.weight}
            for each in found.baselines
        ],
    }
