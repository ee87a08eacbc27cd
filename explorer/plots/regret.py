"""The regret map: what it costs at least to split a dimension of a layer, or to leave it whole."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from explorer.plots.text import label
from explorer.regret_scale import AT_NOTHING, COLOURS, HIGHEST, LOWEST, percent_text

ROW_HEIGHT, TOP, BOTTOM, CELL = 23, 118, 8, 0.94
"""Pixels of a row, of the two margins, and the share of its place that a cell fills."""

LONGEST_NAME = 30

LEGEND_ABOVE = 68
"""Pixels from the cells to the legend, which is above the names of the columns."""

NO_CHOICE = "rgba(128,128,128,0.22)"


def regret_grid(
    cells: pd.DataFrame,
    names: Sequence[str],
    dimensions: Sequence[str],
    *,
    marked: Collection[str] = (),
    mark: str = "#111111",
) -> go.Figure:
    """Draw a cell for each layer and dimension, coloured by the decade of its regret.

    The cells are bars without a gap: they fill the width, and unlike a heatmap they can be clicked.

    Args:
        cells: as `explorer.tables.regret.regret_cells`.
        names: of the rows, from the top.
        dimensions: names of the columns, from the left.
        marked: names of the rows that are selected.
        mark: colour of the frame around the selected rows.
    """
    has_choice = cells["level"].notna()
    figure = go.Figure()
    _add_cells(figure, cells[~has_choice], {"color": NO_CHOICE}, "no choice")
    _add_cells(figure, cells[has_choice], _colouring(cells[has_choice], len(names)), "regret")
    for row, name in enumerate(names):
        if name in marked:
            figure.add_shape(
                type="rect",
                x0=-0.52,
                x1=len(dimensions) - 0.48,
                y0=row - 0.49,
                y1=row + 0.49,
                line={"color": mark, "width": 2},
            )
    _set_axes(figure, names, dimensions, marked)
    return figure


def _add_cells(figure: go.Figure, cells: pd.DataFrame, marker: dict[str, Any], name: str) -> None:
    figure.add_bar(
        orientation="h",
        name=name,
        base=cells["column"] - CELL / 2,
        x=[CELL] * len(cells),
        y=cells["row"],
        width=0.86,
        text=cells["text"],
        textposition="inside",
        insidetextanchor="middle",
        textangle=0,
        textfont={"color": list(cells["ink"]), "size": 11},
        constraintext="none",
        customdata=cells[["layer", "hover"]],
        hovertemplate="%{customdata[1]}<extra></extra>",
        unselected={"marker": {"opacity": 1}, "textfont": {"color": None}},
        marker={**marker, "line": {"width": 0}},
    )


def _colouring(cells: pd.DataFrame, n_rows: int) -> dict[str, Any]:
    """Colours of the cells, with the decades on the bar that explains them."""
    decades = range(LOWEST, HIGHEST + 1)
    return {
        "color": cells["level"],
        "colorscale": [list(stop) for stop in COLOURS],
        "cmin": AT_NOTHING,
        "cmax": HIGHEST,
        "colorbar": {
            "title": {"text": "regret, % of the optimum", "side": "top"},
            "orientation": "h",
            "tickvals": [AT_NOTHING + 0.25, *decades[:-1], HIGHEST - 0.01],
            "ticktext": ["none", *(percent_text(10.0**decade)[:-2] for decade in decades)],
            "ticklabeloverflow": "allow",
            "thickness": 10,
            "outlinewidth": 0,
            "len": 1,
            "x": 0.5,
            "xanchor": "center",
            "y": 1 + LEGEND_ABOVE / (ROW_HEIGHT * max(3, n_rows)),
            "yanchor": "bottom",
            "ypad": 0,
            "xpad": 0,
        },
    }


def _set_axes(
    figure: go.Figure, names: Sequence[str], dimensions: Sequence[str], marked: Collection[str]
) -> None:
    n_rows = max(3, len(names))
    longest = max((len(label(name, LONGEST_NAME)) for name in names), default=0)
    figure.update_layout(
        height=TOP + BOTTOM + ROW_HEIGHT * n_rows,
        margin={"l": round(5.8 * longest) + 24, "r": 16, "t": TOP, "b": BOTTOM},
        barmode="overlay",
        clickmode="event+select",
        hoverlabel={"align": "left"},
        dragmode=False,
        showlegend=False,
    )
    figure.update_xaxes(
        title={"text": "dimension", "standoff": 0},
        side="top",
        range=[-0.55, len(dimensions) - 0.45],
        tickvals=list(range(len(dimensions))),
        ticktext=[label(name, 12) for name in dimensions],
        showgrid=False,
        zeroline=False,
        fixedrange=True,
    )
    figure.update_yaxes(
        title=None,
        range=[n_rows - 0.5, -0.5],
        tickvals=list(range(len(names))),
        ticktext=[_row_label(name, is_marked=name in marked) for name in names],
        showgrid=False,
        zeroline=False,
        fixedrange=True,
        automargin=True,
    )


def _row_label(name: str, *, is_marked: bool) -> str:
    text = label(name, LONGEST_NAME)
    return f"<b>▶ {text}</b>" if is_marked else text
