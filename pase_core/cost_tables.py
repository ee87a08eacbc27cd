"""The second waist: costs as arrays, and nothing else.

Search minimises over these tables and knows neither layers nor clusters; any other problem of
this form, a pairwise discrete function over a graph, would do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

Kept = NDArray[np.int64]
"""Numbers of the choices of a vertex that remain, in rising order."""


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
            Tables in which equal arrays restricted equally stay shared.
        """
        vertices: dict[tuple[int, int], Array] = {}
        for costs, keep in zip(self.vertices, kept, strict=True):
            vertices.setdefault((id(costs), id(keep)), costs[keep])
        tables: dict[tuple[int, int, int], Array] = {}
        pairs = []
        for first, second, costs in ((p.first, p.second, p.costs) for p in self.pairs):
            key = (id(costs), id(kept[first]), id(kept[second]))
            if key not in tables:
                tables[key] = costs[kept[first]][:, kept[second]]
            pairs.append(PairTable(first, second, tables[key]))
        return CostTables(
            vertices=tuple(
                vertices[id(c), id(k)] for c, k in zip(self.vertices, kept, strict=True)
            ),
            pairs=tuple(pairs),
            names=self.names,
        )
