"""The Costs page: its charts' data add up, for every sample and every strategy."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import explorer
from explorer import tables
from explorer.labels import COMPONENT_COLOURS, SAVING_COLOURS, component_title
from explorer.plots.accumulated import accumulated_lines
from explorer.plots.dearest import dearest_bars
from explorer.plots.text import LONGEST, label
from explorer.plots.treemap import cost_treemap
from explorer.plots.waterfall import cost_waterfall
from explorer.scenario import Scenario
from pase_core.solve import compare
from sample_graphs import SAMPLES
from tests.samples import DISTINCT

APP = str(Path(explorer.__file__).with_name("app.py"))

COLOURS = {component_title(name): colour for name, colour in COMPONENT_COLOURS.items()}

SCALE, UNIT = 1e9, "GFLOP"


@pytest.fixture(scope="module", params=list(SAMPLES))
def comparison(request):
    return compare(Scenario(network=request.param, n_devices=8).problem())


def names_of(comparison):
    return [layer.name for layer in comparison.solution.problem.graph.layers]


def approx(value):
    return pytest.approx(value, rel=1e-9, abs=1e-3)


def test_the_waterfall_leads_from_every_strategy_to_the_found_total(comparison):
    found = comparison.solution.found
    for baseline in comparison.all_strategies:
        steps = tables.waterfall_steps(comparison, baseline)
        assert steps["baseline"].sum() == approx(baseline.total)
        assert steps["baseline"].sum() + steps["change"].sum() == approx(found.total)
        assert list(steps["change"]) == sorted(steps["change"])
        assert set(steps["pick"]) <= set(names_of(comparison))


def test_the_drawn_waterfall_adds_up(comparison):
    found, baseline = comparison.solution.found, comparison.data_parallel
    steps = tables.waterfall_steps(comparison, baseline)
    figure = cost_waterfall(steps, COLOURS, SCALE, UNIT, baseline="Data parallel")
    bars = [trace for trace in figure.data if trace.type == "bar"]
    last = len(figure.layout.xaxis.tickvals) - 1
    columns = {0: 0.0, last: 0.0}
    level = {}
    for bar in bars:
        assert bar.marker.color == COLOURS[bar.name]
        for x, y, base in zip(bar.x, bar.y, bar.base, strict=True):
            if x in columns:
                assert base == pytest.approx(columns[x])  # stacked without gaps
                columns[x] += y
            else:
                level[x] = (base, base + y)
    assert columns[0] == approx(baseline.total / SCALE)
    assert columns[last] == approx(found.total / SCALE)
    here = columns[0]
    for x in sorted(level):  # every step begins where the one before has ended
        low, high = level[x]
        assert min(abs(here - low), abs(here - high)) <= 1e-9 * columns[0]
        here = high if abs(here - low) < abs(here - high) else low
    assert here == approx(found.total / SCALE)
    assert UNIT in figure.layout.yaxis.title.text
    assert figure.layout.xaxis.ticktext[-1] == "Found"


def test_a_zoomed_waterfall_says_that_its_axis_does_not_start_at_0():
    comparison = compare(Scenario(network="inception_v3", n_devices=8).problem())
    steps = tables.waterfall_steps(comparison, comparison.data_parallel)
    figure = cost_waterfall(steps, COLOURS, SCALE, UNIT, baseline="b", is_zoomed=True)
    assert "not from 0" in figure.layout.yaxis.title.text
    assert figure.layout.yaxis.range[0] > 0


def test_a_waterfall_without_a_step_is_drawn_all_the_same():
    comparison = compare(Scenario(network="alexnet", n_devices=1).problem())
    steps = tables.waterfall_steps(comparison, comparison.solution.found)
    for is_zoomed in (False, True):
        figure = cost_waterfall(steps, COLOURS, SCALE, UNIT, baseline="b", is_zoomed=is_zoomed)
        assert list(figure.layout.xaxis.ticktext) == ["b", "Found"]


def test_the_accumulated_lines_end_at_the_totals(comparison):
    for baseline in comparison.all_strategies:
        table = tables.accumulated_costs(comparison, baseline)
        assert table["found"].iloc[-1] == approx(comparison.solution.found.total)
        assert table["baseline"].iloc[-1] == approx(baseline.total)
        assert list(table["layer"]) == names_of(comparison)
    figure = accumulated_lines(
        table, SCALE, UNIT, baseline="b", colours=("#000000", "#ffffff"), marked={table["layer"][0]}
    )
    assert {trace.name: trace.y[-1] for trace in figure.data} == {
        "Found": approx(comparison.solution.found.total / SCALE),
        "b": approx(baseline.total / SCALE),
    }
    assert all(list(trace.customdata[:, 0]) == names_of(comparison) for trace in figure.data)
    assert UNIT in figure.layout.yaxis.title.text
    assert figure.layout.xaxis.title.text


def test_the_treemap_adds_up(comparison):
    names = names_of(comparison)
    found = comparison.solution.found
    for baseline in comparison.all_strategies:
        tree = tables.cost_tree(comparison, baseline, names).set_index("id")
        whole = tree.loc["all"]
        assert tree["leaf"].sum() == approx(found.total)
        assert whole["cost"] == approx(found.total)
        assert whole["saving"] == approx(baseline.total - found.total)
        for column in ("cost", "saving"):
            for parent, rows in tree[tree["parent"] != ""].groupby("parent"):
                assert rows[column].sum() == approx(tree.loc[parent, column])
    assert sorted(filter(None, tree["layer"])) == sorted(names)
    assert set(tree.loc[tree["layer"] != "", "pick"]) == set(names)


def test_the_treemap_is_drawn_in_the_colours_of_savings(comparison):
    names = names_of(comparison)
    tree = tables.cost_tree(comparison, comparison.data_parallel, names)
    figure = cost_treemap(tree, SAVING_COLOURS, SCALE, UNIT, marked={names[0]})
    (areas,) = figure.data
    assert sum(areas["values"]) == approx(comparison.solution.found.total)
    assert areas.marker.cmin == -areas.marker.cmax < 0
    assert UNIT in areas.marker.colorbar.title.text
    assert sum("▶" in title for title in areas.labels) == 1
    assert len(set(areas.ids)) == len(areas.ids)


def test_the_dearest_layers_are_the_dearest_and_their_parts_add_up(comparison):
    table = tables.dearest_layers(comparison, comparison.data_parallel)
    layers = tables.layer_table(comparison).set_index("layer")
    shown = list(dict.fromkeys(table["layer"]))
    dearest = layers["cost"].sort_values(ascending=False).iloc[: len(shown)]
    assert list(layers.loc[shown, "cost"]) == pytest.approx(list(dearest))
    for name, rows in table.groupby("layer"):
        assert rows["cost"].sum() == approx(layers.loc[name, "cost"])
        assert (rows["baseline"] == layers.loc[name, "data_parallel"]).all()


def test_the_bars_of_the_dearest_layers_are_stacked_in_the_components_colours(comparison):
    table = tables.dearest_layers(comparison, comparison.data_parallel, most=5)
    first = table["layer"].iloc[0]
    figure = dearest_bars(table, COLOURS, SCALE, UNIT, baseline="Data parallel", marked={first})
    bars = [trace for trace in figure.data if trace.type == "bar"]
    assert all(bar.marker.color == COLOURS[bar.name] for bar in bars)
    assert sum(sum(bar.x) for bar in bars) == approx(table["cost"].sum() / SCALE)
    assert figure.layout.barmode == "stack"
    assert UNIT in figure.layout.xaxis.title.text
    assert first in figure.layout.yaxis.ticktext[0]
    assert "▶" in figure.layout.yaxis.ticktext[0]
    for bar in bars:
        assert set(bar.customdata[:, 0]) <= set(table["layer"])


def test_plots_do_not_change_their_tables(comparison):
    baseline = comparison.data_parallel
    made = (
        (tables.waterfall_steps(comparison, baseline), cost_waterfall, [COLOURS]),
        (tables.dearest_layers(comparison, baseline), dearest_bars, [COLOURS]),
        (tables.accumulated_costs(comparison, baseline), accumulated_lines, []),
    )
    for table, plot, colours in made:
        before = table.copy()
        more = {} if colours else {"colours": ("#000000", "#ffffff")}
        plot(table, *colours, SCALE, UNIT, baseline="b", **more)
        assert table.equals(before)


def test_the_sentence_about_a_selection_tells_saving_from_loss():
    comparison = compare(Scenario(network="alexnet", n_devices=8).problem())
    names, baseline = names_of(comparison), comparison.data_parallel
    assert "saves" in tables.cost_sentence(comparison, baseline, [names.index("fc1")])
    assert "the same as" in tables.cost_sentence(comparison, baseline, [names.index("conv1")])
    worse = comparison.solution.found
    assert "the same as" in tables.cost_sentence(comparison, worse, [names.index("fc1")])


def test_labels_show_names_as_text_and_leave_out_the_middle_of_long_ones():
    assert label("a<b>&c") == "a&lt;b&gt;&amp;c"
    long = label("start/" + "x" * 80 + "/end")
    assert len(long) == LONGEST
    assert long.startswith("start/")
    assert long.endswith("/end")


def run_page(**query):
    app = AppTest.from_file(APP, default_timeout=60)
    for name, value in {"page": "Costs", **query}.items():
        app.query_params[name] = value
    return app.run()


@pytest.mark.parametrize("network", DISTINCT)
def test_the_page_shows_every_sample_and_baseline(network):
    app = run_page(network=network)
    assert not app.exception
    titles = " ".join(text.value for text in app.markdown)
    for title in ("From data parallel", "The dearest layers", "Where the cost", "How the cost"):
        assert title in titles
    control = app.segmented_control(key="beside")
    for option in control.options:
        app.segmented_control(key="beside").set_value(option).run()
        assert not app.exception


@pytest.mark.parametrize("devices", ["1", "6", "1024"])
def test_the_page_stands_any_number_of_devices(devices):
    app = run_page(devices=devices, zoomed="true")
    assert not app.exception


@pytest.mark.parametrize("layer", ["fc1", "<img src=x onerror=alert(1)>"])
def test_a_link_selects_a_layer_and_nonsense_selects_nothing(layer):
    app = run_page(layer=layer)
    assert not app.exception
