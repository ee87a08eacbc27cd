"""The second waist: costs as arrays, and nothing else.

Search minimises over these tables and knows neither layers nor clusters; any other problem of
this form, a pairwise discrete function over a graph, would do.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

Kept = NDArray[np.int64]
"""Numbers of the choices of a vertex that remain, in rising order."""


@dataclass(frozen=True, eq=False)
class TableShape:
    """What is known of cost tables before any cost is: sizes, edges, and which arrays are one.

    Attributes:
        n_choices: number of choices of each vertex.
        edges: per edge its two vertices; at most one for each unordered pair.
        vertex_keys: per vertex a name of its array of costs; equal names mean one array.
        edge_keys: the same per edge.
        n_components: parts that are kept of the costs of each vertex.
        names: what to call each vertex in messages; empty for its number.
    """

    n_choices: tuple[int, ...]
    edges: tuple[tuple[int, int], ...]
    vertex_keys: tuple[Hashable, ...]
    edge_keys: tuple[Hashable, ...]
    n_components: int = 0
    names: tuple[str, ...] = ()

    @cached_property
    def neighbours(self) -> tuple[frozenset[int], ...]:
        """The undirected graph: for each vertex, its neighbours."""
        found: list[set[int]] = [set() for _ in self.n_choices]
        for first, second in self.edges:
            found[first].add(second)
            found[second].add(first)
        return tuple(frozenset(each) for each in found)

    @cached_property
    def vertex_bytes(self) -> dict[Hashable, int]:
        """Bytes of each distinct array of costs of vertices, with its parts."""
        sizes = zip(self.vertex_keys, self.n_choices, strict=True)
        return {key: 8 * n * (1 + self.n_components) for key, n in sizes}

    @cached_property
    def edge_bytes(self) -> dict[Hashable, int]:
        """Bytes of each distinct array of costs of edges."""
        ends = zip(self.edge_keys, self.edges, strict=True)
        return {key: 8 * self.n_choices[u] * self.n_choices[v] for key, (u, v) in ends}

    @property
    def n_bytes(self) -> int:
        """Bytes of all distinct arrays."""
        return sum(self.vertex_bytes.values()) + sum(self.edge_bytes.values())

    def n_bytes_beside(self, part: TableShape) -> int:
        """Bytes of the arrays that these tables do not share with a restriction of them."""
        edges = {key: n for key, n in self.edge_bytes.items() if key not in part.edge_bytes}
        vertices = dict(self.vertex_bytes)
        for key in vertices.keys() & part.vertex_bytes.keys():
            vertices[key] -= part.vertex_bytes[key]
        return sum(edges.values()) + sum(vertices.values())

    def name(self, vertex: int) -> str:
        """What to call a vertex."""
        return self.names[vertex] if self.names else f"vertex {vertex}"

    def restricted(self, kept: Sequence[Kept]) -> TableShape:
        """Shape of the restricted tables; see `CostTables.restricted`."""
        ids = self._restriction_ids(kept)
        return TableShape(
            n_choices=tuple(len(keep) for keep in kept),
            edges=self.edges,
            vertex_keys=tuple(
                (key, i) if i else key for key, i in zip(self.vertex_keys, ids, strict=True)
            ),
            edge_keys=tuple(
                (key, ids[u], ids[v]) if ids[u] or ids[v] else key
                for key, (u, v) in zip(self.edge_keys, self.edges, strict=True)
            ),
            names=self.names,
        )

    def _restriction_ids(self, kept: Sequence[Kept]) -> list[int]:
        """Per vertex a number for the choices kept of it; 0 where all are."""
        sizes = zip(kept, self.n_choices, strict=True)
        return [0 if len(keep) == n else id(keep) for keep, n in sizes]


@dataclass(frozen=True, slots=True, eq=False)
class PairTable:
    """Cost of one edge for every pair of choices.

    Attributes:
        first: position of one vertex.
        second: position of the other.
        costs: shape (choices of first, choices of second). Equal edges share one array.
    """

    first: int
    second: int
    costs: Array


@dataclass(frozen=True, slots=True, eq=False)
class CostTables:
    """A pairwise discrete function over a graph.

    Attributes:
        vertices: per vertex the cost of each choice, shape (n_choices,). Equal vertices share
            one array.
        pairs: per edge a PairTable; at most one for each unordered pair of vertices.
        components: names of the parts that the costs of a vertex are made of.
        parts: per vertex the costs by component, shape (n_components, n_choices); they add up to
            `vertices`. Empty if they are not known.
        names: what to call each vertex in messages; empty for its number.
    """

    vertices: tuple[Array, ...]
    pairs: tuple[PairTable, ...]
    components: tuple[str, ...] = ()
    parts: tuple[Array, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def n_choices(self) -> tuple[int, ...]:
        """Number of choices of each vertex."""
        return tuple(len(costs) for costs in self.vertices)

    @property
    def shape(self) -> TableShape:
        """Sizes, edges and shared arrays, without the costs."""
        return TableShape(
            n_choices=self.n_choices,
            edges=tuple((pair.first, pair.second) for pair in self.pairs),
            vertex_keys=tuple(id(costs) for costs in self.vertices),
            edge_keys=tuple(id(pair.costs) for pair in self.pairs),
            n_components=len(self.parts[0]) if self.parts else 0,
            names=self.names,
        )

    @property
    def n_bytes(self) -> int:
        """Bytes of all distinct arrays."""
        arrays = (*self.vertices, *self.parts, *(pair.costs for pair in self.pairs))
        return sum({id(array): array.nbytes for array in arrays}.values())

    def name(self, vertex: int) -> str:
        """What to call a vertex."""
        return self.names[vertex] if self.names else f"vertex {vertex}"

    def total(self, choices: tuple[int, ...]) -> float:
        """Cost of one choice per vertex: the slow, obvious sum."""
        total = sum(float(costs[c]) for costs, c in zip(self.vertices, choices, strict=True))
        return total + sum(
            float(pair.costs[choices[pair.first], choices[pair.second]]) for pair in self.pairs
        )

    def restricted(self, kept: Sequence[Kept]) -> CostTables:
        """Cost tables with some choices only, for a search: without the parts of the costs.

        Args:
            kept: per vertex the choices to keep; one array for vertices that are to stay equal.

        Returns:
            Tables in which equal arrays restricted equally stay shared, and arrays of which
            everything is kept are those of these tables.
        """
        shape = self.shape.restricted(kept)
        made: dict[Hashable, Array] = {}
        for key, costs, keep in zip(shape.vertex_keys, self.vertices, kept, strict=True):
            if key not in made:
                made[key] = costs if len(keep) == len(costs) else costs[keep]
        for key, pair in zip(shape.edge_keys, self.pairs, strict=True):
            if key not in made:
                rows, columns = kept[pair.first], kept[pair.second]
                is_whole = (len(rows), len(columns)) == pair.costs.shape
                made[key] = pair.costs if is_whole else pair.costs[np.ix_(rows, columns)]
        return CostTables(
            vertices=tuple(made[key] for key in shape.vertex_keys),
            pairs=tuple(
                PairTable(pair.first, pair.second, made[key])
                for key, pair in zip(shape.edge_keys, self.pairs, strict=True)
            ),
            names=self.names,
        )
