"""Compare: any strategies side by side, and where and why two of them differ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from explorer import cached, contrast, tables
from explorer.downloads import offer_table
from explorer.labels import (
    COMPONENT_COLOURS,
    component_title,
    components_help,
    plain,
)
from explorer.plots.bars import stacked_costs
from explorer.scenario import Scenario
from explorer.shared import current_comparison, current_scenario, drop_unknown, show_chart
from explorer.uploads import show_uploads, uploaded_strategies
from pase_core.exporters.solution_json import to_text
from pase_core.exporters.strategy_file import strategy_to_csv, strategy_to_dict

MOST_BARS = 12


def show() -> None:
    """Show the page."""
    result = current_comparison()
    scenario = current_scenario()
    free = scenario.without_pins()
    comparison = cached.comparison(free) if scenario.pins else result
    problem = comparison.solution.problem
    lineup = tables.line_up(
        comparison,
        result.solution.found if scenario.pins else None,
        uploaded_strategies(free, problem.graph),
    )
    st.markdown(f"#### {tables.title(comparison)}")
    this, against = _choose_two(lineup, bool(scenario.pins))
    st.markdown(f"### {tables.verdict(lineup, this, against)}")
    _show_all(lineup)
    _show_own(free, lineup, this)
    if this == against:
        st.info("Choose two different strategies to see where they differ.")
    else:
        contrast.show(lineup, this, against)


def _choose_two(lineup: tables.Lineup, is_edited: bool) -> tuple[str, str]:
    """Two pickers and a button that swaps them."""
    titles = list(lineup.strategies)
    for key in ("this", "against"):
        drop_unknown(key, titles)  # a file that is gone
    defaults = (int(is_edited), 2 if is_edited else 1)
    columns = st.columns([4, 4, 1], vertical_alignment="bottom")
    chosen = [
        column.selectbox(label, titles, default, key=key, bind="query-params", help=text)
        for column, label, key, default, text in zip(
            columns,
            ("This strategy", "Against"),
            ("this", "against"),
            defaults,
            ("The strategy that is looked at.", "The strategy that it is measured by."),
            strict=False,
        )
    ]
    columns[2].button("⇄", help="Swap the two", on_click=_swap, width="stretch")
    return chosen[0], chosen[1]


def _swap() -> None:
    first, second = st.session_state["this"], st.session_state["against"]
    st.session_state["this"], st.session_state["against"] = second, first


def _show_all(lineup: tables.Lineup) -> None:
    """Bars and a table of all strategies."""
    scale, unit = tables.total_scale(lineup.comparison)
    st.markdown("##### All strategies", help=components_help())
    colours = {component_title(name): colour for name, colour in COMPONENT_COLOURS.items()}
    show_chart(
        stacked_costs(
            tables.lineup_components(lineup, lineup.bars[:MOST_BARS]), colours, scale, unit
        ),
        key="compared costs",
        alt="Cost of every strategy, by component",
    )
    table = tables.comparison_table(lineup)
    shown, units = tables.shown_comparison(lineup, table)
    st.dataframe(
        shown,
        hide_index=True,
        height="content" if len(table) <= MOST_BARS else 460,
        column_config=_columns(units),
    )
    problem = lineup.comparison.solution.problem
    offer_table(
        f"{problem.graph.name}-{problem.cluster.n_devices}-strategies",
        tables.comparison_titles(lineup, table),
    )


def _columns(units: Mapping[str, str]) -> dict[str, Any]:
    """Titles and formats of the table of strategies."""
    return {
        "strategy": st.column_config.TextColumn("Strategy", pinned=True),
        "cost": st.column_config.NumberColumn(
            f"Cost [{units['cost']}]", format="%.4g", help="Per step and device"
        ),
        "seconds": st.column_config.NumberColumn(
            f"Time [{units['seconds']}]", format="%.4g", help="At peak speed, by the model"
        ),
        "speedup": st.column_config.NumberColumn(
            "Speed-up", format="%.3g×", help="Over data parallelism, by the model"
        ),
        "above": st.column_config.NumberColumn(
            "Above optimum", format="percent", help="Above the least cost that is proved, a share"
        ),
        "communication": st.column_config.NumberColumn(
            "Communication", format="percent", help="Share of the cost"
        ),
        "weights": st.column_config.NumberColumn(
            f"Weights [{units['weights']}]", format="%.4g", help="That one device holds"
        ),
        "note": st.column_config.TextColumn("What it does", width="large"),
    }


def _show_own(scenario: Scenario, lineup: tables.Lineup, this: str) -> None:
    """Files in and out."""
    solution, priced = lineup.comparison.solution, lineup.strategies[this]
    graph, n_devices = solution.problem.graph, solution.problem.cluster.n_devices
    stem = f"{graph.name}-{n_devices}-{this.lower()}".replace(" ", "-").replace("/", "-")
    with st.expander("Your own strategies, and downloads"):
        show_uploads(scenario, graph)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"{plain(this)}:")
            for kind, text, mime in (
                ("CSV", strategy_to_csv(graph, priced.strategy), "text/csv"),
                ("JSON", to_text(strategy_to_dict(solution, priced)), "application/json"),
            ):
                st.download_button(
                    f"Download the strategy ({kind})",
                    text,
                    file_name=f"{stem}.{kind.lower()}",
                    mime=mime,
                    on_click="ignore",
                )
