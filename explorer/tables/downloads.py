"""Tables as files: CSV that a spreadsheet may open, and JSON."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping

import pandas as pd

from explorer.labels import MODELLED
from pase_core.cluster_words import cluster_name
from pase_core.exporters.solution_json import to_text
from pase_core.solve import Comparison

_COSTS = ("cost", "transfers", "data_parallel", "saving")

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the beginning of a formula."""


def to_csv(table: pd.DataFrame) -> str:
    """A table as CSV; text that a spreadsheet would run as a formula gets a quote before it.

    Example:
        >>> to_csv(pd.DataFrame({"layer": ["=1+1", "-2"], "cost": [-1.0, 2.5]})).splitlines()
        ['layer,cost', "'=1+1,-1.0", '-2,2.5']
    """
    safe = table.rename(columns=_defused).map(_defused)
    return str(safe.to_csv(index=False, lineterminator="\r\n"))


def _defused(value: object) -> object:
    is_risky = isinstance(value, str) and value.startswith(_FORMULA)
    return f"'{value}" if is_risky and not _is_number(str(value)) else value


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def to_json(table: pd.DataFrame, about: Mapping[str, object] | None = None) -> str:
    """A table as JSON, schema `pase.table/1`: an object per row; null for what is not finite.

    Args:
        table: the rows.
        about: further entries, such as the unit of the costs.
    """
    rows = table.astype(object).where(table.notna(), None).to_dict("records")
    head = {"schema": "pase.table/1", "note": MODELLED}
    return to_text({**head, **(about or {}), "rows": [_plain_row(row) for row in rows]})


def _plain_row(row: Mapping[Hashable, object]) -> dict[str, object]:
    """A row with Python's own numbers."""
    return {str(name): _plain(value) for name, value in row.items()}


def _plain(value: object) -> object:
    """A value as Python's own; what JSON has no number for is null."""
    own = value.item() if hasattr(value, "item") else value
    return None if isinstance(own, float) and not math.isfinite(own) else own


def _with_units(layers: pd.DataFrame, unit: str) -> pd.DataFrame:
    """A layer table whose columns of costs have their unit in the title."""
    return layers.rename(columns={name: f"{name} [{unit}]" for name in _COSTS})


def layers_csv(comparison: Comparison, layers: pd.DataFrame) -> str:
    """Rows of a layer table as CSV; the titles of the columns of costs have their unit."""
    return to_csv(_with_units(layers, comparison.solution.unit))


def layers_json(comparison: Comparison, layers: pd.DataFrame) -> str:
    """Rows of a layer table as JSON, schema `pase.layers/1`, with the parts as numbers."""
    problem = comparison.solution.problem
    positions = {layer.name: position for position, layer in enumerate(problem.graph.layers)}
    return to_text(
        {
            "schema": "pase.layers/1",
            "network": problem.graph.name,
            "cluster": cluster_name(problem.cluster),
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
