"""How long cost tables and search take, in seconds on this machine.

`extra_info` of each search holds what the time was spent on: configurations, joint entries (all,
and those visited), entries a second and peak bytes by count.
"""

from __future__ import annotations

import time
from functools import lru_cache

import pytest

from pase_core.cost_tables import CostTables
from pase_core.costs.build import build_costs
from pase_core.costs.paper import PaperCostModel
from pase_core.search.elimination import eliminate
from pase_core.search.engine import load_kernels
from pase_core.search.options import SearchOptions
from sample_graphs import SAMPLES
from tests.samples import PAPER

N_DEVICES = [64, 256, 1024]
MODEL = PaperCostModel(10e12, 16e9, word_bytes=8, flop_per_multiply_add=1)
COMPILED = SearchOptions(engine="compiled")


@lru_cache(maxsize=1)
def tables_of(name: str, n_devices: int) -> CostTables:
    """Cost tables with the batch and smallest part of the paper."""
    sample = SAMPLES[name]
    return build_costs(sample.build(sample.batch), MODEL, n_devices, sample.min_part).tables


@pytest.mark.benchmark(group="cost tables")
@pytest.mark.parametrize("n_devices", N_DEVICES)
@pytest.mark.parametrize("name", PAPER)
def test_cost_tables(benchmark, name, n_devices):
    sample = SAMPLES[name]
    graph = sample.build(sample.batch)
    arguments = (graph, MODEL, n_devices, sample.min_part)
    costs = benchmark.pedantic(build_costs, arguments, rounds=3)
    benchmark.extra_info["configurations"] = sum(costs.tables.n_choices)
    benchmark.extra_info["bytes"] = costs.tables.n_bytes


@pytest.mark.benchmark(group="search")
@pytest.mark.parametrize("n_devices", N_DEVICES)
@pytest.mark.parametrize("name", [name for name in PAPER if name != "densenet121"])
def test_search(benchmark, name, n_devices):
    load_kernels()
    tables = tables_of(name, n_devices)
    rounds = 1 if (name, n_devices) == ("transformer", 1024) else 3
    result = benchmark.pedantic(eliminate, (tables, COMPILED), rounds=rounds)
    assert result.cost == tables.total(result.choices)
    benchmark.extra_info.update(
        ordering=result.ordering,
        configurations=sum(tables.n_choices),
        joint_entries=result.n_joint,
        visited_entries=result.n_joint_distinct,
        visited_entries_per_second=result.n_joint_distinct / benchmark.stats.stats.min,
        largest_table=result.largest_table,
        peak_bytes=result.peak_bytes,
    )


@pytest.mark.benchmark(group="compiled loops and their NumPy twin")
@pytest.mark.parametrize("n_devices", [16, 64])
def test_compiled_loops_beside_numpy(benchmark, n_devices):
    """The ratio holds on any machine, where seconds do not."""
    load_kernels()
    tables = tables_of("transformer", n_devices)
    start = time.perf_counter()
    slow = eliminate(tables, SearchOptions(engine="numpy"))
    numpy_seconds = time.perf_counter() - start
    fast = benchmark.pedantic(eliminate, (tables, COMPILED), rounds=5, warmup_rounds=1)
    assert fast.cost == pytest.approx(slow.cost, rel=1e-12)
    ratio = numpy_seconds / benchmark.stats.stats.min
    benchmark.extra_info.update(
        numpy_seconds=numpy_seconds, numpy_over_compiled=ratio, peak_bytes=fast.peak_bytes
    )
    assert ratio > 1.0
