"""From an outline, its table and a colouring to what the canvas draws."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pandas as pd

from explorer.colours import (
    Colouring,
    colour_amounts,
    colour_differences,
    colour_kinds,
    ink_on,
)
from explorer.labels import AMOUNT_COLOURS, COMPONENT_COLOURS, SAVING_COLOURS, SPLIT_COLOURS
from explorer.layout import Layout, lay_out
from pase_core.outline import Outline

HEAVY_SHARE = 0.02
"""An arrow is heavy if it carries at least this share of the dearest box's cost."""


WIDTH, TOOLS = 560.0, 120
"""Pixels across that a picture has on a small screen, and what tools and legend take of the height.
"""

HEIGHTS = (560, 760, 960)
"""Heights of a picture in pixels."""

READABLE = 0.6
"""Least scale at which names can be read; a graph that needs a smaller one is seen in parts."""


@dataclass(frozen=True, slots=True)
class Look:
    """How a picture looks.

    Attributes:
        colouring: a key of COLOURINGS.
        is_horizontal: left to right rather than top down.
        selected: name of the selected box, or None.
    """

    colouring: str = "saving"
    is_horizontal: bool = True
    selected: str | None = None


def _amounts(column: str, title: str) -> Callable[[pd.DataFrame, str], Colouring]:
    def colour(table: pd.DataFrame, unit: str) -> Colouring:
        return colour_amounts(
            list(table[column]), AMOUNT_COLOURS, title, "B" if column == "weights" else unit
        )

    return colour


COLOURINGS: dict[str, tuple[str, Callable[[pd.DataFrame, str], Colouring]]] = {
    "saving": (
        "Saving",
        lambda table, unit: colour_differences(
            list(table["saving"]), SAVING_COLOURS, "saved against data parallelism", unit
        ),
    ),
    "cost": ("Cost", _amounts("cost", "cost")),
    "split": (
        "Kind of split",
        lambda table, _unit: colour_kinds(
            list(table["split_kind"]), SPLIT_COLOURS, "split (of the dearest layer)"
        ),
    ),
    "redistribution": ("Redistribution", _amounts("redistribution", "redistribution into it")),
    "weights": ("Weights", _amounts("weights", "weights per device")),
}
"""Ways to colour the boxes: title, and a function of the box table and the unit of costs."""


def draw(
    name: str,
    boxes: Outline,
    table: pd.DataFrame,
    transfers: Mapping[tuple[int, int], float],
    unit: str,
    look: Look,
) -> dict[str, object]:
    """Lay a graph out and colour it.

    Args:
        name: of the graph, for the names of saved pictures.
        boxes: the outline.
        table: as `explorer.tables.box_table`.
        transfers: cost of redistribution per edge of the outline.
        unit: of all costs.
        look: colouring, direction, selection.
    """
    layout, height = _fit(boxes, is_horizontal=look.is_horizontal)
    colouring = COLOURINGS[look.colouring][1](table, unit)
    names = [box.name for box in boxes.boxes]
    return {
        "name": name,
        "height": height,
        "selected": look.selected if look.selected in names else None,
        "legend": colouring.legend,
        "heavyColour": COMPONENT_COLOURS["redistribution"],
        "boxes": _drawn_boxes(boxes, table, layout, colouring),
        "edges": _drawn_edges(boxes, transfers, layout, float(table["cost"].max()) or 1.0),
    }


def _fit(boxes: Outline, *, is_horizontal: bool) -> tuple[Layout, int]:
    """The layout and the least height at which it can be read as a whole, if there is one."""
    found = []
    for height in HEIGHTS:
        room = (WIDTH, float(height - TOOLS))
        layout = lay_out(len(boxes.boxes), boxes.edges, is_horizontal=is_horizontal, room=room)
        found.append((layout, height))
        if min(room[0] / layout.size[0], room[1] / layout.size[1]) >= READABLE:
            return found[-1]
    return found[0]


def _drawn_boxes(
    boxes: Outline, table: pd.DataFrame, layout: Layout, colouring: Colouring
) -> list[dict[str, object]]:
    rows = table.to_dict("records")
    return [
        {
            "id": row["name"],
            "title": row["title"],
            "subtitle": row["subtitle"],
            "tip": row["hover"],
            "words": row["words"],
            "x": centre[0],
            "y": centre[1],
            "colour": colour,
            "ink": ink_on(colour),
            "stacked": len(box.members) > 1,
        }
        for row, box, centre, colour in zip(
            rows, boxes.boxes, layout.centres, colouring.colours, strict=True
        )
    ]


def _drawn_edges(
    boxes: Outline, transfers: Mapping[tuple[int, int], float], layout: Layout, largest: float
) -> list[dict[str, object]]:
    names = [box.name for box in boxes.boxes]
    return [
        {
            "from": names[edge[0]],
            "to": names[edge[1]],
            "points": route,
            "heavy": transfers[edge] > HEAVY_SHARE * largest,
            "width": 1.3 + 5.0 * min(1.0, transfers[edge] / largest),
        }
        for edge, route in zip(boxes.edges, layout.routes, strict=True)
    ]
