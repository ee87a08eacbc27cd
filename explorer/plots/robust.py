"""Bars of what strategies lose at worst over a range of machines."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from explorer.plots.scaling import GREY, KIND_COLOURS
from explorer.plots.text import label

COLOURS = KIND_COLOURS | {"here": KIND_COLOURS["found"], "phase": GREY}

ROW, TOP, BOTTOM = 26, 8, 44
"""Pixels of a bar with its gap, and of the margins."""

JUMP, LONGER = 6.0, 1.15
"""Bars this many times as long as all before are cut off, at so many times the longest of those."""


def worst_losses(table: pd.DataFrame) -> go.Figure:
    """Draw one bar per strategy, the least loss on top; far longer bars are cut off.

    Args:
        table: as `explorer.tables.robust.drawn_losses`.
    """
    percents = 100 * table["loss"]
    end = _end(percents)
    shown = percents.clip(upper=end)
    figure = go.Figure(
        go.Bar(
            orientation="h",
            y=[label(name, 34) for name in table["strategy"]],
            x=shown,
            marker={"color": [COLOURS[kind] for kind in table["kind"]], "line": {"width": 0}},
            text=[
                f"{text} ▸" if percent > end else text
                for text, percent in zip(table["text"], percents, strict=True)
            ],
            textposition="outside",
            cliponaxis=False,
            customdata=table[["strategy", "text"]],
            hovertemplate="<b>%{customdata[0]}</b><br>at worst %{customdata[1]} above the best"
            "<extra></extra>",
        )
    )
    figure.update_layout(
        height=TOP + BOTTOM + ROW * len(table),
        margin={"l": 0, "r": 70, "t": TOP, "b": BOTTOM},
        bargap=0.3,
        dragmode=False,
        showlegend=False,
    )
    figure.update_xaxes(
        title="worst loss over the range, above the best [%]"
        + ("; longer bars are cut off (▸)" if percents.max() > end else ""),
        range=[0, 1.02 * end],
        fixedrange=True,
    )
    figure.update_yaxes(autorange="reversed", title=None, fixedrange=True, automargin=True)
    return figure


def _end(percents: pd.Series[float]) -> float:
    """Where the axis ends: at the longest bar, unless few dwarf the others."""
    lengths = sorted(percents)
    end = lengths[-1]
    for n_cut in range(1, len(lengths) // 3 + 1):
        if lengths[-n_cut] > JUMP * lengths[-n_cut - 1] > 0:
            end = LONGER * lengths[-n_cut - 1]
    return end or 1.0
