"""Learn, first section: an elimination, step by step, on a picture of the graph."""

from __future__ import annotations

import time
from html import escape

import streamlit as st

from explorer import tables
from explorer.canvas import graph_canvas
from explorer.learn.texts import ORDERING_HELP, ORDERINGS, RECURRENCE, STEPS_INTRO
from explorer.lessons import Subject, first_title, subjects
from explorer.plots.growth import step_sizes
from explorer.scenario import Scenario
from explorer.shared import drop_unknown, show_chart
from explorer.step_picture import draw_step
from explorer.tables.learn import STATES, Steps
from pase_core.search.growth import grow

STEP, MODULE, CANVAS = "step", "module", "learn picture"

PLAYING, TURNED, NETWORK = "learn playing", "learn turned", "learn network"

SECONDS_PER_STEP = 1.5

HEIGHT = 560


def show(scenario: Scenario, title: str) -> None:
    """Show the section.

    Args:
        scenario: without pins.
        title: the network's name for people.
    """
    st.markdown(STEPS_INTRO)
    if st.session_state.setdefault(NETWORK, title) != title:
        st.session_state[NETWORK] = title
        _rewind()
    subject, ordering = _choose_subject(subjects(scenario, title))
    steps = grow(subject.skeleton.neighbours, subject.skeleton.n_choices, ordering)
    is_playing = st.session_state.get(PLAYING, False)
    st.fragment(_show_steps, run_every=SECONDS_PER_STEP if is_playing else None)(subject, steps)
    with st.expander("The recurrence behind it"):
        st.markdown(RECURRENCE)


def _choose_subject(found: dict[str, Subject]) -> tuple[Subject, str]:
    titles = list(found)
    drop_unknown(MODULE, titles)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        title = st.selectbox(
            "Eliminate",
            titles,
            titles.index(first_title(found)),
            key=MODULE,
            bind="query-params",
            on_change=_rewind,
        )
        ordering = st.segmented_control(
            "Ordering",
            list(ORDERINGS),
            default="generateseq",
            required=True,
            format_func=ORDERINGS.__getitem__,
            key="ordering",
            bind="query-params",
            help=ORDERING_HELP,
            on_change=_rewind,
        )
    return found[title], ordering


def _rewind() -> None:
    st.session_state[STEP] = 1
    st.session_state[PLAYING] = False


def _move(by: int) -> None:
    st.session_state[STEP] += by
    st.session_state[PLAYING] = False


def _advance(n_steps: int) -> None:
    """While playing, take the next step when its time has come; stop at the last one."""
    now = time.monotonic()
    if not st.session_state.get(PLAYING) or now - st.session_state[TURNED] < SECONDS_PER_STEP / 2:
        return
    st.session_state[TURNED] = now
    st.session_state[STEP] = min(n_steps, st.session_state[STEP] + 1)
    if st.session_state[STEP] == n_steps:
        st.session_state[PLAYING] = False
        st.rerun()


def _toggle_playing(n_steps: int) -> None:
    st.session_state[PLAYING] = not st.session_state.get(PLAYING, False)
    st.session_state[TURNED] = time.monotonic()
    if st.session_state[PLAYING] and st.session_state[STEP] == n_steps:
        st.session_state[STEP] = 1


def _show_steps(subject: Subject, steps: Steps) -> None:
    """The step's picture, words and chart; moving on redraws these only."""
    n_steps = len(steps)
    st.session_state[STEP] = min(n_steps, max(1, st.session_state.get(STEP, _asked_step())))
    _advance(n_steps)
    current = _choose_step(n_steps) - 1
    names = [subject.short_name(layer) for layer in range(n_steps)]
    picture, words = st.columns([2, 1])
    with picture:
        graph_canvas(
            draw_step(subject, steps, current, HEIGHT),
            key=CANVAS,
            on_selected=lambda: _jump(subject, steps, st.session_state[CANVAS].selected),
            on_toggled=lambda: _jump(subject, steps, st.session_state[CANVAS].toggled),
        )
        st.caption(
            "Click a layer to go to its step. Thick arrows belong to the current table. Drag to "
            "move, wheel to zoom."
        )
    with words:
        head, *sentences = tables.step_words(subject.skeleton, steps, current, names)
        st.html(f"<h4>{escape(head)}</h4>" + "".join(f"<p>{escape(s)}</p>" for s in sentences))
        show_chart(
            step_sizes(
                tables.growth_table(subject.skeleton, steps),
                current,
                (STATES["done"], STATES["eliminated now"], STATES["waiting"]),
            ),
            key="learn sizes",
            alt=f"Entries of the table at each of {n_steps} steps; {head}",
        )


def _asked_step() -> int:
    """The step in the address; nonsense there counts as the first."""
    text = st.query_params.get(STEP, "")
    return int(text) if text.isdecimal() and len(text) < 9 else 1


def _choose_step(n_steps: int) -> int:
    """Buttons and slider."""
    is_playing = st.session_state.get(PLAYING, False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        step = st.session_state[STEP]
        st.button("Previous", on_click=_move, args=(-1,), disabled=step == 1)
        st.button("Next", on_click=_move, args=(1,), disabled=step == n_steps)
        if st.button("Pause" if is_playing else "Play", type="primary", key="learn play"):
            _toggle_playing(n_steps)
            st.rerun()
        return st.slider("Step", 1, n_steps, key=STEP, bind="query-params") if n_steps > 1 else 1


def _jump(subject: Subject, steps: Steps, name: str) -> None:
    """Go to the step that eliminates the clicked layer."""
    order = [subject.skeleton.names[step.vertex] for step in steps]
    if name in order:
        st.session_state[STEP] = order.index(name) + 1
        st.session_state[PLAYING] = False
