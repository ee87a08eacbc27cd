"""Brute force: try every combination of choices. The slow, obvious twin of every exact search."""

from __future__ import annotations

import itertools
import math

from pase_core.cost_tables import CostTables
from pase_core.errors import BudgetError
from pase_core.search.budget import format_amount
from pase_core.search.result import SearchResult

MAX_COMBINATIONS = 2_000_000


def brute_force(tables: CostTables) -> SearchResult:
    """Minimise over all combinations of choices.

    Raises:
        BudgetError: if there are more than MAX_COMBINATIONS.
    """
    n_combinations = math.prod(tables.n_choices)
    if n_combinations > MAX_COMBINATIONS:
        raise BudgetError(
            f"brute force would try {format_amount(n_combinations)} combinations; "
            f"at most {MAX_COMBINATIONS} are allowed"
        )
    everything = itertools.product(*(range(n) for n in tables.n_choices))
    best = min(everything, key=tables.total)
    cost = tables.total(best)
    return SearchResult(
        choices=best,
        cost=cost,
        lower_bound=cost,
        method="brute force",
        proved_optimal=True,
        largest_table=n_combinations,
        peak_bytes=tables.n_bytes,
    )
