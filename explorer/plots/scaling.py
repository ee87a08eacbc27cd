"""Lines against the number of devices: step time, speed-up, communication, weights."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

KIND_COLOURS = {
    "found": "#1F86C9",
    "data parallel": "#D55E00",
    "expert": "#AA6FB5",
    "flexflow": "#009E73",
}
"""Colour of each kind of strategy; symbol and dash differ as well."""

KIND_SYMBOLS = {
    "found": "circle",
    "data parallel": "square",
    "expert": "diamond",
    "flexflow": "triangle-up",
}

DASHES = ("solid", "dashdot", "longdash", "longdashdot", "dash")
MARKS = ("diamond", "triangle-down", "star", "cross", "pentagon")
"""Dashes and symbols of one expert's line after the other."""

GREY = "#888888"


def time_lines(
    table: pd.DataFrame, ideal: pd.DataFrame, scale: float, unit: str, chosen: int
) -> go.Figure:
    """Step time on logarithmic axes, with the ideal line.

    Args:
        table: as `explorer.tables.scaling_table`.
        ideal: as `explorer.tables.ideal_table`.
        scale: what seconds are divided by on the axis.
        unit: unit of the axis.
        chosen: the number of devices that the other pages show.
    """
    figure = go.Figure()
    figure.add_scatter(
        x=ideal["devices"],
        y=ideal["seconds"] / scale,
        name="Ideal",
        mode="lines",
        line={"dash": "dash", "color": GREY, "width": 1.5},
        hoverinfo="skip",
    )
    _add_lines(figure, table, table["seconds"] / scale)
    _lay_out(figure, table, chosen)
    values = [*(table["seconds"] / scale), *(ideal["seconds"] / scale)]
    _logarithmic(figure, values, f"modelled time per step [{unit}]")
    return figure


def speedup_lines(table: pd.DataFrame, crossings: pd.DataFrame, chosen: int) -> go.Figure:
    """Speed-up over data parallelism, with marks where an expert's line crosses 1."""
    figure = go.Figure()
    _add_lines(figure, table, table["speedup"])
    if len(crossings):
        figure.add_scatter(
            x=crossings["devices"],
            y=crossings["speedup"],
            name="Change of places",
            mode="markers",
            marker={"symbol": "x-thin", "size": 11, "line": {"width": 2.5, "color": GREY}},
            customdata=crossings[["text"]],
            hovertemplate="%{customdata[0]}<extra></extra>",
        )
    _lay_out(figure, table, chosen)
    figure.update_yaxes(title="speed-up over data parallelism", rangemode="tozero", ticksuffix="×")
    return figure


def communication_lines(table: pd.DataFrame, chosen: int) -> go.Figure:
    """Share of a step's cost that is communication."""
    figure = go.Figure()
    _add_lines(figure, table, table["communication"])
    _lay_out(figure, table, chosen)
    figure.update_yaxes(title="communication, share of the step", tickformat=".0%", range=[0, 1.04])
    return figure


def weight_lines(table: pd.DataFrame, memory_bytes: float | None, chosen: int) -> go.Figure:
    """Weights that one device holds, in MB on logarithmic axes; its memory if near enough."""
    figure = go.Figure()
    megabytes = table["weights_bytes"] / 1e6
    _add_lines(figure, table, megabytes)
    values = list(megabytes)
    if memory_bytes is not None:
        values.append(memory_bytes / 1e6)
        figure.add_scatter(
            x=[table["devices"].min(), table["devices"].max()],
            y=[memory_bytes / 1e6] * 2,
            name="Memory of a device",
            mode="lines",
            line={"dash": "dot", "color": GREY, "width": 2},
            hovertemplate="memory of a device: %{y:,.0f} MB<extra></extra>",
        )
    _lay_out(figure, table, chosen)
    _logarithmic(figure, values, "weights per device [MB]")
    return figure


def _add_lines(figure: go.Figure, table: pd.DataFrame, values: pd.Series) -> None:
    """One line per strategy, the found one last and so on top."""
    experts = itertools.cycle(zip(DASHES, MARKS, strict=True))
    groups = list(table.groupby("strategy", sort=False))
    for name, rows in groups[1:] + groups[:1]:
        kind = rows["kind"].iloc[0]
        dash, mark = next(experts) if kind == "expert" else ("solid", KIND_SYMBOLS[kind])
        figure.add_scatter(
            x=rows["devices"],
            y=values[rows.index],
            name=name,
            mode="lines+markers",
            line={
                "color": KIND_COLOURS[kind],
                "width": 3 if kind == "found" else 2,
                "dash": dash,
            },
            marker={"symbol": mark, "size": 9},
            customdata=rows[["devices", "hover"]],
            hovertemplate="%{customdata[1]}<extra></extra>",
        )


def _lay_out(figure: go.Figure, table: pd.DataFrame, chosen: int) -> None:
    devices = sorted(set(table["devices"]))
    figure.update_layout(
        height=360,
        margin={"l": 0, "r": 10, "t": 64, "b": 44},
        legend={
            "orientation": "h",
            "y": 1.07,
            "yanchor": "bottom",
            "x": 0,
            "traceorder": "reversed",
        },
        hoverlabel={"align": "left"},
        clickmode="event+select",
        dragmode=False,
    )
    log_ends = [math.log10(devices[0]) - 0.06, math.log10(devices[-1]) + 0.06]
    figure.update_xaxes(
        type="log", title="devices", tickvals=devices, range=log_ends, fixedrange=True
    )
    figure.update_yaxes(fixedrange=True)
    if devices[0] <= chosen <= devices[-1]:
        figure.add_vline(x=chosen, line={"color": GREY, "width": 1, "dash": "dot"}, layer="below")
        figure.add_annotation(
            x=math.log10(chosen),
            y=1,
            yref="paper",
            yanchor="bottom",
            text=f"p = {chosen}",
            showarrow=False,
            font={"color": GREY, "size": 12},
        )


def _logarithmic(figure: go.Figure, values: Sequence[float], title: str) -> None:
    """A logarithmic y axis with ticks at round numbers, the more the shorter it is."""
    positive = [value for value in values if value > 0] or [1.0]
    least, largest = math.log10(min(positive)), math.log10(max(positive))
    margin = max(0.06 * (largest - least), 0.05)
    decades = largest - least
    steps = (1, 2, 3, 4, 5, 7) if decades < 1 else (1, 2, 5) if decades < 2.5 else (1,)
    powers = range(math.floor(least - margin), math.ceil(largest + margin) + 1)
    ticks = [step * 10.0**power for power in powers for step in steps]
    figure.update_yaxes(
        type="log",
        title=title,
        range=[least - margin, largest + margin],
        tickvals=ticks,
        ticktext=[f"{tick:,.10g}" for tick in ticks],
    )
