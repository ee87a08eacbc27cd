"""Two strategies: where they differ, from input to loss, and why."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from explorer import picks, state, tables
from explorer.downloads import offer_table
from explorer.labels import SAVING_COLOURS, component_title, plain
from explorer.plots.differences import layer_differences, paired_strips
from explorer.shared import show_chart
from pase_core.solve import Problem
from pase_core.units import common_scale, with_prefix

MOST_BARS = 12
MOST_SENTENCES = 5

STRIPS, BARS = CHARTS = ("paired strips", "layer differences")
ROWS = "differing layers"

SENTENCES_HELP = (
    "Bytes are what each device sends in a step: an all-reduce of w bytes over q devices sends "
    "2 w (q − 1) / q. Redistribution counts at the layer where a tensor arrives. Layers that "
    "differ in the same way stand together; the amounts are those of one of them. What makes less "
    "than a thousandth of a difference is left out."
)


def show(lineup: tables.Lineup, this: str, against: str) -> None:
    """Show the network twice, the layers that differ, and why."""
    picks.take(CHARTS, ROWS)
    problem, unit = lineup.comparison.solution.problem, lineup.comparison.solution.unit
    layers = tables.difference_table(problem, lineup.strategies[this], lineup.strategies[against])
    differing = tables.differing(layers)
    _show_strips(lineup, layers, this, against)
    _show_why(problem, layers, differing, unit)
    picks.remember(CHARTS)
    _show_selected(layers)
    _show_table(differing, unit, this, against)
    offer_table(
        f"{problem.graph.name}-differences",
        tables.difference_titles(problem, layers, this, against),
        {"this": this, "against": against},
        note=f"All {len(layers)} layers:",
    )


def _show_strips(lineup: tables.Lineup, layers: pd.DataFrame, this: str, against: str) -> None:
    unit = lineup.comparison.solution.unit
    modules = tables.module_differences(layers, unit)
    st.markdown(
        "##### Where they differ, from input to loss",
        help="Height: cost of a module. Blue: the first strategy is cheaper there; orange: dearer. "
        "Click a bar to select it.",
    )
    dearest = float(modules[["cost", "cost_against"]].to_numpy().max())
    headings = [
        f"{title}: {with_prefix(lineup.strategies[title].total, unit)}" for title in (this, against)
    ]
    show_chart(
        paired_strips(
            modules,
            headings,
            tables.module_of(layers, state.selected()),
            SAVING_COLOURS,
            *common_scale(dearest, unit),
        ),
        key=STRIPS,
        alt=f"Cost of each module under {this} and under {against}, coloured by the difference",
        is_selectable=True,
    )


def _show_why(problem: Problem, layers: pd.DataFrame, differing: pd.DataFrame, unit: str) -> None:
    """The largest differences as bars and as sentences."""
    alike = tables.like_layers(differing, unit)
    n_split = int((~differing["is_alike"]).sum())
    st.markdown(
        f"##### Why: {n_split} of {len(layers)} layers {'is' if n_split == 1 else 'are'} split "
        "differently",
        help=SENTENCES_HELP,
    )
    if not len(alike):
        return
    st.markdown(f"All together: {plain(tables.sum_in_words(problem, layers))}.")
    sizes = alike["saved"].abs()
    scale, scaled_unit = common_scale(float(sizes.max()), unit)
    shown = alike[sizes >= tables.NEGLIGIBLE * sizes.max()][:MOST_BARS]
    show_chart(
        layer_differences(shown, state.selected(), SAVING_COLOURS, scale, scaled_unit),
        key=BARS,
        alt="What each layer saves or costs, the largest difference first",
        is_selectable=True,
    )
    st.markdown(_sentences(alike[:MOST_SENTENCES]))
    if len(alike) > MOST_SENTENCES:
        with st.expander(f"{len(alike) - MOST_SENTENCES} smaller differences"):
            st.markdown(_sentences(alike[MOST_SENTENCES:]))


def _sentences(alike: pd.DataFrame) -> str:
    """A Markdown list of what differs and why."""
    return "\n".join(
        f"- **{plain(row['title'])}** {plain(row['why'])}{' (each)' if row['n_layers'] > 1 else ''}"
        for row in alike.to_dict("records")
    )


def _show_selected(layers: pd.DataFrame) -> None:
    """The selected layer, or the layers of the selected module, in words."""
    name = state.selected()
    inside = layers[(layers["layer"] == name) | (layers["module"] == name)]
    if not len(inside):
        return
    if len(inside) == 1:
        row = inside.iloc[0]
        st.info(f"**{plain(row['layer'])}** {plain(row['why'])}.")
    else:
        st.info(
            f"**{plain(str(name))}** has {len(inside)} layers, of which "
            f"{int((~inside['is_alike']).sum())} are split differently; the table shows them."
        )


def _show_table(differing: pd.DataFrame, unit: str, this: str, against: str) -> None:
    """All layers that differ, or those of the selected module, with every component."""
    name = state.selected()
    of_module = differing[differing["module"] == name]
    shown = of_module if len(of_module) > 1 else differing
    if not len(shown):
        st.success("The two cost the same in every layer.")
        return
    rows, saved, scaled_unit = tables.shown_differences(shown, unit)
    picks.mark_row(ROWS, list(rows["layer"]), {name or ""})
    st.dataframe(
        tables.coloured(rows[["layer", "split", "split_against", *saved, "why"]], saved),
        hide_index=True,
        height=min(38 + 35 * len(rows), 460),
        on_select="rerun",
        selection_mode="single-row",
        key=ROWS,
        column_config={
            "layer": st.column_config.TextColumn("Layer", pinned=True),
            "split": st.column_config.TextColumn(f"Split: {this}"),
            "split_against": st.column_config.TextColumn(f"Split: {against}"),
            "saved": st.column_config.NumberColumn(f"Saved [{scaled_unit}]", format="%.2f"),
            **{
                column: st.column_config.NumberColumn(
                    component_title(column.removeprefix("saved ")), format="%.2f"
                )
                for column in saved[1:]
            },
            "why": st.column_config.TextColumn("Why", width="large"),
        },
    )
