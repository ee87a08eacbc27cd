"""Entry of the explorer: page config, sidebar, the choice of a page."""

from __future__ import annotations

import importlib
from pathlib import Path

import streamlit as st

from explorer import cached, state
from explorer.fitting import show_limit
from explorer.history import keep_history
from explorer.labels import PAGES, TITLE
from explorer.pinned import show_pins
from explorer.sidebar import choose_scenario

st.set_page_config(page_title=TITLE, page_icon="🧩", layout="wide")
st.html(Path(__file__).with_name("style.css"))
keep_history()
state.follow_address()
st.sidebar.markdown(f"## {TITLE}")
st.session_state["scenario"] = choose_scenario()
# All pages share one path: a link to a path of its own makes streamlit ask for files that are not
# there, and a change of path drops the rest of the address.
page = st.segmented_control(
    "Page",
    list(PAGES),
    default=next(iter(PAGES)),
    required=True,
    key="page",
    label_visibility="collapsed",
    bind="query-params",
)
try:
    show_pins()
    show_limit()
    importlib.import_module(f"explorer.views.{PAGES[page]}").show()
finally:  # a page that has nothing to show yet stops the script
    cached.warm_up()
