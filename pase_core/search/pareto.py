"""Which of many (cost, weight) pairs no other pair beats, group by group.

A pair beats another of its group if neither of its numbers is larger and one is smaller. Of equal
pairs one stays. Sorted by weight, a pair stays if its cost lies below all before it (H. T. Kung,
F. Luccio and F. P. Preparata, On finding the maxima of a set of vectors, 1975). The running least
costs of all groups are taken in one go: costs are replaced by their ranks, and every group's
ranks lie below those of the groups before it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pase_core.cost_tables import Array

Index = NDArray[np.int64]

_QUANTUM = 1e-13
"""Share of the whole's cost, and weight, below which two numbers count as one."""


@dataclass(frozen=True, slots=True)
class Quanta:
    """Steps to which numbers are rounded before they are compared.

    Sums of the same numbers in different orders differ in their last digits, and would all be
    kept otherwise.
    """

    cost: float
    weight: float

    @classmethod
    def of(cls, cost: float, weight: float) -> Quanta:
        """For wholes of about such cost and weight."""
        return cls(_QUANTUM * abs(cost) or 1.0, _QUANTUM * abs(weight) or 1.0)


def undominated(group: Index, cost: Array, weight: Array, quanta: Quanta) -> Index:
    """Positions of the pairs that stay.

    Args:
        group: of each pair, shape (n_pairs,).
        cost: of each pair.
        weight: of each pair.
        quanta: differences that count as none.

    Returns:
        Positions by rising group, then by rising weight, so by falling cost.

    Example:
        >>> cost, weight = np.array([1.0, 3.0, 2.0, 3.0]), np.array([5.0, 2.0, 5.0, 4.0])
        >>> undominated(np.zeros(4, dtype=np.int64), cost, weight, Quanta(1e-9, 1e-9))
        array([1, 0])
    """
    if len(group) == 0:
        return np.empty(0, dtype=np.int64)
    order = np.argsort(cost, kind="stable")
    costs = np.rint(cost[order] / quanta.cost)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.cumsum(np.diff(costs, prepend=costs[0]) > 0)
    order = order[np.argsort(np.rint(weight[order] / quanta.weight), kind="stable")]
    order = order[np.argsort(group[order], kind="stable")]
    number = np.cumsum(np.diff(group[order], prepend=group[order[0]]) > 0)
    level = rank[order] - number * len(order)
    least = np.minimum.accumulate(level)
    stays = np.ones(len(order), dtype=np.bool_)
    stays[1:] = level[1:] < least[:-1]
    return order[stays]
