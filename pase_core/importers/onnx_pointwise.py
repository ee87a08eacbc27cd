"""ONNX operators on single elements or along axes: pointwise, softmax, reductions, layout."""

from __future__ import annotations

import re

from pase_core.errors import GraphError
from pase_core.importers.onnx_layers import LayerMaker
from pase_core.importers.onnx_network import Node
from pase_core.ops import OPS
from pase_core.ops.build import axis_names

_KINDS = {
    "Mul": "multiply",
    "Div": "divide",
    "Sub": "subtract",
    "Sum": "add",
    "Min": "minimum",
    "Max": "maximum",
    "PRelu": "prelu",
    "ReduceMean": "mean",
    "ReduceMax": "maximum",
    "ReduceMin": "minimum",
}


def kind_of(operator: str) -> str:
    """What to call an operator: words with _ between them.

    Example:
        >>> kind_of("LeakyRelu")
        'leaky_relu'
    """
    return _KINDS.get(operator) or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", operator).lower()


def pointwise(make: LayerMaker, node: Node) -> None:
    """Any operator on single elements: fused into the layer before it, or a layer of its own.

    It is fused if it has one operand that is no weight, which nothing else reads. Scalars are
    nothing; other weights are trained.
    """
    operands = list(dict.fromkeys(filter(None, node.inputs)))
    data = [name for name in operands if make.is_data(name)]
    trained = [name for name in operands if not make.is_data(name) and make.is_trained(name)]
    others = [n for n in operands if n not in data + trained and len(make.sizes(n)) > 0]
    wide = [n for n in others if make.network.sizes[n] != (1,) * len(make.sizes(n))]
    kind = kind_of(node.operator)
    weights = [make.weight(name, _aligned(make, node, name)) for name in trained]
    if len(data) == 1 and not wide and make.fuses(node, data[0]):
        make.fuse(node, data[0], kind, weights)
        return
    read = [*map(make.tensor, data), *weights, *map(make.tensor, wide)]
    rank = max(len(tensor.sizes) for tensor in read)
    # Ones in front of an operand without elements of its own still count as axes.
    read += [make.tensor(name) for name in others if len(make.sizes(name)) > rank]
    make.add(node, OPS["elementwise"](node.name, read, kind=kind))


def _aligned(make: LayerMaker, node: Node, name: str) -> tuple[int, ...]:
    """Sizes of a weight with the ones behind that opsets below 7 imply (from axis 1 in a PRelu)."""
    sizes, rank = make.sizes(name), len(make.sizes(node.outputs[0]))
    axis = int(node.attributes.get("axis", 1 if node.operator == "PRelu" else rank - len(sizes)))
    if make.network.opset >= 7:
        return sizes
    return sizes + (1,) * (rank - axis % max(rank, 1) - len(sizes))


def softmax(make: LayerMaker, node: Node) -> None:
    """Softmax, LogSoftmax: along one axis, or up to opset 12 over all axes from one on."""
    x = make.tensor(node.inputs[0])
    names = axis_names(len(x.sizes))
    one_axis = make.network.opset >= 13
    axis = int(node.attributes.get("axis", -1 if one_axis else 1)) % len(names)
    row = names[axis : axis + 1] if one_axis else names[axis:]
    longer = [d for d, size in zip(names, x.sizes, strict=True) if d in row and size > 1]
    make.add(node, OPS["softmax"](node.name, (x,), along=" ".join(longer or row[:1])))


def reduction(make: LayerMaker, node: Node) -> None:
    """ReduceMean, ReduceSum and the like."""
    x = make.tensor(node.inputs[0])
    names = axis_names(len(x.sizes))
    axes = make.integers(node, "axes", 1)
    if not axes and not node.attributes.get("noop_with_empty_axes"):
        axes = list(range(len(names)))
    over = [names[a] for a in axes or ()]
    keep = bool(node.attributes.get("keepdims", 1))
    kind = kind_of(node.operator)
    make.add(node, OPS["mean"](node.name, (x,), over=over, keep=keep, kind=kind))


def concat(make: LayerMaker, node: Node) -> None:
    """Concat of data, and of weights among it."""
    tensors = [make.tensor(name) for name in node.inputs]
    axis = int(node.attributes.get("axis", 1)) % len(tensors[0].sizes)
    make.add(node, OPS["concat"](node.name, tensors, axis=axis))


def split(make: LayerMaker, node: Node) -> None:
    """Split into parts, equal or not."""
    x = make.tensor(node.inputs[0])
    axis = int(node.attributes.get("axis", 0)) % len(x.sizes)
    parts = [make.sizes(name)[axis] for name in node.outputs]
    make.add(node, OPS["split"](node.name, (x,), axis=axis, parts=parts))


def reshape(make: LayerMaker, node: Node) -> None:
    """Reshape, Flatten, Squeeze, Unsqueeze: the sizes say it all."""
    x, sizes = make.tensor(node.inputs[0]), make.sizes(node.outputs[0])
    make.add(node, OPS["reshape"](node.name, (x,), sizes=sizes))


def transpose(make: LayerMaker, node: Node) -> None:
    """Transpose; without `perm` the axes turn round."""
    x = make.tensor(node.inputs[0])
    order = node.attributes.get("perm") or range(len(x.sizes))[::-1]
    make.add(node, OPS["transpose"](node.name, (x,), order=[int(i) for i in order]))


def resize_axes(make: LayerMaker, node: Node) -> None:
    """Slice, Pad, Resize, Upsample: some axes change their sizes."""
    x, sizes = make.tensor(node.inputs[0]), make.sizes(node.outputs[0])
    if node.operator in ("Resize", "Upsample") and sizes[:2] != x.sizes[:2]:
        raise GraphError(f"it turns {x.sizes} into {sizes}; batch and channels must stay")
    kind = kind_of(node.operator)
    make.add(node, OPS["resize_axes"](node.name, (x,), sizes=sizes, kind=kind))
