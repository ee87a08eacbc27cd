"""Cost along the graph: how it mounts up from the first layer to the last."""

from __future__ import annotations

from collections.abc import Collection

import pandas as pd
import plotly.graph_objects as go

from explorer.plots.text import label

MARKERS_UP_TO = 60
"""Longer networks get lines without a dot per layer."""


def accumulated_lines(
    table: pd.DataFrame,
    scale: float,
    unit: str,
    *,
    baseline: str,
    colours: tuple[str, str],
    marked: Collection[str] = (),
) -> go.Figure:
    """Draw the cost of all layers up to each one, found and under another strategy.

    Args:
        table: as `explorer.tables.accumulated_costs`.
        scale: what costs are divided by on the axis.
        unit: unit of the axis.
        baseline: title of the other strategy.
        colours: of the found one and of the other.
        marked: layers that are selected.
    """
    figure = go.Figure()
    is_short = len(table) <= MARKERS_UP_TO
    is_dearer = table["found"].iloc[-1] > table["baseline"].iloc[-1]
    for column, title, colour, width, is_above in (
        ("baseline", baseline, colours[1], 7, not is_dearer),
        ("found", "Found", colours[0], 2.5, is_dearer),
    ):
        figure.add_scatter(
            x=table["position"],
            y=table[column] / scale,
            name=title,
            mode="lines+markers",
            opacity=0.55 if column == "baseline" else 1.0,
            line={"color": colour, "width": width, "shape": "hv"},
            marker={"size": width + (5 if is_short else 1), "color": colour},
            unselected={"marker": {"opacity": 1}},
            customdata=table[["layer", "hover"]],
            hovertemplate="%{customdata[1]}<extra></extra>",
        )
        figure.add_annotation(
            x=table["position"].iloc[-1],
            y=table[column].iloc[-1] / scale,
            text=f"{table[column].iloc[-1] / scale:.3g} {unit}",
            xanchor="left",
            xshift=8,
            yanchor="bottom" if is_above else "top",
            showarrow=False,
        )
    _mark(figure, table, marked)
    _set_layout(figure, table, unit)
    return figure


def _mark(figure: go.Figure, table: pd.DataFrame, marked: Collection[str]) -> None:
    """A band over the selected layers, with the name of the first."""
    chosen = table[table["layer"].isin(list(marked))]
    if chosen.empty:
        return
    first, last = chosen["position"].min(), chosen["position"].max()
    more = f" and {len(chosen) - 1} more" if len(chosen) > 1 else ""
    figure.add_vrect(
        x0=first - 0.5,
        x1=last + 0.5,
        fillcolor="#808080",
        opacity=0.3,
        line_width=0,
    )
    is_left = first <= table["position"].iloc[-1] / 2
    figure.add_annotation(
        x=first - 0.5 if is_left else last + 0.5,
        y=1,
        yref="paper",
        text=f"<b>▶ {label(chosen['layer'].iloc[0])}</b>{more}",
        xanchor="left" if is_left else "right",
        yanchor="bottom",
        showarrow=False,
    )


def _set_layout(figure: go.Figure, table: pd.DataFrame, unit: str) -> None:
    figure.update_layout(
        height=460,
        margin={"l": 0, "r": 110, "t": 56, "b": 44},
        legend={"orientation": "h", "y": 1.08, "yanchor": "bottom", "x": 0, "traceorder": "normal"},
        hovermode="closest",
        clickmode="event+select",
        dragmode=False,
    )
    figure.update_xaxes(
        title="layer, in the order of the graph",
        range=[0.4, len(table) + 0.6],
        tickformat="d",
        showgrid=False,
        zeroline=False,
        fixedrange=True,
    )
    figure.update_yaxes(
        title=f"cost up to here [{unit}]",
        rangemode="tozero",
        fixedrange=True,
    )
