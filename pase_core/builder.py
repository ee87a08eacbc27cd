"""Build a graph layer by layer, then freeze it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pase_core.errors import OptionError
from pase_core.graph import Graph
from pase_core.layers import Layer, Tensor
from pase_core.ops import OPS, Operation


class GraphBuilder:
    """Mutable helper that collects layers and tensors.

    Example:
        >>> build = GraphBuilder("two layers")
        >>> x = build.input("x", (32, 64))
        >>> x = build.layer("fully_connected", "first", x, n=128)
        >>> build.graph().n_parameters
        8192
    """

    def __init__(self, name: str, element_type: str = "float32", note: str = "") -> None:
        """Start an empty graph."""
        self._name, self._element_type, self._note = name, element_type, note
        self._layers: list[Layer] = []
        self._tensors: list[Tensor] = []

    def input(self, name: str, sizes: Sequence[int]) -> Tensor:
        """Add a tensor that comes from outside."""
        tensor = Tensor(name, tuple(sizes))
        self._tensors.append(tensor)
        return tensor

    def parameter(self, name: str, sizes: Sequence[int]) -> Tensor:
        """Add a tensor that several layers train, or one that no operation makes itself."""
        return self.input(name, sizes)

    def add(self, made: Operation) -> tuple[Tensor, ...]:
        """Add a layer with its tensors; return what it writes."""
        self._layers.append(made.layer)
        self._tensors.extend(made.outputs + made.parameters)
        return made.outputs

    def layers(
        self, operation: str, name: str, *inputs: Tensor, **attributes: Any
    ) -> tuple[Tensor, ...]:
        """Add a layer by the name of its operation; return all tensors that it writes."""
        if operation not in OPS:
            raise OptionError(f"unknown operation {operation!r}; known: {', '.join(OPS)}")
        return self.add(OPS[operation](name, inputs, **attributes))

    def layer(self, operation: str, name: str, *inputs: Tensor, **attributes: Any) -> Tensor:
        """Add a layer that writes one tensor, and return it."""
        (out,) = self.layers(operation, name, *inputs, **attributes)
        return out

    def graph(self) -> Graph:
        """Freeze what was collected.

        Raises:
            GraphError: as Graph.
        """
        return Graph(
            self._name, tuple(self._layers), tuple(self._tensors), self._element_type, self._note
        )
