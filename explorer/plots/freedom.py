"""Near-optimal freedom along the graph: how many configurations of each layer are good enough."""

from __future__ import annotations

import math
from collections.abc import Collection

import pandas as pd
import plotly.graph_objects as go

from explorer.plots.text import label

MOST_NAMES, MOST_MODULES = 24, 8
"""Layers, or modules, that are named on the axis."""

FREE, FIXED, ALL = "#0072B2", "#E69F00", "rgba(128,128,128,0.8)"
"""Colours of layers with several good configurations, with one, and of the line of all."""

FLOOR = 0.7
"""Where bars begin: below 1, so that one configuration is seen."""


def freedom_bars(
    table: pd.DataFrame, within: str, *, marked: Collection[str] = (), ink: str = "#111111"
) -> go.Figure:
    """Draw a bar per layer, and a line at the number of all its configurations.

    Args:
        table: as `explorer.tables.freedom.freedom_table`.
        within: what is counted, in words.
        marked: layers that are selected.
        ink: colour of the mark.
    """
    figure = go.Figure()
    numbers = pd.Series(range(1, len(table) + 1), index=table.index)
    is_fixed = table["near"] == 1
    for chosen, name, colour in (
        (~is_fixed, f"several {within}", FREE),
        (is_fixed, "no other choice", FIXED),
    ):
        figure.add_bar(
            x=numbers[chosen],
            base=FLOOR,
            y=table["near"][chosen] - FLOOR,
            width=0.9,
            name=name,
            marker={"color": colour, "line": {"width": 0}},
            unselected={"marker": {"opacity": 1}},
            customdata=table.loc[chosen, ["layer", "hover"]],
            hovertemplate="%{customdata[1]}<extra></extra>",
        )
    figure.add_scatter(
        x=numbers,
        y=table["total"],
        name="all configurations",
        mode="lines",
        line={"shape": "hvh", "width": 1.5, "color": ALL},
        hoverinfo="skip",
    )
    _mark_layers(figure, list(numbers[table["layer"].isin(marked)]), ink)
    _set_layout(figure, table)
    return figure


def _mark_layers(figure: go.Figure, numbers: list[int], ink: str) -> None:
    """A frame around the selected layers and an arrow head above them."""
    for start, stop in _runs(numbers):
        figure.add_shape(
            type="rect",
            x0=start - 0.5,
            x1=stop + 0.5,
            y0=0,
            y1=1,
            yref="paper",
            line={"color": ink, "width": 1.5},
        )
    if numbers:
        figure.add_annotation(
            x=numbers[0], y=1, yref="paper", yanchor="bottom", text="▼", showarrow=False,
            font={"color": ink, "size": 11},
        )  # fmt: skip


def _runs(numbers: list[int]) -> list[tuple[int, int]]:
    """First and last of each run of numbers that follow each other."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs


def _names_on_axis(table: pd.DataFrame) -> tuple[list[int], list[str]]:
    """Numbers of layers that are named, and the names: of all layers, or of the modules."""
    if len(table) <= MOST_NAMES:
        return list(range(1, len(table) + 1)), [label(name, 14) for name in table["layer"]]
    modules = table["module"].tolist()
    starts = [i for i, name in enumerate(modules) if i == 0 or modules[i - 1] != name]
    shown: list[int] = []
    for i in starts:
        if not shown or i - shown[-1] >= len(table) / MOST_MODULES:
            shown.append(i)
    return [i + 1 for i in shown], [label(modules[i], 18) for i in shown]


def _set_layout(figure: go.Figure, table: pd.DataFrame) -> None:
    numbers, names = _names_on_axis(table)
    most = max(int(table["total"].max()), 2)
    figure.update_layout(
        barmode="overlay",
        height=300,
        margin={"l": 0, "r": 8, "t": 44, "b": 52},
        legend={"orientation": "h", "y": 1.1, "yanchor": "bottom", "x": 0},
        clickmode="event+select",
        hoverlabel={"align": "left"},
        dragmode=False,
    )
    figure.update_xaxes(
        title={"text": "layers in the graph's order", "standoff": 10},
        tickvals=numbers,
        ticktext=names,
        range=[0.4, len(table) + 0.6],
        showgrid=False,
        zeroline=False,
        fixedrange=True,
        automargin=True,
    )
    figure.update_yaxes(
        title="configurations",
        type="log",
        range=[math.log10(FLOOR), math.log10(most * 1.25)],
        tickvals=[m * 10**e for e in range(5) for m in (1, 3) if m * 10**e <= most],
        fixedrange=True,
    )
