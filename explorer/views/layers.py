"""Layers: every layer in a table, and which dimensions it splits in a grid."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from explorer import panel, picks, state, tables
from explorer.downloads import offer_files
from explorer.labels import AMOUNT_COLOURS, plain
from explorer.plots.grid import split_grid
from explorer.scenario import Scenario
from explorer.shared import current_comparison, current_scenario, show_chart
from pase_core.outline import Outline, outline
from pase_core.solve import Comparison

TABLE, GRID = "layer rows", "split grid"

TABLE_HEIGHT, GRID_HEIGHT = 330, 560


@st.fragment
def show_layers(scenario: Scenario, comparison: Comparison) -> None:
    """Show table, grid and panel; a click redraws these only."""
    picks.take([GRID], TABLE)
    boxes = outline(comparison.solution.problem.graph, state.opened())
    layers = tables.layer_table(comparison)
    chosen = tables.selected_layers(list(layers["layer"]), boxes, state.selected())
    left, right = st.columns(panel.BESIDE)
    with left:
        shown = _choose(layers)
        if shown.empty:
            st.info("No layer fits. Use other words, or switch the filter off.")
        else:
            _show_table(comparison, layers, shown, set(layers["layer"].iloc[list(chosen)]))
            _show_grid(comparison, shown, boxes, chosen)
    with right:
        panel.show(scenario, comparison, boxes)


def _choose(layers: pd.DataFrame) -> pd.DataFrame:
    """The rows that are to be shown."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        words = st.text_input(
            "Filter",
            key="filter",
            placeholder="name, module, operation, split",
            bind="query-params",
            width=225,
        )
        only_different = st.toggle(
            "Only what differs from data parallel",
            key="differ",
            help="Layers that the strategy found splits in another way than data parallelism does.",
            bind="query-params",
        )
    return tables.matching_layers(layers, words or "", only_different=only_different)


def _show_table(
    comparison: Comparison, layers: pd.DataFrame, shown: pd.DataFrame, chosen: set[str]
) -> None:
    scale, unit = tables.layer_scale(layers, comparison.solution.unit)
    picks.mark_row(TABLE, list(shown["layer"]), chosen)
    st.dataframe(
        tables.scaled(shown, scale),
        key=TABLE,
        hide_index=True,
        height=min(38 + 35 * len(shown), TABLE_HEIGHT),
        on_select="rerun",
        selection_mode="single-row",
        column_order=list(_columns(unit, 1.0)),
        column_config=_columns(unit, float(layers["share"].max())),
        alt="Layers with their splits and costs",
    )
    graph, cluster = comparison.solution.problem.graph, comparison.solution.problem.cluster
    name = f"{graph.name}-{cluster.n_devices}-layers"
    offer_files(
        name,
        partial(tables.layers_csv, comparison, shown),
        partial(tables.layers_json, comparison, shown),
        _count(list(shown["layer"]), len(layers), chosen),
    )


def _count(shown: list[str], n_layers: int, chosen: set[str]) -> str:
    """How many rows there are, and which of them is marked."""
    marked = [row for row, name in enumerate(shown, 1) if name in chosen]
    count = f"{len(shown)} of {n_layers} layers"
    if len(marked) != 1 or len(chosen) != 1:
        return count
    return f"{count}. Selected: {plain(*chosen)}, number {marked[0]} in the graph's order"


def _columns(unit: str, largest_share: float) -> dict[str, Any]:
    """Columns of the table, in their order."""
    text, number = st.column_config.TextColumn, st.column_config.NumberColumn
    return {
        "layer": text("Layer", pinned=True),
        "split": text("Split", width=115, help="Parts per dimension, as found"),
        "share": st.column_config.ProgressColumn(
            "Share of the step",
            help="Share of the cost of the whole step, with the transfers into the layer",
            width=125,
            format="percent",
            min_value=0,
            max_value=largest_share or 1.0,
        ),
        "cost": number(
            f"Cost [{unit}]",
            format="%.4g",
            help="Per step and device, with the transfers into the layer. Modelled.",
        ),
        "saving": number(
            f"Saved [{unit}]", format="%.4g", help="Cost under data parallelism less cost found"
        ),
        "data_parallel": number(f"Data parallel [{unit}]", format="%.4g"),
        "split_data_parallel": text(
            "Split, data parallel", help="Parts per dimension under data parallelism"
        ),
        "operation": text("Operation"),
        "module": text("Module"),
        "dimensions": text("Dimensions", help="Size of each dimension"),
    }


def _show_grid(
    comparison: Comparison, shown: pd.DataFrame, boxes: Outline, chosen: tuple[int, ...]
) -> None:
    rows = tables.grid_rows(shown, boxes)
    dimensions = tables.grid_dimensions(comparison, rows)
    st.markdown(
        "##### Which dimensions are split",
        help="A square for each dimension that a layer has; the darker, the more parts. Click one "
        "to select its layer.",
    )
    st.caption(_grid_note(len(shown), rows))
    figure = split_grid(
        tables.split_cells(comparison, rows, dimensions, AMOUNT_COLOURS),
        [row.title for row in rows],
        dimensions,
        AMOUNT_COLOURS,
        marked=tables.marked_titles(rows, chosen),
        mark=picks.ink_and_paper()[0],
    )
    with st.container(height=min(GRID_HEIGHT, figure.layout.height + 24), border=False):
        show_chart(
            figure,
            key=GRID,
            alt="Grid of layers and dimensions, coloured by the number of parts",
            is_selectable=True,
        )
    picks.remember([GRID])


def _grid_note(n_shown: int, rows: tuple[tables.GridRow, ...]) -> str:
    n_for = sum(len(row.stands_for) for row in rows)
    if len(rows) == n_shown:
        return "One row per layer."
    note = "One row per module: its dearest layer. Filter, or open a module, for its layers."
    return note if n_for == n_shown else f"{note} The {len(rows)} dearest rows are shown."


def show() -> None:
    """Show the page."""
    comparison = current_comparison()
    st.markdown(f"#### {tables.title(comparison)}")
    show_layers(current_scenario(), comparison)
