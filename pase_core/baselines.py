"""Strategies that people use without a search: data parallelism and the paper's experts.

Each baseline says in how many parts it wishes to split which dimensions of a layer; a layer gets
the allowed configuration that uses the most devices within the wish.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from pase_core.configurations import Splits
from pase_core.costs.build import Costs
from pase_core.graph import Graph
from pase_core.layers import Layer
from pase_core.strategy import Strategy, strategy_of_choices

BATCH = "b"
"""The dimension that is the batch, in every layer that has one."""

DATA_PARALLEL = "data parallel"

Wish = Mapping[str, int]
"""Parts wished for per dimension; dimensions not named stay whole."""


@dataclass(frozen=True, slots=True)
class Expert:
    """An expert's recipe.

    Attributes:
        name: what it is called.
        note: what it does, in one sentence.
        applies: whether the recipe makes sense for a graph.
        variants: yields (suffix of the name, wish by layer) for a graph and a device count.
    """

    name: str
    note: str
    applies: Callable[[Graph], bool]
    variants: Callable[[Graph, int], Iterator[tuple[str, Callable[[Layer], Wish]]]]


def grant(layer: Layer, splits: Splits, wish: Wish) -> int:
    """Row of the configuration that uses the most devices within a wish; first one of equals."""
    limits = np.array([wish.get(name, 1) for name in layer.dimension_names], dtype=np.int64)
    allowed = (splits <= limits).all(axis=1)
    return int(np.argmax(np.where(allowed, splits.prod(axis=1), 0)))


def _strategy(
    graph: Graph, costs: Costs, name: str, note: str, wish_of: Callable[[Layer], Wish]
) -> Strategy:
    choices = [
        grant(layer, splits, wish_of(layer))
        for layer, splits in zip(graph.layers, costs.configurations, strict=True)
    ]
    return strategy_of_choices(name, costs, choices, note)


def data_parallel(graph: Graph, costs: Costs, n_devices: int) -> Strategy:
    """Split the batch of every layer as far as it goes, and nothing else."""
    note = f"Every layer's batch is split up to {n_devices} ways; parameters are on every device."
    return _strategy(graph, costs, DATA_PARALLEL, note, lambda _layer: {BATCH: n_devices})


def _has(*operations: str) -> Callable[[Graph], bool]:
    """True for graphs with all of the operations."""

    def applies(graph: Graph) -> bool:
        present = {layer.operation for layer in graph.layers}
        return all(operation in present for operation in operations)

    return applies


def _one_weird_trick(graph: Graph, n_devices: int) -> Iterator[tuple[str, Callable[[Layer], Wish]]]:
    """Batch everywhere, but the outputs n of fully connected layers and of what reads them."""
    dense = {
        access.tensor
        for layer in graph.layers
        if layer.operation == "fully connected"
        for access in layer.outputs
    }

    def wish(layer: Layer) -> Wish:
        reads_dense = any(access.tensor in dense for access in layer.inputs)
        follows = reads_dense and not layer.parameters and "n" in layer.dimension_names
        if layer.operation == "fully connected" or follows:
            return {"n": n_devices}
        return {BATCH: n_devices}

    yield "", wish


def _data_and_pipeline(
    graph: Graph, n_devices: int
) -> Iterator[tuple[str, Callable[[Layer], Wish]]]:
    """Recurrent layers on different devices, the batch over the devices that are left."""

    def wish(layer: Layer) -> Wish:
        if layer.operation != "LSTM":
            return {BATCH: n_devices}
        stages = min(n_devices, dict(zip(layer.dimension_names, layer.sizes, strict=True))["l"])
        return {"l": stages, BATCH: n_devices // stages}

    yield "", wish


def _mesh_tensorflow(graph: Graph, n_devices: int) -> Iterator[tuple[str, Callable[[Layer], Wish]]]:
    """Batch m ways; vocabulary v, hidden units e and heads h n ways; for every m * n = p."""
    for n in range(1, n_devices + 1):
        if n_devices % n == 0:
            m = n_devices // n
            wish = {BATCH: m, "v": n, "e": n, "h": n}
            yield f" {m} x {n}", partial(_same_wish, wish)


def _same_wish(wish: Wish, _layer: Layer) -> Wish:
    return wish


EXPERTS: dict[str, Expert] = {
    expert.name: expert
    for expert in (
        Expert(
            "one weird trick",
            "Convolutions split the batch, fully connected layers their outputs (Krizhevsky 2014).",
            _has("convolution", "fully connected"),
            _one_weird_trick,
        ),
        Expert(
            "data + pipeline",
            "Recurrent layers on different devices, everything else data parallel "
            "(Wu et al. 2016).",
            _has("LSTM"),
            _data_and_pipeline,
        ),
        Expert(
            "Mesh-TensorFlow",
            "The batch m ways; vocabulary, hidden units and heads n ways (Shazeer et al. 2018).",
            _has("embedding", "softmax"),
            _mesh_tensorflow,
        ),
    )
}


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
