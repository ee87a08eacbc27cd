"""Strategies are priced from the tables, part by part, and refused where they do not fit."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pase_core.axes import parse_axes
from pase_core.components import LAYER_COMPONENTS, REDISTRIBUTION
from pase_core.configurations import configurations
from pase_core.errors import StrategyError
from pase_core.graph import Graph
from pase_core.layers import Access, Dimension, Layer, Tensor
from pase_core.strategy import (
    Strategy,
    describe_dimensions,
    describe_splits,
    find_choice,
    parameter_bytes_per_device,
    parameter_words,
    price,
    price_choices,
    strategy_of_choices,
)
from tests.core.reference_data import costs_of_case

CASES = ["alexnet/p8", "rnnlm/p8", "inception3/p8", "transformer/p8"]


def random_choices(costs, seed: int) -> tuple[int, ...]:
    random = np.random.default_rng(seed)
    return tuple(int(random.integers(n)) for n in costs.tables.n_choices)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("seed", range(5))
def test_the_parts_of_a_price_add_up(case, seed):
    graph, costs = costs_of_case(case)
    choices = random_choices(costs, seed)
    strategy = strategy_of_choices("random", costs, choices)
    priced = price(graph, costs, strategy)
    assert priced.choices == choices
    assert priced.component_names == LAYER_COMPONENTS
    assert list(priced.components) == [*LAYER_COMPONENTS, REDISTRIBUTION]
    whole = costs.tables.total(choices)
    assert priced.total == pytest.approx(whole, rel=1e-12)
    assert sum(priced.components.values()) == pytest.approx(whole, rel=1e-12)
    by_layer = priced.layer_costs.sum() + priced.incoming_transfers.sum()
    assert by_layer == pytest.approx(whole, rel=1e-12)
    moved = sum(cost for _u, _v, cost in priced.transfers)
    assert priced.components[REDISTRIBUTION] == pytest.approx(moved, rel=1e-12)
    for costs_of_layer, table, choice in zip(
        priced.layer_costs, costs.tables.vertices, choices, strict=True
    ):
        assert costs_of_layer == pytest.approx(table[choice], rel=1e-12)


def test_transfers_count_where_they_arrive():
    graph, costs = costs_of_case("inception3/p8")
    priced = price_choices(costs, Strategy("random", ()), random_choices(costs, 1))
    concat = graph.position("a1/concat")
    arriving = [cost for _u, v, cost in priced.transfers if v == concat]
    assert len(arriving) == 4
    assert priced.incoming_transfers[concat] == pytest.approx(sum(arriving))


@pytest.mark.parametrize("case", CASES)
def test_every_configuration_is_found_where_it_is(case):
    graph, costs = costs_of_case(case)
    for layer, splits in zip(graph.layers, costs.configurations, strict=True):
        rows = [find_choice(layer, splits, row) for row in splits.tolist()]
        assert rows == list(range(len(splits)))


@given(st.integers(0, 2**32))
def test_choices_become_a_strategy_and_back(seed):
    graph, costs = costs_of_case("alexnet/p8")
    choices = random_choices(costs, seed)
    strategy = strategy_of_choices("random", costs, choices, "a note")
    assert (strategy.name, strategy.note) == ("random", "a note")
    assert all(type(q) is int for row in strategy.configurations for q in row)
    assert price(graph, costs, strategy).choices == choices


# What is refused

LAYER = Layer("dense", "product", (Dimension("b", 12), Dimension("n", 8)))


@pytest.mark.parametrize("configuration", [(), (1,), (1, 1, 1)])
def test_a_wrong_number_of_splits_is_refused(configuration):
    with pytest.raises(
        StrategyError,
        match=rf"'dense' has 2 dimensions \(b n\), but the configuration has {len(configuration)}",
    ):
        find_choice(LAYER, configurations(LAYER, 8), configuration)


@pytest.mark.parametrize(
    "configuration",
    [
        (5, 1),  # no divisor
        (12, 1),  # more than 8 devices
        (3, 4),  # more than 8 devices together
        (0, 1),
        (-1, 1),
        (2.5, 1),
        (2**70, 1),
    ],
)
def test_configurations_that_are_not_allowed_are_refused(configuration):
    with pytest.raises(
        StrategyError, match=rf"b={configuration[0]} n=.* not allowed.*\(b=12 n=8\).* at most 8"
    ):
        find_choice(LAYER, configurations(LAYER, 8), configuration)


def test_a_smallest_part_is_kept_to():
    splits = configurations(LAYER, 8, min_part=4)
    assert find_choice(LAYER, splits, (3, 2)) >= 0
    with pytest.raises(StrategyError, match="leave parts of the smallest size or more"):
        find_choice(LAYER, splits, (4, 1))


def test_strategies_of_other_graphs_are_refused():
    graph, costs = costs_of_case("alexnet/p8")
    with pytest.raises(StrategyError, match="strategy 'short' has 1 configurations for 14 layers"):
        price(graph, costs, Strategy("short", ((1, 1),)))


# Parameters on a device


def dense(name: str, read: str, written: str, weight: str) -> Layer:
    return Layer(
        name,
        "product",
        (Dimension("b", 8), Dimension("n", 6), Dimension("c", 6)),
        inputs=(Access(read, parse_axes("b c")),),
        outputs=(Access(written, parse_axes("b n")),),
        parameters=(Access(weight, parse_axes("c n")),),
    )


TENSORS = tuple(Tensor(name, (8, 6)) for name in "xyz") + tuple(
    Tensor(name, (6, 6)) for name in "vw"
)


@pytest.mark.parametrize(
    ("configurations", "words"),
    [
        ([(1, 1, 1), (1, 1, 1)], 36 + 36),
        ([(8, 1, 1), (4, 1, 1)], 36 + 36),  # the batch cuts no parameter
        ([(1, 2, 1), (1, 1, 1)], 18 + 36),
        ([(1, 2, 3), (2, 1, 6)], 6 + 6),
    ],
)
def test_parameters_are_held_as_they_are_cut(configurations, words):
    graph = Graph("two", (dense("a", "x", "y", "v"), dense("b", "y", "z", "w")), TENSORS)
    strategy = Strategy("any", tuple(configurations))
    assert parameter_words(graph, strategy).sum() == words


def test_a_parameter_of_two_layers_counts_once_and_by_its_larger_part():
    graph = Graph("tied", (dense("a", "x", "y", "w"), dense("b", "y", "z", "w")), TENSORS)
    for first, second, words in (
        ((1, 1, 1), (1, 1, 1), 36),
        ((1, 2, 1), (1, 1, 1), 36),
        ((1, 2, 1), (1, 1, 3), 18),
    ):
        assert parameter_words(graph, Strategy("any", (first, second))).sum() == words


@pytest.mark.parametrize("case", CASES)
def test_an_unsplit_network_holds_all_parameters(case):
    graph, _costs = costs_of_case(case)
    whole = Strategy("whole", tuple((1,) * len(layer.dimensions) for layer in graph.layers))
    assert parameter_words(graph, whole).sum() == graph.n_parameters


@pytest.mark.parametrize("word_bytes", [2, 4.0, 0.5])
def test_parameters_have_the_bytes_of_their_words(word_bytes):
    graph = Graph("two", (dense("a", "x", "y", "v"), dense("b", "y", "z", "w")), TENSORS)
    strategy = Strategy("any", ((1, 2, 1), (1, 1, 1)))
    assert parameter_bytes_per_device(graph, strategy, word_bytes) == (18 + 36) * word_bytes


# Communication


@pytest.mark.parametrize("case", CASES)
def test_all_but_arithmetic_is_communication(case):
    _graph, costs = costs_of_case(case)
    priced = price_choices(costs, Strategy("random", ()), random_choices(costs, 1))
    rest = sum(cost for name, cost in priced.components.items() if name != "compute")
    assert priced.communication_share == pytest.approx(rest / priced.total, rel=1e-9)
    whole = price_choices(costs, Strategy("whole", ()), (0,) * len(costs.configurations))
    assert whole.communication_share == 0


def test_what_costs_nothing_needs_no_communication():
    _graph, costs = costs_of_case("alexnet/p8")
    priced = price_choices(costs, Strategy("whole", ()), (0,) * len(costs.configurations))
    free = replace(priced, layer_components=0 * priced.layer_components, transfers=())
    assert free.communication_share == 0


# In words


def test_dimensions_in_words():
    assert describe_dimensions(LAYER) == "b=12 n=8"
    assert describe_dimensions(Layer("point", "any", ())) == ""


@pytest.mark.parametrize(
    ("configuration", "text"), [((1, 1), "whole"), ((4, 1), "b 4"), ((4, 2), "b 4 · n 2")]
)
def test_splits_in_words(configuration, text):
    assert describe_splits(LAYER, configuration) == text
    assert math.prod(configuration) <= 8
