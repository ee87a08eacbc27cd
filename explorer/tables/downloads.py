"""Tables as files."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import pandas as pd

from explorer.labels import MODELLED
from pase_core.exporters.solution_json import to_text
from pase_core.solve import Comparison

_COSTS = ("cost", "transfers", "data_parallel", "saving")


def layers_csv(comparison: Comparison, layers: pd.DataFrame) -> str:
    """Rows of a layer table as CSV; the titles of the columns of costs have their unit."""
    unit = comparison.solution.unit
    titles = {name: f"{name} [{unit}]" for name in _COSTS}
    return str(layers.rename(columns=titles).to_csv(index=False, lineterminator="\r\n"))


def layers_json(comparison: Comparison, layers: pd.DataFrame) -> str:
    """Rows of a layer table as JSON, schema `pase.layers/1`, with the parts as numbers."""
    problem = comparison.solution.problem
    positions = {layer.name: position for position, layer in enumerate(problem.graph.layers)}
    return to_text(
        {
            "schema": "pase.layers/1",
            "network": problem.graph.name,
            "cluster": problem.cluster.name,
            "devices": problem.cluster.n_devices,
            "unit": comparison.solution.unit,
            "note": f"{MODELLED} Costs are per step and device.",
            "layers": [
                _layer_record(comparison, positions[row["layer"]], row)
                for row in layers.to_dict("records")
            ],
        }
    )


def _layer_record(
    comparison: Comparison, position: int, row: Mapping[Hashable, object]
) -> dict[str, object]:
    layer = comparison.solution.problem.graph.layers[position]
    found, baseline = (
        dict(zip(layer.dimension_names, priced.strategy.configurations[position], strict=True))
        for priced in (comparison.solution.found, comparison.data_parallel)
    )
    return {
        "layer": layer.name,
        "module": row["module"],
        "operation": layer.operation,
        "dimensions": dict(zip(layer.dimension_names, layer.sizes, strict=True)),
        "parts": found,
        "parts_data_parallel": baseline,
        **{name: row[name] for name in (*_COSTS, "share")},
    }
