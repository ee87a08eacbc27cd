"""The table of ONNX operators: adding one is one function and one entry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from pase_core.errors import GraphError, ImportFileError
from pase_core.importers import onnx_pointwise, onnx_products, onnx_windows
from pase_core.importers.onnx_layers import LayerMaker
from pase_core.importers.onnx_network import Network, Node

_POINTWISE = (
    "Abs Add Ceil Celu Clip Cos Div Dropout Elu Erf Exp Floor Gelu HardSigmoid HardSwish LeakyRelu "
    "Log Max Mean Min Mish Mul Neg PRelu Pow Reciprocal Relu Round Selu Shrink Sigmoid Sign Sin "
    "Softplus Softsign Sqrt Sub Sum Swish Tanh ThresholdedRelu"
).split()

_REDUCTIONS = "ReduceL1 ReduceL2 ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum".split()

OPERATORS: dict[str, Callable[[LayerMaker, Node], None]] = {
    **dict.fromkeys(_POINTWISE, onnx_pointwise.pointwise),
    **dict.fromkeys(_REDUCTIONS, onnx_pointwise.reduction),
    "AveragePool": onnx_windows.pooling,
    "BatchNormalization": onnx_windows.batch_normalization,
    "Concat": onnx_pointwise.concat,
    "Conv": onnx_windows.convolution,
    "Flatten": onnx_pointwise.reshape,
    "Gemm": onnx_products.gemm,
    "GlobalAveragePool": onnx_windows.global_pooling,
    "GlobalLpPool": onnx_windows.global_pooling,
    "GlobalMaxPool": onnx_windows.global_pooling,
    "GroupNormalization": onnx_windows.group_normalization,
    "InstanceNormalization": onnx_windows.instance_normalization,
    "LRN": onnx_windows.local_response_normalization,
    "LayerNormalization": onnx_windows.layer_normalization,
    "LogSoftmax": onnx_pointwise.softmax,
    "LpPool": onnx_windows.pooling,
    "MatMul": onnx_products.matrix_product,
    "MaxPool": onnx_windows.pooling,
    "Pad": onnx_pointwise.resize_axes,
    "Reshape": onnx_pointwise.reshape,
    "Resize": onnx_pointwise.resize_axes,
    "Slice": onnx_pointwise.resize_axes,
    "Softmax": onnx_pointwise.softmax,
    "Split": onnx_pointwise.split,
    "Squeeze": onnx_pointwise.reshape,
    "Transpose": onnx_pointwise.transpose,
    "Unsqueeze": onnx_pointwise.reshape,
    "Upsample": onnx_pointwise.resize_axes,
}
"""By operator the function that adds its layers, or fuses it: `OPERATORS[name](maker, node)`."""


def check_operators(network: Network, source: str) -> None:
    """Raise ImportFileError that lists every operator outside the table, with its count."""
    unknown = Counter(n.operator for n in network.nodes if n.operator not in OPERATORS)
    if not unknown:
        return
    first: dict[str, str] = {}
    for node in network.nodes:
        first.setdefault(node.operator, node.name)
    listed = ", ".join(
        f"{operator} ({count}, such as node {first[operator]!r})"
        for operator, count in sorted(unknown.items())
    )
    raise ImportFileError(
        f"{source} uses operators that cannot be imported yet: {listed}; supported are "
        f"{', '.join(sorted(OPERATORS))}, Cast, Identity and Constant"
    )


def add_layers(make: LayerMaker, source: str) -> None:
    """Turn every node of a network into layers.

    Raises:
        ImportFileError: if a node contradicts its operands; it names the node.
    """
    for node in make.network.nodes:
        try:
            OPERATORS[node.operator](make, node)
        except GraphError as error:
            raise ImportFileError(
                f"{source}: node {node.name!r} ({node.operator}): {error}"
            ) from error
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise ImportFileError(
                f"{source}: node {node.name!r} ({node.operator}) lacks an operand or attribute, or "
                f"has one of the wrong kind ({type(error).__name__}: {error}); check the file with "
                "onnx.checker"
            ) from error
