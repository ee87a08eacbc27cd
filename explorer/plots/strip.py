"""The strip of modules: the network from input to loss, coloured by what is saved."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from explorer.plots.scales import saving_scale
from explorer.plots.text import row_label

MAX_LABELS = 45
"""More modules than this get no names under them."""


def module_strip(
    table: pd.DataFrame,
    colours: Sequence[tuple[float, str]],
    scale: float,
    unit: str,
    *,
    marked: str | None = None,
    ink: str = "#111111",
) -> go.Figure:
    """Draw one block per module, in the order of the graph; a click gives its dearest layer.

    Args:
        table: as `explorer.tables.module_table`.
        colours: diverging colour scale, 0.5 for no difference.
        scale: what costs are divided by on the colour bar.
        unit: unit of the colour bar.
        marked: name of the module that is marked.
        ink: colour of the frame around it.
    """
    savings = table["saving"] / scale
    figure = go.Figure(
        go.Bar(
            x=list(range(len(table))),
            y=[1] * len(table),
            customdata=table[["dearest", "hover"]],
            hovertemplate="%{customdata[1]}<extra></extra>",
            unselected={"marker": {"opacity": 1}},
            marker={
                "color": savings,
                "line": {"color": ink, "width": [3 * (m == marked) for m in table["module"]]},
                **saving_scale(savings, colours, unit),
            },
        )
    )
    _lay_out(figure, list(table["module"]), marked)
    return figure


def _lay_out(figure: go.Figure, modules: Sequence[str], marked: str | None) -> None:
    """Names below the blocks, if they can be read."""
    is_labelled = len(modules) <= MAX_LABELS
    figure.update_layout(
        bargap=0.06 if is_labelled else 0.0,
        height=210 if is_labelled else 150,
        margin={"l": 0, "r": 0, "t": 30, "b": 8},
        clickmode="event+select",
        dragmode=False,
        showlegend=False,
    )
    figure.update_xaxes(
        tickvals=list(range(len(modules))) if is_labelled else [],
        ticktext=[row_label(name, is_marked=name == marked) for name in modules],
        tickangle=45 if len(modules) > 8 else 0,
        showgrid=False,
        zeroline=False,
        fixedrange=True,
    )
    figure.update_yaxes(visible=False, fixedrange=True, range=[0, 1])
