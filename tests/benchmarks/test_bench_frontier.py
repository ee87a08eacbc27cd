"""Seconds and bytes of a device: tables of the cluster model, the hull, the best within a limit.

`extra_info` holds the points found, and the memory of the whole process at its height.
"""

from __future__ import annotations

import resource
import time
from functools import lru_cache

import pytest

from pase_core.cluster import preset
from pase_core.cost_tables import CostTables
from pase_core.memory import memory_tables
from pase_core.search.engine import ELIMINATION_LOOPS, FLAT_LOOPS, load_kernels
from pase_core.search.frontier import hull
from pase_core.search.within import cheapest_within
from pase_core.solve import CostOptions, Problem, price_tables
from sample_graphs import SAMPLES

SHARES = (0.05, 0.5, 0.95)
"""Limits, from the least weight (0) to that of the least cost (1)."""


@pytest.fixture(autouse=True)
def loaded_loops():
    """Compilation is not what is measured."""
    for name in (ELIMINATION_LOOPS, FLAT_LOOPS):
        load_kernels(name)


def problem_of(name: str, n_devices: int, model: str = "cluster") -> Problem:
    """A sample on nodes of eight."""
    sample = SAMPLES[name]
    graph, cluster = sample.build(sample.batch), preset("h100-sxm", n_devices)
    return Problem(graph, cluster, CostOptions(model=model, min_part=sample.min_part))


@lru_cache(maxsize=1)
def tables_of(name: str, n_devices: int) -> tuple[CostTables, CostTables]:
    """Seconds and bytes per device, over the same vertices."""
    problem = problem_of(name, n_devices)
    return price_tables(problem).tables, memory_tables(problem).tables


@pytest.mark.benchmark(group="tables of the cluster model at p = 64")
@pytest.mark.parametrize("name", SAMPLES)
def test_cluster_tables(benchmark, name):
    start = time.perf_counter()
    price_tables(problem_of(name, 64, "paper"))
    paper_seconds = time.perf_counter() - start
    benchmark.pedantic(price_tables, (problem_of(name, 64),), rounds=3)
    benchmark.extra_info["cluster_over_paper"] = benchmark.stats.stats.min / paper_seconds


@pytest.mark.benchmark(group="hull at p = 32")
@pytest.mark.parametrize("name", ["inception_v3", "transformer"])
def test_hull(benchmark, name):
    points = benchmark.pedantic(hull, tables_of(name, 32), rounds=3)
    benchmark.extra_info.update(corners=len(points), peak_kilobytes=peak_kilobytes())


@pytest.mark.benchmark(group="cheapest within a limit at p = 32")
@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("name", ["inception_v3", "transformer"])
def test_within(benchmark, name, share):
    cost, weight = tables_of(name, 32)
    ends = hull(cost, weight)
    limit = ends[0].weight + share * (ends[-1].weight - ends[0].weight)
    found = benchmark.pedantic(cheapest_within, (cost, weight, limit), rounds=1)
    assert found.proved_optimal
    benchmark.extra_info.update(method=found.method, peak_kilobytes=peak_kilobytes())


def peak_kilobytes() -> int:
    """Memory that this process has held at most (Linux's unit)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
