"""The Alternatives page: samples, files, the address, pins, what does not fit."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import explorer
from explorer import cached
from explorer.scenario import Scenario
from pase_core.alternatives import best_strategies, regrets
from pase_core.errors import BudgetError, OptionError
from pase_core.importers.json_graph import graph_to_json
from sample_graphs import SAMPLES
from tests.samples import DISTINCT

APP = str(Path(explorer.__file__).with_name("app.py"))


def run_page(**query):
    app = AppTest.from_file(APP, default_timeout=60)
    for name, value in {"page": "Alternatives", **query}.items():
        app.query_params[name] = value
    return app.run()


def texts(app):
    return [each.value for each in (*app.markdown, *app.caption, *app.info)]


def best_table(app):
    return next(each.value for each in app.dataframe if "brief" in each.value)


@pytest.mark.parametrize("network", [name for name in DISTINCT if name != "densenet121"])
def test_the_page_shows_every_sample(network):
    app = run_page(network=network)
    assert not app.exception and not app.error
    assert any("of the optimum a layer can be split in" in text for text in texts(app))
    assert any("modelled, not measured" in text for text in texts(app))
    assert len(best_table(app)) == 10


def test_a_network_whose_tables_do_not_fit_has_a_message_instead():
    app = run_page(network="densenet121")
    assert not app.exception and not app.error
    assert any("cannot be priced exactly" in each.value for each in app.info)
    assert any("entries of joint tables" in text for text in texts(app))


def test_a_file_of_ones_own_is_shown():
    app = run_page(network="upload")
    assert any("Your own network" in text for text in texts(app))
    data = graph_to_json(SAMPLES["rnnlm"].build(64)).encode()
    app.file_uploader(key="file").upload("mine.json", data).run()
    assert not app.exception
    assert any("of the optimum a layer can be split in" in text for text in texts(app))


def test_a_link_sets_share_reading_number_and_layer():
    app = run_page(layer="fc2", within="5 %", reading="if left whole", best="4")
    assert not app.exception
    assert any("Within **5 %** of the optimum" in text for text in texts(app))
    assert app.segmented_control(key="reading").value == "if left whole"
    assert "##### fc2" in texts(app)
    assert len(best_table(app)) == 4


def test_nonsense_in_the_address_counts_as_nothing():
    app = run_page(layer="nonsense", within="7 apples", reading="sideways", best="1000")
    assert not app.exception
    assert any("Within **1 %**" in text for text in texts(app))
    assert len(best_table(app)) == 10


def test_the_sentence_follows_the_slider():
    app = run_page()
    app.select_slider(key="within").set_value(1000.0).run()
    assert any("**none** has only one choice" in text for text in texts(app))
    app.select_slider(key="within").set_value(0.0).run()
    assert any("At the optimum itself" in text for text in texts(app))


def test_pins_are_respected_and_said():
    app = run_page(pins="fc2:8.1.1")
    assert not app.exception
    assert any("1 layer is pinned" in each.value for each in app.info)
    scenario = Scenario(pins=(("fc2", (8, 1, 1)),))
    ranking = best_strategies(scenario.problem(), 10)
    assert list(best_table(app)["share"]) == pytest.approx([ranking.above(i) for i in range(10)])


def test_a_module_shows_its_dearest_layer_and_can_be_opened():
    app = run_page(network="inception_v3", layer="b/pool")
    assert not app.exception
    (button,) = [each for each in app.button if each.label == "Show the layers of b"]
    button.click().run()
    assert app.query_params["open"] in ("b", ["b"])
    assert "Close all modules" in [each.label for each in app.button]


def test_the_panel_and_the_page_read_the_same_regrets():
    scenario = Scenario(network="alexnet", n_devices=8)
    expected = regrets(scenario.problem())
    for position, costs in enumerate(expected.costs):
        assert cached.choice_costs(scenario, position) == pytest.approx(tuple(costs))
    assert cached.regrets(scenario) is cached.regrets(scenario)


def test_what_cannot_be_answered_is_raised_every_time():
    densenet = Scenario(network="densenet121")
    for _ in range(2):
        with pytest.raises(BudgetError):
            cached.regrets(densenet)
        with pytest.raises(BudgetError):
            cached.ranking(densenet, 10)
    with pytest.raises(OptionError):
        cached.ranking(Scenario(), 0)
