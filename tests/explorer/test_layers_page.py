"""The Layers page: its grid, its filter, its downloads."""

import csv
import json
from dataclasses import replace
from html import escape
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import explorer
from explorer import tables
from explorer.labels import AMOUNT_COLOURS
from explorer.plots.grid import split_grid
from explorer.scenario import Scenario
from explorer.tables import grid
from pase_core.outline import outline
from pase_core.solve import compare
from sample_graphs import SAMPLES

APP = str(Path(explorer.__file__).with_name("app.py"))


@pytest.fixture(scope="module", params=list(SAMPLES))
def comparison(request):
    return compare(Scenario(network=request.param, n_devices=8).problem())


def make_grid(comparison, opened=(), **options):
    graph = comparison.solution.problem.graph
    rows = tables.grid_rows(tables.layer_table(comparison), outline(graph, opened))
    dimensions = tables.grid_dimensions(comparison, rows)
    cells = tables.split_cells(comparison, rows, dimensions, AMOUNT_COLOURS)
    figure = split_grid(cells, [row.title for row in rows], dimensions, AMOUNT_COLOURS, **options)
    return rows, dimensions, cells, figure


def test_the_grid_shows_every_layer_or_one_of_each_box(comparison):
    layers = comparison.solution.problem.graph.layers
    rows, *_ = make_grid(comparison)
    stood_for = sorted(position for row in rows for position in row.stands_for)
    assert stood_for == list(range(len(layers)))
    if len(layers) <= grid.MOST_LAYERS:
        assert [row.title for row in rows] == [layer.name for layer in layers]
    else:
        costs = tables.layer_table(comparison)["cost"]
        assert len(rows) < len(layers)
        assert all(costs[row.layer] == max(costs[list(row.stands_for)]) for row in rows)


def test_a_module_that_is_opened_has_a_row_per_layer():
    comparison = compare(Scenario(network="inception_v3", n_devices=8).problem())
    closed, *_ = make_grid(comparison)
    opened, *_ = make_grid(comparison, opened=["head"])
    n_inside = next(len(row.stands_for) for row in closed if row.title == "head")
    assert len(opened) == len(closed) - 1 + n_inside


def test_cells_say_how_each_dimension_is_split(comparison):
    rows, dimensions, cells, figure = make_grid(comparison)
    layers = comparison.solution.problem.graph.layers
    found = comparison.solution.found.strategy.configurations
    by_place = {(cell["row"], cell["column"]): cell for cell in cells.to_dict("records")}
    assert len(by_place) == len(cells) == sum(len(layers[row.layer].dimensions) for row in rows)
    for i, row in enumerate(rows):
        layer = layers[row.layer]
        for d, parts in zip(layer.dimensions, found[row.layer], strict=True):
            cell = by_place[i, dimensions.index(d.name)]
            assert (cell["layer"], cell["parts"]) == (layer.name, parts)
            if parts > 1:
                part = f"of size {d.size:,} in {parts} parts of {d.size // parts:,}"
                assert f"<b>{layer.name}</b>: dimension {d.name} {part}" in cell["hover"]
    bars = figure.data[0]
    assert [names[0] for names in bars.customdata] == list(cells["layer"])
    assert [2**colour for colour in bars.marker.color] == pytest.approx(list(cells["parts"]))
    assert figure.layout.xaxis.title.text == "dimension"
    assert bars.marker.colorbar.title.text == "parts"
    assert list(figure.layout.xaxis.ticktext) == list(dimensions)


def test_the_grid_marks_the_row_of_the_selected_layer_or_of_its_module():
    comparison = compare(Scenario(network="transformer", n_devices=8).problem())
    boxes = outline(comparison.solution.problem.graph)
    names = [layer.name for layer in comparison.solution.problem.graph.layers]
    rows, *_ = make_grid(comparison)
    for selected in ("encoder/2/attention/qkv", "encoder/1"):
        chosen = tables.selected_layers(names, boxes, selected)
        assert tables.marked_titles(rows, chosen) == {"encoder/1 × 6"}
    assert tables.selected_layers(names, boxes, "nonsense") == ()
    assert tables.selected_layers(names, boxes, None) == ()
    *_, figure = make_grid(comparison, marked={"encoder/1 × 6"})
    (frame,) = figure.layout.shapes
    row = [each.title for each in rows].index("encoder/1 × 6")
    assert frame.y0 < row < frame.y1
    assert "<b>▶ encoder/1 × 6</b>" in figure.layout.yaxis.ticktext


def test_a_single_device_splits_nothing_and_is_drawn_all_the_same():
    comparison = compare(Scenario(network="alexnet", n_devices=1).problem())
    *_, cells, figure = make_grid(comparison)
    assert set(cells["parts"]) == {1}
    assert figure.data[0].marker.cmax > 0


def test_names_from_files_are_text_not_markup():
    problem = Scenario(network="rnnlm", n_devices=2).problem()
    name = "<b>bold</b> & <a href='x'>link</a>"
    layers = (replace(problem.graph.layers[0], name=name), *problem.graph.layers[1:])
    comparison = compare(replace(problem, graph=replace(problem.graph, layers=layers)))
    *_, cells, figure = make_grid(comparison)
    shown = escape(name, quote=False)
    assert all("<a" not in text for text in (*cells["hover"], *figure.layout.yaxis.ticktext))
    assert shown in cells["hover"].iloc[0]
    assert name in {names[0] for names in figure.data[0].customdata}


def test_very_many_rows_are_cut_to_the_dearest_in_the_order_of_the_graph(monkeypatch):
    monkeypatch.setattr(grid, "MOST_LAYERS", 5)
    monkeypatch.setattr(grid, "MOST_ROWS", 6)
    comparison = compare(Scenario(network="alexnet", n_devices=8).problem())
    layers = tables.layer_table(comparison)
    rows, *_ = make_grid(comparison)
    positions = [row.layer for row in rows]
    assert positions == sorted(layers["cost"].nlargest(6).index)


@pytest.mark.parametrize(
    ("words", "only_different", "expected"),
    [
        ("", False, 14),
        ("CONV", False, 5),
        ("fully connected", False, 3),
        ("conv pool", False, 0),
        ("[(", False, 0),
        ("", True, 4),
    ],
)
def test_the_filter_wants_every_word(words, only_different, expected):
    comparison = compare(Scenario(network="alexnet", n_devices=8).problem())
    layers = tables.layer_table(comparison)
    shown = tables.matching_layers(layers, words, only_different=only_different)
    assert len(shown) == expected
    if only_different:
        assert (shown["split"] != shown["split_data_parallel"]).all()


def test_downloads_hold_the_rows_with_their_units(comparison):
    layers = tables.layer_table(comparison)
    rows = list(csv.DictReader(tables.layers_csv(comparison, layers).splitlines()))
    data = json.loads(tables.layers_json(comparison, layers))
    unit = comparison.solution.unit
    assert (data["schema"], data["unit"], data["devices"]) == ("pase.layers/1", unit, 8)
    assert "modelled, not measured" in data["note"]
    total = pytest.approx(comparison.solution.found.total, rel=1e-12)
    assert sum(float(row[f"cost [{unit}]"]) for row in rows) == total
    assert sum(row["cost"] for row in data["layers"]) == total
    for row, layer, parts in zip(
        data["layers"],
        comparison.solution.problem.graph.layers,
        comparison.solution.found.strategy.configurations,
        strict=True,
    ):
        assert row["dimensions"] == dict(zip(layer.dimension_names, layer.sizes, strict=True))
        assert tuple(row["parts"].values()) == parts


def run_page(**query):
    app = AppTest.from_file(APP, default_timeout=60)
    for name, value in {"page": "Layers", **query}.items():
        app.query_params[name] = value
    return app.run()


@pytest.mark.parametrize("network", SAMPLES)
def test_the_page_shows_every_sample(network):
    app = run_page(network=network)
    assert not app.exception
    assert len(app.dataframe[0].value) == len(SAMPLES[network].build(1).layers)
    assert any("Which dimensions are split" in text.value for text in app.markdown)


def test_a_link_selects_filters_and_shows_the_panel():
    app = run_page(layer="fc2", filter="fully", differ="true")
    assert not app.exception
    assert list(app.dataframe[0].value["layer"]) == ["fc1", "fc2", "fc3"]
    assert any("3 of 14 layers" in text.value and "fc2" in text.value for text in app.caption)
    assert any(text.value.endswith("fc2") for text in app.markdown)


def test_a_filter_that_fits_nothing_says_so():
    app = run_page(filter="nonsense")
    assert not app.exception
    assert any("No layer fits" in text.value for text in app.info)
