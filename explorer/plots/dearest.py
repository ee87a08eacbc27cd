"""The dearest layers: what each one's cost is made of."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pandas as pd
import plotly.graph_objects as go

from explorer.plots.text import row_label


def dearest_bars(
    table: pd.DataFrame,
    colours: Mapping[str, str],
    scale: float,
    unit: str,
    *,
    baseline: str,
    marked: Collection[str] = (),
    ink: str = "#111111",
) -> go.Figure:
    """Draw one horizontal bar per layer, stacked by component, and a line at the other's cost.

    Args:
        table: as `explorer.tables.dearest_layers`.
        colours: colour of each component's title, in stacking order.
        scale: what costs are divided by on the axis.
        unit: unit of the axis.
        baseline: title of the other strategy.
        marked: layers that are selected.
        ink: colour of lines.
    """
    layers = table.drop_duplicates("layer").reset_index(drop=True)
    rows = dict(zip(layers["layer"], layers.index, strict=True))
    figure = go.Figure()
    for component, colour in colours.items():
        part = table[(table["component"] == component) & (table["cost"] > 0)]
        if part.empty:
            continue
        figure.add_bar(
            x=part["cost"] / scale,
            y=part["layer"].map(rows),
            name=component,
            orientation="h",
            marker={"color": colour, "line": {"width": 0}},
            unselected={"marker": {"opacity": 1}},
            customdata=part[["layer", "hover"]],
            hovertemplate="%{customdata[1]}<extra></extra>",
        )
    figure.add_scatter(
        x=layers["baseline"] / scale,
        y=layers.index,
        name=baseline,
        mode="markers",
        marker={"symbol": "line-ns", "size": 20, "line": {"width": 2.5, "color": ink}},
        unselected={"marker": {"opacity": 1}},
        customdata=layers[["layer", "baseline_hover"]],
        hovertemplate="%{customdata[1]}<extra></extra>",
    )
    _write_ends(figure, layers, scale)
    _set_layout(figure, layers, unit, marked)
    return figure


def _write_ends(figure: go.Figure, layers: pd.DataFrame, scale: float) -> None:
    """The cost found of every layer, one below the other at the right."""
    edge = max(layers["total"].max(), layers["baseline"].max()) / scale * 1.03
    figure.update_xaxes(range=[0, edge])
    for row, text in [(-0.9, "<b>found</b>"), *enumerate(layers["end_text"])]:
        figure.add_annotation(x=edge, y=row, text=text, xanchor="left", xshift=6, showarrow=False)


def _set_layout(
    figure: go.Figure, layers: pd.DataFrame, unit: str, marked: Collection[str]
) -> None:
    figure.update_layout(
        barmode="stack",
        bargap=0.25,
        height=120 + 26 * len(layers),
        margin={"l": 0, "r": 130, "t": 48, "b": 44},
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0, "traceorder": "normal"},
        clickmode="event+select",
        dragmode=False,
    )
    figure.update_xaxes(title=f"cost per step and device [{unit}]", fixedrange=True)
    figure.update_yaxes(
        title=None,
        range=[len(layers) - 0.4, -1.4],
        tickvals=list(layers.index),
        ticktext=[row_label(name, is_marked=name in marked) for name in layers["layer"]],
        showgrid=False,
        zeroline=False,
        fixedrange=True,
        automargin=True,
    )
