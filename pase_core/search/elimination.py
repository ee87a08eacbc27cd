"""Exact minimisation by eliminating one vertex after the other (the paper's dynamic programming).

    M(D(i)) = min over choices of vi of [ cost of vi + edges to later neighbours
                                          + messages of earlier vertices that contain vi ]

The last messages are constants, one per connected part; their sum is the optimum. On the way
back, in reverse order, each vertex takes the choice that attains its minimum given the choices of
its dependent set.

First the search is planned and what it takes is counted, so that one that does not fit is refused
before anything is priced; then the plan is carried out (`pase_core.search.sweep`).

Exact. Work: the sum over vertices of the product of the numbers of choices of the vertex and its
dependent set; equal messages are computed once.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from types import ModuleType

from pase_core.cost_tables import Array, CostTables, Kept, TableShape
from pase_core.errors import OptionError
from pase_core.search.budget import check_search
from pase_core.search.dominance import check_removal, removal_bytes, remove_dominated
from pase_core.search.engine import kernels_are_loading, kernels_are_ready, load_kernels
from pase_core.search.minima import minima_compiled, minima_numpy
from pase_core.search.options import AUTOMATIC, DEFAULT_OPTIONS, Engine, SearchOptions
from pase_core.search.ordering import ORDERINGS, order_vertices
from pase_core.search.plan import Plan, plan_elimination
from pase_core.search.result import SearchResult
from pase_core.search.sweep import Minima, Progress, fill_messages, no_progress, run_plan

ORDERING_NAMES = (AUTOMATIC, *ORDERINGS)

_COMPILE_ENTRIES = 10_000_000
"""Entries that NumPy visits in less time than loading the compiled loops takes."""

_BACKGROUND_ENTRIES = 300_000_000
"""Entries that are left to NumPy rather than wait while the loops are loading anyway."""

_DOMINANCE_ENTRIES = 2_000_000_000
"""Below this, removing dominated choices costs more than the search."""

_SECOND_PLAN_ENTRIES = 50_000_000
"""Below this, planning a second ordering costs more than it can save."""

_HOPELESS = 1000.0
"""Times the limits that removing dominated choices is not expected to make up for."""


@dataclass(frozen=True, slots=True)
class PlannedSearch:
    """A search that has been found to be possible.

    Attributes:
        shape: of the tables that are to be searched.
        ordering: name of the ordering.
        plan: the elimination.
        removes_dominated: whether dominated choices are removed first, and a new plan is made.
        held_bytes: what is in memory beside the tables and messages.
    """

    shape: TableShape
    ordering: str
    plan: Plan
    removes_dominated: bool
    held_bytes: int


def eliminate(
    tables: CostTables,
    options: SearchOptions = DEFAULT_OPTIONS,
    progress: Progress = no_progress,
) -> SearchResult:
    """Find the choices of least total cost, exactly.

    Args:
        tables: the costs.
        options: ordering, limits, engine.
        progress: called as the search goes on.

    Raises:
        OptionError: if there is no such ordering, or the engine asked for is not there.
        BudgetError: if the search does not fit the limits.
    """
    return run_search(plan_search(tables.shape, options), tables, options, progress)


def plan_search(
    shape: TableShape, options: SearchOptions = DEFAULT_OPTIONS, held_bytes: int = 0
) -> PlannedSearch:
    """Plan the search of tables of some shape, before they are priced.

    Args:
        shape: of the tables.
        options: ordering, limits, engine.
        held_bytes: what is in memory beside the tables and messages.

    Raises:
        OptionError: if there is no such ordering.
        BudgetError: if the search cannot fit the limits. Where dominated choices are to be
            removed it is refused only if it exceeds them by far.
    """
    name, plan = _choose_plan(shape, options.ordering)
    removes = options.remove_dominated
    if removes is None:
        has_room = held_bytes + removal_bytes(shape) <= options.memory_budget_bytes
        removes = has_room and plan.n_joint_distinct > _DOMINANCE_ENTRIES
    slack = _HOPELESS if removes else 1.0
    check_search(shape, plan, options.limits, held_bytes=held_bytes, slack=slack)
    return PlannedSearch(shape, name, plan, removes, held_bytes)


def run_search(
    planned: PlannedSearch,
    tables: CostTables,
    options: SearchOptions = DEFAULT_OPTIONS,
    progress: Progress = no_progress,
) -> SearchResult:
    """Carry out a planned search.

    Args:
        planned: by `plan_search`, for the shape of the tables and the same options.
        tables: the costs.
        options: ordering, limits, engine.
        progress: called as the search goes on.

    Raises:
        OptionError: if the engine asked for is not there.
        BudgetError: if the search does not fit the limits.
    """
    before_loading = time.perf_counter()
    kernels = choose_kernels(options.engine, planned.plan)
    loading_seconds = time.perf_counter() - before_loading
    is_compiled = kernels is not None
    kept, searched, peak_bytes = None, tables, 0
    if planned.removes_dominated:
        peak_bytes = check_removal(planned.shape, planned.held_bytes, options.memory_budget_bytes)
        reduced = remove_dominated(tables, is_compiled=is_compiled)
        kept, searched = reduced.kept, reduced.tables
        planned = _restrict(planned, kept, options.ordering)
    plan, held_bytes = planned.plan, planned.held_bytes
    search_bytes = check_search(
        planned.shape, plan, options.limits, held_bytes=held_bytes, is_compiled=is_compiled
    )
    choices = run_plan(searched, plan, minima_of(kernels), progress)
    if kept is not None:
        choices = tuple(int(kept[v][c]) for v, c in enumerate(choices))
    cost = tables.total(choices)
    return SearchResult(
        choices=choices,
        cost=cost,
        lower_bound=cost,
        method="elimination",
        proved_optimal=True,
        largest_table=plan.largest_table,
        peak_bytes=max(peak_bytes, search_bytes),
        ordering=planned.ordering,
        order=plan.order,
        dependent_sets=tuple(step.dependents for step in plan.steps),
        n_joint=plan.n_joint,
        n_joint_distinct=plan.n_joint_distinct,
        loading_seconds=loading_seconds,
    )


def _restrict(planned: PlannedSearch, kept: Sequence[Kept], ordering: str) -> PlannedSearch:
    """Plan the search among the choices kept; the tables given stay in memory."""
    shape = planned.shape.restricted(kept)
    name, plan = _choose_plan(shape, ordering)
    held_bytes = planned.held_bytes + planned.shape.n_bytes_beside(shape)
    return PlannedSearch(shape, name, plan, removes_dominated=False, held_bytes=held_bytes)


def _choose_plan(shape: TableShape, ordering: str) -> tuple[str, Plan]:
    """The plan of the ordering named, or of the cheaper of two."""
    if ordering not in ORDERING_NAMES:
        raise OptionError(f"unknown ordering {ordering!r}; known: {', '.join(ORDERING_NAMES)}")

    def plan(name: str) -> tuple[str, Plan]:
        return name, plan_elimination(shape, order_vertices(shape, name))

    if ordering != AUTOMATIC:
        return plan(ordering)
    first = plan("weighted-min-degree")
    if first[1].n_joint_distinct < _SECOND_PLAN_ENTRIES:
        return first
    return min(first, plan("generateseq"), key=lambda each: each[1].n_joint_distinct)


@dataclass(frozen=True, slots=True, eq=False)
class Messages:
    """An elimination carried out forward, for those who go back through it in their own way.

    Attributes:
        plan: the elimination.
        made: every table by its number in the plan.
        minima: minimises a sum of factors.
        is_compiled: whether `minima` uses the compiled loops.
        n_bytes: bytes of all arrays at the worst moment so far.
    """

    plan: Plan
    made: dict[int, Array]
    minima: Minima
    is_compiled: bool
    n_bytes: int


def send_messages(tables: CostTables, options: SearchOptions = DEFAULT_OPTIONS) -> Messages:
    """Eliminate every vertex, all choices kept.

    Raises:
        OptionError: if there is no such ordering, or the engine asked for is not there.
        BudgetError: if the search does not fit the limits.
    """
    shape = tables.shape
    _name, plan = _choose_plan(shape, options.ordering)
    check_search(shape, plan, options.limits)
    kernels = choose_kernels(options.engine, plan)
    is_compiled = kernels is not None
    n_bytes = check_search(shape, plan, options.limits, is_compiled=is_compiled)
    minima = minima_of(kernels)
    return Messages(plan, fill_messages(tables, plan, minima), minima, is_compiled, n_bytes)


def choose_kernels(engine: Engine, plan: Plan) -> ModuleType | None:
    """The compiled loops where they are wanted, waiting for them, or None for NumPy.

    Raises:
        OptionError: if they are asked for and cannot be loaded.
    """
    if engine == "compiled":
        return load_kernels()
    patience = _BACKGROUND_ENTRIES if kernels_are_loading() else _COMPILE_ENTRIES
    if engine == "numpy" or not (kernels_are_ready() or plan.n_joint_distinct > patience):
        return None
    try:
        return load_kernels()
    except OptionError:
        return None


def minima_of(kernels: ModuleType | None) -> Minima:
    """How to minimise: by the compiled loops, or by NumPy without them."""
    return partial(minima_compiled, kernels=kernels) if kernels else minima_numpy
