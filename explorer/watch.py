"""Runs as pages see them: the server's registry, how far they are, a button that ends them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import streamlit as st

from explorer.labels import plain
from explorer.runs import Registry
from explorer.snapshots import Snapshot, progress_of

POLL_SECONDS = 0.4
"""Time between two looks at a run."""


@st.cache_resource(show_spinner=False)
def registry() -> Registry:
    """The runs of this server."""
    return Registry()


def look(keys: Iterable[str]) -> list[Snapshot]:
    """Runs as they are now; those that are not known any more are left out."""
    found = (registry().snapshot(key) for key in keys)
    return [snapshot for snapshot in found if snapshot is not None]


def _stop(keys: Sequence[str]) -> None:
    for key in keys:
        registry().stop(key)


def show_progress(snapshots: Sequence[Snapshot], go_on: Callable[[list[str]], None]) -> None:
    """How far runs are, and a button that ends them or goes on.

    Args:
        snapshots: the runs.
        go_on: called with their keys to go on with those that were stopped.
    """
    share, text = progress_of(snapshots)
    keys = [snapshot.key for snapshot in snapshots]
    if any(snapshot.is_alive for snapshot in snapshots):
        bar, button = st.columns([7, 2], vertical_alignment="center")
        bar.progress(share, text)
        button.button("Stop the searches", on_click=_stop, args=(keys,), width="stretch")
    elif share < 1.0:
        message, button = st.columns([7, 2], vertical_alignment="center")
        message.info(plain(text))
        button.button("Go on", on_click=go_on, args=(keys,), width="stretch")
