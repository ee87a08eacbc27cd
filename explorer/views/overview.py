"""Overview: the answer in a sentence, what it is made of, and the strategy layer by layer."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from explorer import tables
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


def show() -> None:
    """Show the page."""
    comparison = current_comparison()
    st.markdown(f"#### {tables.title(comparison)}")
    st.markdown(f"### {tables.headline(comparison)}")
    if comparison.solution.remark:
        st.warning(plain(comparison.solution.remark))
    _show_tiles(comparison)
    _show_components(comparison)
    layers = tables.layer_table(comparison)
    chosen = _show_modules(layers, comparison.solution.unit)
    title = f"Strategy of {plain(', '.join(chosen))}" if chosen else "Strategy, layer by layer"
    st.markdown(f"##### {title}")
    _show_layers(layers, chosen, comparison.solution.unit)
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


def _show_modules(layers: pd.DataFrame, unit: str) -> list[str]:
    """The strip of modules; returns those that are clicked."""
    st.markdown(
        "##### What the strategy saves, from input to loss",
        help="Cost under data parallelism less cost under the strategy found, by module. Click a "
        "block to see its layers below.",
    )
    event = show_chart(
        module_strip(
            tables.module_table(layers, unit), SAVING_COLOURS, *tables.layer_scale(layers, unit)
        ),
        key="strip",
        alt="Modules of the network in order, coloured by the cost saved",
        is_selectable=True,
    )
    return [point["customdata"][0] for point in event.selection.points] if event else []


def _show_layers(layers: pd.DataFrame, modules: list[str], unit: str) -> None:
    """The strategy layer by layer, of some modules or of all."""
    scale, unit = tables.layer_scale(layers, unit)
    shown = layers[layers["module"].isin(modules)] if modules else layers
    column = st.column_config
    config: dict[str, Any] = {
        "layer": column.TextColumn("Layer", width=190, pinned=True),
        "dimensions": column.TextColumn("Dimensions", width=210, help=dimensions_help()),
        "split": column.TextColumn("Split", width=150, help="Parts per dimension, as found"),
        "cost": column.NumberColumn(
            f"Cost [{unit}]", format="%.4g", help="With the transfers into the layer"
        ),
        "saving": column.NumberColumn(f"Saved [{unit}]", format="%.4g"),
        "share": column.ProgressColumn(
            "Share of the step", format="percent", min_value=0, max_value=float(layers.share.max())
        ),
        "operation": "Operation",
        "split_data_parallel": column.TextColumn(
            "Data parallel", width=110, help="Parts per dimension under data parallelism"
        ),
        "data_parallel": column.NumberColumn(f"Cost, data parallel [{unit}]", format="%.4g"),
    }
    st.dataframe(
        tables.scaled(shown, scale),
        hide_index=True,
        height=min(38 + 35 * len(shown), 460),
        column_order=tuple(config),
        column_config=config,
    )


def _offer_download(solution: Solution) -> None:
    problem = solution.problem
    st.download_button(
        "Download the strategy (JSON)",
        to_text(solution_to_dict(solution)),
        file_name=f"{problem.graph.name}-{problem.cluster.n_devices}.json",
        mime="application/json",
        on_click="ignore",
    )
