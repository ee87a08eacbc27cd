"""A line on every page while memory is limited: what that costs, or what would make it fit."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from explorer import cached, state
from explorer.labels import plain
from explorer.regret_scale import percent_text
from explorer.scenario import Scenario
from explorer.tables.frontier import remedy_table
from pase_core.errors import PaseError
from pase_core.units import ratio, share_above, with_prefix

ELSEWHERE = "Searches, Alternatives, Balance and Frontier leave the limit out."


def show_limit() -> None:
    """Say what the memory limit costs, or that nothing keeps to it."""
    scenario: Scenario | None = st.session_state.get("scenario")
    if scenario is None or scenario.memory_limit is None:
        return
    limit = 1e9 * scenario.memory_limit
    scenario = replace(scenario, pins=state.pins())
    try:
        limited = cached.comparison(scenario).solution
        free = cached.comparison(scenario.without_limit()).solution.found.total
    except PaseError:  # the page says what is wrong
        return
    text, button = st.columns([7, 2], vertical_alignment="center")
    button.button("Remove the limit", key="remove limit", on_click=_remove)
    if limited.fits:
        more = percent_text(share_above(limited.found.total, free))
        text.info(
            f"Held to {with_prefix(limit, 'B', 4)} per device: the fastest strategy that fits "
            f"costs {more} more than with no limit. {ELSEWHERE}"
        )
        return
    held = limited.memory.total
    text.warning(
        f"**Nothing fits {with_prefix(limit, 'B', 4)} per device.** Shown is the strategy that "
        f"holds least: {with_prefix(held, 'B', 4)}, {ratio(held / limit)} the limit. {ELSEWHERE}"
    )
    show_remedies(scenario, limit)


def show_remedies(scenario: Scenario, limit_bytes: float) -> None:
    """What would make a network fit, each with the least memory that it needs then."""
    with st.expander(f"What would fit {with_prefix(limit_bytes, 'B', 4)}"):
        found = cached.ways_to_fit(scenario, limit_bytes)
        if isinstance(found, PaseError):
            st.markdown(plain(str(found)))
        elif found:
            st.dataframe(remedy_table(found), hide_index=True)
            st.caption("Least memory that any strategy needs then; modelled, not measured.")
        else:
            st.markdown("No option of training that is known here would save memory.")


def _remove() -> None:
    st.session_state["memory_limit"] = None
