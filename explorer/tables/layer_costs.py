"""What layers cost, component by component, under one strategy and beside another."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np
import pandas as pd

from explorer.labels import component_title
from explorer.tables.summary import strategy_title
from pase_core.components import COMPONENTS, REDISTRIBUTION
from pase_core.cost_tables import Array
from pase_core.modules import module_names
from pase_core.solve import Comparison
from pase_core.strategy import PricedStrategy
from pase_core.units import percent, with_prefix

MOST_BARS = 15


def _layer_names(comparison: Comparison) -> list[str]:
    return [layer.name for layer in comparison.solution.problem.graph.layers]


def _costs_by_component(priced: PricedStrategy) -> dict[str, Array]:
    """Cost of each layer by component, the transfers into it as the last."""
    columns = dict(zip(priced.component_names, priced.layer_components.T, strict=True))
    return columns | {REDISTRIBUTION: priced.incoming_transfers}


def layer_totals(priced: PricedStrategy) -> Array:
    """Cost of each layer with the transfers into it, shape (n_layers,)."""
    totals: Array = priced.layer_costs + priced.incoming_transfers
    return totals


def dearest_layers(
    comparison: Comparison, baseline: PricedStrategy, most: int = MOST_BARS
) -> pd.DataFrame:
    """The dearest layers under the strategy found, the dearest first, a row per component.

    Columns: layer, component (title), cost, total (of the layer), baseline (the layer's cost under
    the other strategy), and the pretty texts hover, baseline_hover and end_text.
    """
    unit, found = comparison.solution.unit, comparison.solution.found
    names, totals, others = _layer_names(comparison), layer_totals(found), layer_totals(baseline)
    dearest = map(int, np.argsort(-totals, kind="stable")[:most])
    rows = []
    for i in (i for i in dearest if totals[i] > 0 or i == totals.argmax()):
        share = percent(totals[i] / found.total if found.total else 0.0)
        for name, costs in _costs_by_component(found).items():
            text = with_prefix(costs[i], unit)
            part = percent(costs[i] / totals[i] if totals[i] else 0.0)
            rows.append(
                {
                    "layer": names[i],
                    "component": component_title(name),
                    "cost": float(costs[i]),
                    "total": float(totals[i]),
                    "baseline": float(others[i]),
                    "hover": f"<b>{escape(names[i], quote=False)}</b><br>"
                    f"{component_title(name)}: {text} ({part} of the layer)",
                    "baseline_hover": f"<b>{escape(names[i], quote=False)}</b><br>"
                    f"{strategy_title(baseline)}: {with_prefix(others[i], unit)}",
                    "end_text": f"{with_prefix(totals[i], unit)} ({share})",
                }
            )
    return pd.DataFrame(rows)


def accumulated_costs(comparison: Comparison, baseline: PricedStrategy) -> pd.DataFrame:
    """Cost of all layers up to each one, in the order of the graph, found and baseline.

    Columns: layer, position (from 1), found, baseline, and the pretty text hover.
    """
    unit = comparison.solution.unit
    names = _layer_names(comparison)
    found, other = (layer_totals(priced) for priced in (comparison.solution.found, baseline))
    table = pd.DataFrame(
        {
            "layer": names,
            "position": np.arange(1, len(names) + 1),
            "found": np.cumsum(found),
            "baseline": np.cumsum(other),
        }
    )
    table["hover"] = [
        f"<b>{escape(name, quote=False)}</b> (layer {position} of {len(names)})<br>"
        f"found: {with_prefix(float(own), unit)}, {with_prefix(up_to, unit)} up to here<br>"
        f"{escape(strategy_title(baseline).lower())}: {with_prefix(float(others), unit)}, "
        f"{with_prefix(others_up_to, unit)} up to here"
        for name, position, own, up_to, others, others_up_to in zip(
            names, table["position"], found, table["found"], other, table["baseline"], strict=True
        )
    ]
    return table


def waterfall_steps(comparison: Comparison, baseline: PricedStrategy) -> pd.DataFrame:
    """From one strategy's cost to the found one's, one step per component that changes.

    Savings come first, the largest first. The costs under `baseline` and all changes add up to the
    costs found, component by component and in total.

    Columns: component (title), baseline, found, change, pick (the layer that changes most), and
    the pretty texts text and hover.
    """
    unit = comparison.solution.unit
    names, found = _layer_names(comparison), comparison.solution.found
    before, after = _costs_by_component(baseline), _costs_by_component(found)
    rows = []
    for component, costs in after.items():
        changes = costs - before[component]
        change = found.components[component] - baseline.components[component]
        pick = names[int(np.argmax(changes * np.sign(change)))]
        rows.append(
            {
                "component": component_title(component),
                "baseline": baseline.components[component],
                "found": found.components[component],
                "change": change,
                "pick": pick,
                "text": _signed(change, unit),
                "hover": f"<b>{component_title(component)}</b>: {_signed(change, unit)}<br>"
                f"{strategy_title(baseline)} {with_prefix(baseline.components[component], unit)}, "
                f"found {with_prefix(found.components[component], unit)}<br>"
                f"{COMPONENTS[component][1]}<br>"
                f"Most of the change is in {escape(pick, quote=False)} (a click selects it).",
            }
        )
    return pd.DataFrame(rows).sort_values("change", kind="stable", ignore_index=True)


def _signed(change: float, unit: str) -> str:
    sign = "−" if change < 0 else "+"
    return f"{sign}{with_prefix(abs(change), unit)}"


def cost_tree(
    comparison: Comparison, baseline: PricedStrategy, picks: Sequence[str]
) -> pd.DataFrame:
    """The modules and their layers, with what they cost and save.

    Args:
        comparison: the result.
        baseline: savings are against this strategy.
        picks: by layer, what a click on its module selects.

    Returns:
        Columns: id, parent, title, layer (or ""), pick, cost and saving (sums over the layers of a
        module), leaf (cost of a layer, 0 for a module), and the pretty texts text and hover.
        A layer that is its own module stands right under the whole, the last row.
    """
    names = _layer_names(comparison)
    cost = layer_totals(comparison.solution.found)
    table = pd.DataFrame(
        {
            "layer": names,
            "module": module_names(names),
            "cost": cost,
            "saving": layer_totals(baseline) - cost,
            "pick": names,
        }
    )
    layers = table.assign(
        id="layer " + table["layer"],
        parent=["all" if m in set(names) else f"module {m}" for m in table["module"]],
        title=[
            name.removeprefix(f"{module}/")
            for name, module in zip(names, table["module"], strict=True)
        ],
        leaf=cost,
    )
    modules = _branches(table.assign(pick=list(picks)), "module")
    modules = modules[~modules["title"].isin(names)]
    whole = _branches(table.assign(network="Whole network", pick=""), "network")
    tree = pd.concat(
        [
            modules.assign(id="module " + modules["title"], parent="all"),
            layers,
            whole.assign(id="all", parent=""),
        ],
        ignore_index=True,
    )
    return _with_texts(tree, comparison, baseline)


def _branches(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """Rows of a tree that sum up the layers with the same text in a column."""
    sums = (
        table.groupby(column, sort=False)
        .agg(cost=("cost", "sum"), saving=("saving", "sum"), pick=("pick", "first"))
        .reset_index()
        .rename(columns={column: "title"})
    )
    return sums.assign(layer="", leaf=0.0)


def _with_texts(
    tree: pd.DataFrame, comparison: Comparison, baseline: PricedStrategy
) -> pd.DataFrame:
    unit, total = comparison.solution.unit, comparison.solution.found.total
    tree["text"] = [with_prefix(cost, unit) for cost in tree["cost"]]
    tree["hover"] = [
        f"<b>{escape(name, quote=False)}</b><br>found {text} "
        f"({percent(cost / total if total else 0.0)} of the step)<br>"
        f"{'saves' if saving >= 0 else 'costs'} {with_prefix(abs(saving), unit)} "
        f"{'against' if saving >= 0 else 'more than'} {strategy_title(baseline).lower()}"
        for name, text, cost, saving in zip(
            tree["layer"].where(tree["layer"] != "", tree["title"]),
            tree["text"],
            tree["cost"],
            tree["saving"],
            strict=True,
        )
    ]
    return tree[
        ["id", "parent", "title", "layer", "pick", "cost", "saving", "leaf", "text", "hover"]
    ]


def cost_sentence(comparison: Comparison, baseline: PricedStrategy, chosen: Sequence[int]) -> str:
    """What some layers cost and save together, in a few words."""
    unit, found = comparison.solution.unit, comparison.solution.found
    positions = list(chosen)
    cost = float(layer_totals(found)[positions].sum())
    saving = float(layer_totals(baseline)[positions].sum()) - cost
    if abs(saving) <= 1e-9 * cost:
        difference = "the same as under"
    elif saving > 0:
        difference = f"saves {with_prefix(saving, unit)} against"
    else:
        difference = f"costs {with_prefix(-saving, unit)} more than"
    return (
        f"{with_prefix(cost, unit)} per step and device "
        f"({percent(cost / found.total if found.total else 0.0)} of the step), "
        f"{difference} {strategy_title(baseline).lower()}"
    )
