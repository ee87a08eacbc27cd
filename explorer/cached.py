"""One cached wrapper per core call; keys are small frozen data, never arrays."""

from __future__ import annotations

import threading
from dataclasses import replace

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
from pase_core.fit import Remedy, remedies
from pase_core.outline import Outline, outline
from pase_core.search.engine import load_kernels_in_background
from pase_core.search.pinned import pinned_costs
from pase_core.solve import Comparison, compare, price_tables
from pase_core.trade_off import TradeOff
from pase_core.trade_off import trade_off as find_trade_off

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
def _regrets(scenario: Scenario) -> Regrets | PaseError:
    with _turns:
        try:
            return alternatives.regrets(scenario.problem())
        except PaseError as error:
            return error


def regrets(scenario: Scenario) -> Regrets:
    """What every configuration of every layer costs at least, with pins, without memory limit.

    Raises:
        PaseError: as `Scenario.problem` and `pase_core.alternatives.regrets`.
    """
    found = _regrets(scenario.without_limit())
    if isinstance(found, PaseError):
        raise found.with_traceback(None)
    return found


def choice_costs(scenario: Scenario, position: int) -> tuple[float, ...]:
    """Cost of the best whole strategy for each configuration of one layer, without pins.

    Raises:
        PaseError: if they cannot be had, by elimination or by a search for each.
    """
    free = scenario.without_pins().without_limit()
    try:
        return tuple(map(float, regrets(free).costs[position]))
    except BudgetError:
        found = _pinned_costs(free, position)
    if isinstance(found, PaseError):
        raise found.with_traceback(None)
    return found


@st.cache_resource(max_entries=256, show_spinner="Searching once for every split …")
def _pinned_costs(scenario: Scenario, position: int) -> tuple[float, ...] | PaseError:
    with _turns:
        try:
            tables = costs(scenario).tables
            return tuple(map(float, pinned_costs(tables, position, scenario.problem().search)))
        except PaseError as error:
            return error


@st.cache_resource(max_entries=16, show_spinner="Ranking the best strategies …")
def _ranking(scenario: Scenario, k: int) -> Ranking | PaseError:
    with _turns:
        try:
            return alternatives.best_strategies(scenario.problem(), k)
        except PaseError as error:
            return error


def ranking(scenario: Scenario, k: int) -> Ranking:
    """The k best strategies, with the scenario's pins, without its memory limit.

    Raises:
        PaseError: as `Scenario.problem` and `pase_core.alternatives.best_strategies`.
    """
    found = _ranking(scenario.without_limit(), k)
    if isinstance(found, PaseError):
        raise found.with_traceback(None)
    return found


@st.cache_resource(max_entries=64, show_spinner="Finding every phase …")
def _balance(scenario: Scenario) -> Balance | PaseError:
    with _turns:
        try:
            return find_balance(scenario.problem())
        except PaseError as error:
            return error


def balance(scenario: Scenario) -> Balance:
    """Every phase of a scenario, without pins; speeds do not matter to them, so any will do.

    Raises:
        PaseError: as `Scenario.problem` and `pase_core.balance.balance`.
    """
    found = _balance(scenario.without_machine())
    if isinstance(found, PaseError):
        raise found
    return found


@st.cache_resource(max_entries=8, show_spinner="Finding the frontier …")
def _trade_off(scenario: Scenario) -> TradeOff | PaseError:
    with _turns:
        try:
            return find_trade_off(scenario.problem())
        except PaseError as error:
            return error


def trade_off(scenario: Scenario) -> TradeOff:
    """Time against memory of a scenario without a memory limit, with its pins.

    Raises:
        PaseError: as `Scenario.problem` and `pase_core.trade_off.trade_off`.
    """
    found = _trade_off(scenario)
    if isinstance(found, PaseError):
        raise found.with_traceback(None)
    return found


@st.cache_resource(max_entries=32, show_spinner="Looking for what would fit …")
def ways_to_fit(scenario: Scenario, limit_bytes: float) -> tuple[Remedy, ...] | PaseError:
    """Ways to make a scenario fit a limit that nothing keeps to, or why they cannot be had."""
    with _turns:
        try:
            return remedies(replace(scenario.problem(), memory_limit_bytes=limit_bytes))
        except PaseError as error:
            return error


@st.cache_resource(show_spinner=False)
def warm_up() -> None:
    """Load the compiled loops in the background, once per server."""
    load_kernels_in_background()
