"""Sizes of every tensor of a model whose inputs are bound, and checks of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import onnx
from onnx import GraphProto, ModelProto, NodeProto, ValueInfoProto, helper, numpy_helper

from pase_core.errors import ImportFileError
from pase_core.importers.onnx_binding import Bound, Sizes
from pase_core.importers.onnx_folding import Constant, constants_of, fold
from pase_core.importers.onnx_structure import Structure

_SAME_SIZES = frozenset(("GroupNormalization",))

_LAYOUT_ADVICE = "export the model with a dynamic batch axis, or load it at the file's batch size"


@dataclass(frozen=True)
class Shaped:
    """A model with the sizes of its tensors.

    Attributes:
        model: nodes that compute sizes are folded away.
        sizes: tensors of known sizes.
        types: element types by tensor, as numbers of the onnx package.
        constants: values of small constants.
    """

    model: ModelProto
    sizes: Sizes
    types: Mapping[str, int]
    constants: Mapping[str, Constant]


def infer(model: ModelProto, bound: Bound, structure: Structure, source: str) -> Shaped:
    """Infer all sizes, and make the batch run through the whole model.

    Raises:
        ImportFileError: if inference fails, or if a Reshape or an output does not follow the batch.
    """
    fold(model, {})
    batch_of = {name: axes[0] for name, axes in bound.sizes.items() if axes}
    changed = [
        name
        for name, axes in (bound.other or {}).items()
        if axes and axes[0] != batch_of[name] and bound.frozen is not None
    ]
    wanted = _copy(model)
    if changed and bound.frozen is not None:
        _follow_batch(wanted, structure, bound.frozen, batch_of[changed[0]])
    shaped = _inferred(wanted, bound.sizes, source)
    _check_reshapes(shaped, structure, source)
    if bound.other is not None:
        other = _inferred(_copy(model), bound.other, source)
        _check_batch(shaped, other, structure, source)
    return shaped


def _copy(model: ModelProto) -> ModelProto:
    copy = ModelProto()
    copy.CopyFrom(model)
    return copy


def _follow_batch(model: ModelProto, structure: Structure, frozen: int, batch: int) -> None:
    """Put another batch size in front of Reshape targets that have the file's there."""
    known = constants_of(model)
    for node in model.graph.node:
        target = _target(node, known)
        if target is None or not target.size or target[0] != frozen:
            continue
        if node.input[0] not in structure.data:
            continue
        followed = np.array([batch, *target[1:]], dtype=np.int64)
        if len(node.input) > 1:
            name = f"{node.name}::target"
            model.graph.initializer.append(numpy_helper.from_array(followed, name))
            node.input[1] = name
        else:
            del node.attribute[:]
            node.attribute.append(helper.make_attribute("shape", followed.tolist()))


def _target(node: NodeProto, known: Mapping[str, Constant]) -> Constant | None:
    """Target of a Reshape, as an operand or, in old files, as an attribute."""
    if node.op_type != "Reshape" or node.domain or not node.input:
        return None
    if len(node.input) > 1:
        value = known.get(node.input[1])
        return value if value is not None and value.ndim == 1 else None
    shapes = [a.ints for a in node.attribute if a.name == "shape"]
    return np.array(shapes[0], dtype=np.int64) if shapes else None


def _inferred(model: ModelProto, inputs: Sizes, source: str) -> Shaped:
    """Infer and fold until nothing changes."""
    for value in model.graph.input:
        if value.name in inputs:
            value.type.tensor_type.shape.CopyFrom(
                helper.make_tensor_value_info("", 1, inputs[value.name]).type.tensor_type.shape
            )
    given: list[ValueInfoProto] = []
    while True:
        del model.graph.value_info[:]
        model.graph.value_info.extend(given)
        try:
            model = onnx.shape_inference.infer_shapes(model, data_prop=True)
        except Exception as error:
            text = " ".join(str(error).split())[:300]
            raise ImportFileError(
                f"{source}: sizes cannot be worked out: {text}; check the file with onnx.checker"
            ) from None
        graph = model.graph
        values = [*graph.value_info, *graph.input, *graph.output]
        sizes = {v.name: known for v in values if (known := _sizes(v)) is not None}
        types = {v.name: v.type.tensor_type.elem_type for v in values}
        for tensor in graph.initializer:
            sizes[tensor.name] = tuple(tensor.dims)
            types[tensor.name] = tensor.data_type
        more = _same_sizes(graph, sizes, types)
        given += more
        if not fold(model, sizes) and not more:
            return Shaped(model, sizes, types, constants_of(model))


def _same_sizes(graph: GraphProto, sizes: Sizes, types: Mapping[str, int]) -> list[ValueInfoProto]:
    """Sizes that the onnx package does not infer: those of the first operand."""
    return [
        helper.make_tensor_value_info(node.output[0], types[node.input[0]], sizes[node.input[0]])
        for node in graph.node
        if node.op_type in _SAME_SIZES and not node.domain and node.input and node.output
        if node.input[0] in sizes and node.output[0] not in sizes
    ]


def _sizes(value: ValueInfoProto) -> tuple[int, ...] | None:
    tensor = value.type.tensor_type
    if not tensor.HasField("shape"):
        return None
    axes = tuple(tensor.shape.dim)
    known = all(axis.HasField("dim_value") for axis in axes)
    return tuple(axis.dim_value for axis in axes) if known else None


def _check_reshapes(shaped: Shaped, structure: Structure, source: str) -> None:
    """Raise ImportFileError where a Reshape changes the number of elements."""
    for node in shaped.model.graph.node:
        target = _target(node, shaped.constants)
        before = shaped.sizes.get(node.input[0]) if node.input else None
        if target is None or before is None:
            continue
        after = shaped.sizes.get(node.output[0])
        if after is None or math.prod(after) != math.prod(before):
            advice = _LAYOUT_ADVICE if node.input[0] in structure.data else "check the file"
            raise ImportFileError(
                f"{source}: Reshape {node.name!r} makes {target.tolist()} of {before}, which has "
                f"{math.prod(before)} elements; {advice}"
            )


def _check_batch(shaped: Shaped, other: Shaped, structure: Structure, source: str) -> None:
    """Raise ImportFileError where the batch gets lost, by comparing two batch sizes.

    A Reshape may not move the batch behind other axes (a -1 would swallow it), and every output
    must change with it.
    """
    for node in shaped.model.graph.node:
        if node.op_type != "Reshape" or node.input[0] not in structure.data:
            continue
        before = _batch_axes(node.input[0], shaped, other)
        after = _batch_axes(node.output[0], shaped, other)
        if len(before) != 1:
            continue
        (axis,) = before
        sizes, result = shaped.sizes[node.input[0]], shaped.sizes[node.output[0]]
        moved = [
            a
            for a in after
            if math.prod(result[:a]) > math.prod(sizes[:axis])
            or (a > axis and result[a] != sizes[axis])
        ]
        if _is_whole_batch(sizes[axis], structure, shaped) and (moved or not after):
            target = _target(node, shaped.constants)
            shown = "" if target is None else f" {target.tolist()}"
            raise ImportFileError(
                f"{source}: Reshape {node.name!r} does not follow the batch of {sizes[axis]}: its "
                f"target{shown} makes {result} of {sizes}; {_LAYOUT_ADVICE}"
            )
    for output in shaped.model.graph.output:
        if not shaped.sizes.get(output.name) or output.name not in structure.data:
            continue
        if shaped.sizes[output.name] == other.sizes.get(output.name):
            raise ImportFileError(
                f"{source}: the batch does not reach output {output.name!r}, which stays "
                f"{shaped.sizes[output.name]}; {_LAYOUT_ADVICE}"
            )


def _batch_axes(name: str, shaped: Shaped, other: Shaped) -> list[int]:
    """Axes of a tensor that change with the batch."""
    sizes, others = shaped.sizes.get(name), other.sizes.get(name)
    if sizes is None or others is None or len(sizes) != len(others):
        return []
    return [i for i, (a, b) in enumerate(zip(sizes, others, strict=True)) if a != b]


def _is_whole_batch(size: int, structure: Structure, shaped: Shaped) -> bool:
    """True if an axis is as long as the first axis of an input, and so nothing but the batch."""
    return size in {shaped.sizes[name][0] for name in structure.inputs if shaped.sizes.get(name)}
