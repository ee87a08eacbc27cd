"""The Frontier page: its tables, its plots, and the page in AppTest."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import explorer
from explorer.plots.frontier import byte_bars, frontier_curve, frontier_place
from explorer.scenario import Scenario
from explorer.tables.frontier import (
    CORNER,
    MOST_BARS,
    beside_table,
    capacity_table,
    change_rows,
    file_table,
    frontier_headline,
    limit_gigabytes,
    parts_table,
    point_table,
    proof_sentence,
    remedy_table,
    shown_points,
)
from pase_core.components import HELD
from pase_core.fit import least_bytes, remedies
from pase_core.search.frontier import Frontier
from pase_core.solve import compare, solve
from pase_core.trade_off import trade_off

APP = str(Path(explorer.__file__).with_name("app.py"))
SCENARIO = Scenario(network="vgg16", n_devices=8)


@pytest.fixture(scope="module")
def found():
    return trade_off(SCENARIO.problem())


@pytest.fixture(scope="module")
def comparison():
    return compare(SCENARIO.problem())


def test_points_are_those_of_the_frontier(found):
    table = point_table(found)
    assert list(table["bytes"]) == [point.weight for point in found.points]
    assert list(table["seconds"]) == [found.seconds(point.cost) for point in found.points]
    assert table["slower"].iloc[-1] == 0
    assert table["larger"].iloc[0] == 0
    assert set(table["kind"].iloc[[0, -1]]) == {CORNER}
    assert len(file_table(found, table)) == len(found.points)


def test_people_and_devices_are_beside_it(found, comparison):
    beside = beside_table(found, comparison)
    assert list(beside["title"][:2]) == ["Data parallel", "One weird trick"]
    assert list(beside["bytes"]) == [each.weight for each in found.baselines]
    capacities = capacity_table(found)
    assert capacities["is_own"].sum() == 1
    own = capacities[capacities["is_own"]].iloc[0]
    assert "gtx-1080-ti" in own["names"]
    assert own["bytes"] == found.problem.cluster.memory_bytes


def test_the_parts_of_the_bytes_add_up(found):
    sums = parts_table(found).groupby("point")["bytes"].sum()
    assert len(sums) == min(len(found.points), MOST_BARS) == len(shown_points(found))
    for number, total in sums.items():
        assert total == pytest.approx(found.points[number - 1].weight)


def test_the_headline_says_what_fits(found):
    assert "The fastest fits the 11.0 GB" in frontier_headline(found)
    middle = found.points[len(found.points) // 2]
    small = with_memory(found, middle.weight)
    assert f"is point {len(found.points) // 2 + 1}:" in frontier_headline(small)
    nothing = with_memory(found, found.points[0].weight * 0.9)
    assert "**Nothing fits**" in frontier_headline(nothing)


def with_memory(found, memory_bytes):
    cluster = found.problem.cluster.with_figures({"memory_bytes": memory_bytes})
    return replace(found, problem=replace(found.problem, cluster=cluster))


def test_one_point_is_said_to_be_best_in_both(found):
    single = replace(found, frontier=replace(found.frontier, points=found.points[-1:]))
    assert "**One strategy** is best in both" in frontier_headline(single)


def test_what_is_not_proved_is_said(found):
    assert "proved" in proof_sentence(found)
    ends = (found.points[0].weight, found.points[1].weight)
    open_gap = Frontier(found.points, (ends,), 0.0, "integer program", 1.0)
    assert "1 gap between points may hold more" in proof_sentence(replace(found, frontier=open_gap))


def test_changes_are_counted_from_the_fastest(found):
    assert len(change_rows(found, len(found.points) - 1)) == 0
    assert len(change_rows(found, 0)) > 0


@pytest.mark.parametrize("index", [0, 3, -2])
def test_a_points_limit_gives_the_point_again(found, index):
    point = found.points[index]
    limited = replace(SCENARIO, memory_limit=limit_gigabytes(point.weight))
    assert solve(limited.problem()).found.total == pytest.approx(point.cost, rel=1e-12)


def test_remedies_as_a_table():
    problem = SCENARIO.problem()
    tight = replace(problem, memory_limit_bytes=0.9 * least_bytes(problem))
    table = remedy_table(remedies(tight))
    assert set(table["Fits"]) <= {"yes", "no"}
    assert "-p 16" in set(table["Options of the command line"])


def test_plots_hold_every_point(found, comparison):
    table = point_table(found)
    unit = (1e-3, "ms")
    place = frontier_place(
        table, beside_table(found, comparison), capacity_table(found), "#111111", unit
    )
    assert len(place.data[0].x) == len(table)
    assert [trace.name for trace in place.data[1:]] == ["Data parallel", "One weird trick"]
    curve = frontier_curve(table, 2, "#111111", unit)
    assert list(curve.data[0].y) == pytest.approx(list(table["seconds"] / 1e-3))
    assert curve.data[1].x[0] == table["bytes"].iloc[1] / 1e9
    bars = byte_bars(parts_table(found), {part: title for part, (title, _) in HELD.items()})
    assert [trace.name for trace in bars.data] == [title for title, _ in HELD.values()]


# The page


def open_page(page="Frontier", **query):
    app = AppTest.from_file(APP, default_timeout=60)
    app.query_params["page"] = page
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    for button in app.button:  # there if the one search took long, as on a busy machine
        if button.label == "Find the frontier":
            button.click().run()
    return app


def shown_text(app):
    kinds = (app.markdown, app.caption, app.info, app.warning, app.error)
    return " ".join(element.value for elements in kinds for element in elements)


def test_the_page_shows_every_part():
    app = open_page(network="alexnet")
    assert not app.exception
    text = shown_text(app)
    assert "The fastest fits the 11.0 GB of this cluster's devices" in text
    assert "modelled, not measured" in text
    specs = [json.loads(element.proto.spec) for element in app.get("plotly_chart")]
    assert len(specs) == 3
    assert len(app.dataframe[0].value) == len(specs[1]["data"][0]["customdata"])


def test_a_limit_holds_every_page_and_can_be_removed(found):
    gigabytes = limit_gigabytes(found.points[2].weight)
    app = open_page("Overview", network="vgg16", memory_limit=str(gigabytes))
    assert not app.exception
    assert "Held to" in shown_text(app)
    assert app.session_state["scenario"].memory_limit == gigabytes
    app.button(key="remove limit").click().run()
    assert "Held to" not in shown_text(app)
    assert app.session_state["scenario"].memory_limit is None


@pytest.mark.parametrize(
    "page", ["Frontier", "Compare", "Layers", "Costs", "Alternatives", "Searches", "Balance"]
)
def test_what_nothing_keeps_to_is_said_on_every_page(page):
    app = open_page(page, network="alexnet", devices="4", memory_limit="0.01")
    assert not app.exception
    assert not app.error
    text = shown_text(app)
    assert "**Nothing fits 10.00 MB per device.**" in text
    assert "Shown is the strategy that holds least" in text
    assert any("What would help" in table.value.columns for table in app.dataframe)
