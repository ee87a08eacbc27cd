"""The panel about what is selected: a module's sums, or all about one layer."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from explorer import cached, state, tables
from explorer.labels import plain
from explorer.scenario import Scenario
from pase_core.outline import Outline
from pase_core.solve import Comparison


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
        st.info("Click a box: its splits, its costs and its alternatives appear here.")
    _show_pins()


def _show_module(comparison: Comparison, name: str, layers: list[int]) -> None:
    st.markdown(f"##### {plain(name)}")
    st.caption(f"{len(layers)} layers")
    if st.button("Open the module"):
        state.toggle(name)
        st.rerun(scope="fragment")
    _show_table(tables.component_comparison(comparison, layers))


def _show_layer(scenario: Scenario, comparison: Comparison, position: int) -> None:
    layer = comparison.solution.problem.graph.layers[position]
    fused = f" with {', '.join(layer.fused)}" if layer.fused else ""
    st.markdown(f"##### {plain(layer.name)}")
    st.caption(plain(layer.operation + fused))
    _show_table(tables.dimension_table(comparison, position))
    st.markdown("**Cost per step and device**")
    _show_table(tables.component_comparison(comparison, [position]))
    with st.expander("Tensors and how they are cut"):
        _show_table(tables.tensor_table(comparison, position))
    _show_candidates(scenario, comparison, position)


def _show_candidates(scenario: Scenario, comparison: Comparison, position: int) -> None:
    """Every configuration with the cost of the best whole strategy that contains it."""
    st.markdown(
        "**Why not another split?**",
        help="Every configuration of this layer, with its own cost and the cost of the best whole "
        "strategy that contains it: exact, by a search with this layer held.",
    )
    free = cached.costs(scenario.without_pins())
    whole = cached.choice_costs(scenario.without_pins(), position)
    candidates = tables.candidate_table(comparison, free, position, whole)
    event = st.dataframe(
        candidates.drop(columns="row"),
        hide_index=True,
        height=260,
        on_select="rerun",
        selection_mode="single-row",
        key=f"candidates {position}",
        column_config={"more": st.column_config.NumberColumn(format="+%.2f %%")},
    )
    layer = comparison.solution.problem.graph.layers[position]
    chosen = event.selection.rows
    if chosen and st.button(f"Pin {candidates['split'].iloc[chosen[0]]}", type="primary"):
        row = int(candidates["row"].iloc[chosen[0]])
        state.pin(layer.name, tuple(map(int, free.configurations[position][row])))
        st.rerun()


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


def _show_table(table: pd.DataFrame) -> None:
    st.dataframe(table, hide_index=True, height="content")
