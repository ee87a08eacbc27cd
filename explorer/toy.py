"""The toy of the Learn page: three layers on four devices, priced for any splits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pase_core.baselines import data_parallel
from pase_core.costs.bill import Item, bill
from pase_core.costs.build import Costs, build_costs
from pase_core.costs.paper import PaperCostModel
from pase_core.graph import Graph
from pase_core.search.elimination import eliminate
from pase_core.strategy import (
    Configuration,
    PricedStrategy,
    Strategy,
    price,
    strategy_of_choices,
)
from sample_graphs.toys import three_layers

N_DEVICES = 4

MODEL = PaperCostModel(flop_per_second=100e9, bytes_per_second=4e9, word_bytes=4.0)
"""Round figures: 100 FLOP of arithmetic in the time of one word."""


@dataclass(frozen=True, eq=False)
class Toy:
    """Three layers, all that can be chosen, and what is best.

    Attributes:
        graph: the layers.
        costs: their cost tables.
        optimum: the best strategy.
        data_parallel: the batch split, nothing else.
    """

    graph: Graph
    costs: Costs
    optimum: PricedStrategy
    data_parallel: PricedStrategy

    def configurations(self, layer: int) -> list[Configuration]:
        """All allowed configurations of a layer."""
        return [tuple(map(int, row)) for row in self.costs.configurations[layer]]

    def price(self, configurations: Sequence[Configuration]) -> PricedStrategy:
        """Price a configuration for every layer."""
        return price(self.graph, self.costs, Strategy("yours", tuple(configurations)))

    def bill(self, configurations: Sequence[Configuration]) -> tuple[Item, ...]:
        """Every layer, and before it what it takes to bring its inputs."""
        return bill(self.graph, configurations, MODEL)


def solve_toy() -> Toy:
    """Build, price and solve the toy; takes milliseconds."""
    graph = three_layers()
    costs = build_costs(graph, MODEL, N_DEVICES)
    best = strategy_of_choices("optimum", costs, eliminate(costs.tables).choices)
    return Toy(
        graph=graph,
        costs=costs,
        optimum=price(graph, costs, best),
        data_parallel=price(graph, costs, data_parallel(graph, costs, N_DEVICES)),
    )
