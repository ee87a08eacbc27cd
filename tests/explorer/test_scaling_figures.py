"""Tables and plots of the Scaling page."""

import json
import math
from dataclasses import replace

import pandas as pd
import pytest

from explorer import tables
from explorer.plots.figure6 import measured_and_modelled
from explorer.plots.scaling import communication_lines, speedup_lines, time_lines, weight_lines
from explorer.points import Point, points_of
from explorer.scenario import Scenario
from explorer.tables.figure6 import modelled_speedups
from pase_core.solve import compare

SCENARIO = Scenario(network="transformer")


@pytest.fixture(scope="module")
def comparisons():
    return [compare(replace(SCENARIO, n_devices=n).problem()) for n in (1, 4, 16)]


@pytest.fixture(scope="module")
def points(comparisons):
    return [point for comparison in comparisons for point in points_of(comparison)]


@pytest.fixture(scope="module")
def table(points):
    return tables.scaling_table(points)


def test_rows_agree_with_the_comparisons(comparisons, table):
    for comparison in comparisons:
        n_devices = comparison.solution.problem.cluster.n_devices
        rows = table[table["devices"] == n_devices].set_index("kind")
        found = comparison.solution.found
        assert rows.loc["found", "cost"] == found.total
        assert rows.loc["found", "speedup"] == pytest.approx(comparison.speedup(found))
        assert rows.loc["data parallel", "speedup"] == 1.0
        parts = table.filter(like="component ").sum(axis=1)
        assert list(parts) == pytest.approx(list(table["cost"]))
    assert table["efficiency"].max() == pytest.approx(1.0)


def test_the_ideal_line_halves_with_twice_the_devices(points, table):
    ideal = tables.ideal_table(points)
    assert list(ideal["devices"] * ideal["seconds"]) == pytest.approx([ideal["seconds"][0]] * 3)
    assert ideal["seconds"][0] == table["seconds"].iloc[0]


def test_messages_are_no_rows_and_each_reason_is_told_once(points):
    bad = [Point(2, message="no"), Point(8, message="no"), Point(32, message="never")]
    assert len(tables.scaling_table([*points, *bad])) == len(points)
    assert tables.failures([*points, *bad]) == [("2, 8", "no"), ("32", "never")]
    assert tables.scaling_table(bad).empty
    assert tables.scaling_headline(tables.scaling_table(bad))


def growth(speedups, seconds=(8.0, 4.0, 5.0)):  # found takes half as long as data parallelism
    rows = []
    for n, speedup, time in zip((1, 2, 4), speedups, seconds, strict=True):
        rows += [("found", "Found", n, time / 2, 2.0), ("data parallel", "D", n, time, 1.0)]
        rows.append(("expert", "Expert", n, time / speedup, speedup))
    return pd.DataFrame(rows, columns=["kind", "strategy", "devices", "seconds", "speedup"])


def test_changes_of_places_are_found_between_their_neighbours():
    (crossing,) = tables.crossing_table(growth((1.0, 0.5, 2.0))).itertuples()
    assert crossing.devices == pytest.approx(math.sqrt(8))
    assert "overtakes data parallelism between 2 and 4" in crossing.text
    assert tables.crossing_table(growth((1.0, 1.2, 2.0))).empty
    (back,) = tables.crossing_table(growth((1.5, 1.0, 0.5))).itertuples()
    assert "falls behind data parallelism between 1 and 4" in back.text


def test_the_headline_says_where_data_parallelism_ends():
    text = tables.scaling_headline(growth((1.0, 1.0, 1.0)))
    assert "no further than **1 times**, on 2." in text
    assert "From 1 to 4 devices" in text
    text = tables.scaling_headline(growth((1.0, 1.0, 1.0), (8.0, 8.0, 9.0)))
    assert "data parallelism gains nothing from more of them." in text


def lines(figure):
    return {trace.name: trace for trace in figure.data}


def test_times_are_drawn_in_their_unit_on_logarithmic_axes(points, table):
    before = table.copy()
    figure = time_lines(table, tables.ideal_table(points), 1e-3, "ms", 4)
    found = table[table["kind"] == "found"]
    assert list(lines(figure)["Found"].x) == [1, 4, 16]
    assert list(lines(figure)["Found"].y) == pytest.approx(list(found["seconds"] * 1e3))
    assert lines(figure)["Ideal"].line.dash == "dash"
    assert figure.layout.xaxis.type == figure.layout.yaxis.type == "log"
    assert "[ms]" in figure.layout.yaxis.title.text
    assert figure.layout.annotations[0].text == "p = 4"
    assert [row[0] for row in lines(figure)["Found"].customdata] == [1, 4, 16]
    pd.testing.assert_frame_equal(table, before)


def test_each_strategy_has_one_colour_on_every_chart(table):
    crossings = tables.crossing_table(table)
    figures = [
        speedup_lines(table, crossings, 4),
        communication_lines(table, 4),
        weight_lines(table, None, 4),
    ]
    for name in table["strategy"].unique():
        assert len({lines(figure)[name].line.color for figure in figures}) == 1
    assert len({trace.line.color for trace in figures[1].data}) == 3


def test_experts_lines_are_told_apart(table):
    experts = table[table["kind"] == "expert"]["strategy"].unique()
    traces = [lines(communication_lines(table, 4))[name] for name in experts]
    assert len(experts) == 4
    assert len({(trace.line.dash, trace.marker.symbol) for trace in traces}) == 4


def test_memory_is_drawn_only_near_the_weights(table):
    memory, text = tables.memory_line(SCENARIO, table)
    assert memory == pytest.approx(11e9, rel=0.1) and "weights alone" in text
    assert "Memory of a device" in lines(weight_lines(table, memory, 4))
    small = table.assign(weights_bytes=1e6)
    assert tables.memory_line(SCENARIO, small)[0] is None


def test_the_end_of_a_node_is_told_where_it_matters(table):
    assert "Beyond the 8 devices of a node" in tables.node_remark(SCENARIO, table)
    assert tables.node_remark(SCENARIO, table[table["devices"] <= 4]) == ""
    assert tables.node_remark(replace(SCENARIO, giga_bytes=10.0), table) == ""


@pytest.mark.parametrize("network", ["alexnet", "inception_v3", "rnnlm", "transformer"])
def test_measured_and_modelled_are_never_one_line(network):
    model = [Point(8, "found", seconds=1.0), Point(8, "data parallel", seconds=2.0)]
    scenario = Scenario(network=network, cluster="b200", batch=3)
    like_paper = tables.figure6_scenarios(scenario)
    assert all(each.batch is None for each in like_paper.values())
    table = tables.figure6_table(network, dict.fromkeys(like_paper, model))
    assert set(table["source"]) == {tables.MEASURED, tables.MODELLED_SPEEDUP}
    assert (table[table["source"] == tables.MODELLED_SPEEDUP]["speedup"] == 2.0).all()
    figure = measured_and_modelled(
        table, tables.figure6_titles(), tables.MEASURED, tables.MODELLED_SPEEDUP
    )
    for trace in figure.data:
        assert trace.line.dash == ("dash" if "Modelled" in trace.legendgrouptitle.text else "solid")
        assert "measured" in trace.hovertemplate or "modelled" in trace.hovertemplate
    n_lines = 2 if network == "transformer" else 3
    assert len(figure.data) == 2 * (n_lines + 1)


def test_experts_that_the_paper_did_not_measure_are_not_in_its_figure():
    model = [
        Point(8, "data parallel", seconds=2.0),
        Point(8, "expert", "Mesh-TensorFlow", seconds=1.0),
        Point(8, "expert", "Megatron-LM", seconds=0.5),
    ]
    table = modelled_speedups({"rtx-2080-ti": model})
    assert list(table["strategy"]) == ["Mesh-TensorFlow"]


def test_the_papers_figures_are_read_as_they_stand():
    table = tables.figure6_table("alexnet", {})
    row = table[(table["cluster"] == "rtx-2080-ti") & (table["devices"] == 8)]
    assert dict(zip(row["strategy"], row["speedup"], strict=True)) == {
        "PaSE": 4.0, "Expert": 3.5, "FlexFlow": 3.5,
    }  # fmt: skip
    assert len(tables.shown_figure6(table)) == 10
    assert tables.figure6_scenarios(Scenario(network="resnet101")) == {}


def test_the_study_can_be_read_back_as_json(points):
    data = json.loads(tables.scaling_json(SCENARIO, points))
    assert data["modelled"] is True and data["scenario"]["network"] == "transformer"
    assert [row["cost"] for row in data["points"]] == [point.cost for point in points]
