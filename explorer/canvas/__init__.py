"""The graph picture: an own small view on Streamlit's components v2, drawn on a canvas."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import streamlit as st

_HERE = Path(__file__).parent

_mount = st.components.v2.component(
    "pase_graph",
    html=(_HERE / "canvas.html").read_text(encoding="utf-8"),
    css=(_HERE / "canvas.css").read_text(encoding="utf-8"),
    js=(_HERE / "canvas.js").read_text(encoding="utf-8"),
)


def graph_canvas(
    picture: Mapping[str, object],
    *,
    key: str,
    on_selected: Callable[[], None],
    on_toggled: Callable[[], None],
) -> None:
    """Show a picture of a graph; zoom and selection survive a new colouring.

    Args:
        picture: as `explorer.picture.draw` makes it.
        key: of the widget; its state has, for one run after the event, `selected` or `toggled`: a
            box's id. (A lasting state would swallow a second click on the same box.)
        on_selected: called when a box is clicked or reached by the arrow keys.
        on_toggled: called when a box is to be opened.
    """
    _mount(
        data=dict(picture),
        key=key,
        on_selected_change=on_selected,
        on_toggled_change=on_toggled,
    )
