"""Which layers are cut where: the rows and cells of the grid of layers and dimensions."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from html import escape

import pandas as pd

from explorer.colours import Stops, ink_on, mix
from pase_core.outline import Outline
from pase_core.solve import Comparison

MOST_LAYERS = 60
"""More layers than this are shown by one layer of each module."""

MOST_ROWS = 120
"""Of more rows than this the dearest are shown."""


@dataclass(frozen=True, slots=True)
class GridRow:
    """A row of the grid.

    Attributes:
        title: what stands beside it.
        layer: position of the layer that it shows.
        stands_for: positions of all layers that it stands for.
    """

    title: str
    layer: int
    stands_for: tuple[int, ...]


def matching_layers(layers: pd.DataFrame, words: str, *, only_different: bool) -> pd.DataFrame:
    """The rows of a layer table in which every word occurs; the index keeps their positions.

    Args:
        layers: as `layer_table` makes it.
        words: looked for, without regard to case, in name, module, operation and splits.
        only_different: leave out layers that are split as under data parallelism.
    """
    columns = ["layer", "module", "operation", "split", "dimensions"]
    texts = layers[columns].agg(" ".join, axis=1).str.casefold()
    keep = pd.Series(data=True, index=layers.index)
    for word in words.casefold().split():
        keep &= texts.str.contains(word, regex=False)
    if only_different:
        keep &= layers["split"] != layers["split_data_parallel"]
    return layers[keep]


def grid_rows(layers: pd.DataFrame, boxes: Outline) -> tuple[GridRow, ...]:
    """Choose the rows: every layer, or of many layers the dearest one of each box.

    Args:
        layers: rows of a layer table, indexed by position.
        boxes: the outline, whose opened modules give one row per layer.
    """
    if len(layers) <= MOST_LAYERS:
        shown_names = zip(layers.index, layers["layer"], strict=True)
        return tuple(GridRow(name, i, (i,)) for i, name in shown_names)
    shown, costs = set(layers.index), layers["cost"]
    rows = []
    for box in boxes.boxes:
        inside = tuple(position for position in box.layers if position in shown)
        if inside:
            rows.append(GridRow(box.title, max(inside, key=costs.__getitem__), inside))
    dearest = sorted(rows, key=lambda row: -costs[row.layer])[:MOST_ROWS]
    return tuple(row for row in rows if row in dearest)


def grid_dimensions(comparison: Comparison, rows: Sequence[GridRow]) -> tuple[str, ...]:
    """Names of the dimensions of the rows' layers, as they first occur."""
    layers = comparison.solution.problem.graph.layers
    return tuple(dict.fromkeys(name for row in rows for name in layers[row.layer].dimension_names))


def split_cells(
    comparison: Comparison, rows: Sequence[GridRow], dimensions: Sequence[str], colours: Stops
) -> pd.DataFrame:
    """One row per cell of the grid.

    Columns: layer (name), row, column, parts, text, ink (of the text), and hover.
    """
    columns = {name: column for column, name in enumerate(dimensions)}
    cells = [
        {"row": i, "column": columns[str(cell["dimension"])], **cell}
        for i, row in enumerate(rows)
        for cell in _layer_cells(comparison, row)
    ]
    table = pd.DataFrame(
        cells, columns=["row", "column", "layer", "dimension", "parts", "text", "hover"]
    )
    most = math.log2(table["parts"].max()) if len(table) else 0.0
    table["ink"] = [
        ink_on(mix(colours, math.log2(parts) / (most or 1.0))) for parts in table["parts"]
    ]
    return table


def _layer_cells(comparison: Comparison, row: GridRow) -> list[dict[str, object]]:
    """The cells of one row, without their places."""
    layer = comparison.solution.problem.graph.layers[row.layer]
    found = comparison.solution.found.strategy.configurations
    baseline = comparison.data_parallel.strategy.configurations[row.layer]
    others = _others(comparison, row)
    name = escape(layer.name, quote=False)
    return [
        {
            "layer": layer.name,
            "dimension": d.name,
            "parts": parts,
            "text": f"{d.name} {parts}" if parts > 1 else "",
            "hover": f"<b>{name}</b>: dimension {escape(d.name, quote=False)} of size {d.size:,} "
            + (f"in {parts} parts of {d.size // parts:,}" if parts > 1 else "is not split")
            + ("" if d.splittable else " (never is)")
            + f"<br>data parallel: {f'{before} parts' if before > 1 else 'not split'}"
            + others,
        }
        for d, parts, before in zip(layer.dimensions, found[row.layer], baseline, strict=True)
    ]


def _others(comparison: Comparison, row: GridRow) -> str:
    """What the other layers that a row stands for do."""
    if len(row.stands_for) == 1:
        return ""
    found = comparison.solution.found.strategy.configurations
    layers = comparison.solution.problem.graph.layers

    def split(position: int) -> frozenset[tuple[str, int]]:
        names = layers[position].dimension_names
        return frozenset(p for p in zip(names, found[position], strict=True) if p[1] > 1)

    n_alike = sum(split(position) == split(row.layer) for position in row.stands_for)
    n_layers = len(row.stands_for)
    title = escape(row.title, quote=False)
    return f"<br>dearest of {n_layers} layers of {title}; {n_alike} of them split alike"


def selected_layers(names: Sequence[str], boxes: Outline, selected: str | None) -> tuple[int, ...]:
    """Positions of the layers that are selected: one, or those of a module.

    Args:
        names: of all layers.
        boxes: the outline.
        selected: name of a layer or of a box, or None.
    """
    for box in boxes.boxes:
        if box.name == selected and not box.is_layer:
            return box.layers
    return tuple(i for i, name in enumerate(names) if name == selected)


def marked_titles(rows: Sequence[GridRow], positions: Collection[int]) -> frozenset[str]:
    """Titles of the rows that stand for a selected layer."""
    chosen = set(positions)
    return frozenset(row.title for row in rows if chosen & set(row.stands_for))
