"""Entry of the explorer: page config, sidebar, navigation."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from explorer import cached
from explorer.labels import TITLE
from explorer.sidebar import choose_scenario

st.set_page_config(page_title=TITLE, page_icon="🧩", layout="wide")
page = st.navigation([st.Page("views/overview.py", title="Overview", default=True)])
st.html(Path(__file__).with_name("style.css"))
st.sidebar.markdown(f"## {TITLE}")
st.session_state["scenario"] = choose_scenario()
page.run()
cached.warm_up()
