"""What the best whole costs for each choice of one vertex, by one search per choice.

For graphs whose elimination does not fit, so that `marginals` cannot be had; and its slow twin.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pase_core.cost_tables import Array, CostTables
from pase_core.errors import BudgetError
from pase_core.search.methods import search
from pase_core.search.options import DEFAULT_OPTIONS, SearchOptions
from pase_core.search.sweep import Progress, no_progress


def pinned_costs(
    tables: CostTables,
    vertex: int,
    options: SearchOptions = DEFAULT_OPTIONS,
    progress: Progress = no_progress,
) -> Array:
    """Least total cost for each choice of a vertex, all other vertices chosen optimally.

    Args:
        tables: the costs.
        vertex: the vertex in question.
        options: how to search; the time limit is for all choices together.
        progress: called with the share of the choices that are done.

    Returns:
        Costs, shape (n_choices of the vertex,).

    Raises:
        BudgetError: if a search does not fit the limits, or proves no optimum in its time.
    """
    n = tables.n_choices[vertex]
    kept = [np.arange(size) for size in tables.n_choices]
    limits = replace(options, time_limit_seconds=options.time_limit_seconds / n)
    costs = np.empty(n)
    for choice in range(n):
        kept[vertex] = np.array([choice])
        found = search(tables.restricted(kept), limits)
        if not found.proved_optimal:
            raise BudgetError(
                f"choice {choice} of {tables.name(vertex)!r} could not be priced exactly within "
                f"{limits.time_limit_seconds:.3g} s; raise the time limit (--time-limit)"
            )
        costs[choice] = found.cost
        progress((choice + 1) / n)
    return costs
