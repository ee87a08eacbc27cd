"""The editor of a cluster: a field for every figure, empty where the cluster's own counts.

The fields are bound to the address, so that changed figures travel with it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.labels import HELP, plain
from explorer.limits import FIGURE_LIMITS, allowed
from explorer.scenario import Figures, Scenario
from pase_core.cluster import FIELDS, Cluster, cluster_to_json
from pase_core.cluster_fields import PEAKS
from pase_core.cluster_words import figure_text
from pase_core.errors import ClusterError

KEYS: Mapping[str, str] = {
    "devices_per_node": "per_node",
    "memory_bytes": "memory_gb",
    "memory_bytes_per_second": "memory_gbs",
    "achievable_fraction": "achievable",
    **{field: field.rpartition(".")[2] for field in FIELDS if field.startswith(PEAKS)},
    "intra_node.bytes_per_second": "inside_gbs",
    "intra_node.latency_seconds": "inside_us",
    "inter_node.bytes_per_second": "between_gbs",
    "inter_node.latency_seconds": "between_us",
}
"""Key of each figure's widget, which is its name in the address; it hints at the unit there."""

PEAK_FIELDS = tuple(field for field in FIELDS if field.startswith(PEAKS))
LINK_FIELDS = tuple(field for field in FIELDS if "_node." in field)
OTHER_FIELDS = tuple(field for field in FIELDS if field not in (*PEAK_FIELDS, *LINK_FIELDS))

PEAK_KEYS = tuple(KEYS[field] for field in PEAK_FIELDS)


def edit_figures(scenario: Scenario) -> tuple[float | None, Figures]:
    """Draw the editor; returns the peak for all element types and the figures typed in.

    Args:
        scenario: with the cluster, and links if they are given.
    """
    with st.popover("All figures of the cluster", width="stretch"):
        st.caption(HELP["figures"])
        base = scenario.machine()
        figures = _edit("Links", LINK_FIELDS, base)
        tera_flops, peaks = _edit_peaks(scenario)
        figures |= peaks | _edit("Node and memory", OTHER_FIELDS, base)
        given = tuple((field, figures[field]) for field in FIELDS if field in figures)
        _offer(replace(scenario, tera_flops=tera_flops, figures=given))
    return tera_flops, given


def _edit_peaks(scenario: Scenario) -> tuple[float | None, dict[str, float]]:
    """The peak for all element types, and those typed in for one."""
    st.markdown("**Arithmetic of one device**")
    columns = st.columns(2)
    with columns[0]:
        tera_flops = _choose_peak()
    cluster = replace(scenario, tera_flops=tera_flops).machine()
    return tera_flops, _fields(PEAK_FIELDS, cluster, columns[::-1])


def _choose_peak() -> float | None:
    limits = FIGURE_LIMITS["tera_flops"]
    return st.number_input(
        "Peak in every type [TFLOP/s]",
        *limits,
        None,
        step=1.0,
        format="%.6g",
        key="tera_flops",
        help=f"{HELP['tera_flops']} {allowed(limits)}",
        placeholder="as below",
        on_change=forget_figures,
        args=(PEAK_KEYS,),
        bind="query-params",
    )


def _edit(title: str, fields: Collection[str], cluster: Cluster) -> dict[str, float]:
    """Fields for some figures, two in a row; returns those typed in, in SI base units."""
    st.markdown(f"**{title}**")
    return _fields(fields, cluster, st.columns(2))


def _fields(
    fields: Collection[str], cluster: Cluster, columns: Sequence[DeltaGenerator]
) -> dict[str, float]:
    """Fields that fill columns in turn; returns the figures typed in, in SI base units."""
    typed: dict[str, float] = {}
    for place, field in enumerate(fields):
        with columns[place % len(columns)]:
            figure = _field(field, cluster)
        if figure is not None:
            typed[field] = FIELDS[field].from_shown(figure)
    return typed


def _field(name: str, cluster: Cluster) -> float | None:
    """One figure, in its unit for people; None if the cluster's own counts."""
    field = FIELDS[name]
    source = dict(cluster.sources).get(name, "no source given")
    absent = cluster.figure(name) is None
    about = "" if absent else f"\n\nHere {figure_text(cluster, name)}: {plain(source)}."
    least, most = map(int, field.limits) if field.is_count else field.limits
    return st.number_input(
        field.title,
        least,
        most,
        None,
        step=1 if field.is_count else 1.0,
        format=None if field.is_count else "%.6g",
        key=KEYS[name],
        help=f"{field.meaning} {allowed(field.limits)}{about}",
        placeholder=_own_text(name, cluster),
        bind="query-params",
    )


def _own_text(name: str, cluster: Cluster) -> str:
    """The cluster's own figure without its unit; of a peak it lacks, what stands in for it."""
    figure, prefix = cluster.figure(name), ""
    if figure is None:
        prefix = "wider type: "
        try:
            figure = cluster.flop_per_second(name.rpartition(".")[2])
        except ClusterError:
            return "none"
    return f"{prefix}{FIELDS[name].to_shown(figure):.6g}"


def _offer(scenario: Scenario) -> None:
    """The cluster as a file, and the way back."""
    left, right = st.columns(2)
    cluster = scenario.machine()
    left.download_button(
        "Cluster (JSON)",
        lambda: cluster_to_json(cluster),
        file_name=f"{cluster.name}.json",
        mime="application/json",
        on_click="ignore",
        help=HELP["cluster_json"],
        width="stretch",
        key="download cluster",
    )
    right.button(
        "Empty all fields",
        on_click=forget_figures,
        args=(("tera_flops", "giga_bytes", *KEYS.values()),),
        disabled=not scenario.has_given_figures,
        help="Back to the cluster's own figures.",
        width="stretch",
        key="empty fields",
    )


def forget_figures(keys: Collection[str]) -> None:
    """Give figures back to the cluster, by the keys of their widgets."""
    for key in keys:
        st.session_state[key] = None
