"""The integer program of a pairwise minimisation, as arrays.

    x[v, c]     1 if vertex v takes choice c                    sum over c of x[v, c] = 1
    y[e, c, d]  1 if edge e = (u, v) meets choices c and d      sum over d of y[e, c, d] = x[u, c]
                                                                sum over c of y[e, c, d] = x[v, d]

    minimise  sum of cost[v, c] x[v, c] + sum of edge[e, c, d] y[e, c, d]

with x in {0, 1}; y then is too. There may be one more row, which limits a second sum over the same
tables (its coefficients are the second tables' entries):

    sum of weight[v, c] x[v, c] + sum of weight[e, c, d] y[e, c, d] + s = limit,  s >= 0

Costs are first moved from edges to vertices by the messages of a
relaxation, which changes no whole's cost: what is left is the excess over its lower bound, never
negative. A variable whose own excess is more than that of known choices is in no better solution
and left out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pase_core.cost_tables import Array, CostTables, PairTable
from pase_core.errors import BudgetError
from pase_core.search.relaxation import totals_of

Index = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """A program in equality form; every variable lies between 0 and 1.

    Attributes:
        constant: to be added to every solution's cost; a lower bound of all of them.
        costs: of the variables, none negative, shape (n_variables,); the x come first, and the
            slack s of a limit, if there is one, is last.
        vertices: vertex of each x.
        choices: its choice.
        row_starts: first entry of each row, and the number of entries, shape (n_rows + 1,).
        columns: variable of each entry.
        values: of the entries, 1 or -1.
        sides: right-hand sides, shape (n_rows,).
    """

    constant: float
    costs: Array
    vertices: Index
    choices: Index
    row_starts: Index
    columns: Index
    values: Array
    sides: Array

    def value_of(self, choices: Sequence[int]) -> Array:
        """The x of some choices; all 0 where a choice has been left out."""
        wanted = np.array(choices)[self.vertices]
        values: Array = (self.choices == wanted).astype(np.float64)
        return values


@dataclass(frozen=True, slots=True, eq=False)
class WeightLimit:
    """A limit on a second sum.

    Where the costs are those of `cost + multiplier * weight`, the slack takes back the multiplier:
    what is minimised is the cost alone, and the bounds of the weighted sum go on holding.

    Attributes:
        weight: the second tables, with the pairs of the first in the same order.
        limit: of their sum.
        multiplier: of the weight in the costs of the program; cost of the slack.
    """

    weight: CostTables
    limit: float
    multiplier: float


@dataclass(slots=True)
class _Rows:
    """Rows of a sparse matrix under construction."""

    sides: list[Array] = field(default_factory=list)
    rows: list[Index] = field(default_factory=list)
    columns: list[Index] = field(default_factory=list)
    values: list[Array] = field(default_factory=list)
    n: int = 0
    n_entries: int = 0

    def add(self, rows: Index, columns: Index, value: float) -> None:
        """Put entries into rows that are counted from the first one not yet closed."""
        self.rows.append(rows + self.n)
        self.columns.append(columns)
        self.values.append(np.full(len(rows), value))
        self.n_entries += len(rows)

    def close(self, n: int, side: float) -> None:
        """Close rows: they have all their entries."""
        self.sides.append(np.full(n, side))
        self.n += n

    def limit(self, coefficients: Array, limit: WeightLimit, left: float, room: float) -> Array:
        """One row more, in a unit in which no coefficient exceeds 1, with a slack of its own.

        Args:
            coefficients: of the variables so far, none negative.
            limit: what is limited.
            left: the limit of the sum of the coefficients.
            room: what the slack may cost at most.

        Returns:
            Cost of the slack, a share of its greatest value, shape (1,).
        """
        most_slack = max(left, 0.0)
        if limit.multiplier > 0.0:
            most_slack = min(most_slack, max(room, 0.0) / limit.multiplier)
        unit = max(float(coefficients.max(initial=0.0)), most_slack) or 1.0
        heavy = np.flatnonzero(coefficients)
        self.rows.append(np.full(len(heavy) + 1, self.n))
        self.columns.append(np.append(heavy, len(coefficients)))
        self.values.append(np.append(coefficients[heavy], most_slack) / unit)
        self.n_entries += len(heavy) + 1
        self.close(1, left / unit)
        return np.array([limit.multiplier * most_slack])


def build_program(
    tables: CostTables,
    messages: Sequence[tuple[Array, Array]],
    most: float,
    max_entries: float = math.inf,
    limit: WeightLimit | None = None,
) -> Program:
    """Set up the program of cost tables.

    Args:
        tables: the costs.
        messages: of a relaxation, per edge.
        most: what choices may cost at most to be kept: a little more than known ones cost.
        max_entries: of the matrix.
        limit: on a second sum; then `most` is for the cost with the limit's multiple of it.

    Raises:
        BudgetError: if there are more entries; then few of them have been made.
    """
    totals = totals_of(tables, messages)
    edges = list(zip(tables.pairs, messages, strict=True))
    lows = [float(_left(pair, moved).min()) for pair, moved in edges]
    constant = sum(float(total.min()) for total in totals) + sum(lows)
    room = most - constant
    excesses = [total - total.min() for total in totals]
    numbers = _numbers([excess <= room for excess in excesses])
    rows = _Rows()
    for number in numbers:
        kept = number[number >= 0]
        rows.add(np.zeros(len(kept), dtype=np.int64), kept, 1.0)
        rows.close(1, 1.0)
    costs = [excess[number >= 0] for excess, number in zip(excesses, numbers, strict=True)]
    n_variables = sum(map(len, costs))
    places: list[tuple[Index, Index]] = []
    for (pair, moved), low in zip(edges, lows, strict=True):
        excess = _left(pair, moved)
        excess -= low
        ends = (pair.first, pair.second)
        whole = excess + excesses[ends[0]][:, None] + excesses[ends[1]][None, :]
        met = np.nonzero(whole <= room)
        joint = np.arange(len(met[0])) + n_variables
        n_variables += len(joint)
        if rows.n_entries + 2 * len(joint) > max_entries:
            raise BudgetError(
                f"the integer program has more than {max_entries:.3g} entries at the transfer "
                f"from {tables.name(pair.first)!r} to {tables.name(pair.second)!r}"
            )
        for vertex, choices in zip(ends, met, strict=True):
            _add_marginals(rows, numbers[vertex], choices, joint)
        costs.append(excess[met])
        places.append((met[0], met[1]))
    if limit is not None:
        coefficients, lightest = _weights(limit.weight, numbers, places)
        costs.append(rows.limit(coefficients, limit, limit.limit - lightest, room))
        constant -= limit.multiplier * limit.limit
    return _assemble(constant, costs, numbers, rows)


def _left(pair: PairTable, moved: tuple[Array, Array]) -> Array:
    """What is left in an edge when messages have been moved to its ends."""
    to_first, to_second = moved
    left: Array = pair.costs - to_first[:, None]
    left -= to_second[None, :]
    return left


def _numbers(kept: Sequence[NDArray[np.bool_]]) -> list[Index]:
    """Number what is kept through all vertices; -1 for what is not."""
    numbers, n = [], 0
    for mask in kept:
        numbers.append(np.where(mask, np.cumsum(mask) - 1 + n, -1))
        n += int(mask.sum())
    return numbers


def _weights(
    weight: CostTables, numbers: Sequence[Index], places: Sequence[tuple[Index, Index]]
) -> tuple[Array, float]:
    """Second entries of all variables above the least of their vertex or edge; the least's sum."""
    rows = [costs[number >= 0] for costs, number in zip(weight.vertices, numbers, strict=True)]
    rows += [pair.costs[place] for pair, place in zip(weight.pairs, places, strict=True)]
    lows = [float(row.min()) if len(row) else 0.0 for row in rows]
    return np.concatenate([row - low for row, low in zip(rows, lows, strict=True)]), sum(lows)


def _add_marginals(rows: _Rows, number: Index, choices: Index, joint: Index) -> None:
    """One row per kept choice of an edge's end: its joint variables add up to its own."""
    kept = np.flatnonzero(number >= 0)
    place = np.cumsum(number >= 0) - 1
    rows.add(place[choices], joint, 1.0)
    rows.add(np.arange(len(kept)), number[kept], -1.0)
    rows.close(len(kept), 0.0)


def _assemble(constant: float, costs: list[Array], numbers: list[Index], rows: _Rows) -> Program:
    """Sort the entries row by row."""
    row = np.concatenate(rows.rows)
    order = np.argsort(row, kind="stable")
    counts = np.bincount(row, minlength=rows.n)
    return Program(
        constant=constant,
        costs=np.concatenate(costs),
        vertices=np.repeat(np.arange(len(numbers)), [int((n >= 0).sum()) for n in numbers]),
        choices=np.concatenate([np.flatnonzero(number >= 0) for number in numbers]),
        row_starts=np.concatenate([[0], np.cumsum(counts)]),
        columns=np.concatenate(rows.columns)[order],
        values=np.concatenate(rows.values)[order],
        sides=np.concatenate(rows.sides),
    )
