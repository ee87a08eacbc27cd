"""Cost tables as a few long arrays, for compiled loops that walk from vertex to vertex.

Every edge is two links, one from each end. A link's table has a row per choice of the vertex that
it starts from, so rows are contiguous whichever way an edge is walked; equal tables are stored once
per direction.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pase_core.cost_tables import Array, CostTables, TableShape

Index = NDArray[np.int64]


class FlatTables(NamedTuple):
    """A pairwise discrete function over a graph.

    Attributes:
        starts: first choice of each vertex among all choices, and their number,
            shape (n_vertices + 1,).
        costs: of all choices, vertex by vertex.
        heads: first link of each vertex, and the number of links, shape (n_vertices + 1,).
        others: vertex at the other end of each link, shape (n_links,).
        here: where a link's own numbers start, one per choice of its vertex, in arrays that hold
            some for every link, shape (n_links,).
        there: the same for the link the other way, shape (n_links,).
        tables: where a link's table starts in `entries`, with a row per choice of its vertex,
            shape (n_links,).
        backs: where the same table starts with a row per choice at the other end.
        entries: all tables, row after row.
    """

    starts: Index
    costs: Array
    heads: Index
    others: Index
    here: Index
    there: Index
    tables: Index
    backs: Index
    entries: Array

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""
        return len(self.starts) - 1


def flat_bytes(shape: TableShape) -> int:
    """Bytes that flattening takes at most beside the tables, and what an ascent keeps with it.

    That is the tables both ways round, once more the largest while a bound is worked out, the
    places of links, and a few numbers for every choice of a vertex and of a link's end.
    """
    n_ends = sum(shape.n_choices[u] + shape.n_choices[v] for u, v in shape.edges)
    numbers = 3 * sum(shape.n_choices) + 3 * (len(shape.n_choices) + 1)
    numbers += 2 * n_ends + 10 * len(shape.edges)
    largest = max(shape.edge_bytes.values(), default=0)
    return 2 * sum(shape.edge_bytes.values()) + 2 * largest + 8 * numbers


def flatten(tables: CostTables) -> FlatTables:
    """Lay cost tables out flat."""
    sizes = tables.n_choices
    places, entries = _lay_tables(tables)
    links: list[list[tuple[int, int, int, int, int]]] = [[] for _ in sizes]
    n_numbers = 0
    for pair in tables.pairs:
        u, v = pair.first, pair.second
        along, back = places[id(pair.costs), False], places[id(pair.costs), True]
        at_u, at_v = n_numbers, n_numbers + sizes[u]
        n_numbers += sizes[u] + sizes[v]
        links[u].append((v, at_u, at_v, along, back))
        links[v].append((u, at_v, at_u, back, along))
    columns = np.array([link for each in links for link in each], dtype=np.int64).reshape(-1, 5).T
    others, here, there, along_links, back_links = map(np.ascontiguousarray, columns)
    return FlatTables(
        starts=_running([len(costs) for costs in tables.vertices]),
        costs=np.concatenate(tables.vertices),
        heads=_running([len(each) for each in links]),
        others=others,
        here=here,
        there=there,
        tables=along_links,
        backs=back_links,
        entries=entries,
    )


def _lay_tables(tables: CostTables) -> tuple[dict[tuple[int, bool], int], Array]:
    """Distinct tables one behind the other, each also turned, and where each starts."""
    distinct = {id(pair.costs): pair.costs for pair in tables.pairs}
    entries = np.empty(2 * sum(costs.size for costs in distinct.values()))
    places: dict[tuple[int, bool], int] = {}
    start = 0
    for key, costs in distinct.items():
        for is_turned, table in ((False, costs), (True, costs.T)):
            places[key, is_turned] = start
            entries[start : start + table.size].reshape(table.shape)[:] = table
            start += table.size
    return places, entries


def _running(sizes: Sequence[int]) -> Index:
    """Where each of some pieces starts when they stand one behind the other, and the end."""
    return np.cumsum([0, *sizes], dtype=np.int64)
