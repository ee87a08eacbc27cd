"""The exact methods by name, and the choice between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pase_core.cost_tables import CostTables, TableShape
from pase_core.errors import BudgetError, OptionError
from pase_core.search.bounds import check_bounds, search_by_bounds
from pase_core.search.elimination import PlannedSearch, plan_search, run_search
from pase_core.search.integer_program import integer_program
from pase_core.search.options import AUTOMATIC, DEFAULT_OPTIONS, SearchOptions
from pase_core.search.result import SearchResult
from pase_core.search.sweep import Progress, no_progress

ELIMINATION = "elimination"

ANYTIME: dict[str, Callable[[CostTables, SearchOptions, Progress], SearchResult]] = {
    "bounds": search_by_bounds,
    "integer-program": integer_program,
}
"""Methods that need no plan, work on any graph and improve until they are done or stopped."""

METHOD_NAMES = (AUTOMATIC, ELIMINATION, *ANYTIME)


def prepare(
    shape: TableShape, options: SearchOptions = DEFAULT_OPTIONS, held_bytes: int = 0
) -> PlannedSearch | None:
    """Plan an elimination before anything is priced, or None where another method is to be used.

    Args:
        shape: of the tables.
        options: method, ordering, limits.
        held_bytes: what is in memory beside the tables and messages.

    Raises:
        OptionError: if there is no such method or ordering.
        BudgetError: if no method that may be used can fit the limits.
    """
    if options.method not in METHOD_NAMES:
        raise OptionError(f"unknown method {options.method!r}; known: {', '.join(METHOD_NAMES)}")
    if options.method in ANYTIME:
        check_bounds(shape, options, held_bytes)
        return None
    try:
        return plan_search(shape, options, held_bytes)
    except BudgetError as error:
        if options.method == ELIMINATION:
            raise
        try:
            check_bounds(shape, options, held_bytes)
        except BudgetError:
            raise error from None
        return None


def search_prepared(
    planned: PlannedSearch | None,
    tables: CostTables,
    options: SearchOptions = DEFAULT_OPTIONS,
    progress: Progress = no_progress,
) -> SearchResult:
    """Carry out what `prepare` chose.

    Raises:
        OptionError: if the compiled loops are asked for, or needed, and cannot be loaded.
        BudgetError: if the search does not fit the limits.
    """
    if planned is None:
        return ANYTIME.get(options.method, search_by_bounds)(tables, options, progress)
    try:
        return run_search(planned, tables, options, progress)
    except BudgetError as error:  # too much even without dominated choices, or with the scratch
        if options.method == ELIMINATION:
            raise
        left_bytes = options.memory_budget_bytes - planned.held_bytes
        try:
            return search_by_bounds(
                tables, replace(options, memory_budget_bytes=left_bytes), progress
            )
        except BudgetError:
            raise error from None


def search(
    tables: CostTables,
    options: SearchOptions = DEFAULT_OPTIONS,
    progress: Progress = no_progress,
) -> SearchResult:
    """Find the choices of least total cost by the method asked for.

    Raises:
        OptionError: if there is no such method or ordering.
        BudgetError: if the search does not fit the limits.
    """
    return search_prepared(prepare(tables.shape, options), tables, options, progress)
