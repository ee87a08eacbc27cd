"""Dynamic programming over the cut of open vertices, in the order of the vertices.

What a search does that goes through a network from input to output: its state is what all
vertices have chosen that still have a neighbour ahead (nnScaler, Z. Lin et al., OSDI 2024, prunes
such a search). Exact, but a table over all open vertices at once is as large as the product of
their numbers of choices, whether they depend on each other or not.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pase_core.cost_tables import Array, CostTables, TableShape
from pase_core.errors import BudgetError
from pase_core.search.budget import MAX_AXES, format_amount, gigabytes
from pase_core.search.flat import Index


@dataclass(frozen=True, slots=True)
class Cut:
    """One vertex of the sweep.

    Attributes:
        open: the open vertices before it.
        closing: those of `open` and the vertex itself that no later vertex neighbours.
        n_states: entries of the table over `open` and the vertex.
    """

    open: tuple[int, ...]
    closing: tuple[int, ...]
    n_states: int


def cuts(shape: TableShape) -> Iterator[Cut]:
    """The cut at every vertex, in their order."""
    last = [max(around, default=v) for v, around in enumerate(shape.neighbours)]
    open_now: tuple[int, ...] = ()
    for vertex, n in enumerate(shape.n_choices):
        closing = tuple(v for v in (*open_now, vertex) if last[v] <= vertex)
        yield Cut(open_now, closing, n * math.prod(shape.n_choices[v] for v in open_now))
        open_now = tuple(v for v in (*open_now, vertex) if v not in closing)


def n_states(shape: TableShape) -> int:
    """Entries of all tables of a sweep."""
    return sum(cut.n_states for cut in cuts(shape))


def sweep(tables: CostTables, memory_budget_bytes: float = math.inf) -> tuple[int, ...]:
    """The choices of least total cost.

    Raises:
        BudgetError: if the largest table and what is kept for the way back do not fit the budget.
    """
    shape = tables.shape
    largest = max(cut.n_states for cut in cuts(shape))
    widest = 1 + max(len(cut.open) for cut in cuts(shape))
    if widest > MAX_AXES:
        raise BudgetError(
            f"a topological sweep has {widest} layers open at once; {MAX_AXES} are allowed"
        )
    n_bytes = tables.n_bytes + 16 * largest + 4 * n_states(shape)
    if n_bytes > memory_budget_bytes:
        raise BudgetError(
            f"a topological sweep has up to {format_amount(largest)} states at once and takes "
            f"{gigabytes(n_bytes)}; the memory budget is {gigabytes(memory_budget_bytes)}"
        )
    edges = _edges_to_earlier(tables)
    table, kept = np.zeros(()), []
    for vertex, cut in enumerate(cuts(shape)):
        table = _add_vertex(table, tables.vertices[vertex], cut, edges[vertex])
        axes = [*cut.open, vertex]
        for closed in cut.closing:
            axis = axes.index(closed)
            kept.append((closed, tuple(a for a in axes if a != closed), _arg_min(table, axis)))
            table = table.min(axis=axis)
            axes.pop(axis)
    chosen: dict[int, int] = {}
    for closed, others, best in reversed(kept):
        chosen[closed] = int(best[tuple(chosen[v] for v in others)])
    return tuple(chosen[v] for v in range(len(shape.n_choices)))


def _arg_min(table: Array, axis: int) -> Index:
    best: Index = table.argmin(axis=axis).astype(np.int32)
    return best


def _edges_to_earlier(tables: CostTables) -> list[list[tuple[int, Array]]]:
    """Per vertex its earlier neighbours, with the tables of their edges, theirs first."""
    found: list[list[tuple[int, Array]]] = [[] for _ in tables.vertices]
    for pair in tables.pairs:
        if pair.first < pair.second:
            found[pair.second].append((pair.first, pair.costs))
        else:
            found[pair.first].append((pair.second, pair.costs.T))
    return found


def _add_vertex(table: Array, costs: Array, cut: Cut, edges: list[tuple[int, Array]]) -> Array:
    """The table with one more axis: the vertex's own costs and its edges to open vertices."""
    total = table[..., None] + costs
    for other, edge in edges:
        sizes = [1] * total.ndim
        sizes[cut.open.index(other)], sizes[-1] = edge.shape
        total += edge.reshape(sizes)
    return total
