"""Layers whose configuration is given; the search chooses the others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pase_core.configurations import Splits
from pase_core.cost_tables import CostTables, Kept
from pase_core.costs.build import Costs
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


def pinned_tables(graph: Graph, pins: Pins, costs: Costs) -> tuple[CostTables, list[Kept]]:
    """The cost tables of what pins leave to the search, and the choices that they leave.

    Args:
        graph: the network.
        pins: names and configurations.
        costs: tables of all configurations.

    Raises:
        GraphError: if there is no such layer.
        StrategyError: if a configuration is not allowed.
    """
    pinned = pinned_choices(graph, pins, costs.configurations)
    kept = kept_choices(costs.tables.n_choices, pinned)
    return (costs.tables.restricted(kept) if pinned else costs.tables), kept


def unpinned(kept: Sequence[Kept], choices: Sequence[int]) -> tuple[int, ...]:
    """Choices among those that pins leave, as choices among all."""
    return tuple(int(keep[choice]) for keep, choice in zip(kept, choices, strict=True))
