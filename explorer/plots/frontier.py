"""Time against memory: where the frontier lies, the frontier itself, and what its bytes are."""

from __future__ import annotations

import itertools
import math

import pandas as pd
import plotly.graph_objects as go

from explorer.plots.scaling import GREY, KIND_COLOURS

CURVE_COLOUR = KIND_COLOURS["found"]

PART_COLOURS = {
    "parameters": "#0072B2",
    "gradients": "#56B4E9",
    "optimizer": "#009E73",
    "activations": "#E69F00",
    "fetched": "#CC79A7",
}
"""Colour of each part of the bytes: Okabe and Ito's colour-blind-safe palette."""

HEIGHT = 400

EXPERT_SYMBOLS = ("diamond", "triangle-up", "x", "star", "pentagon", "cross")

_ROOM = 1.35
"""Factor between the outermost points and the end of a logarithmic axis."""


def frontier_place(
    points: pd.DataFrame,
    beside: pd.DataFrame,
    capacities: pd.DataFrame,
    ink: str,
    unit: tuple[float, str],
) -> go.Figure:
    """Draw the frontier among what people do and what devices hold, both axes logarithmic.

    Args:
        points: as `explorer.tables.frontier.point_table`.
        beside: as `explorer.tables.frontier.beside_table`.
        capacities: as `explorer.tables.frontier.capacity_table`.
        ink: colour of this cluster's line.
        unit: of the times: seconds per unit, and name.
    """
    scale, name = unit
    gigabytes = pd.concat([points["bytes"], beside["bytes"]]) / 1e9
    low, high = float(gigabytes.min()) / _ROOM, float(gigabytes.max()) * _ROOM
    figure = go.Figure()
    _add_curve(figure, points, scale)
    _add_beside(figure, beside, scale)
    for at, names, is_own in zip(
        capacities["bytes"] / 1e9, capacities["names"], capacities["is_own"], strict=True
    ):
        if low < at < high:
            _add_capacity(figure, at, str(names), ink if is_own else GREY)
    _lay_out(figure, has_legend=True)
    figure.update_xaxes(type="log", range=[math.log10(low), math.log10(high)])
    figure.update_yaxes(title=f"step time [{name}]", type="log", exponentformat="none")
    return figure


def frontier_curve(
    points: pd.DataFrame, chosen: int | None, ink: str, unit: tuple[float, str]
) -> go.Figure:
    """Draw the frontier alone: the least time for every memory.

    Args:
        points: as `explorer.tables.frontier.point_table`.
        chosen: number of a point, from 1.
        ink: colour of the ring around it.
        unit: of the times: seconds per unit, and name.
    """
    scale, name = unit
    figure = go.Figure()
    _add_curve(figure, points, scale)
    if chosen is not None:
        row = points.iloc[chosen - 1]
        figure.add_scatter(
            x=[row["bytes"] / 1e9],
            y=[row["seconds"] / scale],
            mode="markers",
            marker={"symbol": "circle-open", "size": 17, "color": ink, "line": {"width": 2.5}},
            hoverinfo="skip",
            showlegend=False,
        )
    _lay_out(figure, has_legend=False)
    figure.update_xaxes(exponentformat="none", nticks=6)
    figure.update_yaxes(title=f"step time [{name}]", exponentformat="none")
    return figure


def byte_bars(parts: pd.DataFrame, titles: dict[str, str]) -> go.Figure:
    """Draw the bytes of points as stacked bars.

    Args:
        parts: as `explorer.tables.frontier.parts_table`.
        titles: what to call the parts.
    """
    figure = go.Figure()
    for part, rows in parts.groupby("part", sort=False):
        figure.add_bar(
            x=rows["point"].astype(str),
            y=rows["bytes"] / 1e9,
            name=titles[str(part)],
            marker={"color": PART_COLOURS[str(part)]},
            customdata=rows[["hover"]],
            hovertemplate="%{customdata[0]}<extra></extra>",
        )
    figure.update_layout(
        barmode="stack",
        bargap=0.15,
        height=320,
        margin={"l": 0, "r": 8, "t": 40, "b": 44},
        legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        hoverlabel={"align": "left"},
        dragmode=False,
    )
    figure.update_xaxes(title="point, by rising memory", type="category", fixedrange=True)
    figure.update_yaxes(title="memory per device [GB]", fixedrange=True, exponentformat="none")
    return figure


def _add_curve(figure: go.Figure, points: pd.DataFrame, scale: float) -> None:
    """The step line of the least time, with a mark per point: full ones are corners."""
    is_corner = points["kind"].str.startswith("corner")
    figure.add_scatter(
        x=points["bytes"] / 1e9,
        y=points["seconds"] / scale,
        name="frontier",
        mode="lines+markers",
        line={"shape": "hv", "color": CURVE_COLOUR, "width": 2},
        marker={
            "color": [CURVE_COLOUR if corner else "rgba(127,127,127,0.55)" for corner in is_corner],
            "size": [10 if corner else 6 for corner in is_corner],
            "opacity": 1.0,
        },
        unselected={"marker": {"opacity": 1}},
        customdata=points[["point", "hover"]],
        hovertemplate="%{customdata[1]}<extra></extra>",
        cliponaxis=False,
    )


def _add_beside(figure: go.Figure, beside: pd.DataFrame, scale: float) -> None:
    """A mark for each thing that people do."""
    symbols = itertools.cycle(EXPERT_SYMBOLS)
    columns = (beside[name] for name in ("title", "kind", "bytes", "seconds", "hover"))
    for title, kind, n_bytes, seconds, hover in zip(*columns, strict=True):
        symbol = "square" if kind == "data parallel" else next(symbols)
        figure.add_scatter(
            x=[n_bytes / 1e9],
            y=[seconds / scale],
            name=title,
            mode="markers",
            marker={"size": 11, "symbol": symbol, "color": KIND_COLOURS[kind]},
            customdata=[[None, hover]],
            hovertemplate="%{customdata[1]}<extra></extra>",
        )


def _add_capacity(figure: go.Figure, gigabytes: float, names: str, colour: str) -> None:
    """A line at what devices hold, with their names along it."""
    figure.add_vline(x=gigabytes, line={"color": colour, "width": 1.5, "dash": "dash"})
    figure.add_annotation(
        x=math.log10(gigabytes),
        y=1,
        yref="paper",
        yanchor="top",
        xanchor="right",
        textangle=-90,
        showarrow=False,
        text=f"{gigabytes:g} GB: {names}",
        font={"color": colour, "size": 11},
    )


def _lay_out(figure: go.Figure, *, has_legend: bool) -> None:
    figure.update_layout(
        height=HEIGHT,
        margin={"l": 0, "r": 10, "t": 40 if has_legend else 12, "b": 44},
        showlegend=has_legend,
        legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        clickmode="event+select",
        hoverlabel={"align": "left"},
        dragmode=False,
    )
    figure.update_xaxes(title="memory per device [GB]", fixedrange=True, zeroline=False)
    figure.update_yaxes(fixedrange=True, automargin=True, zeroline=False)
