"""The Learn page: its tables and words, its figures' data, and the page in AppTest."""

import math

import pandas as pd
import pytest

from explorer import tables
from explorer.amounts import amount, amount_of_bytes
from explorer.learn.texts import SECTIONS
from explorer.lessons import Subject, first_title, sample_growths, subjects
from explorer.plots.growth import ordering_growth, step_sizes
from explorer.plots.items import item_costs
from explorer.scenario import Scenario
from explorer.step_picture import draw_step
from explorer.tables.learn import STATES, states
from explorer.toy import solve_toy
from pase_core.search.growth import grow
from pase_core.skeleton import Skeleton, skeleton
from pase_core.units import with_prefix
from sample_graphs import SAMPLES
from sample_graphs.toys import branches
from tests.explorer.test_app import run_app

CHAIN = Skeleton(("conv", "fc1", "fc2"), ((0, 1), (1, 2)), (24, 20, 10))
STEPS = grow(CHAIN.neighbours, CHAIN.n_choices, "generateseq")


@pytest.mark.parametrize(
    ("n", "text"),
    [
        (1152, "1,152"),
        (2_500_000, "2.5 million"),
        (10**9, "1 billion"),
        (12_500_000_000_000_000, "1.2 × 10¹⁶"),
        (9.99e15, "1 × 10¹⁶"),
        (10**92, "1 × 10⁹²"),
    ],
)
def test_amounts_in_words(n, text):
    assert amount(n) == text


def test_bytes_beyond_every_prefix_are_powers_of_ten():
    assert amount_of_bytes(80e12) == "80.0 TB"
    assert amount_of_bytes(2.1e93) == "2.1 × 10⁹³ B"


def test_a_step_is_told_in_sentences():
    words = tables.step_words(CHAIN, STEPS, 1, CHAIN.names)
    assert words == [
        "Step 2 of 3: fc1 is eliminated.",
        "It has 20 configurations and depends on fc2 (10 configurations).",
        "Table: 20 × 10 = 200 entries; for each choice of fc2 the best choice of fc1 is kept "
        "(10 numbers).",
        "Folded in: the table of conv, eliminated before.",
    ]


def test_the_last_step_tells_the_way_back():
    *_others, last = tables.step_words(CHAIN, STEPS, 2, CHAIN.names)
    assert "the cost of the best strategy" in last
    assert "reverse order" in last


def test_states_follow_the_elimination():
    assert states(STEPS, 0) == ["eliminated now", "dependent set", "waiting"]
    assert states(STEPS, 2) == ["folded in", "folded in", "eliminated now"]
    assert set(states(STEPS, 1)) <= set(STATES)


def test_growth_table_counts_what_the_steps_count():
    table = tables.growth_table(CHAIN, STEPS)
    assert list(table["joint"]) == [480.0, 200.0, 10.0]
    assert list(table["depends_on"]) == ["fc1", "fc2", "nothing"]


def test_the_chart_marks_the_current_step_on_a_log_axis():
    figure = step_sizes(tables.growth_table(CHAIN, STEPS), 1, ("#111111", "#222222", "#333333"))
    (bar,) = figure.data
    assert list(bar.marker.color) == ["#111111", "#222222", "#333333"]
    assert list(bar.y) == [480.0, 200.0, 10.0]
    assert figure.layout.yaxis.type == "log"
    assert figure.layout.annotations[0].text == "<b>200</b>"


def test_names_in_a_chart_are_no_markup():
    shape = Skeleton(("<b>x</b>",), (), (3,))
    table = tables.growth_table(shape, grow(shape.neighbours, shape.n_choices, "generateseq"))
    (bar,) = step_sizes(table, 0, ("#111111", "#222222", "#333333")).data
    assert bar.customdata[0][0] == "&lt;b&gt;x&lt;/b&gt;"


def test_orderings_are_drawn_with_the_budget():
    table = tables.growth_table(CHAIN, STEPS)
    huge = table.assign(joint=table["joint"] * 1e60)
    figure = ordering_growth(
        {"one": table, "two": huge}, {"one": "#111111", "two": "#222222"}, 1e9, "budget"
    )
    names = [trace.name for trace in figure.data]
    assert names == ["one", "one", "two", "two", "budget"]
    assert figure.layout.yaxis.type == "log"
    assert figure.layout.yaxis.range[1] > math.log10(480e60)
    assert list(figure.data[-1].y) == [1e9, 1e9]


def test_figures_leave_their_tables_alone():
    table = tables.growth_table(CHAIN, STEPS)
    before = table.copy()
    step_sizes(table, 0, ("#111111", "#222222", "#333333"))
    pd.testing.assert_frame_equal(table, before)


def test_the_picture_shows_states_and_the_arrows_of_the_table():
    shape = skeleton(branches(), 4)
    steps = grow(shape.neighbours, shape.n_choices, "generateseq")
    subject = Subject("toy", shape)
    for current, step in enumerate(steps):
        picture = draw_step(subject, steps, current, 500)
        colours = {box["id"]: box["colour"] for box in picture["boxes"]}
        assert colours[shape.names[step.vertex]] == STATES["eliminated now"]
        for vertex in step.dependents:
            assert colours[shape.names[vertex]] == STATES["dependent set"]
        heavy = {(edge["from"], edge["to"]) for edge in picture["edges"] if edge["heavy"]}
        ends = {name for edge in heavy for name in edge}
        around = {step.vertex, *step.dependents, *step.connected}
        assert ends <= {shape.names[v] for v in around}
        assert {shape.names[v] for v in step.dependents} <= ends


def test_large_networks_are_shown_by_their_modules():
    found = subjects(Scenario(network="inception_v3"), "Inception v3")
    assert first_title(found) == "Inception v3: a1"
    assert all(3 <= len(each.skeleton.names) <= 60 for each in found.values())
    assert list(found)[-1].startswith("A toy")


def test_a_small_network_is_shown_whole():
    found = subjects(Scenario(network="alexnet"), "AlexNet")
    assert first_title(found) == "AlexNet"
    assert found["AlexNet"].is_network


def test_the_sentence_has_both_figures():
    growths = sample_growths(8, 1, ("breadth-first", "generateseq"))["inception_v3"]
    text = tables.ordering_sentence("Inception v3", 8, *growths.values())
    assert text == (
        "Inception v3 on 8 devices: breadth-first needs a table of 1.3 × 10¹⁶ entries = 100 PB, "
        "GENERATESEQ 51,200 = 410 kB."
    )


def test_samples_are_listed_with_what_fits():
    orderings = {"breadth-first": "breadth-first", "generateseq": "GENERATESEQ"}
    table = tables.sample_growth_table(sample_growths(8, 1, tuple(orderings)), orderings, 8e9)
    fits = table.set_index(["network", "ordering"])["fits"]
    assert fits["Inception v3", "breadth-first"] == "no"
    for network in table["network"]:
        fit = "no" if network == "DenseNet-121" else "yes"  # whose layers all read one another
        assert fits[network, "GENERATESEQ"] == fit


@pytest.fixture(scope="module")
def toy():
    return solve_toy()


def test_the_bill_adds_up_to_the_total_for_every_choice_of_splits(toy):
    for first in toy.configurations(0):
        for second in toy.configurations(1):
            for third in toy.configurations(2):
                chosen = (first, second, third)
                total = sum(item.total for item in toy.bill(chosen))
                priced = toy.price(chosen)
                assert total == pytest.approx(priced.total, rel=1e-12)
                assert priced.total >= toy.optimum.total


def test_the_toys_optimum_teaches_something(toy):
    used = [name for name, cost in toy.optimum.components.items() if cost]
    assert len(used) >= 3
    assert toy.data_parallel.total > 1.5 * toy.optimum.total
    assert toy.optimum.strategy.configurations == ((1, 1, 4), (1, 4, 1), (1, 1, 4))


def test_the_toys_chart_stacks_the_bill(toy):
    items = toy.bill(toy.data_parallel.strategy.configurations)
    best = toy.bill(toy.optimum.strategy.configurations)
    table = tables.item_table(items, best, "FLOP")
    colours = dict.fromkeys(table["component"], "#111111")
    figure = item_costs(table, colours, 1e6, "MFLOP")
    bars = [trace for trace in figure.data if trace.type == "bar"]
    assert sum(sum(bar.y) for bar in bars) * 1e6 == pytest.approx(toy.data_parallel.total)
    marks = figure.data[-1]
    assert sum(marks.y) * 1e6 == pytest.approx(toy.optimum.total)
    assert "MFLOP" in figure.layout.yaxis.title.text


def open_page(section="steps", **query):
    return run_app(page="Learn", lesson=SECTIONS[section], **query)


def page_text(app):
    shown = [element.value for element in (*app.markdown, *app.caption)]
    return " ".join([*shown, *(html.proto.body for html in app.get("html"))])


def test_steps_move_and_the_words_follow():
    app = open_page(step="5")
    assert not app.exception
    assert "Step 5 of 14" in page_text(app)
    next(button for button in app.button if button.label == "Next").click().run()
    assert "Step 6 of 14" in page_text(app)
    app.slider(key="step").set_value(14).run()
    assert "the cost of the best strategy" in page_text(app)
    assert next(button for button in app.button if button.label == "Next").disabled


@pytest.mark.parametrize("ordering", ["weighted min-degree", "breadth-first"])
def test_other_orderings_can_be_watched(ordering):
    app = open_page(ordering=ordering)
    assert not app.exception
    assert "Step 1 of 14" in page_text(app)


def test_nonsense_in_the_address_counts_as_the_first_step():
    assert "Step 1 of 14" in page_text(open_page(step="abc"))
    assert "Step 14 of 14" in page_text(open_page(step="99"))


@pytest.mark.parametrize("network", ["inception_v3", "transformer", "resnet101", "rnnlm"])
def test_every_network_can_be_eliminated(network):
    app = open_page(network=network)
    assert not app.exception
    assert "Step 1 of" in page_text(app)


def test_the_network_can_change_under_the_page():
    app = open_page(step="14")
    app.selectbox(key="network").select("rnnlm").run()
    assert not app.exception
    assert "Step 1 of 4" in page_text(app)


def test_orderings_are_compared_for_the_network_and_all_samples():
    app = open_page("orderings", network="inception_v3", min_part="1")
    assert not app.exception
    assert "breadth-first needs a table of 1.3 × 10¹⁶ entries" in page_text(app)
    assert len(app.dataframe[0].value) == 2 * len(SAMPLES)
    app.select_slider(key="devices").set_value(64).run()
    assert "on 64 devices" in page_text(app)


def test_the_toy_reacts_and_the_solver_reaches_the_optimum(toy):
    app = open_page("toy")
    assert not app.exception
    assert app.metric[0].value == with_prefix(toy.data_parallel.total, "FLOP")
    app.selectbox(key="toy_2").select((1, 4, 1)).run()
    chosen = list(toy.data_parallel.strategy.configurations)
    chosen[1] = (1, 4, 1)
    assert app.metric[0].value == with_prefix(toy.price(chosen).total, "FLOP")
    next(button for button in app.button if "solver" in button.label).click().run()
    assert app.metric[0].value == app.metric[1].value == with_prefix(toy.optimum.total, "FLOP")
    assert app.metric[2].value == "the optimum"
    assert not app.exception


def test_terms_that_are_zero_are_shown_on_demand():
    app = open_page("toy")
    before = page_text(app).count("dfrac")
    app.toggle(key="zeros").set_value(True).run()
    assert page_text(app).count("dfrac") > before
