"""The layer panel: who holds what, and how its costs come about."""

import re
from dataclasses import replace

import pandas as pd
import pytest

from explorer import tables
from explorer.bills import audit_html
from explorer.labels import component_title
from explorer.plots.parts import device_grid
from explorer.scenario import Scenario
from explorer.tables.details import _components_of
from explorer.tables.parts import device_numbers
from pase_core.solve import compare
from pase_core.strategy import Strategy
from pase_core.units import with_prefix
from tests.explorer.test_app import run_app


@pytest.fixture(scope="module", params=["alexnet", "transformer"])
def comparison(request):
    return compare(Scenario(network=request.param, n_devices=8).problem())


def positions(comparison):
    return range(len(comparison.solution.problem.graph.layers))


def with_configuration(comparison, name, configuration):
    """The comparison as if another configuration of one layer had been found."""
    solution = comparison.solution
    position = solution.problem.graph.position(name)
    configurations = list(solution.found.strategy.configurations)
    configurations[position] = configuration
    found = replace(solution.found, strategy=Strategy("found", tuple(configurations)))
    return replace(comparison, solution=replace(solution, found=found)), position


def test_the_audits_terms_add_up_to_the_panels_components(comparison):
    for position in positions(comparison):
        audited = {each.name: each for each in tables.audit(comparison, position)}
        panel = _components_of(comparison.solution.found, [position])
        for name, cost in panel.items():
            total = audited[name].total if name in audited else 0.0
            assert total == pytest.approx(cost, rel=1e-12)
            if name in audited:
                terms = [term.value for _title, term in audited[name].terms]
                assert sum(terms) == audited[name].total
        assert set(audited) <= set(panel)


def test_what_the_audit_shows_adds_up_to_what_the_panel_shows(comparison):
    unit = comparison.solution.unit
    for position in positions(comparison):
        html = audit_html(tables.audit(comparison, position), unit)
        values = re.findall(rf"= <b>([\d,.e+]+) {unit}</b>", html)
        shown = tables.component_comparison(comparison, [position]).set_index("cost")["found"]
        total = sum(float(value.replace(",", "")) for value in values)
        assert with_prefix(total, unit) == shown["Sum"]
        heads = dict(re.findall(r"</span> ([A-Z][a-z ]+)</b><b [^>]*>([^<]+)</b>", html))
        assert heads == {k: v for k, v in shown.items() if k != "Sum" and not v.startswith("0 ")}


def test_the_audit_names_inputs_with_units_and_what_costs_nothing():
    comparison = compare(Scenario(network="alexnet", n_devices=8).problem())
    position = comparison.solution.problem.graph.position("fc1")
    audited = tables.audit(comparison, position)
    html = audit_html(audited, comparison.solution.unit)
    assert "FLOP per word" in html
    assert "W × 2 × w × (q − 1) / q" in html
    for component in audited:
        for _title, term in component.terms:
            assert term.law in html
            assert all(str(each) in html for each in term.quantities)


def test_names_from_files_are_text_in_the_audit():
    problem = Scenario(network="rnnlm", n_devices=2).problem()
    first, *others = problem.graph.layers
    graph = replace(problem.graph, layers=(replace(first, name="<b>bold</b>"), *others))
    comparison = compare(replace(problem, graph=graph))
    for position in positions(comparison):
        html = audit_html(tables.audit(comparison, position), "FLOP")
        assert "<b>bold" not in html


def test_the_grid_of_the_iteration_space_has_a_device_per_part():
    comparison = compare(Scenario(network="alexnet", n_devices=8).problem())
    changed, position = with_configuration(comparison, "fc1", (2, 4, 1))
    grid = tables.part_grid(changed, position)
    assert (grid.rows, grid.columns) == (("n 0", "n 1", "n 2", "n 3"), ("b 0", "b 1"))
    by_place = {(c["row"], c["column"]): c["text"] for c in grid.cells.to_dict("records")}
    assert by_place == {(n, b): str(4 * b + n) for b in range(2) for n in range(4)}
    assert grid.caption == "8 parts, each computed by one device."
    assert "n part 2 of 4: 2,048–3,071" in grid.cells["hover"].iloc[2]


def test_a_tensor_that_lacks_a_split_dimension_is_held_in_copies():
    comparison = compare(Scenario(network="alexnet", n_devices=8).problem())
    changed, position = with_configuration(comparison, "fc1", (2, 3, 1))
    things = tables.held_things(changed, position)
    assert next(iter(things)) == tables.SPACE
    (weights,) = (access for title, access in things.items() if title.startswith("parameter"))
    grid = tables.part_grid(changed, position, weights)
    assert list(grid.cells["text"]) == ["0, 3", "1, 4", "2, 5"]
    assert grid.caption == "3 parts; each lies on 2 devices. Devices 6–7 are idle."
    assert grid.rows == ("n 0–2",)


def test_further_splits_share_a_cell_and_are_told():
    comparison = compare(Scenario(network="alexnet", n_devices=8).problem())
    changed, position = with_configuration(comparison, "fc1", (2, 2, 2))
    grid = tables.part_grid(changed, position)
    assert list(grid.cells["text"]) == ["0–1", "2–3", "4–5", "6–7"]
    assert "A cell holds 2 of them: c in 2" in grid.caption
    assert grid.cells["hover"].iloc[0].count("device ") == 2


def test_every_layer_and_tensor_can_be_drawn(comparison):
    for position in positions(comparison):
        for access in tables.held_things(comparison, position).values():
            grid = tables.part_grid(comparison, position, access)
            assert len(grid.cells)
            assert grid.cells["row"].max() < len(grid.rows)
            assert grid.cells["column"].max() < len(grid.columns)


@pytest.mark.parametrize(
    ("devices", "longest", "text"),
    [
        ([5], 60, "5"),
        ([0, 1, 2, 3], 60, "0–3"),
        ([0, 1, 4, 5, 9], 60, "0–1, 4–5, 9"),
        (range(0, 64, 2), 12, "0, 2 … 62"),
        (range(0, 64, 2), 6, "0 … 62"),
        (range(1000, 2000, 2), 6, "1000 …"),
        (range(1000, 2000, 2), 3, "…"),
    ],
)
def test_devices_are_told_as_ranges(devices, longest, text):
    assert device_numbers(list(devices), longest) == text


def test_the_figure_draws_the_table():
    cells = pd.DataFrame(
        [
            {"row": row, "column": column, "text": f"{row}{column}", "hover": "told"}
            for row in range(3)
            for column in range(2)
        ]
    )
    before = cells.copy()
    figure = device_grid(cells, ["b 0", "b 1", "<i>"], ["n 0", "n 1"], ("#FFFFFF", "#111111"))
    (bar,) = figure.data
    assert list(bar.text) == list(cells["text"])
    assert list(bar.y) == list(cells["row"])
    assert list(figure.layout.yaxis.ticktext) == ["b 0", "b 1", "&lt;i&gt;"]
    assert list(figure.layout.xaxis.ticktext) == ["n 0", "n 1"]
    pd.testing.assert_frame_equal(cells, before)


def page_text(app):
    shown = [element.value for element in (*app.markdown, *app.caption)]
    return " ".join([*shown, *(html.proto.body for html in app.get("html"))])


@pytest.mark.parametrize("page", ["Graph", "Layers"])
def test_the_panel_shows_parts_and_audit(page):
    app = run_app(page=page, layer="fc1")
    assert not app.exception
    assert "does not place devices" in page_text(app)
    assert {each.label for each in app.expander} >= {
        "How these numbers come about",
        "Which device holds which part",
    }
    assert component_title("compute") in page_text(app)
    box = next(box for box in app.selectbox if box.label == "Parts of")
    weights = next(option for option in box.options if option.startswith("parameter"))
    before = page_text(app)
    box.select(weights).run()
    assert not app.exception
    assert page_text(app) != before


@pytest.mark.parametrize("page", ["Graph", "Layers"])
def test_the_hint_fits_both_pages(page):
    app = run_app(page=page)
    assert any(text.value.startswith("Pick a layer") for text in app.info)
