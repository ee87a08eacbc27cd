"""The part of an ONNX model that becomes layers, as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from onnx import NodeProto, TensorProto, helper

from pase_core.importers.onnx_binding import Sizes
from pase_core.importers.onnx_folding import Constant
from pase_core.importers.onnx_shapes import Shaped
from pase_core.importers.onnx_structure import Structure

_FLOAT8 = {value for name, value in TensorProto.DataType.items() if name.startswith("FLOAT8")}

_ELEMENT_TYPES = {
    TensorProto.DOUBLE: "float64",
    TensorProto.FLOAT: "float32",
    TensorProto.FLOAT16: "float16",
    TensorProto.BFLOAT16: "bfloat16",
    **dict.fromkeys(_FLOAT8, "float8"),
}

_PASS_THROUGH = frozenset("Cast Identity".split())

_PASS_IF_EQUAL = frozenset(
    "Concat Expand Flatten Max Mean Min Reshape Slice Squeeze Sum Tile Unsqueeze".split()
)
"""Operators that do nothing if they have one operand of the sizes of their result."""

_GATES = frozenset("HardSigmoid Sigmoid".split())
"""Pointwise operators that make a pointwise one if multiplied by their operand."""


@dataclass(frozen=True)
class Node:
    """One node.

    Attributes:
        name: unique and printable.
        operator: such as `Conv`; outside the default domain with that in front.
        inputs: tensors read; empty where an operand is left out.
        outputs: tensors written.
        attributes: by name; texts are str.
    """

    name: str
    operator: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any]


@dataclass(frozen=True)
class Network:
    """Everything from which layers are made.

    Attributes:
        nodes: those that read data, in topological order.
        inputs: names of the data inputs.
        outputs: tensors that the model returns.
        sizes: by tensor.
        constants: values of small integer constants and scalars.
        data: tensors that a real input reaches.
        trained: tensors that are weights, or made of weights.
        roots: where a weight comes from.
        opset: version of the default operators.
        element_type: in which the model computes.
    """

    nodes: tuple[Node, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    sizes: Sizes
    constants: Mapping[str, Constant]
    data: frozenset[str]
    trained: frozenset[str]
    roots: Mapping[str, str]
    opset: int
    element_type: str


def network_of(shaped: Shaped, structure: Structure) -> Network:
    """Take what layers need out of a model whose sizes are known."""
    graph = shaped.model.graph
    nodes = [_node(node) for node in graph.node if structure.data.intersection(node.input)]
    outputs = [output.name for output in graph.output if output.name in structure.data]
    nodes, outputs = _without_passes(nodes, outputs, shaped.sizes, structure.data)
    nodes = _with_gates(nodes, outputs)
    trained = {
        name
        for name, kind in shaped.types.items()
        if kind in _ELEMENT_TYPES and name not in structure.data | structure.derived
    }
    return Network(
        nodes=tuple(nodes),
        inputs=structure.inputs,
        outputs=tuple(outputs),
        sizes=shaped.sizes,
        constants=shaped.constants,
        data=structure.data,
        trained=frozenset(trained),
        roots=structure.roots,
        opset=max(o.version for o in shaped.model.opset_import if not o.domain),
        element_type=_element_type(shaped, structure),
    )


def _node(node: NodeProto) -> Node:
    attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    texts = {k: v.decode(errors="replace") for k, v in attributes.items() if isinstance(v, bytes)}
    operator = f"{node.domain}.{node.op_type}" if node.domain else node.op_type
    return Node(node.name, operator, tuple(node.input), tuple(node.output), attributes | texts)


def _without_passes(
    nodes: Sequence[Node], outputs: Sequence[str], sizes: Sizes, data: frozenset[str]
) -> tuple[list[Node], list[str]]:
    """Leave out nodes that hand on what they read, and let readers read that."""
    origin: dict[str, str] = {}
    kept = []
    for node in nodes:
        node = replace(node, inputs=tuple(origin.get(name, name) for name in node.inputs))
        if _is_pass(node, sizes, data):
            origin[node.outputs[0]] = node.inputs[0]
        else:
            kept.append(node)
    return kept, [origin.get(name, name) for name in outputs]


def _is_pass(node: Node, sizes: Sizes, data: frozenset[str]) -> bool:
    if not node.inputs or node.inputs[0] not in data or not node.outputs:
        return False
    if node.operator in _PASS_THROUGH:
        return True
    before, after = sizes.get(node.inputs[0]), sizes.get(node.outputs[0])
    alone = sum(name in data for name in node.inputs) == 1
    single = len(node.inputs) == 1 or node.operator not in ("Concat", "Max", "Mean", "Min", "Sum")
    equal = before is not None and before == after
    return node.operator in _PASS_IF_EQUAL and alone and single and equal


def _with_gates(nodes: Sequence[Node], outputs: Sequence[str]) -> list[Node]:
    """Make one pointwise node of `x * sigmoid(x)` and `x * hard_sigmoid(x)`: Swish, HardSwish."""
    makers = {name: node for node in nodes for name in node.outputs}
    reads: dict[str, int] = dict.fromkeys(outputs, 1)
    for node in nodes:
        for name in node.inputs:
            reads[name] = reads.get(name, 0) + 1
    replaced: dict[str, Node] = {}
    gates: set[str] = set()
    for node in nodes:
        if node.operator != "Mul" or len(node.inputs) != 2:
            continue
        for gate_name, x in (node.inputs, node.inputs[::-1]):
            gate = makers.get(gate_name)
            if gate and gate.operator in _GATES and gate.inputs[0] == x and reads[gate_name] == 1:
                kind = "Swish" if gate.operator == "Sigmoid" else "HardSwish"
                replaced[node.name] = replace(node, operator=kind, inputs=(x,))
                gates.add(gate.name)
                break
    return [replaced.get(node.name, node) for node in nodes if node.name not in gates]


def _element_type(shaped: Shaped, structure: Structure) -> str:
    """Type of the first input of floating point, or else of the first such weight."""
    names = [*structure.inputs, *shaped.types]
    kinds = (shaped.types.get(name) for name in names)
    return next((_ELEMENT_TYPES[kind] for kind in kinds if kind in _ELEMENT_TYPES), "float32")
