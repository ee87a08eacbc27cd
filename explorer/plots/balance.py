"""Costs against the machine balance: the best strategy of each phase, and what others cost."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from explorer.plots.decades import TITLE, balance_axis
from explorer.plots.scaling import GREY, KIND_COLOURS

BEST_COLOUR = KIND_COLOURS["found"]
DASHES = {"best": "solid", "found": "dot", "data parallel": "solid"}
EXPERT_DASHES = ("dash", "dashdot", "longdash", "longdashdot")
"""Of one expert's line after the other."""

WIDTHS = {"best": 4.0, "found": 2.5, "data parallel": 2.0, "expert": 2.0}

PLOT_WIDTH, CHARACTER, NUMBER_WIDTH = 820, 6.6, 22
"""Pixels: an ordinary width of the picture, of a letter, and that a band's number needs."""

LANE = 17
"""Pixels from one lane of clusters to the next."""

COSTS, RATIOS = 230, 190
"""Pixels of the two upper panels."""

MAX_RATIO = 100.0
"""The greatest ratio to the best that is in sight."""

_GAP = 30

_ABOVE = {"xref": "x", "y": 1, "yref": "paper", "yanchor": "bottom", "showarrow": False}
"""Place of a text right above the picture."""


def balance_curves(
    curves: pd.DataFrame, bands: pd.DataFrame, clusters: pd.DataFrame, here: float, ink: str
) -> go.Figure:
    """Draw costs, ratios to the best and today's clusters, one below the other.

    Args:
        curves: as `explorer.tables.balance.curve_table`.
        bands: as `explorer.tables.balance.band_table`.
        clusters: as `explorer.tables.balance.preset_table`.
        here: the machine's own balance, FLOP per byte.
        ink: colour of what marks it.
    """
    low, high = float(bands["start"].min()), float(bands["stop"].max())
    sides = sides_of(clusters, here)
    lanes = lanes_of(clusters, sides, low, high)
    heights = [COSTS, RATIOS, LANE * (max(lanes, default=0) + 1) + 10]
    total = sum(heights) + 2 * _GAP
    figure = make_subplots(
        rows=3,
        cols=1,
        shared_xaxes=True,
        row_heights=heights,
        vertical_spacing=_GAP / total,
    )
    _add_curves(figure, curves)
    _add_clusters(figure, clusters, lanes, sides, ink)
    figure.update_layout(
        height=total + 144,
        margin={"l": 0, "r": 8, "t": 80, "b": 52},
        legend={"orientation": "h", "x": 0, "y": 1 + 40 / total, "yanchor": "bottom"},
        hoverlabel={"align": "left"},
        hoverdistance=40,
        dragmode=False,
        shapes=[*_stripes(bands), _line_of_here(here, ink)],
        annotations=[*_numbers(bands, low, high), _title_of_here(bands, here, ink)],
    )
    _set_axes(figure, curves, (low, high), max(lanes, default=0))
    return figure


def sides_of(clusters: pd.DataFrame, here: float) -> list[str]:
    """The side of each cluster's mark on which its name stands: away from `here`."""
    return [
        "left" if at < here and not is_own else "right"
        for at, is_own in zip(clusters["balance"], clusters["is_own"], strict=True)
    ]


def lanes_of(clusters: pd.DataFrame, sides: Sequence[str], low: float, high: float) -> list[int]:
    """For each cluster the first lane in which its mark and name meet no other ones."""
    taken: list[list[tuple[float, float]]] = []
    lanes = []
    pixels_per_decade = PLOT_WIDTH / math.log10(high / low)
    for name, at, side in zip(clusters["cluster"], clusters["balance"], sides, strict=True):
        mark = math.log10(at / low) * pixels_per_decade
        width = CHARACTER * len(name) + 14
        ends = (mark - width, mark + 8) if side == "left" else (mark - 8, mark + width)
        fitting = (
            i
            for i, others in enumerate(taken)
            if all(ends[1] <= start or stop <= ends[0] for start, stop in others)
        )
        lane = next(fitting, len(taken))
        if lane == len(taken):
            taken.append([])
        taken[lane].append(ends)
        lanes.append(lane)
    return lanes


def _add_curves(figure: go.Figure, curves: pd.DataFrame) -> None:
    expert_dashes = itertools.cycle(EXPERT_DASHES)
    for name, rows in curves.groupby("strategy", sort=False):
        kind = rows["kind"].iloc[0]
        dash = next(expert_dashes) if kind == "expert" else DASHES[kind]
        for panel, column in ((1, "cost"), (2, "ratio")):
            figure.add_scatter(
                x=rows["balance"],
                y=rows[column],
                name=name,
                legendgroup=name,
                showlegend=panel == 1,
                mode="lines",
                line={
                    "color": KIND_COLOURS.get(kind, BEST_COLOUR),
                    "width": WIDTHS[kind],
                    "dash": dash,
                    "simplify": False,
                },
                customdata=rows[["hover"]],
                hovertemplate="%{customdata[0]}<extra></extra>",
                row=panel,
                col=1,
            )


def _add_clusters(
    figure: go.Figure, clusters: pd.DataFrame, lanes: Sequence[int], sides: Sequence[str], ink: str
) -> None:
    own = list(clusters["is_own"])
    names = clusters["cluster"]
    figure.add_scatter(
        x=clusters["balance"],
        y=list(lanes),
        mode="markers+text",
        text=[
            f"<b>{name}</b>" if is_own else name for name, is_own in zip(names, own, strict=True)
        ],
        textposition=[f"middle {side}" for side in sides],
        textfont={"size": 12},
        marker={
            "symbol": "diamond",
            "size": [11 if is_own else 8 for is_own in own],
            "color": [ink if is_own else GREY for is_own in own],
        },
        customdata=clusters[["hover"]],
        hovertemplate="%{customdata[0]}<extra></extra>",
        showlegend=False,
        cliponaxis=False,
        row=3,
        col=1,
    )


def _stripes(bands: pd.DataFrame) -> list[dict[str, Any]]:
    """Quiet stripes behind all panels, that of `here` in blue."""
    columns = (bands[name] for name in ("phase", "start", "stop", "is_here"))
    return [
        {
            "type": "rect",
            "xref": "x",
            "yref": "paper",
            "x0": start,
            "x1": stop,
            "y0": 0,
            "y1": 1,
            "fillcolor": BEST_COLOUR if is_here else GREY,
            "opacity": 0.16 if is_here else 0.13 if phase % 2 else 0.03,
            "line": {"width": 0},
            "layer": "below",
        }
        for phase, start, stop, is_here in zip(*columns, strict=True)
    ]


def _numbers(bands: pd.DataFrame, low: float, high: float) -> list[dict[str, Any]]:
    """The phases' numbers above their stripes, where there is room."""
    word = {"text": "phase", "x": 0, "xref": "paper", "xanchor": "right", "xshift": -8}
    numbers = [_ABOVE | word | {"font": {"size": 12, "color": GREY}}]
    pixels_per_decade = PLOT_WIDTH / math.log10(high / low)
    columns = (bands[name] for name in ("phase", "start", "stop", "is_here"))
    for phase, start, stop, is_here in zip(*columns, strict=True):
        if math.log10(stop / start) * pixels_per_decade >= NUMBER_WIDTH:
            number = {
                "x": math.log10(start * stop) / 2,
                "text": f"<b>{phase}</b>" if is_here else str(phase),
                "font": {"size": 12, "color": BEST_COLOUR if is_here else GREY},
            }
            numbers.append(_ABOVE | number)
    return numbers


def _line_of_here(here: float, ink: str) -> dict[str, Any]:
    ends = {"x0": here, "x1": here, "y0": 0, "y1": 1}
    return {"type": "line", "xref": "x", "yref": "paper", "line": {"color": ink, "width": 2}} | ends


def _title_of_here(bands: pd.DataFrame, here: float, ink: str) -> dict[str, Any]:
    low, high = bands["start"].min(), bands["stop"].max()
    share = math.log(here / low) / math.log(high / low)
    phase = bands.loc[bands["is_here"], "phase"].iloc[0]
    value = f"{float(f'{here:.3g}'):,.12g}"
    return _ABOVE | {
        "x": math.log10(here),
        "yshift": 16,
        "xanchor": "left" if share < 0.2 else "right" if share > 0.8 else "center",
        "text": f"<b>here: {value} FLOP per byte, phase {phase}</b>",
        "font": {"color": ink, "size": 13},
    }


def _set_axes(
    figure: go.Figure, curves: pd.DataFrame, ends: tuple[float, float], last_lane: int
) -> None:
    figure.update_xaxes(**balance_axis(*ends))
    figure.update_xaxes(title=TITLE, row=3, col=1)
    best = curves.loc[curves["kind"] == "best", "cost"]
    positive = best[best > 0]
    least, most = (positive.min(), positive.max()) if len(positive) else (1.0, 1.0)
    figure.update_yaxes(
        type="log",
        title="cost per step [FLOP]",
        range=[math.log10(least) - 0.15, math.log10(most) + 0.4],
        exponentformat="SI",
        dtick=1,
        fixedrange=True,
        row=1,
        col=1,
    )
    _set_ratio_axis(figure, min(max(float(curves["ratio"].max()), 1.2), MAX_RATIO))
    figure.update_yaxes(
        title="clusters",
        range=[last_lane + 0.7, -0.7],
        showticklabels=False,
        showgrid=False,
        zeroline=False,
        fixedrange=True,
        row=3,
        col=1,
    )


def _set_ratio_axis(figure: go.Figure, top: float) -> None:
    ticks = _ratio_ticks(top)
    figure.update_yaxes(
        type="log",
        title="multiple of the best",
        range=[-0.03 * math.log10(top), 1.06 * math.log10(top)],
        tickvals=ticks,
        ticktext=[f"{tick:g}×" for tick in ticks],
        fixedrange=True,
        row=2,
        col=1,
    )


def _ratio_ticks(top: float) -> list[float]:
    """Round ratios to the best, the fewer the further they go."""
    if top <= 1.5:
        return [1, 1.1, 1.2, 1.3, 1.4, 1.5]
    if top <= 4:
        return [1, 1.25, 1.5, 2, 2.5, 3, 4]
    if top <= 15:
        return [1, 1.5, 2, 3, 5, 10, 15]
    return [1, 2, 5, 10, 20, 50, 100]
