"""Overview: the answer in a sentence, what it is made of, and the strategy layer by layer."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from explorer import picks, state, tables
from explorer.downloads import offer_files
from explorer.labels import (
    COMPONENT_COLOURS,
    HELP,
    SAVING_COLOURS,
    TILE_TITLES,
    component_title,
    components_help,
    dimensions_help,
    plain,
)
from explorer.plots.bars import stacked_costs
from explorer.plots.strip import module_strip
from explorer.shared import current_comparison, show_chart
from pase_core.exporters.solution_json import solution_to_dict, to_text
from pase_core.solve import Comparison, Solution

STRIP, TABLE, ONLY = "strip", "strategy rows", "only"


def show() -> None:
    """Show the page."""
    comparison = current_comparison()
    st.markdown(f"#### {tables.title(comparison)}")
    st.markdown(f"### {tables.headline(comparison)}")
    if comparison.solution.remark:
        st.warning(plain(comparison.solution.remark))
    _show_tiles(comparison)
    _show_components(comparison)
    show_strategy(comparison)
    _offer_download(comparison.solution)


def _show_tiles(comparison: Comparison) -> None:
    tiles = tables.tiles(comparison)
    for column, (key, (value, remark)) in zip(st.columns(len(tiles)), tiles.items(), strict=True):
        column.metric(
            TILE_TITLES[key],
            value,
            remark,
            delta_color="off",
            delta_arrow="off",
            help=HELP[key],
            border=True,
        )


def _show_components(comparison: Comparison) -> None:
    """What each strategy's cost is made of."""
    st.markdown("##### Where the cost comes from", help=components_help())
    colours = {component_title(name): colour for name, colour in COMPONENT_COLOURS.items()}
    show_chart(
        stacked_costs(tables.component_table(comparison), colours, *tables.total_scale(comparison)),
        key="costs",
        alt="Cost of the found strategy, data parallelism and experts, by component",
    )


@st.fragment
def show_strategy(comparison: Comparison) -> None:
    """Show the strip of modules and the strategy below it; a click redraws these two only."""
    if picks.take([STRIP], TABLE):
        st.session_state[ONLY] = True
    layers = tables.layer_table(comparison)
    module = tables.module_of(layers, state.selected())
    _show_modules(layers, module, comparison.solution.unit)
    picks.remember([STRIP])
    shown = _choose(layers, module)
    _show_layers(layers, shown, comparison.solution.unit)
    graph, cluster = comparison.solution.problem.graph, comparison.solution.problem.cluster
    offer_files(
        f"{graph.name}-{cluster.n_devices}-layers",
        partial(tables.layers_csv, comparison, shown),
        partial(tables.layers_json, comparison, shown),
        f"{len(shown)} of {len(layers)} layers",
    )


def _show_modules(layers: pd.DataFrame, module: str | None, unit: str) -> None:
    """The strip of modules."""
    st.markdown(
        "##### What the strategy saves, from input to loss",
        help="Cost under data parallelism less cost under the strategy found, by module. Click a "
        "block to see its layers below; its dearest layer is selected on every page.",
    )
    show_chart(
        module_strip(
            tables.module_table(layers, unit),
            SAVING_COLOURS,
            *tables.layer_scale(layers, unit),
            marked=module,
            ink=picks.ink_and_paper()[0],
        ),
        key=STRIP,
        alt="Modules of the network in order, coloured by the cost saved",
        is_selectable=True,
    )


def _choose(layers: pd.DataFrame, module: str | None) -> pd.DataFrame:
    """The heading, and the rows that are to be shown: all, or those of the selected module."""
    with st.container(horizontal=True, vertical_alignment="center"):
        title = st.empty()
        is_only = st.toggle(
            "Only the selected module", key=ONLY, bind="query-params", disabled=module is None
        )
    if module is None or not is_only:
        title.markdown("##### Strategy, layer by layer")
        return layers
    title.markdown(f"##### Strategy of {plain(module)}")
    return layers[layers["module"] == module]


def _show_layers(layers: pd.DataFrame, shown: pd.DataFrame, unit: str) -> None:
    """The strategy layer by layer, the selected layer marked."""
    scale, unit = tables.layer_scale(layers, unit)
    picks.mark_row(TABLE, list(shown["layer"]), {state.selected() or ""})
    st.dataframe(
        tables.scaled(shown, scale),
        key=TABLE,
        hide_index=True,
        height=min(38 + 35 * len(shown), 460),
        on_select="rerun",
        selection_mode="single-row",
        column_order=tuple(_columns(unit, 1.0)),
        column_config=_columns(unit, float(layers["share"].max())),
        alt="Layers with their splits and costs",
    )


def _columns(unit: str, largest_share: float) -> dict[str, Any]:
    """Columns of the table, in their order."""
    column = st.column_config
    return {
        "layer": column.TextColumn("Layer", width=215, pinned=True),
        "dimensions": column.TextColumn("Dimensions", width=191, help=dimensions_help()),
        "split": column.TextColumn("Split", width=125, help="Parts per dimension, as found"),
        "cost": column.NumberColumn(
            f"Cost [{unit}]", format="%.4g", help="With the transfers into the layer"
        ),
        "saving": column.NumberColumn(f"Saved [{unit}]", format="%.4g"),
        "share": column.ProgressColumn(
            "Share of the step",
            format="percent",
            min_value=0,
            max_value=largest_share or 1.0,
            width=140,
        ),
        "operation": "Operation",
        "split_data_parallel": column.TextColumn(
            "Data parallel", width=110, help="Parts per dimension under data parallelism"
        ),
        "data_parallel": column.NumberColumn(f"Cost, data parallel [{unit}]", format="%.4g"),
    }


def _offer_download(solution: Solution) -> None:
    problem = solution.problem
    st.download_button(
        "Download the strategy (JSON)",
        to_text(solution_to_dict(solution)),
        file_name=f"{problem.graph.name}-{problem.cluster.n_devices}.json",
        mime="application/json",
        on_click="ignore",
    )
