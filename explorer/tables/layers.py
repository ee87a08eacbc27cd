"""The strategy layer by layer and module by module, beside data parallelism."""

from __future__ import annotations

import html

import pandas as pd

from pase_core.modules import module_names
from pase_core.solve import Comparison
from pase_core.strategy import PricedStrategy, describe_dimensions, describe_splits
from pase_core.units import common_scale, with_prefix


def layer_table(comparison: Comparison) -> pd.DataFrame:
    """One row per layer: its module, dimensions, split, costs, and what it saves.

    `cost` is the layer with the transfers into it, under the strategy found; `data_parallel` the
    same under data parallelism; `saving` their difference; `share` of the found total.
    """
    found, baseline = comparison.solution.found, comparison.data_parallel
    graph = comparison.solution.problem.graph
    names = [layer.name for layer in graph.layers]
    table = pd.DataFrame(
        {
            "layer": names,
            "module": module_names(names),
            "operation": [layer.operation for layer in graph.layers],
            "dimensions": [describe_dimensions(layer) for layer in graph.layers],
            "split": _splits(comparison, found),
            "split_data_parallel": _splits(comparison, baseline),
            "cost": found.layer_costs + found.incoming_transfers,
            "transfers": found.incoming_transfers,
            "data_parallel": baseline.layer_costs + baseline.incoming_transfers,
        }
    )
    table["saving"] = table["data_parallel"] - table["cost"]
    table["share"] = table["cost"] / found.total if found.total else 0.0
    return table


def _splits(comparison: Comparison, priced: PricedStrategy) -> list[str]:
    layers = comparison.solution.problem.graph.layers
    return [
        describe_splits(layer, configuration)
        for layer, configuration in zip(layers, priced.strategy.configurations, strict=True)
    ]


def scaled(layers: pd.DataFrame, scale: float) -> pd.DataFrame:
    """A layer table with its costs divided by `scale`, for people to read."""
    costs = ["cost", "transfers", "data_parallel", "saving"]
    return layers.assign(**{name: layers[name] / scale for name in costs})


def layer_scale(layers: pd.DataFrame, unit: str) -> tuple[float, str]:
    """Divisor and unit in which the costs of layers read well."""
    return common_scale(float(layers["cost"].max()), unit)


def module_of(layers: pd.DataFrame, name: str | None) -> str | None:
    """The module that a layer is in, or the module of that name; None if there is neither."""
    found = layers["module"][(layers["layer"] == name) | (layers["module"] == name)]
    return None if found.empty else str(found.iloc[0])


def module_table(layers: pd.DataFrame, unit: str) -> pd.DataFrame:
    """Sums of a layer table by module, in the order of the graph.

    Columns: module, n_layers, cost, data_parallel, saving, dearest (name of its dearest layer) and
    the pretty text `hover`.
    """
    grouped = layers.groupby("module", sort=False)
    table = grouped[["cost", "data_parallel", "saving"]].sum().reset_index()
    table["dearest"] = layers["layer"][grouped["cost"].idxmax()].to_numpy()
    table.insert(1, "n_layers", grouped.size().to_numpy())
    table["hover"] = [
        _module_hover(*row, unit=unit)
        for row in zip(
            table["module"], table["n_layers"], table["cost"], table["data_parallel"], strict=True
        )
    ]
    return table


def _module_hover(
    module: str, n_layers: int, cost: float, data_parallel: float, *, unit: str
) -> str:
    saving = data_parallel - cost
    return (
        f"<b>{html.escape(module)}</b> ({n_layers} layer{'s' if n_layers > 1 else ''})<br>"
        f"found {with_prefix(cost, unit)}<br>"
        f"data parallel {with_prefix(data_parallel, unit)}<br>"
        f"{'saves' if saving >= 0 else 'costs more:'} {with_prefix(abs(saving), unit)}"
    )
