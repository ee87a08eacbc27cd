"""The public verbs: what they report agrees with the tables, the search and each other."""

from __future__ import annotations

import math
import time
from dataclasses import replace

import pytest

from pase_core.axes import parse_axes
from pase_core.builder import GraphBuilder
from pase_core.cluster import preset
from pase_core.costs.paper import PaperCostModel
from pase_core.errors import BudgetError, ClusterError, OptionError, PaseError
from pase_core.graph import Graph
from pase_core.layers import Access, Dimension, Layer, Tensor
from pase_core.search.marginals import marginals
from pase_core.search.options import SearchOptions
from pase_core.solve import (
    COST_MODELS,
    FOUND,
    CostOptions,
    Problem,
    compare,
    cost_model,
    price_tables,
    solve,
)
from pase_core.sources import sample_graph
from pase_core.strategy import Strategy
from tests.core.reference_data import SETTINGS, TOTALS, sample, sample_and_devices

PROTOTYPE = CostOptions(
    word_bytes=SETTINGS["bytes_per_word"],
    flop_per_multiply_add=SETTINGS["flop_per_multiply_add"],
)


def problem_of(name: str, n_devices: int = 8, **changes) -> Problem:
    """A sample on the paper's first system, with a batch of 64."""
    problem = Problem(sample(name, 64), preset("gtx-1080-ti", n_devices))
    return replace(problem, **changes)


def prototype_problem(case: str) -> Problem:
    name, n_devices = sample_and_devices(case)
    cluster = preset("gtx-1080-ti", n_devices).with_overrides(
        flop_per_second=SETTINGS["flops_per_second"], bytes_per_second=SETTINGS["bytes_per_second"]
    )
    cost = replace(PROTOTYPE, min_part=TOTALS[case]["min_part_size"])
    return Problem(sample(name, TOTALS[case]["batch"]), cluster, cost)


@pytest.mark.parametrize("case", TOTALS)
def test_solve_and_compare_give_the_prototypes_totals(case):
    comparison = compare(prototype_problem(case))
    found = comparison.solution.found.total
    assert found == pytest.approx(TOTALS[case]["optimum"], rel=1e-9)
    assert comparison.data_parallel.total == pytest.approx(TOTALS[case]["data_parallel"], rel=1e-9)
    assert comparison.speedup(comparison.solution.found) == pytest.approx(
        TOTALS[case]["data_parallel"] / TOTALS[case]["optimum"], rel=1e-9
    )


@pytest.mark.parametrize("name", ["alexnet", "rnnlm", "transformer"])
def test_a_solution_is_what_the_search_found(name):
    problem = problem_of(name)
    solution = solve(problem)
    costs = price_tables(problem)
    assert solution.problem is problem
    assert solution.unit == "FLOP"
    assert solution.found.strategy.name == FOUND
    assert solution.found.choices == solution.search.choices
    assert solution.found.total == pytest.approx(solution.search.cost, rel=1e-12)
    assert solution.search.cost == costs.tables.total(solution.search.choices)
    assert solution.n_configurations == sum(costs.tables.n_choices)
    for configuration, splits, choice in zip(
        solution.found.strategy.configurations,
        costs.configurations,
        solution.found.choices,
        strict=True,
    ):
        assert list(configuration) == splits[choice].tolist()
        assert math.prod(configuration) <= 8
    assert solution.tables_seconds > 0
    assert solution.search_seconds > 0


def test_costs_become_seconds_at_the_clusters_peak():
    solution = solve(problem_of("alexnet"))
    peak = preset("gtx-1080-ti").flop_per_second("float32")
    assert solution.seconds(3 * peak) == 3.0


@pytest.mark.parametrize("name", ["alexnet", "rnnlm", "transformer"])
def test_a_comparison_holds_the_solution_and_sorts_variants(name):
    problem = problem_of(name)
    comparison = compare(problem)
    assert comparison.solution.found.strategy == solve(problem).found.strategy
    assert comparison.best_of_each[:2] == (comparison.solution.found, comparison.data_parallel)
    assert len(comparison.best_of_each) == 2 + len(comparison.experts)
    for variants in comparison.experts.values():
        totals = [priced.total for priced in variants]
        assert totals == sorted(totals)
        assert variants[0] in comparison.best_of_each
    flat = [priced for variants in comparison.experts.values() for priced in variants]
    assert comparison.all_strategies[2:] == tuple(flat)
    assert min(priced.total for priced in comparison.all_strategies) == pytest.approx(
        comparison.solution.found.total, rel=1e-12
    )


def test_the_best_variant_is_marked_only_among_several():
    comparison = compare(problem_of("transformer"))
    marked = [priced for priced in comparison.all_strategies if comparison.is_best_variant(priced)]
    assert marked == [variants[0] for variants in comparison.experts.values()]
    alone = compare(problem_of("alexnet"))
    assert not any(alone.is_best_variant(priced) for priced in alone.all_strategies)


def test_data_parallelism_is_as_fast_as_itself():
    comparison = compare(problem_of("rnnlm"))
    assert comparison.speedup(comparison.data_parallel) == 1.0


def free_graph() -> Graph:
    build = GraphBuilder("free")
    build.layer("flatten", "flatten", build.input("x", (8, 4)))
    return build.graph()


def test_a_network_that_costs_nothing_is_no_faster_than_data_parallelism():
    comparison = compare(replace(problem_of("alexnet"), graph=free_graph()))
    assert comparison.solution.found.total == 0
    assert comparison.speedup(comparison.solution.found) == 1.0


@pytest.mark.parametrize("name", ["alexnet", "rnnlm"])
def test_more_devices_never_cost_more(name):
    # Of equal links; beyond a node a preset's links are slower.
    clusters = [
        preset("gtx-1080-ti", p).with_overrides(bytes_per_second=16e9)
        for p in (1, 2, 3, 4, 6, 8, 12, 16)
    ]
    totals = [solve(problem_of(name, cluster=cluster)).found.total for cluster in clusters]
    assert totals == sorted(totals, reverse=True)
    assert totals[-1] < totals[0]


def test_on_one_device_every_strategy_is_the_same():
    comparison = compare(problem_of("transformer", 1))
    assert {priced.strategy.configurations for priced in comparison.all_strategies} == {
        tuple((1,) * len(layer.dimensions) for layer in sample("transformer", 64).layers)
    }
    assert len({priced.total for priced in comparison.all_strategies}) == 1


def test_words_are_as_long_as_the_element_type_says():
    graph = sample("rnnlm", 64)
    half = replace(graph, element_type="bfloat16")
    cluster = preset("h100-sxm", 8)
    by_type = solve(Problem(half, cluster)).found
    given = solve(Problem(half, cluster, CostOptions(word_bytes=2))).found
    assert by_type.total == given.total
    assert solve(Problem(half, cluster, CostOptions(word_bytes=8))).found.total > given.total


def test_the_speed_is_that_of_the_element_type():
    graph = sample("rnnlm", 64)
    cluster = preset("h100-sxm", 8)
    models = [
        cost_model(Problem(replace(graph, element_type=t), cluster))
        for t in ("float32", "bfloat16")
    ]
    flop = [1 / model.seconds(1.0) for model in models]
    assert flop == pytest.approx([cluster.flop_per_second(t) for t in ("float32", "bfloat16")])
    assert flop[0] != flop[1]


def test_options_reach_the_tables():
    plain = price_tables(problem_of("alexnet")).tables
    larger = price_tables(problem_of("alexnet", cost=CostOptions(min_part=4))).tables
    assert sum(larger.n_choices) < sum(plain.n_choices)
    assert price_tables(problem_of("alexnet", 4)).tables.n_choices < plain.n_choices
    once = price_tables(problem_of("alexnet", cost=CostOptions(flop_per_multiply_add=1))).tables
    assert once.vertices[0][0] < plain.vertices[0][0]


@pytest.mark.parametrize("ordering", ["generateseq", "weighted-min-degree", "breadth-first"])
def test_the_ordering_is_the_one_asked_for(ordering):
    problem = problem_of("alexnet", search=SearchOptions(ordering=ordering))
    solution = solve(problem)
    assert solution.search.ordering == ordering
    assert solution.found.total == pytest.approx(solve(problem_of("alexnet")).found.total)


def test_progress_ends_at_one():
    shares: list[float] = []
    compare(problem_of("alexnet"), shares.append)
    assert shares[-1] == 1.0
    solve(problem_of("alexnet"), shares.append)
    assert shares[-1] == 1.0


def test_calls_with_equal_problems_agree():
    first, second = (compare(problem_of("transformer")) for _ in range(2))
    assert [p.strategy for p in first.all_strategies] == [p.strategy for p in second.all_strategies]


def test_unknown_cost_models_are_refused():
    problem = problem_of("alexnet", cost=CostOptions(model="guess"))
    with pytest.raises(
        OptionError, match=f"unknown cost model 'guess'; known: {', '.join(COST_MODELS)}"
    ):
        solve(problem)


@pytest.mark.parametrize(("given", "wanted"), [(None, 2), (0.5, 0.5), (0, 0)])
def test_words_have_the_bytes_asked_for_or_the_graphs(given, wanted):
    graph = replace(sample("alexnet", 64), element_type="bfloat16")
    assert problem_of("alexnet", graph=graph, cost=CostOptions(word_bytes=given)).word_bytes == (
        wanted
    )


def test_weights_have_the_bytes_of_a_word():
    solution = solve(problem_of("alexnet", cost=CostOptions(word_bytes=2.5)))
    whole = Strategy(
        "whole", tuple((1,) * len(x.dimensions) for x in solution.problem.graph.layers)
    )
    n_bytes = 2.5 * solution.problem.graph.n_parameters
    assert solution.parameter_bytes_per_device(whole) == n_bytes
    assert solution.parameter_bytes_per_device(solution.found.strategy) < n_bytes


@pytest.mark.parametrize(
    ("batch", "n_devices", "is_whole"), [(1, 8, True), (1, 1, False), (8, 8, False), (11, 8, True)]
)
def test_data_parallelism_that_splits_nothing_is_told(batch, n_devices, is_whole):
    comparison = compare(problem_of("alexnet", n_devices, graph=sample("alexnet", batch)))
    assert comparison.data_parallel_is_whole is is_whole
    assert comparison.solution.remark.startswith(f"The batch of {batch} cannot") is is_whole
    assert (comparison.solution.remark == comparison.data_parallel.strategy.note) is is_whole


@pytest.mark.parametrize(
    ("changes", "error", "complaint"),
    [
        ({"cost": CostOptions(word_bytes=-4)}, OptionError, "word bytes"),
        ({"cost": CostOptions(word_bytes=0)}, OptionError, "word bytes is 0"),
        ({"cost": CostOptions(flop_per_multiply_add=0)}, OptionError, "flop per multiply add"),
        ({"cost": CostOptions(min_part=0)}, OptionError, "smallest part"),
        ({"search": SearchOptions(ordering="best")}, OptionError, "unknown ordering"),
        ({"search": SearchOptions(memory_budget_bytes=100)}, BudgetError, "cost tables"),
    ],
)
def test_options_out_of_range_are_refused(changes, error, complaint):
    for verb in (solve, compare):
        with pytest.raises(error, match=complaint):
            verb(problem_of("alexnet", **changes))


def test_element_types_that_a_device_lacks_are_refused():
    graph = replace(sample("rnnlm", 64), element_type="float64")
    cluster = replace(preset("gtx-1080-ti"), peak_flop_per_second=(("float32", 1e12),), sources=())
    with pytest.raises(ClusterError, match="has no float64 arithmetic"):
        solve(Problem(graph, cluster))


def test_pinned_layers_keep_their_configuration_and_the_rest_is_optimal():
    problem = Problem(sample_graph("alexnet"), preset("gtx-1080-ti", 8))
    free = solve(problem)
    pinned = replace(problem, pins=(("fc1", (8, 1, 1)),))
    held = solve(pinned)
    position = problem.graph.position("fc1")
    assert held.found.strategy.configurations[position] == (8, 1, 1)
    assert (free.search.n_pinned, held.search.n_pinned) == (0, 1)
    costs = price_tables(problem)
    choice = held.found.choices[position]
    expected = marginals(costs.tables).costs[position][choice]
    assert held.found.total == pytest.approx(expected, rel=1e-12)
    assert held.found.total > free.found.total


def test_pinning_what_is_found_changes_nothing():
    problem = Problem(sample_graph("rnnlm"), preset("gtx-1080-ti", 8))
    free = solve(problem)
    pins = tuple(
        zip((x.name for x in problem.graph.layers), free.found.strategy.configurations, strict=True)
    )
    assert solve(replace(problem, pins=pins)).found.total == free.found.total


@pytest.mark.parametrize(
    ("pins", "message"),
    [((("fc9", (1, 1, 1)),), "no layer 'fc9'"), ((("fc1", (3, 1, 1)),), "b=3 .* is not allowed")],
)
def test_bad_pins_are_refused(pins, message):
    problem = Problem(sample_graph("alexnet"), preset("gtx-1080-ti", 8), pins=pins)
    with pytest.raises(PaseError, match=message):
        solve(problem)


# What cannot be searched is refused before it is priced


def dense_graph(n_layers: int) -> Graph:
    """Every layer reads what all layers before it write."""
    axes, dimensions = parse_axes("b c"), (Dimension("b", 64), Dimension("c", 64))
    layers = tuple(
        Layer(
            f"layer {i}",
            "any",
            dimensions,
            inputs=tuple(Access(f"t{j}", axes) for j in range(i)),
            outputs=(Access(f"t{i}", axes),),
        )
        for i in range(n_layers)
    )
    return Graph("dense", layers, tuple(Tensor(f"t{i}", (64, 64)) for i in range(n_layers)))


class Refusing(PaperCostModel):
    """A cost model that must not be asked."""

    def layer_costs(self, *_):
        raise AssertionError("a layer was priced")

    transfer_costs = layer_costs


@pytest.mark.parametrize("pins", [(), (("layer 0", (64, 1)),)])
@pytest.mark.parametrize("limit", [{}, {"max_entries": 1e9, "memory_budget_bytes": math.inf}])
def test_a_hopeless_graph_is_refused_unpriced_and_soon(monkeypatch, limit, pins):
    monkeypatch.setitem(COST_MODELS, "refusing", lambda _problem: Refusing(1.0, 1.0))
    problem = Problem(
        dense_graph(250),
        preset("gtx-1080-ti", 64),
        CostOptions(model="refusing"),
        SearchOptions(method="elimination", **limit),
        pins,
    )
    before = time.process_time()
    with pytest.raises(BudgetError, match=r"the table of \d\.\d+e\+\d+ entries.* \(--min-part\)"):
        solve(problem)
    assert time.process_time() - before < 5


def test_a_graph_too_dense_for_elimination_is_searched_by_bounds():
    problem = Problem(dense_graph(40), preset("gtx-1080-ti", 64))
    with pytest.raises(BudgetError, match="entries"):
        solve(replace(problem, search=SearchOptions(method="elimination")))
    solution = solve(problem)
    assert solution.search.method.startswith("bounds")
    assert solution.search.proved_optimal
    assert solution.found.total == pytest.approx(solution.search.lower_bound, rel=1e-9)


def test_a_time_limit_is_kept_and_the_gap_is_told():
    limited = SearchOptions(method="bounds", time_limit_seconds=0.0)
    solution = solve(replace(problem_of("transformer", 8), search=limited))
    assert solution.search.lower_bound <= solution.found.total
    assert solution.search.proved_optimal or solution.search.gap > 0.0


def test_a_graph_that_pins_make_searchable_is_searched():
    graph = dense_graph(12)
    search = SearchOptions(method="elimination")
    problem = Problem(graph, preset("gtx-1080-ti", 16), search=search)
    with pytest.raises(BudgetError, match="exact search does not fit"):
        solve(problem)
    pins = tuple((f"layer {i}", (16, 1)) for i in range(9))
    assert solve(replace(problem, pins=pins)).search.n_pinned == 9


def test_the_full_tables_count_while_the_pinned_problem_is_searched():
    problem = problem_of("alexnet", pins=(("fc1", (8, 1, 1)), ("conv2", (8, 1, 1, 1, 1, 1, 1))))
    full = price_tables(problem).tables
    found = solve(problem).search
    assert found.peak_bytes > full.n_bytes
    tight = SearchOptions(memory_budget_bytes=found.peak_bytes)
    assert solve(replace(problem, search=tight)).search.choices == found.choices
    tight = SearchOptions("elimination", memory_budget_bytes=found.peak_bytes - 1)
    with pytest.raises(BudgetError, match="exact search does not fit"):
        solve(replace(problem, search=tight))
