"""The sidebar: widgets for the scenario, bound to the address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

import streamlit as st

from explorer import state
from explorer.cluster_choice import choose_cluster
from explorer.export import OWN_FILE, show_export
from explorer.history import has_gone_back
from explorer.labels import HELP, MODELLED, plain
from explorer.limits import (
    COUNT_LIMITS,
    DEVICE_COUNTS,
    FIGURE_LIMITS,
    MAX_UPLOAD_MEGABYTES,
    MULTIPLY_ADD,
    allowed,
)
from explorer.scenario import UPLOAD, Scenario, Upload
from pase_core.sources import default_min_part
from sample_graphs import SAMPLES

DEFAULT = Scenario()

NETWORKS = {name: sample.title for name, sample in SAMPLES.items()} | {UPLOAD: "Your own file"}
"""Titles of the networks to choose from, by name."""

Number = TypeVar("Number", int, float)


def choose_scenario() -> Scenario | None:
    """Draw the sidebar; return the scenario, or None while a file is still awaited."""
    with st.sidebar:
        network = _choose_network()
        upload = _choose_file() if network == UPLOAD else None
        batch = _optional("Batch size", "batch", COUNT_LIMITS["batch"], _own_batch(network))
        n_devices = st.select_slider(
            "Devices",
            DEVICE_COUNTS,
            DEFAULT.n_devices,
            key="devices",
            help=HELP["devices"],
            bind="query-params",
        )
        scenario = choose_cluster(Scenario(network, upload, n_devices, batch=batch))
        scenario = replace(scenario, memory_limit=_choose_limit())
        with st.expander("Cost model"):
            scenario = _choose_figures(scenario)
        known = None if scenario.awaits_network or scenario.awaits_cluster else scenario
        show_export(known)
        st.caption(MODELLED)
    return known


def _choose_network() -> str:
    """The network's name. Not bound: the address has the command line's names, not titles."""
    if "network" not in st.session_state or has_gone_back():
        st.session_state["network"] = _asked_network()
    name = st.selectbox(
        "Network",
        list(NETWORKS),
        key="network",
        help=HELP["network"],
        format_func=NETWORKS.__getitem__,
        on_change=_change_network,
    )
    _note_network(name)
    return name


def _asked_network() -> str:
    """The network in the address, by its name or its title; nonsense counts as none."""
    asked = st.query_params.get("network", "")
    names = {title: name for name, title in NETWORKS.items()}
    return asked if asked in NETWORKS else names.get(asked, DEFAULT.network)


def _note_network(name: str) -> None:
    """Put a network into the address, if it is not there."""
    if name != _asked_network():
        st.query_params["network"] = name


def _change_network() -> None:
    """Drop what belongs to the network before, after noting the new one: one entry for both."""
    _note_network(st.session_state["network"])
    state.forget()


def _choose_file() -> Upload | None:
    file = st.file_uploader(
        "Graph as JSON or ONNX",
        type=["json", "onnx"],
        key="file",
        max_upload_size=MAX_UPLOAD_MEGABYTES,
        on_change=_take_file,
    )
    if OWN_FILE not in st.session_state:
        return None
    upload: Upload
    file_id, upload = st.session_state[OWN_FILE]
    # It came with a scenario, or other networks were looked at meanwhile.
    if file is None or file.file_id != file_id:
        st.caption(f"In use: {plain(upload.name)}")
    return replace(upload, bindings=_choose_sizes(file_id, dict(upload.bindings)))


def _choose_sizes(file_id: str, known: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    """Sizes of the dimensions that a file leaves open, at first those known."""
    st.session_state["file id"] = file_id
    names = dict.fromkeys((*known, *st.session_state.get("open sizes", {}).get(file_id, ())))
    sizes = {
        name: st.number_input(
            f"Size of {plain(name)}",
            *COUNT_LIMITS["size"],
            known.get(name),
            key=f"{file_id} {name}",
            help=allowed(COUNT_LIMITS["size"]),
            persist_state="session",
        )
        for name in names
    }
    return tuple((name, size) for name, size in sizes.items() if size is not None)


def _take_file() -> None:
    """Keep a file for the session: the uploader loses it when another network is chosen."""
    file = st.session_state["file"]
    st.session_state.pop(OWN_FILE, None)
    if file is not None:
        st.session_state[OWN_FILE] = (file.file_id, Upload(file.name, file.getvalue()))
    state.forget()


def _own_batch(network: str) -> str:
    return str(SAMPLES[network].batch) if network in SAMPLES else "the file's own"


def _choose_limit() -> float | None:
    """Most GB per device; the page Frontier sets it too."""
    return _optional("Memory limit [GB]", "memory_limit", FIGURE_LIMITS["memory_limit"], "none")


def _choose_figures(scenario: Scenario) -> Scenario:
    """Figures of the cost model that most people leave alone."""
    return replace(
        scenario,
        min_part=_optional(
            "Smallest part",
            "min_part",
            COUNT_LIMITS["min_part"],
            str(default_min_part(scenario.network)),
        ),
        flop_per_multiply_add=st.selectbox(
            "FLOP per multiply-add",
            MULTIPLY_ADD,
            1,
            key="multiply_add",
            help=HELP["flop_per_multiply_add"],
            bind="query-params",
        ),
        word_bytes=_optional(
            "Bytes per word", "word_bytes", COUNT_LIMITS["word_bytes"], "the element type's"
        ),
    )


def _optional(
    label: str, key: str, limits: tuple[Number, Number], placeholder: str
) -> Number | None:
    """A number that may be left empty; bound to the address."""
    return st.number_input(
        label,
        *limits,
        None,
        key=key,
        help=f"{HELP[key]} {allowed(limits)}",
        placeholder=placeholder,
        bind="query-params",
    )
