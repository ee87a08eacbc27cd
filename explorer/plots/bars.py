"""Stacked bars: what each strategy's cost is made of."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go


def stacked_costs(
    table: pd.DataFrame, colours: Mapping[str, str], scale: float, unit: str
) -> go.Figure:
    """Draw one horizontal bar per strategy, stacked by component.

    Args:
        table: as `explorer.tables.component_table`.
        colours: colour of each component's title, in stacking order.
        scale: what costs are divided by on the axis.
        unit: unit of the axis.
    """
    totals = table.drop_duplicates("strategy")
    figure = go.Figure()
    for component, colour in colours.items():
        rows = table[table["component"] == component]
        if (rows["cost"] == 0).all():
            continue
        figure.add_bar(
            x=rows["cost"] / scale,
            y=rows["strategy"],
            name=component,
            orientation="h",
            marker={"color": colour, "line": {"width": 0}},
            customdata=rows[["cost_text", "share_text"]],
            hovertemplate=f"<b>%{{y}}</b><br>{component}: %{{customdata[0]}} "
            "(%{customdata[1]})<extra></extra>",
        )
    figure.add_scatter(
        x=totals["total"] / scale,
        y=totals["strategy"],
        mode="text",
        text=totals["end_text"],
        textposition="middle right",
        showlegend=False,
        hoverinfo="skip",
        cliponaxis=False,
    )
    figure.update_layout(
        barmode="stack",
        bargap=0.35,
        height=110 + 46 * len(totals),
        margin={"l": 0, "r": 130, "t": 36, "b": 40},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "traceorder": "normal"},
    )
    figure.update_xaxes(title=f"cost per step and device [{unit}]", rangemode="tozero")
    figure.update_yaxes(autorange="reversed", title=None)
    return figure
