"""The strip of modules: the network from input to loss, coloured by what is saved."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from explorer.plots.scales import saving_scale

MAX_LABELS = 45
"""More modules than this get no names under them."""


def module_strip(
    table: pd.DataFrame, colours: Sequence[tuple[float, str]], scale: float, unit: str
) -> go.Figure:
    """Draw one block per module, in the order of the graph.

    Args:
        table: as `explorer.tables.module_table`.
        colours: diverging colour scale, 0.5 for no difference.
        scale: what costs are divided by on the colour bar.
        unit: unit of the colour bar.
    """
    savings = table["saving"] / scale
    figure = go.Figure(
        go.Bar(
            x=list(range(len(table))),
            y=[1] * len(table),
            customdata=table[["module", "hover"]],
            hovertemplate="%{customdata[1]}<extra></extra>",
            marker={
                "color": savings,
                "line": {"width": 0},
                **saving_scale(savings, colours, unit),
            },
        )
    )
    is_labelled = len(table) <= MAX_LABELS
    figure.update_layout(
        bargap=0.06 if is_labelled else 0.0,
        height=210 if is_labelled else 150,
        margin={"l": 0, "r": 0, "t": 30, "b": 8},
        clickmode="event+select",
        dragmode=False,
        showlegend=False,
    )
    figure.update_xaxes(
        tickvals=list(range(len(table))) if is_labelled else [],
        ticktext=list(table["label"]),
        tickangle=45 if len(table) > 8 else 0,
        showgrid=False,
        zeroline=False,
        fixedrange=True,
    )
    figure.update_yaxes(visible=False, fixedrange=True, range=[0, 1])
    return figure
