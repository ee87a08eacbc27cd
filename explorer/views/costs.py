"""Costs: which layers are dear, what is saved where, and how it adds up."""

from __future__ import annotations

from html import escape

import streamlit as st

from explorer import picks, state, tables
from explorer.labels import (
    COMPONENT_COLOURS,
    SAVING_COLOURS,
    component_title,
    components_help,
    plain,
)
from explorer.plots.accumulated import accumulated_lines
from explorer.plots.dearest import dearest_bars
from explorer.plots.treemap import cost_treemap
from explorer.plots.waterfall import cost_waterfall
from explorer.shared import current_comparison, show_chart
from pase_core.outline import outline
from pase_core.solve import Comparison
from pase_core.strategy import PricedStrategy

WATERFALL, DEAREST, TREEMAP, ACCUMULATED = CHARTS = (
    "cost waterfall", "dearest layers", "cost treemap", "accumulated cost",
)  # fmt: skip

LINE_COLOURS = (SAVING_COLOURS[2][1], SAVING_COLOURS[0][1])

STYLE = """<style>
div:has(> .st-key-selection) { position: sticky; top: 3.75rem; z-index: 9; }
.st-key-charts { display: grid; gap: 1rem 2.5rem;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 620px), 1fr)); }
.st-key-selection { background: light-dark(#FFFFFF, #171614); padding: 0.3rem 0;
  border-bottom: 1px solid #80808060; }
</style>"""
"""Keeps the line about the selection in sight, and puts two charts in a row where they fit."""

COLOURS = {component_title(name): colour for name, colour in COMPONENT_COLOURS.items()}


@st.fragment
def show_costs(comparison: Comparison) -> None:
    """Show the charts; a click on any of them redraws these only."""
    picks.take(CHARTS)
    boxes = outline(comparison.solution.problem.graph, state.opened())
    names = [layer.name for layer in comparison.solution.problem.graph.layers]
    chosen = tables.selected_layers(names, boxes, state.selected())
    marked = {names[position] for position in chosen}
    home = boxes.box_of_layer()
    baseline = _choose_baseline(comparison)
    _say_selected(comparison, baseline, chosen)
    with st.container(key="charts"):
        with st.container():
            _show_waterfall(comparison, baseline)
        with st.container():
            _show_dearest(comparison, baseline, marked)
        with st.container():
            picks_of_layers = [boxes.boxes[home[i]].name for i in range(len(names))]
            areas = _show_treemap(comparison, baseline, marked, picks_of_layers)
        with st.container():
            _show_accumulated(comparison, baseline, marked)
    picks.remember(CHARTS, {TREEMAP: areas})


def _choose_baseline(comparison: Comparison) -> PricedStrategy:
    """The strategy that the one found is compared with."""
    others = {tables.strategy_title(each): each for each in comparison.best_of_each[1:]}
    chosen = st.segmented_control(
        "Compare the strategy found with",
        list(others),
        default=next(iter(others)),
        required=True,
        key="beside",
        bind="query-params",
    )
    return others.get(chosen or "", comparison.data_parallel)


def _say_selected(
    comparison: Comparison, baseline: PricedStrategy, chosen: tuple[int, ...]
) -> None:
    """The selection and what it costs, in a line that stays in sight."""
    name = state.selected()
    if not chosen or name is None:
        text = "Click a bar, an area or a point: its layer is selected here and on every page."
    else:
        layers = f" ({len(chosen)} layers)" if len(chosen) > 1 else ""
        sentence = tables.cost_sentence(comparison, baseline, chosen)
        text = f"▶ <b>{escape(name)}</b>{layers}: {escape(sentence)}"
    with st.container(key="selection"):
        st.html(f'<div role="status" class="selection">{text}</div>')


def _show_waterfall(comparison: Comparison, baseline: PricedStrategy) -> None:
    title = tables.strategy_title(baseline)
    scale, unit = tables.total_scale(comparison)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            f"##### From {plain(title.lower())} to the strategy found", help=components_help()
        )
        is_zoomed = st.toggle("Zoom in on the steps", key="zoomed", bind="query-params")
    steps = tables.waterfall_steps(comparison, baseline)
    show_chart(
        cost_waterfall(steps, COLOURS, scale, unit, baseline=title, is_zoomed=is_zoomed),
        key=WATERFALL,
        alt="Cost saved and added by component, from the other strategy to the one found",
        is_selectable=True,
    )


def _show_dearest(comparison: Comparison, baseline: PricedStrategy, marked: set[str]) -> None:
    table = tables.dearest_layers(comparison, baseline)
    n_layers = len(comparison.solution.problem.graph.layers)
    n_shown = table["layer"].nunique()
    title = tables.strategy_title(baseline)
    st.markdown(
        "##### The dearest layers" + (f", {n_shown} of {n_layers}" if n_shown < n_layers else ""),
        help="Under the strategy found, with the transfers into each layer. The upright line is "
        "what the layer costs under the other strategy. At the right: the cost found, and its "
        "share of the step.",
    )
    scale, unit = tables.layer_scale(tables.layer_table(comparison), comparison.solution.unit)
    show_chart(
        dearest_bars(
            table,
            COLOURS,
            scale,
            unit,
            baseline=title,
            marked=marked,
            ink=picks.ink_and_paper()[0],
        ),
        key=DEAREST,
        alt="The dearest layers, their costs stacked by component",
        is_selectable=True,
    )


def _show_treemap(
    comparison: Comparison, baseline: PricedStrategy, marked: set[str], picked_by: list[str]
) -> list[str]:
    """Show the areas; return what a click on each selects."""
    ink, paper = picks.ink_and_paper()
    tree = tables.cost_tree(comparison, baseline, picked_by)
    title = tables.strategy_title(baseline).lower()
    st.markdown(
        "##### Where the cost sits, module by module",
        help="Areas are costs under the strategy found. Blue saves against the other strategy, "
        "orange costs more, grey the same. Names that do not fit show on hover.",
    )
    scale, unit = tables.layer_scale(
        tables.layer_table(comparison).assign(cost=tree["saving"].abs().max()),
        comparison.solution.unit,
    )
    show_chart(
        cost_treemap(tree, SAVING_COLOURS, scale, unit, marked=marked, ink=ink, paper=paper),
        key=TREEMAP,
        alt=f"Modules and layers by cost, coloured by what is saved against {title}",
        is_selectable=True,
    )
    return list(tree["pick"])


def _show_accumulated(comparison: Comparison, baseline: PricedStrategy, marked: set[str]) -> None:
    scale, unit = tables.total_scale(comparison)
    st.markdown(
        "##### How the cost adds up along the graph",
        help="Each point is a layer: the cost of all layers up to it, with the transfers into "
        "them. The last points are the totals.",
    )
    show_chart(
        accumulated_lines(
            tables.accumulated_costs(comparison, baseline),
            scale,
            unit,
            baseline=tables.strategy_title(baseline),
            colours=LINE_COLOURS,
            marked=marked,
        ),
        key=ACCUMULATED,
        alt="Cost of all layers up to each one, found and under the other strategy",
        is_selectable=True,
    )


def show() -> None:
    """Show the page."""
    comparison = current_comparison()
    st.markdown(f"#### {tables.title(comparison)}")
    st.html(STYLE)
    show_costs(comparison)
