"""Everything that is chosen on a page is in the address, and a file stays in the session."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import explorer
from explorer import history, sidebar, state
from pase_core.importers.json_graph import graph_to_json
from sample_graphs import SAMPLES

APP = str(Path(explorer.__file__).with_name("app.py"))

RNNLM = graph_to_json(SAMPLES["rnnlm"].build(8)).encode()


def run_app(**query):
    app = AppTest.from_file(APP, default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def text_of(app):
    return " ".join(element.value for element in (*app.markdown, *app.info, *app.caption))


def test_the_strategy_that_costs_are_compared_with():
    app = run_app(page="Costs", beside="One weird trick")
    assert "From one weird trick to the strategy found" in text_of(app)
    app.selectbox(key="network").select("transformer").run()
    assert not app.exception  # which knows no such trick
    assert "From data parallel to the strategy found" in text_of(app)


def test_the_module_whose_layers_are_eliminated():
    app = run_app(page="Learn", network="inception_v3", module="Inception v3: head")
    assert app.selectbox(key="module").value == "Inception v3: head"
    app.selectbox(key="network").select("transformer").run()
    assert not app.exception
    assert app.selectbox(key="module").value == "Transformer: encoder/1"


def test_the_tensor_whose_parts_are_shown():
    app = run_app(page="Graph", layer="fc1", parts="output fc1.out")
    assert app.selectbox(key="parts").value == "output fc1.out"


def test_terms_of_the_toy_that_are_zero():
    assert (
        run_app(page="Learn", lesson="A toy to play with", zeros="true").toggle(key="zeros").value
    )


def test_the_overview_shows_the_selected_module_only_if_asked():
    app = run_app(network="inception_v3", layer="head/fc", only="true")
    assert set(app.dataframe[0].value["module"]) == {"head"}
    assert "Strategy of head" in text_of(app)
    app.toggle(key="only").set_value(False).run()
    assert len(app.dataframe[0].value) > 200
    assert run_app(network="inception_v3", only="true").toggle(key="only").disabled


@pytest.mark.parametrize("asked", ["rnnlm", "RNN language model"])
def test_a_network_is_asked_for_by_name_or_title(asked):
    app = run_app(network=asked)
    assert "RNN language model on 8" in text_of(app)
    app.selectbox(key="network").select("transformer").run()
    assert app.query_params["network"] in ("transformer", ["transformer"])


def test_a_network_that_is_not_known_counts_as_none():
    assert "AlexNet on 8" in text_of(run_app(network="nonsense"))


def test_what_was_picked_is_read_again_after_back(monkeypatch):
    app = run_app(page="Costs", layer="fc1", network="alexnet", pins="fc1:8.1.1")
    assert "fc1" in app.session_state["picked layer"]
    app.query_params["layer"] = "fc2"
    del app.query_params["pins"]
    app.run()
    assert app.session_state["picked layer"] == "fc1"  # the session is right, mostly
    for module in (history, sidebar, state):
        monkeypatch.setattr(module, "has_gone_back", lambda: True)
    app.query_params["network"] = "transformer"
    app.run()
    assert app.session_state["picked layer"] == "fc2"
    assert app.session_state["network"] == "transformer"


def test_a_file_of_ones_own_stays_while_others_are_looked_at():
    app = run_app()
    app.selectbox(key="network").select("upload").run()
    app.file_uploader(key="file").upload("mine.json", RNNLM).run()
    assert "RNN language model on 8" in text_of(app)
    app.selectbox(key="network").select("transformer").run()
    assert "Transformer on 8" in text_of(app)
    app.selectbox(key="network").select("upload").run()
    assert not app.exception
    assert "RNN language model on 8" in text_of(app)
    assert any("In use: mine" in caption.value for caption in app.caption)


def test_what_a_field_accepts_is_said():
    app = run_app()
    assert "Allowed: 1 to 16,777,216." in app.number_input(key="batch").help
    assert "Allowed: 0.001 to 1,000,000." in app.number_input(key="tera_flops").help
