"""Clicks on charts and rows: each is taken once, before anything is drawn with the selection.

A widget keeps reporting its last click for as long as it stays the same. What it reported before is
remembered, so that only news select, whatever they were made on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import streamlit as st

from explorer import state
from explorer.history import has_gone_back


def take(charts: Iterable[str], table: str | None = None) -> bool:
    """Select what was clicked since the last run; nothing changes where nothing was hit.

    Call it before anything is drawn: then all is drawn once, with the new selection.

    Args:
        charts: keys of charts whose customdata begins with a name, or of those in `remember`.
        table: key of a table with `mark_row`. A report that comes together with a chart's may be
            older than the mark that the chart's last click has set, and does not count.

    Returns:
        True if something on a chart was selected.
    """
    has_news = has_hit = False
    for key in charts:
        names = _clicked_names(key)
        is_news = _take(key, names)
        has_news |= is_news
        has_hit |= is_news and bool(names)
    if table is not None and not has_news:
        _take(table, _clicked_rows(table))
    return has_hit


def _take(key: str, names: Sequence[str]) -> bool:
    """Select the first name, if the names are news; say if they are.

    What comes together with Back or Forward is a click from before, and does not count.
    """
    is_news: bool = list(names) != st.session_state.get(f"seen {key}", []) and not has_gone_back()
    if is_news and names:
        state.select(names[0])
    st.session_state[f"seen {key}"] = list(names)
    return is_news


def _clicked_names(key: str) -> list[str]:
    event = st.session_state.get(key)
    points = event["selection"]["points"] if event else []
    names = st.session_state.get(f"points of {key}", ())
    found = [
        point["customdata"][0] if "customdata" in point else names[point["point_number"]]
        for point in points
        if "customdata" in point or point["point_number"] < len(names)
    ]
    return list(filter(None, found))


def _clicked_rows(key: str) -> list[str]:
    event = st.session_state.get(key)
    names = st.session_state.get(f"rows of {key}", ())
    rows = event["selection"]["rows"] if event else []
    return [names[row] for row in rows if row < len(names)]


def remember(charts: Iterable[str], points: Mapping[str, Sequence[str]] | None = None) -> None:
    """Note what charts report once they are drawn: a chart that has changed reports nothing.

    Args:
        charts: their keys.
        points: by key, the names of a chart's points, where events come without customdata.
    """
    for key, names in (points or {}).items():
        st.session_state[f"points of {key}"] = tuple(names)
    for key in charts:
        st.session_state[f"seen {key}"] = _clicked_names(key)


def mark_row(key: str, names: Sequence[str], chosen: Collection[str]) -> None:
    """Mark the selected layer's row in a table that is drawn next.

    Args:
        key: of the table.
        names: of the layers in its rows.
        chosen: the selected layers; several together are a module, which has no row.
    """
    rows = [row for row, name in enumerate(names) if name in chosen] if len(chosen) == 1 else []
    st.session_state[f"rows of {key}"] = tuple(names)
    st.session_state[f"seen {key}"] = [names[row] for row in rows]
    event = st.session_state.get(key)
    if (event["selection"]["rows"] if event else []) != rows:
        st.session_state[key] = {"selection": {"rows": rows, "columns": [], "cells": []}}


def ink_and_paper() -> tuple[str, str]:
    """Colour of lines that mark something, and of the page behind them."""
    return ("#FAFAFA", "#171614") if st.context.theme.type == "dark" else ("#111111", "#FFFFFF")
