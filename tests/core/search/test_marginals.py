import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pase_core.errors import BudgetError
from pase_core.search.elimination import ORDERING_NAMES, EliminationOptions, eliminate
from pase_core.search.marginals import choice_costs
from tests.core.search.random_tables import problems


def pinned(tables, vertex, choice):
    kept = [np.arange(n) for n in tables.n_choices]
    kept[vertex] = np.array([choice])
    return tables.restricted(kept)


@given(
    problems(), st.data(), st.sampled_from(ORDERING_NAMES), st.sampled_from(["numpy", "compiled"])
)
def test_costs_are_those_of_a_search_with_the_choice_held(tables, data, ordering, engine):
    vertex = data.draw(st.integers(0, len(tables.vertices) - 1))
    options = EliminationOptions(ordering=ordering, engine=engine)
    costs = choice_costs(tables, vertex, options)
    slow = [eliminate(pinned(tables, vertex, c)).cost for c in range(tables.n_choices[vertex])]
    np.testing.assert_allclose(costs, slow, rtol=1e-12, atol=1e-9)


@given(problems(), st.data())
def test_the_least_cost_is_the_optimum_for_every_vertex(tables, data):
    vertex = data.draw(st.integers(0, len(tables.vertices) - 1))
    optimum = eliminate(tables).cost
    assert choice_costs(tables, vertex).min() == pytest.approx(optimum, rel=1e-12, abs=1e-9)


@given(problems())
def test_the_memory_budget_holds(tables):
    with pytest.raises(BudgetError):
        choice_costs(tables, 0, EliminationOptions(memory_budget_bytes=1.0))
