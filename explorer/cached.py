"""One cached wrapper per core call; keys are small frozen data, never arrays."""

from __future__ import annotations

import streamlit as st

from explorer.scenario import Scenario
from pase_core.search.engine import load_kernels_in_background
from pase_core.solve import Comparison, compare


@st.cache_resource(max_entries=32, show_spinner="Searching …")
def comparison(scenario: Scenario) -> Comparison:
    """Solve a scenario and price the baselines; results are frozen and shared by all sessions.

    Raises:
        PaseError: as `Scenario.problem` and `compare`.
    """
    return compare(scenario.problem())


@st.cache_resource(show_spinner=False)
def warm_up() -> None:
    """Load the compiled loops in the background, once per server."""
    load_kernels_in_background()
