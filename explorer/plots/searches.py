"""Searches beside each other: excess over the optimum against time, and where they end."""

from __future__ import annotations

import math

import pandas as pd
import plotly.graph_objects as go

SEARCH_COLOURS = {
    "elimination": "#0072B2",
    "bounds": "#009E73",
    "integer-program": "#56B4E9",
    "breadth-first": "#7F7F7F",
    "topological-sweep": "#B8A000",
    "annealing": "#D55E00",
    "local-search": "#CC79A7",
    "policy-gradient": "#E69F00",
    "grid": "#8C6BB1",
}
"""Colour of each search, the same in every figure; exact ones have a star as well."""

FLOOR = 1e-4
"""Excess below which the logarithmic axis ends: what is less is drawn there."""

_TICKS = (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0)

AXES = {
    "seconds": (
        "time",
        ("1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms", "1 s", "10 s", "100 s"),
    ),
    "evaluations": (
        "strategies or table entries priced",
        ("1", "10", "100", "1,000", "10⁴", "10⁵", "10⁶", "10⁷", "10⁸", "10⁹", "10¹⁰", "10¹¹"),
    ),
}
"""Title and ticks, a power of ten apart, of what progress is drawn against."""

_FIRST_POWER = {"seconds": -6, "evaluations": 0}
"""Exponent of the first tick."""


def progress_lines(table: pd.DataFrame, axis: str) -> go.Figure:
    """Best so far against time or evaluations; a band from the best to the worst seed.

    Args:
        table: as `explorer.tables.progress_table`.
        axis: `seconds` or `evaluations`.
    """
    figure = go.Figure()
    shown = table[table["axis"] == axis]
    for name, rows in shown.groupby("search", sort=False):
        colour = SEARCH_COLOURS[str(name)]
        if rows["n_runs"].iloc[0] > 1:
            _add_band(figure, rows, colour)
        _add_line(figure, rows, colour)
    figure.update_layout(
        height=430,
        margin={"l": 0, "r": 10, "t": 72, "b": 44},
        legend={"orientation": "h", "y": 1.04, "yanchor": "bottom", "x": 0},
        hoverlabel={"align": "left"},
        dragmode=False,
    )
    name_of_axis, ticks = AXES[axis]
    figure.update_xaxes(
        type="log",
        title=name_of_axis,
        tickvals=[10.0 ** (_FIRST_POWER[axis] + i) for i in range(len(ticks))],
        ticktext=ticks,
        fixedrange=True,
    )
    figure.update_yaxes(title="best cost, above the optimum", **_excess_axis(shown["high"]))
    return figure


def _add_band(figure: go.Figure, rows: pd.DataFrame, colour: str) -> None:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    figure.add_scatter(
        x=[*rows["at"], *rows["at"][::-1]],
        y=[*rows["high"].clip(lower=FLOOR), *rows["low"].clip(lower=FLOOR)[::-1]],
        fill="toself",
        fillcolor=f"rgba({red},{green},{blue},0.18)",
        line={"width": 0},
        mode="lines",
        hoverinfo="skip",
        showlegend=False,
    )


def _add_line(figure: go.Figure, rows: pd.DataFrame, colour: str) -> None:
    is_exact = bool(rows["is_exact"].iloc[0])
    figure.add_scatter(
        x=rows["at"],
        y=rows["median"].clip(lower=FLOOR),
        name=rows["title"].iloc[0],
        mode="lines",
        line={
            "color": colour,
            "width": 2.5,
            "shape": "hv",
            "dash": "dot" if is_exact else "solid",
        },
        customdata=_percentages(rows[["median", "low", "high"]]),
        hovertemplate=(
            "%{fullData.name}<br>median %{customdata[0]} above the optimum"
            "<br>seeds from %{customdata[1]} to %{customdata[2]}<extra></extra>"
        ),
    )
    if is_exact:
        _add_star(figure, rows, colour)


def _add_star(figure: go.Figure, rows: pd.DataFrame, colour: str) -> None:
    """Where an exact search is done."""
    done = rows[rows["median"] <= FLOOR]
    if len(done):
        figure.add_scatter(
            x=[done["at"].iloc[0]],
            y=[FLOOR],
            mode="markers",
            marker={"symbol": "star", "size": 15, "color": colour},
            showlegend=False,
            hovertemplate=f"{rows['title'].iloc[0]}: done<extra></extra>",
            cliponaxis=False,
        )


def _percentages(values: pd.DataFrame) -> pd.DataFrame:
    return values.map(lambda share: f"{100 * share:.3g} %")


def _excess_axis(values: pd.Series) -> dict[str, object]:
    """A logarithmic axis of shares whose lowest tick stands for everything below."""
    largest = max([float(value) for value in values if math.isfinite(value)], default=1.0)
    top = math.log10(max(largest, 10 * FLOOR)) + 0.15
    texts = [f"{100 * tick:g} %" for tick in _TICKS]
    texts[0] = "optimum"
    return {
        "type": "log",
        "range": [math.log10(FLOOR) - 0.12, top],
        "tickvals": list(_TICKS),
        "ticktext": texts,
        "fixedrange": True,
    }


def ending_points(table: pd.DataFrame) -> go.Figure:
    """Where every run ends, one line per search, the best at the top.

    Args:
        table: as `explorer.tables.run_table`.
    """
    figure = go.Figure()
    order = table.groupby("title")["gap"].median().fillna(math.inf).sort_values(ascending=False)
    for name, rows in table.groupby("search", sort=False):
        ended = rows[rows["failure"] == ""]
        figure.add_scatter(
            x=ended["gap"].clip(lower=FLOOR),
            y=ended["title"],
            mode="markers",
            marker={
                "color": SEARCH_COLOURS[str(name)],
                "size": 15 if rows["is_exact"].iloc[0] else 11,
                "symbol": "star" if rows["is_exact"].iloc[0] else "circle",
                "opacity": 0.85,
            },
            customdata=ended[["seed"]].assign(gap=_percentages(ended[["gap"]])["gap"]),
            hovertemplate="%{y}, seed %{customdata[0]}<br>%{customdata[1]} above the optimum"
            "<extra></extra>",
            showlegend=False,
            cliponaxis=False,
        )
    for title in table.loc[table["failure"] != "", "title"].unique():
        figure.add_annotation(
            x=math.log10(FLOOR), y=title, text="does not fit", xanchor="left", showarrow=False
        )
    figure.update_layout(
        height=90 + 36 * len(order),
        margin={"l": 0, "r": 16, "t": 10, "b": 44},
        dragmode=False,
    )
    figure.update_xaxes(title="where it ends, above the optimum", **_excess_axis(table["gap"]))
    figure.update_yaxes(categoryorder="array", categoryarray=list(order.index), fixedrange=True)
    return figure
