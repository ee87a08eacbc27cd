"""What the best whole choice costs for each choice of one vertex (its min-marginals)."""

from __future__ import annotations

from pase_core.cost_tables import Array, CostTables
from pase_core.search.budget import check_search
from pase_core.search.elimination import (
    AUTOMATIC,
    DEFAULT_OPTIONS,
    EliminationOptions,
    choose_kernels,
    minima_of,
)
from pase_core.search.ordering import order_vertices
from pase_core.search.plan import plan_elimination
from pase_core.search.sweep import choice_totals, fill_messages


def choice_costs(
    tables: CostTables, vertex: int, options: EliminationOptions = DEFAULT_OPTIONS
) -> Array:
    """Least total cost for each choice of a vertex, all other vertices chosen optimally.

    Exact, for the price of one search: the vertex is eliminated last, and what is added up then
    is the answer.

    Args:
        tables: the costs.
        vertex: the vertex in question.
        options: ordering, limits, engine.

    Returns:
        Costs, shape (n_choices of the vertex,); their minimum is the optimum.

    Raises:
        OptionError: if there is no such ordering, or the engine asked for is not there.
        BudgetError: if the search does not fit the limits.
    """
    name = "weighted-min-degree" if options.ordering == AUTOMATIC else options.ordering
    shape = tables.shape
    plan = plan_elimination(shape, order_vertices(shape, name, last=vertex))
    check_search(shape, plan, options.limits)
    kernels = choose_kernels(options.engine, plan)
    check_search(shape, plan, options.limits, is_compiled=kernels is not None)
    made = fill_messages(tables, plan, minima_of(kernels))
    *others, last = plan.steps
    elsewhere = sum(float(made[step.result]) for step in others if not step.dependents)
    return choice_totals(last, made, {}) + elsewhere
