import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pase_core.cost_tables import CostTables
from pase_core.errors import BudgetError, OptionError
from pase_core.search.elimination import ORDERING_NAMES, eliminate
from pase_core.search.k_best import MAX_K, k_best
from pase_core.search.options import SearchOptions
from tests.core.search.random_tables import REALS, joint_costs, problems


@given(problems(max_vertices=5), st.integers(1, 60), st.sampled_from(ORDERING_NAMES))
def test_the_k_best_are_the_first_of_all_combinations_sorted(tables, k, ordering):
    found = k_best(tables, k, SearchOptions(ordering=ordering))
    every = sorted(joint_costs(tables).ravel())
    assert [each.cost for each in found] == pytest.approx(every[:k], rel=1e-12, abs=1e-9)
    assert len({each.choices for each in found}) == len(found) == min(k, len(every))
    for each in found:
        assert each.cost == tables.total(each.choices)


@given(problems(costs=REALS, max_vertices=4, max_choices=3))
def test_asking_for_more_than_there_are_gives_all(tables):
    found = k_best(tables, 1000)
    everything = itertools.product(*(range(n) for n in tables.n_choices))
    assert {each.choices for each in found} == set(everything)
    costs = [each.cost for each in found]
    assert costs == sorted(costs)


@given(problems())
def test_the_first_is_the_optimum(tables):
    (best,) = k_best(tables, 1)
    assert best.cost == pytest.approx(eliminate(tables).cost, rel=1e-12, abs=1e-9)


@pytest.mark.parametrize("k", [0, -1, 1.5, True, MAX_K + 1, "3"])
def test_a_number_out_of_range_is_refused(k):
    with pytest.raises(OptionError, match=f"from 1 to {MAX_K}"):
        k_best(CostTables((np.zeros(2),), ()), k)


@given(problems())
def test_the_memory_budget_holds(tables):
    with pytest.raises(BudgetError):
        k_best(tables, 2, SearchOptions(memory_budget_bytes=1.0))
