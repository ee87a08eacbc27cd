"""The experts' recipes: the paper's three, and those of today's transformers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from pase_core.axes import BATCH
from pase_core.graph import Graph
from pase_core.layers import Layer
from pase_core.recipes import Expert, Variants, Wish, meshes
from pase_core.transformer_experts import TRANSFORMER_EXPERTS


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


def _has(*kinds: _Kind) -> Callable[[Graph], bool]:
    """True for graphs with layers of all of the kinds."""
    return lambda graph: all(any(map(kind.fits, graph.layers)) for kind in kinds)


def _one_weird_trick(graph: Graph, n_devices: int) -> Variants:
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


def _data_and_pipeline(graph: Graph, n_devices: int) -> Variants:
    """Recurrent layers on different devices, the batch over the devices that are left."""

    def wish(layer: Layer) -> Wish:
        if not _RECURRENT.fits(layer):
            return {BATCH: n_devices}
        stages = min(n_devices, layer.sizes[layer.dimension_names.index("l")])
        return {"l": stages, BATCH: n_devices // stages}

    yield "", wish


def _mesh_tensorflow(graph: Graph, n_devices: int) -> Variants:
    """Batch m ways; vocabulary v, hidden units e and heads h n ways; for every m * n = p."""
    for m, n in meshes(n_devices):
        yield f" {m} x {n}", partial(_same_wish, {BATCH: m, "v": n, "e": n, "h": n})


def _same_wish(wish: Wish, _layer: Layer) -> Wish:
    return wish


_PAPER = (
    Expert(
        "one weird trick",
        "Convolutions split the batch, fully connected layers their outputs (Krizhevsky 2014).",
        _has(_CONVOLUTION, _FULLY_CONNECTED),
        _one_weird_trick,
    ),
    Expert(
        "data + pipeline",
        "Recurrent layers on different devices, everything else data parallel (Wu et al. 2016).",
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

PAPER_EXPERTS = frozenset(expert.name for expert in _PAPER)
"""Names of those that the paper measures."""

EXPERTS: dict[str, Expert] = {e.name: e for e in (*_PAPER, *TRANSFORMER_EXPERTS)}
"""Experts by name, the paper's first."""
