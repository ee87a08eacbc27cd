"""Any number of strategies side by side."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from explorer.labels import component_title, plain
from explorer.tables.summary import strategy_title, total_scale
from pase_core.pricing import unique_names
from pase_core.solve import Comparison
from pase_core.strategy import PricedStrategy
from pase_core.units import common_scale, percent, ratio, with_prefix

EDITED = "edited"
"""Name of the best strategy that keeps the pinned layers."""

MAX_TITLE_LENGTH = 32


@dataclass(frozen=True, slots=True, eq=False)
class Lineup:
    """Strategies to be compared.

    Attributes:
        comparison: what was solved, without pins.
        strategies: by title.
        best: titles of the cheapest variants of recipes that have several.
        bars: titles of those that deserve a bar: all but the dearer variants of a recipe.
    """

    comparison: Comparison
    strategies: dict[str, PricedStrategy]
    best: tuple[str, ...]
    bars: tuple[str, ...]


def line_up(
    comparison: Comparison,
    edited: PricedStrategy | None = None,
    uploaded: Sequence[PricedStrategy] = (),
) -> Lineup:
    """Everything that can be compared, under unique titles.

    Args:
        comparison: the result without pins.
        edited: the best strategy with the pinned layers, if any are pinned.
        uploaded: from files.
    """
    found, *others = comparison.all_strategies
    own = [found, *([as_edited(edited)] if edited else []), *others]
    titles = [strategy_title(priced) for priced in own]
    names = [priced.strategy.name[:MAX_TITLE_LENGTH] for priced in uploaded]
    titles += unique_names(titles, names)
    strategies = dict(zip(titles, [*own, *uploaded], strict=True))
    dearer = [id(p) for group in comparison.experts.values() for p in group[1:]]
    return Lineup(
        comparison,
        strategies,
        tuple(t for t, priced in strategies.items() if comparison.is_best_variant(priced)),
        tuple(t for t, priced in strategies.items() if id(priced) not in dearer),
    )


def as_edited(priced: PricedStrategy) -> PricedStrategy:
    """The strategy found with pinned layers, under its own name."""
    note = "Your pinned layers, and the best configurations of all others."
    return replace(priced, strategy=replace(priced.strategy, name=EDITED, note=note))


def comparison_table(lineup: Lineup) -> pd.DataFrame:
    """One row per strategy.

    Columns: strategy, cost, seconds, speedup (over data parallelism), above (the proved optimum or
    lower bound, a share), communication (share),
    weights (bytes per device), note.
    """
    comparison, solution = lineup.comparison, lineup.comparison.solution
    return pd.DataFrame(
        [
            {
                "strategy": title + (" (best)" if title in lineup.best else ""),
                "cost": priced.total,
                "seconds": solution.seconds(priced.total),
                "speedup": comparison.speedup(priced),
                "above": comparison.above_bound(priced),
                "communication": priced.communication_share,
                "weights": solution.parameter_bytes_per_device(priced.strategy),
                "note": priced.strategy.note,
            }
            for title, priced in lineup.strategies.items()
        ]
    )


def shown_comparison(lineup: Lineup, table: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, str]]:
    """The table of strategies for people, and the unit of each column that has one."""
    scales = {
        "cost": total_scale(lineup.comparison),
        "weights": common_scale(float(table["weights"].max()), "B"),
        "seconds": (1.0, "s") if table["seconds"].max() >= 1 else (1e-3, "ms"),
    }
    scaled = {name: table[name] / scale for name, (scale, _unit) in scales.items()}
    return table.assign(**scaled), {name: unit for name, (_scale, unit) in scales.items()}


def comparison_titles(lineup: Lineup, table: pd.DataFrame) -> pd.DataFrame:
    """The table of strategies for a file: the titles of its columns have their unit."""
    unit = lineup.comparison.solution.unit
    titles = {"cost": f"cost [{unit}]", "seconds": "time [s]", "weights": "weights [B]"}
    return table.rename(columns=titles)


def lineup_components(lineup: Lineup, titles: Sequence[str]) -> pd.DataFrame:
    """Cost by strategy and component, with the columns of `summary.component_table`."""
    comparison = lineup.comparison
    unit = comparison.solution.unit
    rows = []
    for title in titles:
        priced = lineup.strategies[title]
        end = f"  {with_prefix(priced.total, unit)}  ({ratio(comparison.speedup(priced))})"
        for name, cost in priced.components.items():
            share = cost / priced.total if priced.total else 0.0
            row: dict[str, object] = {
                "strategy": html.escape(title),
                "component": component_title(name),
                "cost": cost,
                "share": share,
                "total": priced.total,
                "cost_text": with_prefix(cost, unit),
                "share_text": percent(share),
            }
            rows.append(row | {"end_text": end})
    return pd.DataFrame(rows)


def verdict(lineup: Lineup, this: str, against: str) -> str:
    """Both totals and their ratio in a sentence, as Markdown."""
    unit = lineup.comparison.solution.unit
    first, second = (lineup.strategies[title].total for title in (this, against))
    text = (
        f"{plain(this)}: **{with_prefix(first, unit)}** per step. "
        f"{plain(against)}: **{with_prefix(second, unit)}**"
    )
    if not first or abs(second / first - 1.0) < 1e-9:
        return f"{text}, the same"
    if second > first:
        return f"{text} (**{second / first:.3g} times** as long)"
    return f"{text} (**{percent(1.0 - second / first)}** less)"
