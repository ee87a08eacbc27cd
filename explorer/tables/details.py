"""All about one layer: dimensions, tensors, costs, candidates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from explorer.labels import component_title
from pase_core.components import REDISTRIBUTION
from pase_core.configurations import tensor_cuts
from pase_core.costs.build import Costs
from pase_core.solve import Comparison
from pase_core.strategy import PricedStrategy, describe_splits
from pase_core.units import with_prefix


def dimension_table(comparison: Comparison, position: int) -> pd.DataFrame:
    """One row per dimension of a layer: size, parts as found and under data parallelism."""
    layer = comparison.solution.problem.graph.layers[position]
    found, baseline = (
        priced.strategy.configurations[position]
        for priced in (comparison.solution.found, comparison.data_parallel)
    )
    return pd.DataFrame(
        {
            "dimension": layer.dimension_names,
            "size": layer.sizes,
            "parts": found,
            "each": [size // q for size, q in zip(layer.sizes, found, strict=True)],
            "data parallel": baseline,
        }
    )


def component_costs(comparison: Comparison, layers: Sequence[int]) -> pd.DataFrame:
    """Cost of some layers by component and their sum, found and data parallel, as numbers."""
    columns = {
        "found": _components_of(comparison.solution.found, layers),
        "data parallel": _components_of(comparison.data_parallel, layers),
    }
    names = [n for n in columns["found"] if any(costs[n] for costs in columns.values())]
    rows = {
        "cost": [component_title(name) for name in names] + ["Sum"],
        **{
            title: [costs[name] for name in names] + [sum(costs.values())]
            for title, costs in columns.items()
        },
    }
    return pd.DataFrame(rows)


def component_comparison(comparison: Comparison, layers: Sequence[int]) -> pd.DataFrame:
    """The same as text with units."""
    costs = component_costs(comparison, layers)
    unit = comparison.solution.unit
    texts = {
        title: [with_prefix(value, unit) for value in costs[title]]
        for title in ("found", "data parallel")
    }
    return costs.assign(**texts)


def _components_of(priced: PricedStrategy, layers: Sequence[int]) -> dict[str, float]:
    sums = priced.layer_components[list(layers)].sum(axis=0)
    costs = dict(zip(priced.component_names, map(float, sums), strict=True))
    return costs | {REDISTRIBUTION: float(priced.incoming_transfers[list(layers)].sum())}


def tensor_table(comparison: Comparison, position: int) -> pd.DataFrame:
    """One row per tensor of a layer: its sizes, into how many parts each axis is cut, its part."""
    graph = comparison.solution.problem.graph
    layer = graph.layers[position]
    splits = np.array([comparison.solution.found.strategy.configurations[position]])
    rows = []
    for role, accesses in (
        ("reads", layer.inputs),
        ("writes", layer.outputs),
        ("trains", layer.parameters),
    ):
        for access in accesses:
            tensor = graph.tensor_by_name[access.tensor]
            (cut,) = tensor_cuts(layer, access, splits)
            words = tensor.n_elements / float(np.prod(cut)) if len(cut) else 1.0
            rows.append(
                {
                    "role": role,
                    "tensor": tensor.name,
                    "axes": " ".join(map(str, access.axes)),
                    "sizes": " × ".join(map(str, tensor.sizes)),
                    "parts": " × ".join(map(str, cut)),
                    "each": with_prefix(words * comparison.solution.problem.word_bytes, "B"),
                }
            )
    return pd.DataFrame(rows)


def candidate_table(
    comparison: Comparison, costs: Costs, position: int, whole_costs: Sequence[float]
) -> pd.DataFrame:
    """One row per configuration of a layer, the best first.

    Args:
        comparison: the result, for its layers.
        costs: cost tables without pins.
        position: of the layer.
        whole_costs: cost of the best whole strategy with each configuration.

    Returns:
        Columns: row (in the cost table), split, more (per cent above the optimum), alone_cost (of
        the layer) and whole_cost.
    """
    layer = comparison.solution.problem.graph.layers[position]
    optimum = min(whole_costs) or 1.0
    order = np.argsort(np.asarray(whole_costs), kind="stable")
    splits = costs.configurations[position]
    alone = costs.tables.vertices[position]
    return pd.DataFrame(
        {
            "row": order,
            "split": [describe_splits(layer, tuple(map(int, splits[row]))) for row in order],
            "more": [100.0 * (whole_costs[row] / optimum - 1.0) for row in order],
            "alone_cost": [float(alone[row]) for row in order],
            "whole_cost": [whole_costs[row] for row in order],
        }
    )


def scaled_candidates(candidates: pd.DataFrame, scale: float) -> pd.DataFrame:
    """Candidates with the columns alone and whole: their costs divided by `scale`, for people."""
    return candidates.assign(
        alone=candidates["alone_cost"] / scale, whole=candidates["whole_cost"] / scale
    )
