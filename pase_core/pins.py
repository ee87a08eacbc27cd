"""Layers whose configuration is given; the search chooses the others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pase_core.configurations import Splits
from pase_core.cost_tables import Kept
from pase_core.graph import Graph
from pase_core.strategy import Configuration, find_choice

Pins = tuple[tuple[str, Configuration], ...]
"""Names of layers with their configurations."""


def pinned_choices(graph: Graph, pins: Pins, configurations: Sequence[Splits]) -> dict[int, int]:
    """Row of the given configuration of each pinned layer, by the layer's position.

    Args:
        graph: the network.
        pins: names and configurations.
        configurations: of each layer.

    Raises:
        GraphError: if there is no such layer.
        StrategyError: if the configuration is not allowed.
    """
    choices = {}
    for name, configuration in pins:
        position = graph.position(name)
        layer = graph.layers[position]
        choices[position] = find_choice(layer, configurations[position], configuration)
    return choices


def kept_choices(n_choices: Sequence[int], pinned: dict[int, int]) -> list[Kept]:
    """The choices that pins leave to each vertex; one array for all those with equally many."""
    every: dict[int, Kept] = {n: np.arange(n) for n in set(n_choices)}
    return [np.array([pinned[v]]) if v in pinned else every[n] for v, n in enumerate(n_choices)]
