"""The toy of the Learn page: three layers on four devices, priced for any splits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pase_core.baselines import data_parallel
from pase_core.costs.build import Costs, build_costs
from pase_core.costs.explain import explain_layer, explain_transfer
from pase_core.costs.formulas import Term
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


@dataclass(frozen=True, slots=True)
class Item:
    """A layer or a transfer on the bill.

    Attributes:
        title: name of the layer, or of both ends.
        terms: what it costs, also what costs nothing.
    """

    title: str
    terms: tuple[Term, ...]

    @property
    def total(self) -> float:
        """Sum of the terms."""
        return sum(term.value for term in self.terms)


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


def bill(toy: Toy, configurations: Sequence[Configuration]) -> tuple[Item, ...]:
    """Every layer, and before it what it takes to bring its inputs; the sums add up to the total.

    Args:
        toy: the toy.
        configurations: one per layer.
    """
    items = []
    for position, layer in enumerate(toy.graph.layers):
        for transfer in toy.graph.transfers:
            if transfer.consumer == position:
                ends = (configurations[transfer.producer], configurations[position])
                title = f"{toy.graph.layers[transfer.producer].name} → {layer.name}"
                term = explain_transfer(toy.graph, transfer, ends, MODEL)
                items.append(Item(title, (term,)))
        terms = explain_layer(layer, configurations[position], MODEL)
        items.append(Item(layer.name, terms))
    return tuple(items)
