"""Elimination finds what brute force finds, whatever the graph, order and engine."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pase_core.cost_tables import CostTables, PairTable
from pase_core.errors import BudgetError, OptionError
from pase_core.search import elimination
from pase_core.search.brute_force import MAX_COMBINATIONS, brute_force
from pase_core.search.elimination import ORDERING_NAMES, eliminate
from pase_core.search.engine import load_kernels
from pase_core.search.options import SearchOptions
from pase_core.search.ordering import ORDERINGS, dependent_sets, order_vertices
from tests.core.reference_data import costs_of_case
from tests.core.search.random_tables import (
    REALS,
    arrays_of,
    complete_problem,
    copy_of,
    least_cost,
    problems,
    random_problem,
)

ENGINES = ["numpy", "compiled"]
EVERY_WAY = [
    SearchOptions(ordering=ordering, engine=engine, remove_dominated=removes)
    for ordering, engine, removes in itertools.product(ORDERING_NAMES, ENGINES, [False, True])
]


def check_result(tables: CostTables, result) -> None:
    assert len(result.choices) == len(tables.vertices)
    assert all(0 <= c < n for c, n in zip(result.choices, tables.n_choices, strict=True))
    assert result.cost == tables.total(result.choices)
    assert result.proved_optimal
    assert sorted(result.order) == list(range(len(tables.vertices)))


@pytest.mark.parametrize("options", EVERY_WAY)
def test_elimination_is_brute_force(options):
    @given(problems())
    @settings(max_examples=60)
    def check(tables):
        result = eliminate(tables, options)
        check_result(tables, result)
        assert result.cost == least_cost(tables)

    check()


@given(problems(costs=REALS))
def test_elimination_is_brute_force_with_rounding(tables):
    for options in EVERY_WAY[::3]:
        result = eliminate(tables, options)
        check_result(tables, result)
        assert result.cost == pytest.approx(least_cost(tables), rel=1e-12, abs=1e-12)


@given(problems(max_vertices=4, max_choices=3))
def test_brute_force_is_the_least_of_all_sums(tables):
    result = brute_force(tables)
    assert result.cost == least_cost(tables) == tables.total(result.choices)
    assert result.largest_table == math.prod(tables.n_choices)
    assert result.proved_optimal


def test_brute_force_refuses_what_it_cannot_try():
    tables = CostTables((np.zeros(2),) * 21, ())
    with pytest.raises(BudgetError, match=f"at most {MAX_COMBINATIONS} are allowed"):
        brute_force(tables)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("n_vertices", "n_choices"), [(4, 6), (5, 5), (6, 3)])
def test_dense_graphs(engine, n_vertices, n_choices):
    tables = complete_problem(n_vertices, n_choices, seed=n_vertices)
    result = eliminate(tables, SearchOptions(engine=engine))
    assert [len(each) for each in result.dependent_sets] == list(range(n_vertices - 1, -1, -1))
    assert result.cost == pytest.approx(least_cost(tables), rel=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
def test_grids_have_wide_messages(engine):
    # Messages over two dependents meet there: the loop with a wide factor is used.
    edges = [(i, i + 1) for i in range(8) if i % 3 != 2] + [(i, i + 3) for i in range(6)]
    tables = random_problem(edges, [2, 3, 2, 3, 4, 3, 2, 3, 2], seed=1)
    result = eliminate(tables, SearchOptions(engine=engine))
    assert max(len(each) for each in result.dependent_sets) >= 3
    assert result.cost == pytest.approx(least_cost(tables), rel=1e-12)


@pytest.mark.parametrize("options", EVERY_WAY)
def test_problems_without_edges(options):
    tables = CostTables((np.array([3.0, 1.0]), np.array([5.0]), np.array([2.0, 4.0, 0.5])), ())
    result = eliminate(tables, options)
    assert result.choices == (1, 0, 2)
    assert result.cost == 6.5


@given(problems())
def test_inputs_are_not_changed(tables):
    before = copy_of(tables)
    for options in EVERY_WAY[::3]:
        eliminate(tables, options)
    for ours, wanted in zip(arrays_of(tables), before, strict=True):
        np.testing.assert_array_equal(ours, wanted)


@given(problems(), st.randoms(use_true_random=False))
def test_relabelling_keeps_the_optimum(tables, random):
    new = list(range(len(tables.vertices)))
    random.shuffle(new)
    old = {label: v for v, label in enumerate(new)}
    relabelled = CostTables(
        tuple(tables.vertices[old[label]] for label in range(len(new))),
        tuple(PairTable(new[p.first], new[p.second], p.costs) for p in tables.pairs),
    )
    for ordering in ORDERING_NAMES:
        options = SearchOptions(ordering=ordering)
        assert eliminate(relabelled, options).cost == eliminate(tables, options).cost


@given(problems())
def test_equal_calls_give_equal_choices(tables):
    for options in EVERY_WAY[::5]:
        assert eliminate(tables, options) == eliminate(tables, options)


# What is reported


@pytest.mark.parametrize("ordering", ORDERINGS)
def test_the_report_follows_from_the_ordering(ordering):
    @given(problems())
    def check(tables):
        result = eliminate(tables, SearchOptions(ordering=ordering))
        order = order_vertices(tables.shape, ordering)
        sets = dependent_sets(tables.shape.neighbours, order)
        joint = [
            math.prod(tables.n_choices[u] for u in (v, *around))
            for v, around in zip(order, sets, strict=True)
        ]
        assert result.ordering == ordering
        assert result.order == order
        assert [set(each) for each in result.dependent_sets] == sets
        assert result.n_joint == sum(joint)
        assert result.largest_table == max(joint)
        assert max(joint) <= result.n_joint_distinct <= result.n_joint

    check()


@given(problems())
def test_progress_grows_to_one(tables):
    shares: list[float] = []
    eliminate(tables, SearchOptions(engine="numpy"), shares.append)
    assert shares == sorted(shares)
    assert shares[0] > 0
    assert shares[-1] == 1.0


def chain_of_equal_blocks(n_blocks: int) -> CostTables:
    """A spine of layers with equal tables, and beside each of its edges a way around it."""
    random = np.random.default_rng(3)
    spine, inner = random.random(4), random.random(5)
    along, into, out_of = random.random((4, 4)), random.random((4, 5)), random.random((5, 4))
    pairs = []
    for around in range(n_blocks):
        start = n_blocks + around
        pairs += [
            PairTable(start, start + 1, along),
            PairTable(start, around, into),
            PairTable(around, start + 1, out_of),
        ]
    return CostTables((inner,) * n_blocks + (spine,) * (n_blocks + 1), tuple(pairs))


def branches_of_equal_blocks(n_branches: int) -> CostTables:
    """Branches a - b that meet in the last layer, with equal tables."""
    random = np.random.default_rng(4)
    hub, a, b = random.random(6), random.random(4), random.random(5)
    inside, outside = random.random((4, 5)), random.random((5, 6))
    pairs = []
    for first in range(0, 2 * n_branches, 2):
        pairs += [
            PairTable(first, first + 1, inside),
            PairTable(first + 1, 2 * n_branches, outside),
        ]
    return CostTables(((a, b) * n_branches) + (hub,), tuple(pairs))


@pytest.mark.parametrize("ordering", ["auto", "generateseq", "weighted-min-degree"])
def test_equal_branches_are_visited_once(ordering):
    tables = branches_of_equal_blocks(3)
    result = eliminate(tables, SearchOptions(ordering=ordering))
    assert result.cost == pytest.approx(least_cost(tables), rel=1e-12)
    assert result.n_joint == 3 * (4 * 5 + 5 * 6) + 6
    assert result.n_joint_distinct == 4 * 5 + 5 * 6 + 6


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("ordering", ["generateseq", "weighted-min-degree"])
def test_a_chain_of_equal_blocks_shares_messages(ordering, engine):
    options = SearchOptions(ordering=ordering, engine=engine)
    tables = chain_of_equal_blocks(4)
    shared = eliminate(tables, options)
    apart = replace(
        tables,
        vertices=tuple(costs.copy() for costs in tables.vertices),
        pairs=tuple(replace(pair, costs=pair.costs.copy()) for pair in tables.pairs),
    )
    alone = eliminate(apart, options)
    assert shared.n_joint_distinct < shared.n_joint == alone.n_joint == alone.n_joint_distinct
    assert shared.peak_bytes < alone.peak_bytes
    assert shared.cost == alone.cost == pytest.approx(least_cost(tables), rel=1e-12)
    assert shared.choices == alone.choices


def test_a_table_and_its_transpose_are_not_taken_for_each_other():
    # Two arms share one array, read in one direction by the one, in the other by the other.
    edge = np.array([[0.0, 9.0], [1.0, 9.0]])
    tables = CostTables(
        (np.array([0.0, 0.0]), np.array([3.0, 0.0]), np.array([3.0, 0.0])),
        (PairTable(1, 0, edge), PairTable(0, 2, edge)),
    )
    for engine in ENGINES:
        result = eliminate(tables, SearchOptions(engine=engine))
        assert result.cost == least_cost(tables)


@pytest.mark.parametrize("engine", ENGINES)
def test_equal_leaves_choose_by_what_their_neighbours_choose(engine):
    # One message for both leaves; of the two hubs, each prefers another choice.
    leaf, edge = np.array([0.0, 0.0]), np.array([[0.0, 5.0], [5.0, 0.0]])
    tables = CostTables(
        (leaf, leaf, np.array([0.0, 9.0]), np.array([9.0, 0.0])),
        (PairTable(0, 2, edge), PairTable(1, 3, edge)),
    )
    result = eliminate(tables, SearchOptions(engine=engine))
    assert result.n_joint_distinct < result.n_joint
    assert result.choices == (0, 1, 0, 1)


def eliminate_in_order(tables: CostTables, order: list[int], engine: str = "numpy"):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(elimination, "order_vertices", lambda _shape, _name: tuple(order))
        return eliminate(tables, SearchOptions(ordering="generateseq", engine=engine))


@given(problems(), st.randoms(use_true_random=False))
def test_any_order_is_exact(tables, random):
    order = list(range(len(tables.vertices)))
    random.shuffle(order)
    for engine in ENGINES:
        result = eliminate_in_order(tables, order, engine)
        assert list(result.order) == order
        assert result.cost == least_cost(tables)


@pytest.mark.parametrize("engine", ENGINES)
def test_equal_tables_in_other_places_make_another_message(engine):
    # 2 depends on 4 and 5, 3 on 6 alone, by the same tables: own, edge, message of 0 or 1.
    random = np.random.default_rng(7)
    own, near, far = random.random(2), random.random((2, 2)), random.random((2, 2))
    edge, ends = random.random((2, 2)), random.random((2, 2))
    tables = CostTables(
        (own,) * 7,
        (
            *(PairTable(0, 2, near), PairTable(0, 5, far), PairTable(2, 4, edge)),
            *(PairTable(1, 3, near), PairTable(1, 6, far), PairTable(3, 6, edge)),
            PairTable(4, 5, ends),
        ),
    )
    result = eliminate_in_order(tables, list(range(7)), engine)
    assert result.dependent_sets[2:4] == ((4, 5), (6,))
    assert result.cost == pytest.approx(least_cost(tables), rel=1e-12)


# Choosing ordering and engine


def test_unknown_orderings_are_refused():
    with pytest.raises(OptionError, match=r"unknown ordering 'best'; known: auto, generateseq, "):
        eliminate(CostTables((np.zeros(1),), ()), SearchOptions(ordering="best"))


@given(problems())
def test_automatic_ordering_is_the_cheaper_of_two_on_large_problems(tables):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(elimination, "_SECOND_PLAN_ENTRIES", 0)
        found = eliminate(tables, SearchOptions(ordering="auto"))
    both = [
        eliminate(tables, SearchOptions(ordering=ordering))
        for ordering in ("weighted-min-degree", "generateseq")
    ]
    assert found.n_joint_distinct == min(each.n_joint_distinct for each in both)
    assert found in both


def test_small_problems_do_not_wait_for_the_compiled_loops(monkeypatch):
    def refuse():
        raise AssertionError("the compiled loops were loaded")

    monkeypatch.setattr(elimination, "kernels_are_ready", lambda: False)
    monkeypatch.setattr(elimination, "load_kernels", refuse)
    tables = complete_problem(4, 5, seed=2)
    assert eliminate(tables).cost == pytest.approx(least_cost(tables), rel=1e-12)
    with pytest.raises(AssertionError, match="were loaded"):
        eliminate(tables, SearchOptions(engine="compiled"))
    monkeypatch.setattr(elimination, "_COMPILE_ENTRIES", 0)
    with pytest.raises(AssertionError, match="were loaded"):
        eliminate(tables)


def test_compiled_loops_are_used_once_they_are_there(monkeypatch):
    load_kernels()
    used = []
    plain = elimination.minima_compiled
    monkeypatch.setattr(
        elimination,
        "minima_compiled",
        lambda *words, **named: used.append(1) or plain(*words, **named),
    )
    eliminate(complete_problem(4, 5, seed=2))
    assert len(used) == 4


def test_large_problems_lose_dominated_choices_without_being_asked(monkeypatch):
    tables = costs_of_case("alexnet/p8")[1].tables
    options = SearchOptions(ordering="generateseq")
    plain = eliminate(tables, options)
    monkeypatch.setattr(elimination, "_DOMINANCE_ENTRIES", 0)
    reduced = eliminate(tables, options)
    assert reduced.n_joint < plain.n_joint
    assert reduced.cost == plain.cost
    assert eliminate(tables, replace(options, remove_dominated=False)) == plain


@pytest.mark.parametrize("case", ["alexnet/p32", "inception3/p8", "transformer/p8"])
def test_removing_dominated_choices_keeps_the_optimum_of_real_networks(case):
    tables = costs_of_case(case)[1].tables
    plain, reduced = (
        eliminate(tables, SearchOptions(remove_dominated=removes)) for removes in (False, True)
    )
    assert reduced.cost == pytest.approx(plain.cost, rel=1e-12)
    assert reduced.n_joint < plain.n_joint
