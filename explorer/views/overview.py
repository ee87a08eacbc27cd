"""Overview: the answer in a sentence, what it is made of, and the strategy layer by layer."""

from __future__ import annotations

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


def show() -> None:
    """Show the page."""
    comparison = current_comparison()
    solution = comparison.solution
    graph, cluster = solution.problem.graph, solution.problem.cluster
    scale, unit = tables.total_scale(comparison)

    st.markdown(f"#### {tables.title(comparison)}")
    st.markdown(f"### {tables.headline(comparison)}")
    if solution.remark:
        st.warning(plain(solution.remark))

    columns = st.columns(len(TILE_TITLES))
    for column, (key, (value, remark)) in zip(
        columns, tables.tiles(comparison).items(), strict=True
    ):
        column.metric(
            TILE_TITLES[key],
            value,
            remark,
            delta_color="off",
            delta_arrow="off",
            help=HELP[key],
            border=True,
        )

    st.markdown(
        "##### Where the cost comes from",
        help=components_help(),
    )
    colours = {component_title(name): colour for name, colour in COMPONENT_COLOURS.items()}
    show_chart(
        stacked_costs(tables.component_table(comparison), colours, scale, unit),
        key="costs",
        alt="Cost of the found strategy, data parallelism and experts, by component",
    )

    layers = tables.layer_table(comparison)
    scale, unit = tables.layer_scale(layers, solution.unit)
    modules = tables.module_table(layers, solution.unit)
    st.markdown(
        "##### What the strategy saves, from input to loss",
        help="Cost under data parallelism less cost under the strategy found, by module. Click a "
        "block to see its layers below.",
    )
    event = show_chart(
        module_strip(modules, SAVING_COLOURS, scale, unit),
        key="strip",
        alt="Modules of the network in order, coloured by the cost saved",
        is_selectable=True,
    )
    chosen = [point["customdata"][0] for point in event.selection.points] if event else []

    title = f"Strategy of {plain(', '.join(chosen))}" if chosen else "Strategy, layer by layer"
    st.markdown(f"##### {title}")
    shown = layers[layers["module"].isin(chosen)] if chosen else layers
    st.dataframe(
        tables.scaled(shown, scale),
        hide_index=True,
        height=min(38 + 35 * len(shown), 460),
        column_order=(
            "layer",
            "dimensions",
            "split",
            "cost",
            "saving",
            "share",
            "operation",
            "split_data_parallel",
            "data_parallel",
        ),
        column_config={
            "layer": st.column_config.TextColumn("Layer", width=190, pinned=True),
            "operation": "Operation",
            "dimensions": st.column_config.TextColumn(
                "Dimensions", width=210, help=dimensions_help()
            ),
            "split": st.column_config.TextColumn(
                "Split", width=150, help="Parts per dimension, as found"
            ),
            "split_data_parallel": st.column_config.TextColumn(
                "Data parallel", width=110, help="Parts per dimension under data parallelism"
            ),
            "cost": st.column_config.NumberColumn(
                f"Cost [{unit}]", format="%.4g", help="With the transfers into the layer"
            ),
            "data_parallel": st.column_config.NumberColumn(
                f"Cost, data parallel [{unit}]", format="%.4g"
            ),
            "saving": st.column_config.NumberColumn(f"Saved [{unit}]", format="%.4g"),
            "share": st.column_config.ProgressColumn(
                "Share of the step",
                format="percent",
                min_value=0,
                max_value=float(layers.share.max()),
            ),
        },
    )
    st.download_button(
        "Download the strategy (JSON)",
        to_text(solution_to_dict(solution)),
        file_name=f"{graph.name}-{cluster.n_devices}.json",
        mime="application/json",
        on_click="ignore",
    )
