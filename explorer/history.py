"""Back and Forward: which changes of the address make an entry in the browser's history.

Streamlit follows Back and Forward by itself: it runs the script again and takes the widgets that
are bound to the address from there. It only makes the entries in other places than a reader would:
a widget overwrites the last entry, and everything else that the script writes makes a new one. The
script below sets that right; what the session holds beside the widgets is read again by
`explorer.state.follow_address`.
"""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

SCRIPT = """
const PARTS = ["page", "network", "devices", "layer"];
const TOGETHER = 250; // ms: what one click changes may come in several messages

function isNews(address) {
  const now = new URL(window.location.href).searchParams;
  const next = new URL(address ?? window.location.href, window.location.href).searchParams;
  return PARTS.some((part) => now.get(part) !== next.get(part));
}

export default function () {
  const { history } = window;
  if (history.pushState.isOfExplorer) return;
  const { pushState, replaceState } = history;
  let latest = 0;
  const write = (state, title, address) => {
    const isEntry = isNews(address) && Date.now() - latest > TOGETHER;
    if (isEntry) latest = Date.now();
    (isEntry ? pushState : replaceState).call(history, state, title, address);
  };
  write.isOfExplorer = true;
  history.pushState = history.replaceState = write;
}
"""
"""Makes a new entry if page, network, devices or selection change, and no other."""

_mount = st.components.v2.component("pase_history", js=SCRIPT)


def keep_history() -> None:
    """Have the browser keep an entry for every change that Back should undo."""
    with st.container(key="history"):  # which the style sheet hides
        _mount(key="history of addresses")


def has_gone_back() -> bool:
    """True in a run that was started by Back or Forward: then the address is right."""
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation
