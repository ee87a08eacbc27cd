"""Pages driven by streamlit's own AppTest; no browser."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import explorer
from explorer.labels import plain
from pase_core.importers.json_graph import graph_to_json
from sample_graphs import SAMPLES

APP = str(Path(explorer.__file__).with_name("app.py"))


def run_app(**query):
    app = AppTest.from_file(APP, default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    return app.run()


def shown_text(app):
    return " ".join(element.value for element in (*app.markdown, *app.error, *app.info))


def test_the_page_opens_solved():
    app = run_app()
    assert not app.exception
    assert "AlexNet on 8" in shown_text(app)
    assert "The strategy found needs" in shown_text(app)
    assert [tile.label for tile in app.metric] == [
        "Step cost per device", "Communication", "Weights per device", "Search",
    ]  # fmt: skip
    assert app.metric[3].delta == "proved optimal"


@pytest.mark.parametrize("network", SAMPLES)
def test_every_sample_is_solved(network):
    app = run_app()
    app.selectbox(key="network").select(network).run()
    assert not app.exception
    assert SAMPLES[network].title in shown_text(app)
    assert len(app.dataframe[0].value) == len(SAMPLES[network].build(1).layers)


def test_devices_change_the_answer():
    app = run_app()
    before = app.metric[0].value
    app.select_slider(key="devices").set_value(64).run()
    assert app.metric[0].value != before
    assert "on 64" in shown_text(app)


def test_the_address_gives_the_same_page():
    app = run_app(network="transformer", devices="16", batch="32")
    assert "Transformer on 16" in shown_text(app)
    assert "b=32" in app.dataframe[0].value["dimensions"].iloc[0]


def upload(app, name, data):
    app.selectbox(key="network").select("upload").run()
    assert not app.exception
    return app.file_uploader(key="file").upload(name, data).run()


def test_an_uploaded_graph_is_solved():
    app = upload(run_app(), "mine.json", graph_to_json(SAMPLES["rnnlm"].build(8)).encode())
    assert not app.exception
    assert "RNN language model on 8" in shown_text(app)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("mine.json", b""),
        ("mine.json", b"{"),
        ("mine.json", b'{"schema": "pase.graph/1"}'),
        ("mine.onnx", b"<html></html>"),
        ("mine.onnx", b"\x08\x07garbage"),
    ],
)
def test_a_bad_file_gives_a_message_that_names_it(name, data):
    app = upload(run_app(), name, data)
    assert not app.exception
    (error,) = app.error
    assert plain(name) in error.value
    assert "Traceback" not in error.value
