"""Modules and layers as areas: large is dear, coloured by what is saved."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from explorer.plots.scales import saving_scale
from explorer.plots.text import label


def cost_treemap(
    tree: pd.DataFrame,
    colours: Sequence[tuple[float, str]],
    scale: float,
    unit: str,
    *,
    marked: Collection[str] = (),
    ink: str = "#111111",
    paper: str = "#FFFFFF",
) -> go.Figure:
    """Draw modules and in them their layers; areas are costs.

    Args:
        tree: as `explorer.tables.cost_tree`.
        colours: diverging colour scale, 0.5 for no difference.
        scale: what savings are divided by on the colour bar.
        unit: unit of the colour bar.
        marked: names of layers that are selected.
        ink: colour of the frame around selected layers.
        paper: colour of the lines between areas.
    """
    is_marked = [name in marked for name in tree["layer"]]
    figure = go.Figure(
        go.Treemap(
            ids=tree["id"],
            parents=tree["parent"],
            labels=_labels(tree["title"], is_marked),
            values=tree["leaf"],
            branchvalues="remainder",
            sort=True,
            text=tree["text"],
            texttemplate=[
                "%{label}<br>%{text}" if layer else "%{label}  %{text}" for layer in tree["layer"]
            ],
            textfont={"size": 13},
            customdata=tree[["hover"]],
            hovertemplate="%{customdata[0]}<extra></extra>",
            pathbar={"visible": False},
            tiling={"pad": 1},
            marker={
                **_colouring(tree, colours, scale, unit),
                "pad": {"l": 2, "r": 2, "b": 2, "t": 22},
                "line": _frames(is_marked, ink, paper),
            },
        )
    )
    figure.update_layout(
        height=460,
        margin={"l": 0, "r": 0, "t": 8, "b": 8},
        uniformtext={"minsize": 11, "mode": "hide"},
    )
    return figure


def _frames(is_marked: Sequence[bool], ink: str, paper: str) -> dict[str, Any]:
    """Lines around the areas, thick around those of the selected layers."""
    return {
        "width": [4 if chosen else 1 for chosen in is_marked],
        "color": [ink if chosen else paper for chosen in is_marked],
    }


def _labels(titles: pd.Series[str], is_marked: Sequence[bool]) -> list[str]:
    """Names as text; those of the selected layers bold behind an arrow head."""
    return [
        f"<b>▶ {label(title, 28)}</b>" if chosen else label(title, 28)
        for title, chosen in zip(titles, is_marked, strict=True)
    ]


def _colouring(
    tree: pd.DataFrame, colours: Sequence[tuple[float, str]], scale: float, unit: str
) -> dict[str, Any]:
    """Colours of the areas by what they save; the whole would outshine its parts."""
    savings = (tree["saving"] / scale).where(tree["parent"] != "", 0.0)
    return {"colors": savings, **saving_scale(savings, colours, unit)}
