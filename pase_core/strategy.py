"""Strategies, and what they cost: layer by layer, component by component."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pase_core.components import COMPUTE, REDISTRIBUTION
from pase_core.configurations import Splits
from pase_core.cost_tables import Array
from pase_core.costs.build import Costs
from pase_core.errors import StrategyError
from pase_core.graph import Graph
from pase_core.layers import Layer

Configuration = tuple[int, ...]
"""Parts per dimension of one layer, in the order of its dimensions."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """A configuration for every layer.

    Attributes:
        name: short, for tables and addresses, such as `data parallel`.
        configurations: one per layer of the graph, in its order.
        note: what the strategy does, in one sentence.
    """

    name: str
    configurations: tuple[Configuration, ...]
    note: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class PricedStrategy:
    """A strategy with its costs, all in the cost model's unit, per device and step.

    Attributes:
        strategy: what was priced.
        choices: row of each layer's configuration in its cost table.
        layer_components: cost by layer and component, shape (n_layers, n_components).
        component_names: names of the columns of `layer_components`.
        transfers: (producer, consumer, cost) per pair of neighbours.
    """

    strategy: Strategy
    choices: tuple[int, ...]
    layer_components: Array
    component_names: tuple[str, ...]
    transfers: tuple[tuple[int, int, float], ...]

    @property
    def layer_costs(self) -> Array:
        """Cost of each layer without transfers, shape (n_layers,)."""
        costs: Array = self.layer_components.sum(axis=1)
        return costs

    @property
    def incoming_transfers(self) -> Array:
        """Cost of the transfers into each layer, shape (n_layers,)."""
        costs = np.zeros(len(self.choices))
        for _producer, consumer, cost in self.transfers:
            costs[consumer] += cost
        return costs

    @property
    def components(self) -> Mapping[str, float]:
        """Cost by component over all layers and transfers; they add up to `total`."""
        sums = self.layer_components.sum(axis=0)
        by_name = dict(zip(self.component_names, map(float, sums), strict=True))
        return by_name | {REDISTRIBUTION: sum(cost for _u, _v, cost in self.transfers)}

    @property
    def total(self) -> float:
        """Cost of the whole strategy."""
        return sum(self.components.values())

    @property
    def communication_share(self) -> float:
        """Share of the cost that is not arithmetic, from 0 to 1."""
        return 1.0 - self.components[COMPUTE] / self.total if self.total else 0.0


def find_choice(layer: Layer, splits: Splits, configuration: Sequence[int]) -> int:
    """Row of a configuration among a layer's configurations.

    Raises:
        StrategyError: if it is not among them, with the reason.
    """
    wanted = np.array(configuration)
    if wanted.shape != (len(layer.dimensions),):
        raise StrategyError(
            f"layer {layer.name!r} has {len(layer.dimensions)} dimensions "
            f"({' '.join(layer.dimension_names)}), but the configuration has {len(configuration)}"
        )
    rows = np.flatnonzero((splits == wanted).all(axis=1))
    if len(rows) == 0:
        shown = " ".join(
            f"{d}={q}" for d, q in zip(layer.dimension_names, configuration, strict=True)
        )
        raise StrategyError(
            f"layer {layer.name!r}: {shown} is not allowed; each split must divide its dimension "
            f"({describe_dimensions(layer)}), leave parts of the smallest size or more, and all "
            f"together use at most {int(splits.prod(1).max())} devices"
        )
    return int(rows[0])


def price(graph: Graph, costs: Costs, strategy: Strategy) -> PricedStrategy:
    """Price a strategy from the cost tables.

    Raises:
        StrategyError: if it does not fit the graph or its devices.
    """
    if len(strategy.configurations) != len(graph.layers):
        raise StrategyError(
            f"strategy {strategy.name!r} has {len(strategy.configurations)} configurations for "
            f"{len(graph.layers)} layers"
        )
    choices = tuple(
        find_choice(layer, splits, configuration)
        for layer, splits, configuration in zip(
            graph.layers, costs.configurations, strategy.configurations, strict=True
        )
    )
    return price_choices(costs, strategy, choices)


def price_choices(costs: Costs, strategy: Strategy, choices: tuple[int, ...]) -> PricedStrategy:
    """Price a strategy whose rows in the cost tables are known."""
    tables = costs.tables
    components = [parts[:, c] for parts, c in zip(tables.parts, choices, strict=True)]
    return PricedStrategy(
        strategy=strategy,
        choices=choices,
        layer_components=np.stack(components),
        component_names=tables.components,
        transfers=tuple(
            (p.first, p.second, float(p.costs[choices[p.first], choices[p.second]]))
            for p in tables.pairs
        ),
    )


def strategy_of_choices(
    name: str, costs: Costs, choices: Sequence[int], note: str = ""
) -> Strategy:
    """Strategy that takes the given row of each layer's configurations."""
    rows = (splits[choice] for splits, choice in zip(costs.configurations, choices, strict=True))
    return Strategy(name, tuple(tuple(map(int, row)) for row in rows), note)


def describe_dimensions(layer: Layer) -> str:
    """The dimensions of a layer with their sizes, such as `b=128 n=4096 c=9216`."""
    return " ".join(f"{d.name}={d.size}" for d in layer.dimensions)


def describe_splits(layer: Layer, configuration: Configuration) -> str:
    """The dimensions that a configuration splits, such as `b 16 · n 2`, or `whole`."""
    parts = [
        f"{name} {q}" for name, q in zip(layer.dimension_names, configuration, strict=True) if q > 1
    ]
    return " · ".join(parts) or "whole"


def parameter_words(graph: Graph, strategy: Strategy) -> Array:
    """Trained numbers that one device holds of each layer, shape (n_layers,).

    Each layer keeps its parameters cut as its configuration cuts them, and replicated along the
    other splits. A tensor that several layers read counts once, at the first of them, with the
    largest of their parts.
    """
    first: dict[str, int] = {}
    largest: dict[str, float] = {}
    for position, (layer, configuration) in enumerate(
        zip(graph.layers, strategy.configurations, strict=True)
    ):
        parts = dict(zip(layer.dimension_names, configuration, strict=True))
        for access in layer.parameters:
            held = graph.tensor_by_name[access.tensor].n_elements / math.prod(
                parts[name] for name in access.dimensions
            )
            first.setdefault(access.tensor, position)
            largest[access.tensor] = max(held, largest.get(access.tensor, 0.0))
    words = np.zeros(len(graph.layers))
    for tensor, position in first.items():
        words[position] += largest[tensor]
    return words


def parameter_bytes_per_device(graph: Graph, strategy: Strategy, word_bytes: float) -> float:
    """Bytes of the trained numbers that one device holds, of `word_bytes` each."""
    return word_bytes * float(parameter_words(graph, strategy).sum())
