"""From bytes to an ONNX model without weights' values.

Nothing outside the bytes is opened. Weights keep their sizes only: every large initializer becomes
a typed input of the graph, so that shape inference stays cheap on files of any size.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import onnx.inliner
from google.protobuf.message import DecodeError, Message  # type: ignore[import-untyped]
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from pase_core.errors import ImportFileError
from pase_core.importers.foreign import foreign_contents

LARGEST_CONSTANT = 1024
"""Constants of at most so many elements may be read."""

_IR_VERSION = 8


def read_model(data: bytes, source: str) -> tuple[ModelProto, frozenset[str]]:
    """Parse a model and take the weights' values out of it.

    Args:
        data: the file's content.
        source: what to call it in errors.

    Returns:
        The model, and the names of its inputs that are weights.

    Raises:
        ImportFileError: if the bytes are no ONNX model with a graph.
    """
    what = foreign_contents(data)
    if what is not None:
        raise ImportFileError(f"{source} is {what}")
    try:
        model = onnx.load_model_from_string(data)
    except (DecodeError, ValueError) as error:
        raise ImportFileError(
            f"{source} is no ONNX model, or was cut off: {_one_line(error)}; export or download it "
            "again"
        ) from None
    if not model.HasField("graph") or not model.graph.node:
        raise ImportFileError(f"{source} holds no graph with nodes; export or download it again")
    if not model.graph.output:
        raise ImportFileError(f"{source}: the graph has no outputs; export it with its outputs")
    try:
        weights = _strip_weights(model)
        _check_texts(model)
        _normalise(model)
        if model.functions:
            model = onnx.inliner.inline_local_functions(model)
            weights |= _strip_weights(model)
    except Exception as error:
        raise ImportFileError(
            f"{source}: its content cannot be read: {_one_line(error)}; check the file with "
            "onnx.checker"
        ) from None
    return model, frozenset(weights)


def _one_line(error: Exception) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 200 else text[:200] + "..."


def _check_texts(message: Message) -> None:
    """Raise ValueError if a name in a message is no UTF-8; the parser hands that on as bytes."""
    for field, value in message.ListFields():
        values = [value] if isinstance(value, (str, bytes, Message)) else value
        if field.type == field.TYPE_MESSAGE:
            for part in values:
                _check_texts(part)
        elif field.type == field.TYPE_STRING and any(isinstance(v, bytes) for v in values):
            raise ValueError(f"a {field.name} is no UTF-8 text")


def _normalise(model: ModelProto) -> None:
    """Bring unusual forms to one: versions, domains; drop declared sizes, which may contradict."""
    model.ir_version = max(model.ir_version, _IR_VERSION)
    if not any(entry.domain in ("", "ai.onnx") for entry in model.opset_import):
        model.opset_import.append(helper.make_opsetid("", 1))
    for entry in model.opset_import:
        entry.domain = "" if entry.domain == "ai.onnx" else entry.domain
    for node in model.graph.node:
        node.domain = "" if node.domain == "ai.onnx" else node.domain
    known = {entry.domain for entry in model.opset_import}
    for domain in {node.domain for node in model.graph.node} - known:
        model.opset_import.append(helper.make_opsetid(domain, 1))
    del model.graph.value_info[:]
    for output in model.graph.output:
        output.type.tensor_type.ClearField("shape")


def _strip_weights(model: ModelProto) -> set[str]:
    """Turn large constants into inputs and small constant nodes into initializers."""
    graph = model.graph
    tensors = list(graph.initializer)
    for sparse in graph.sparse_initializer:
        tensors.append(_sizes_only(sparse.values.name, sparse.values.data_type, sparse.dims))
    others = []
    for node in graph.node:
        value = _constant(node)
        if value is None:
            others.append(node)
        else:
            tensors.append(value)
    large = [tensor for tensor in tensors if _is_large(tensor)]
    small = [tensor for tensor in tensors if not _is_large(tensor)]
    names = {tensor.name for tensor in tensors}
    inputs = [value for value in graph.input if value.name not in names]
    inputs += [helper.make_tensor_value_info(t.name, t.data_type, list(t.dims)) for t in large]
    # Constants that come twice stay twice among inputs or initializers: a later check tells.
    for field, content in (
        (graph.initializer, small),
        (graph.node, others),
        (graph.input, inputs),
    ):
        replace_content(field, content)
    del graph.sparse_initializer[:]
    return {tensor.name for tensor in large}


def replace_content(field: Any, content: Sequence[Message]) -> None:
    """Put other messages into a repeated field, which may hold some of them now."""
    copies = [type(message).FromString(message.SerializeToString()) for message in content]
    del field[:]
    field.extend(copies)


def _is_large(tensor: TensorProto) -> bool:
    external = tensor.data_location == TensorProto.EXTERNAL
    return external or math.prod(tensor.dims) > LARGEST_CONSTANT or min(tensor.dims, default=1) < 0


def _sizes_only(name: str, data_type: int, sizes: list[int]) -> TensorProto:
    """Make a tensor without values that counts as large."""
    tensor = TensorProto(name=name, data_type=data_type, dims=sizes)
    tensor.data_location = TensorProto.EXTERNAL
    return tensor


def _constant(node: NodeProto) -> TensorProto | None:
    """The tensor of a Constant node, or None for any other node."""
    if (
        node.op_type != "Constant"
        or node.domain not in ("", "ai.onnx")
        or not node.attribute
        or not node.output
    ):
        return None
    attribute = node.attribute[0]
    value = helper.get_attribute_value(attribute)
    name = node.output[0]
    if attribute.name == "value":
        tensor = TensorProto()
        tensor.CopyFrom(value)
        tensor.name = name
        return tensor
    if attribute.name == "sparse_value":
        return _sizes_only(name, value.values.data_type, value.dims)
    if attribute.name in ("value_int", "value_float", "value_ints", "value_floats"):
        kind = TensorProto.INT64 if "int" in attribute.name else TensorProto.FLOAT
        dtype = helper.tensor_dtype_to_np_dtype(kind)
        return numpy_helper.from_array(np.array(value, dtype=dtype), name)
    return None
