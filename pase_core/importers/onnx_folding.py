"""Evaluate the small integer chains by which a model computes sizes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from pase_core.importers.onnx_file import LARGEST_CONSTANT, replace_content

Constant = NDArray[Any]

_FOLDED = frozenset(
    "Abs Add And Cast Ceil Concat Div Equal Floor Gather Greater Identity Less Max Min Mod Mul Neg "
    "Not Or ReduceMax ReduceMin ReduceProd ReduceSum Reshape Round Slice Split Sqrt Squeeze Sub "
    "Sum Transpose Unsqueeze Where".split()
)
"""Operators whose results are no larger than their operands, or their product."""

_GROWING = frozenset("ConstantOfShape Expand Range".split())
"""Operators whose operands' values decide how large the result is."""

_INTEGERS = "iub"


def constants_of(model: ModelProto) -> dict[str, Constant]:
    """Values of small integer constants and of scalars, by tensor."""
    known = {}
    for tensor in model.graph.initializer:
        if math.prod(tensor.dims) > LARGEST_CONSTANT or tensor.data_type == TensorProto.STRING:
            continue
        dtype = helper.tensor_dtype_to_np_dtype(tensor.data_type)
        if dtype.kind in _INTEGERS or math.prod(tensor.dims) <= 1:
            try:
                known[tensor.name] = numpy_helper.to_array(tensor)
            except (ValueError, TypeError):
                continue  # Sizes and bytes disagree; whoever needs the value will miss it.
    return known


def fold(model: ModelProto, sizes: Mapping[str, tuple[int, ...]]) -> int:
    """Replace nodes whose results are small known constants by initializers.

    Args:
        model: changed in place; its nodes are in topological order.
        sizes: tensors of known sizes, for Shape and Size.

    Returns:
        Number of nodes replaced.
    """
    graph = model.graph
    known = constants_of(model)
    kept: list[NodeProto] = []
    for node in graph.node:
        results = _results(node, known, sizes, model)
        if results is None:
            kept.append(node)
            continue
        known |= results
        graph.initializer.extend(numpy_helper.from_array(v, n) for n, v in results.items())
    n_folded = len(graph.node) - len(kept)
    if n_folded:
        replace_content(graph.node, kept)
    return n_folded


def _results(
    node: NodeProto,
    known: Mapping[str, Constant],
    sizes: Mapping[str, tuple[int, ...]],
    model: ModelProto,
) -> dict[str, Constant] | None:
    """Results of a node by tensor, or None if they are not known or too large."""
    if node.domain or not node.input or not node.output:
        return None
    if node.op_type in ("Shape", "Size"):
        return _measured(node, sizes.get(node.input[0]))
    operands = {name: known[name] for name in node.input if name in known}
    if not operands or len(operands) < len(set(filter(None, node.input))):
        return None
    grows = node.op_type in _GROWING and _n_results(node, known) <= LARGEST_CONSTANT
    if node.op_type not in _FOLDED and not grows:
        return None
    try:
        results = _evaluate(node, operands, model)
    except Exception:  # The reference raises anything on malformed nodes; those stay unknown.
        return None
    return results if all(v.size <= LARGEST_CONSTANT for v in results.values()) else None


def _measured(node: NodeProto, sizes: tuple[int, ...] | None) -> dict[str, Constant] | None:
    if sizes is None:
        return None
    if node.op_type == "Size":
        return {node.output[0]: np.array(math.prod(sizes), dtype=np.int64)}
    ends = {a.name: a.i for a in node.attribute}
    return {node.output[0]: np.array(sizes[ends.get("start", 0) : ends.get("end")], dtype=np.int64)}


def _n_results(node: NodeProto, known: Mapping[str, Constant]) -> float:
    """Elements of the result of a growing operator."""
    if node.op_type == "Range":
        start, limit, delta = (float(known[name]) for name in node.input)
        return abs((limit - start) / delta) if delta else math.inf
    target = np.maximum(known[node.input[-1]].astype(np.float64), 1.0)
    return float(target.prod()) * (known[node.input[0]].size if node.op_type == "Expand" else 1)


def _evaluate(
    node: NodeProto, operands: Mapping[str, Constant], model: ModelProto
) -> dict[str, Constant]:
    """Run one node by the reference implementation."""
    from onnx.reference import ReferenceEvaluator

    inputs = [
        helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape
        )
        for name, value in operands.items()
    ]
    names = [name for name in node.output if name]
    outputs = [helper.make_empty_tensor_value_info(name) for name in names]
    graph = helper.make_graph([node], "node", inputs, outputs)
    alone = helper.make_model(graph, opset_imports=model.opset_import)
    results = ReferenceEvaluator(alone).run(None, dict(operands))
    return {name: np.asarray(value) for name, value in zip(names, results, strict=True)}
