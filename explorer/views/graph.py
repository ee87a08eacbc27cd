"""Graph: the network as a picture, and everything about the layer that is picked."""

from __future__ import annotations

import streamlit as st

from explorer import cached, panel, state, tables
from explorer.canvas import graph_canvas
from explorer.picture import COLOURINGS, Look, draw
from explorer.scenario import Scenario
from explorer.shared import current_comparison, current_scenario
from pase_core.solve import Comparison

KEY = "graph picture"

DIRECTIONS = ("left to right", "top down")


def take_selection() -> None:
    """Remember the box that was clicked."""
    state.select(st.session_state[KEY].selected)


def take_toggle() -> None:
    """Open the module that was double-clicked."""
    state.toggle(st.session_state[KEY].toggled)


@st.fragment
def show_picture(scenario: Scenario, comparison: Comparison) -> None:
    """Draw the picture and the panel beside it; a click redraws these two only."""
    look = _choose_look()
    boxes, table = cached.boxes(scenario, state.opened())
    picture, details = st.columns(panel.BESIDE)
    with picture:
        graph_canvas(
            draw(
                comparison.solution.problem.graph.name,
                boxes,
                table,
                tables.box_transfers(comparison, boxes),
                comparison.solution.unit,
                look,
            ),
            key=KEY,
            on_selected=take_selection,
            on_toggled=take_toggle,
        )
        st.caption(
            "Click a box for its details; double click (or Enter) opens a module. Drag to move, "
            "wheel to zoom, arrow keys to walk. Green arrows redistribute a tensor."
        )
    with details:
        panel.show(scenario, comparison, boxes)


def _choose_look() -> Look:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        colouring = st.segmented_control(
            "Colour by",
            list(COLOURINGS),
            default="saving",
            required=True,
            format_func=lambda name: COLOURINGS[name][0],
            key="colouring",
            bind="query-params",
        )
        direction = st.segmented_control(
            "Direction",
            DIRECTIONS,
            default=DIRECTIONS[0],
            required=True,
            key="direction",
            bind="query-params",
        )
        st.button("Close all modules", on_click=state.close_all, disabled=not state.opened())
    return Look(colouring, direction == DIRECTIONS[0], state.selected())


def show() -> None:
    """Show the page."""
    comparison = current_comparison()
    st.markdown(f"#### {tables.title(comparison)}")
    show_picture(current_scenario(), comparison)
