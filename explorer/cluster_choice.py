"""The sidebar's part about the cluster: a preset or a file, the links at hand, all other figures.

What is typed stands in place of the chosen cluster's own figures. Where two fields say something
about the same figure, the last one that was typed into counts.
"""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from explorer.cluster_editor import KEYS, edit_figures, forget_figures
from explorer.labels import HELP, plain
from explorer.limits import FIGURE_LIMITS, allowed
from explorer.scenario import OWN_CLUSTER, Scenario
from pase_core.cluster import FIELDS, Cluster, cluster_from_json, preset_names
from pase_core.cluster_words import given_texts
from pase_core.errors import PaseError

OWN = "own cluster"
"""Key of the session: the user's own cluster, from a file or a scenario: an id and a Cluster."""

COMPLAINT = "cluster complaint"
"""Key of the session: what is wrong with the cluster's file; the page says it."""

LINK_KEYS = (KEYS["intra_node.bytes_per_second"], KEYS["inter_node.bytes_per_second"])
EDITED_KEYS = ("tera_flops", *KEYS.values())
"""Keys of all fields of the editor; they are empty where the cluster's own figure counts."""


def choose_cluster(scenario: Scenario) -> Scenario:
    """Draw the cluster's widgets; the scenario with what they say, perhaps a file still awaited."""
    names = (*preset_names(), OWN_CLUSTER)
    name = st.selectbox(
        "Cluster",
        names,
        names.index(Scenario().cluster),
        key="cluster",
        help=HELP["cluster"],
        on_change=forget_figures,
        args=(EDITED_KEYS,),
        bind="query-params",
    )
    own = _choose_file() if name == OWN_CLUSTER else None
    scenario = replace(scenario, cluster=name, own_cluster=own)
    if scenario.awaits_cluster:
        return scenario
    base = scenario.machine()
    st.caption(plain(base.title))
    scenario = replace(scenario, giga_bytes=_choose_link(base))
    tera_flops, figures = edit_figures(scenario)
    scenario = replace(scenario, tera_flops=tera_flops, figures=figures)
    _say_what_is_given(scenario)
    return scenario


def _choose_link(base: Cluster) -> float | None:
    """Both links at once, in sight: what is changed most often."""
    limits = FIGURE_LIMITS["giga_bytes"]
    return st.number_input(
        "Link bandwidth [GB/s]",
        *limits,
        None,
        format="%.6g",
        key="giga_bytes",
        help=f"{HELP['giga_bytes']} {allowed(limits)}",
        step=1.0,
        placeholder=_own_links(base),
        on_change=forget_figures,
        args=(LINK_KEYS,),
        bind="query-params",
    )


def _own_links(base: Cluster) -> str:
    """Both bandwidths in GB/s, short enough for the field."""
    inside, beyond = (
        f"{link.bytes_per_second / 1e9:.4g}" for link in (base.intra_node, base.inter_node)
    )
    return inside if inside == beyond else f"{inside} inside, {beyond} beyond"


def _say_what_is_given(scenario: Scenario) -> None:
    """Figures that stand in place of the cluster's, which nothing else in sight would tell."""
    if scenario.has_given_figures:
        given = ", ".join(given_texts(scenario.machine()))
        st.caption(plain(f"In place of the cluster's own figures: {given}."))
        st.button(
            "Back to the cluster's figures",
            on_click=forget_figures,
            args=(("giga_bytes", *EDITED_KEYS),),
            type="tertiary",
        )


def set_link(giga_bytes: float | None) -> None:
    """Set the bandwidth of both links, in GB/s; None gives them back to the cluster."""
    forget_figures(LINK_KEYS)
    st.session_state["giga_bytes"] = giga_bytes


def awaits_cluster() -> bool:
    """True while the user's own cluster is chosen, and there is none yet."""
    return st.session_state.get("cluster") == OWN_CLUSTER and OWN not in st.session_state


def _choose_file() -> Cluster | None:
    file = st.file_uploader(
        "Cluster as JSON",
        type=["json"],
        key="cluster_file",
        max_upload_size=1,
        on_change=_take_file,
        help=HELP["cluster_file"],
    )
    if COMPLAINT in st.session_state:
        st.caption("This is no cluster that can be read.")  # the page has room to say why
    if OWN not in st.session_state:
        return None
    cluster: Cluster
    file_id, cluster = st.session_state[OWN]
    # It came with a scenario, or other clusters were looked at meanwhile.
    if file is None or file.file_id != file_id:
        st.caption(f"In use: {plain(cluster.name)}")
    return cluster


def _take_file() -> None:
    """Keep a cluster for the session, or what is wrong with its file."""
    file = st.session_state["cluster_file"]
    for key in (OWN, COMPLAINT):
        st.session_state.pop(key, None)
    if file is None:
        return
    try:
        cluster = cluster_from_json(file.getvalue(), file.name)
    except PaseError as error:
        st.session_state[COMPLAINT] = str(error)
        return
    st.session_state[OWN] = (file.file_id, cluster)
    forget_figures(("giga_bytes", *EDITED_KEYS))


def restore_cluster(scenario: Scenario, file_id: str) -> None:
    """Set the widgets, which are made after this, to what a scenario says."""
    forget_figures(EDITED_KEYS)
    st.session_state.pop(COMPLAINT, None)
    if scenario.own_cluster is not None:
        st.session_state[OWN] = (file_id, scenario.own_cluster)
    st.session_state.update(
        {
            "cluster": scenario.cluster,
            "giga_bytes": scenario.giga_bytes,
            "tera_flops": scenario.tera_flops,
            **{KEYS[field]: FIELDS[field].to_shown(figure) for field, figure in scenario.figures},
        }
    )
