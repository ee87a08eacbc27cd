"""Measured speed-ups beside modelled ones."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from explorer.plots.scaling import GREY, KIND_COLOURS, KIND_SYMBOLS

FINE_TICKS = (0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3)
TICKS = (0.5, 0.7, 1, 1.5, 2, 3, 5, 7, 10, 15, 20, 30, 50, 100)


def measured_and_modelled(
    table: pd.DataFrame, titles: Mapping[str, str], measured: str, modelled: str
) -> go.Figure:
    """One panel per system; measured lines are solid with full marks, modelled ones dashed.

    Args:
        table: as `explorer.tables.figure6_table`.
        titles: title of each panel, by `cluster`.
        measured: the source whose lines are solid.
        modelled: the source whose lines are dashed.
    """
    figure = make_subplots(
        1, len(titles), subplot_titles=list(titles.values()), shared_yaxes=True,
        horizontal_spacing=0.04,
    )  # fmt: skip
    for column, cluster in enumerate(titles, start=1):
        rows = table[table["cluster"] == cluster]
        for (source, _strategy), line in rows.groupby(["source", "strategy"], sort=False):
            figure.add_trace(_line(line, source == modelled, column == 1), row=1, col=column)
        figure.add_hline(y=1, line={"color": GREY, "width": 1}, row=1, col=column)
    figure.update_layout(
        height=430,
        margin={"l": 0, "r": 0, "t": 40, "b": 44},
        legend={"groupclick": "togglegroup", "tracegroupgap": 18, "y": 0.98},
        dragmode=False,
    )
    _scale_axes(figure, table)
    return figure


def _line(rows: pd.DataFrame, is_modelled: bool, is_in_legend: bool) -> go.Scatter:
    first = rows.iloc[0]
    source, strategy, colour = first["source"], first["strategy"], KIND_COLOURS[first["kind"]]
    symbol = KIND_SYMBOLS[first["kind"]]
    return go.Scatter(
        x=rows["devices"],
        y=rows["speedup"],
        name=strategy,
        legendgroup=source,
        legendgrouptitle={"text": source[:1].upper() + source[1:]},
        showlegend=is_in_legend,
        mode="lines+markers",
        line={"color": colour, "width": 2, "dash": "dash" if is_modelled else "solid"},
        marker={"symbol": symbol + ("-open" if is_modelled else ""), "size": 9},
        hovertemplate=f"<b>{strategy}</b>, {source}<br>%{{y:.2f}}× data parallelism on "
        "%{x} devices<extra></extra>",
    )


def _scale_axes(figure: go.Figure, table: pd.DataFrame) -> None:
    devices = sorted(set(table["devices"]))
    ends = [math.log10(devices[0]) - 0.08, math.log10(devices[-1]) + 0.08]
    figure.update_xaxes(type="log", title="devices", tickvals=devices, range=ends, fixedrange=True)
    least, largest = min(table["speedup"].min(), 0.95), max(table["speedup"].max(), 1.3)
    ticks = FINE_TICKS if largest < 4 else TICKS
    figure.update_yaxes(
        type="log",
        tickvals=ticks,
        ticktext=[f"{tick:g}×" for tick in ticks],
        range=[math.log10(least) - 0.04, math.log10(largest) + 0.04],
        fixedrange=True,
    )
    figure.update_yaxes(title="speed-up over data parallelism", row=1, col=1)
