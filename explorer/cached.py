"""One cached wrapper per core call; keys are small frozen data, never arrays."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import pandas as pd
import streamlit as st

from explorer import tables
from explorer.scenario import Scenario
from pase_core import alternatives
from pase_core.alternatives import Ranking, Regrets
from pase_core.balance import Balance
from pase_core.balance import balance as find_balance
from pase_core.costs.build import Costs
from pase_core.errors import BudgetError, PaseError
from pase_core.outline import Outline, outline
from pase_core.search.engine import load_kernels_in_background
from pase_core.search.pinned import pinned_costs
from pase_core.solve import Comparison, compare, price_tables

_turns = threading.BoundedSemaphore(2)
"""Searches that may run at a time, over all sessions of the server."""


Found = TypeVar("Found")


def _attempt(work: Callable[[], Found]) -> Found | PaseError:
    """The result in its turn, or why there is none: what failed is not tried at every click."""
    with _turns:
        try:
            return work()
        except PaseError as error:
            return error


def _result(outcome: Found | PaseError) -> Found:
    """A result, or the error in its place; without the traceback that every raise makes longer."""
    if isinstance(outcome, PaseError):
        raise outcome.with_traceback(None)
    return outcome


@st.cache_resource(max_entries=32, show_spinner="Searching …")
def _outcome(scenario: Scenario) -> Comparison | PaseError:
    return _attempt(lambda: compare(scenario.problem()))


def comparison(scenario: Scenario) -> Comparison:
    """Solve a scenario and price the baselines; results are frozen and shared by all sessions.

    Raises:
        PaseError: as `Scenario.problem` and `compare`.
    """
    return _result(_outcome(scenario))


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
def _regrets(scenario: Scenario) -> Regrets | PaseError:
    return _attempt(lambda: alternatives.regrets(scenario.problem()))


def regrets(scenario: Scenario) -> Regrets:
    """What every configuration of every layer costs at least, with the scenario's pins.

    Raises:
        PaseError: as `Scenario.problem` and `pase_core.alternatives.regrets`.
    """
    return _result(_regrets(scenario))


def choice_costs(scenario: Scenario, position: int) -> tuple[float, ...]:
    """Cost of the best whole strategy for each configuration of one layer, without pins.

    Raises:
        PaseError: if they cannot be had, by elimination or by a search for each.
    """
    free = scenario.without_pins()
    try:
        return tuple(map(float, regrets(free).costs[position]))
    except BudgetError:
        return _result(_pinned_costs(free, position))


@st.cache_resource(max_entries=256, show_spinner="Searching once for every split …")
def _pinned_costs(scenario: Scenario, position: int) -> tuple[float, ...] | PaseError:
    def search_each() -> tuple[float, ...]:
        found = pinned_costs(costs(scenario).tables, position, scenario.problem().search)
        return tuple(map(float, found))

    return _attempt(search_each)


@st.cache_resource(max_entries=16, show_spinner="Ranking the best strategies …")
def _ranking(scenario: Scenario, k: int) -> Ranking | PaseError:
    return _attempt(lambda: alternatives.best_strategies(scenario.problem(), k))


def ranking(scenario: Scenario, k: int) -> Ranking:
    """The k best strategies, with the scenario's pins.

    Raises:
        PaseError: as `Scenario.problem` and `pase_core.alternatives.best_strategies`.
    """
    return _result(_ranking(scenario, k))


@st.cache_resource(max_entries=64, show_spinner="Finding every phase …")
def _balance(scenario: Scenario) -> Balance | PaseError:
    return _attempt(lambda: find_balance(scenario.problem()))


def balance(scenario: Scenario) -> Balance:
    """Every phase of a scenario, without pins; speeds do not matter to them, so any will do.

    Raises:
        PaseError: as `Scenario.problem` and `pase_core.balance.balance`.
    """
    alike = replace(scenario, cluster=Scenario().cluster, tera_flops=1.0, giga_bytes=1.0, pins=())
    return _result(_balance(alike))


@st.cache_resource(show_spinner=False)
def warm_up() -> None:
    """Load the compiled loops in the background, once per server."""
    load_kernels_in_background()
