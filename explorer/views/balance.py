"""Balance: for which machines another strategy would be the best."""

from __future__ import annotations

import streamlit as st

from explorer import cached, tables
from explorer.downloads import offer_table
from explorer.labels import MODELLED, plain
from explorer.phase_diagram import show_diagram
from explorer.picks import ink_and_paper
from explorer.plots.balance import balance_curves
from explorer.plots.robust import worst_losses
from explorer.scenario import Scenario
from explorer.shared import current_comparison, current_scenario, show_chart
from explorer.tables.balance import (
    Range,
    at_home,
    balance_headline,
    band_table,
    beyond_text,
    curve_table,
    preset_table,
    visible_range,
)
from explorer.tables.balance_changes import (
    change_table,
    change_title,
    phase_table,
    shown_changes,
    shown_phases,
    telling_digits,
)
from explorer.tables.robust import (
    GRID,
    drawn_losses,
    loss_table,
    loss_titles,
    preset_range,
    robust_sentence,
    undrawn_text,
)
from pase_core.balance import Balance
from pase_core.cluster_words import cluster_name
from pase_core.errors import PaseError
from pase_core.search.methods import ELIMINATION
from pase_core.solve import Comparison

LONG_SECONDS, EASY_DEVICES = 0.5, 8
"""Where one search takes longer, or is no plain elimination and has more devices, the many
searches that the phases need are made on demand only."""

ABOUT = (
    "Under this cost model a strategy costs FLOP + r × bytes sent; r, the machine balance, is what "
    "a device computes while its link carries a byte. So every strategy is a line over r, and the "
    "best ones take turns, in phases, each the exact best from one breakpoint to the next."
)

HELP = {
    "curves": "Above, what a step costs under the best strategy for each machine, and under others "
    "kept as they are; below, the same as a multiple of the best. Both axes are logarithmic. "
    "Stripes are phases, the blue one is that of this machine.",
    "changes": "A phase sends less than the one before it and computes more. Choose a row to see "
    "every layer that changes.",
    "robust": "A strategy loses where another phase rules. Its worst loss over a range of machines "
    "is what keeping it costs at most above the best strategy of each machine.",
    "range": "FLOP per byte. At first the range that holds all of today's clusters.",
}
"""What each part of the page shows."""


def show() -> None:
    """Show the page."""
    comparison = current_comparison()
    scenario = current_scenario().without_pins()
    st.markdown(f"#### {tables.title(comparison)}")
    if _is_long(comparison) and not _is_asked_for(scenario):
        return
    try:
        balance = at_home(cached.balance(scenario), comparison)
    except PaseError as error:
        st.markdown("### The phases cannot be found as it stands")
        st.error(plain(str(error)))
        return
    st.markdown(f"### {balance_headline(balance)}.")
    note = " Pinned layers are left free on this page." if current_scenario().pins else ""
    st.caption(f"{ABOUT} {MODELLED}{note}")
    _show_curves(balance)
    st.fragment(_show_changes)(scenario, balance)
    st.fragment(_show_robust)(scenario, balance)
    show_diagram(scenario, balance)


def _is_long(comparison: Comparison) -> bool:
    search = comparison.solution.search
    is_large = comparison.solution.problem.cluster.n_devices > EASY_DEVICES
    is_hard = search.method != ELIMINATION and is_large
    return is_hard or comparison.solution.search_seconds > LONG_SECONDS


def _is_asked_for(scenario: Scenario) -> bool:
    """A button in place of a page that takes long, until it is pressed."""
    key = scenario.without_machine()
    asked = st.session_state.setdefault("asked phases", [])
    if key in asked:
        return True
    st.markdown("### When would the answer change?")
    st.info(
        "Every phase takes two searches, and there may be dozens. For this network on "
        f"{scenario.n_devices} devices that can take minutes."
    )
    st.button("Find the phases", on_click=asked.append, args=(key,), type="primary")
    return False


def _show_curves(balance: Balance) -> None:
    st.markdown("##### Cost against the machine balance", help=HELP["curves"])
    clusters = preset_table(balance)
    shown = visible_range(balance, clusters)
    show_chart(
        balance_curves(
            curve_table(balance, shown),
            band_table(balance, shown),
            clusters,
            balance.here,
            ink_and_paper()[0],
        ),
        key="balance curves",
        alt="Cost per step of the best strategy, of data parallelism and of the experts, against "
        "the machine balance, with today's clusters below",
    )
    beyond = beyond_text(balance, shown)
    n_devices = balance.problem.cluster.n_devices
    link = f"slowest link among {n_devices} devices" if n_devices > 1 else "link within a node"
    element_type = balance.problem.graph.element_type
    st.caption(plain(f"Clusters: peak in {element_type} over the {link}. {beyond}"))


def _show_changes(scenario: Scenario, balance: Balance) -> None:
    """The phases as a table, and the layers that change in one of them."""
    st.markdown("##### What changes from phase to phase", help=HELP["changes"])
    shown = shown_phases(balance)
    compute, sent = shown.columns[3:5]
    event = st.dataframe(
        shown,
        key=f"phases of {scenario.network} on {scenario.n_devices}",
        hide_index=True,
        height=min(38 + 35 * len(shown), 388),
        on_select="rerun",
        selection_mode="single-row",
        placeholder="∞",
        column_config={
            "Phase": st.column_config.TextColumn(width=84),
            **{
                name: st.column_config.NumberColumn(
                    format=f"%.{telling_digits(balance)}g", width=92
                )
                for name in ("From [FLOP/B]", "To [FLOP/B]")
            },
            compute: st.column_config.NumberColumn(format="%.5g", width=118),
            sent: st.column_config.NumberColumn(format="%.5g", width=82),
            "Layers": st.column_config.NumberColumn(
                width=60, help="Layers that split otherwise than in the phase before"
            ),
        },
    )
    rows = event["selection"]["rows"]
    phase = rows[0] if rows and rows[0] < len(shown) else balance.phase_here
    offer_table(
        f"phases-{scenario.network}-{scenario.n_devices}", phase_table(balance), _about(balance)
    )
    _show_phase(scenario, balance, phase, is_open=bool(rows))


def _show_phase(scenario: Scenario, balance: Balance, phase: int, *, is_open: bool) -> None:
    """Every layer that changes where a phase begins."""
    changes = change_table(balance, phase)
    with st.expander(plain(change_title(balance, phase)), expanded=is_open):
        if len(changes):
            st.dataframe(
                shown_changes(changes, phase),
                hide_index=True,
                height=min(38 + 35 * len(changes), 318),
            )
            offer_table(
                f"phase-{phase + 1}-{scenario.network}-{scenario.n_devices}",
                changes,
                _about(balance),
            )


def _about(balance: Balance) -> dict[str, object]:
    """What a file says beside its rows."""
    cluster = balance.problem.cluster
    return {
        "network": balance.problem.graph.name,
        "cluster": cluster_name(cluster),
        "devices": cluster.n_devices,
        "here [FLOP/B]": balance.here,
    }


def _show_robust(scenario: Scenario, balance: Balance) -> None:
    """Which strategy bears a change of machine best, over a range to choose."""
    st.markdown("##### Strategies that bear a change of machine", help=HELP["robust"])
    default = preset_range(preset_table(balance))
    _follow_default(default)
    low, high = st.select_slider(
        "Range of machines [FLOP per byte]",
        GRID,
        default,
        format_func=lambda at: f"{at:g}" if at < 1 else f"{at:,.10g}",
        key="range",
        help=HELP["range"],
        bind="query-params",
    )
    table = loss_table(balance, (low, high))
    st.markdown(robust_sentence(balance, table, (low, high)))
    show_chart(
        worst_losses(drawn_losses(table)),
        key="worst losses",
        alt="What each strategy costs above the best at worst over the range",
    )
    about = _about(balance) | {"range [FLOP/B]": [low, high]}
    offer_table(
        f"losses-{scenario.network}-{scenario.n_devices}",
        loss_titles(table),
        about,
        note=undrawn_text(table),
    )


def _follow_default(default: Range) -> None:
    """Have a range that nobody has changed follow today's clusters of another size."""
    before = st.session_state.get("range at first")
    if before not in (None, default) and st.session_state.get("range") == before:
        st.session_state["range"] = default
    st.session_state["range at first"] = default
