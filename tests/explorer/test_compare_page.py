"""Compare: the tables add up, the sentences are right, the page works without a browser."""

import html
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import explorer
from explorer import tables
from explorer.labels import SAVING_COLOURS
from explorer.plots.differences import layer_differences, paired_strips
from explorer.scenario import Scenario
from explorer.tables.explain import amounts, balance, communication_bytes, explain
from pase_core.components import COMPONENTS
from pase_core.solve import compare

APP = str(Path(explorer.__file__).with_name("app.py"))


@pytest.fixture(scope="module", params=["alexnet", "inception_v3", "transformer"])
def lineup(request):
    comparison = compare(Scenario(network=request.param, n_devices=16).problem())
    return tables.line_up(comparison)


@pytest.fixture(scope="module")
def alexnet():
    return compare(Scenario(network="alexnet", n_devices=32).problem())


def pairs(lineup):
    titles = list(lineup.strategies)
    return [(a, b) for a in titles[:3] for b in titles if a != b]


def test_differences_by_component_add_up_to_the_difference_of_the_totals(lineup):
    problem = lineup.comparison.solution.problem
    for this, against in pairs(lineup):
        first, second = lineup.strategies[this], lineup.strategies[against]
        layers = tables.difference_table(problem, first, second)
        tolerance = 1e-12 * max(first.total, second.total)
        difference = second.total - first.total
        assert layers["saved"].sum() == pytest.approx(difference, abs=tolerance)
        assert layers["cost"].sum() == pytest.approx(first.total, rel=1e-12)
        assert layers["cost_against"].sum() == pytest.approx(second.total, rel=1e-12)
        for name in COMPONENTS:
            saved = second.components[name] - first.components[name]
            assert layers[f"saved {name}"].sum() == pytest.approx(saved, abs=tolerance)
        by_row = layers[list(tables.SAVED_COLUMNS)].sum(axis=1)
        assert by_row.to_numpy() == pytest.approx(layers["saved"].to_numpy(), abs=tolerance)


def test_groups_and_modules_lose_no_difference(lineup):
    solution = lineup.comparison.solution
    for this, against in pairs(lineup):
        layers = tables.difference_table(
            solution.problem, lineup.strategies[this], lineup.strategies[against]
        )
        tolerance = 1e-9 * solution.found.total
        total = pytest.approx(layers["saved"].sum(), abs=tolerance)
        other = tables.differing(layers)
        alike = tables.like_layers(other, solution.unit)
        modules = tables.module_differences(layers, solution.unit)
        assert other["saved"].sum() == total
        assert alike["saved"].sum() == total
        assert modules["saved"].sum() == total
        assert alike["n_layers"].sum() == len(other)
        assert modules["n_layers"].sum() == len(layers)
        assert list(alike["saved"].abs()) == sorted(alike["saved"].abs(), reverse=True)
        assert set(layers["layer"][~layers["is_alike"]]) <= set(other["layer"])


def test_a_strategy_does_not_differ_from_itself(lineup):
    found = lineup.comparison.solution.found
    layers = tables.difference_table(lineup.comparison.solution.problem, found, found)
    assert not len(tables.differing(layers))
    assert not len(tables.like_layers(tables.differing(layers), "FLOP"))
    assert all(why.endswith("and costs the same") for why in layers["why"])


def test_the_components_of_every_strategy_add_up(lineup):
    rows = tables.lineup_components(lineup, list(lineup.strategies))
    sums = rows.groupby("strategy")["cost"].sum()
    for title, priced in lineup.strategies.items():
        assert sums[title] == pytest.approx(priced.total, rel=1e-12)


def test_every_strategy_has_a_row_and_dear_variants_have_no_bar(lineup):
    comparison = lineup.comparison
    table = tables.comparison_table(lineup)
    assert len(table) == len(comparison.all_strategies)
    assert table["cost"].min() == comparison.solution.found.total
    assert table["strategy"].str.endswith("(best)").sum() == len(lineup.best)
    assert len(lineup.bars) == len(comparison.best_of_each)
    assert table["weights"].max() == pytest.approx(table["weights"][1])  # data parallel


def test_titles_are_unique_and_edited_stands_beside_found(alexnet):
    found = alexnet.solution.found
    lineup = tables.line_up(alexnet, found, [found, found])
    assert list(lineup.strategies)[:3] == ["Found", "Edited", "Data parallel"]
    assert list(lineup.strategies)[-2:] == ["found 2", "found 3"]
    assert set(lineup.bars) == set(lineup.strategies)


def test_bytes_are_what_a_ring_all_reduce_sends(alexnet):
    """The weights of fc1 are 9216 x 4096 words of 4 bytes, under data parallelism on 32 devices."""
    problem = alexnet.solution.problem
    position = problem.graph.position("fc1")
    column = alexnet.data_parallel.component_names.index("parameter_gradient")
    cost = float(alexnet.data_parallel.layer_components[position, column])
    sent = 2 * 9216 * 4096 * 4 * 31 / 32
    assert communication_bytes(problem, cost) == pytest.approx(sent, rel=1e-12)
    half = replace(problem, cost=replace(problem.cost, word_bytes=2))
    assert communication_bytes(half, cost) == pytest.approx(sent, rel=1e-12)
    assert amounts(problem)("parameter_gradient", cost) == "293 MB"
    assert amounts(problem)("compute", 2e9) == "2.00 GFLOP"


def test_the_sentence_about_a_layer(alexnet):
    problem = alexnet.solution.problem
    layer = problem.graph.layers[problem.graph.position("fc1")]
    price = 1.0 / (communication_bytes(problem, 1.0) or 0.0)
    differences = {
        "parameter_gradient": -293e6 * price,
        "output": 0.4e6 * price,
        "other": 0.01e6 * price,
        "compute": 0.0,
    }
    text = explain(layer, (1, 4, 8), (32, 1, 1), differences, amounts(problem))
    assert text == (
        "splits n 4 ways and c 8 ways instead of b 32 ways: saves 293 MB of weight gradients, "
        "costs 400 kB of partial sums"
    )


@pytest.mark.parametrize(
    ("this", "against", "cost", "words"),
    [
        ((1, 1, 1), (32, 1, 1), 1.0, "is not split instead of b 32 ways: costs 1 of compute"),
        ((2, 2, 2), (1, 1, 1), -1.0, "splits b 2 ways, n 2 ways and c 2 ways instead of nothing: "
         "saves 1 of compute"),
        ((2, 1, 1), (2, 1, 1), 1.0, "splits b 2 ways in both, but a layer before it differs: "
         "costs 1 of compute"),
        ((1, 1, 1), (1, 1, 1), 0.0, "is not split in either and costs the same"),
        ((2, 1, 1), (1, 2, 1), 0.0, "splits b 2 ways instead of n 2 ways: costs the same"),
    ],
)  # fmt: skip
def test_sentences_without_splits_or_differences(alexnet, this, against, cost, words):
    layer = next(layer for layer in alexnet.solution.problem.graph.layers if layer.name == "fc1")
    said = explain(layer, this, against, {"compute": cost}, lambda _name, cost: f"{cost:g}")
    assert said == words


def test_a_balance_names_the_largest_first():
    told = balance({"output": 1.0, "other": 2.0, "compute": -9.0}, lambda _n, c: f"{c:g}")
    assert told == "saves 9 of compute, costs 2 of other messages and 1 of partial sums"
    assert balance({}, lambda _n, _c: "") == "costs the same"


def test_names_from_files_are_no_markup(alexnet):
    problem = alexnet.solution.problem
    graph = replace(
        problem.graph,
        layers=(replace(problem.graph.layers[0], name="<b>*x*"), *problem.graph.layers[1:]),
    )
    layers = tables.difference_table(
        replace(problem, graph=graph), alexnet.data_parallel, alexnet.solution.found
    )
    hovers = [*tables.module_differences(layers, "FLOP")["hover"],
              *tables.like_layers(layers, "FLOP")["hover"]]  # fmt: skip
    assert not any("<b>*x*" in hover for hover in hovers)
    assert any(html.escape("<b>*x*") in hover for hover in hovers)


def test_colours_lie_behind_differences_only(alexnet):
    table = pd.DataFrame({"layer": ["a", "b", "c"], "saved": [10.0, -10.0, 0.0]})
    style = tables.coloured(table, ["saved"])
    assert not isinstance(style, pd.DataFrame)
    text = style.to_html()
    assert "rgba(0, 114, 178, 1.00)" in text
    assert "rgba(179, 88, 6, 1.00)" in text
    assert text.count("background-color") == 2


def difference_rows():
    return pd.DataFrame(
        {
            "layer": ["fc1", "<i>"],
            "title": ["fc1 × 2", "<i>"],
            "module": ["fc1", "<i>"],
            "saved": [4e9, -2e9],
            "cost": [1e9, 3e9],
            "cost_against": [5e9, 1e9],
            "hover": ["one", "two"],
        }
    )


def test_bars_go_right_in_blue_and_left_in_orange():
    figure = layer_differences(difference_rows(), "fc1", SAVING_COLOURS, 1e9, "GFLOP")
    (bar,) = figure.data
    assert list(bar.x) == [4.0, -2.0]
    assert list(bar.marker.color) == [SAVING_COLOURS[-1][1], SAVING_COLOURS[0][1]]
    assert list(bar.text) == ["+4", "−2"]
    assert "GFLOP" in figure.layout.xaxis.title.text
    assert list(figure.layout.yaxis.ticktext) == ["<b>▶ fc1 × 2</b>", "&lt;i&gt;"]


def test_both_strips_share_the_scales():
    rows = difference_rows()
    before = rows.copy()
    figure = paired_strips(rows, ("A: 4", "B: 6"), None, SAVING_COLOURS, 1e9, "GFLOP")
    upper, lower = figure.data
    assert (list(upper.y), list(lower.y)) == ([1.0, 3.0], [5.0, 1.0])
    assert list(upper.marker.color) == list(lower.marker.color) == [4.0, -2.0]
    assert figure.layout.yaxis.range == figure.layout.yaxis2.range
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (-4.0, 4.0)
    assert [a.text for a in figure.layout.annotations] == ["A: 4", "B: 6"]
    pd.testing.assert_frame_equal(rows, before)


def test_the_csv_of_differences_has_every_layer_and_its_unit(alexnet):
    layers = tables.difference_table(
        alexnet.solution.problem, alexnet.solution.found, alexnet.data_parallel
    )
    text = tables.to_csv(
        tables.difference_titles(alexnet.solution.problem, layers, "Found", "Data parallel")
    )
    header, *rows = text.splitlines()
    assert len(rows) == len(layers)
    assert "cost: Found [FLOP]" in header
    assert "saved compute [FLOP]" in header


# The page


def run_page(**query):
    app = AppTest.from_file(APP, default_timeout=60)
    for name, value in {"page": "Compare", **query}.items():
        app.query_params[name] = value
    return app.run()


def shown_text(app):
    return " ".join(e.value for e in (*app.markdown, *app.error, *app.info, *app.success))


def give(app, name, text):
    return app.file_uploader[0].upload(name, text.encode()).run()


@pytest.mark.parametrize("network", ["alexnet", "transformer", "rnnlm"])
def test_the_page_compares_found_with_data_parallel(network):
    app = run_page(network=network)
    assert not app.exception
    assert app.selectbox(key="this").value == "Found"
    assert app.selectbox(key="against").value == "Data parallel"
    assert "layers are split differently" in shown_text(app)
    assert app.dataframe[0].value["strategy"][0] == "Found"


def test_any_two_can_be_compared_and_swapped():
    app = run_page()
    app.selectbox(key="this").select("One weird trick").run()
    assert not app.exception
    next(button for button in app.button if button.label == "⇄").click().run()
    assert app.selectbox(key="this").value == "Data parallel"
    assert app.selectbox(key="against").value == "One weird trick"
    app.selectbox(key="this").select("One weird trick").run()
    assert not app.exception
    assert "Choose two different strategies" in shown_text(app)


def test_the_address_names_the_two():
    app = run_page(this="One weird trick", against="Found")
    assert app.selectbox(key="this").value == "One weird trick"
    assert app.selectbox(key="against").value == "Found"
    odd = run_page(this="No such strategy")
    assert not odd.exception
    assert odd.selectbox(key="this").value == "Found"


def test_one_device_leaves_nothing_to_compare():
    app = run_page(devices="1")
    assert not app.exception
    assert "cost the same in every layer" in shown_text(app)


def test_pins_make_an_edited_strategy():
    app = run_page(pins="fc1:8.1.1")
    assert not app.exception
    titles = list(app.dataframe[0].value["strategy"])
    assert titles[:3] == ["Found", "Edited", "Data parallel"]
    assert app.selectbox(key="this").value == "Edited"
    costs = app.dataframe[0].value["cost"]
    assert costs[0] < costs[1]


def test_the_selected_layer_is_explained():
    app = run_page(layer="fc1")
    (info,) = app.info
    assert info.value.startswith("**fc1** splits n 2 ways and c 4 ways instead of b 8 ways")


def test_a_file_is_compared_kept_and_removed():
    app = give(run_page(), "mine.csv", "layer,dimension,split\nfc1,n,8\n")
    assert not app.exception
    assert not app.error
    assert "mine" in list(app.dataframe[0].value["strategy"])
    app.selectbox(key="this").select("mine").run()
    assert "mine" in shown_text(app)
    app.segmented_control(key="page").set_value("Overview").run()
    app.segmented_control(key="page").set_value("Compare").run()
    assert "mine" in list(app.dataframe[0].value["strategy"])
    app.selectbox(key="this").select("mine").run()
    next(button for button in app.button if button.label == "✕").click().run()
    assert not app.exception
    assert "mine" not in list(app.dataframe[0].value["strategy"])


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("bad.csv", "layer,dimension,split\nfc11,n,8\n", ["line 2", "fc11", "did you mean"]),
        ("bad.csv", "layer,dimension,split\nfc1,n,16\n", ["bad", "at most 8 devices"]),
        ("bad.json", "{", ["not JSON"]),
        ("[a](b).csv", "", ["empty"]),
    ],
)
def test_a_bad_file_gives_a_message(name, text, words):
    app = give(run_page(), name, text)
    assert not app.exception
    (error,) = app.error
    said = error.value.replace("\\", "")
    assert name in said
    assert "](b)" not in error.value
    for word in words:
        assert word in said


def test_files_belong_to_their_network():
    app = give(run_page(), "mine.csv", "layer,dimension,split\nfc1,n,8\n")
    app.selectbox(key="network").select("rnnlm").run()
    assert not app.exception
    assert not app.error
    assert "mine" not in list(app.dataframe[0].value["strategy"])
