"""Two costs over the same vertices, and weighted sums of them.

Each may lack pairs that the other has, and name the two vertices of a pair in either order. Arrays
that are shared in both stay shared in all that is made here, so that equal blocks stay equal.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from pase_core.cost_tables import Array, CostTables, PairTable

_Ends = tuple[int, int]


def weighted_sum(
    first: CostTables, second: CostTables, first_weight: float, second_weight: float
) -> CostTables:
    """Tables `first_weight * first + second_weight * second`; shared arrays stay shared.

    Args:
        first: costs; pairs that it lacks count as 0.
        second: costs over the same vertices; pairs that it lacks count as 0.
        first_weight: of the first.
        second_weight: of the second.

    Returns:
        Tables with the pairs of the second, and then those that only the first has.
    """
    made: dict[Hashable, Array] = {}

    def combined(one: Array | None, two: Array | None) -> Array:
        key = (id(one), id(two))
        if key not in made:
            terms = [w * a for w, a in ((second_weight, two), (first_weight, one)) if a is not None]
            total = terms[0]
            for term in terms[1:]:
                total += term
            made[key] = total
        return made[key]

    return CostTables(
        vertices=tuple(map(combined, first.vertices, second.vertices)),
        pairs=tuple(PairTable(u, v, combined(a, b)) for (u, v), a, b in _matched(first, second)),
        names=second.names or first.names,
    )


def aligned(first: CostTables, second: CostTables) -> tuple[CostTables, CostTables]:
    """The same two costs with the same pairs in the same order, as `weighted_sum` has them.

    What one lacks is filled in with zeros that take no memory.
    """
    turned: dict[Hashable, Array] = {}

    def zeros(shape: tuple[int, ...]) -> Array:
        return turned.setdefault(shape, np.broadcast_to(0.0, shape))

    rows: tuple[list[PairTable], list[PairTable]] = ([], [])
    for (u, v), a, b in _matched(first, second):
        shape = (len(first.vertices[u]), len(first.vertices[v]))
        for pairs, costs in zip(rows, (a, b), strict=True):
            pairs.append(PairTable(u, v, zeros(shape) if costs is None else costs))
    names = second.names or first.names
    return (
        CostTables(first.vertices, tuple(rows[0]), names=names),
        CostTables(second.vertices, tuple(rows[1]), names=names),
    )


def shifted(tables: CostTables) -> tuple[CostTables, float]:
    """Tables whose every array has 0 for its least entry, and what all totals have lost by it.

    Large numbers that every choice costs alike would only be rounding beside a second cost.
    Arrays whose least entry is 0 are not copied.
    """
    made: dict[int, Array] = {}
    constant = 0.0

    def lowered(array: Array) -> Array:
        nonlocal constant
        least = float(array.min())
        constant += least
        if id(array) not in made:
            made[id(array)] = array - least if least else array
        return made[id(array)]

    vertices = tuple(lowered(costs) for costs in tables.vertices)
    pairs = tuple(PairTable(p.first, p.second, lowered(p.costs)) for p in tables.pairs)
    return CostTables(vertices, pairs, names=tables.names), constant


def _matched(
    first: CostTables, second: CostTables
) -> list[tuple[_Ends, Array | None, Array | None]]:
    """Ends of every pair, as the second names them if it has it, with both its arrays."""
    mine = {(p.first, p.second): p.costs for p in first.pairs}
    matched: list[tuple[_Ends, Array | None, Array | None]] = []
    turned: dict[int, Array] = {}  # one view of each array, as arrays are told apart by identity
    for pair in second.pairs:
        ends = (pair.first, pair.second)
        costs = mine.pop(ends, None)
        if costs is None and (other := mine.pop(ends[::-1], None)) is not None:
            costs = turned.setdefault(id(other), other.T)
        matched.append((ends, costs, pair.costs))
    return matched + [(ends, costs, None) for ends, costs in mine.items()]
