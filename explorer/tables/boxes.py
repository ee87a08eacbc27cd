"""The boxes of the graph picture: sums, texts, kinds of splits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from pase_core.axes import BATCH
from pase_core.layers import Layer
from pase_core.outline import Box, Outline
from pase_core.solve import Comparison
from pase_core.strategy import Configuration, parameter_words
from pase_core.units import with_prefix


def split_kind(layer: Layer, configuration: Configuration) -> str:
    """In which of the kinds of `labels.SPLIT_COLOURS` a configuration splits a layer."""
    split = {name for name, q in zip(layer.dimension_names, configuration, strict=True) if q > 1}
    if not split:
        return "not split"
    if split == {BATCH}:
        return "batch only"
    return "batch and others" if BATCH in split else "others only"


def box_table(comparison: Comparison, boxes: Outline, layers: pd.DataFrame) -> pd.DataFrame:
    """One row per box of an outline.

    Args:
        comparison: the result.
        boxes: the outline.
        layers: as `layer_table` makes it.

    Returns:
        Columns: name, title, subtitle, hover, words (to search in), and per box the sums of cost,
        saving, redistribution (transfers into it) and weights (bytes), and the kind of split of
        its dearest layer.
    """
    found, graph = comparison.solution.found, comparison.solution.problem.graph
    kinds = [
        split_kind(layer, configuration)
        for layer, configuration in zip(graph.layers, found.strategy.configurations, strict=True)
    ]
    weights = comparison.solution.problem.word_bytes * parameter_words(graph, found.strategy)
    rows = []
    for box in boxes.boxes:
        inside = layers.iloc[list(box.layers)]
        dearest = inside["cost"].to_numpy().argmax()
        row = {
            "name": box.name,
            "title": box.title if not box.is_layer else box.name.split("/", 1)[-1],
            "subtitle": inside["split"].iloc[0] if box.is_layer else f"{len(inside)} layers",
            "words": " ".join([box.title, *inside["layer"], *inside["operation"]]),
            "cost": float(inside["cost"].sum()),
            "saving": float(inside["saving"].sum()),
            "redistribution": float(inside["transfers"].sum()),
            "weights": float(weights[list(box.layers)].sum()),
            "split_kind": kinds[box.layers[dearest]],
        }
        rows.append(row | {"hover": _box_hover(row, box, comparison.solution.unit)})
    return pd.DataFrame(rows)


def _box_hover(row: Mapping[str, Any], box: Box, unit: str) -> str:
    what = row["subtitle"] if box.is_layer else f"{len(box.layers)} layers (double click opens)"
    return (
        f"{box.title}: {what}\n"
        f"cost {with_prefix(row['cost'], unit)}\n"
        f"saved against data parallelism {with_prefix(row['saving'], unit)}\n"
        f"redistribution into it {with_prefix(row['redistribution'], unit)}\n"
        f"weights per device {with_prefix(row['weights'], 'B')}"
    )


def box_transfers(comparison: Comparison, boxes: Outline) -> dict[tuple[int, int], float]:
    """Cost of redistribution along each edge of an outline, under the strategy found."""
    home = boxes.box_of_layer()
    costs = dict.fromkeys(boxes.edges, 0.0)
    for producer, consumer, cost in comparison.solution.found.transfers:
        edge = (home[producer], home[consumer])
        if edge in costs:
            costs[edge] += cost
    return costs
