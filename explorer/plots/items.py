"""Stacked columns: what each layer and each transfer of a small network costs."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from explorer.plots.text import label


def item_costs(
    table: pd.DataFrame, colours: Mapping[str, str], scale: float, unit: str
) -> go.Figure:
    """Draw one column per item, stacked by component, and a mark where the optimum is.

    Args:
        table: as `explorer.tables.item_table`.
        colours: colour of each component's title, in stacking order.
        scale: what costs are divided by on the axis.
        unit: unit of the axis.
    """
    items = table.drop_duplicates("item")
    figure = go.Figure()
    for component, colour in colours.items():
        rows = table[table["component"] == component]
        figure.add_bar(
            x=rows["item"],
            y=rows["cost"] / scale,
            name=component,
            marker={"color": colour, "line": {"width": 0}},
            customdata=rows[["cost_text", "law", "case"]],
            hovertemplate=f"<b>%{{x}}</b><br>{component}: %{{customdata[0]}}<br>"
            "%{customdata[1]}<br>= %{customdata[2]}<extra></extra>",
        )
    _mark_optimum(figure, items, scale, unit)
    figure.update_layout(
        barmode="stack",
        bargap=0.45,
        height=370,
        margin={"l": 0, "r": 0, "t": 84, "b": 40},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "traceorder": "normal"},
    )
    figure.update_xaxes(
        categoryorder="array",
        categoryarray=list(items["item"]),
        tickvals=list(items["item"]),
        ticktext=[label(item).replace(" → ", "<br>→ ") for item in items["item"]],
        tickangle=0,
        title=None,
        fixedrange=True,
    )
    figure.update_yaxes(
        title=f"cost per step and device [{unit}]", rangemode="tozero", fixedrange=True
    )
    return figure


def _mark_optimum(figure: go.Figure, items: pd.DataFrame, scale: float, unit: str) -> None:
    """A mark at what each item costs in the best strategy."""
    figure.add_scatter(
        x=items["item"],
        y=items["best"] / scale,
        mode="markers",
        name="in the optimum",
        cliponaxis=False,
        marker={
            "symbol": "diamond",
            "size": 12,
            "color": "#FFFFFF",
            "line": {"width": 2, "color": "#111111"},
        },
        hovertemplate=f"<b>%{{x}}</b><br>in the optimum: %{{y:.3g}} {unit}<extra></extra>",
    )
