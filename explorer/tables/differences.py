"""Where two strategies differ: layer by layer, like layers together, module by module."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from explorer.labels import SAVING_COLOURS, component_title
from explorer.tables.explain import NEGLIGIBLE, amounts, balance, explain
from pase_core.components import COMPONENTS, REDISTRIBUTION
from pase_core.cost_tables import Array
from pase_core.modules import module_names
from pase_core.solve import Problem, cost_model
from pase_core.strategy import PricedStrategy, describe_splits
from pase_core.units import common_scale, with_prefix

SAVED_COLUMNS = tuple(f"saved {name}" for name in COMPONENTS)
"""Columns of what is saved by component; they add up to `saved`."""

SAME = 1e-9
"""Costs that differ by less than this share of the dearer layer count as equal."""

MAX_COLOURED_ROWS = 5_000


def layer_parts(priced: PricedStrategy) -> Array:
    """Cost by layer and component, redistribution last, shape (n_layers, len(COMPONENTS))."""
    names = (*priced.component_names, REDISTRIBUTION)
    parts = np.column_stack([priced.layer_components, priced.incoming_transfers])
    ordered: Array = parts[:, [names.index(name) for name in COMPONENTS]]
    return ordered


def difference_table(
    problem: Problem, this: PricedStrategy, against: PricedStrategy
) -> pd.DataFrame:
    """One row per layer, in the order of the graph.

    Columns: layer, module, split, split_against, is_alike (split alike), cost, cost_against,
    saved (their difference, positive where `this` is cheaper), SAVED_COLUMNS, and `why`, a
    sentence without its subject. Redistribution counts where a tensor arrives.
    """
    layers = problem.graph.layers
    names = [layer.name for layer in layers]
    parts, parts_against = layer_parts(this), layer_parts(against)
    amount = amounts(problem)
    pairs = list(
        zip(layers, this.strategy.configurations, against.strategy.configurations, strict=True)
    )
    differences = (dict(zip(COMPONENTS, row, strict=True)) for row in parts - parts_against)
    table = pd.DataFrame(
        {
            "layer": names,
            "module": module_names(names),
            "split": [describe_splits(layer, a) for layer, a, _b in pairs],
            "split_against": [describe_splits(layer, b) for layer, _a, b in pairs],
            "is_alike": [a == b for _layer, a, b in pairs],
            "cost": parts.sum(axis=1),
            "cost_against": parts_against.sum(axis=1),
            "saved": (parts_against - parts).sum(axis=1),
            "why": [
                explain(layer, a, b, difference, amount)
                for (layer, a, b), difference in zip(pairs, differences, strict=True)
            ],
        }
    )
    saved = pd.DataFrame(parts_against - parts, columns=list(SAVED_COLUMNS))
    return pd.concat([table, saved], axis=1)


def differing(differences: pd.DataFrame) -> pd.DataFrame:
    """The layers whose split or cost differs, the largest difference first."""
    scale = differences[["cost", "cost_against"]].max(axis=1)
    is_other = ~differences["is_alike"] | (differences["saved"].abs() > SAME * scale)
    return differences[is_other].sort_values(
        "saved", key=lambda saved: -saved.abs(), kind="stable", ignore_index=True
    )


def like_layers(differing_layers: pd.DataFrame, unit: str) -> pd.DataFrame:
    """Layers that differ in the same way, together; the largest difference first.

    Args:
        differing_layers: as `differing`.
        unit: of all costs.

    Returns:
        Columns: layer (the first), title (with how many there are), n_layers, saved (sum),
        why (of one layer), hover.
    """
    rows = []
    for why, group in differing_layers.groupby("why", sort=False):
        first, n = group["layer"].iloc[0], len(group)
        saved = float(group["saved"].sum())
        title = first if n == 1 else f"{first} × {n}"
        sums = group[list(SAVED_COLUMNS)].sum()
        rows.append(
            {
                "layer": first,
                "title": title,
                "n_layers": n,
                "saved": saved,
                "why": why,
                "hover": "<br>".join(
                    [
                        f"<b>{html.escape(title)}</b>: {_saves(saved, unit)}",
                        f"{html.escape(group['split'].iloc[0])} instead of "
                        f"{html.escape(group['split_against'].iloc[0])}",
                        *_component_lines(sums.to_numpy(), unit),
                    ]
                ),
            }
        )
    columns = ["layer", "title", "n_layers", "saved", "why", "hover"]
    return pd.DataFrame(rows, columns=columns).sort_values(
        "saved", key=lambda saved: -saved.abs(), kind="stable", ignore_index=True
    )


def module_differences(differences: pd.DataFrame, unit: str) -> pd.DataFrame:
    """Sums of a difference table by module, in the order of the graph.

    Columns: module, n_layers, cost, cost_against, saved, hover.
    """
    grouped = differences.groupby("module", sort=False)
    table = grouped[["cost", "cost_against", "saved"]].sum().reset_index()
    table["n_layers"] = grouped.size().to_numpy()
    table["hover"] = [
        f"<b>{html.escape(module)}</b> ({n} layer{'s' if n > 1 else ''})<br>"
        f"{with_prefix(cost, unit)} against {with_prefix(other, unit)}<br>{_saves(saved, unit)}"
        for module, n, cost, other, saved in zip(
            *(table[c] for c in ("module", "n_layers", "cost", "cost_against", "saved")),
            strict=True,
        )
    ]
    return table


def sum_in_words(problem: Problem, differences: pd.DataFrame) -> str:
    """What all layers together save and pay for it."""
    saved = differences[list(SAVED_COLUMNS)].sum()
    return balance(dict(zip(COMPONENTS, -saved, strict=True)), amounts(problem))


def coloured(
    table: pd.DataFrame, columns: Sequence[str]
) -> pd.DataFrame | pd.io.formats.style.Styler:
    """The table with diverging colours behind differences; as it is if it is very long."""
    if not len(table) or len(table) > MAX_COLOURED_ROWS:
        return table
    extent = float(table[list(columns)].abs().to_numpy().max()) or 1.0

    def paint(value: Any) -> str:
        share = abs(value) / extent
        if share < NEGLIGIBLE:
            return ""
        colour = SAVING_COLOURS[-1 if value > 0 else 0][1]
        red, green, blue = bytes.fromhex(colour.removeprefix("#"))
        ink = "; color: #FFFFFF" if share > 0.6 else ""
        return f"background-color: rgba({red}, {green}, {blue}, {0.1 + 0.9 * share:.2f}){ink}"

    return table.style.map(paint, subset=list(columns))


def shown_differences(differences: pd.DataFrame, unit: str) -> tuple[pd.DataFrame, list[str], str]:
    """Differences for people: what is saved in a unit that reads well, to two places.

    Args:
        differences: as `difference_table`, one row or more.
        unit: of all costs.

    Returns:
        The rows, the names of the columns of savings that are not 0 throughout, and their unit.
    """
    scale, scaled_unit = common_scale(float(differences["saved"].abs().max()), unit)
    names = ["saved", *SAVED_COLUMNS]
    rounded = {name: (differences[name] / scale).round(2) + 0.0 for name in names}
    told = ["saved", *(name for name in SAVED_COLUMNS if rounded[name].any())]
    return differences.assign(**rounded), told, scaled_unit


def difference_titles(
    problem: Problem, differences: pd.DataFrame, this: str, against: str
) -> pd.DataFrame:
    """A difference table for a file: the titles of the columns of costs have their unit."""
    unit = cost_model(problem).unit
    titles = {
        "split": f"split: {this}",
        "split_against": f"split: {against}",
        "is_alike": "split alike",
        "cost": f"cost: {this} [{unit}]",
        "cost_against": f"cost: {against} [{unit}]",
        **{column: f"{column} [{unit}]" for column in ("saved", *SAVED_COLUMNS)},
    }
    return differences.rename(columns=titles)


def _component_lines(saved: Array, unit: str) -> list[str]:
    largest = max(map(abs, saved), default=0.0)
    return [
        f"{component_title(name)}: {_saves(float(value), unit)}"
        for name, value in zip(COMPONENTS, saved, strict=True)
        if abs(value) > NEGLIGIBLE * largest
    ]


def _saves(saved: float, unit: str) -> str:
    if saved == 0:
        return "costs the same"
    return f"{'saves' if saved > 0 else 'costs'} {with_prefix(abs(saved), unit)}"
