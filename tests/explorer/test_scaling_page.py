"""The Scaling page in AppTest; runs go on in real worker processes."""

import json
import time
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import explorer
from explorer.views.scaling import registry
from pase_core.importers.json_graph import graph_to_json
from sample_graphs import SAMPLES

APP = str(Path(explorer.__file__).with_name("app.py"))
STOP = "Stop the searches"
FIGURE_6 = "The paper's Figure 6"


@pytest.fixture(autouse=True)
def no_runs():
    registry.clear()
    yield
    registry().stop_all()
    registry.clear()


def open_page(**query):
    app = AppTest.from_file(APP, default_timeout=60)
    app.query_params["page"] = "Scaling"
    for name, value in query.items():
        app.query_params[name] = value
    return app.run()


def wait(app):
    for _ in range(300):
        assert not app.exception
        if not labels(app, STOP):
            return app
        time.sleep(0.1)
        app.run()
    pytest.fail("the run did not end within 30 s")


def labels(app, label):
    return [button for button in app.button if button.label == label]


def shown_text(app):
    return " ".join(
        element.value for element in (*app.markdown, *app.caption, *app.info, *app.warning)
    )


def first(value):
    return value if isinstance(value, str) else value[0]


def charts(app):
    return [json.loads(element.proto.spec) for element in app.get("plotly_chart")]


def test_the_page_solves_and_shows_lines_and_figure_6():
    app = wait(open_page(network="rnnlm"))
    assert "From 1 to 64 devices" in shown_text(app)
    assert FIGURE_6 in shown_text(app)
    assert len(charts(app)) == 5
    names = [trace["name"] for trace in charts(app)[0]["data"]]
    assert names == ["Ideal", "Data parallel", "Data + pipeline", "Found"]
    titles = {t["legendgrouptitle"]["text"] for t in charts(app)[4]["data"]}
    assert titles == {"Measured (the paper's)", "Modelled (ours)"}
    assert app.query_params["run"]


def test_stop_and_go_on():
    app = open_page(network="transformer", devices="1024")
    labels(app, STOP)[0].click().run()
    assert not app.exception
    assert not labels(app, STOP)
    assert "stopped" in shown_text(app)
    app.run()
    assert "stopped" in shown_text(app)  # it does not begin again by itself
    labels(app, "Go on")[0].click().run()
    assert labels(app, STOP)


def test_a_network_that_the_paper_did_not_measure_has_no_figure_6():
    app = wait(open_page(network="resnet101"))
    assert len(charts(app)) == 4
    assert FIGURE_6 not in shown_text(app)


def test_pins_that_need_more_devices_give_a_message():
    app = wait(open_page(network="rnnlm", pins="embedding:8.1.1.1"))
    for n_devices in (1, 2, 4):
        assert f"- p = {n_devices}: layer" in shown_text(app)
    assert "From 8 to 64 devices" in shown_text(app)


def test_results_of_a_file_outlive_a_reload():
    app = open_page(network="Your own file")
    data = graph_to_json(SAMPLES["rnnlm"].build(8)).encode()
    app = wait(app.file_uploader(key="file").upload("mine.json", data).run())
    assert "From 1 to 64 devices" in shown_text(app)
    again = open_page(network="Your own file", run=first(app.query_params["run"]))
    assert not again.exception
    assert "mine" in shown_text(again)
    assert "From 1 to 64 devices" in shown_text(again)


def test_an_unknown_run_in_the_address_does_no_harm():
    app = wait(open_page(network="rnnlm", run="nonsense"))
    assert first(app.query_params["run"]) != "nonsense"
