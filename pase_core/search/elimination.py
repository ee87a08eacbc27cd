"""Exact minimisation by eliminating one vertex after the other (the paper's dynamic programming).

    M(D(i)) = min over choices of vi of [ cost of vi + edges to later neighbours
                                          + messages of earlier vertices that contain vi ]

The last messages are constants, one per connected part; their sum is the optimum. On the way
back, in reverse order, each vertex takes the choice that attains its minimum given the choices of
its dependent set: recomputed, since a table of arg-mins would double the memory.

Exact. Work: the sum over vertices of the product of the numbers of choices of the vertex and its
dependent set; equal messages are computed once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from pase_core.cost_tables import Array, CostTables
from pase_core.errors import OptionError
from pase_core.search.dominance import remove_dominated
from pase_core.search.engine import kernels_are_loading, kernels_are_ready, load_kernels
from pase_core.search.minima import Axes, minima_compiled, minima_numpy
from pase_core.search.ordering import ORDERINGS, order_vertices
from pase_core.search.plan import Plan, Step, check_budget, plan_elimination
from pase_core.search.result import SearchResult

DEFAULT_MEMORY_BUDGET_BYTES = 8e9

AUTOMATIC = "auto"
"""Weighted min-degree, or GENERATESEQ if that visits fewer entries on a large problem."""

ORDERING_NAMES = (AUTOMATIC, *ORDERINGS)

Engine = Literal["auto", "numpy", "compiled"]

_COMPILE_ENTRIES = 10_000_000
"""Entries that NumPy visits in less time than loading the compiled loops takes."""

_BACKGROUND_ENTRIES = 300_000_000
"""Entries that are left to NumPy rather than wait while the loops are loading anyway."""

_DOMINANCE_ENTRIES = 2_000_000_000
"""Below this, removing dominated choices costs more than the search."""

_SECOND_PLAN_ENTRIES = 50_000_000
"""Below this, planning a second ordering costs more than it can save."""

Progress = Callable[[float], None]
"""Called now and then with the share of the entries that have been visited, from 0 to 1."""


def no_progress(_share: float) -> None:
    """Tell nobody."""


Minima = Callable[[Sequence[tuple[Array, Axes]], tuple[int, ...]], Array]


@dataclass(frozen=True, slots=True)
class EliminationOptions:
    """How to search.

    Attributes:
        ordering: a name of ORDERING_NAMES.
        memory_budget_bytes: for cost tables and messages together.
        engine: `compiled`, `numpy`, or `auto`: compiled when large or already loaded.
        remove_dominated: None does so where it pays.
    """

    ordering: str = AUTOMATIC
    memory_budget_bytes: float = DEFAULT_MEMORY_BUDGET_BYTES
    engine: Engine = "auto"
    remove_dominated: bool | None = None


DEFAULT_OPTIONS = EliminationOptions()


def eliminate(
    tables: CostTables,
    options: EliminationOptions = DEFAULT_OPTIONS,
    progress: Progress = no_progress,
) -> SearchResult:
    """Find the choices of least total cost, exactly.

    Args:
        tables: the costs.
        options: ordering, memory budget, engine.
        progress: called as the search goes on.

    Raises:
        OptionError: if there is no such ordering.
        BudgetError: if the messages do not fit the memory budget.
    """
    name, plan = _choose_plan(tables, options.ordering)
    is_compiled = is_compiled_better(options.engine, plan)
    before_loading = time.perf_counter()
    minima = choose_minima(is_compiled)
    loading_seconds = time.perf_counter() - before_loading
    kept = None
    removes = options.remove_dominated
    if removes or (removes is None and plan.n_joint_distinct > _DOMINANCE_ENTRIES):
        reduced = remove_dominated(tables, is_compiled=is_compiled)
        kept, searched = reduced.kept, reduced.tables
        name, plan = _choose_plan(searched, options.ordering)
    else:
        searched = tables
    held_bytes = 0 if searched is tables else tables.n_bytes
    check_budget(searched, plan, options.memory_budget_bytes, held_bytes)
    choices = _run(searched, plan, minima, progress)
    if kept is not None:
        choices = tuple(int(kept[v][c]) for v, c in enumerate(choices))
    return SearchResult(
        choices=choices,
        cost=tables.total(choices),
        method="elimination",
        proved_optimal=True,
        largest_table=plan.largest_table,
        peak_bytes=held_bytes + searched.n_bytes + plan.message_bytes,
        ordering=name,
        order=plan.order,
        dependent_sets=tuple(step.dependents for step in plan.steps),
        n_joint=plan.n_joint,
        n_joint_distinct=plan.n_joint_distinct,
        loading_seconds=loading_seconds,
    )


def _choose_plan(tables: CostTables, ordering: str) -> tuple[str, Plan]:
    """The plan of the ordering named, or of the cheaper of two."""
    if ordering not in ORDERING_NAMES:
        raise OptionError(f"unknown ordering {ordering!r}; known: {', '.join(ORDERING_NAMES)}")

    def plan(name: str) -> tuple[str, Plan]:
        return name, plan_elimination(tables, order_vertices(tables, name))

    if ordering != AUTOMATIC:
        return plan(ordering)
    first = plan("weighted-min-degree")
    if first[1].n_joint_distinct < _SECOND_PLAN_ENTRIES:
        return first
    return min(first, plan("generateseq"), key=lambda each: each[1].n_joint_distinct)


def is_compiled_better(engine: Engine, plan: Plan) -> bool:
    """Whether to use the compiled loops for a plan."""
    if engine == "auto":
        patience = _BACKGROUND_ENTRIES if kernels_are_loading() else _COMPILE_ENTRIES
        return kernels_are_ready() or plan.n_joint_distinct > patience
    return engine == "compiled"


def choose_minima(is_compiled: bool) -> Minima:
    """The compiled loops, waiting for them, or NumPy."""
    if is_compiled:
        return partial(minima_compiled, kernels=load_kernels())
    return minima_numpy


def _given_tables(tables: CostTables, plan: Plan) -> dict[int, Array]:
    """The cost tables by their numbers in the plan, first-eliminated vertex first."""
    given = {}
    for source in plan.sources:
        if source.vertex is not None:
            given[source.table] = tables.vertices[source.vertex]
        elif source.pair is not None:
            costs = tables.pairs[source.pair].costs
            given[source.table] = np.ascontiguousarray(costs.T if source.is_transposed else costs)
    return given


def _run(tables: CostTables, plan: Plan, minima: Minima, progress: Progress) -> tuple[int, ...]:
    """Eliminate forward, then choose backward."""
    made = fill_messages(tables, plan, minima, progress)
    choices: dict[int, int] = {}
    for step in reversed(plan.steps):
        choices[step.vertex] = int(np.argmin(choice_totals(step, made, choices)))
    return tuple(choices[vertex] for vertex in range(len(plan.order)))


def fill_messages(
    tables: CostTables, plan: Plan, minima: Minima, progress: Progress = no_progress
) -> dict[int, Array]:
    """Carry out a plan forward; returns every table by its number in the plan."""
    made = _given_tables(tables, plan)
    n_choices = tables.n_choices
    n_visited = 0
    for step in plan.steps:
        if step.is_new:
            factors = [(made[factor.table], factor.places) for factor in step.factors]
            shape = tuple(n_choices[v] for v in (step.vertex, *step.dependents))
            made[step.result] = minima(factors, shape)
            n_visited += step.n_joint
            progress(n_visited / plan.n_joint_distinct)
    return made


def choice_totals(step: Step, made: Mapping[int, Array], choices: Mapping[int, int]) -> Array:
    """Sum of a step's factors per choice of its vertex, given the choices of its dependents."""
    total = np.zeros(len(made[step.factors[0].table]))
    for factor in step.factors:
        table = made[factor.table]
        others = tuple(choices[v] for v in factor.variables[1:])
        total += table.reshape(len(table), -1)[:, _flat_index(others, table.shape[1:])]
    return total


def _flat_index(position: tuple[int, ...], shape: tuple[int, ...]) -> int:
    return int(np.ravel_multi_index(position, shape)) if shape else 0
