"""How tables grow while a network is eliminated."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from explorer.plots.text import label

_HOVER = (
    "<b>Step %{x}: %{customdata[0]}</b><br>depends on %{customdata[1]}<br>"
    "%{customdata[2]} entries visited, %{customdata[3]} kept<extra></extra>"
)

MAX_DECADES, MAX_STEPS = 9, 15
"""More powers of ten and more steps than these do not all get a tick."""


def step_sizes(table: pd.DataFrame, current: int, colours: tuple[str, str, str]) -> go.Figure:
    """Draw one bar per step: the entries of its joint table, on a logarithmic scale.

    Args:
        table: as `explorer.tables.growth_table`.
        current: row of the current step.
        colours: of steps before, of the current one, of steps to come.
    """
    before, now, after = colours
    rows = range(len(table))
    figure = go.Figure(
        go.Bar(
            x=table["step"],
            y=table["joint"],
            marker={
                "color": [now if i == current else before if i < current else after for i in rows],
                "line": {"width": 0},
            },
            customdata=_hover_texts(table),
            hovertemplate=_HOVER,
        )
    )
    row = table.iloc[current]
    figure.add_annotation(
        x=row["step"],
        y=1,
        yref="y domain",
        yanchor="bottom",
        text=f"<b>{row['joint_text']}</b>",
        showarrow=False,
    )
    figure.update_layout(
        height=230, bargap=0.15, margin={"l": 0, "r": 0, "t": 20, "b": 40}, showlegend=False
    )
    figure.update_xaxes(title="step", fixedrange=True, **_whole_ticks(len(table)))
    figure.update_yaxes(
        title="entries of the table", fixedrange=True, **_log_axis(table["joint"], 0.1)
    )
    return figure


def ordering_growth(
    tables: Mapping[str, pd.DataFrame],
    colours: Mapping[str, str],
    budget_entries: float,
    budget_text: str,
) -> go.Figure:
    """Draw table sizes (logarithmic) above sizes of dependent sets, step by step.

    Args:
        tables: by ordering, as `explorer.tables.growth_table`.
        colours: by ordering.
        budget_entries: where to draw the line of the memory budget.
        budget_text: what the legend says of it.
    """
    figure = make_subplots(
        rows=2, cols=1, shared_xaxes=True, row_heights=[0.68, 0.32], vertical_spacing=0.06
    )
    _add_orderings(figure, tables, colours)
    n_steps = max(len(table) for table in tables.values())
    figure.add_scatter(
        x=[0.4, n_steps + 0.6],
        y=[budget_entries] * 2,
        name=budget_text,
        mode="lines",
        line={"color": "#7F7F7F", "width": 2, "dash": "dash"},
        hoverinfo="skip",
        row=1,
        col=1,
    )
    figure.update_layout(
        height=470,
        margin={"l": 0, "r": 0, "t": 36, "b": 40},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
    )
    largest = pd.concat([table["joint"] for table in tables.values()])
    figure.update_yaxes(
        title="entries of the table", row=1, col=1, **_log_axis([*largest, budget_entries])
    )
    figure.update_yaxes(title="dependent set [layers]", rangemode="tozero", row=2, col=1)
    figure.update_xaxes(title="step", row=2, col=1, **_whole_ticks(n_steps))
    return figure


def _add_orderings(
    figure: go.Figure, tables: Mapping[str, pd.DataFrame], colours: Mapping[str, str]
) -> None:
    """Two lines per ordering: table sizes in the upper row, dependent sets in the lower one."""
    for name, table in tables.items():
        for row, column in ((1, "joint"), (2, "dependents")):
            figure.add_scatter(
                x=table["step"],
                y=table[column],
                name=name,
                legendgroup=name,
                showlegend=row == 1,
                mode="lines",
                line={"color": colours[name], "width": 2.5, "shape": "hvh"},
                customdata=_hover_texts(table),
                hovertemplate=f"{name}<br>{_HOVER}",
                row=row,
                col=1,
            )


def _hover_texts(table: pd.DataFrame) -> pd.DataFrame:
    names = table[["layer", "depends_on"]].map(lambda name: label(name, 80))
    return names.join(table[["joint_text", "kept_text"]])


def _log_axis(values: Any, room: float = 1.0) -> dict[str, Any]:
    """Powers of ten from 1 to so many beyond the largest value."""
    decades = math.log10(max(values))
    return {
        "type": "log",
        "range": [0, decades + room],
        "exponentformat": "power",
        "dtick": _round_step(decades / MAX_DECADES),
    }


def _whole_ticks(n_steps: int) -> dict[str, Any]:
    """Ticks at whole steps only."""
    return {"range": [0.4, n_steps + 0.6], "dtick": _round_step(n_steps / MAX_STEPS)}


def _round_step(least: float) -> int:
    """The smallest of 1, 2, 5, 10, 20, 50 .. that is at least as large."""
    step = 1
    while step < least:
        step = step * 5 // 2 if str(step).startswith("2") else step * 2
    return step
