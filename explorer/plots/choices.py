"""All configurations of one layer: how fast it gets dearer from the best to the worst."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from explorer.plots.ranks import rank_range, rank_ticks
from explorer.regret_scale import percent_text

GAP = 0.8
"""Decades between no regret and the least one."""


def choice_dots(
    table: pd.DataFrame, within: float, colours: Mapping[str, str], *, ink: str = "#111111"
) -> go.Figure:
    """Draw a dot per configuration, the cheapest first, its regret on a logarithmic axis.

    Args:
        table: as `explorer.tables.regret.choice_table`.
        within: share of the optimum that is marked by a line.
        colours: of the kinds of splits.
        ink: colour of lines and of the ring around the configuration found.
    """
    lowest, highest = _decades(table["share"], within)
    heights = table["share"].map(lambda share: _height(share, lowest))
    figure = go.Figure()
    for kind, colour in colours.items():
        is_kind = table["kind"] == kind
        if is_kind.any():
            figure.add_scatter(
                x=table["rank"][is_kind],
                y=heights[is_kind],
                name=kind,
                mode="markers",
                marker={"color": colour, "size": 8 if len(table) < 80 else 6},
                customdata=table.loc[is_kind, ["split", "hover"]],
                hovertemplate="%{customdata[1]}<extra></extra>",
            )
    _mark_found(figure, table, heights, ink)
    _mark_within(figure, table, within, lowest, ink)
    _set_layout(figure, len(table), lowest, highest)
    return figure


def _decades(shares: pd.Series[float], within: float) -> tuple[int, int]:
    """Exponents of the first and of the last decade of the axis; what is accepted lies on it."""
    positive = shares[shares > 0]
    if positive.empty:
        return -2, 0
    smallest = min(positive.min(), within) if within else positive.min()
    lowest = math.floor(math.log10(smallest))
    return lowest, max(math.ceil(math.log10(positive.max())), lowest + 1)


def _height(share: float, lowest: int) -> float:
    return math.log10(share) if share > 0 else lowest - GAP


def _mark_found(
    figure: go.Figure, table: pd.DataFrame, heights: pd.Series[float], ink: str
) -> None:
    """A ring around the configuration found."""
    found = table["is_found"]
    figure.add_scatter(
        x=table["rank"][found],
        y=heights[found],
        name="as found",
        mode="markers",
        marker={"symbol": "circle-open", "size": 15, "color": ink, "line": {"width": 2}},
        hoverinfo="skip",
    )


def _mark_within(
    figure: go.Figure, table: pd.DataFrame, within: float, lowest: int, ink: str
) -> None:
    """A line at the regret that is still accepted, with the number of dots below it."""
    if not within:
        return
    near = int((table["share"] <= within).sum())
    figure.add_hline(
        y=max(_height(within, lowest), lowest - GAP / 2),
        line={"color": ink, "width": 1, "dash": "dot"},
        annotation_text=f"within {percent_text(within)}: {near} of {len(table)}",
        annotation_position="top right",
        annotation_font_size=11,
    )


def _set_layout(figure: go.Figure, n: int, lowest: int, highest: int) -> None:
    step = 1 if highest - lowest <= 6 else 2
    decades = list(range(highest, lowest - 1, -step))[::-1]
    figure.update_layout(
        height=380,
        margin={"l": 0, "r": 8, "t": 76, "b": 44},
        legend={
            "orientation": "h",
            "y": 1.02,
            "yanchor": "bottom",
            "x": 0,
            "itemsizing": "constant",
            "font": {"size": 11},
            "entrywidth": 0.49,
            "entrywidthmode": "fraction",
        },
        hoverlabel={"align": "left"},
        dragmode=False,
    )
    figure.update_xaxes(
        title="configurations, the cheapest first",
        range=rank_range(n),
        tickvals=rank_ticks(n),
        fixedrange=True,
        zeroline=False,
    )
    figure.update_yaxes(
        title="regret [% of the optimum]",
        range=[lowest - GAP - 0.35, highest + 0.15],
        tickvals=[lowest - GAP, *decades],
        ticktext=["none", *(percent_text(10.0**decade)[:-2] for decade in decades)],
        fixedrange=True,
        zeroline=False,
        automargin=True,
    )
