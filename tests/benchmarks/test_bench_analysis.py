"""What else is asked of cost tables, and other searches beside elimination, as ratios in one run.

`extra_info` holds ratios to one elimination of the same tables, memory by count and by the
process, and what was proved.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable

import pytest

from pase_core.baselines import data_parallel
from pase_core.cluster import preset
from pase_core.cost_tables import CostTables
from pase_core.costs.build import build_costs
from pase_core.search.annealing import anneal
from pase_core.search.bounds import search_by_bounds
from pase_core.search.elimination import eliminate
from pase_core.search.engine import ELIMINATION_LOOPS, FLAT_LOOPS, load_kernels
from pase_core.search.integer_program import integer_program
from pase_core.search.k_best import k_best
from pase_core.search.marginals import marginals
from pase_core.search.methods import search
from pase_core.search.options import SearchOptions
from pase_core.search.rivals import RIVALS
from pase_core.search.trajectory import TrialOptions
from pase_core.solve import Problem, cost_model, price_tables
from pase_core.strategy import price
from sample_graphs import SAMPLES
from tests.benchmarks.decoder import decoder
from tests.benchmarks.test_bench_search import MODEL, tables_of
from tests.samples import PAPER

SPARSE = [name for name in PAPER if name != "densenet121"]
LARGE = SearchOptions(memory_budget_bytes=16e9)


@pytest.fixture(autouse=True)
def loaded_loops():
    """Compilation is not what is measured."""
    for name in (ELIMINATION_LOOPS, FLAT_LOOPS):
        load_kernels(name)


def best_seconds(function: Callable[[], object], rounds: int = 5) -> float:
    """Least time of some calls."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


@pytest.mark.benchmark(group="alternatives beside one search")
@pytest.mark.parametrize("question", [marginals, lambda tables: k_best(tables, 100)])
@pytest.mark.parametrize("name", SPARSE)
def test_alternatives(benchmark, name, question):
    tables = tables_of(name, 64)
    once = best_seconds(lambda: eliminate(tables))
    benchmark.pedantic(question, (tables,), rounds=5, warmup_rounds=1)
    benchmark.extra_info["times_one_search"] = benchmark.stats.stats.min / once


@pytest.mark.benchmark(group="DenseNet-121")
@pytest.mark.parametrize("n_devices", [4, 8, 16, 64, 256, 1024])
def test_a_dense_graph(benchmark, n_devices):
    tables = tables_of("densenet121", n_devices)
    found = benchmark.pedantic(search_by_bounds, (tables,), rounds=3, warmup_rounds=1)
    assert found.gap == 0.0
    benchmark.extra_info.update(method=found.method, peak_bytes=found.peak_bytes)


@pytest.mark.benchmark(group="DenseNet-121, integer program alone")
@pytest.mark.parametrize("n_devices", [4, 8, 16, 64])
def test_a_dense_graph_by_the_integer_program(benchmark, n_devices):
    tables = tables_of("densenet121", n_devices)
    found = benchmark.pedantic(integer_program, (tables,), rounds=1)
    assert found.gap == 0.0
    benchmark.extra_info["variables"] = found.largest_table


@pytest.mark.benchmark(group="elimination beside other searches")
@pytest.mark.parametrize("n_devices", [8, 64])
@pytest.mark.parametrize("name", SPARSE)
def test_rivals(benchmark, name, n_devices):
    """Time of each to within 1 % of the optimum, in units of one elimination."""
    sample = SAMPLES[name]
    graph = sample.build(sample.batch)
    costs = build_costs(graph, MODEL, n_devices, sample.min_part)
    tables = costs.tables
    start = price(graph, costs, data_parallel(graph, costs, n_devices)).choices
    optimum = benchmark.pedantic(eliminate, (tables,), rounds=5, warmup_rounds=1).cost
    limits = TrialOptions(time_limit_seconds=120.0)
    for key in ("integer-program", "bounds", "breadth-first", "topological-sweep", "annealing"):
        run = RIVALS[key].run(tables, start, limits)
        assert run.cost >= optimum * (1 - 1e-12)
        to_near = run.seconds_to(1.01 * optimum) / benchmark.stats.stats.min
        benchmark.extra_info[key] = {
            "times_to_within_1_percent": to_near,
            "above_optimum": run.cost / optimum - 1,
            "failure": run.failure[:60],
        }


@pytest.mark.benchmark(group="annealing")
def test_proposals_per_second(benchmark):
    tables = tables_of("transformer", 64)
    start = (0,) * len(tables.vertices)
    run = benchmark.pedantic(anneal, (tables, start, TrialOptions()), rounds=5)
    benchmark.extra_info["proposals_per_second"] = run.n_evaluations / benchmark.stats.stats.min


@pytest.mark.benchmark(group="many devices")
@pytest.mark.parametrize("n_devices", [2048, 4096])
@pytest.mark.parametrize("name", PAPER)
def test_many_devices(benchmark, name, n_devices):
    sample = SAMPLES[name]
    graph = sample.build(sample.batch)
    tables = build_costs(graph, MODEL, n_devices, sample.min_part).tables
    found = benchmark.pedantic(search, (tables, LARGE), rounds=1)
    _note(benchmark, tables, found)


@pytest.mark.benchmark(group="many layers")
@pytest.mark.parametrize("n_devices", [64, 1024])
@pytest.mark.parametrize("n_blocks", [20, 40, 80])
def test_many_layers(benchmark, n_blocks, n_devices):
    problem = Problem(decoder(n_blocks), preset("h100-sxm", n_devices))
    assert cost_model(problem).unit == "FLOP"
    tables = price_tables(problem).tables
    found = benchmark.pedantic(search, (tables, LARGE), rounds=1)
    _note(benchmark, tables, found)


def _note(benchmark, tables: CostTables, found) -> None:
    assert found.gap == 0.0
    benchmark.extra_info.update(
        layers=len(tables.vertices),
        configurations=sum(tables.n_choices),
        method=found.method,
        joint_entries=found.n_joint,
        visited_entries=found.n_joint_distinct,
        counted_bytes=found.peak_bytes,
        process_bytes=1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
    )
