"""A line on every page while layers are pinned: which, and what that costs."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from explorer import cached, state
from explorer.labels import plain
from explorer.regret_scale import percent_text
from explorer.scenario import Scenario
from pase_core.errors import PaseError
from pase_core.units import count, share_above

MOST_NAMES = 3
"""Pinned layers that are named."""


def show_pins() -> None:
    """Say which layers are pinned and what the best strategy with them costs more."""
    scenario: Scenario | None = st.session_state.get("scenario")
    pins = state.pins()
    if scenario is None or not pins:
        return
    try:
        held = cached.comparison(replace(scenario, pins=pins)).solution.found.total
        free = cached.comparison(scenario.without_pins()).solution.found.total
    except PaseError:  # the page says what is wrong
        return
    names = ", ".join(name for name, _configuration in pins[:MOST_NAMES])
    more = f" and {len(pins) - MOST_NAMES} more" if len(pins) > MOST_NAMES else ""
    text, button = st.columns([7, 2], vertical_alignment="center")
    text.info(
        f"{count(len(pins), 'layer')} pinned ({plain(names)}{more}): the best strategy with "
        f"{'it' if len(pins) == 1 else 'them'} costs {percent_text(share_above(held, free))} more "
        "than the best of all."
    )
    button.button("Remove all pins", key="remove pins", on_click=state.set_pins, args=((),))
