"""Searches: what other searches find on the same problem, and how fast."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from explorer import cached
from explorer.downloads import offer_table
from explorer.labels import MODELLED, plain
from explorer.plots.searches import ending_points, progress_lines
from explorer.shared import current_comparison, current_scenario, show_chart
from explorer.snapshots import Snapshot, trials_in
from explorer.studies import SEARCHES, Trial
from explorer.tables.searches import (
    failures_of,
    progress_table,
    run_table,
    searches_headline,
    shown_searches,
)
from explorer.tables.summary import title
from explorer.watch import POLL_SECONDS, look, registry, show_progress
from pase_core.search.rivals import RIVALS
from pase_core.solve import Comparison

SECONDS = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
PROPOSALS = (10_000, 50_000, 250_000, 1_000_000, 10_000_000)
MOST_SEEDS = 20

READINGS = {"Time": "seconds", "Work": "evaluations"}
"""What progress is drawn against."""

REMARK = (
    "All start from data parallelism. The optimum is proved; a star marks an exact search that is "
    "done. Bands reach from the best to the worst seed, lines are medians. Times are measured on "
    "this server in one thread of work after another; costs are modelled, not measured."
)


def show() -> None:
    """Show the page."""
    current_comparison()  # or a message in its place
    free = current_scenario().without_pins().without_limit()
    comparison = cached.comparison(free)
    st.markdown(f"#### {title(comparison)}")
    if current_scenario().pins:
        st.caption("Pins are left out: every layer is open to every search.")
    trials = _choose_trials()
    if not trials:
        st.info("Choose at least one search.")
        return
    key = registry().ensure(free, trials, kind=SEARCHES)
    is_alive = any(snapshot.is_alive for snapshot in look([key]))
    watch = st.fragment(_show_runs, run_every=POLL_SECONDS if is_alive else None)
    watch(key, trials, comparison, is_alive)


def _choose_trials() -> tuple[Trial, ...]:
    """The runs that are asked for, the quick ones first."""
    chosen = st.pills(
        "Searches",
        list(RIVALS),
        selection_mode="multi",
        default=list(RIVALS),
        key="searches",
        bind="query-params",
        help="\n".join(f"- **{rival.title}**: {rival.note}" for rival in RIVALS.values()),
    )
    seeds, seconds, proposals = st.columns(3)
    n_seeds = seeds.slider(
        "Seeds",
        1,
        MOST_SEEDS,
        5,
        key="seeds",
        bind="query-params",
        help="Runs of each search that is random.",
    )
    limit = seconds.select_slider(
        "Time limit of a run [s]", SECONDS, 2.0, key="seconds", bind="query-params"
    )
    n_most = proposals.select_slider(
        "Proposals of a run",
        PROPOSALS,
        250_000,
        format_func=lambda n: f"{n:,}",
        key="proposals",
        bind="query-params",
        help="Strategies that annealing, local search and the policy gradient may price.",
    )
    return tuple(
        Trial(name, seed, float(limit), int(n_most))
        for name in RIVALS
        if name in chosen
        for seed in range(n_seeds if RIVALS[name].is_random else 1)
    )


def _show_runs(
    key: str, trials: tuple[Trial, ...], comparison: Comparison, was_alive: bool
) -> None:
    """Everything that changes while the runs go on."""
    found = look([key])
    if not found or found[0].is_alive != was_alive:
        st.rerun()
    own = found[0]
    search = comparison.solution.search
    runs = [each for each in trials_in(own) if each[0] in trials]
    bound = max([search.lower_bound, *(run.lower_bound for _trial, run in runs)])
    table = run_table(runs, bound)
    unit = comparison.solution.unit
    is_proved = search.proved_optimal or bool(len(table) and table["is_proved"].any())
    headline = searches_headline(table, bound, unit, is_proved=is_proved)
    st.markdown(f"### {plain(headline)}")
    show_progress([own], lambda _keys: _go_on(trials))
    if len(table):
        _show_figures(table, progress_table(runs, bound))
        _show_table(own, table, unit)


def _go_on(trials: tuple[Trial, ...]) -> None:
    free = current_scenario().without_pins().without_limit()
    registry().ensure(free, trials, kind=SEARCHES, is_restart=True)


def _show_figures(table: pd.DataFrame, progress: pd.DataFrame) -> None:
    left, right = st.columns([3, 2], gap="medium")
    with left:
        reading = st.segmented_control(
            "Progress against",
            list(READINGS),
            default="Time",
            required=True,
            key="progress",
            bind="query-params",
        )
        show_chart(
            progress_lines(progress, READINGS[reading or "Time"]),
            key="progress of searches",
            alt="Best cost above the optimum, against time or work, per search",
        )
    with right:
        st.markdown("##### Where they end")
        show_chart(
            ending_points(table),
            key="ends of searches",
            alt="Excess over the optimum at the end of every run, per search",
        )
    st.caption(REMARK)
    failed = failures_of(table)
    if failed:
        lines = (f"- {plain(name)}: {plain(reason)}" for name, reason in failed)
        with st.expander(f"What did not fit: {', '.join(name for name, _reason in failed)}"):
            st.markdown("\n".join(lines))


def _show_table(own: Snapshot, table: pd.DataFrame, unit: str) -> None:
    shown = shown_searches(table, unit)
    st.dataframe(
        shown,
        hide_index=True,
        height="content",
        column_config={
            shown.columns[2]: st.column_config.NumberColumn(format="%.5g"),
            "Best above": st.column_config.NumberColumn(
                format="percent", help="Above the proved optimum or bound, best of all seeds"
            ),
            "Median above": st.column_config.NumberColumn(format="percent"),
            "To 1 % [ms]": st.column_config.NumberColumn(
                format="%.3g", help="Median time until within 1 % of the optimum; empty if never"
            ),
            "Time [ms]": st.column_config.NumberColumn(format="%.3g"),
            "Evaluations": st.column_config.NumberColumn(
                format="localized", help="Strategies priced, or table entries visited; median"
            ),
        },
    )
    if not own.is_alive:
        offer_table(f"searches-{own.scenario.network}", table, {"note": MODELLED, "unit": unit})
