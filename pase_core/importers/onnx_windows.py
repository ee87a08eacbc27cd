"""ONNX operators with sliding windows, and normalisations of images."""

from __future__ import annotations

from collections.abc import Sequence

from pase_core.errors import GraphError
from pase_core.importers.onnx_layers import LayerMaker
from pase_core.importers.onnx_network import Node
from pase_core.ops import OPS
from pase_core.ops.build import axis_names
from pase_core.ops.convolution import Kernel, convolution_of_size, pooling_of_size


def convolution(make: LayerMaker, node: Node) -> None:
    """Conv: 1 to 3 spatial axes, groups, dilations; a bias if the node has one."""
    x, weight = make.tensor(node.inputs[0]), make.sizes(node.inputs[1])
    groups = int(node.attributes.get("group", 1))
    spatial = len(weight) - 2
    if not 1 <= spatial <= 3 or len(x.sizes) != len(weight):
        raise GraphError(
            f"input {x.sizes} and weight {weight} must both have 3 to 5 axes: batch, channels, "
            "positions"
        )
    if groups < 1 or weight[1] * groups != x.sizes[1] or weight[0] % groups:
        raise GraphError(
            f"a weight of sizes {weight} in {groups} groups needs an input of "
            f"{weight[1] * groups} channels, and a number of kernels that {groups} divides; the "
            f"input {x.name!r} has {x.sizes[1]} channels"
        )
    kernel = weight[2:]
    declared = tuple(node.attributes.get("kernel_shape", kernel))
    if declared != kernel:
        raise GraphError(f"kernel_shape {list(declared)} contradicts the weight's sizes {weight}")
    _check_windows(node, x.sizes[2:], kernel)
    shift = [name for name in node.inputs[2:3] if name and make.is_trained(name)]
    operation = convolution_of_size(
        node.name,
        x,
        Kernel(kernel, make.sizes(node.outputs[0])[2:]),
        n=weight[0],
        groups=groups,
        bias=bool(shift),
    )
    make.add(node, operation, weights=[node.inputs[1], *shift])


def pooling(make: LayerMaker, node: Node) -> None:
    """MaxPool, AveragePool, LpPool."""
    x = make.tensor(node.inputs[0])
    kernel = [int(size) for size in node.attributes["kernel_shape"]]
    if not 1 <= len(kernel) <= 3 or len(x.sizes) != len(kernel) + 2:
        raise GraphError(f"a window of {kernel} does not fit input {x.sizes}; use 3 to 5 axes")
    reach = _check_windows(node, x.sizes[2:], kernel)
    kind = {"MaxPool": "max", "AveragePool": "average"}.get(node.operator, "norm")
    slid = Kernel(tuple(reach), make.sizes(node.outputs[0])[2:])
    operation = pooling_of_size(node.name, x, slid, kind=kind)
    make.add(node, operation)


def _check_windows(node: Node, sizes: Sequence[int], kernel: Sequence[int]) -> list[int]:
    """Extents of a window with its gaps; raise GraphError if it exceeds an axis."""
    n_axes = len(kernel)
    dilations = node.attributes.get("dilations") or [1] * n_axes
    pads = node.attributes.get("pads") or [0] * (2 * n_axes)
    reach = [(size - 1) * gap + 1 for size, gap in zip(kernel, dilations, strict=True)]
    if node.attributes.get("auto_pad", "NOTSET").startswith("SAME"):
        return reach
    for axis, (size, extent) in enumerate(zip(sizes, reach, strict=True)):
        if extent < 1 or size + pads[axis] + pads[axis + n_axes] < extent:
            raise GraphError(
                f"a window of {' x '.join(map(str, reach))} does not fit on "
                f"{' x '.join(map(str, sizes))} with pads {list(pads)}; use larger inputs"
            )
    return reach


def global_pooling(make: LayerMaker, node: Node) -> None:
    """GlobalAveragePool and its like: a mean over all positions that keeps the axes."""
    x = make.tensor(node.inputs[0])
    kind = {"GlobalAveragePool": "mean", "GlobalMaxPool": "maximum"}.get(node.operator, "norm")
    over = axis_names(len(x.sizes))[2:]
    make.add(node, OPS["mean"](node.name, (x,), over=over, keep=True, kind=kind))


def local_response_normalization(make: LayerMaker, node: Node) -> None:
    """LRN over neighbouring channels."""
    x, width = make.tensor(node.inputs[0]), int(node.attributes["size"])
    make.add(node, OPS["local_response_normalization"](node.name, (x,), width=width))


def batch_normalization(make: LayerMaker, node: Node) -> None:
    """BatchNormalization as in training; running statistics are no parameters."""
    x = make.tensor(node.inputs[0])
    if len(x.sizes) < 2 or make.sizes(node.inputs[1]) != (x.sizes[1],):
        raise GraphError(f"a scale of sizes {make.sizes(node.inputs[1])} for input {x.sizes}")
    operation = OPS["batch_normalization"](node.name, (x,))
    make.add(node, operation, weights=node.inputs[1:3])


def instance_normalization(make: LayerMaker, node: Node) -> None:
    """InstanceNormalization: statistics over the positions of each channel."""
    x = make.tensor(node.inputs[0])
    names = axis_names(len(x.sizes))
    operation = OPS["statistics_normalization"](
        node.name,
        (x,),
        sizes=dict(zip(names, x.sizes, strict=True)),
        over=names[2:],
        axes=" ".join(names),
        parameters=(names[1], names[1]),
        kind="instance normalization",
    )
    make.add(node, operation, weights=node.inputs[1:3])


def group_normalization(make: LayerMaker, node: Node) -> None:
    """GroupNormalization: statistics over the channels of a group and all positions."""
    x = make.tensor(node.inputs[0])
    groups = int(node.attributes["num_groups"])
    if len(x.sizes) < 2 or groups < 1 or x.sizes[1] % groups:
        raise GraphError(f"{groups} groups do not divide the channels of input {x.sizes}")
    batch, *spatial = (d for i, d in enumerate(axis_names(len(x.sizes))) if i != 1)
    per_channel = make.sizes(node.inputs[1]) == (x.sizes[1],)
    sizes = {batch: x.sizes[0], "g": groups, "c": x.sizes[1] // groups}
    operation = OPS["statistics_normalization"](
        node.name,
        (x,),
        sizes=sizes | dict(zip(spatial, x.sizes[2:], strict=True)),
        over=("c", *spatial),
        axes=" ".join((batch, "(g c)", *spatial)),
        parameters=("(g c)",) * 2 if per_channel else ("g", "g"),
        kind="group normalization",
    )
    make.add(node, operation, weights=node.inputs[1:3])


def layer_normalization(make: LayerMaker, node: Node) -> None:
    """LayerNormalization: statistics over the last axes."""
    x = make.tensor(node.inputs[0])
    names = axis_names(len(x.sizes))
    axis = int(node.attributes.get("axis", -1))
    over = names[axis % len(names) :]
    weights = [name for name in node.inputs[1:3] if name and make.is_trained(name)]
    operation = OPS["statistics_normalization"](
        node.name,
        (x,),
        sizes=dict(zip(names, x.sizes, strict=True)),
        over=over,
        axes=" ".join(names),
        parameters=(" ".join(over),) * len(weights),
        kind="layer normalization",
    )
    make.add(node, operation, weights=weights)
