"""The grid of layers and dimensions: which layer is cut where, and into how many parts."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from explorer.plots.text import label, row_label

ROW_HEIGHT, TOP, BOTTOM, CELL = 24, 48, 12, 0.94
"""Pixels of a row, of the two margins, and the share of its place that a cell fills."""


def split_grid(
    cells: pd.DataFrame,
    names: Sequence[str],
    dimensions: Sequence[str],
    colours: Sequence[tuple[float, str]],
    *,
    marked: Collection[str] = (),
    mark: str = "#111111",
) -> go.Figure:
    """Draw a cell for each layer and dimension, coloured by the logarithm of its parts.

    The cells are bars without a gap: they fill the width, and unlike a heatmap they can be clicked.

    Args:
        cells: as `explorer.tables.split_cells`.
        names: of the rows, from the top.
        dimensions: names of the columns, from the left.
        colours: scale from one part to the most parts.
        marked: names of the rows that are selected.
        mark: colour of the frame around the selected rows.
    """
    figure = go.Figure(
        go.Bar(
            orientation="h",
            base=cells["column"] - CELL / 2,
            x=[CELL] * len(cells),
            y=cells["row"],
            width=0.86,
            text=cells["text"],
            textposition="inside",
            insidetextanchor="middle",
            textangle=0,
            textfont={"color": list(cells["ink"])},
            constraintext="none",
            customdata=cells[["layer", "hover"]],
            hovertemplate="%{customdata[1]}<extra></extra>",
            unselected={"marker": {"opacity": 1}},
            marker=_colouring(cells, colours, len(names)),
        )
    )
    _frame_rows(figure, names, len(dimensions), marked, mark)
    _set_axes(figure, names, dimensions, marked)
    return figure


def _colouring(
    cells: pd.DataFrame, colours: Sequence[tuple[float, str]], n_rows: int
) -> dict[str, Any]:
    """Colours of the cells, with the powers of two on the bar that explains them."""
    most = int(cells["parts"].max()) if len(cells) else 1
    ticks = sorted({1, most, *(2**k for k in range(int(math.log2(most)) + 1))})
    return {
        "color": cells["parts"].map(math.log2),
        "colorscale": [[0, _faint(colours[0][1])], [1e-6, colours[0][1]], *colours[1:]],
        "cmin": 0,
        "cmax": math.log2(most) or 1,
        "line": {"width": 0},
        "colorbar": {
            "title": {"text": "parts", "side": "right"},
            "tickvals": [math.log2(n) for n in ticks],
            "ticktext": [str(n) for n in ticks],
            "thickness": 12,
            "outlinewidth": 0,
            "lenmode": "pixels",
            "len": min(180, 60 + ROW_HEIGHT * n_rows),
            "y": 1,
            "yanchor": "top",
        },
    }


def _faint(colour: str) -> str:
    """A colour that lets the page shine through: what is not split recedes, light or dark."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.4)"


def _frame_rows(
    figure: go.Figure, names: Sequence[str], n_columns: int, marked: Collection[str], mark: str
) -> None:
    for row, name in enumerate(names):
        if name in marked:
            figure.add_shape(
                type="rect",
                x0=-0.52,
                x1=n_columns - 0.48,
                y0=row - 0.49,
                y1=row + 0.49,
                line={"color": mark, "width": 2},
            )


def _set_axes(
    figure: go.Figure, names: Sequence[str], dimensions: Sequence[str], marked: Collection[str]
) -> None:
    figure.update_layout(
        height=TOP + BOTTOM + ROW_HEIGHT * max(3, len(names)),
        margin={"l": 0, "r": 0, "t": TOP, "b": BOTTOM},
        clickmode="event+select",
        dragmode=False,
        showlegend=False,
    )
    figure.update_xaxes(
        title={"text": "dimension", "standoff": 2},
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
        range=[max(3, len(names)) - 0.5, -0.5],
        tickvals=list(range(len(names))),
        ticktext=[row_label(name, is_marked=name in marked) for name in names],
        showgrid=False,
        zeroline=False,
        fixedrange=True,
        automargin=True,
    )
