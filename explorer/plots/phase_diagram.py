"""The phase diagram: machine balance across, numbers of devices up, a cell per phase."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from explorer.plots.decades import TITLE, balance_axis
from explorer.shading import Shading

ROW, TOP, BOTTOM = 38, 30, 50
"""Pixels of a row and of the margins."""


def phase_cells(
    cells: pd.DataFrame,
    machine: pd.DataFrame,
    shading: Shading,
    colours: Sequence[tuple[float, str]],
    chosen: int,
    inks: tuple[str, str],
) -> go.Figure:
    """Draw a bar per cell; bars can be clicked, which a heatmap's cells cannot.

    Args:
        cells: as `explorer.tables.phase_diagram.cell_table`.
        machine: as `explorer.tables.phase_diagram.machine_table`.
        shading: of the cells.
        colours: scale from nothing to the greatest value.
        chosen: number of devices of the scenario.
        inks: colour of marks, and of the page.
    """
    figure = go.Figure(
        go.Bar(
            orientation="h",
            base=cells["start"],
            x=cells["stop"] - cells["start"],
            y=cells["row"],
            width=0.92,
            text=list(shading.texts),
            textposition="inside",
            insidetextanchor="middle",
            textangle=0,
            textfont={"color": list(shading.inks)},
            customdata=cells[["devices", "giga_bytes", "hover"]],
            hovertemplate="%{customdata[2]}<extra></extra>",
            unselected={"marker": {"opacity": 1}},
            marker={
                "color": list(shading.values),
                "colorscale": [list(stop) for stop in colours],
                "cmin": 0,
                "cmax": shading.most,
                "line": {"width": 0.8, "color": inks[1]},
                "colorbar": _colour_bar(shading.title, shading.ticks),
            },
        )
    )
    _add_machine(figure, machine, chosen, inks)
    _set_axes(figure, cells, machine)
    return figure


def _colour_bar(title: str, ticks: Sequence[tuple[float, str]]) -> dict[str, object]:
    return {
        "title": {"text": title, "side": "right"},
        "tickvals": [value for value, _text in ticks],
        "ticktext": [text for _value, text in ticks],
        "thickness": 12,
        "outlinewidth": 0,
    }


def _add_machine(
    figure: go.Figure, machine: pd.DataFrame, chosen: int, inks: tuple[str, str]
) -> None:
    """The machine's own balance on each row, and the scenario's row."""
    is_here = machine["devices"] == chosen
    figure.add_scatter(
        x=machine["balance"],
        y=machine["row"],
        mode="lines+markers",
        line={"color": inks[0], "width": 1.5, "dash": "dot"},
        marker={
            "symbol": ["diamond" if here else "circle" for here in is_here],
            "size": [15 if here else 7 for here in is_here],
            "color": inks[0],
            "line": {"width": 1.5, "color": inks[1]},
        },
        hoverinfo="skip",
    )
    figure.add_annotation(
        x=0,
        xref="paper",
        xanchor="left",
        y=1,
        yref="paper",
        yanchor="bottom",
        text=("<b>◆ here</b>   " if is_here.any() else "") + "● this cluster on so many devices",
        font={"color": inks[0], "size": 12},
        showarrow=False,
    )


def _set_axes(figure: go.Figure, cells: pd.DataFrame, machine: pd.DataFrame) -> None:
    figure.update_layout(
        height=TOP + BOTTOM + ROW * max(len(machine), 3),
        margin={"l": 0, "r": 0, "t": TOP, "b": BOTTOM},
        barmode="overlay",
        clickmode="event+select",
        dragmode=False,
        showlegend=False,
        hoverlabel={"align": "left"},
        uniformtext={"mode": "hide", "minsize": 10},
    )
    figure.update_xaxes(title=TITLE, **balance_axis(cells["start"].min(), cells["stop"].max()))
    figure.update_yaxes(
        title="devices p",
        range=[-0.5, len(machine) - 0.5],
        tickvals=list(machine["row"]),
        ticktext=[str(n) for n in machine["devices"]],
        showgrid=False,
        zeroline=False,
        fixedrange=True,
    )
