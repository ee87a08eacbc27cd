"""The best strategies of all: what they cost above the best, and in which layers they differ."""

from __future__ import annotations

from html import escape

import pandas as pd

from explorer import regret_scale
from explorer.regret_scale import percent_text
from pase_core.alternatives import Ranking
from pase_core.strategy import describe_splits
from pase_core.units import count, with_prefix

MOST_NAMES = 3
"""Layers that a text names; the others are counted."""


def ranking_table(ranking: Ranking) -> pd.DataFrame:
    """One row per strategy, the cheapest first.

    Columns: rank, cost (in the unit of the ranking), share (above the best), n_layers (that
    differ), first (name of the first of them), differs (text), brief (the same, the first few),
    hover.
    """
    rows = []
    for i, priced in enumerate(ranking.strategies):
        changes = _changes(ranking, i)
        share = max(ranking.above(i), 0.0)
        share = share if share > regret_scale.NOTHING else 0.0
        positions = ranking.differences(i)
        brief = _brief(changes) if i else "the best"
        excess = with_prefix(max(priced.total - ranking.strategies[0].total, 0.0), ranking.unit)
        above = f"{percent_text(share)} = {excess}" if share else "nothing"
        rows.append(
            {
                "rank": i + 1,
                "cost": priced.total,
                "share": share,
                "n_layers": len(positions),
                "first": ranking.problem.graph.layers[positions[0]].name if positions else "",
                "differs": "; ".join(changes),
                "brief": brief,
                "hover": f"<b>number {i + 1}</b><br>above the best: {above}<br>"
                + "<br>".join(escape(part, quote=False) for part in brief.split("; ")),
            }
        )
    return pd.DataFrame(rows)


def _changes(ranking: Ranking, rank: int) -> list[str]:
    """The layers that differ from the best strategy: split there, and split here."""
    layers = ranking.problem.graph.layers
    best = ranking.strategies[0].strategy.configurations
    other = ranking.strategies[rank].strategy.configurations
    return [
        f"{layers[i].name}: {describe_splits(layers[i], best[i])} → "
        f"{describe_splits(layers[i], other[i])}"
        for i in ranking.differences(rank)
    ]


def _brief(changes: list[str]) -> str:
    n_more = len(changes) - MOST_NAMES
    more = f"; and {count(n_more, 'more layer')}" if n_more > 0 else ""
    return "; ".join(changes[:MOST_NAMES]) + more


def ranking_file(table: pd.DataFrame, unit: str) -> pd.DataFrame:
    """The rows of a ranking for a file, with units in the titles of the columns.

    Args:
        table: as `ranking_table` makes it.
        unit: of the costs.
    """
    return pd.DataFrame(
        {
            "rank": table["rank"],
            f"step cost [{unit}]": table["cost"],
            "above the best [%]": 100 * table["share"],
            "layers that differ": table["n_layers"],
            "differs from the best in": table["differs"],
        }
    )


def ranking_sentence(table: pd.DataFrame) -> str:
    """How far the best strategies lie apart, in one sentence.

    Args:
        table: as `ranking_table` makes it.
    """
    n_equal = int((table["share"] == 0).sum())
    last = percent_text(float(table["share"].iloc[-1]))
    if len(table) == 1:
        return "There is one strategy only."
    if n_equal == len(table):
        return f"The {n_equal} best strategies cost the same."
    if n_equal > 1:
        return f"{n_equal} strategies are equally good; number {len(table)} costs {last} more."
    second = percent_text(float(table["share"].iloc[1]))
    rest = f", number {len(table)} {last}" if len(table) > 2 else ""
    return f"The best strategy is the only one of its cost; the second costs {second} more{rest}."


def pins_of(ranking: Ranking, rank: int) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """The layers in which a strategy differs from the best, with their configurations."""
    layers, other = ranking.problem.graph.layers, ranking.strategies[rank].strategy.configurations
    return tuple((layers[i].name, tuple(other[i])) for i in ranking.differences(rank))
