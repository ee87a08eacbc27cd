"""How large the tables of an elimination grow, worked out from the graph alone.

No cost is computed and no table is filled, so that orderings can be looked at whose tables would
not fit in any memory.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pase_core.errors import OptionError
from pase_core.search.ordering import ORDERINGS, Neighbours, dependent_sets


@dataclass(frozen=True, slots=True)
class GrowthStep:
    """The elimination of one vertex.

    Attributes:
        vertex: `vi`.
        dependents: its dependent set D(i), in the order in which they will be eliminated.
        connected: its connected set X(i), without `vi`: the eliminated vertices whose tables are
            folded into this one, in rising order.
        n_joint: entries of the joint table over the vertex and its dependents.
        n_kept: entries of the table of minima that is kept, over the dependents.
    """

    vertex: int
    dependents: tuple[int, ...]
    connected: tuple[int, ...]
    n_joint: int
    n_kept: int


def grow(graph: Neighbours, n_choices: Sequence[int], ordering: str) -> tuple[GrowthStep, ...]:
    """Eliminate every vertex on paper.

    Args:
        graph: neighbours of each vertex.
        n_choices: of each vertex.
        ordering: a name of ORDERINGS.

    Returns:
        One step per vertex, in the order of elimination.

    Raises:
        OptionError: if there is no such ordering.

    Example:
        >>> chain = [frozenset({1}), frozenset({0, 2}), frozenset({1})]
        >>> [step.n_joint for step in grow(chain, [2, 3, 5], "generateseq")]
        [6, 15, 5]
    """
    if ordering not in ORDERINGS:
        raise OptionError(f"unknown ordering {ordering!r}; known: {', '.join(ORDERINGS)}")
    order = ORDERINGS[ordering](graph, n_choices, None)
    position = {vertex: i for i, vertex in enumerate(order)}
    inside: dict[int, set[int]] = {vertex: set() for vertex in order}
    steps = []
    for vertex, dependent_set in zip(order, dependent_sets(graph, order), strict=True):
        dependents = tuple(sorted(dependent_set, key=position.__getitem__))
        if dependents:  # the first of them takes this table in when its turn comes
            inside[dependents[0]] |= inside[vertex] | {vertex}
        n_kept = math.prod(n_choices[v] for v in dependents)
        connected = tuple(sorted(inside[vertex]))
        steps.append(GrowthStep(vertex, dependents, connected, n_choices[vertex] * n_kept, n_kept))
    return tuple(steps)
