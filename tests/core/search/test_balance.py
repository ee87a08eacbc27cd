import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pase_core.cost_tables import CostTables, PairTable
from pase_core.errors import BudgetError
from pase_core.search.balance import Line, Phase, envelope, phases, weighted_sum, worst_loss
from pase_core.search.elimination import eliminate
from pase_core.search.options import SearchOptions
from tests.core.search.random_tables import complete_problem, joint_costs, problems


@st.composite
def cost_pairs(draw):
    """Two costs over the same graph; the first may lack pairs."""
    scaled = draw(problems(max_vertices=5, max_choices=3))
    known = {}

    def other(array):
        if id(array) not in known:
            values = st.lists(
                st.integers(0, 6).map(float), min_size=array.size, max_size=array.size
            )
            known[id(array)] = np.array(draw(values)).reshape(array.shape)
        return known[id(array)]

    pairs = tuple(replace(p, costs=other(p.costs)) for p in scaled.pairs if draw(st.booleans()))
    return CostTables(tuple(map(other, scaled.vertices)), pairs), scaled


def slow_envelope(fixed, scaled):
    """Corners of the lower left convex hull of all combinations' costs, by the definition.

    A point is a corner if some weight makes it strictly better than all other points.
    """
    a = np.broadcast_to(joint_costs(fixed), scaled.n_choices).ravel()
    points = sorted(set(zip(a, joint_costs(scaled).ravel(), strict=True)))
    corners = []
    for x, y in points:
        low, high = 0.0, math.inf
        for u, v in points:  # x + r y < u + r v
            if v < y:
                high = min(high, (u - x) / (y - v))
            elif v > y:
                low = max(low, (u - x) / (y - v))
            elif u < x:
                high = -1.0
        if low < high:
            corners.append((x, y, low, high))
    return corners


@given(cost_pairs(), st.sampled_from(["numpy", "compiled"]))
def test_phases_are_the_lower_envelope_of_all_combinations(costs, engine):
    fixed, scaled = costs
    found = phases(fixed, scaled, SearchOptions(engine=engine))
    wanted = slow_envelope(fixed, scaled)
    assert [(p.line.fixed, p.line.scaled) for p in found] == [(x, y) for x, y, *_ in wanted]
    assert [p.start for p in found] == pytest.approx([low for *_, low, _high in wanted])
    assert [p.stop for p in found] == pytest.approx([high for *_, high in wanted])


@given(cost_pairs(), st.floats(0, 20))
def test_the_ruling_phase_costs_what_a_search_finds(costs, weight):
    fixed, scaled = costs
    found = phases(fixed, scaled)
    (ruling,) = [p for p in found if p.start <= weight < p.stop]
    least = eliminate(weighted_sum(fixed, scaled, 1.0, weight)).cost
    assert ruling.line.at(weight) == pytest.approx(least, rel=1e-9, abs=1e-9)


@given(cost_pairs())
def test_phases_follow_each_other_without_a_gap(costs):
    found = phases(*costs)
    assert found[0].start == 0.0
    assert found[-1].stop == math.inf
    for left, right in itertools.pairwise(found):
        assert left.stop == right.start > left.start
        assert left.line.fixed < right.line.fixed
        assert left.line.scaled > right.line.scaled
        assert left.line.at(left.stop) == pytest.approx(right.line.at(left.stop))


@given(cost_pairs(), st.floats(0, 10), st.floats(0, 10))
def test_the_worst_loss_is_seen_nowhere_else(costs, start, length):
    found = phases(*costs)
    for phase in found:
        worst = worst_loss(phase.line, found, start, start + length)
        assert worst >= 0.0
        for weight in np.linspace(start, start + length, 17):
            best = min(each.line.at(weight) for each in found)
            assert phase.line.at(weight) <= best * (1.0 + worst) * (1 + 1e-12) + 1e-12 or (
                worst == math.inf
            )


def test_a_strategy_loses_nothing_within_its_own_phase():
    found = envelope([Line((0,), 1.0, 3.0), Line((1,), 2.0, 1.0), Line((2,), 4.0, 0.5)])
    assert found == (
        Phase(Line((0,), 1.0, 3.0), 0.0, 0.5),
        Phase(Line((1,), 2.0, 1.0), 0.5, 4.0),
        Phase(Line((2,), 4.0, 0.5), 4.0, math.inf),
    )
    for phase in found:
        assert worst_loss(phase.line, found, phase.start, phase.stop) == 0.0
    assert worst_loss(found[0].line, found, 0.0, 4.0) == pytest.approx(13 / 6 - 1)
    assert worst_loss(found[1].line, found, 0.5, math.inf) == pytest.approx(1.0)


def test_a_free_second_cost_leaves_one_phase():
    zero = Line((0,), 1.0, 0.0)
    assert envelope([zero, Line((1,), 2.0, 0.0), Line((1,), 1.0, 1.0)]) == (
        Phase(zero, 0.0, math.inf),
    )
    assert worst_loss(Line((3,), 2.0, 1.0), envelope([zero]), 0.0, math.inf) == math.inf


def test_a_weighted_sum_keeps_sharing_and_leaves_its_terms_alone():
    edge = np.ones((2, 2))
    scaled = CostTables((np.zeros(2),) * 3, (PairTable(0, 1, edge), PairTable(1, 2, edge)))
    fixed = CostTables((np.ones(2),) * 3, ())
    total = weighted_sum(fixed, scaled, 2.0, 3.0)
    assert total.pairs[0].costs is total.pairs[1].costs
    assert total.vertices[0] is total.vertices[2]
    assert total.total((0, 0, 0)) == 2.0 * 3 + 3.0 * 2
    assert edge.sum() == 4.0


def test_what_is_not_proved_is_no_phase():
    tables = complete_problem(12, 6, seed=1)
    fixed = CostTables(complete_problem(12, 6, seed=2).vertices, ())
    with pytest.raises(BudgetError, match="was not proved within 0 s"):
        phases(fixed, tables, SearchOptions(method="bounds", time_limit_seconds=0.0))


@given(cost_pairs())
def test_phases_found_by_bounds_are_the_same(costs):
    by_bounds = phases(*costs, SearchOptions(method="bounds"))
    assert [p.line.fixed for p in by_bounds] == [p.line.fixed for p in phases(*costs)]


def test_the_memory_budget_holds():
    tables = CostTables((np.zeros(2), np.zeros(2)), (PairTable(0, 1, np.zeros((2, 2))),))
    with pytest.raises(BudgetError):
        phases(CostTables(tables.vertices, ()), tables, SearchOptions(memory_budget_bytes=60))
