"""What the best whole choice costs for each choice of one vertex (its min-marginals)."""

from __future__ import annotations

from pase_core.cost_tables import Array, CostTables
from pase_core.search.elimination import (
    AUTOMATIC,
    DEFAULT_OPTIONS,
    EliminationOptions,
    choice_totals,
    choose_minima,
    fill_messages,
    is_compiled_better,
)
from pase_core.search.ordering import order_vertices
from pase_core.search.plan import check_budget, plan_elimination


def choice_costs(
    tables: CostTables, vertex: int, options: EliminationOptions = DEFAULT_OPTIONS
) -> Array:
    """Least total cost for each choice of a vertex, all other vertices chosen optimally.

    Exact, for the price of one search: the vertex is eliminated last, and what is added up then
    is the answer.

    Args:
        tables: the costs.
        vertex: the vertex in question.
        options: ordering, memory budget, engine.

    Returns:
        Costs, shape (n_choices of the vertex,); their minimum is the optimum.

    Raises:
        OptionError: if there is no such ordering.
        BudgetError: if the messages do not fit the memory budget.
    """
    name = "weighted-min-degree" if options.ordering == AUTOMATIC else options.ordering
    plan = plan_elimination(tables, order_vertices(tables, name, last=vertex))
    check_budget(tables, plan, options.memory_budget_bytes)
    made = fill_messages(tables, plan, choose_minima(is_compiled_better(options.engine, plan)))
    *others, last = plan.steps
    elsewhere = sum(float(made[step.result]) for step in others if not step.dependents)
    return choice_totals(last, made, {}) + elsewhere
