"""Frontier: step time against memory per device, and the fastest strategy for every memory."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from explorer import cached, picks, tables
from explorer.downloads import offer_table
from explorer.fitting import show_remedies
from explorer.labels import plain
from explorer.plots.frontier import byte_bars, frontier_curve, frontier_place
from explorer.scenario import Scenario
from explorer.shared import current_comparison, current_scenario, show_chart
from explorer.tables.frontier import (
    beside_table,
    capacity_table,
    change_rows,
    file_table,
    frontier_headline,
    limit_gigabytes,
    parts_table,
    point_table,
    proof_sentence,
    shown_points,
)
from pase_core.cluster_words import cluster_name
from pase_core.components import HELD
from pase_core.errors import PaseError
from pase_core.search.methods import ELIMINATION
from pase_core.solve import Comparison
from pase_core.trade_off import TradeOff
from pase_core.units import common_scale, count

CURVE, POINTS = "frontier curve", "frontier points"

LONG_SECONDS = 0.5
"""A network of which one search takes longer is searched on demand only."""

ABOUT = (
    "Every strategy takes time and memory. Shown are those that no other beats in both: for each "
    "amount of memory the fastest. Full marks are corners of the convex hull, best for some price "
    "of a byte; grey ones lie between. Time and memory are modelled, not measured."
)

HELP = {
    "place": "The frontier, what people do, and the memory of devices as dashed lines; this "
    "cluster's is the dark one. Both axes are logarithmic.",
    "curve": "The frontier alone. Click a point, or a row below, to see what it does.",
    "bytes": "What each point's bytes are: " + "; ".join(f"{t}: {m}" for t, m in HELD.values()),
}
"""What each part of the page shows."""


def show() -> None:
    """Show the page."""
    comparison, scenario = current_comparison(), current_scenario()
    st.markdown(f"#### {tables.title(comparison)}")
    free = scenario.without_limit()
    if _is_long(comparison) and not _is_asked_for(free):
        return
    try:
        found = cached.trade_off(free)
    except PaseError as error:
        st.markdown("### The frontier cannot be found as it stands")
        st.error(plain(str(error)))
        return
    st.markdown(f"### {frontier_headline(found)}")
    st.caption(ABOUT)
    room = found.problem.cluster.memory_bytes
    if found.fastest_within(room) is None:
        show_remedies(free, room)
    st.fragment(_show_parts)(found, comparison)


def _is_long(comparison: Comparison) -> bool:
    search = comparison.solution.search
    return search.method != ELIMINATION or comparison.solution.search_seconds > LONG_SECONDS


def _is_asked_for(scenario: Scenario) -> bool:
    """A button in place of a page that takes long, until it is pressed."""
    asked = st.session_state.setdefault("asked frontiers", [])
    if scenario in asked:
        return True
    st.markdown("### How much memory does time cost?")
    st.info("Every corner of the frontier takes a search; for this network that can take minutes.")
    st.button("Find the frontier", on_click=asked.append, args=(scenario,), type="primary")
    return False


def _show_parts(found: TradeOff, comparison: Comparison) -> None:
    """Charts, table and the chosen point; a click redraws these only."""
    table = point_table(found)
    chosen = _chosen(len(table))
    ink = picks.ink_and_paper()[0]
    unit = common_scale(float(table["seconds"].max()), "s")
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown("##### Beside what people do", help=HELP["place"])
        beside = beside_table(found, comparison)
        show_chart(
            frontier_place(table, beside, capacity_table(found), ink, unit),
            key="frontier place",
            alt="Time against memory: the frontier, data parallelism, experts and device sizes",
        )
    with right:
        st.markdown("##### The frontier", help=HELP["curve"])
        show_chart(
            frontier_curve(table, chosen, ink, unit),
            key=CURVE,
            alt="The least step time for every memory per device",
            is_selectable=True,
        )
    _show_table(found, table)
    if chosen is not None:
        _show_point(found, table, chosen)
    st.markdown("##### What the bytes are", help=HELP["bytes"])
    show_chart(
        byte_bars(parts_table(found), {part: title for part, (title, _) in HELD.items()}),
        key="frontier bytes",
        alt="Memory per device of the frontier's points, by part",
    )
    n_left = len(table) - len(shown_points(found))
    if n_left:
        st.caption(f"{count(n_left, 'point')} in between not drawn.")


def _chosen(n_points: int) -> int | None:
    """Number of the point that was clicked last, on the curve or in the table."""
    clicked = {
        CURVE: [int(p["customdata"][0]) for p in _points(CURVE) if "customdata" in p],
        POINTS: [row + 1 for row in _rows(POINTS)],
    }
    seen = st.session_state.setdefault("seen frontier", {})
    for key, numbers in clicked.items():
        if numbers != seen.get(key, []) and numbers:
            st.session_state["frontier point"] = numbers[0]
    st.session_state["seen frontier"] = clicked
    number = st.session_state.get("frontier point")
    return number if number is not None and number <= n_points else None


def _points(key: str) -> list[dict[str, list[float]]]:
    event = st.session_state.get(key)
    return list(event["selection"]["points"]) if event else []


def _rows(key: str) -> list[int]:
    event = st.session_state.get(key)
    return list(event["selection"]["rows"]) if event else []


def _show_table(found: TradeOff, table: pd.DataFrame) -> None:
    scale, unit = common_scale(float(table["seconds"].max()), "s")
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    st.dataframe(
        table.assign(
            gigabytes=table["bytes"] / 1e9,
            time=table["seconds"] / scale,
            slower=100 * table["slower"],
            larger=100 * table["larger"],
        ),
        key=POINTS,
        hide_index=True,
        height=min(38 + 35 * len(table), 248),
        on_select="rerun",
        selection_mode="single-row",
        column_order=("point", "gigabytes", "larger", "time", "slower", "kind"),
        column_config={
            "point": number("Point", width=60),
            "gigabytes": number("Memory per device [GB]", format="%.5g"),
            "larger": number("above the least [%]", format="%.2f"),
            "time": number(f"Step time [{unit}]", format="%.5g"),
            "slower": number("above the fastest [%]", format="%.2f"),
            "kind": text("Which"),
        },
        alt="The points of the frontier with their memory and time",
    )
    problem = found.problem
    offer_table(
        f"{problem.graph.name}-{problem.cluster.n_devices}-frontier",
        file_table(found, table),
        {
            "network": problem.graph.name,
            "devices": problem.cluster.n_devices,
            "cluster": cluster_name(problem.cluster),
        },
        note=proof_sentence(found),
    )


def _show_point(found: TradeOff, table: pd.DataFrame, chosen: int) -> None:
    """What a point does otherwise than the fastest, and a button to load it everywhere."""
    row = table.iloc[chosen - 1]
    changes = change_rows(found, chosen - 1)
    limit = limit_gigabytes(row["bytes"])
    left, right = st.columns((3, 1), vertical_alignment="center")
    if len(changes):
        left.markdown(
            f"**Point {chosen}** splits {count(len(changes), 'layer')} otherwise than the fastest."
        )
    else:
        left.markdown(f"**Point {chosen}** is the fastest strategy.")
    right.button(
        "Load this strategy",
        on_click=_load,
        args=(limit if len(changes) else None,),
        help="Sets the memory limit in the sidebar, so that every page shows this strategy.",
        width="stretch",
    )
    if len(changes):
        st.dataframe(changes, hide_index=True, height=min(38 + 35 * len(changes), 248))


def _load(gigabytes: float | None) -> None:
    """Hold every page to a point's memory; None for no limit."""
    st.session_state["memory_limit"] = gigabytes
