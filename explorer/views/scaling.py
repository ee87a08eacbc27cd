"""Scaling: what more devices bring, and what the paper measured of it."""

from __future__ import annotations

from functools import partial

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from explorer import tables
from explorer.downloads import offer_files, offer_table
from explorer.labels import plain
from explorer.limits import DEVICE_COUNTS
from explorer.plots.figure6 import measured_and_modelled
from explorer.plots.scaling import communication_lines, speedup_lines, time_lines, weight_lines
from explorer.points import PAPER_DEVICES, devices_up_to
from explorer.runs import run_key
from explorer.scenario import Scenario
from explorer.shared import CHART_CONFIG, current_comparison, current_scenario, show_chart
from explorer.snapshots import Snapshot, points_in
from explorer.watch import POLL_SECONDS, look, registry, show_progress

HELP = {
    "Step time": "Modelled at the devices' peak speeds; the links are those that so many devices "
    "cross. Ideal: the time on one device, shared by all.",
    "Speed-up over data parallelism": "Time under data parallelism over the time under the "
    "strategy, both on as many devices.",
    "Communication": "Share of a step's cost that is not arithmetic.",
    "Weights per device": "Trained weights that one device holds, without gradients, optimiser "
    "state and activations.",
}
"""What each chart shows."""

FIGURE6_REMARK = (
    "Measured: V. Elango, PaSE (IPDPS 2021), Figure 6, read off its bars (±0.04), nodes of 8 GPUs. "
    "Modelled: the same networks, batches and systems with the sidebar's cost model, and the "
    "expert's cheapest variant. The model takes devices and links at their peak and lets nothing "
    "overlap; the gap between dashed and solid lines is what it leaves out."
)


def show() -> None:
    """Show the page."""
    keys, figure6 = _begin()
    snapshots = look(keys)
    is_alive = any(snapshot.is_alive for snapshot in snapshots)
    chosen = st.session_state.get("devices", snapshots[0].scenario.n_devices)
    watch = st.fragment(_show_runs, run_every=POLL_SECONDS if is_alive else None)
    watch(keys, figure6, chosen, is_alive)


def _begin() -> tuple[list[str], dict[str, str]]:
    """Find or begin the runs; returns all keys, the page's own first, and Figure 6's by system."""
    kept = registry().snapshot(st.query_params.get("run", ""))
    if st.session_state.get("scenario") is None and kept is not None:
        return [kept.key], {}  # its file has gone with a reload, its results have not
    scenario = current_scenario()
    if scenario.upload is not None:
        current_comparison()  # asks for what the file leaves open
    key = registry().ensure(scenario, devices_up_to(scenario.n_devices))
    if st.query_params.get("run") != key:
        st.query_params["run"] = key
    figure6 = {
        cluster: registry().ensure(like_paper, PAPER_DEVICES)
        for cluster, like_paper in tables.figure6_scenarios(scenario).items()
    }
    return [*dict.fromkeys((key, *figure6.values()))], figure6


def _go_on(keys: list[str]) -> None:
    """Go on with the runs that were stopped, as far as their scenarios are at hand."""
    scenario = st.session_state.get("scenario")
    if scenario is None:
        return
    scenario = current_scenario()
    wanted = [(scenario, devices_up_to(scenario.n_devices))]
    wanted += [(each, PAPER_DEVICES) for each in tables.figure6_scenarios(scenario).values()]
    for each, devices in wanted:
        if run_key(each) in keys:
            registry().ensure(each, devices, is_restart=True)


def _show_runs(keys: list[str], figure6: dict[str, str], chosen: int, was_alive: bool) -> None:
    """Everything that changes while the runs go on."""
    snapshots = {snapshot.key: snapshot for snapshot in look(keys)}
    is_alive = any(snapshot.is_alive for snapshot in snapshots.values())
    own = snapshots.get(keys[0])
    if own is None or is_alive != was_alive or st.session_state.get("devices", chosen) != chosen:
        st.rerun()  # the whole page: to poll no more, to begin anew, or for a point's click
    table = tables.scaling_table(points_in(own))
    st.markdown(f"#### {plain(tables.scaling_title(own.scenario))}")
    st.markdown(f"### {tables.scaling_headline(table)}")
    show_progress(list(snapshots.values()), _go_on)
    failures = tables.failures(points_in(own))
    if failures:
        lines = (f"- p = {devices}: {plain(reason)}" for devices, reason in failures)
        st.warning("\n".join(("No answer on some numbers of devices:", *lines)))
    if len(table):
        _show_charts(own, table, chosen)
        _show_table(own, table)
    _show_figure6(own.scenario, {name: snapshots[key] for name, key in figure6.items()})


def _load_devices(key: str) -> None:
    """Take the number of devices of the point that was clicked into the scenario."""
    points = st.session_state[key].selection.points
    if points and points[0].get("customdata"):
        n_devices = points[0]["customdata"][0]
        if n_devices in DEVICE_COUNTS:
            st.session_state["devices"] = n_devices


def _show_points(figure: go.Figure, title: str, explanation: str, key: str) -> None:
    """Show a chart whose points load their number of devices."""
    st.markdown(f"##### {title}", help=explanation)
    st.plotly_chart(
        figure,
        key=key,
        config=CHART_CONFIG,
        alt=f"{title}, against the number of devices",
        on_select=partial(_load_devices, key),
        selection_mode="points",
    )


def _show_charts(own: Snapshot, table: pd.DataFrame, chosen: int) -> None:
    scale, unit = tables.time_scale(table)
    memory, memory_text = tables.memory_line(own.scenario, table)
    crossings = tables.crossing_table(table)
    ideal = tables.ideal_table(points_in(own))
    charts = {
        "Step time": time_lines(table, ideal, scale, unit, chosen),
        "Speed-up over data parallelism": speedup_lines(table, crossings, chosen),
        "Communication": communication_lines(table, chosen),
        "Weights per device": weight_lines(table, memory, chosen),
    }
    columns = st.columns(2, gap="medium")
    for position, (title, figure) in enumerate(charts.items()):
        with columns[position % 2]:
            _show_points(figure, title, HELP[title], f"scaling {title} at {chosen}")
    texts = (
        "Click a point to see its strategy on the other pages.",
        tables.node_remark(own.scenario, table),
        *crossings["text"],
        memory_text,
    )
    st.caption(plain(" ".join(texts)))


def _show_table(own: Snapshot, table: pd.DataFrame) -> None:
    with st.expander("All figures"):
        st.dataframe(
            tables.shown_scaling(table),
            hide_index=True,
            column_config={
                "Step [ms]": st.column_config.NumberColumn(format="%.4g"),
                "Speed-up": st.column_config.NumberColumn(
                    format="%.2f ×", help="Over data parallelism on as many devices"
                ),
                "Efficiency": st.column_config.NumberColumn(
                    format="percent", help="Ideal time over the time on so many devices"
                ),
                "Communication": st.column_config.ProgressColumn(
                    format="percent", min_value=0, max_value=1
                ),
                "Weights [MB]": st.column_config.NumberColumn(format="%.4g"),
                "Search [ms]": st.column_config.NumberColumn(format="%.3g"),
            },
        )
        if not own.is_alive:  # or the file behind a button would be gone with the next look
            offer_files(
                f"scaling-{own.scenario.network}",
                partial(tables.to_csv, table.drop(columns="hover")),
                partial(tables.scaling_json, own.scenario, points_in(own)),
            )


def _show_figure6(scenario: Scenario, runs: dict[str, Snapshot]) -> None:
    """What the paper measured, and the model for the same systems."""
    if not runs:
        return
    points = {cluster: points_in(snapshot) for cluster, snapshot in runs.items()}
    table = tables.figure6_table(scenario.network, points)
    st.markdown("##### The paper's Figure 6: measured, and modelled for the same systems")
    show_chart(
        measured_and_modelled(
            table, tables.figure6_titles(), tables.MEASURED, tables.MODELLED_SPEEDUP
        ),
        key="figure 6",
        alt="Speed-up over data parallelism, measured by the paper and modelled, on two systems",
    )
    st.caption(FIGURE6_REMARK)
    with st.expander("The figure's values"):
        st.dataframe(tables.shown_figure6(table), hide_index=True)
        if not any(snapshot.is_alive for snapshot in runs.values()):
            offer_table(f"figure6-{scenario.network}", table)
