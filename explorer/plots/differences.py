"""Where two strategies differ: bars by layer, and the network twice."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from explorer.plots.scales import saving_scale
from explorer.plots.strip import MAX_LABELS
from explorer.plots.text import label, row_label

Stops = Sequence[tuple[float, str]]


def layer_differences(
    table: pd.DataFrame, selected: str | None, colours: Stops, scale: float, unit: str
) -> go.Figure:
    """Draw one horizontal bar per row: to the right what is saved, to the left what it costs.

    Args:
        table: as `explorer.tables.like_layers`.
        selected: name of the layer whose row is marked, or None.
        colours: diverging colour scale; its ends are the two colours of the bars.
        scale: what costs are divided by on the axis.
        unit: unit of the axis.
    """
    saved = table["saved"] / scale
    figure = go.Figure(
        go.Bar(
            x=saved,
            y=list(range(len(table))),
            orientation="h",
            marker={
                "color": [colours[-1][1] if value >= 0 else colours[0][1] for value in saved],
                "line": {"width": 0},
            },
            text=[f"{value:+.3g}".replace("-", "−") if value else "same" for value in saved],
            textposition="outside",
            cliponaxis=False,
            customdata=table[["layer", "hover"]],
            hovertemplate="%{customdata[1]}<extra></extra>",
        )
    )
    _style_bars(figure, saved, unit)
    figure.update_yaxes(
        ticktext=[
            row_label(title, is_marked=name == selected)
            for title, name in zip(table["title"], table["layer"], strict=True)
        ]
    )
    return figure


def _style_bars(figure: go.Figure, saved: pd.Series[float], unit: str) -> None:
    extent = float(saved.abs().max()) or 1.0
    low, high = min(0.0, float(saved.min())), max(0.0, float(saved.max()))
    figure.update_layout(
        bargap=0.3,
        height=80 + 28 * max(3, len(saved)),
        margin={"l": 0, "r": 10, "t": 8, "b": 44},
        clickmode="event+select",
        dragmode=False,
        showlegend=False,
    )
    figure.update_xaxes(
        title=f"saved [{unit}]",
        range=[low - 0.14 * extent * (low < 0), high + 0.14 * extent * (high > 0)],
        zeroline=True,
        fixedrange=True,
    )
    figure.update_yaxes(
        tickvals=list(range(len(saved))),
        range=[max(3, len(saved)) - 0.5, -0.5],
        showgrid=False,
        zeroline=False,
        automargin=True,
        fixedrange=True,
    )


def paired_strips(
    table: pd.DataFrame,
    titles: Sequence[str],
    selected: str | None,
    colours: Stops,
    scale: float,
    unit: str,
) -> go.Figure:
    """Draw the network twice, a bar per module: height for its cost, colour for the difference.

    Args:
        table: as `explorer.tables.module_differences`.
        titles: of the two strips.
        selected: name of the module that is marked, or None.
        colours: diverging colour scale, 0.5 for no difference.
        scale: what costs are divided by.
        unit: of what is shown.
    """
    figure = make_subplots(
        rows=2,
        cols=1,
        shared_xaxes=True,
        vertical_spacing=0.16,
        subplot_titles=[label(title, 80) for title in titles],
    )
    for row, column in enumerate(("cost", "cost_against"), start=1):
        figure.add_bar(
            x=list(range(len(table))),
            y=table[column] / scale,
            customdata=table[["module", "hover"]],
            hovertemplate="%{customdata[1]}<extra></extra>",
            marker={
                "color": table["saved"] / scale,
                "coloraxis": "coloraxis",
                "line": {"width": 0},
            },
            row=row,
            col=1,
        )
    _style_strips(figure, table, colours, scale, unit)
    _name_modules(figure, list(table["module"]), selected)
    return figure


def _name_modules(figure: go.Figure, modules: list[str], selected: str | None) -> None:
    """Names under the lower strip, while they can be read."""
    if len(modules) <= MAX_LABELS:
        figure.update_xaxes(
            tickvals=list(range(len(modules))),
            ticktext=[row_label(module, is_marked=module == selected) for module in modules],
            tickangle=45 if len(modules) > 8 else 0,
            row=2,
            col=1,
        )


def _style_strips(
    figure: go.Figure, table: pd.DataFrame, colours: Stops, scale: float, unit: str
) -> None:
    is_labelled = len(table) <= MAX_LABELS
    top = float(table[["cost", "cost_against"]].to_numpy().max() / scale) or 1.0
    figure.update_layout(
        bargap=0.12 if is_labelled else 0.0,
        height=380 if is_labelled else 320,
        margin={"l": 0, "r": 0, "t": 28, "b": 8},
        clickmode="event+select",
        dragmode=False,
        showlegend=False,
        coloraxis=saving_scale(table["saved"] / scale, colours, unit),
    )
    figure.update_annotations(x=0, xanchor="left", font={"size": 14})
    figure.update_xaxes(showgrid=False, zeroline=False, fixedrange=True, tickvals=[])
    figure.update_yaxes(title=f"cost [{unit}]", range=[0, 1.05 * top], nticks=4, fixedrange=True)
