"""Carry out the plan of an elimination: messages forward, choices backward.

On the way back each vertex takes the choice that attains its minimum given the choices of its
dependent set: recomputed, since a table of arg-mins would double the memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from pase_core.cost_tables import Array, CostTables
from pase_core.search.minima import Axes
from pase_core.search.plan import Plan, Step

Progress = Callable[[float], None]
"""Called now and then with the share of the entries that have been visited, from 0 to 1."""


def no_progress(_share: float) -> None:
    """Tell nobody."""


Minima = Callable[[Sequence[tuple[Array, Axes]], tuple[int, ...]], Array]
"""Minimise a sum of factors over their first axis; see `pase_core.search.minima`."""


def given_tables(tables: CostTables, plan: Plan) -> dict[int, Array]:
    """The cost tables by their numbers in the plan, first-eliminated vertex first; no copies."""
    given = {}
    for source in plan.sources:
        if source.vertex is not None:
            given[source.table] = tables.vertices[source.vertex]
        elif source.pair is not None:
            costs = tables.pairs[source.pair].costs
            given[source.table] = costs.T if source.is_transposed else costs
    return given


def run_plan(tables: CostTables, plan: Plan, minima: Minima, progress: Progress) -> tuple[int, ...]:
    """Eliminate forward, then choose backward."""
    made = fill_messages(tables, plan, minima, progress)
    choices: dict[int, int] = {}
    known: dict[tuple[int, ...], int] = {}
    for step in reversed(plan.steps):
        # Equal messages come from equal factors: among equal neighbours they choose alike.
        key = (step.result, *map(choices.__getitem__, step.dependents))
        if key not in known:
            known[key] = int(np.argmin(choice_totals(step, made, choices)))
        choices[step.vertex] = known[key]
    return tuple(choices[vertex] for vertex in range(len(plan.order)))


def fill_messages(
    tables: CostTables, plan: Plan, minima: Minima, progress: Progress = no_progress
) -> dict[int, Array]:
    """Carry out a plan forward; returns every table by its number in the plan."""
    made = given_tables(tables, plan)
    n_choices = tables.n_choices
    n_visited = 0
    for step in plan.steps:
        if step.is_new:
            factors = [(made[factor.table], factor.places) for factor in step.factors]
            shape = (n_choices[step.vertex], *map(n_choices.__getitem__, step.dependents))
            made[step.result] = minima(factors, shape)
            n_visited += step.n_joint
            progress(n_visited / plan.n_joint_distinct)
    return made


def choice_totals(step: Step, made: Mapping[int, Array], choices: Mapping[int, int]) -> Array:
    """Sum of a step's factors per choice of its vertex, given the choices of its dependents."""
    total = np.zeros(len(made[step.factors[0].table]))
    for factor in step.factors:
        others = map(choices.__getitem__, factor.variables[1:])
        place: tuple[slice | int, ...] = (slice(None), *others)
        total += made[factor.table][place]
    return total
