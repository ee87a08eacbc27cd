"""How much worse the alternatives are: dimensions of the layers, and configurations of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

import numpy as np
import pandas as pd

from explorer import regret_scale
from explorer.colours import ink_on, mix
from explorer.regret_scale import percent_text
from explorer.tables.boxes import split_kind
from explorer.tables.grid import MOST_LAYERS, GridRow, grid_rows
from pase_core.alternatives import Regrets
from pase_core.cost_tables import Array
from pase_core.outline import Outline
from pase_core.strategy import PricedStrategy, describe_splits, find_choice
from pase_core.units import with_prefix

READINGS: Mapping[str, bool] = {"if split": True, "if left whole": False}
"""Readings of the regret map by their names: whether a dimension is split."""

CELL_COLUMNS = ("row", "column", "layer", "dimension", "share", "level", "text", "ink", "hover")

CHOICE_COLUMNS = ("rank", "split", "share", "kind", "is_found", "hover")


def regret_rows(layers: pd.DataFrame, boxes: Outline) -> tuple[GridRow, ...]:
    """Choose the rows of the map: one per layer, of equal modules once, if they are not too many.

    Args:
        layers: as `explorer.tables.layer_table` makes it.
        boxes: the outline; if there are too many layers it says what is shown as one row.
    """
    names = list(layers["layer"])
    rows = []
    for box in boxes.boxes:
        n_equal = max(1, len(box.members))
        n_each = len(box.layers) // n_equal
        for first in range(n_each):
            equal = box.layers[first::n_each]
            title = names[equal[0]] + (f" × {n_equal}" if n_equal > 1 else "")
            rows.append(GridRow(title, equal[0], equal))
    return tuple(rows) if len(rows) <= MOST_LAYERS else grid_rows(layers, boxes)


def rows_note(rows: Sequence[GridRow], boxes: Outline) -> str:
    """What a row of the map is, in a sentence."""
    if all(len(row.stands_for) == 1 for row in rows):
        return "One row per layer."
    if len(rows) == len(boxes.boxes):
        return "One row per module: its dearest layer."
    return "One row per layer, equal modules once."


def module_to_open(rows: Sequence[GridRow], boxes: Outline, chosen: Sequence[int]) -> str | None:
    """Name of the module of the first chosen layer, if the map shows it as one row of several."""
    row = next((row for row in rows if chosen and chosen[0] in row.stands_for), None)
    if row is None or len(row.stands_for) == 1:
        return None
    return boxes.boxes[boxes.box_of_layer()[row.layer]].name


def regret_cells(
    regrets: Regrets,
    found: PricedStrategy,
    rows: Sequence[GridRow],
    dimensions: Sequence[str],
    *,
    is_split: bool,
) -> pd.DataFrame:
    """One row per cell of the map of layers and dimensions.

    Args:
        regrets: of every configuration.
        found: the strategy found; its configurations go before equally good ones.
        rows: of the map, as `regret_rows` chooses them.
        dimensions: names of the columns.
        is_split: whether the regret is that of splitting a dimension or of leaving it whole.

    Returns:
        Columns: row, column, layer, dimension, share and level (of the regret; none where there is
        no choice), text, ink (of the text), hover.
    """
    columns = {name: column for column, name in enumerate(dimensions)}
    cells = [
        {"row": i, "column": columns[str(cell["dimension"])], **cell}
        for i, row in enumerate(rows)
        for cell in _layer_cells(regrets, found, row, is_split)
    ]
    return pd.DataFrame(cells, columns=list(CELL_COLUMNS))


def _layer_cells(
    regrets: Regrets, found: PricedStrategy, row: GridRow, is_split: bool
) -> list[dict[str, object]]:
    """The cells of one row, without their places."""
    layer = regrets.problem.graph.layers[row.layer]
    own = _dimension_regrets(regrets, row.layer, is_split)
    others = [_dimension_regrets(regrets, each, is_split) for each in row.stands_for]
    cells: list[dict[str, object]] = []
    for axis, dimension in enumerate(layer.dimensions):
        name = dimension.name
        head = (
            f"<b>{escape(layer.name, quote=False)}</b>: dimension {escape(name, quote=False)} "
            f"of size {dimension.size:,}"
        )
        cell: dict[str, object] = {
            "layer": layer.name,
            "dimension": name,
            "text": "",
            "ink": "#000000",
        }
        if name in own:
            hover = (
                f"{head} {'split' if is_split else 'left whole'}<br>"
                + _describe_cheapest(regrets, found, row.layer, axis, is_split)
                + _range_in_module(row, [each[name] for each in others if name in each])
            )
            cells.append(cell | _with_regret(own[name], hover))
        else:
            why = _why_no_choice(regrets, row.layer, axis)
            cells.append(cell | {"hover": f"{head}<br>no choice: {why}"})
    return cells


def _with_regret(share: float, hover: str) -> dict[str, object]:
    """What a cell with a choice shows."""
    return {
        "share": share,
        "level": regret_scale.level(share),
        "text": regret_scale.short_percent(share),
        "ink": ink_on(mix(regret_scale.COLOURS, regret_scale.shade(share))),
        "hover": hover,
    }


def _dimension_regrets(regrets: Regrets, position: int, is_split: bool) -> dict[str, float]:
    """Regret of each dimension of a layer that may be split and may be left whole."""
    if_split, if_whole = regrets.split_regrets(position), regrets.whole_regrets(position)
    has_choice = np.isfinite(if_split) & np.isfinite(if_whole)
    shown = if_split if is_split else if_whole
    names = regrets.problem.graph.layers[position].dimension_names
    return {names[axis]: float(shown[axis]) for axis in np.flatnonzero(has_choice)}


def _why_no_choice(regrets: Regrets, position: int, axis: int) -> str:
    layer = regrets.problem.graph.layers[position]
    if layer.name in {name for name, _ in regrets.problem.pins}:
        return "the layer is pinned"
    parts = regrets.configurations[position][:, axis]
    if (parts > 1).any():
        return "every configuration splits it"
    return "no configuration splits it"


def _describe_cheapest(
    regrets: Regrets, found: PricedStrategy, position: int, axis: int, is_split: bool
) -> str:
    """The cheapest configuration that splits a dimension, or leaves it whole, and its cost."""
    is_allowed = (regrets.configurations[position][:, axis] > 1) == is_split
    chosen = _found_row(regrets, found, position)
    if is_allowed[chosen]:
        return _describe_choice(regrets, position, chosen, "as found: ")
    costs = np.where(is_allowed, regrets.costs[position], np.inf)
    return _describe_choice(regrets, position, int(costs.argmin()), "at best: ")


def _found_row(regrets: Regrets, found: PricedStrategy, position: int) -> int:
    """Row of a layer's configuration as found."""
    layer = regrets.problem.graph.layers[position]
    configuration = found.strategy.configurations[position]
    return find_choice(layer, regrets.configurations[position], configuration)


def _describe_choice(regrets: Regrets, position: int, row: int, head: str) -> str:
    """A configuration, and what the best strategy with it costs."""
    layer = regrets.problem.graph.layers[position]
    split = describe_splits(layer, tuple(map(int, regrets.configurations[position][row])))
    cost = float(regrets.costs[position][row])
    return (
        f"{head}{escape(split, quote=False)}<br>"
        f"best whole strategy: {with_prefix(cost, regrets.unit, 5)} per step and device<br>"
        f"regret: {describe_excess(regrets, cost)}"
    )


def describe_excess(regrets: Regrets, cost: float) -> str:
    """What a cost is above the optimum, in per cent and in the unit of costs."""
    excess = max(cost - regrets.optimum, 0.0)
    share = excess / regrets.optimum if regrets.optimum else 0.0
    if share <= regret_scale.NOTHING:
        return "none, as good as the optimum"
    return f"{percent_text(share)} = {with_prefix(excess, regrets.unit)} above the optimum"


def _range_in_module(row: GridRow, shares: Sequence[float]) -> str:
    """The regrets over all layers that a row stands for."""
    if len(row.stands_for) == 1:
        return ""
    title = escape(row.title, quote=False)
    least, most = percent_text(min(shares)), percent_text(max(shares))
    there = f"{least} to {most}" if least != most else f"{least} in all"
    return f"<br>one of {len(row.stands_for)} layers of {title}; regrets there: {there}"


def _tidy_shares(regrets: Regrets, position: int) -> Array:
    """Regrets of a layer's configurations, without what rounding leaves."""
    shares = regrets.shares(position)
    tidy: Array = np.where(shares <= regret_scale.NOTHING, 0.0, shares)
    return tidy


def choice_table(regrets: Regrets, found: PricedStrategy, position: int) -> pd.DataFrame:
    """The configurations of a layer, the cheapest first; what pins rule out is left out.

    Columns: rank, split, share (regret), kind (of the split), is_found, hover.
    """
    layer = regrets.problem.graph.layers[position]
    shares = _tidy_shares(regrets, position)
    chosen = _found_row(regrets, found, position)
    order = np.lexsort((np.arange(len(shares)) != chosen, shares))
    rows = []
    for rank, row in enumerate((int(r) for r in order if np.isfinite(shares[r])), start=1):
        configuration = tuple(map(int, regrets.configurations[position][row]))
        head = "found: " if row == chosen else ""
        rows.append(
            {
                "rank": rank,
                "split": describe_splits(layer, configuration),
                "share": float(shares[row]),
                "kind": split_kind(layer, configuration),
                "is_found": row == chosen,
                "hover": f"<b>number {rank}</b><br>"
                + _describe_choice(regrets, position, row, head),
            }
        )
    return pd.DataFrame(rows, columns=list(CHOICE_COLUMNS))


def dearest_position(layers: pd.DataFrame, chosen: Sequence[int]) -> int:
    """Position of the dearest of some layers, or of all if none is chosen.

    Args:
        layers: as `explorer.tables.layer_table` makes it.
        chosen: positions.
    """
    costs = layers["cost"].to_numpy()
    return int(max(chosen or range(len(costs)), key=costs.__getitem__))


def choice_sentence(table: pd.DataFrame) -> str:
    """How the second configuration of a layer compares, in a sentence.

    Args:
        table: as `choice_table` makes it.
    """
    if len(table) == 1:
        return "One configuration, so there is no choice."
    n_equal = int((table["share"] == 0).sum())
    if n_equal > 1:
        return f"{n_equal} of {len(table)} configurations are equally good."
    return (
        f"{len(table)} configurations; the second best, {table['split'].iloc[1]}, costs "
        f"{percent_text(float(table['share'].iloc[1]))} of the whole step more."
    )
