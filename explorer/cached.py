"""One cached wrapper per core call; keys are small frozen data, never arrays."""

from __future__ import annotations

import threading

import pandas as pd
import streamlit as st

from explorer import tables
from explorer.scenario import Scenario
from pase_core.costs.build import Costs
from pase_core.errors import PaseError
from pase_core.outline import Outline, outline
from pase_core.search.engine import load_kernels_in_background
from pase_core.search.marginals import Marginals, marginals
from pase_core.solve import Comparison, compare, price_tables

_turns = threading.BoundedSemaphore(2)
"""Searches that may run at a time, over all sessions of the server."""


@st.cache_resource(max_entries=32, show_spinner="Searching …")
def _outcome(scenario: Scenario) -> Comparison | PaseError:
    """The result, or why there is none: what failed once is not tried again at every click."""
    with _turns:
        try:
            return compare(scenario.problem())
        except PaseError as error:
            return error


def comparison(scenario: Scenario) -> Comparison:
    """Solve a scenario and price the baselines; results are frozen and shared by all sessions.

    Raises:
        PaseError: as `Scenario.problem` and `compare`.
    """
    outcome = _outcome(scenario)
    if isinstance(outcome, PaseError):
        raise outcome
    return outcome


@st.cache_resource(max_entries=32, show_spinner=False)
def boxes(scenario: Scenario, opened: tuple[str, ...]) -> tuple[Outline, pd.DataFrame]:
    """Outline of a solved scenario's network, and its table; not to be changed."""
    result = comparison(scenario)
    outlined = outline(result.solution.problem.graph, opened)
    return outlined, tables.box_table(result, outlined, tables.layer_table(result))


@st.cache_resource(max_entries=4, show_spinner=False)
def costs(scenario: Scenario) -> Costs:
    """Cost tables of a scenario."""
    return price_tables(scenario.problem())


@st.cache_resource(max_entries=8, show_spinner="Pricing every alternative …")
def _marginals(scenario: Scenario) -> Marginals | PaseError:
    with _turns:
        try:
            return marginals(costs(scenario).tables, scenario.problem().search)
        except PaseError as error:
            return error


def choice_costs(scenario: Scenario, position: int) -> tuple[float, ...]:
    """Cost of the best whole strategy for each configuration of one layer, without pins.

    Raises:
        PaseError: as `pase_core.search.marginals.marginals`.
    """
    found = _marginals(scenario.without_pins())
    if isinstance(found, PaseError):
        raise found
    return tuple(map(float, found.costs[position]))


@st.cache_resource(show_spinner=False)
def warm_up() -> None:
    """Load the compiled loops in the background, once per server."""
    load_kernels_in_background()
