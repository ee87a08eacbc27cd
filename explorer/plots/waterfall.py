"""From one strategy's cost to another's, component by component."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from explorer.plots.text import label

ROOM, WIDTH = 0.25, 0.76
"""Share of the steps' height that a zoomed picture leaves above and below; width of a column."""


def cost_waterfall(
    table: pd.DataFrame,
    colours: Mapping[str, str],
    scale: float,
    unit: str,
    *,
    baseline: str,
    is_zoomed: bool = False,
) -> go.Figure:
    """Draw both strategies as stacked columns, and between them one step per changed component.

    Args:
        table: as `explorer.tables.waterfall_steps`.
        colours: colour of each component's title, in stacking order.
        scale: what costs are divided by on the axis.
        unit: unit of the axis.
        baseline: title of the strategy to start from.
        is_zoomed: show the heights of the steps only; the axis does not start at 0.
    """
    steps = table[table["change"] != 0].reset_index(drop=True)
    ends = table["baseline"].sum() / scale + steps["change"].cumsum() / scale
    starts = ends - steps["change"] / scale
    last, order = len(steps) + 1, {name: i for i, name in enumerate(colours)}
    figure = go.Figure()
    heights = {0: 0.0, last: 0.0}
    for row in sorted(table.to_dict("records"), key=lambda row: order[row["component"]]):
        component = row["component"]
        own = steps.index[steps["component"] == component]
        x = [0, last, *(own + 1)]
        y = [row["baseline"] / scale, row["found"] / scale, *(steps["change"][own].abs() / scale)]
        base = [heights[0], heights[last], *pd.concat([starts, ends], axis=1).min(axis=1)[own]]
        heights[0], heights[last] = heights[0] + y[0], heights[last] + y[1]
        if not any(y):
            continue
        figure.add_bar(
            x=x,
            y=y,
            base=base,
            width=WIDTH,
            name=component,
            marker={"color": colours[component], "line": {"width": 0}},
            unselected={"marker": {"opacity": 1}},
            customdata=[[row["pick"], row["hover"]]] * len(x),
            hovertemplate="%{customdata[1]}<extra></extra>",
        )
    levels = [heights[0], *ends]
    _connect(figure, levels)
    _write_changes(figure, steps, levels, (heights[last], unit))
    _set_layout(figure, steps, (baseline, unit), levels if is_zoomed else None)
    return figure


def _connect(figure: go.Figure, levels: list[float]) -> None:
    """Thin lines at the level that one column leaves to the next."""
    for column, level in enumerate(levels):
        figure.add_shape(
            type="line",
            x0=column - WIDTH / 2,
            x1=column + 1 + WIDTH / 2,
            y0=level,
            y1=level,
            line={"width": 1, "color": "#808080", "dash": "dot"},
        )


def _write_changes(
    figure: go.Figure, steps: pd.DataFrame, levels: list[float], end: tuple[float, str]
) -> None:
    """Totals and changes above their columns."""
    tops = [levels[0], *map(max, levels, levels[1:]), end[0]]
    totals = [f"<b>{value:.3g} {end[1]}</b>" for value in (levels[0], end[0])]
    figure.add_scatter(
        x=list(range(len(tops))),
        y=tops,
        mode="text",
        text=[totals[0], *steps["text"], totals[1]],
        textposition="top center",
        textfont={"size": 11},
        showlegend=False,
        hoverinfo="skip",
        cliponaxis=False,
    )


def _set_layout(
    figure: go.Figure,
    steps: pd.DataFrame,
    titles: tuple[str, str],
    levels: list[float] | None,
) -> None:
    baseline, unit = titles
    figure.update_layout(
        barmode="overlay",
        height=480,
        margin={"l": 0, "r": 0, "t": 40, "b": 60},
        legend={"orientation": "h", "y": 1.03, "yanchor": "bottom", "x": 0, "traceorder": "normal"},
        clickmode="event+select",
        dragmode=False,
    )
    names = [
        f"{component.replace(' ', '<br>')}<br>{'saved' if change < 0 else 'added'}"
        for component, change in zip(steps["component"], steps["change"], strict=True)
    ]
    figure.update_xaxes(
        title=None,
        range=[-0.5, len(steps) + 1.5],
        tickvals=list(range(len(steps) + 2)),
        ticktext=[label(baseline).replace(" ", "<br>"), *names, "Found"],
        tickangle=0,
        showgrid=False,
        zeroline=False,
        fixedrange=True,
    )
    note = ""
    if levels is not None:
        room = ROOM * ((max(levels) - min(levels)) or max(levels))
        figure.update_yaxes(range=[max(0.0, min(levels) - room), max(levels) + room])
        note = ", not from 0"
    figure.update_yaxes(
        title=f"cost per step and device [{unit}]{note}", rangemode="tozero", fixedrange=True
    )
