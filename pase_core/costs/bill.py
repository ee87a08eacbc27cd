"""What a strategy costs as a bill: layers and transfers, each with the terms of its cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pase_core.costs.explain import explain_layer, explain_transfer
from pase_core.costs.explain_local import Configuration
from pase_core.costs.formulas import Term
from pase_core.costs.paper import PaperCostModel
from pase_core.graph import Graph


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


def layer_bill(
    graph: Graph, position: int, configurations: Sequence[Configuration], model: PaperCostModel
) -> tuple[Item, ...]:
    """What it takes to bring a layer's inputs, one item per transfer, and then the layer.

    Args:
        graph: the network.
        position: of the layer.
        configurations: one per layer of the graph.
        model: prices them.
    """
    layer = graph.layers[position]
    transfers = tuple(
        Item(
            f"{graph.layers[transfer.producer].name} → {layer.name}",
            (
                explain_transfer(
                    graph,
                    transfer,
                    (configurations[transfer.producer], configurations[position]),
                    model,
                ),
            ),
        )
        for transfer in graph.transfers
        if transfer.consumer == position
    )
    return (*transfers, Item(layer.name, explain_layer(layer, configurations[position], model)))


def bill(
    graph: Graph, configurations: Sequence[Configuration], model: PaperCostModel
) -> tuple[Item, ...]:
    """The bills of all layers in their order; the items add up to the strategy's total."""
    return tuple(
        item
        for position in range(len(graph.layers))
        for item in layer_bill(graph, position, configurations, model)
    )
