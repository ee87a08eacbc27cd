"""Orderings of the vertices, and the dependent sets that follow from them.

For an order `v1 .. vn`: the connected set X(i) holds the vertices reachable from `vi` through
`v1 .. vi` only; the dependent set D(i) the neighbours of X(i) that come after `vi`. Elimination
fills one table over D(i) per vertex, so an ordering with small dependent sets is wanted.
"""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Callable, Iterable, Sequence

from pase_core.cost_tables import TableShape
from pase_core.errors import OptionError

Neighbours = Sequence[frozenset[int]]
"""The undirected graph: for each vertex, its neighbours."""


def dependent_sets(graph: Neighbours, order: Iterable[int]) -> list[frozenset[int]]:
    """Dependent set of each vertex of an order, in that order.

    Eliminating a vertex joins its remaining neighbours to each other; what is left around a
    vertex when its turn comes is its dependent set.
    """
    remaining = [set(each) for each in graph]
    found = []
    for vertex in order:
        around = remaining[vertex]
        _eliminate(remaining, vertex)
        found.append(frozenset(around))
    return found


def _eliminate(remaining: list[set[int]], vertex: int) -> None:
    """`d(u) = d(u) + d(v) - {u, v}` for every u in d(v)."""
    around = remaining[vertex]
    for other in around:
        remaining[other] |= around
        remaining[other] -= {other, vertex}


def _greedy(
    graph: Neighbours, price: Callable[[set[int], int], float], last: int | None
) -> tuple[int, ...]:
    """Eliminate the vertex of least price first; ties go to the smaller number."""

    def price_now(vertex: int) -> float:
        return math.inf if vertex == last else price(remaining[vertex], vertex)

    remaining = [set(each) for each in graph]
    queue = [(price_now(vertex), vertex) for vertex in range(len(graph))]
    heapq.heapify(queue)
    current = {vertex: cost for cost, vertex in queue}
    order = []
    while queue:
        cost, vertex = heapq.heappop(queue)
        if current.get(vertex) != cost:
            continue  # eliminated, or its price changed after this entry was made
        del current[vertex]
        order.append(vertex)
        _eliminate(remaining, vertex)
        for other in remaining[vertex]:
            current[other] = price_now(other)
            heapq.heappush(queue, (current[other], other))
    return tuple(order)


def generateseq(
    graph: Neighbours, n_choices: Sequence[int], last: int | None = None
) -> tuple[int, ...]:
    """GENERATESEQ of the paper: smallest dependent set first (min-degree)."""
    del n_choices
    return _greedy(graph, lambda around, _vertex: float(len(around)), last)


def weighted_min_degree(
    graph: Neighbours, n_choices: Sequence[int], last: int | None = None
) -> tuple[int, ...]:
    """Smallest joint table first: a vertex weighs the logarithm of its number of choices.

    The sum includes the vertex itself, so it is the logarithm of the entries to be visited.
    """
    weights = [math.log(n) for n in n_choices]
    return _greedy(
        graph,
        lambda around, vertex: weights[vertex] + math.fsum(map(weights.__getitem__, around)),
        last,
    )


def breadth_first(
    graph: Neighbours, n_choices: Sequence[int], last: int | None = None
) -> tuple[int, ...]:
    """Breadth-first from the first vertex: the naive order that the paper compares with."""
    del n_choices
    order: list[int] = []
    seen: set[int] = set()
    for start in range(len(graph)):
        queue = deque([start] if start not in seen else [])
        seen.add(start)
        while queue:
            vertex = queue.popleft()
            order.append(vertex)
            fresh = sorted(graph[vertex] - seen)
            seen.update(fresh)
            queue.extend(fresh)
    if last is not None:
        order.remove(last)
        order.append(last)
    return tuple(order)


ORDERINGS: dict[str, Callable[[Neighbours, Sequence[int], int | None], tuple[int, ...]]] = {
    "generateseq": generateseq,
    "weighted-min-degree": weighted_min_degree,
    "breadth-first": breadth_first,
}
"""Orderings by name: `ORDERINGS[name](neighbours, n_choices, last) -> order`, where `last` is a
vertex that must come last, or None."""


def order_vertices(shape: TableShape, ordering: str, last: int | None = None) -> tuple[int, ...]:
    """Order the vertices of cost tables of some shape; `last`, if given, comes last.

    Raises:
        OptionError: if there is no such ordering.
    """
    if ordering not in ORDERINGS:
        raise OptionError(f"unknown ordering {ordering!r}; known: {', '.join(ORDERINGS)}")
    return ORDERINGS[ordering](shape.neighbours, shape.n_choices, last)
