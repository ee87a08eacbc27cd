"""A result as one HTML page that needs nothing else: no server, no network, no other file.

Every text goes through `html.escape`; the page's own policy forbids it to load anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

import pandas as pd
import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from explorer import tables
from explorer.labels import (
    COMPONENT_COLOURS,
    MODELLED,
    SAVING_COLOURS,
    TILE_TITLES,
    TITLE,
    component_title,
)
from explorer.plots.bars import stacked_costs
from explorer.plots.strip import module_strip
from pase_core.cluster import Cluster
from pase_core.cluster_words import given_texts
from pase_core.components import COMPONENTS
from pase_core.solve import Comparison, Problem
from pase_core.units import percent, ratio, with_prefix

_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:"
)

_STYLE = """
:root { color-scheme: light dark; --ink: #1f2430; --quiet: #5b6270; --paper: #fff;
  --line: #d5d9e0; --band: #f3f5f8; }
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #e8eaf0; --quiet: #a3abba; --paper: #14171e; --line: #363c48; --band: #1d222c; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 1200px; margin: 0 auto; padding: 1.5rem; }
h1 { font-size: 1.35rem; margin: 0; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
.headline { font-size: 1.4rem; margin: .25rem 0 1rem; }
.quiet, dt, footer { color: var(--quiet); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(200px, 1fr)); gap: .75rem;
  margin: 0; }
.tiles div { border: 1px solid var(--line); border-radius: 8px; padding: .6rem .9rem; }
.tiles dd { margin: 0; } .tiles dd:nth-of-type(1) { font-size: 1.5rem; }
.table { overflow-x: auto; margin-top: .75rem; }
table { border-collapse: collapse; font-size: .85rem; width: 100%; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .6rem; text-align: left;
  vertical-align: top; overflow-wrap: break-word; max-width: 40em; }
thead th { background: var(--band); } th.n, td.n { text-align: right; white-space: nowrap; }
footer { margin-top: 2rem; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
.chart text:not(.hoverlayer text) { fill: var(--ink) !important; }
@media print { @page { size: A4 landscape; margin: 12mm; } body { max-width: none; padding: 0; }
  tr, .chart, .tiles { break-inside: avoid; } thead { display: table-header-group; }
  .modebar { display: none; } }
"""

_CHART_CONFIG = {
    "displaylogo": False,
    "responsive": True,
    "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d", "zoomIn2d", "zoomOut2d"],
    "toImageButtonOptions": {"format": "svg"},
}


def report(comparison: Comparison, address: str, version: str) -> str:
    """The result as the text of an HTML file.

    Args:
        comparison: the result.
        address: where the page that it is from can be seen.
        version: of this program.
    """
    unit = comparison.solution.unit
    layers = tables.layer_table(comparison)
    scale, layer_unit = tables.layer_scale(layers, unit)
    name = escape(tables.title(comparison, str))
    parts = [
        f"<h1>{name}</h1>",
        f'<p class="headline">{_bold(tables.headline(comparison))}</p>',
        f"<p><strong>{escape(MODELLED)}</strong></p>",
        f"<p>{escape(comparison.solution.remark)}</p>" if comparison.solution.remark else "",
        _tiles(comparison),
        "<h2>Where the cost comes from</h2>",
        _costs_chart(comparison),
        _table(_component_rows(comparison)),
        "<h2>What the strategy saves against data parallelism, from input to loss</h2>",
        _chart(
            module_strip(tables.module_table(layers, unit), SAVING_COLOURS, scale, layer_unit),
            "strip",
        ),
        "<h2>Strategies</h2>",
        _table(_strategy_rows(comparison)),
        "<h2>Layers</h2>",
        '<p class="quiet">Costs are per step and device, with the transfers into the layer.</p>',
        _table(_layer_rows(tables.scaled(layers, scale), layer_unit)),
        "<h2>Cost model</h2>",
        _table(_figure_rows(comparison.solution.problem)),
        f"<footer><p>{escape(MODELLED)} Made by {TITLE} {escape(version)} from "
        f"{escape(address)}</p></footer>",
    ]
    return _PAGE.format(
        policy=_POLICY, title=name, style=_STYLE, plotly=get_plotlyjs(), body="\n".join(parts)
    )


def excuse(reason: str, address: str) -> str:
    """What stands in a report's place if there is no result."""
    body = (
        f"<h1>This cannot be solved as it stands</h1><p>{escape(reason)}</p>"
        f"<footer><p>{TITLE}, {escape(address)}</p></footer>"
    )
    return _PAGE.format(policy=_POLICY, title=TITLE, style=_STYLE, plotly="", body=body)


_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>{style}</style>
<script>{plotly}</script>
</head>
<body>
{body}
</body>
</html>
"""


def _bold(text: str) -> str:
    """Text with Markdown's bold as HTML."""
    return re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", escape(text))


def _tiles(comparison: Comparison) -> str:
    tiles = (
        f"<div><dt>{escape(TILE_TITLES[key])}</dt><dd>{escape(value)}</dd>"
        f'<dd class="quiet">{escape(remark)}</dd></div>'
        for key, (value, remark) in tables.tiles(comparison).items()
    )
    return f'<dl class="tiles">{"".join(tiles)}</dl>'


def _costs_chart(comparison: Comparison) -> str:
    colours = {component_title(name): colour for name, colour in COMPONENT_COLOURS.items()}
    scale, unit = tables.total_scale(comparison)
    table = tables.component_table(comparison)
    return _chart(stacked_costs(table, colours, scale, unit), "costs")


def _chart(figure: go.Figure, name: str) -> str:
    """A figure as HTML without plotly.js; its texts take the colour of the page's."""
    line = "rgba(128, 128, 128, 0.3)"
    figure.update_layout(
        template="plotly_white", paper_bgcolor="rgba(0, 0, 0, 0)", plot_bgcolor="rgba(0, 0, 0, 0)"
    )
    figure.update_xaxes(gridcolor=line, zerolinecolor=line)
    figure.update_yaxes(gridcolor=line, zerolinecolor=line)
    content = figure.to_html(
        config=_CHART_CONFIG, include_plotlyjs=False, full_html=False, div_id=f"chart-{name}"
    )
    return f'<div class="chart">{content}</div>'


MAX_UNBROKEN = 16
"""Cells of at most so many characters are never broken into lines."""

Rows = Iterable[dict[str, object]]
"""Rows of a table, by the titles of its columns; numbers are set to the right."""


def _table(rows: Rows) -> str:
    listed = list(rows)
    titles = list(listed[0])
    kinds = [_kind(listed[0][title]) for title in titles]
    head = "".join(
        f"<th{kind}>{escape(title)}</th>" for kind, title in zip(kinds, titles, strict=True)
    )
    body = "\n".join(f"<tr>{_cells(list(row.values()), kinds)}</tr>" for row in listed)
    return (
        f'<div class="table"><table><thead><tr>{head}</tr></thead>\n'
        f"<tbody>{body}</tbody></table></div>"
    )


def _kind(value: object) -> str:
    return ' class="n"' if isinstance(value, float) else ""


def _cells(values: Sequence[object], kinds: Sequence[str]) -> str:
    texts = (f"{value:.4g}" if isinstance(value, float) else str(value) for value in values)
    return "".join(
        f"<td{kind}>{_unbroken(escape(text))}</td>" for kind, text in zip(kinds, texts, strict=True)
    )


def _unbroken(text: str) -> str:
    """Short texts, such as a number and its unit, stay on one line."""
    return text.replace(" ", "&nbsp;") if len(text) <= MAX_UNBROKEN else text


def _component_rows(comparison: Comparison) -> Rows:
    table: pd.DataFrame = tables.component_table(comparison)
    titles = {component_title(name): meaning for name, (_title, meaning) in COMPONENTS.items()}
    for title, rows in table[table["cost"] > 0].groupby("component", sort=False):
        texts = dict(zip(rows["strategy"], rows["cost_text"], strict=True))
        yield {
            "Component": title,
            **{name: texts.get(name, "0") for name in table["strategy"].unique()},
            "Meaning": titles[str(title)],
        }


def _strategy_rows(comparison: Comparison) -> Rows:
    unit = comparison.solution.unit
    for row in tables.strategy_table(comparison).to_dict("records"):
        yield {
            "Strategy": row["strategy"],
            "Cost": with_prefix(row["cost"], unit),
            "Time": with_prefix(row["seconds"], "s"),
            "Speed-up over data parallelism": ratio(row["speedup"]),
            "Communication": percent(row["communication"]),
            "Note": row["note"],
        }


def _layer_rows(layers: pd.DataFrame, unit: str) -> Rows:
    for row in layers.to_dict("records"):
        yield {
            "Layer": row["layer"],
            "Operation": row["operation"],
            "Dimensions": row["dimensions"],
            "Split": row["split"],
            "Data parallel": row["split_data_parallel"],
            f"Cost [{unit}]": row["cost"],
            f"Data parallel [{unit}]": row["data_parallel"],
            f"Saved [{unit}]": row["saving"],
            "Share [%]": 100 * row["share"],
        }


def _figure_rows(problem: Problem) -> Rows:
    cluster, cost, graph = problem.cluster, problem.cost, problem.graph
    figures = {
        "Cluster": f"{cluster.title} ({cluster.name})",
        **_given_rows(cluster),
        "Devices": f"{cluster.n_devices} × {cluster.device}, {cluster.devices_per_node} per node",
        "Peak of a device": with_prefix(cluster.flop_per_second(graph.element_type), "FLOP/s"),
        "Link": with_prefix(cluster.bytes_per_second, "B/s"),
        "Cost model": cost.model,
        "Bytes per word": f"{problem.word_bytes:g}",
        "FLOP per multiply-add": f"{cost.flop_per_multiply_add:g}",
        "Smallest part of a split": str(cost.min_part),
        "Network": f"{graph.name}: {len(graph.layers)} layers, {len(graph.transfers)} transfers",
    }
    layers = {layer.name: layer for layer in graph.layers}
    for name, configuration in problem.pins:
        splits = zip(layers[name].dimension_names, configuration, strict=True)
        figures[f"Held: {name}"] = " ".join(f"{dimension}={n}" for dimension, n in splits)
    return [{"Figure": name, "Value": value} for name, value in figures.items()]


def _given_rows(cluster: Cluster) -> dict[str, str]:
    """Figures that stand in place of the cluster's own."""
    given = given_texts(cluster)
    return {"In place of the cluster's own figures": ", ".join(given)} if given else {}
