"""The answer as a whole: totals, components, a sentence, tiles."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import pandas as pd

from explorer.labels import component_title, plain
from pase_core.cluster_words import given_clause
from pase_core.solve import Comparison
from pase_core.strategy import PricedStrategy
from pase_core.units import common_scale, percent, ratio, with_prefix
from pase_core.wording import describe_proof
from sample_graphs import SAMPLES


def strategy_title(priced: PricedStrategy) -> str:
    """What to call a strategy in sentences and legends."""
    name = priced.strategy.name
    return name[:1].upper() + name[1:]


def component_table(comparison: Comparison) -> pd.DataFrame:
    """Cost by strategy and component: found, data parallel and the best variant of each expert.

    Columns: strategy, component (title), cost, share (of the strategy's total), total, and the
    pretty texts cost_text, share_text and end_text (total and speed-up over data parallelism).
    """
    unit = comparison.solution.unit
    rows = [
        {
            "strategy": strategy_title(priced),
            "component": component_title(name),
            "cost": cost,
            "share": cost / priced.total if priced.total else 0.0,
            "total": priced.total,
            "cost_text": with_prefix(cost, unit),
            "end_text": f"  {with_prefix(priced.total, unit)}  "
            f"({ratio(comparison.speedup(priced))})",
        }
        for priced in comparison.best_of_each
        for name, cost in priced.components.items()
    ]
    table = pd.DataFrame(rows)
    table["share_text"] = table["share"].map(percent)
    return table


def strategy_table(comparison: Comparison) -> pd.DataFrame:
    """One row per strategy: name, note, total cost, time, speed-up, communication share."""
    return pd.DataFrame(
        [
            {
                "strategy": strategy_title(priced)
                + (" (best)" if comparison.is_best_variant(priced) else ""),
                "cost": priced.total,
                "seconds": comparison.solution.seconds(priced.total),
                "speedup": comparison.speedup(priced),
                "communication": priced.communication_share,
                "note": priced.strategy.note,
            }
            for priced in comparison.all_strategies
        ]
    )


def headline(comparison: Comparison) -> str:
    """The answer in one sentence."""
    unit = comparison.solution.unit
    found, baseline = comparison.solution.found, comparison.data_parallel
    need = f"The strategy found needs **{with_prefix(found.total, unit)}** per step"
    if baseline.total <= found.total * (1 + 1e-9):
        return f"{need}; data parallelism is already the best strategy."
    return (
        f"{need}; data parallelism needs **{with_prefix(baseline.total, unit)}** "
        f"(**{comparison.speedup(found):.3g} times** as long)."
    )


def tiles(comparison: Comparison) -> dict[str, tuple[str, str]]:
    """Value and remark of each tile of the overview, by its key in `labels.HELP`."""
    solution, baseline = comparison.solution, comparison.data_parallel
    found, search = solution.found, solution.search
    weights = [
        with_prefix(solution.parameter_bytes_per_device(priced.strategy), "B")
        for priced in (found, baseline)
    ]
    seconds = solution.tables_seconds + solution.search_seconds
    return {
        "step_cost": (
            with_prefix(found.total, solution.unit),
            f"{with_prefix(solution.seconds(found.total), 's')} at peak speed",
        ),
        "communication": (
            percent(found.communication_share),
            f"data parallel: {percent(baseline.communication_share)}",
        ),
        "weights": (weights[0], f"data parallel: {weights[1]}"),
        "search": (
            with_prefix(seconds, "s"),
            describe_proof(search),
        ),
    }


def title(comparison: Comparison, shown: Callable[[str], str] = plain) -> str:
    """Network and devices, in a few words; `shown` makes names from files fit to be shown."""
    graph, cluster = comparison.solution.problem.graph, comparison.solution.problem.cluster
    sample = SAMPLES.get(graph.name)
    # A file of one's own may have a sample's name, but not its note as well.
    is_sample = sample is not None and graph.note == _note_of(graph.name)
    name = sample.title if sample and is_sample else shown(graph.name)
    text = f"{name} on {cluster.n_devices} × {shown(cluster.device)}{given_clause(cluster)}"
    used = devices_used(comparison.solution.found)
    return text if used == cluster.n_devices else f"{text} ({used} of them used)"


@lru_cache(maxsize=64)
def _note_of(name: str) -> str:
    """What a sample says of itself."""
    return SAMPLES[name].build(1).note


def devices_used(priced: PricedStrategy) -> int:
    """Devices that the most widely split layer of a strategy uses."""
    return max(math.prod(configuration) for configuration in priced.strategy.configurations)


def total_scale(comparison: Comparison) -> tuple[float, str]:
    """Divisor and unit in which the totals of strategies read well."""
    return common_scale(comparison.solution.found.total, comparison.solution.unit)
