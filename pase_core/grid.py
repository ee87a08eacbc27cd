"""Strategies with one global split per kind of dimension, as people draw up by hand.

A kind is a name: every layer that has a dimension of that name splits it alike, as far as the
layer allows. DistIR searches such a grid of data, tensor and pipeline degrees (K. Santhanam et
al., DistIR: an intermediate representation and simulator for efficient neural network
distribution, 2021).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from pase_core.baselines import grant
from pase_core.costs.build import Costs
from pase_core.costs.cost_outline import layer_key
from pase_core.graph import Graph
from pase_core.recipes import Wish

MAX_KINDS = 3
"""Kinds of dimension that one strategy splits at most: data, and two more."""


def global_splits(graph: Graph, costs: Costs, n_devices: int) -> tuple[tuple[int, ...], ...]:
    """Choices of every layer for every grid of degrees whose product divides the devices.

    Args:
        graph: the network.
        costs: configurations of its layers.
        n_devices: number of devices p.

    Returns:
        Distinct wholes, the unsplit one first.
    """
    layers = list(zip(graph.layers, costs.configurations, strict=True))
    kinds = dict.fromkeys(
        d.name for layer, _splits in layers for d in layer.dimensions if d.splittable
    )
    keys = [layer_key(layer) for layer, _splits in layers]
    granted: dict[object, int] = {}

    def choice(position: int, wish: Wish) -> int:
        layer, splits = layers[position]
        own = tuple(wish.get(name, 1) for name in layer.dimension_names)
        key = (keys[position], own)
        if key not in granted:
            granted[key] = grant(layer, splits, wish)
        return granted[key]

    wholes = (
        tuple(choice(position, wish) for position in range(len(layers)))
        for wish in wishes(tuple(kinds), n_devices)
    )
    return tuple(dict.fromkeys(wholes))


def wishes(kinds: tuple[str, ...], n_devices: int) -> Iterator[Wish]:
    """Degrees for up to MAX_KINDS kinds, each above 1, whose product divides the devices."""
    divisors = [q for q in range(2, n_devices + 1) if n_devices % q == 0]
    for n in range(min(MAX_KINDS, len(kinds)) + 1):
        for chosen in itertools.combinations(kinds, n):
            for degrees in _factorings(divisors, n, n_devices):
                yield dict(zip(chosen, degrees, strict=True))


def _factorings(divisors: list[int], n: int, n_devices: int) -> Iterator[tuple[int, ...]]:
    """Every n divisors whose product divides the devices."""
    if n == 0:
        yield ()
        return
    for first in divisors:
        if n_devices % first == 0:
            for rest in _factorings(divisors, n - 1, n_devices // first):
                yield (first, *rest)
