"""The sidebar: widgets for the scenario, bound to the address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

import streamlit as st

from explorer import state
from explorer.export import LOADED, show_export
from explorer.labels import HELP, MODELLED, plain
from explorer.limits import (
    COUNT_LIMITS,
    DEVICE_COUNTS,
    FIGURE_LIMITS,
    MAX_UPLOAD_MEGABYTES,
    MULTIPLY_ADD,
)
from explorer.scenario import UPLOAD, Scenario, Upload
from pase_core.cluster import preset, preset_names
from pase_core.sources import default_min_part
from sample_graphs import SAMPLES

DEFAULT = Scenario()

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
        names = preset_names()
        cluster = st.selectbox(
            "Cluster",
            names,
            names.index(DEFAULT.cluster),
            key="cluster",
            help=HELP["cluster"],
            bind="query-params",
        )
        st.caption(preset(cluster).title)
        scenario = Scenario(network, upload, n_devices, cluster, batch)
        with st.expander("Cost model"):
            scenario = _choose_figures(scenario)
        known = None if network == UPLOAD and upload is None else scenario
        show_export(known)
        st.caption(MODELLED)
    return known


def _choose_network() -> str:
    options = [*SAMPLES, UPLOAD]
    # The box reads and writes its titles in the address; take the command line's names as well.
    asked = st.query_params.get("network")
    if asked in SAMPLES and "network" not in st.session_state:
        st.query_params["network"] = SAMPLES[asked].title
        st.rerun()
    return st.selectbox(
        "Network",
        options,
        options.index(DEFAULT.network),
        key="network",
        help=HELP["network"],
        format_func=lambda name: SAMPLES[name].title if name in SAMPLES else "Your own file",
        on_change=state.forget,
        bind="query-params",
    )


def _choose_file() -> Upload | None:
    file = st.file_uploader(
        "Graph as JSON or ONNX",
        type=["json", "onnx"],
        key="file",
        max_upload_size=MAX_UPLOAD_MEGABYTES,
        on_change=_forget_file,
    )
    if LOADED in st.session_state:
        upload: Upload
        file_id, upload = st.session_state[LOADED]
        st.caption(f"From the scenario loaded: {plain(upload.name)}")
        return replace(upload, bindings=_choose_sizes(file_id, dict(upload.bindings)))
    if file is None:
        return None
    return Upload(file.name, file.getvalue(), _choose_sizes(file.file_id, {}))


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
        )
        for name in names
    }
    return tuple((name, size) for name, size in sizes.items() if size is not None)


def _forget_file() -> None:
    """Another file was given: drop what belongs to the one before."""
    st.session_state.pop(LOADED, None)
    state.forget()


def _own_batch(network: str) -> str:
    return str(SAMPLES[network].batch) if network in SAMPLES else "the file's own"


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
        tera_flops=_optional(
            "Peak of a device [TFLOP/s]", "tera_flops", FIGURE_LIMITS["tera_flops"], "the cluster's"
        ),
        giga_bytes=_optional(
            "Link [GB/s]", "giga_bytes", FIGURE_LIMITS["giga_bytes"], "the cluster's"
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
        help=HELP[key],
        placeholder=placeholder,
        bind="query-params",
    )
