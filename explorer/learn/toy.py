"""Learn, third section: three layers with splits to edit, and the bill with its formulas."""

from __future__ import annotations

from functools import partial

import streamlit as st

from explorer import tables
from explorer.bills import show_item
from explorer.labels import COMPONENT_COLOURS, component_title
from explorer.learn.texts import TOY_INTRO
from explorer.lessons import load_toy
from explorer.plots.bars import stacked_costs
from explorer.plots.items import item_costs
from explorer.shared import show_chart
from explorer.toy import MODEL, Toy
from pase_core.costs.bill import Item
from pase_core.strategy import Configuration, PricedStrategy, describe_splits
from pase_core.units import common_scale, ratio, with_prefix

UNIT = MODEL.unit


def _key(layer: int) -> str:
    return f"toy_{layer + 1}"


def take(priced: PricedStrategy) -> None:
    """Put a strategy's configurations into the boxes."""
    for layer, configuration in enumerate(priced.strategy.configurations):
        st.session_state[_key(layer)] = configuration


@st.fragment
def show() -> None:
    """Show the section; a choice redraws nothing else."""
    toy = load_toy()
    st.markdown(TOY_INTRO)
    configurations = _choose(toy)
    yours = toy.price(configurations)
    items, best = toy.bill(configurations), toy.bill(toy.optimum.strategy.configurations)
    _show_totals(toy, yours)
    _show_charts(toy, yours, items, best)
    st.markdown("##### The bill: every number with its formula")
    is_full = st.toggle("Show terms that are 0 as well", key="zeros", bind="query-params")
    for item, configuration in zip(items, _splits(toy, items, configurations), strict=True):
        show_item(item, configuration, UNIT, is_full=is_full)
    st.markdown(
        f"**All together {with_prefix(yours.total, UNIT)}** per step and device. "
        f"W = {MODEL.flop_per_word:g} FLOP per word: a device makes "
        f"{with_prefix(MODEL.flop_per_second, 'FLOP/s', 1)}, a link carries "
        f"{with_prefix(MODEL.bytes_per_second, 'B/s', 1)}, a word has {MODEL.word_bytes:g} bytes."
    )


def _choose(toy: Toy) -> list[Configuration]:
    """A box per layer and the two buttons."""
    columns = st.columns(len(toy.graph.layers))
    # A box takes its start from the session where there is one: giving it twice is an error.
    start = [
        0 if _key(position) in st.session_state else toy.configurations(position).index(given)
        for position, given in enumerate(toy.data_parallel.strategy.configurations)
    ]
    chosen = [
        column.selectbox(
            f"{layer.name}: " + ", ".join(f"{d.name} = {d.size}" for d in layer.dimensions),
            toy.configurations(position),
            start[position],
            key=_key(position),
            format_func=partial(describe_splits, layer),
            bind="query-params",
        )
        for position, (column, layer) in enumerate(zip(columns, toy.graph.layers, strict=True))
    ]
    with st.container(horizontal=True):
        st.button("Let the solver do it", type="primary", on_click=take, args=(toy.optimum,))
        st.button("Back to data parallelism", on_click=take, args=(toy.data_parallel,))
    return chosen


def _show_totals(toy: Toy, yours: PricedStrategy) -> None:
    best = toy.optimum.total
    is_best = yours.total <= best * (1 + 1e-12)
    columns = st.columns(3)
    columns[0].metric("Your strategy", with_prefix(yours.total, UNIT), border=True)
    columns[1].metric("The optimum", with_prefix(best, UNIT), border=True)
    columns[2].metric(
        "You pay",
        "the optimum" if is_best else f"{ratio(yours.total / best)} the optimum",
        border=True,
    )


def _show_charts(
    toy: Toy, yours: PricedStrategy, items: tuple[Item, ...], best: tuple[Item, ...]
) -> None:
    strategies = (yours, toy.data_parallel, toy.optimum)
    colours = {
        component_title(name): colour
        for name, colour in COMPONENT_COLOURS.items()
        if any(each.components[name] for each in strategies)
    }
    table = tables.item_table(items, best, UNIT)
    scale, unit = common_scale(float(table[["total", "best"]].max().max()), UNIT)
    left, right = st.columns(2)
    with left:
        show_chart(
            item_costs(table, colours, scale, unit),
            key="toy items",
            alt="Cost of each layer and transfer of the toy by component, beside the optimum",
        )
    totals = tables.toy_totals(strategies, toy.optimum.total, UNIT)
    scale, unit = common_scale(max(each.total for each in strategies), UNIT)
    with right:
        show_chart(
            stacked_costs(totals, colours, scale, unit).update_layout(showlegend=False),
            key="toy totals",
            alt="Cost of your strategy, of data parallelism and of the optimum, by component",
        )


def _splits(toy: Toy, items: tuple[Item, ...], configurations: list[Configuration]) -> list[str]:
    """Beside each item of the bill, the splits of its layer; nothing for a transfer."""
    splits = {
        layer.name: describe_splits(layer, configuration)
        for layer, configuration in zip(toy.graph.layers, configurations, strict=True)
    }
    return [splits.get(item.title, "") for item in items]
