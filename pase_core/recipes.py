"""What an expert's recipe is: a wish for every layer.

A recipe says in how many parts it wishes to split which dimensions of a layer. How far a wish is
granted, and what the strategy costs, is not its business.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from pase_core.graph import Graph
from pase_core.layers import Layer

Wish = Mapping[str, int]
"""Parts wished for per dimension; dimensions not named stay whole."""

WishOf = Callable[[Layer], Wish]
"""The wish for each layer of one graph."""

Variants = Iterator[tuple[str, WishOf]]
"""Variants of a recipe: what is put behind its name, and the wishes."""


@dataclass(frozen=True, slots=True)
class Expert:
    """An expert's recipe.

    Attributes:
        name: what it is called.
        note: what it does, in one sentence.
        applies: whether the recipe makes sense for a graph.
        variants: its variants for a graph and a device count.
    """

    name: str
    note: str
    applies: Callable[[Graph], bool]
    variants: Callable[[Graph, int], Variants]


def meshes(n_devices: int) -> Iterator[tuple[int, int]]:
    """Every m x n = p, by ascending n: m parts of the batch, n of something else."""
    for n in range(1, n_devices + 1):
        if n_devices % n == 0:
            yield n_devices // n, n
