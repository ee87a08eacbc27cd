"""The Balance page in AppTest."""

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import explorer
from explorer import cached
from explorer.views import balance as view
from pase_core.errors import BudgetError, OptionError
from pase_core.importers.json_graph import graph_to_json
from sample_graphs import SAMPLES

APP = str(Path(explorer.__file__).with_name("app.py"))


def open_page(**query):
    app = AppTest.from_file(APP, default_timeout=60)
    app.query_params["page"] = "Balance"
    for name, value in query.items():
        app.query_params[name] = value
    return app.run()


def shown_text(app):
    kinds = (app.markdown, app.caption, app.info, app.warning, app.error)
    return " ".join(element.value for elements in kinds for element in elements)


def charts(app):
    return [json.loads(element.proto.spec) for element in app.get("plotly_chart")]


def slider(app):
    return app.select_slider(key="range")


@pytest.mark.parametrize(
    ("network", "n_devices"), [("alexnet", "8"), ("rnnlm", "8"), ("densenet121", "4")]
)
def test_the_page_shows_every_part(network, n_devices):
    app = open_page(network=network, devices=n_devices)
    for button in app.button:  # there if the one search took long, as on a busy machine
        if button.label == "Find the phases":
            button.click().run()
    assert not app.exception
    text = shown_text(app)
    assert "strategies** are best for some machine; yours does **717 FLOP per byte**" in text
    assert "modelled, not measured" in text
    assert "Between 50 and 3,000 FLOP per byte" in text
    assert len(charts(app)) == 3
    assert app.dataframe[0].value["Phase"].str.contains("here").sum() == 1


def test_a_file_of_ones_own():
    app = open_page(network="upload")
    data = graph_to_json(SAMPLES["rnnlm"].build(8)).encode()
    app.file_uploader(key="file").upload("mine.json", data).run()
    assert not app.exception
    assert "are best for some machine" in shown_text(app)
    assert len(charts(app)) == 3


def test_one_device_has_one_strategy():
    app = open_page(network="alexnet", devices="1")
    assert not app.exception
    assert "**One strategy** is the best for every machine" in shown_text(app)


def test_the_range_is_read_from_the_address():
    app = open_page(network="alexnet", range=["1", "100"])
    assert slider(app).value == (1.0, 100.0)
    assert "Between 1 and 100 FLOP per byte" in shown_text(app)
    slider(app).set_range(10.0, 1000.0).run()
    assert "Between 10 and 1,000 FLOP per byte" in shown_text(app)


def test_a_range_that_nobody_changed_follows_the_clusters_of_other_sizes():
    app = open_page(network="rnnlm")
    assert slider(app).value == (50.0, 3000.0)
    app.select_slider(key="devices").set_value(64).run()
    assert slider(app).value == (100.0, 3000.0)
    app.select_slider(key="range").set_range(10.0, 1000.0).run()
    app.select_slider(key="devices").set_value(8).run()
    assert app.select_slider(key="range").value == (10.0, 1000.0)


def test_the_speed_of_links_moves_the_machine_and_can_be_given_back():
    app = open_page(network="alexnet", giga_bytes="1")
    assert "yours does **11,300 FLOP per byte**, in **phase 7**" in shown_text(app)
    (button,) = (b for b in app.button if b.label.startswith("Back to the links"))
    button.click().run()
    assert app.session_state["giga_bytes"] is None
    assert "yours does **717 FLOP per byte**" in shown_text(app)


def test_pins_are_left_free():
    app = open_page(network="alexnet", pins="loss:8.1")
    assert not app.exception
    assert "Pinned layers are left free on this page." in shown_text(app)


@pytest.mark.parametrize("error", [OptionError("not linear"), BudgetError("too *large*")])
def test_what_cannot_be_found_is_said_in_place(monkeypatch, error):
    def fail(_scenario):
        raise error

    monkeypatch.setattr(cached, "balance", fail)
    app = open_page(network="alexnet")
    assert not app.exception
    assert len(app.error) == 1
    assert "cannot be found" in shown_text(app)
    assert charts(app) == []


def test_what_takes_long_is_asked_for_first(monkeypatch):
    monkeypatch.setattr(view, "LONG_SECONDS", 0.0)
    app = open_page(network="alexnet")
    assert charts(app) == []
    (button,) = (b for b in app.button if b.label == "Find the phases")
    button.click().run()
    assert len(charts(app)) == 3


def test_rows_that_take_long_are_asked_for(monkeypatch):
    monkeypatch.setattr("explorer.phase_diagram.FREE_SECONDS", 0.0)
    app = open_page(network="alexnet")
    assert "Not drawn yet: 4, 16, 32, 64 devices." in shown_text(app)
    (button,) = (b for b in app.button if b.label == "Draw the other rows")
    button.click().run()
    ticks = charts(app)[2]["layout"]["yaxis"]["ticktext"]
    assert ticks == ["2", "4", "8", "16", "32", "64"]
