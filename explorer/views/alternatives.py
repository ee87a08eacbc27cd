"""Alternatives: how sure the answer is, and how much worse everything else."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from explorer import best_strategies, cached, picks, state, tables
from explorer.downloads import offer_table
from explorer.labels import MODELLED, SPLIT_COLOURS, plain
from explorer.plots.choices import choice_dots
from explorer.plots.freedom import freedom_bars
from explorer.plots.regret import regret_grid
from explorer.regret_scale import percent_text
from explorer.scenario import Scenario
from explorer.shared import current_comparison, current_scenario, show_chart
from explorer.tables.freedom import freedom_sentence, freedom_table
from explorer.tables.regret import (
    READINGS,
    choice_sentence,
    choice_table,
    dearest_position,
    module_to_open,
    regret_cells,
    regret_rows,
    rows_note,
)
from pase_core.alternatives import Regrets
from pase_core.errors import PaseError
from pase_core.outline import Outline, outline
from pase_core.solve import Comparison
from pase_core.units import count

MAP, FREEDOM = "regret map", "freedom"

CHARTS = (MAP, FREEDOM, best_strategies.RANKING)

SHARES = (
    *(0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 30.0, 50.0),
    *(100.0, 200.0, 500.0, 1000.0),
)
"""Per cent above the optimum to choose from."""

MAP_HEIGHT = 780

HELP = {
    "within": "Counted are the configurations of one layer that some whole strategy uses which "
    "costs at most so much more than the optimum; all other layers are then chosen anew.",
    "map": "Regret: what the best whole strategy costs above the optimum if the dimension is "
    "split, or left whole, and all else is chosen anew. Exact. Click a cell to select its layer.",
    "freedom": "A bar per layer: how many of its configurations stay within the share above. The "
    "line is the number of all its configurations. Click a bar to select its layer.",
    "choices": "Every configuration of the layer by its regret: what the best whole strategy with "
    "it costs above the optimum. Hover for the split.",
}
"""What each part of the page shows."""


@st.fragment
def show_alternatives(scenario: Scenario, comparison: Comparison, regrets: Regrets) -> None:
    """Show the sentence and the charts; a click redraws these only."""
    picks.take(CHARTS)
    boxes = outline(comparison.solution.problem.graph, state.opened())
    layers = tables.layer_table(comparison)
    chosen = tables.selected_layers(list(layers["layer"]), boxes, state.selected())
    within = _show_freedom(regrets, set(layers["layer"].iloc[list(chosen)]))
    left, right = st.columns((5, 3), gap="medium")
    with left:
        _show_map(comparison, regrets, layers, boxes, chosen)
    with right:
        _show_choices(comparison, regrets, layers, chosen, within)
    best_strategies.show(scenario)
    picks.remember(CHARTS)


def _show_freedom(regrets: Regrets, marked: set[str]) -> float:
    """The answer at a glance, and the layers behind it; returns the share that was chosen."""
    sentence = st.container()
    percent = st.select_slider(
        "Strategies that cost at most so much more than the optimum",
        SHARES,
        value=1.0,
        format_func=lambda each: percent_text(each / 100),
        key="within",
        help=HELP["within"],
        bind="query-params",
    )
    share = percent / 100
    table = freedom_table(regrets, share)
    sentence.markdown(f"### {freedom_sentence(table, share)}")
    n_pinned = int(table["is_pinned"].sum())
    if n_pinned:
        st.info(
            f"{count(n_pinned, 'layer is', 'layers are')} pinned. The optimum here is the best "
            "strategy with the pins, and all regrets are measured from it."
        )
    st.markdown("##### How free each layer is", help=HELP["freedom"])
    show_chart(
        freedom_bars(
            table,
            f"within {percent_text(share)}" if share else "as good as the optimum",
            marked=marked,
            ink=picks.ink_and_paper()[0],
        ),
        key=FREEDOM,
        alt=f"Number of configurations of each layer within {percent_text(share)} of the optimum",
        is_selectable=True,
    )
    return share


def _show_map(
    comparison: Comparison,
    regrets: Regrets,
    layers: pd.DataFrame,
    boxes: Outline,
    chosen: tuple[int, ...],
) -> None:
    st.markdown("##### Regret of each dimension", help=HELP["map"])
    reading = st.segmented_control(
        "What a dimension costs",
        list(READINGS),
        default=next(iter(READINGS)),
        required=True,
        key="reading",
        label_visibility="collapsed",
        bind="query-params",
    )
    rows = regret_rows(layers, boxes)
    dimensions = tables.grid_dimensions(comparison, rows)
    found = comparison.solution.found
    cells = regret_cells(regrets, found, rows, dimensions, is_split=READINGS[reading])
    figure = regret_grid(
        cells,
        [row.title for row in rows],
        dimensions,
        marked=tables.marked_titles(rows, chosen),
        mark=picks.ink_and_paper()[0],
    )
    with st.container(height=min(MAP_HEIGHT, figure.layout.height + 24), border=False):
        show_chart(
            figure,
            key=MAP,
            alt=f"Map of layers and dimensions, coloured by the regret of each {reading}",
            is_selectable=True,
        )
    st.caption(f"{rows_note(rows, boxes)} Blue: as found, or as good. Grey: no choice. {MODELLED}")
    _offer_modules(rows, boxes, chosen)


def _offer_modules(
    rows: tuple[tables.GridRow, ...], boxes: Outline, chosen: tuple[int, ...]
) -> None:
    """Buttons that show the selected module layer by layer, and all modules as one row again."""
    module = module_to_open(rows, boxes, chosen)
    with st.container(horizontal=True):
        if module:
            text = f"Show the layers of {plain(module)}"
            st.button(text, on_click=state.toggle, args=(module,))
        if state.opened():
            st.button("Close all modules", on_click=state.close_all)


def _show_choices(
    comparison: Comparison,
    regrets: Regrets,
    layers: pd.DataFrame,
    chosen: tuple[int, ...],
    within: float,
) -> None:
    """All configurations of the selected layer, or of the dearest of those in question."""
    position = dearest_position(layers, chosen)
    name = layers["layer"].iloc[position]
    table = choice_table(regrets, comparison.solution.found, position)
    st.markdown(f"##### {plain(name)}", help=HELP["choices"])
    if len(chosen) != 1:
        of = "of the module selected" if chosen else "of all; click a cell or a bar for another"
        st.caption(f"The dearest layer {of}.")
    st.markdown(plain(choice_sentence(table)))
    show_chart(
        choice_dots(table, within, SPLIT_COLOURS, ink=picks.ink_and_paper()[0]),
        key=f"choices {position}",
        alt=f"Regret of every configuration of {name}, the cheapest first",
    )
    stem = f"{regrets.problem.graph.name}-{regrets.problem.cluster.n_devices}-regrets"
    offer_table(
        stem,
        table.drop(columns="hover").rename(columns={"share": "regret [share of the optimum]"}),
        {"layer": name, "optimum": regrets.optimum, "unit": regrets.unit},
    )


def show() -> None:
    """Show the page."""
    comparison = current_comparison()
    scenario = current_scenario()
    st.markdown(f"#### {tables.title(comparison)}")
    try:
        regrets = cached.regrets(scenario)
    except PaseError as error:
        best_strategies.say_why_not(error)
        return
    show_alternatives(scenario, comparison, regrets)
