"""What elimination will do, worked out before it does any of it: factors, sizes, sharing.

Eliminating `v` with dependent set D adds up every factor (cost table or message) that contains v
and minimises over v; the result is a message over D. A factor's axes are sorted by elimination
position, so v is always a factor's first axis and the last of D its last.

Equal blocks of a network have equal messages: a message is named by what goes into it, the
identities of the factors and the places of their axes, and is computed once per name.

No cost is looked at: a plan can be made, and refused, before anything is priced. Numbers of entries
are integers of any size; on a dense graph they leave float64's range.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pase_core.cost_tables import TableShape
from pase_core.search.ordering import dependent_sets


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
        largest_table: entries of the largest joint table.
    """

    order: tuple[int, ...]
    steps: tuple[Step, ...]
    sources: tuple[Source, ...]
    n_joint: int
    n_joint_distinct: int
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


def plan_elimination(shape: TableShape, order: Sequence[int]) -> Plan:
    """Work out the steps of an elimination in the given order."""
    numbers = _Numbers()
    position = {vertex: i for i, vertex in enumerate(order)}
    waiting, sources = _given_tables(shape, position, numbers)
    sets = dependent_sets(shape.neighbours, order)
    n_choices = shape.n_choices
    steps = []
    for vertex, dependent_set in zip(order, sets, strict=True):
        dependents = tuple(sorted(dependent_set, key=position.__getitem__))
        factors = _factors(waiting[vertex], (vertex, *dependents))
        result, is_new = numbers.of(tuple((table, places) for table, _, places in factors))
        if dependents:
            waiting[dependents[0]].append((result, dependents))
        n_joint = math.prod(map(n_choices.__getitem__, dependents), start=n_choices[vertex])
        steps.append(Step(vertex, dependents, factors, result, is_new, n_joint))
    new = [step for step in steps if step.is_new]
    return Plan(
        order=tuple(order),
        steps=tuple(steps),
        sources=sources,
        n_joint=sum(step.n_joint for step in steps),
        n_joint_distinct=sum(step.n_joint for step in new),
        largest_table=max(step.n_joint for step in steps),
    )


_Waiting = list[list[tuple[int, tuple[int, ...]]]]
"""Per vertex, the tables that are added up when it is eliminated, with their variables."""


def _given_tables(
    shape: TableShape, position: dict[int, int], numbers: _Numbers
) -> tuple[_Waiting, tuple[Source, ...]]:
    """Cost tables, waiting at the vertex that is eliminated first among theirs."""
    waiting: _Waiting = [[] for _ in shape.n_choices]
    sources: list[Source] = []
    for vertex, key in enumerate(shape.vertex_keys):
        number, is_new = numbers.of(("vertex", key))
        waiting[vertex].append((number, (vertex,)))
        if is_new:
            sources.append(Source(number, vertex=vertex))
    for i, ((first, second), key) in enumerate(zip(shape.edges, shape.edge_keys, strict=True)):
        is_transposed = position[first] > position[second]
        number, is_new = numbers.of(("edge", key, is_transposed))
        if is_transposed:
            first, second = second, first
        waiting[first].append((number, (first, second)))
        if is_new:
            sources.append(Source(number, pair=i, is_transposed=is_transposed))
    return waiting, tuple(sources)


def _factors(
    waiting: list[tuple[int, tuple[int, ...]]], variables: tuple[int, ...]
) -> tuple[Factor, ...]:
    """Factors of a step, sorted by places and number, so that equal sums get equal names."""
    place = {vertex: i for i, vertex in enumerate(variables)}
    factors = [Factor(table, vs, tuple(map(place.__getitem__, vs))) for table, vs in waiting]
    return tuple(sorted(factors, key=lambda factor: (factor.places, factor.table)))
