"""The page Searches: its tables and figures, and the page itself with real worker processes."""

import json
import math
import time
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import explorer
from explorer.plots.searches import FLOOR, SEARCH_COLOURS, ending_points, progress_lines
from explorer.studies import KINDS, SEARCHES, Trial
from explorer.tables.downloads import to_json
from explorer.tables.searches import (
    failures_of,
    progress_table,
    run_table,
    searches_headline,
    shown_searches,
)
from explorer.watch import registry
from pase_core.search.rivals import RIVALS
from pase_core.search.trajectory import Point, Trajectory
from tests.samples import PAPER

APP = str(Path(explorer.__file__).with_name("app.py"))
STOP = "Stop the searches"


def run_of(search, seed, *points, bound=-math.inf, failure=""):
    made = tuple(Point(*point) for point in points)
    last = made[-1]
    return Trial(search, seed, 1.0, 1000), Trajectory(
        search, seed, made, (), last.cost, last.evaluations, last.seconds, bound, failure
    )


RUNS = (
    run_of("annealing", 0, (0.0, 0, 200.0), (0.001, 10, 120.0), (0.01, 100, 110.0)),
    run_of("annealing", 1, (0.0, 0, 200.0), (0.002, 20, 130.0), (0.01, 100, 130.0)),
    run_of(
        "elimination", 0, (0.0, 0, 200.0), (0.004, 900, 100.0), (0.004, 900, 100.0), bound=100.0
    ),
    run_of("breadth-first", 0, (0.0, 0, 200.0), (0.001, 0, 200.0), failure="too large"),
)


def test_runs_come_in_the_order_of_the_searches():
    table = run_table(RUNS, 100.0)
    assert list(table["search"]) == ["elimination", "breadth-first", "annealing", "annealing"]
    assert list(table["gap"][[0, 2, 3]]) == pytest.approx([0.0, 0.1, 0.3])
    assert math.isnan(table["gap"][1])
    assert list(table["is_proved"]) == [True, False, False, False]
    assert list(table["near_seconds"]) == [0.004, math.inf, math.inf, math.inf]


def test_a_band_holds_the_best_so_far_of_every_seed():
    table = progress_table(RUNS, 100.0)
    assert set(table["search"]) == {"annealing", "elimination"}
    band = table[(table["search"] == "annealing") & (table["axis"] == "seconds")]
    assert (band["low"] <= band["median"]).all() and (band["median"] <= band["high"]).all()
    for _i, row in band.iterrows():
        values = []
        for _trial, run in RUNS[:2]:
            values.append(min(p.cost for p in run.points if p.seconds <= row["at"]) / 100.0 - 1.0)
        assert (row["low"], row["high"]) == pytest.approx((min(values), max(values)))
    assert band["at"].is_monotonic_increasing
    assert band["at"].iloc[-1] == pytest.approx(0.01)


def test_nothing_to_show_is_an_empty_table():
    assert len(progress_table((), 100.0)) == 0
    assert len(progress_table(RUNS[3:], 100.0)) == 0


def test_the_table_for_people_has_one_row_per_search():
    shown = shown_searches(run_table(RUNS, 100.0), "FLOP")
    assert list(shown["Search"]) == [
        RIVALS[name].title for name in ("elimination", "breadth-first", "annealing")
    ]
    assert list(shown["Runs"]) == [1, 1, 2]
    assert list(shown["End"]) == ["proved", "does not fit", ""]
    assert shown["Best cost [FLOP]"][2] == 110.0
    assert math.isnan(shown["Best cost [FLOP]"][1])
    assert shown["Median above"][2] == pytest.approx(0.2)


def test_the_headline_says_who_proves_it_and_who_ends_how_far_off():
    table = run_table(RUNS, 100.0)
    text = searches_headline(table, 100.0, "FLOP", is_proved=True)
    assert text.startswith(
        "The optimum is 100.0 FLOP per step. Elimination (PaSE) proves it in 4.00 ms."
    )
    assert "annealing (FlexFlow) ends 20 % above" in text
    bound = searches_headline(table[table["search"] == "annealing"], 90.0, "FLOP", is_proved=False)
    assert bound.startswith("A proved lower bound is 90.00 FLOP per step. Of the searches")
    nothing = run_table((), 100.0)
    assert searches_headline(nothing, 100.0, "FLOP", is_proved=True).endswith("per step.")
    assert failures_of(nothing) == []


def test_failures_have_their_reason():
    assert failures_of(run_table(RUNS, 100.0)) == [("breadth-first elimination", "too large")]


def test_every_search_has_a_colour_of_its_own():
    assert set(SEARCH_COLOURS) == set(RIVALS)
    assert len(set(SEARCH_COLOURS.values())) == len(RIVALS)


@pytest.mark.parametrize("axis", ["seconds", "evaluations"])
def test_lines_show_medians_and_stars_what_is_done(axis):
    figure = progress_lines(progress_table(RUNS, 100.0), axis)
    lines = {trace.name: trace for trace in figure.data if trace.name}
    assert set(lines) == {"elimination (PaSE)", "annealing (FlexFlow)"}
    assert lines["annealing (FlexFlow)"].y[-1] == pytest.approx(0.2)
    assert min(lines["elimination (PaSE)"].y) == FLOOR
    stars = [trace for trace in figure.data if trace.marker.symbol == "star"]
    assert len(stars) == 1
    assert stars[0].x[0] == pytest.approx(0.004 if axis == "seconds" else 900)
    assert figure.layout.yaxis.title.text == "best cost, above the optimum"
    assert figure.layout.xaxis.title.text in ("time", "strategies or table entries priced")


def test_ends_are_points_and_failures_are_said():
    figure = ending_points(run_table(RUNS, 100.0))
    ends = {trace.y[0]: list(trace.x) for trace in figure.data if len(trace.y)}
    assert ends["annealing (FlexFlow)"] == pytest.approx([0.1, 0.3])
    assert ends["elimination (PaSE)"] == [FLOOR]
    assert [note.text for note in figure.layout.annotations] == ["does not fit"]
    assert figure.layout.yaxis.categoryarray[-1] == "elimination (PaSE)"


@pytest.mark.parametrize("result", RUNS)
def test_results_survive_json(result):
    kind = KINDS[SEARCHES]
    assert kind.from_json(kind.to_json(result)) == result
    assert kind.item_of(result) == kind.read_item(list(result[0]))


def test_runs_that_never_come_near_are_null_in_json():
    rows = json.loads(to_json(run_table(RUNS, 100.0)))["rows"]
    assert rows[2]["near_seconds"] is None
    assert rows[1]["gap"] is None


def test_a_network_that_costs_nothing_has_no_excess():
    run = run_of("annealing", 0, (0.0, 0, 0.0), (1.0, 5, 0.0))
    table = run_table([run], 0.0)
    assert list(table["gap"]) == [0.0]
    assert "all found it" in searches_headline(table, 0.0, "FLOP", is_proved=True)


def test_if_all_that_prove_nothing_failed_nothing_is_said_of_them():
    run = run_of("annealing", 0, (0.0, 0, 10.0), failure="no loops")
    text = searches_headline(run_table([run], 5.0), 5.0, "FLOP", is_proved=True)
    assert text == "The optimum is 5.000 FLOP per step."


# The page


@pytest.fixture(autouse=True)
def no_runs():
    registry.clear()
    yield
    registry().stop_all()
    registry.clear()


def open_page(**query):
    app = AppTest.from_file(APP, default_timeout=60)
    for name, value in {"page": "Searches", **query}.items():
        app.query_params[name] = value
    return app.run()


def wait(app):
    for _ in range(300):
        assert not app.exception
        if not [button for button in app.button if button.label == STOP]:
            return app
        time.sleep(0.1)
        app.run()
    pytest.fail("the run did not end within 30 s")


def shown_text(app):
    return " ".join(element.value for element in (*app.markdown, *app.caption, *app.info))


@pytest.mark.parametrize("network", PAPER)
def test_the_page_shows_every_network_of_the_paper(network):
    app = wait(open_page(network=network, devices="4", seconds="0.5", seeds="1"))
    text = shown_text(app)
    assert "The optimum is" in text
    assert "proves it in" in text
    assert "measured" in text


def test_the_address_says_which_searches_run():
    app = wait(open_page(network="alexnet", searches="annealing", seeds="3", seconds="0.5"))
    (table,) = app.dataframe
    assert list(table.value["Search"]) == ["annealing (FlexFlow)"]
    assert list(table.value["Runs"]) == [3]


def test_more_seeds_keep_what_is_done():
    app = wait(open_page(network="rnnlm", searches="annealing", seeds="2", seconds="0.5"))
    before = app.dataframe[0].value["Best cost [TFLOP]"][0]
    app.slider(key="seeds").set_value(4).run()
    wait(app)
    assert list(app.dataframe[0].value["Runs"]) == [4]
    assert app.dataframe[0].value["Best cost [TFLOP]"][0] <= before


def test_without_a_search_there_is_a_word_about_it():
    app = open_page(network="alexnet")
    app.button_group(key="searches").set_value([]).run()
    assert "Choose at least one search" in shown_text(app)


def test_pins_bind_no_search():
    free = wait(open_page(network="alexnet", searches="elimination", seconds="0.5"))
    pinned = wait(
        open_page(
            network="alexnet", searches="elimination", seconds="0.5", pins="conv1:1.1.1.1.1.1.1"
        )
    )
    headlines = [[m.value for m in app.markdown if "optimum" in m.value] for app in (free, pinned)]
    assert headlines[0][0].split("per step")[0] == headlines[1][0].split("per step")[0]
    assert "Pins are left out" in shown_text(pinned)
