"""Strategies from the user's files: kept in the session, priced for the scenario at hand."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from explorer import cached
from explorer.labels import plain
from explorer.scenario import Scenario
from pase_core.errors import PaseError
from pase_core.exporters.strategy_file import MAX_FILE_BYTES, strategy_from_file
from pase_core.graph import Graph
from pase_core.pricing import price_strategies
from pase_core.strategy import PricedStrategy

MAX_FILES = 20
"""Files kept in a session; more push out the first."""

FILES = "strategy files"
ROUND = "strategy uploads"


@dataclass(frozen=True, slots=True)
class StrategyFile:
    """A file that the user gave, and the network on the page at that time."""

    network: str
    name: str
    data: bytes


@st.cache_resource(max_entries=64, show_spinner=False)
def _outcome(scenario: Scenario, file: StrategyFile) -> PricedStrategy | str:
    """The priced strategy of a file, or why there is none."""
    try:
        problem = scenario.problem()
        strategy = strategy_from_file(problem.graph, file.data, file.name)
        (priced,) = price_strategies(problem, (strategy,), cached.costs(scenario))
    except PaseError as error:
        message = str(error)
        return message if message.startswith(file.name) else f"{file.name}: {message}"
    return priced


def uploaded_strategies(scenario: Scenario, graph: Graph) -> list[PricedStrategy]:
    """Price the files given for a network; those that do not fit it are left out."""
    outcomes = (_outcome(scenario, file) for _index, file in _files(graph))
    return [outcome for outcome in outcomes if isinstance(outcome, PricedStrategy)]


def show_uploads(scenario: Scenario, graph: Graph) -> None:
    """Let files be given and removed; say what is wrong with those that do not fit."""
    key = f"strategy file {st.session_state.setdefault(ROUND, 0)}"
    st.file_uploader(
        "Strategies of your own, as CSV (layer,dimension,split) or JSON",
        type=["csv", "json"],
        accept_multiple_files=True,
        key=key,
        max_upload_size=MAX_FILE_BYTES // 1_000_000,
        on_change=_take,
        args=(key, graph.name),
        help="What a file does not split stays whole. They are kept until the browser tab is "
        "closed, and do not travel with the address.",
    )
    for index, file in _files(graph):
        text, button = st.columns([12, 1], vertical_alignment="center")
        outcome = _outcome(scenario, file)
        if isinstance(outcome, str):
            text.error(plain(outcome))
        else:
            text.markdown(plain(file.name))
        button.button("✕", key=f"remove {index}", help="Remove", on_click=_remove, args=(index,))


def _files(graph: Graph) -> list[tuple[int, StrategyFile]]:
    """The files given for a network, with their positions among all."""
    files: list[StrategyFile] = st.session_state.get(FILES, [])
    return [(i, file) for i, file in enumerate(files) if file.network == graph.name]


def _take(key: str, network: str) -> None:
    """Keep what the uploader has, and start it afresh."""
    given = [StrategyFile(network, f.name, f.getvalue()) for f in st.session_state[key] or ()]
    kept = [file for file in st.session_state.get(FILES, []) if file not in given]
    st.session_state[FILES] = [*kept, *given][-MAX_FILES:]
    st.session_state[ROUND] += 1


def _remove(index: int) -> None:
    del st.session_state[FILES][index]
