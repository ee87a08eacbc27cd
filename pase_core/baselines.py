"""Strategies that people use without a search: data parallelism and the paper's experts.

Each baseline says in how many parts it wishes to split which dimensions of a layer; a layer gets
the allowed configuration that uses the most devices within the wish.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from pase_core.axes import BATCH
from pase_core.configurations import Splits
from pase_core.costs.build import Costs
from pase_core.graph import Graph
from pase_core.layers import Layer
from pase_core.strategy import Strategy, strategy_of_choices

DATA_PARALLEL = "data parallel"

Wish = Mapping[str, int]
"""Parts wished for per dimension; dimensions not named stay whole."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """Layers of which a recipe speaks.

    What a layer is called is for people, and a JSON file may call it anything; so a kind is told
    by the dimensions that the recipe needs as well.

    Attributes:
        operation: what such a layer is called.
        dimensions: names of the dimensions that it must have.
    """

    operation: str
    dimensions: tuple[str, ...]

    def fits(self, layer: Layer) -> bool:
        """Whether a layer is of this kind."""
        return layer.operation == self.operation and set(self.dimensions) <= set(
            layer.dimension_names
        )


_CONVOLUTION = _Kind("convolution", (BATCH,))
_FULLY_CONNECTED = _Kind("fully connected", ("n",))
_RECURRENT = _Kind("LSTM", ("l",))
_EMBEDDING = _Kind("embedding", ("v",))
_ATTENTION = _Kind("softmax", ("h",))


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


def _has(*kinds: _Kind) -> Callable[[Graph], bool]:
    """True for graphs with layers of all of the kinds."""
    return lambda graph: all(any(map(kind.fits, graph.layers)) for kind in kinds)


def _one_weird_trick(graph: Graph, n_devices: int) -> Iterator[tuple[str, Callable[[Layer], Wish]]]:
    """Batch everywhere, but the outputs n of fully connected layers and of what reads them."""
    dense = {
        access.tensor
        for layer in graph.layers
        if _FULLY_CONNECTED.fits(layer)
        for access in layer.outputs
    }

    def wish(layer: Layer) -> Wish:
        reads_dense = any(access.tensor in dense for access in layer.inputs)
        follows = reads_dense and not layer.parameters and "n" in layer.dimension_names
        if _FULLY_CONNECTED.fits(layer) or follows:
            return {"n": n_devices}
        return {BATCH: n_devices}

    yield "", wish


def _data_and_pipeline(
    graph: Graph, n_devices: int
) -> Iterator[tuple[str, Callable[[Layer], Wish]]]:
    """Recurrent layers on different devices, the batch over the devices that are left."""

    def wish(layer: Layer) -> Wish:
        if not _RECURRENT.fits(layer):
            return {BATCH: n_devices}
        stages = min(n_devices, layer.sizes[layer.dimension_names.index("l")])
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
            _has(_CONVOLUTION, _FULLY_CONNECTED),
            _one_weird_trick,
        ),
        Expert(
            "data + pipeline",
            "Recurrent layers on different devices, everything else data parallel "
            "(Wu et al. 2016).",
            _has(_RECURRENT),
            _data_and_pipeline,
        ),
        Expert(
            "Mesh-TensorFlow",
            "The batch m ways; vocabulary, hidden units and heads n ways (Shazeer et al. 2018).",
            _has(_EMBEDDING, _ATTENTION),
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
