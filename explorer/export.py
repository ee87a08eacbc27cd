"""The sidebar's popover: the address, the report and the scenario to take along, and to load."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from urllib.parse import urlencode

import streamlit as st

from explorer import cached, state
from explorer.cluster_choice import restore_cluster
from explorer.labels import HELP, PAGES, plain
from explorer.limits import MAX_SCENARIO_MEGABYTES
from explorer.report import excuse, report
from explorer.scenario import Scenario
from explorer.scenario_file import Saved, ScenarioFileError, scenario_from_json, scenario_to_json
from pase_core.errors import PaseError

OWN_FILE = "own network"
"""Key of the session: the user's own network, from a file or a scenario: an id and an Upload."""

COMPLAINT = "scenario complaint"
ROUND = "scenario uploads"


def show_export(scenario: Scenario | None) -> None:
    """Draw the popover; without a scenario there is nothing to take along yet."""
    # Opening it runs the script: clicks that redraw a part of a page do not come by here.
    with st.popover(
        "Share and export", width="stretch", help=HELP["share"], key="share", on_change="rerun"
    ):
        if COMPLAINT in st.session_state:
            st.error(plain(st.session_state.pop(COMPLAINT)))
        address = _address()
        st.code(address, language=None, wrap_lines=True)
        if scenario is not None:
            _show_downloads(replace(scenario, pins=state.pins()), address)
        _show_loader()


def _address() -> str:
    """The page's address; an uploaded file does not travel with it."""
    query = urlencode(st.query_params.to_dict())
    address = (st.context.url or "").split("?")[0]
    return f"{address}?{query}" if query else address


def _show_downloads(scenario: Scenario, address: str) -> None:
    page = st.session_state.get("page") or st.query_params.get("page")
    saved = Saved(
        scenario, page if page in PAGES else next(iter(PAGES)), state.selected(), state.opened()
    )
    stem = f"{scenario.network}-{scenario.n_devices}"
    _download("Report (HTML)", f"{stem}.html", "report", partial(_report, scenario, address))
    _download(
        "Scenario (JSON)", f"{stem}.scenario.json", "scenario", partial(scenario_to_json, saved)
    )


def _download(label: str, name: str, kind: str, make: Callable[[], str]) -> None:
    """A button whose file is made when it is clicked."""
    st.download_button(
        label,
        make,
        file_name=name,
        mime="text/html" if kind == "report" else "application/json",
        on_click="ignore",
        help=HELP[kind],
        width="stretch",
        key=f"download {kind}",
    )


def _report(scenario: Scenario, address: str) -> str:
    try:
        return report(cached.comparison(scenario), address, version("pase-explorer"))
    except PaseError as error:
        return excuse(str(error), address)


def _show_loader() -> None:
    key = f"scenario file {st.session_state.setdefault(ROUND, 0)}"
    st.file_uploader(
        "Load a scenario",
        type=["json"],
        key=key,
        max_upload_size=MAX_SCENARIO_MEGABYTES,
        on_change=_load,
        args=(key,),
        help=HELP["load"],
    )


def _load(key: str) -> None:
    """Show what a file says, or why it cannot be read; start the uploader afresh."""
    file = st.session_state[key]
    if file is None:
        return
    st.session_state[ROUND] += 1
    try:
        _restore(scenario_from_json(file.getvalue(), file.name))
    except ScenarioFileError as error:
        st.session_state[COMPLAINT] = str(error)


def _restore(saved: Saved) -> None:
    """Set the widgets, which are made after this, and what has been picked."""
    scenario = saved.scenario
    st.session_state.update(
        {
            "network": scenario.network,
            "devices": scenario.n_devices,
            "batch": scenario.batch,
            "memory_limit": scenario.memory_limit,
            "min_part": scenario.min_part,
            "multiply_add": scenario.flop_per_multiply_add,
            "word_bytes": scenario.word_bytes,
            "page": saved.page,
        }
    )
    file_id = f"loaded {st.session_state[ROUND]}"
    restore_cluster(scenario, file_id)
    if scenario.upload is not None:
        st.session_state[OWN_FILE] = (file_id, scenario.upload)
    state.restore(saved.selected, saved.opened, scenario.pins)
