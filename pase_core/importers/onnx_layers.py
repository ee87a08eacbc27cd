"""Collect layers while the nodes of a network are gone through."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from pase_core.errors import GraphError
from pase_core.graph import Graph
from pase_core.importers.onnx_folding import Constant
from pase_core.importers.onnx_network import Network, Node
from pase_core.importers.onnx_structure import unique_name
from pase_core.layers import Access, Tensor
from pase_core.ops import Operation
from pase_core.ops.fusing import can_fuse, fuse, train_inputs


class LayerMaker:
    """Mutable helper: what the operators' functions read, and where they put their layers.

    Attributes:
        network: what is imported.
    """

    def __init__(self, network: Network) -> None:
        """Start with the inputs."""
        self.network = network
        self._operations: list[Operation] = []
        self._maker: dict[str, int] = {}
        self._tensors: dict[str, Tensor] = {}
        self._weights: dict[str, list[Tensor]] = {}
        self._weight_names: set[str] = set()
        self._readers: dict[str, set[str]] = {name: {""} for name in network.outputs}
        self._names = {node.name for node in network.nodes}
        self._tensor_names: set[str] = set()
        for node in network.nodes:
            for name in node.inputs:
                self._readers.setdefault(name, set()).add(node.name)
        for name in network.inputs:
            self._tensors[name] = Tensor(self._tensor_name(name), network.sizes[name])

    @property
    def n_layers(self) -> int:
        """Number of layers so far."""
        return len(self._operations)

    def _tensor_name(self, wanted: str) -> str:
        """A name for a tensor that no layer makes; those that layers make contain `.out`."""
        return unique_name(wanted.replace(".out", "_out"), self._tensor_names)

    def new_name(self, wanted: str) -> str:
        """A unique name for a further layer of a node."""
        return unique_name(wanted, self._names)

    def sizes(self, name: str) -> tuple[int, ...]:
        """Sizes of a tensor of the file.

        Raises:
            GraphError: if they are not known, or not positive.
        """
        sizes = self.network.sizes.get(name)
        if sizes is None:
            raise GraphError(
                f"the sizes of {name!r} cannot be worked out; export the model with fixed sizes"
            )
        if min(sizes, default=1) < 1:
            raise GraphError(
                f"{name!r} of sizes {sizes} has nothing along an axis; use larger inputs"
            )
        return sizes

    def is_data(self, name: str) -> bool:
        """True if an input of the model reaches the tensor."""
        return name in self.network.data

    def is_trained(self, name: str) -> bool:
        """True for a weight of more than one element."""
        return name in self.network.trained and math.prod(self.network.sizes.get(name, ())) > 1

    def integers(self, node: Node, attribute: str, operand: int) -> list[int] | None:
        """Integers that newer files have as an operand and older ones as an attribute."""
        if attribute in node.attributes:
            return [int(i) for i in node.attributes[attribute]]
        if len(node.inputs) <= operand or not node.inputs[operand]:
            return None
        value: Constant | None = self.network.constants.get(node.inputs[operand])
        if value is None:
            raise GraphError(f"{attribute} must be a constant of the file")
        return [int(i) for i in value.reshape(-1)]

    def tensor(self, name: str) -> Tensor:
        """The tensor of a layer, an input, or an operand that no layer makes."""
        if name in self._tensors:
            return self._tensors[name]
        if self.is_data(name):
            raise GraphError(f"it reads {name!r}, a second result that is not kept")
        if self.is_trained(name):
            return self.weight(name, self.sizes(name))
        made = Tensor(self._tensor_name(name), self.sizes(name))
        self._tensors[name] = made
        return made

    def weight(self, name: str, sizes: tuple[int, ...]) -> Tensor:
        """The one tensor of a weight, however often it is used, with the sizes of its first use."""
        root = self.network.roots.get(name, name)
        known = self._weights.setdefault(root, [])
        for tensor in known:
            if tensor.sizes == sizes or (len(sizes) == 2 and tensor.sizes == sizes[::-1]):
                return tensor
        known.append(Tensor(self._tensor_name(root), sizes))
        self._weight_names.add(known[-1].name)
        return known[-1]

    def add(self, node: Node, operation: Operation, weights: Sequence[str] = ()) -> None:
        """Add a layer that makes a node's results.

        Args:
            node: what the layer comes from.
            operation: the layer.
            weights: names in the file of the operation's parameters, in their order.

        Raises:
            GraphError: if a parameter depends on the model's inputs.
        """
        for name in weights:
            if self.is_data(name):
                raise GraphError(f"its weight {name!r} is computed from the inputs")
        operation = self._named(operation, weights)
        operation = train_inputs(operation, self._weight_names)
        for tensor in operation.outputs:
            self._maker[tensor.name] = len(self._operations)
        self._operations.append(operation)
        for name, tensor in zip(node.outputs, operation.outputs, strict=False):
            if name in self._readers and tensor.sizes != self.sizes(name):
                raise GraphError(
                    f"its result has sizes {self.sizes(name)} by the file and {tensor.sizes} by "
                    "its operands"
                )
            self._tensors[name] = tensor

    def _named(self, operation: Operation, weights: Sequence[str]) -> Operation:
        """Replace the operation's parameters by the weights of the file."""
        renamed: dict[str, Tensor] = {}
        for parameter, name in zip(operation.parameters, weights, strict=True):
            renamed[parameter.name] = self.weight(name, parameter.sizes)
        sizes = {tensor.name: tensor.sizes for tensor in operation.parameters}

        def rename(read: Access) -> Access:
            shared = renamed[read.tensor]
            turned = shared.sizes != sizes[read.tensor]
            axes = read.axes[::-1] if turned else read.axes
            return replace(read, tensor=shared.name, axes=axes)

        parameters = tuple(rename(read) for read in operation.layer.parameters)
        return replace(operation, layer=replace(operation.layer, parameters=parameters))

    def fuses(self, node: Node, name: str) -> bool:
        """True if a node may be computed with the layer that makes a tensor."""
        maker = self._maker.get(self.tensor(name).name)
        if maker is None or self._readers[name] != {node.name}:
            return False
        same = self.sizes(node.outputs[0]) == self.sizes(name)
        return same and can_fuse(self._operations[maker])

    def fuse(self, node: Node, name: str, kind: str, weights: Sequence[Tensor] = ()) -> None:
        """Compute a node with the layer that makes one of its operands; see `fuse`."""
        made = self.tensor(name)
        maker = self._maker[made.name]
        operation = self._operations[maker]
        product = any(work.unit == "multiply_add" for work in operation.layer.work)
        is_bias = kind in ("add", "subtract") and weights and product and not operation.layer.fused
        self._operations[maker] = fuse(operation, "" if is_bias else kind, weights)
        self._tensors[node.outputs[0]] = made

    def graph(self, name: str, note: str) -> Graph:
        """Freeze what was collected.

        Raises:
            GraphError: as Graph.
        """
        layers = tuple(operation.layer for operation in self._operations)
        used = {access.tensor for layer in layers for access in layer.accesses}
        weights = [tensor for shared in self._weights.values() for tensor in shared]
        outputs = [tensor for made in self._operations for tensor in made.outputs]
        tensors = dict.fromkeys([*self._tensors.values(), *weights, *outputs])
        kept = tuple(tensor for tensor in tensors if tensor.name in used)
        return Graph(name, layers, kept, self.network.element_type, note)
