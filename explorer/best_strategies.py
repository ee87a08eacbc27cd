"""The best strategies of all, in a chart and a table: part of the page Alternatives."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from explorer import cached, picks, state
from explorer.downloads import offer_table
from explorer.labels import MODELLED, plain
from explorer.plots.ranking import excess_steps
from explorer.regret_scale import percent_text
from explorer.scenario import Scenario
from explorer.shared import show_chart
from explorer.tables.ranking import pins_of, ranking_file, ranking_sentence, ranking_table
from pase_core.alternatives import Ranking
from pase_core.cluster_words import cluster_name
from pase_core.errors import BudgetError, PaseError
from pase_core.units import common_scale, count

RANKING, BEST_TABLE = "excess by rank", "best strategies"

TABLE_HEIGHT = 362

MOST_PINS = 20
"""Layers that one click may pin: the address holds them all."""

HELP = (
    "The strategies of least cost, none left out. Two strategies differ if they split any layer in "
    "another way. Click a point or a row: the first layer that differs is selected on every page."
)


def show(scenario: Scenario) -> None:
    """The best strategies: how far apart they lie, and in what they differ."""
    st.markdown("##### The best strategies", help=HELP)
    k = st.number_input(
        "How many", 2, 100, 10, key="best", bind="query-params", width=160, help="2 to 100"
    )
    try:
        ranking = cached.ranking(scenario, k)
    except PaseError as error:
        say_why_not(error)
        return
    if st.session_state.pop("best row is old", False):
        st.session_state[BEST_TABLE] = {"selection": {"rows": [], "columns": [], "cells": []}}
    table = ranking_table(ranking)
    st.markdown(ranking_sentence(table))
    rows = _chosen_rows(len(table))
    left, right = st.columns((2, 5), gap="medium")
    with left:
        show_chart(
            excess_steps(table, chosen=rows[0] + 1 if rows else None, ink=picks.ink_and_paper()[0]),
            key=RANKING,
            alt="Cost above the optimum of the best strategies, by rank",
            is_selectable=True,
        )
    with right:
        _show_best_table(ranking, table, rows)


def _chosen_rows(n_rows: int) -> list[int]:
    event = st.session_state.get(BEST_TABLE)
    return [row for row in (event["selection"]["rows"] if event else []) if row < n_rows]


def _show_best_table(ranking: Ranking, table: pd.DataFrame, rows: list[int]) -> None:
    scale, unit = common_scale(float(table["cost"].iloc[0]), ranking.unit)
    text, number = st.column_config.TextColumn, st.column_config.NumberColumn
    st.session_state[f"firsts of {BEST_TABLE}"] = tuple(table["first"])
    st.dataframe(
        table.assign(cost=table["cost"] / scale, above=table["share"].map(percent_text)),
        key=BEST_TABLE,
        hide_index=True,
        height=min(38 + 35 * len(table), TABLE_HEIGHT),
        on_select=_select_first,
        selection_mode="single-row",
        column_order=("rank", "cost", "above", "n_layers", "differs"),
        column_config={
            "rank": number("Rank", width=45),
            "cost": number(f"Step cost [{unit}]", format="%.9g", width=118, help=MODELLED),
            "above": text("Above best", width=90),
            "n_layers": number("Layers", width=55, help="Layers that differ from the best"),
            "differs": text(
                "Differs from the best in", help="Parts per dimension: in the best → here"
            ),
        },
        alt="The best strategies with their costs and what they differ in",
    )
    graph, cluster = ranking.problem.graph, ranking.problem.cluster
    offer_table(
        f"{graph.name}-{cluster.n_devices}-best",
        ranking_file(table, ranking.unit),
        {"network": graph.name, "devices": cluster.n_devices, "cluster": cluster_name(cluster)},
        note=f"Per step and device. {MODELLED}",
    )
    if rows and rows[0]:
        pins = pins_of(ranking, rows[0])
        if st.button(
            f"Pin what number {rows[0] + 1} does in {count(len(pins), 'layer')}",
            disabled=len(pins) > MOST_PINS,
            help="Holds these layers on every page; the search fills in all others.",
        ):
            _pin_all(pins)
            st.rerun()  # the whole page: everything is solved with the pins


def _select_first() -> None:
    """Select the first layer in which the strategy that was clicked differs from the best."""
    firsts = st.session_state.get(f"firsts of {BEST_TABLE}", ())
    for row in _chosen_rows(len(firsts)):
        state.select(firsts[row] or state.selected())


def _pin_all(pins: state.Pins) -> None:
    names = {name for name, _ in pins}
    state.set_pins((*(each for each in state.pins() if each[0] not in names), *pins))
    st.session_state["best row is old"] = True


def say_why_not(error: PaseError) -> None:
    """Say in place of a result why there is none, and what to do."""
    if not isinstance(error, BudgetError):
        st.error(plain(str(error)))
        return
    st.info(
        "**The alternatives of this network cannot be priced exactly.** Its layers are tied "
        "together so densely that the tables of the exact search do not fit. The strategy found "
        "is not in doubt: Overview says what is proved of it. Fewer devices or a larger smallest "
        "part, in the sidebar, make the tables smaller; where layers read all layers before them, "
        "as in DenseNet, even that may not be enough."
    )
    with st.expander("What does not fit"):
        st.markdown(plain(str(error)))
