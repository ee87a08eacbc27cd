"""A small grid: each cell is a part, with the numbers of the devices that hold it."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from explorer.plots.text import label

ROW_HEIGHT, TOP, BOTTOM = 26, 26, 6
"""Pixels of a row, and of the margins; the chart's buttons fit into the upper one."""

MOST_LABELS = 8
"""Columns from which on not each has a label."""

MOST_TEXTS = 16
"""Columns from which on the cells are too narrow for text; the hover says it."""


def device_grid(
    cells: pd.DataFrame,
    rows: Sequence[str],
    columns: Sequence[str],
    colours: tuple[str, str],
) -> go.Figure:
    """Draw the parts that devices hold.

    Args:
        cells: one row per cell: row, column, text and hover (HTML).
        rows: labels of the rows, from the top.
        columns: labels of the columns, from the left; empty where they count nothing.
        colours: of the cells and of their text.
    """
    figure = go.Figure(
        go.Bar(
            orientation="h",
            base=cells["column"] - 0.47,
            x=[0.94] * len(cells),
            y=cells["row"],
            width=0.88,
            text=cells["text"] if len(columns) <= MOST_TEXTS else None,
            textposition="inside",
            insidetextanchor="middle",
            textangle=0,
            textfont={"color": colours[1], "size": 12},
            constraintext="none",
            customdata=cells[["hover"]],
            hovertemplate="%{customdata[0]}<extra></extra>",
            marker={"color": colours[0], "line": {"width": 0}},
        )
    )
    _set_axes(figure, rows, columns)
    return figure


def _set_axes(figure: go.Figure, rows: Sequence[str], columns: Sequence[str]) -> None:
    figure.update_layout(
        height=TOP + BOTTOM + ROW_HEIGHT * len(rows),
        margin={"l": 0, "r": 0, "t": TOP, "b": BOTTOM},
        dragmode=False,
        showlegend=False,
    )
    bare = {"title": None, "showgrid": False, "zeroline": False, "fixedrange": True}
    step = -(-len(columns) // MOST_LABELS)
    figure.update_xaxes(
        side="top",
        range=[-0.5, len(columns) - 0.5],
        tickvals=list(range(0, len(columns), step)),
        ticktext=[label(name, 12) for name in columns[::step]],
        tickangle=0,
        showticklabels=any(columns),
        **bare,
    )
    figure.update_yaxes(
        range=[len(rows) - 0.5, -0.5],
        tickvals=list(range(len(rows))),
        ticktext=[label(name, 16) for name in rows],
        automargin=True,
        **bare,
    )
