"""The cluster in the sidebar: presets, a file of one's own, and every figure to be changed."""

import json

import pytest

from explorer.cluster_editor import KEYS, LINK_FIELDS, OTHER_FIELDS, PEAK_FIELDS
from explorer.labels import PAGES, plain
from explorer.limits import DEVICE_COUNTS
from explorer.scenario import OWN_CLUSTER, Scenario
from explorer.scenario_file import Saved, scenario_to_json
from explorer.tables.summary import title
from pase_core.cluster import FIELDS, Link, cluster_to_json, preset, preset_names
from pase_core.cluster_words import figure_text
from pase_core.solve import compare
from tests.explorer.test_app import run_app, shown_text
from tests.explorer.test_scenario_file import load

WORKERS = {"Scaling", "Searches"}
"""Pages whose worker processes other tests try."""

MINE = preset("h100-sxm", 4).with_figures({"inter_node.bytes_per_second": 123e9})


def scenario_of(app):
    return app.session_state["scenario"]


def button(app, label):
    (found,) = (each for each in app.button if each.label == label)
    return found


def upload(app, data, name="mine.json"):
    app.selectbox(key="cluster").select(OWN_CLUSTER).run()
    assert not app.exception
    return app.file_uploader(key="cluster_file").upload(name, data).run()


def captions(app):
    return " ".join(each.value for each in app.caption).replace("\\", "")


# The editor


def test_the_editor_has_every_figure_once():
    assert sorted((*LINK_FIELDS, *PEAK_FIELDS, *OTHER_FIELDS)) == sorted(FIELDS)
    assert set(KEYS) == set(FIELDS)
    assert len(set(KEYS.values())) == len(KEYS)


@pytest.mark.parametrize("name", FIELDS)
def test_every_figure_is_shown_explained_and_sourced(name):
    app = run_app(cluster="h100-sxm")
    cluster, field = preset("h100-sxm"), FIELDS[name]
    widget = app.number_input(key=KEYS[name])
    assert widget.label == field.title
    assert widget.value is None
    assert float(widget.placeholder) == pytest.approx(field.to_shown(cluster.figure(name)), 1e-5)
    assert field.meaning in widget.help
    assert plain(dict(cluster.sources)[name]) in widget.help
    assert figure_text(cluster, name) in widget.help


def test_a_peak_that_a_device_lacks_shows_what_stands_in():
    app = run_app(cluster="tpu-v4")
    assert app.number_input(key="float8").placeholder == "wider type: 275"
    assert app.number_input(key="float64").placeholder == "none"


def test_a_figure_typed_in_counts_and_is_in_the_address():
    app = run_app(network="alexnet", devices="16")
    before = app.metric[0].value
    app.number_input(key="between_gbs").set_value(100.0).run()
    assert not app.exception
    assert scenario_of(app).figures == (("inter_node.bytes_per_second", 100e9),)
    assert app.metric[0].value != before
    assert "with 100 GB/s bandwidth between nodes" in shown_text(app)
    assert "In place of the cluster's own figures: 100 GB/s bandwidth" in captions(app)
    again = run_app(network="alexnet", devices="16", between_gbs="100")
    assert scenario_of(again) == scenario_of(app)
    button(again, "Back to the cluster's figures").click().run()
    assert scenario_of(again) == Scenario(n_devices=16)
    assert again.metric[0].value == before


def test_every_figure_can_be_given_in_the_address():
    query = dict.fromkeys(KEYS.values(), "3")
    scenario = scenario_of(run_app(**query))
    assert [field for field, _ in scenario.figures] == list(FIELDS)
    machine = scenario.machine()
    for field in FIELDS.values():
        assert field.from_shown(3) > 0
    assert machine.devices_per_node == 3
    assert machine.achievable_fraction == 0.03
    assert machine.intra_node == Link(machine.intra_node.name, 3e9, 3e-6)
    assert machine.flop_per_second("float8") == 3e12


@pytest.mark.parametrize("page", [page for page in PAGES if page not in WORKERS])
def test_figures_survive_a_change_of_page(page):
    app = run_app(memory_gb="12.5", giga_bytes="30", tera_flops="20")
    app.session_state["page"] = page
    app.run()
    assert not app.exception
    wanted = Scenario(tera_flops=20.0, giga_bytes=30.0, figures=(("memory_bytes", 12.5e9),))
    assert scenario_of(app) == wanted


def test_all_fields_can_be_emptied_from_within():
    app = run_app(memory_gb="12", float32="5", giga_bytes="30")
    app.button(key="empty fields").click().run()
    assert scenario_of(app) == Scenario()
    assert app.button(key="empty fields").disabled


# Which field counts


def test_the_last_field_that_was_typed_into_counts():
    app = run_app(giga_bytes="30")
    assert app.number_input(key="inside_gbs").placeholder == "30"
    app.number_input(key="inside_gbs").set_value(40.0).run()
    machine = scenario_of(app).machine()
    assert machine.intra_node.bytes_per_second == 40e9
    assert machine.inter_node.bytes_per_second == 30e9
    app.number_input(key="giga_bytes").set_value(50.0).run()
    machine = scenario_of(app).machine()
    assert {machine.intra_node.bytes_per_second, machine.inter_node.bytes_per_second} == {50e9}
    app.number_input(key="float32").set_value(7.0).run()
    app.number_input(key="tera_flops").set_value(9.0).run()
    assert scenario_of(app).machine().flop_per_second("float32") == 9e12
    assert scenario_of(app).figures == ()


def test_another_cluster_keeps_the_link_in_sight_and_drops_what_is_not():
    app = run_app(giga_bytes="30", memory_gb="12", tera_flops="20")
    app.selectbox(key="cluster").select("b200").run()
    assert scenario_of(app) == Scenario(cluster="b200", giga_bytes=30.0)


def test_the_link_says_the_clusters_own_figures():
    assert run_app().number_input(key="giga_bytes").placeholder == "15.75 inside, 6.25 beyond"
    assert run_app(cluster="tpu-v4").number_input(key="giga_bytes").placeholder == "270"


# A file of one's own


def test_an_uploaded_cluster_is_solved_on():
    app = upload(run_app(devices="16", memory_gb="12"), cluster_to_json(MINE).encode())
    assert not app.exception
    scenario = scenario_of(app)
    assert (scenario.own_cluster, scenario.figures) == (MINE, ())
    assert scenario.machine() == MINE.with_devices(16)
    assert "AlexNet on 16 × NVIDIA H100" in shown_text(app)
    found = compare(scenario.problem()).solution.found
    assert found.total > 0


def test_it_stays_while_others_are_looked_at_and_can_be_changed():
    app = upload(run_app(), cluster_to_json(MINE).encode())
    app.selectbox(key="cluster").select("b200").run()
    assert scenario_of(app) == Scenario(cluster="b200")
    app.selectbox(key="cluster").select(OWN_CLUSTER).run()
    assert scenario_of(app).own_cluster == MINE
    assert "In use: h100-sxm" in captions(app)
    app.number_input(key="memory_gb").set_value(40.0).run()
    assert scenario_of(app).machine().memory_bytes == 40e9


def test_a_file_that_is_awaited_is_asked_for():
    app = run_app(cluster=OWN_CLUSTER)
    assert not app.exception
    assert "Your own cluster" in shown_text(app)
    assert scenario_of(app) is None


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"", "mine.json is not JSON"),
        (b"[]", "mine.json is a list; it must be an object"),
        (b'{"schema": "pase.graph/1"}', "schema is 'pase.graph/1'; it must be 'pase.cluster/1'"),
        (b"\xff", "mine.json is not UTF-8"),
        (cluster_to_json(MINE).replace('"value": 8,', '"value": 0,').encode(), "devices_per_node"),
    ],
)
def test_a_bad_file_gives_a_message_that_names_it(data, complaint):
    app = upload(run_app(), data)
    assert not app.exception
    (error,) = app.error
    assert plain(complaint) in error.value
    app.file_uploader(key="cluster_file").upload("mine.json", cluster_to_json(MINE).encode()).run()
    assert not app.error
    assert scenario_of(app).own_cluster == MINE


def test_names_from_a_file_are_shown_as_they_stand():
    data = json.loads(cluster_to_json(MINE)) | {"device": "![x](http://x)", "title": "**bold**"}
    app = upload(run_app(), json.dumps(data).encode())
    assert not app.exception
    assert plain("![x](http://x)") in shown_text(app)
    assert any(each.value == plain("**bold**") for each in app.caption)


# Files with a scenario


def test_a_loaded_scenario_sets_the_editor():
    figures = (("memory_bytes", 12.5e9), ("intra_node.latency_seconds", 3.4e-6))
    scenario = Scenario(cluster="b200", giga_bytes=20.0, figures=figures)
    app = load(run_app(float32="5", between_us="7"), scenario_to_json(Saved(scenario)))
    assert not app.exception
    assert scenario_of(app) == scenario
    assert app.number_input(key="inside_us").value == 3.4


def test_a_loaded_scenario_brings_its_own_cluster():
    scenario = Scenario(cluster=OWN_CLUSTER, own_cluster=MINE, n_devices=16)
    app = load(run_app(), scenario_to_json(Saved(scenario)))
    assert not app.exception
    assert scenario_of(app) == scenario
    assert "In use: h100-sxm" in captions(app)


# The scenario


def test_a_machine_is_the_preset_until_something_is_given():
    for name in preset_names():
        for n_devices in DEVICE_COUNTS[:3]:
            assert Scenario(cluster=name, n_devices=n_devices).machine() == preset(name, n_devices)


def test_more_than_two_given_figures_are_counted_in_the_title():
    figures = (("devices_per_node", 4), ("memory_bytes", 2e10), ("achievable_fraction", 0.5))
    comparison = compare(Scenario(figures=figures).problem())
    assert title(comparison, str).endswith("GTX 1080 Ti with 3 given figures")


def test_the_machine_does_not_matter_to_phases():
    changed = Scenario(
        network="rnnlm",
        n_devices=16,
        batch=32,
        min_part=2,
        word_bytes=2,
        cluster=OWN_CLUSTER,
        own_cluster=MINE,
        giga_bytes=2.0,
        figures=(("memory_bytes", 2e10),),
        pins=(("loss", (1, 1)),),
    )
    plain_one = Scenario(network="rnnlm", n_devices=16, batch=32, min_part=2, word_bytes=2)
    assert changed.without_machine() == plain_one.without_machine()
    assert changed.without_machine() != Scenario(network="rnnlm").without_machine()
