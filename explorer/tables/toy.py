"""The toy's bill as tables: items by component, totals beside the optimum."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from explorer.labels import component_title
from pase_core.costs.bill import Item
from pase_core.strategy import PricedStrategy
from pase_core.units import percent, ratio, with_prefix


def item_table(items: Sequence[Item], best: Sequence[Item], unit: str) -> pd.DataFrame:
    """One row per term of a bill.

    Args:
        items: what is paid.
        best: the same items of the best strategy.
        unit: of costs.

    Returns:
        Columns: item, component (title), cost, total (of the item), best (the item's total in the
        best strategy), and the pretty texts cost_text, law and case.
    """
    return pd.DataFrame(
        [
            {
                "item": item.title,
                "component": component_title(term.component),
                "cost": term.value,
                "total": item.total,
                "best": other.total,
                "cost_text": with_prefix(term.value, unit),
                "law": term.law,
                "case": term.case,
            }
            for item, other in zip(items, best, strict=True)
            for term in item.terms
        ]
    )


def toy_totals(strategies: Sequence[PricedStrategy], best: float, unit: str) -> pd.DataFrame:
    """Cost by strategy and component, as `explorer.plots.bars.stacked_costs` wants it."""
    table = pd.DataFrame(
        [
            {
                "strategy": priced.strategy.name.capitalize(),
                "component": component_title(name),
                "cost": cost,
                "share_text": percent(cost / priced.total),
                "total": priced.total,
                "cost_text": with_prefix(cost, unit),
                "end_text": f"  {with_prefix(priced.total, unit)}  ({ratio(priced.total / best)})",
            }
            for priced in strategies
            for name, cost in priced.components.items()
        ]
    )
    return table
