"""What every page needs: the current result, or a message in its place; charts shown alike."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from explorer import cached, state
from explorer.cluster_choice import COMPLAINT, awaits_cluster
from explorer.labels import plain
from explorer.scenario import Scenario
from pase_core.errors import OpenDimensions, PaseError
from pase_core.solve import Comparison

CHART_CONFIG = {
    "displaylogo": False,
    "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d", "zoomIn2d", "zoomOut2d"],
    "toImageButtonOptions": {"format": "svg"},
}


def current_scenario() -> Scenario:
    """The scenario with the pinned layers; stops the page if a file is still awaited."""
    scenario: Scenario | None = st.session_state.get("scenario")
    if scenario is None:
        _say_what_is_awaited()
        st.stop()
    return replace(scenario, pins=state.pins())


def _say_what_is_awaited() -> None:
    """Which file the sidebar waits for, and what was wrong with the one before."""
    if awaits_cluster():
        st.markdown("### Your own cluster")
        if COMPLAINT in st.session_state:
            st.error(plain(st.session_state[COMPLAINT]))
        st.info(
            "Choose a cluster as JSON in the sidebar; the network is solved on it at once. To make "
            "one, change a preset's figures under All figures of the cluster and save them there."
        )
    else:
        st.markdown("### Your own network")
        st.info("Choose a graph as JSON or ONNX in the sidebar; it is solved at once.")


def current_comparison() -> Comparison:
    """The result for the current scenario; stops the page with a message if there is none."""
    scenario = current_scenario()
    try:
        return cached.comparison(scenario)
    except OpenDimensions as error:
        _ask_for_sizes(error.names)
    except PaseError as error:
        st.markdown("### This cannot be solved as it stands")
        st.error(plain(str(error)))
        if scenario.pins:
            st.button("Remove all pins", on_click=state.set_pins, args=((),))
    st.stop()


def _ask_for_sizes(names: Sequence[str]) -> None:
    """Have the sidebar ask for sizes that the file leaves open, from now on."""
    known = st.session_state.setdefault("open sizes", {})
    file_id = st.session_state["file id"]
    asked = known.get(file_id, ())
    if not set(names) <= set(asked):
        known[file_id] = tuple(dict.fromkeys((*asked, *names)))
        st.rerun()
    st.markdown("### The file leaves sizes open")
    st.info(f"Give {plain(', '.join(names))} in the sidebar, below the file; it is solved at once.")


def drop_unknown(key: str, options: Collection[str]) -> None:
    """Have a choice begin anew if what was chosen is not among the options any more."""
    if st.session_state.get(key) not in (None, *options):
        del st.session_state[key]


def show_chart(figure: go.Figure, *, key: str, alt: str, is_selectable: bool = False) -> Any:
    """Show a Plotly figure; returns its selection event if it is selectable.

    The buttons to zoom and to save the figure as SVG appear above it on hover.
    """
    if is_selectable:
        return st.plotly_chart(
            figure,
            key=key,
            config=CHART_CONFIG,
            alt=alt,
            on_select="rerun",
            selection_mode="points",
        )
    st.plotly_chart(figure, key=key, config=CHART_CONFIG, alt=alt)
    return None
