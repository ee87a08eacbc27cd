"""Change the batch size of a graph: the batch is the dimension that every layer calls `b`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from pase_core.axes import BATCH, Axis
from pase_core.checks import check_size
from pase_core.errors import GraphError
from pase_core.graph import Graph
from pase_core.layers import Layer, Tensor
from pase_core.messages import Halo

Place = tuple[str, int]
"""An axis of a tensor: the tensor's name and the axis' position."""


@dataclass(frozen=True, slots=True)
class _Use:
    """One axis of one access."""

    layer: Layer
    tensor: str
    position: int
    axis: Axis

    @property
    def place(self) -> Place:
        return self.tensor, self.position


def with_batch(graph: Graph, batch: int) -> Graph:
    """Give a graph another batch size.

    The dimension `b` of every layer gets the new size, and so does every axis that it cuts: alone,
    or laid out in row-major order with others, as `(b c)`. An axis that one layer calls `b` and
    another `-` follows the first. Everything else stays as it is, also figures that somebody
    computed from the old batch, such as the work of a softmax along `b`.

    Args:
        graph: any graph whose layers call the batch `b`.
        batch: the new size, at least 1.

    Raises:
        GraphError: if the batch is no size; no dimension is named `b`, or it has several sizes; a
            window slides over it; a parameter is cut by it; or layers disagree whether an axis is
            the batch.
    """
    check_size("the batch", batch)
    if batch == _old_batch(graph):
        return graph
    _check_windows(graph)
    layers = tuple(_layer_with_batch(layer, batch) for layer in graph.layers)
    sizes = _new_axis_sizes(graph, batch)
    tensors = tuple(
        Tensor(
            tensor.name,
            tuple(sizes.get((tensor.name, i), size) for i, size in enumerate(tensor.sizes)),
        )
        for tensor in graph.tensors
    )
    return replace(graph, layers=layers, tensors=tensors)


def _old_batch(graph: Graph) -> int:
    """The one size of all dimensions named `b`."""
    first: tuple[str, int] | None = None
    for layer in graph.layers:
        for dimension in layer.dimensions:
            if dimension.name != BATCH:
                continue
            if first is None:
                first = layer.name, dimension.size
            elif dimension.size != first[1]:
                raise GraphError(
                    f"the batch cannot be changed: dimension {BATCH} has size {first[1]} in layer "
                    f"{first[0]!r} and {dimension.size} in layer {layer.name!r}; rename the one "
                    "that is not the batch"
                )
    if first is None:
        raise GraphError(
            f"graph {graph.name!r} has no batch to change; the batch is the dimension named "
            f"{BATCH}, and no layer has one"
        )
    return first[1]


def _uses(graph: Graph) -> Iterator[_Use]:
    """Every axis of every access."""
    for layer in graph.layers:
        for access in layer.accesses:
            for position, axis in enumerate(access.axes):
                yield _Use(layer, access.tensor, position, axis)


def _check_windows(graph: Graph) -> None:
    """Raise GraphError if a window slides over the batch, so that no axis has its size."""
    for use in _uses(graph):
        if use.axis.window and BATCH in use.axis.dimensions:
            raise GraphError(
                f"the batch cannot be changed: in layer {use.layer.name!r} a window slides over "
                f"{BATCH} (axis {use.axis} of {use.tensor!r}); name that dimension differently"
            )
    for layer in graph.layers:
        for message in layer.messages:
            if isinstance(message, Halo) and BATCH in message.over:
                raise GraphError(
                    f"the batch cannot be changed: in layer {layer.name!r} the window of a halo "
                    f"slides over {BATCH}; name that dimension differently"
                )


def _layer_with_batch(layer: Layer, batch: int) -> Layer:
    if BATCH not in layer.dimension_names:
        return layer
    return replace(
        layer,
        dimensions=tuple(
            replace(dimension, size=batch) if dimension.name == BATCH else dimension
            for dimension in layer.dimensions
        ),
    )


def _new_axis_sizes(graph: Graph, batch: int) -> Mapping[Place, int]:
    """New sizes of the tensor axes that the batch cuts, as all layers agree upon."""
    batched: dict[Place, _Use] = {}
    for use in _uses(graph):
        if BATCH in use.axis.dimensions:
            batched.setdefault(use.place, use)
    for use in _uses(graph):
        first = batched.get(use.place)
        if first and use.axis.dimensions and BATCH not in use.axis.dimensions:
            raise GraphError(
                f"the batch cannot be changed: axis {use.position} of tensor {use.tensor!r} is "
                f"{first.axis} in layer {first.layer.name!r} and {use.axis} in layer "
                f"{use.layer.name!r}; name it {BATCH} in both or in neither"
            )
    _check_parameters(graph, batched)
    return {place: _size(use, batch) for place, use in batched.items()}


def _check_parameters(graph: Graph, batched: Mapping[Place, _Use]) -> None:
    for layer in graph.layers:
        for access in layer.parameters:
            for position in range(len(access.axes)):
                if (access.tensor, position) in batched:
                    raise GraphError(
                        f"the batch cannot be changed: axis {position} of {access.tensor!r}, a "
                        f"parameter of layer {layer.name!r}, is named {BATCH}; a parameter does "
                        "not grow with the batch, so write - for that axis"
                    )


def _size(use: _Use, batch: int) -> int:
    sizes = {dimension.name: dimension.size for dimension in use.layer.dimensions}
    return math.prod((sizes | {BATCH: batch})[name] for name in use.axis.dimensions)
