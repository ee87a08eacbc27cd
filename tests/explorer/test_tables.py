import pytest

from explorer import tables
from explorer.labels import COMPONENT_COLOURS, HELP
from explorer.scenario import Scenario
from pase_core.components import COMPONENTS
from pase_core.solve import compare
from pase_core.units import with_prefix


@pytest.fixture(scope="module", params=["alexnet", "rnnlm", "transformer"])
def comparison(request):
    return compare(Scenario(network=request.param, n_devices=8).problem())


def test_components_add_up_to_the_totals(comparison):
    sums = tables.component_table(comparison).groupby("strategy")["cost"].sum()
    for priced in comparison.best_of_each:
        assert sums[tables.strategy_title(priced)] == pytest.approx(priced.total, rel=1e-12)


def test_layers_with_their_transfers_add_up_to_the_totals(comparison):
    layers = tables.layer_table(comparison)
    assert layers["cost"].sum() == pytest.approx(comparison.solution.found.total, rel=1e-12)
    assert layers["data_parallel"].sum() == pytest.approx(comparison.data_parallel.total, rel=1e-12)
    assert layers["share"].sum() == pytest.approx(1.0)


def test_modules_add_up_to_the_layers_in_the_order_of_the_graph(comparison):
    layers = tables.layer_table(comparison)
    modules = tables.module_table(layers, "FLOP")
    assert modules["n_layers"].sum() == len(layers)
    assert modules["saving"].sum() == pytest.approx(layers["saving"].sum())
    assert list(modules["module"]) == list(dict.fromkeys(layers["module"]))


def test_headline_names_both_totals_and_their_ratio(comparison):
    text = tables.headline(comparison)
    assert with_prefix(comparison.solution.found.total, "FLOP") in text
    assert f"{comparison.data_parallel.total / comparison.solution.found.total:.3g} times" in text


def test_headline_does_not_boast_where_data_parallelism_is_best():
    single = compare(Scenario(network="alexnet", n_devices=1).problem())
    assert "already the best" in tables.headline(single)


def test_every_tile_has_a_help_text(comparison):
    assert set(tables.tiles(comparison)) <= set(HELP)


def test_every_component_has_a_colour_of_its_own():
    assert list(COMPONENT_COLOURS) == list(COMPONENTS)
    assert len(set(COMPONENT_COLOURS.values())) == len(COMPONENTS)


def test_every_strategy_has_a_row_and_one_variant_is_marked(comparison):
    rows = tables.strategy_table(comparison)
    assert len(rows) == len(comparison.all_strategies)
    marked = rows[rows["strategy"].str.endswith("(best)")]
    assert len(marked) == sum(len(group) > 1 for group in comparison.experts.values())
    assert rows["cost"].min() == comparison.solution.found.total


def test_a_module_is_found_by_its_layers_and_by_its_name():
    layers = tables.layer_table(compare(Scenario(network="inception_v3", n_devices=8).problem()))
    assert tables.module_of(layers, "head/fc") == tables.module_of(layers, "head") == "head"
    assert tables.module_of(layers, "nonsense") is None
    assert tables.module_of(layers, None) is None
    modules = tables.module_table(layers, "FLOP").set_index("module")
    inside = layers[layers["module"] == "head"]
    assert modules["dearest"]["head"] == inside["layer"][inside["cost"].idxmax()]
