"""The panel about what is selected: a module's sums, or all about one layer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from explorer import cached, state, tables
from explorer.bills import audit_html
from explorer.downloads import offer_table
from explorer.labels import PLACEMENT_NOTE, plain
from explorer.plots.parts import device_grid
from explorer.scenario import Scenario
from explorer.shared import drop_unknown, show_chart
from pase_core.errors import PaseError
from pase_core.outline import Outline
from pase_core.solve import Comparison

BESIDE = (5, 3)
"""Widths of what the panel stands beside, and of the panel: its tables fit at 1280 pixels."""

PARTS = "parts"

PARTS_HEIGHT = 330
"""Pixels of the grid of parts; a longer one is scrolled."""

NARROW = 48
"""Pixels of a column of parts."""

_NO_FILE_NAME = re.compile(r"[^\w.-]+")

CELL_COLOURS = ("#6CA6CD", "#111111")
"""Of a part and of what is written on it."""


def show(scenario: Scenario, comparison: Comparison, boxes: Outline) -> None:
    """Show the panel for the current selection."""
    name = state.selected()
    graph = comparison.solution.problem.graph
    positions = {layer.name: position for position, layer in enumerate(graph.layers)}
    module = next((box for box in boxes.boxes if name == box.name and not box.is_layer), None)
    if module is not None:
        _show_module(comparison, module.name, list(module.layers))
    elif name in positions:
        _show_layer(scenario, comparison, positions[name])
    else:
        st.info("Pick a layer: its splits, its costs and its alternatives appear here.")
    _show_pins()


def _show_module(comparison: Comparison, name: str, layers: list[int]) -> None:
    st.markdown(f"##### {plain(name)}")
    st.caption(f"{len(layers)} layers")
    if st.button("Open the module"):
        state.toggle(name)
        st.rerun(scope="fragment")
    _show_table(tables.component_comparison(comparison, layers))
    _offer_tables(name, comparison, {"costs": tables.component_costs(comparison, layers)})


def _show_layer(scenario: Scenario, comparison: Comparison, position: int) -> None:
    layer = comparison.solution.problem.graph.layers[position]
    fused = f" with {', '.join(layer.fused)}" if layer.fused else ""
    st.markdown(f"##### {plain(layer.name)}")
    st.caption(plain(layer.operation + fused))
    dimensions = tables.dimension_table(comparison, position)
    _show_table(dimensions, ("parts", "each"))
    whole = [d.name for d in layer.dimensions if not d.splittable]
    if whole:
        st.caption(f"Not to be split: {plain(', '.join(whole))}.")
    st.markdown("**Cost per step and device**")
    _show_table(tables.component_comparison(comparison, [position]))
    _show_audit(comparison, position)
    _show_parts(comparison, position)
    tensors = tables.tensor_table(comparison, position)
    with st.expander("Tensors and how they are cut"):
        _show_table(tensors)
    candidates = _show_candidates(scenario, comparison, position)
    files = {
        "dimensions": dimensions,
        "costs": tables.component_costs(comparison, [position]),
        "tensors": tensors,
        "candidates": candidates.drop(columns="row", errors="ignore"),
    }
    _offer_tables(layer.name, comparison, files)


def _offer_tables(name: str, comparison: Comparison, files: Mapping[str, pd.DataFrame]) -> None:
    """The tables above as files; costs as numbers in the cost model's unit."""
    unit = comparison.solution.unit
    stem = _NO_FILE_NAME.sub("-", name)
    with st.popover("These tables as files", type="tertiary"):
        st.caption(f"Costs in {unit}, per step and device.")
        for title, table in files.items():
            about = {"of": name, "unit": unit}
            offer_table(f"{stem}-{title}", table, about, note=f"{title.capitalize()}:")


def _show_audit(comparison: Comparison, position: int) -> None:
    """Every term of the costs above with its formula."""
    audited = tables.audit(comparison, position)
    if audited:
        with st.expander("How these numbers come about"):
            st.caption("As found; per step and device. Modelled, not measured.")
            st.html(audit_html(audited, comparison.solution.unit))


def _show_parts(comparison: Comparison, position: int) -> None:
    """The devices that hold each part of the layer, or of one of its tensors."""
    with st.expander("Which device holds which part", expanded=True):
        things = tables.held_things(comparison, position)
        drop_unknown(PARTS, things)  # a tensor of another layer
        thing = st.selectbox(
            "Parts of",
            list(things),
            key=PARTS,
            bind="query-params",
            help="The iteration space is all points that the layer computes. A tensor that lacks "
            "a split dimension is held in several copies.",
        )
        grid = tables.part_grid(comparison, position, things.get(thing))
        figure = device_grid(grid.cells, grid.rows, grid.columns, CELL_COLOURS)
        is_long = figure.layout.height > PARTS_HEIGHT
        with st.container(height=PARTS_HEIGHT if is_long else "content", border=False):
            show_chart(figure, key=f"device grid {position}", alt=f"Devices by part: {thing}")
        st.caption(f"{plain(grid.caption)} {PLACEMENT_NOTE}")


def _show_candidates(scenario: Scenario, comparison: Comparison, position: int) -> pd.DataFrame:
    """Every configuration with the cost of the best whole strategy that contains it."""
    st.markdown(
        "**Why not another split?**",
        help="Every configuration of this layer, with its own cost and the cost of the best whole "
        "strategy that contains it: exact, by a search with this layer held.",
    )
    free = cached.costs(scenario.without_pins())
    try:
        whole = cached.choice_costs(scenario, position)
    except PaseError as error:
        st.info(plain(str(error)))
        return pd.DataFrame()
    candidates = tables.candidate_table(comparison, free, position, whole)
    scale, unit = tables.total_scale(comparison)
    number = st.column_config.NumberColumn
    event = st.dataframe(
        tables.scaled_candidates(candidates, scale),
        column_order=("split", "more", "alone", "whole"),
        hide_index=True,
        height=260,
        on_select="rerun",
        selection_mode="single-row",
        key=f"candidates {position}",
        column_config={
            "more": number(format="+%.2f %%", help="Above the best whole strategy", width=66),
            "alone": number(format="%.4g", help=f"Cost of this layer alone [{unit}]", width=60),
            "whole": number(format="%.5g", help=f"Cost of the whole strategy [{unit}]", width=60),
        },
    )
    st.caption(f"alone and whole in {unit}, per step and device")
    layer = comparison.solution.problem.graph.layers[position]
    chosen = event.selection.rows
    if chosen and st.button(f"Pin {candidates['split'].iloc[chosen[0]]}", type="primary"):
        row = int(candidates["row"].iloc[chosen[0]])
        state.pin(layer.name, tuple(map(int, free.configurations[position][row])))
        st.rerun()
    return candidates


def _show_pins() -> None:
    """The pinned layers, and the ways back."""
    pins = state.pins()
    if pins:
        st.markdown("**Pinned layers**", help="The search fills in all others optimally.")
    for name, configuration in pins:
        text, button = st.columns([4, 1], vertical_alignment="center")
        text.markdown(f"{plain(name)}: {' '.join(map(str, configuration))}")
        if button.button("✕", key=f"unpin {name}", help="Leave this layer to the search"):
            state.unpin(name)
            st.rerun()
    if state.can_undo() and st.button("Undo the last change of pins"):
        state.undo_pins()
        st.rerun()


def _show_table(table: pd.DataFrame, narrow: Sequence[str] = ()) -> None:
    widths = {name: st.column_config.Column(width=NARROW) for name in narrow}
    st.dataframe(table, hide_index=True, height="content", column_config=widths)
