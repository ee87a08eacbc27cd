"""The graph of layers: the first of the three waists.

Importers and sample graphs hand over a Graph; cost models read it. It is frozen, and what it
holds is checked once, when it is made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import networkx as nx

from pase_core.checks import check_name
from pase_core.errors import GraphError
from pase_core.layers import Access, Layer, Tensor

ELEMENT_BYTES: Mapping[str, int] = {
    "float64": 8,
    "float32": 4,
    "float16": 2,
    "bfloat16": 2,
    "float8": 1,
}
"""Bytes of one word of each element type a graph may be trained in."""

MAX_LAYERS = 50_000


@dataclass(frozen=True, slots=True)
class Transfer:
    """A tensor that one layer writes and another reads.

    Attributes:
        producer: position of the layer that writes it.
        consumer: position of the layer that reads it.
        tensor: what is transferred.
        written: the producer's access.
        read: the consumer's access.
    """

    producer: int
    consumer: int
    tensor: Tensor
    written: Access
    read: Access


@dataclass(frozen=True)
class Graph:
    """A network as data.

    Attributes:
        name: what people call it.
        layers: the vertices, in any order.
        tensors: every tensor that a layer touches.
        element_type: a key of ELEMENT_BYTES.
        note: one line about where it comes from.

    Raises:
        GraphError: on a duplicate name, an unknown tensor, a tensor written twice, sizes that
            contradict each other, or a cycle. Parts that are not connected are allowed.
    """

    name: str
    layers: tuple[Layer, ...]
    tensors: tuple[Tensor, ...]
    element_type: str = "float32"
    note: str = ""

    def __post_init__(self) -> None:
        """Check the layers against each other and against the tensors."""
        check_name("the graph", self.name)
        if self.element_type not in ELEMENT_BYTES:
            raise GraphError(
                f"unknown element type {self.element_type!r}; known: {', '.join(ELEMENT_BYTES)}"
            )
        if not 1 <= len(self.layers) <= MAX_LAYERS:
            raise GraphError(
                f"graph {self.name!r} has {len(self.layers)} layers; allowed are 1 to {MAX_LAYERS}"
            )
        _check_unique("layer", [layer.name for layer in self.layers])
        _check_unique("tensor", [tensor.name for tensor in self.tensors])
        for layer in self.layers:
            for access in layer.accesses:
                _check_access(layer, access, self.tensor_by_name)
        _check_producers(self)
        _check_acyclic(self)

    def __hash__(self) -> int:
        """Hash the content once; graphs are keys of caches."""
        return self._content_hash

    @cached_property
    def _content_hash(self) -> int:
        return hash((self.name, self.layers, self.tensors, self.element_type))

    @cached_property
    def tensor_by_name(self) -> Mapping[str, Tensor]:
        """Tensors by name."""
        return {tensor.name: tensor for tensor in self.tensors}

    @cached_property
    def transfers(self) -> tuple[Transfer, ...]:
        """One transfer per tensor read that another layer writes, in the readers' order."""
        writers = {
            access.tensor: (position, access)
            for position, layer in enumerate(self.layers)
            for access in layer.outputs
        }
        return tuple(
            Transfer(writers[read.tensor][0], position, tensor, writers[read.tensor][1], read)
            for position, layer in enumerate(self.layers)
            for read in layer.inputs
            if read.tensor in writers
            for tensor in (self.tensor_by_name[read.tensor],)
        )

    @cached_property
    def topological_order(self) -> tuple[int, ...]:
        """Positions of the layers, every one behind those that it reads from."""
        return tuple(nx.topological_sort(_reading_order(self)))

    @property
    def word_bytes(self) -> int:
        """Bytes of one word."""
        return ELEMENT_BYTES[self.element_type]

    @cached_property
    def n_parameters(self) -> int:
        """Trained numbers; a tensor that several layers read counts once."""
        names = {access.tensor for layer in self.layers for access in layer.parameters}
        return sum(self.tensor_by_name[name].n_elements for name in names)

    def position(self, layer_name: str) -> int:
        """Position of a layer by its name.

        Raises:
            GraphError: if there is no such layer.
        """
        for position, layer in enumerate(self.layers):
            if layer.name == layer_name:
                return position
        raise GraphError(f"graph {self.name!r} has no layer {layer_name!r}")


def _check_unique(kind: str, names: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise GraphError(f"two {kind}s have the name {name!r}; names must be unique")
        seen.add(name)


def _check_access(layer: Layer, access: Access, tensors: Mapping[str, Tensor]) -> None:
    """Check that the tensor exists and that its axes have the sizes of the dimensions."""
    tensor = tensors.get(access.tensor)
    if tensor is None:
        raise GraphError(f"layer {layer.name!r} uses the unknown tensor {access.tensor!r}")
    if len(access.axes) != len(tensor.sizes):
        raise GraphError(
            f"layer {layer.name!r} gives {len(access.axes)} axes for tensor {tensor.name!r}, "
            f"which has {len(tensor.sizes)}: {tensor.sizes}"
        )
    sizes = {d.name: d.size for d in layer.dimensions}
    for axis, size in zip(access.axes, tensor.sizes, strict=True):
        expected = 1
        for name in axis.dimensions:
            expected *= sizes[name]
        if axis.dimensions and not axis.window and expected != size:
            raise GraphError(
                f"layer {layer.name!r}, tensor {tensor.name!r}: axis {axis} has size {size}, but "
                f"the layer's dimensions make it {expected}; mark a sliding window as ~{axis}"
            )


def _check_producers(graph: Graph) -> None:
    """Check that no tensor is written twice or both trained and written."""
    writers: dict[str, str] = {}
    for layer in graph.layers:
        for access in layer.outputs:
            if access.tensor in writers:
                raise GraphError(
                    f"tensor {access.tensor!r} is written by {writers[access.tensor]!r} and by "
                    f"{layer.name!r}; a tensor has one writer"
                )
            writers[access.tensor] = layer.name
    for layer in graph.layers:
        for access in layer.parameters:
            if access.tensor in writers:
                raise GraphError(
                    f"tensor {access.tensor!r} is a parameter of {layer.name!r}, but "
                    f"{writers[access.tensor]!r} writes it; list it among the inputs instead"
                )


def _reading_order(graph: Graph) -> nx.DiGraph[int]:
    """Layers, and who reads from whom."""
    order: nx.DiGraph[int] = nx.DiGraph()
    order.add_nodes_from(range(len(graph.layers)))
    order.add_edges_from((t.producer, t.consumer) for t in graph.transfers)
    return order


def _check_acyclic(graph: Graph) -> None:
    order = _reading_order(graph)
    if nx.is_directed_acyclic_graph(order):
        return
    cycle = [graph.layers[u].name for u, _v in nx.find_cycle(order)]
    shown = " -> ".join([*cycle[:5], *(["..."] if len(cycle) > 5 else []), cycle[0]])
    raise GraphError(f"the layers form a cycle: {shown}; a training graph has none")
