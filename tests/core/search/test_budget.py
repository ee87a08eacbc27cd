"""What a search takes is counted before it starts, and what does not fit is refused in words."""

from __future__ import annotations

import itertools
import math
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pase_core.cost_tables import CostTables, TableShape
from pase_core.costs.build import build_costs
from pase_core.errors import BudgetError
from pase_core.search import dominance, elimination, minima
from pase_core.search.brute_force import brute_force
from pase_core.search.budget import Limits, check_search, format_amount
from pase_core.search.dominance import removal_bytes, remove_dominated
from pase_core.search.elimination import eliminate, plan_search, run_search
from pase_core.search.engine import load_kernels
from pase_core.search.marginals import marginals
from pase_core.search.minima import scratch_bytes
from pase_core.search.options import SearchOptions
from pase_core.search.ordering import ORDERINGS, order_vertices
from pase_core.search.plan import plan_elimination
from sample_graphs import SAMPLES
from tests.core.reference_data import MODEL, costs_of_case, sample
from tests.core.search.random_tables import (
    arrays_of,
    complete_problem,
    least_cost,
    problems,
    random_problem,
)

ENGINES = ["numpy", "compiled"]


def dense_shape(n_vertices: int, n_choices: int = 28) -> TableShape:
    """Every vertex beside every other, nothing shared."""
    edges = tuple(itertools.combinations(range(n_vertices), 2))
    return TableShape((n_choices,) * n_vertices, edges, tuple(range(n_vertices)), edges)


# Numbers of any size


@pytest.mark.parametrize(
    ("factor", "power", "text"),
    [
        *((0, 0, "0"), (7, 0, "7"), (999, 0, "999"), (1234, 0, "1.23e+03"), (8.5, 0, "8.5")),
        *((math.inf, 0, "inf"), (2**400, 400, "2.58e+520"), (1, 400, "1e+400")),
        *((9_996, 400, "1e+404"), (9_994, 400, "9.99e+403"), (123_456, 5000, "1.23e+5005")),
    ],
)
def test_amounts_of_any_size_are_written(factor, power, text):
    assert format_amount(factor * 10**power) == text


@given(st.integers(1, 99_999), st.integers(300, 6000))
def test_written_amounts_are_what_they_stand_for(digits, exponent):
    written, _, power = format_amount(digits * 10**exponent).partition("e+")
    shift = int(power) - exponent
    assert float(written) * 10.0**shift == pytest.approx(digits, rel=6e-3)
    assert 1 <= float(written) < 10


# Graphs without hope


@pytest.mark.parametrize("limit", [{"memory_budget_bytes": 8e9}, {"max_entries": 1e12}])
@pytest.mark.parametrize("removes", [None, False, True])
def test_a_dense_graph_is_refused_from_its_shape_at_once(limit, removes):
    shape = dense_shape(250)
    before = time.process_time()
    with pytest.raises(BudgetError) as caught:
        plan_search(shape, SearchOptions(remove_dominated=removes, **limit))
    assert time.process_time() - before < 5
    message = str(caught.value)
    assert "at 'vertex 0', which depends on 'vertex 1', " in message
    assert "and 241 more, the table of 6.16e+361 entries" in message
    assert len(message) < 600 and "\n" not in message


@pytest.mark.parametrize("removes", [None, True])
def test_nothing_is_removed_or_loaded_for_a_search_without_hope(monkeypatch, removes):
    def refuse(*_words, **_named):
        raise AssertionError("worked in vain")

    for name in ("remove_dominated", "load_kernels", "run_plan"):
        monkeypatch.setattr(elimination, name, refuse)
    tables = complete_problem(40, 9, seed=1)
    with pytest.raises(BudgetError, match="exact search does not fit"):
        eliminate(tables, SearchOptions(remove_dominated=removes))
    with pytest.raises(BudgetError, match="at most 1e\\+12 are allowed"):
        eliminate(
            tables,
            SearchOptions(
                remove_dominated=removes, max_entries=10**12, memory_budget_bytes=math.inf
            ),
        )


def test_a_search_that_removal_makes_possible_is_not_refused():
    tables = costs_of_case("alexnet/p32")[1].tables
    options = SearchOptions(ordering="generateseq", remove_dominated=False)
    plain, reduced = (
        eliminate(tables, replace(options, remove_dominated=removes)) for removes in (False, True)
    )
    assert reduced.n_joint_distinct < plain.n_joint_distinct
    limited = replace(options, max_entries=reduced.n_joint_distinct)
    assert eliminate(tables, replace(limited, remove_dominated=True)).cost == reduced.cost
    with pytest.raises(BudgetError, match="entries of joint tables"):
        eliminate(tables, limited)


def test_brute_force_refuses_numbers_beyond_floats():
    tables = CostTables((np.zeros(10),) * 400, ())
    with pytest.raises(BudgetError, match=r"would try 1e\+400 combinations"):
        brute_force(tables)


# The limit of work


@given(problems(), st.sampled_from(list(ORDERINGS)))
def test_the_limit_of_work_is_tight_and_blames_the_largest_table(tables, ordering):
    options = SearchOptions(ordering=ordering, remove_dominated=False)
    found = eliminate(tables, options)
    within = replace(options, max_entries=found.n_joint_distinct)
    assert eliminate(tables, within) == found
    with pytest.raises(BudgetError) as caught:
        eliminate(tables, replace(options, max_entries=found.n_joint_distinct - 1))
    message = str(caught.value)
    assert f"visit {found.n_joint_distinct} entries" in message
    assert f"the table of {found.largest_table} entries" in message
    assert "raise the limit (max_entries), use fewer devices" in message
    with pytest.raises(BudgetError, match="max_entries"):
        marginals(tables, SearchOptions(max_entries=0))


# The memory budget


def search_bytes(tables: CostTables, ordering: str, *, is_compiled: bool) -> dict[int, int]:
    """Bytes at each new step, by its vertex, worked out afresh."""
    plan = plan_elimination(tables.shape, order_vertices(tables.shape, ordering))
    total = sum({id(array): array.nbytes for array in arrays_of(tables)}.values())
    found = {}
    for step in (step for step in plan.steps if step.is_new):
        shape = tuple(tables.n_choices[v] for v in (step.vertex, *step.dependents))
        total += 8 * math.prod(shape[1:])
        places = [factor.places for factor in step.factors]
        found[step.vertex] = total + scratch_bytes(places, shape, is_compiled=is_compiled)
    return found


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("ordering", ORDERINGS)
def test_the_budget_is_tight_and_blames_the_vertex(ordering, engine):
    @given(problems())
    def check(tables):
        options = SearchOptions(ordering=ordering, engine=engine, remove_dominated=False)
        need = eliminate(tables, options).peak_bytes
        by_vertex = search_bytes(tables, ordering, is_compiled=engine == "compiled")
        assert need == max(by_vertex.values())
        within = replace(options, memory_budget_bytes=need)
        assert eliminate(tables, within).cost == least_cost(tables)
        worst = tables.name(max(by_vertex, key=by_vertex.__getitem__))
        with pytest.raises(BudgetError, match=f"at '{worst}', which depends on"):
            eliminate(tables, replace(options, memory_budget_bytes=need - 1))

    check()


@given(problems())
def test_the_budget_is_tight_with_dominated_choices_removed(tables):
    options = SearchOptions(ordering="generateseq", engine="numpy", remove_dominated=True)
    need = eliminate(tables, options).peak_bytes
    # The tables given stay in memory beside the smaller ones, which share what stays whole.
    reduced = remove_dominated(tables, is_compiled=False).tables
    both = {id(array): array.nbytes for array in arrays_of(tables) + arrays_of(reduced)}
    assert need >= max(sum(both.values()) + 8, removal_bytes(tables.shape))
    within = replace(options, memory_budget_bytes=need)
    assert eliminate(tables, within).cost == least_cost(tables)
    with pytest.raises(BudgetError, match=r"does not fit the memory budget|and the memory budget"):
        eliminate(tables, replace(options, memory_budget_bytes=need - 1))


def test_choices_are_removed_unasked_only_where_there_is_room(monkeypatch):
    # One vertex with many equal edges: its tables side by side take more than the search.
    star = random_problem([(0, v) for v in range(1, 40)], [6] * 40, seed=3)
    shared = star.pairs[0].costs
    star = replace(star, pairs=tuple(replace(pair, costs=shared) for pair in star.pairs))
    monkeypatch.setattr(elimination, "_DOMINANCE_ENTRIES", 0)
    monkeypatch.setattr(dominance, "N_CANDIDATES", 6)
    options = SearchOptions(engine="numpy")
    plain = eliminate(star, replace(options, remove_dominated=False))
    assert plain.peak_bytes < removal_bytes(star.shape)
    assert eliminate(star, options).cost == pytest.approx(plain.cost, rel=1e-12)
    tight = replace(options, memory_budget_bytes=plain.peak_bytes)
    assert eliminate(star, tight) == plain
    with pytest.raises(BudgetError, match="removing dominated choices takes"):
        eliminate(star, replace(tight, remove_dominated=True))


@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_held_beside_the_tables_counts(engine):
    tables = complete_problem(4, 5, seed=0)
    options = SearchOptions(engine=engine)
    alone = eliminate(tables, options).peak_bytes
    planned = plan_search(tables.shape, options, held_bytes=1000)
    assert run_search(planned, tables, options).peak_bytes == alone + 1000
    tight = replace(options, memory_budget_bytes=alone + 999)
    with pytest.raises(BudgetError, match="memory budget"):
        run_search(plan_search(tables.shape, tight, held_bytes=1000), tables, tight)


def test_parts_of_the_costs_count():
    tables = costs_of_case("alexnet/p8")[1].tables
    bare = replace(tables, parts=(), components=())
    parts = sum({id(part): part.nbytes for part in tables.parts}.values())
    assert eliminate(tables).peak_bytes == eliminate(bare).peak_bytes + parts
    assert tables.shape.n_bytes == tables.n_bytes


def test_a_budget_below_the_tables_names_vertex_and_way_out():
    tables = replace(complete_problem(4, 5, seed=0), names=("conv", "pool", "fc", "loss"))
    with pytest.raises(BudgetError) as caught:
        eliminate(tables, SearchOptions(ordering="generateseq", memory_budget_bytes=10))
    message = str(caught.value)
    assert "at 'conv', which depends on 'pool', 'fc', 'loss', the table of 625 entries" in message
    assert "--memory-budget" in message
    assert "\n" not in message


def test_breadth_first_does_not_fit_where_generateseq_does():
    tables = costs_of_case("inception3/p8")[1].tables
    options = SearchOptions(ordering="generateseq")
    assert eliminate(tables, options).proved_optimal
    with pytest.raises(BudgetError, match="exact search does not fit the memory budget of 8 GB"):
        eliminate(tables, replace(options, ordering="breadth-first"))


# Restricted tables


@given(problems(), st.data())
def test_the_shape_of_a_restriction_is_the_restriction_of_the_shape(tables, data):
    every = {n: np.arange(n) for n in tables.n_choices}
    kept = [
        every[n] if data.draw(st.booleans()) else np.array([data.draw(st.integers(0, n - 1))])
        for n in tables.n_choices
    ]
    restricted, shape = tables.restricted(kept), tables.shape.restricted(kept)
    assert shape.n_choices == restricted.n_choices
    assert shape.n_bytes == restricted.n_bytes == restricted.shape.n_bytes
    ours, theirs = arrays_of(tables), arrays_of(restricted)
    both = {id(array): array.nbytes for array in ours + theirs}
    assert shape.n_bytes + tables.shape.n_bytes_beside(shape) == sum(both.values())
    options = SearchOptions(engine="numpy")
    found = run_search(plan_search(shape, options), restricted, options)
    assert found == eliminate(restricted, options)


# The count beside the true peak


def traced_bytes(work) -> int:
    """The most that Python and NumPy allocate while something runs, and what it returns."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("name", "n_devices", "engine", "removes"),
    [
        ("transformer", 64, "compiled", False),
        ("transformer", 64, "compiled", True),
        ("transformer", 16, "numpy", False),
        ("inception_v3", 64, "compiled", False),
        ("rnnlm", 64, "compiled", True),
    ],
)
def test_no_search_takes_more_than_is_counted(name, n_devices, engine, removes):
    load_kernels()
    graph = sample(name, SAMPLES[name].batch)
    tables = build_costs(graph, MODEL, n_devices, SAMPLES[name].min_part).tables
    options = SearchOptions(engine=engine, remove_dominated=removes)
    counted = eliminate(tables, options).peak_bytes
    planned = plan_search(tables.shape, options)
    true = tables.n_bytes + traced_bytes(lambda: run_search(planned, tables, options))
    assert true <= 1.03 * counted
    assert counted <= 1.5 * true


@pytest.mark.parametrize("n_threads", [1, 4])
@pytest.mark.parametrize("is_compiled", [False, True])
@pytest.mark.parametrize(
    ("places", "shape"),
    [
        ([(0,), (0, 1), (0, 2), (0, 3)], (40, 50, 60, 30)),
        ([(0, 1, 2), (0, 1), (0, 3)], (40, 50, 60, 30)),
        ([(0, 1), (0, 1, 3), (0, 3)], (40, 50, 60, 30)),
        ([(0, 2), (0, 1, 3), (0, 1, 3)], (40, 50, 60, 30)),
        ([(0, 1, 3), (0, 2, 3)], (40, 50, 60, 30)),
        ([(0,), (0, 1), (0, 2)], (200, 900, 30)),
        ([(0,), (0, 1), (0, 2)], (200, 30, 900)),
        ([(0, 1), (0, 1), (0, 1)], (300, 4000)),
    ],
)
def test_scratch_is_bounded_step_by_step(monkeypatch, places, shape, is_compiled, n_threads):
    pool = ThreadPoolExecutor(n_threads)
    monkeypatch.setattr(minima, "n_threads", lambda: n_threads)
    monkeypatch.setattr(minima, "thread_pool", lambda: pool)
    monkeypatch.setattr(minima, "_PARALLEL_ENTRIES", 1000)
    monkeypatch.setattr(minima, "_SCRATCH_ENTRIES", 20_000)
    random = np.random.default_rng(2)
    factors = [(random.random([shape[axis] for axis in axes]), axes) for axes in places]
    work = elimination.minima_of(load_kernels() if is_compiled else None)
    work(factors, shape)  # threads are there, loops are compiled
    result = 8 * math.prod(shape[1:])
    counted = scratch_bytes(places, shape, is_compiled=is_compiled)
    assert traced_bytes(lambda: work(factors, shape)) <= 1.03 * (result + counted) + 20_000
    pool.shutdown()


def test_the_peak_is_the_worst_moment_not_the_last():
    tables = complete_problem(5, 6, seed=1)
    plan = plan_elimination(tables.shape, range(5))
    peak = check_search(tables.shape, plan, Limits(), is_compiled=False)
    first = 8 * 6**4  # the largest message, and twice as much scratch
    assert peak == tables.n_bytes + 3 * first
