"""The best strategies by rank: how much dearer each one is than the best."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from explorer.plots.ranks import rank_range, rank_ticks

COLOUR = "#0072B2"

LEAST_PERCENT = 1e-5
"""Share from which on per cent are used; below it, millionths."""


def excess_steps(
    table: pd.DataFrame, *, chosen: int | None = None, ink: str = "#111111"
) -> go.Figure:
    """Draw a dot per strategy, and a step from each to the next.

    Args:
        table: as `explorer.tables.ranking.ranking_table`.
        chosen: rank of the strategy that is selected.
        ink: colour of the ring around it.
    """
    is_tiny = table["share"].max() < LEAST_PERCENT
    scale, unit = (1e6, "ppm") if is_tiny else (1e2, "%")
    figure = go.Figure(
        go.Scatter(
            x=table["rank"],
            y=scale * table["share"],
            mode="lines+markers",
            line={"shape": "hv", "width": 1.5, "color": COLOUR},
            marker={"size": 8 if len(table) <= 30 else 6, "color": COLOUR},
            unselected={"marker": {"opacity": 1}},
            customdata=table[["first", "hover"]],
            hovertemplate="%{customdata[1]}<extra></extra>",
            cliponaxis=False,
        )
    )
    if chosen is not None and chosen <= len(table):
        figure.add_scatter(
            x=[chosen],
            y=[scale * table["share"].iloc[chosen - 1]],
            mode="markers",
            marker={"symbol": "circle-open", "size": 15, "color": ink, "line": {"width": 2}},
            hoverinfo="skip",
            cliponaxis=False,
        )
    _set_layout(figure, len(table), unit)
    return figure


def _set_layout(figure: go.Figure, n: int, unit: str) -> None:
    figure.update_layout(
        height=360,
        margin={"l": 0, "r": 12, "t": 12, "b": 44},
        showlegend=False,
        clickmode="event+select",
        hoverlabel={"align": "left"},
        dragmode=False,
    )
    figure.update_xaxes(
        title="rank",
        range=rank_range(n),
        tickvals=rank_ticks(n),
        zeroline=False,
        fixedrange=True,
    )
    figure.update_yaxes(
        title=f"above the optimum [{unit}]",
        rangemode="tozero",
        exponentformat="none",
        fixedrange=True,
        automargin=True,
    )
