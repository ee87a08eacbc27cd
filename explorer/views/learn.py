"""Learn: the method step by step, why the ordering matters, and a toy to play with."""

from __future__ import annotations

import streamlit as st

from explorer.learn import orderings, steps, toy
from explorer.learn.texts import SECTIONS
from explorer.lessons import network_graph, network_skeleton
from explorer.scenario import Scenario
from explorer.shared import current_comparison, current_scenario
from pase_core.errors import PaseError
from sample_graphs import SAMPLES


def show() -> None:
    """Show the page."""
    section = st.segmented_control(
        "Section",
        list(SECTIONS),
        default="steps",
        required=True,
        format_func=SECTIONS.__getitem__,
        key="lesson",
        label_visibility="collapsed",
        bind="query-params",
    )
    if section == "toy":
        toy.show()
        return
    scenario = current_scenario().without_pins()
    title = _title(scenario)
    if section == "steps":
        steps.show(scenario, title)
    else:
        orderings.show(scenario, title)


def _title(scenario: Scenario) -> str:
    """The network's name for people; stops the page with a message if it cannot be loaded.

    A network that is too large to solve can be looked at all the same.
    """
    try:
        network_skeleton(scenario)
        name = network_graph(scenario).name
    except PaseError:
        current_comparison()
        st.stop()
    return SAMPLES[name].title if name in SAMPLES else name
