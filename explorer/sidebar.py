"""The sidebar: widgets for the scenario, bound to the address."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar
from urllib.parse import urlencode

import streamlit as st

from explorer import state
from explorer.labels import HELP, MODELLED, plain
from explorer.scenario import UPLOAD, Scenario, Upload
from pase_core.cluster import preset, preset_names
from pase_core.sources import default_min_part
from sample_graphs import SAMPLES

DEVICE_COUNTS = (
    1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024,
)  # fmt: skip

MAX_UPLOAD_MEGABYTES = 200

DEFAULT = Scenario()

Number = TypeVar("Number", int, float)


def choose_scenario() -> Scenario | None:
    """Draw the sidebar; return the scenario, or None while a file is still awaited."""
    with st.sidebar:
        network = _choose_network()
        upload = _choose_file() if network == UPLOAD else None
        batch = _optional("Batch size", "batch", (1, 2**24), _own_batch(network))
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
        _share()
        st.caption(MODELLED)
    return None if network == UPLOAD and upload is None else scenario


def _share() -> None:
    """The page's address, to be copied; an uploaded file does not travel with it."""
    query = urlencode(st.query_params.to_dict())
    address = (st.context.url or "").split("?")[0]
    with st.popover("Share", width="stretch", help=HELP["share"]):
        st.code(f"{address}?{query}" if query else address, language=None, wrap_lines=True)


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
        on_change=state.forget,
    )
    if file is None:
        return None
    names = st.session_state.get("open sizes", {}).get(file.file_id, ())
    sizes = {
        name: st.number_input(
            f"Size of {plain(name)}", 1, 2**30, None, key=f"{file.file_id} {name}"
        )
        for name in names
    }
    given = tuple((name, size) for name, size in sizes.items() if size is not None)
    return Upload(file.name, file.getvalue(), given)


def _own_batch(network: str) -> str:
    return str(SAMPLES[network].batch) if network in SAMPLES else "the file's own"


def _choose_figures(scenario: Scenario) -> Scenario:
    """Figures of the cost model that most people leave alone."""
    return replace(
        scenario,
        min_part=_optional(
            "Smallest part", "min_part", (1, 4096), str(default_min_part(scenario.network))
        ),
        flop_per_multiply_add=st.selectbox(
            "FLOP per multiply-add",
            (1, 2),
            1,
            key="multiply_add",
            help=HELP["flop_per_multiply_add"],
            bind="query-params",
        ),
        word_bytes=_optional("Bytes per word", "word_bytes", (1, 16), "the element type's"),
        tera_flops=_optional(
            "Peak of a device [TFLOP/s]", "tera_flops", (1e-3, 1e6), "the cluster's"
        ),
        giga_bytes=_optional("Link [GB/s]", "giga_bytes", (1e-6, 1e6), "the cluster's"),
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
