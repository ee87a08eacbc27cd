"""Learn, second section: breadth-first against GENERATESEQ, on paper."""

from __future__ import annotations

from html import escape

import streamlit as st

from explorer import tables
from explorer.amounts import amount
from explorer.downloads import offer_table
from explorer.learn.texts import ORDERINGS, ORDERINGS_INTRO, ORDERINGS_NOTE
from explorer.lessons import network_growth, network_skeleton, sample_growths
from explorer.plots.growth import ordering_growth
from explorer.scenario import Scenario
from explorer.shared import show_chart
from explorer.tables.learn import ENTRY_BYTES
from pase_core.search.options import DEFAULT_MEMORY_BUDGET_BYTES
from pase_core.units import with_prefix

NAIVE, CLEVER = "breadth-first", "generateseq"

COLOURS = {ORDERINGS[NAIVE]: "#D55E00", ORDERINGS[CLEVER]: "#0072B2"}


def show(scenario: Scenario, title: str) -> None:
    """Show the section.

    Args:
        scenario: without pins.
        title: the network's name for people.
    """
    st.markdown(ORDERINGS_INTRO)
    shape = network_skeleton(scenario)
    steps = {name: network_growth(scenario, name) for name in (NAIVE, CLEVER)}
    sentence = tables.ordering_sentence(title, scenario.n_devices, steps[NAIVE], steps[CLEVER])
    st.html(f"<h4>{escape(sentence)}</h4>")
    budget = DEFAULT_MEMORY_BUDGET_BYTES
    entries = budget / ENTRY_BYTES
    show_chart(
        ordering_growth(
            {ORDERINGS[name]: tables.growth_table(shape, each) for name, each in steps.items()},
            COLOURS,
            entries,
            f"memory budget: {with_prefix(budget, 'B', 1)} = {amount(entries)} entries",
        ),
        key="orderings",
        alt=f"Entries of the table and size of the dependent set at each step: {sentence}",
    )
    st.caption(ORDERINGS_NOTE)
    _show_samples(scenario, budget)


def _show_samples(scenario: Scenario, budget: float) -> None:
    n_devices = scenario.n_devices
    st.markdown(
        f"##### All sample networks on {n_devices} devices",
        help="Largest dependent set and largest table of each; what has to be kept is the sum of "
        "all tables of minima.",
    )
    growths = sample_growths(n_devices, scenario.min_part, (NAIVE, CLEVER))
    table = tables.sample_growth_table(growths, ORDERINGS, budget)
    st.dataframe(
        tables.shown_sample_growth(table),
        hide_index=True,
        height="content",
        column_config={
            "network": st.column_config.TextColumn("Network", pinned=True),
            "layers": "Layers",
            "ordering": "Ordering",
            "set": "Largest dependent set",
            "table": "Largest table [entries]",
            "kept": "To be kept",
            "fits": f"Fits {with_prefix(budget, 'B', 1)}",
        },
    )
    titles = {"table": "largest table [entries]", "kept": "to be kept [B]"}
    offer_table(f"orderings-{n_devices}", table.rename(columns=titles), {"devices": n_devices})
