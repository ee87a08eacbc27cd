"""Scenarios as files: what is written is read again, and nothing else is."""

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer import limits, scenario_file
from explorer.labels import PAGES, plain
from explorer.scenario import OWN_CLUSTER, UPLOAD, Scenario, Upload
from explorer.scenario_file import Saved, ScenarioFileError, scenario_from_json, scenario_to_json
from pase_core.cluster import FIELDS, cluster_to_dict, preset, preset_names
from pase_core.importers.json_graph import graph_to_json
from sample_graphs import SAMPLES
from tests.core.cluster_edits import edits
from tests.explorer.test_app import run_app, shown_text

names = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


def counts(kind):
    return st.none() | st.integers(*limits.COUNT_LIMITS[kind])


def figures(kind):
    return st.none() | st.floats(*limits.FIGURE_LIMITS[kind])


def by_name(values):
    return st.dictionaries(names, values, max_size=4).map(lambda found: tuple(found.items()))


uploads = st.builds(
    Upload, names, st.binary(max_size=200), by_name(st.integers(*limits.COUNT_LIMITS["size"]))
)
networks = st.tuples(st.sampled_from(list(SAMPLES)), st.none()) | st.tuples(
    st.just(UPLOAD), uploads
)


clusters = st.tuples(st.sampled_from(preset_names()), st.none()) | st.builds(
    lambda name, figures: (OWN_CLUSTER, preset(name, 24).with_figures(figures)),
    st.sampled_from(preset_names()),
    edits,
)


@st.composite
def scenarios(draw):
    network, upload = draw(networks)
    cluster, own = draw(clusters)
    changed = draw(edits)
    return Scenario(
        network,
        upload,
        draw(st.sampled_from(limits.DEVICE_COUNTS)),
        cluster,
        draw(counts("batch")),
        draw(counts("min_part")),
        draw(st.sampled_from(limits.MULTIPLY_ADD)),
        draw(counts("word_bytes")),
        draw(figures("tera_flops")),
        draw(figures("giga_bytes")),
        draw(by_name(st.lists(st.integers(1, 1024), max_size=5).map(tuple))),
        own,
        tuple((field, changed[field]) for field in FIELDS if field in changed),
    )


saved_pages = st.builds(
    Saved,
    scenarios(),
    st.sampled_from(list(PAGES)),
    st.none() | names,
    st.lists(names, max_size=4).map(tuple),
)


@given(saved_pages)
def test_what_is_written_is_read_again(saved):
    text = scenario_to_json(saved)
    assert scenario_from_json(text, "a.json") == saved
    assert scenario_from_json(text.encode(), "a.json") == saved


@given(saved_pages, st.data())
def test_a_damaged_file_gives_one_line_or_a_scenario(saved, data):
    text = scenario_to_json(saved)
    start = data.draw(st.integers(0, len(text)))
    damaged = text[:start] + data.draw(names) + text[start + data.draw(st.integers(0, 5)) :]
    try:
        scenario_from_json(damaged, "a.json")
    except ScenarioFileError as error:
        assert str(error).startswith("a.json")
        assert "\n" not in str(error)


FILE = {"file": "mine.json", "sizes": [], "base64": "e30="}
TWICE = {"dimension": "N", "size": 8}


@pytest.mark.parametrize(
    ("place", "value", "complaint"),
    [
        (["schema"], "pase.graph/1", "a.json: schema is 'pase.graph/1'; it must be pase.scenario"),
        (["network"], "vgg", "a.json: network is 'vgg'; it must be one of alexnet"),
        (["network"], 3, "network is 3; it must be one of"),
        (["network"], [], "network is a list; it must be one of"),
        (["network"], UPLOAD, "or an object with a file"),
        (["network"], {}, "network lacks file, sizes, base64"),
        (["network"], FILE | {"base64": "%"}, "network.base64: is no base64"),
        (["network"], FILE | {"base64": "é"}, "network.base64: is no base64"),
        (["network"], FILE | {"base64": None}, "network.base64 is null; it must be the network's"),
        (["network"], FILE | {"file": 1}, "network.file is 1; it must be a string"),
        (["network"], FILE | {"sizes": {}}, "network.sizes is an object; it must be a list"),
        (["network"], FILE | {"sizes": [{"dimension": "N", "size": 0}]}, "sizes[0].size is 0"),
        (["network"], FILE | {"sizes": [{"dimension": "N", "size": 2**31}]}, "from 1 to 10737"),
        (["network"], FILE | {"sizes": [TWICE, TWICE]}, "sizes[1]: dimension 'N' comes twice"),
        (["devices"], 5, "devices is 5; it must be one of 1, 2, 3, 4, 6"),
        (["devices"], True, "devices is true"),
        (["devices"], 8.0, "devices is 8.0"),
        (["devices"], None, "devices is null"),
        (["cluster"], "tpu", "cluster is 'tpu'; it must be one of"),
        (["cluster"], OWN_CLUSTER, "or an object with a cluster"),
        (["cluster"], {}, "cluster lacks 'schema'"),
        (["cluster"], cluster_to_dict(preset("b200")) | {"device": 1}, "cluster.device is 1"),
        (["cluster"], cluster_to_dict(preset("b200")) | {"memory_bytes": 0}, "memory_bytes is 0"),
        (["figures"], [], "figures is a list; it must be an object"),
        (["figures"], {"memory": 1}, "figures has the unknown key 'memory'"),
        (["figures"], {"memory_bytes": "1"}, "figures.memory_bytes is '1'; it must be a number"),
        (["figures"], {"memory_bytes": 0}, "memory_bytes is 0; it must be a number from 1 to"),
        (["figures"], {"devices_per_node": 1.5}, "devices_per_node is 1.5; it must be a whole"),
        (["batch"], 0, "batch is 0; it must be an integer from 1 to 16777216, or null"),
        (["batch"], "8", "batch is '8'"),
        (["cost_model"], None, "cost_model is null; it must be an object"),
        (["cost_model", "min_part"], 4097, "cost_model.min_part is 4097"),
        (["cost_model", "flop_per_multiply_add"], 3, "it must be one of 1, 2"),
        (["cost_model", "word_bytes"], 17, "an integer from 1 to 16, or null"),
        (["cost_model", "tera_flops"], 0, "a number from 0.001 to 1e+06, or null"),
        (["cost_model", "giga_bytes"], 1e7, "a number from 1e-06 to 1e+06, or null"),
        (["cost_model", "extra"], 1, "has the unknown key 'extra'"),
        (["pins"], [{"layer": "fc1"}], "pins[0] lacks configuration"),
        (["pins"], [{"layer": "a", "configuration": [0]}], "configuration[0] is 0"),
        (["pins"], [{"layer": "a", "configuration": []}] * 2, "layer 'a' comes twice"),
        (["page"], "Home", "page is 'Home'; it must be one of Overview"),
        (["selected"], 1, "selected is 1; it must be a string"),
        (["opened"], "conv", "opened is 'conv'; it must be a list"),
        (["opened"], [1], "opened[0] is 1"),
        (["devise"], 1, "has the unknown key 'devise'"),
    ],
)
def test_every_error_names_its_place(place, value, complaint):
    data = json.loads(scenario_to_json(Saved(Scenario())))
    parent = data
    for key in place[:-1]:
        parent = parent[key]
    parent[place[-1]] = value
    with pytest.raises(ScenarioFileError) as caught:
        scenario_from_json(json.dumps(data), "a.json")
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("key", ["schema", "network", "devices", "cluster", "batch", "cost_model"])
def test_what_decides_the_result_must_be_there(key):
    data = json.loads(scenario_to_json(Saved(Scenario())))
    del data[key]
    with pytest.raises(ScenarioFileError, match="lacks"):
        scenario_from_json(json.dumps(data), "a.json")


@pytest.mark.parametrize("key", ["figures", "pins", "page", "selected", "opened"])
def test_the_rest_may_be_left_out(key):
    data = json.loads(scenario_to_json(Saved(Scenario())))
    del data[key]
    assert scenario_from_json(json.dumps(data), "a.json") == Saved(Scenario())


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b"\xff", b'{"a": NaN}', b"[" * 100_000])
def test_what_is_no_scenario_is_refused(data):
    with pytest.raises(ScenarioFileError) as caught:
        scenario_from_json(data, "a\n.json")
    assert "\n" not in str(caught.value)


def test_too_large_files_are_refused(monkeypatch):
    monkeypatch.setattr(scenario_file, "MAX_UPLOAD_MEGABYTES", 1)
    upload = Upload("mine.onnx", bytes(2**20 + 1))
    text = scenario_to_json(Saved(Scenario(UPLOAD, upload)))
    with pytest.raises(ScenarioFileError, match="has 1048577 bytes; allowed are 1 MB"):
        scenario_from_json(text, "a.json")
    most = limits.MAX_SCENARIO_MEGABYTES * 2**20
    with pytest.raises(ScenarioFileError, match="a scenario has at most"):
        scenario_from_json(b" " * (most + 1), "a.json")


def test_the_largest_network_fits_into_a_scenario():
    most = limits.MAX_UPLOAD_MEGABYTES * 2**20
    assert 4 * (most + 2) // 3 + 2**20 < limits.MAX_SCENARIO_MEGABYTES * 2**20


# On the page


def load(app, text):
    uploader = next(each for each in app.file_uploader if each.label == "Load a scenario")
    return uploader.upload("mine.scenario.json", text.encode()).run()


def test_a_loaded_scenario_sets_every_widget():
    scenario = Scenario(
        "transformer", None, 16, "h100-sxm", 32, 2, 1, 2, 100.0, 50.0, (("loss", (1, 1, 1)),)
    )
    assert scenario.cluster in preset_names()
    app = load(run_app(), scenario_to_json(Saved(scenario, "Layers", "loss", ("encoder",))))
    assert not app.exception
    assert app.selectbox(key="network").value == "transformer"
    assert app.select_slider(key="devices").value == 16
    assert app.selectbox(key="cluster").value == "h100-sxm"
    assert app.selectbox(key="multiply_add").value == 1
    numbers = {key: app.number_input(key=key).value for key in ("batch", "min_part", "word_bytes")}
    assert numbers == {"batch": 32, "min_part": 2, "word_bytes": 2}
    assert app.number_input(key="tera_flops").value == 100
    assert app.number_input(key="giga_bytes").value == 50
    assert app.session_state["page"] == "Layers"
    assert app.session_state["scenario"] == Scenario(
        **{name: getattr(scenario, name) for name in scenario.__slots__} | {"pins": ()}
    )
    assert app.session_state["picked layer"] == "loss"
    assert app.session_state["picked open"] == ("encoder",)
    assert app.session_state["picked pins"] == scenario.pins
    assert "loss:1.1.1" in app.query_params["pins"]


def test_a_loaded_network_is_solved_until_another_is_given():
    graph = graph_to_json(SAMPLES["rnnlm"].build(8)).encode()
    app = run_app(batch="64")
    app = load(app, scenario_to_json(Saved(Scenario(UPLOAD, Upload("mine.json", graph)))))
    assert not app.exception
    assert "RNN language model on 8" in shown_text(app)
    assert app.number_input(key="batch").value is None
    other = graph_to_json(SAMPLES["alexnet"].build(8)).encode()
    app.file_uploader(key="file").upload("other.json", other).run()
    assert "AlexNet on 8" in shown_text(app)


def test_a_bad_scenario_gives_a_message_and_changes_nothing():
    app = load(run_app(devices="16"), '{"schema": "pase.graph/1"}')
    assert not app.exception
    (error,) = app.error
    assert plain("mine.scenario.json: schema") in error.value
    assert "AlexNet on 16" in shown_text(app)


def test_sizes_left_open_are_asked_for_again():
    document = {"file": "mine.onnx", "sizes": [{"dimension": "N", "size": 8}]}
    document["base64"] = base64.b64encode(b"\x08\x07garbage").decode()
    data = json.loads(scenario_to_json(Saved(Scenario()))) | {"network": document}
    app = load(run_app(), json.dumps(data))
    assert not app.exception
    (size,) = (each for each in app.number_input if each.label == "Size of N")
    assert size.value == 8
