"""What an ordering sees of a network: which layers touch, and how many configurations each has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pase_core.configurations import configurations
from pase_core.costs.cost_outline import layer_key
from pase_core.graph import Graph


@dataclass(frozen=True, slots=True)
class Skeleton:
    """A network without its costs.

    Attributes:
        names: of the layers.
        edges: (producer, consumer) pairs of positions, each once.
        n_choices: number of configurations of each layer.
    """

    names: tuple[str, ...]
    edges: tuple[tuple[int, int], ...]
    n_choices: tuple[int, ...]

    @property
    def neighbours(self) -> list[frozenset[int]]:
        """Neighbours of each layer."""
        found: list[set[int]] = [set() for _ in self.names]
        for first, second in self.edges:
            found[first].add(second)
            found[second].add(first)
        return [frozenset(each) for each in found]

    @property
    def n_joins(self) -> int:
        """How often a branch joins another one: edges beyond the first into a layer."""
        return len(self.edges) - len({consumer for _producer, consumer in self.edges})

    def part(self, layers: Sequence[int]) -> Skeleton:
        """Some layers by themselves, as if the others were not there."""
        place = {layer: i for i, layer in enumerate(layers)}
        return Skeleton(
            tuple(self.names[layer] for layer in layers),
            tuple((place[u], place[v]) for u, v in self.edges if u in place and v in place),
            tuple(self.n_choices[layer] for layer in layers),
        )


def skeleton(graph: Graph, n_devices: int, min_part: int = 1) -> Skeleton:
    """Count the configurations of every layer; nothing is priced.

    Raises:
        OptionError: if a number is out of range.
        BudgetError: if a layer has too many configurations.
    """
    counts: dict[object, int] = {}
    n_choices = []
    for layer in graph.layers:
        key = layer_key(layer)
        if key not in counts:
            counts[key] = len(configurations(layer, n_devices, min_part))
        n_choices.append(counts[key])
    edges = dict.fromkeys((t.producer, t.consumer) for t in graph.transfers)
    return Skeleton(tuple(layer.name for layer in graph.layers), tuple(edges), tuple(n_choices))
