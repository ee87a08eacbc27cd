"""The phase diagram of the page Balance: its rows, made one after the other, and clicks on it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from explorer import cached
from explorer.cluster_choice import set_link
from explorer.downloads import offer_table
from explorer.labels import AMOUNT_COLOURS, plain
from explorer.limits import DEVICE_COUNTS
from explorer.picks import ink_and_paper
from explorer.plots.phase_diagram import phase_cells
from explorer.scenario import Scenario
from explorer.shared import CHART_CONFIG
from explorer.tables.phase_diagram import (
    COLOURINGS,
    cell_shading,
    cell_table,
    cell_titles,
    diagram_devices,
    machine_table,
)
from pase_core.balance import Balance
from pase_core.cluster import Cluster
from pase_core.cluster_words import cluster_name
from pase_core.errors import PaseError

FREE_SECONDS = 1.0
"""Rows are made unasked until their searches have taken so long together."""

HELP = (
    "Across, the machine balance; up, the number of devices. A cell is a phase: within it one "
    "strategy is the best. The dotted line is the chosen cluster, whose links may be others where "
    "more devices take part."
)


def show_diagram(scenario: Scenario, own: Balance) -> None:
    """Show the phases for several numbers of devices.

    Args:
        scenario: without pins.
        own: its phases.
    """
    st.markdown("##### Phases by number of devices", help=HELP)
    rows, failures, missing = _rows(scenario)
    if missing:
        _offer_rest(scenario, own, missing)
    for n_devices, reason in failures:
        st.warning(plain(f"No phases on {n_devices} devices: {reason}"))
    if rows:
        _show_cells(scenario, own.problem.cluster, rows)


def _rows(scenario: Scenario) -> tuple[list[Balance], list[tuple[int, str]], list[int]]:
    """The rows there are, the numbers of devices that fail, and those still to be asked for."""
    rows: list[Balance] = []
    failures = []
    wanted = diagram_devices(scenario.n_devices)
    is_asked = _key(scenario) in st.session_state.get("asked diagrams", ())
    missing = []
    bar = st.empty()
    spent = 0.0
    for i, n_devices in enumerate(wanted):
        is_own = n_devices == scenario.n_devices
        if spent > FREE_SECONDS and not is_own and not is_asked:
            missing.append(n_devices)
            continue
        bar.progress(i / len(wanted), f"Finding the phases on {n_devices} devices …")
        try:
            rows.append(cached.balance(replace(scenario, n_devices=n_devices)))
            spent += 0.0 if is_own else rows[-1].seconds
        except PaseError as error:
            failures.append((n_devices, str(error)))
    bar.empty()
    return rows, failures, missing


def _key(scenario: Scenario) -> Scenario:
    """What all rows have in common."""
    return replace(scenario.without_machine(), n_devices=1)


def _offer_rest(scenario: Scenario, own: Balance, missing: Sequence[int]) -> None:
    """A button for the rows that take long."""
    message, button = st.columns([7, 2], vertical_alignment="center")
    message.info(
        f"The phases on {scenario.n_devices} devices took {own.seconds:.1f} s; more devices take "
        "longer. "
        f"Not drawn yet: {', '.join(map(str, missing))} devices."
    )
    asked = st.session_state.setdefault("asked diagrams", [])
    button.button(
        "Draw the other rows", on_click=asked.append, args=(_key(scenario),), width="stretch"
    )


def _show_cells(scenario: Scenario, cluster: Cluster, rows: list[Balance]) -> None:
    name = st.segmented_control(
        "Colour",
        list(COLOURINGS),
        default=next(iter(COLOURINGS)),
        required=True,
        key="cell_colour",
        label_visibility="collapsed",
        bind="query-params",
    )
    cells = cell_table(rows, cluster)
    key = f"phase diagram at {scenario.n_devices} {scenario.giga_bytes} {name}"
    st.plotly_chart(
        phase_cells(
            cells,
            machine_table(rows, cluster),
            cell_shading(cells, name, AMOUNT_COLOURS),
            AMOUNT_COLOURS,
            scenario.n_devices,
            ink_and_paper(),
        ),
        key=key,
        config=CHART_CONFIG,
        alt="Phases over the machine balance, a row for each number of devices",
        on_select=partial(_load_cell, key),
        selection_mode="points",
    )
    _offer_own_links(scenario)
    offer_table(
        f"phase-diagram-{scenario.network}",
        cell_titles(cells),
        {"network": rows[0].problem.graph.name, "cluster": cluster_name(cluster)},
        note=f"{COLOURINGS[name]} Click a cell to load it: its number of devices, and links that "
        "put the machine in its middle.",
    )


def _offer_own_links(scenario: Scenario) -> None:
    """A button that undoes what a click on a cell has set."""
    if scenario.giga_bytes is not None:
        st.button(
            "Back to the links of the cluster",
            on_click=set_link,
            args=(None,),
            help=f"The links are set to {scenario.giga_bytes:g} GB/s in the sidebar.",
        )


def _load_cell(key: str) -> None:
    """Take the devices of the cell that was clicked, and links that lead into it."""
    points = st.session_state[key].selection.points
    if not points or not points[0].get("customdata"):
        return
    n_devices, giga_bytes = points[0]["customdata"][:2]
    if n_devices not in DEVICE_COUNTS or giga_bytes is None or not math.isfinite(giga_bytes):
        st.toast("No link that can be set leads into this cell.")
        return
    st.session_state["devices"] = n_devices
    set_link(float(giga_bytes))
