"""Strategies that people use without a search: data parallelism and the experts' recipes.

Each baseline says in how many parts it wishes to split which dimensions of a layer; a layer gets
the allowed configuration that uses the most devices within the wish.
"""

from __future__ import annotations

import numpy as np

from pase_core.axes import BATCH
from pase_core.configurations import Splits
from pase_core.costs.build import Costs
from pase_core.experts import EXPERTS
from pase_core.graph import Graph
from pase_core.layers import Layer
from pase_core.recipes import Wish, WishOf
from pase_core.strategy import Strategy, strategy_of_choices

DATA_PARALLEL = "data parallel"


def grant(layer: Layer, splits: Splits, wish: Wish) -> int:
    """Row of the configuration that uses the most devices within a wish; first one of equals."""
    return _largest_within(splits, _limits(layer, wish))


def _limits(layer: Layer, wish: Wish) -> tuple[int, ...]:
    return tuple(wish.get(name, 1) for name in layer.dimension_names)


def _largest_within(splits: Splits, limits: tuple[int, ...]) -> int:
    allowed = (splits <= np.array(limits, dtype=np.int64)).all(axis=1)
    return int(np.argmax(np.where(allowed, splits.prod(axis=1), 0)))


def _strategy(graph: Graph, costs: Costs, name: str, note: str, wish_of: WishOf) -> Strategy:
    # Equal layers share their configurations; equal wishes for them are granted once.
    granted: dict[tuple[int, tuple[int, ...]], int] = {}

    def choice(layer: Layer, splits: Splits) -> int:
        limits = _limits(layer, wish_of(layer))
        key = (id(splits), limits)
        if key not in granted:
            granted[key] = _largest_within(splits, limits)
        return granted[key]

    choices = [*map(choice, graph.layers, costs.configurations)]
    return strategy_of_choices(name, costs, choices, note)


def data_parallel(graph: Graph, costs: Costs, n_devices: int) -> Strategy:
    """Split the batch of every layer as far as it goes, and nothing else."""
    note = unsplit_batch(graph, costs, n_devices) or (
        f"Every layer's batch is split up to {n_devices} ways; parameters are on every device."
    )
    return _strategy(graph, costs, DATA_PARALLEL, note, lambda _layer: {BATCH: n_devices})


def unsplit_batch(graph: Graph, costs: Costs, n_devices: int) -> str:
    """Why data parallelism splits nothing, in a sentence; empty if it does split something.

    One device is no reason to complain.
    """
    if n_devices == 1 or any(map(_can_split_batch, graph.layers, costs.configurations)):
        return ""
    sizes = {d.size for layer in graph.layers for d in layer.dimensions if d.name == BATCH}
    if not sizes:
        return f"No layer has a batch, the dimension named {BATCH}, to split."
    which = "a" if max(sizes) == 1 else "another"
    return f"The batch of {max(sizes)} cannot be split; set {which} batch size."


def _can_split_batch(layer: Layer, splits: Splits) -> bool:
    """Whether a layer has a configuration that splits the batch and nothing else."""
    if BATCH not in layer.dimension_names:
        return False
    parts = splits[:, layer.dimension_names.index(BATCH)]
    return bool(((parts > 1) & (parts == splits.prod(axis=1))).any())


def expert_strategies(
    graph: Graph, costs: Costs, n_devices: int
) -> dict[str, tuple[Strategy, ...]]:
    """The variants of each expert's recipe that applies to a graph, by the expert's name."""
    return {
        expert.name: tuple(
            _strategy(graph, costs, expert.name + suffix, expert.note, wish)
            for suffix, wish in expert.variants(graph, n_devices)
        )
        for expert in EXPERTS.values()
        if expert.applies(graph)
    }
