"""One function per operation, from shapes and attributes to a layer as data; the table OPS.

Adding an operation is one function and one entry here.
"""

from collections.abc import Callable

from pase_core.ops.build import Operation
from pase_core.ops.convolution import convolution, pooling
from pase_core.ops.layout import (
    concat,
    flatten,
    reshape,
    resize_axes,
    split,
    stack,
    transpose,
    unflatten,
    unstack,
)
from pase_core.ops.matrix import einsum, embedding, fully_connected, lstm
from pase_core.ops.pointwise import (
    batch_normalization,
    cross_entropy,
    elementwise,
    local_response_normalization,
    mean,
    normalization,
    softmax,
)
from pase_core.ops.recurrent import additive_scores, lstm_layer
from pase_core.ops.sequence import combine, dispatch, lookup, row_softmax
from pase_core.ops.statistics import rms_normalization, statistics_normalization

OPS: dict[str, Callable[..., Operation]] = {
    "additive_scores": additive_scores,
    "batch_normalization": batch_normalization,
    "combine": combine,
    "concat": concat,
    "convolution": convolution,
    "cross_entropy": cross_entropy,
    "dispatch": dispatch,
    "einsum": einsum,
    "elementwise": elementwise,
    "embedding": embedding,
    "flatten": flatten,
    "fully_connected": fully_connected,
    "local_response_normalization": local_response_normalization,
    "lookup": lookup,
    "lstm": lstm,
    "lstm_layer": lstm_layer,
    "mean": mean,
    "normalization": normalization,
    "pooling": pooling,
    "reshape": reshape,
    "resize_axes": resize_axes,
    "rms_normalization": rms_normalization,
    "row_softmax": row_softmax,
    "softmax": softmax,
    "split": split,
    "stack": stack,
    "statistics_normalization": statistics_normalization,
    "transpose": transpose,
    "unflatten": unflatten,
    "unstack": unstack,
}
"""Operations by name: `OPS[name](layer_name, input_tensors, **attributes) -> Operation`."""

__all__ = ["OPS", "Operation"]
