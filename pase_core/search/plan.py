"""What elimination will do, worked out before it does any of it: factors, sizes, sharing.

Eliminating `v` with dependent set D adds up every factor (cost table or message) that contains v
and minimises over v; the result is a message over D. A factor's axes are sorted by elimination
position, so v is always a factor's first axis and the last of D its last.

Equal blocks of a network have equal messages: a message is named by what goes into it, the
identities of the factors and the places of their axes, and is computed once per name.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pase_core.cost_tables import CostTables
from pase_core.errors import BudgetError
from pase_core.search.ordering import dependent_sets, neighbours


class Factor(NamedTuple):
    """A table that takes part in an elimination.

    Attributes:
        table: number of the table in the plan.
        variables: the vertices of its axes, by elimination position.
        places: where those are among the step's vertex (0) and dependents (1, 2, ..).
    """

    table: int
    variables: tuple[int, ...]
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """The elimination of one vertex.

    Attributes:
        vertex: what is eliminated.
        dependents: its dependent set, by elimination position.
        factors: the tables to add up; each has `vertex` as its first variable.
        result: number of the table of minima over `dependents`.
        is_new: False if an equal message has been computed before.
        n_joint: entries of the joint table over vertex and dependents, visited but not stored.
    """

    vertex: int
    dependents: tuple[int, ...]
    factors: tuple[Factor, ...]
    result: int
    is_new: bool
    n_joint: int


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole elimination.

    Attributes:
        order: the vertices in elimination order.
        steps: one per vertex.
        sources: where the tables come from that are given, not computed.
        n_joint: entries visited by all steps.
        n_joint_distinct: entries visited by the steps whose message is new.
        message_bytes: of all distinct messages, which are kept for the way back.
        largest_table: entries of the largest joint table.
    """

    order: tuple[int, ...]
    steps: tuple[Step, ...]
    sources: tuple[Source, ...]
    n_joint: int
    n_joint_distinct: int
    message_bytes: int
    largest_table: int


@dataclass(frozen=True, slots=True)
class Source:
    """Where a table that is given comes from.

    Attributes:
        table: its number in the plan.
        vertex: position in `CostTables.vertices`, if it is there.
        pair: position in `CostTables.pairs`, if it is there.
        is_transposed: whether the pair's second vertex is eliminated first.
    """

    table: int
    vertex: int | None = None
    pair: int | None = None
    is_transposed: bool = False


class _Numbers:
    """Give equal keys the same number."""

    def __init__(self) -> None:
        self._number: dict[object, int] = {}

    def of(self, key: object) -> tuple[int, bool]:
        """Number of a key, and whether it is new."""
        is_new = key not in self._number
        return self._number.setdefault(key, len(self._number)), is_new


def plan_elimination(tables: CostTables, order: Sequence[int]) -> Plan:
    """Work out the steps of an elimination in the given order."""
    numbers = _Numbers()
    position = {vertex: i for i, vertex in enumerate(order)}
    waiting, sources = _given_tables(tables, position, numbers)
    sets = dependent_sets(neighbours(tables), order)
    n_choices = tables.n_choices
    steps = []
    for vertex, dependent_set in zip(order, sets, strict=True):
        dependents = tuple(sorted(dependent_set, key=position.__getitem__))
        factors = _factors(waiting[vertex], (vertex, *dependents))
        result, is_new = numbers.of(tuple((factor.table, factor.places) for factor in factors))
        if dependents:
            waiting[dependents[0]].append((result, dependents))
        n_joint = math.prod(n_choices[v] for v in (vertex, *dependents))
        steps.append(Step(vertex, dependents, factors, result, is_new, n_joint))
    new = [step for step in steps if step.is_new]
    return Plan(
        order=tuple(order),
        steps=tuple(steps),
        sources=sources,
        n_joint=sum(step.n_joint for step in steps),
        n_joint_distinct=sum(step.n_joint for step in new),
        message_bytes=sum(8 * step.n_joint // n_choices[step.vertex] for step in new),
        largest_table=max(step.n_joint for step in steps),
    )


_Waiting = list[list[tuple[int, tuple[int, ...]]]]
"""Per vertex, the tables that are added up when it is eliminated, with their variables."""


def _given_tables(
    tables: CostTables, position: dict[int, int], numbers: _Numbers
) -> tuple[_Waiting, tuple[Source, ...]]:
    """Cost tables, waiting at the vertex that is eliminated first among theirs."""
    waiting: _Waiting = [[] for _ in tables.vertices]
    sources: list[Source] = []
    for vertex, costs in enumerate(tables.vertices):
        number, is_new = numbers.of(id(costs))
        waiting[vertex].append((number, (vertex,)))
        if is_new:
            sources.append(Source(number, vertex=vertex))
    for i, pair in enumerate(tables.pairs):
        first, second = pair.first, pair.second
        is_transposed = position[first] > position[second]
        if is_transposed:
            first, second = second, first
        number, is_new = numbers.of((id(pair.costs), is_transposed))
        waiting[first].append((number, (first, second)))
        if is_new:
            sources.append(Source(number, pair=i, is_transposed=is_transposed))
    return waiting, tuple(sources)


def _factors(
    waiting: list[tuple[int, tuple[int, ...]]], variables: tuple[int, ...]
) -> tuple[Factor, ...]:
    """Factors of a step, sorted by places and number, so that equal sums get equal names."""
    place = {vertex: i for i, vertex in enumerate(variables)}
    factors = [Factor(table, vs, tuple(place[v] for v in vs)) for table, vs in waiting]
    return tuple(sorted(factors, key=lambda factor: (factor.places, factor.table)))


def check_budget(
    tables: CostTables, plan: Plan, memory_budget_bytes: float, held_bytes: int = 0
) -> None:
    """Raise BudgetError, naming the vertex to blame, if the plan's messages do not fit.

    Args:
        tables: the tables that are searched.
        plan: the elimination.
        memory_budget_bytes: for everything together.
        held_bytes: what is in memory beside the tables and messages.
    """
    n_bytes, n_choices = float(held_bytes + tables.n_bytes), tables.n_choices
    for step in plan.steps:
        if not step.is_new:
            continue
        size = 8 * step.n_joint // n_choices[step.vertex]
        n_bytes += size
        if n_bytes > memory_budget_bytes:
            dependents = ", ".join(repr(tables.name(v)) for v in step.dependents)
            raise BudgetError(
                f"exact search does not fit the memory budget of {memory_budget_bytes / 1e9:.3g} "
                f"GB: at {tables.name(step.vertex)!r}, which depends on {dependents or 'nothing'}, "
                f"the table of {step.n_joint:.3g} entries leaves {size / 1e9:.3g} GB of minima; "
                "raise the budget (--memory-budget), use fewer devices, a larger smallest part "
                "(--min-part) or another ordering (--ordering)"
            )
