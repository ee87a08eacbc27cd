"""ONNX operators that are matrix products."""

from __future__ import annotations

import math

from pase_core.errors import GraphError
from pase_core.importers.onnx_layers import LayerMaker
from pase_core.importers.onnx_network import Node
from pase_core.layers import Tensor
from pase_core.ops import OPS

_LEADING = tuple("bhtuvw")


def gemm(make: LayerMaker, node: Node) -> None:
    """Gemm: fully connected if the second operand is a weight, with a bias if that is one too."""
    first, second = node.inputs[:2]
    a, b = make.sizes(first), make.sizes(second)
    if len(a) != 2 or len(b) != 2:
        raise GraphError(f"operands of sizes {a} and {b} must have 2 axes each")
    a_names = ("c", "b") if node.attributes.get("transA") else ("b", "c")
    b_names = ("n", "c") if node.attributes.get("transB") else ("c", "n")
    sizes = _contracted((a, a_names), (b, b_names))
    shift = node.inputs[2] if len(node.inputs) > 2 else ""
    vector = bool(shift) and math.prod(make.sizes(shift)) == sizes["n"]
    bias = [shift] if vector and make.is_trained(shift) else []
    if make.is_data(first) and not make.is_data(second) and a_names == ("b", "c"):
        operation = OPS["fully_connected"](
            node.name, (make.tensor(first),), n=sizes["n"], bias=bool(bias)
        )
        make.add(node, operation, weights=[second, *bias])
    else:
        bias = []
        _product(make, node, a_names, b_names, ("b", "n"))
    if shift and not bias and (make.is_data(shift) or make.is_trained(shift)):
        _add_shift(make, node, shift)


def _add_shift(make: LayerMaker, node: Node, shift: str) -> None:
    """Add Gemm's third operand behind the product."""
    operands = (make.tensor(node.outputs[0]), make.tensor(shift))
    name = make.new_name(f"{node.name}/add")
    make.add(node, OPS["elementwise"](name, operands, kind="add"))


def matrix_product(make: LayerMaker, node: Node) -> None:
    """MatMul: fully connected with a weight of 2 axes, else an einsum with NumPy's broadcasting."""
    first, second = node.inputs[:2]
    a, b = make.sizes(first), make.sizes(second)
    if not a or not b or (len(a) == 1 and len(b) == 1):
        raise GraphError(f"operands of sizes {a} and {b}; one must have 2 axes")
    a_names, b_names, result = _product_names(a, b)
    sizes = _contracted((a, a_names), (b, b_names))
    if len(b) == 2 and 2 <= len(a) <= 6 and make.is_data(first) and not make.is_data(second):
        operation = OPS["fully_connected"](node.name, (make.tensor(first),), n=sizes["n"])
        make.add(node, operation, weights=[second])
    else:
        _product(make, node, a_names, b_names, result)


def _product_names(
    a: tuple[int, ...], b: tuple[int, ...]
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Dimensions of both operands and the result; an axis of 1 against more is one of its own."""
    n_batch = max(len(a), len(b), 2) - 2
    if n_batch > len(_LEADING):
        raise GraphError(f"operands of sizes {a} and {b} have too many axes; use 8 at most")
    batch = _LEADING[:n_batch]
    size_of: dict[str, int] = {}
    for operand in (a, b):
        for name, size in zip(reversed(batch), reversed(operand[:-2]), strict=False):
            size_of[name] = max(size, size_of.get(name, 1))

    def named(operand: tuple[int, ...], prefix: str) -> tuple[str, ...]:
        leading = operand[:-2]
        own = batch[n_batch - len(leading) :]
        pairs = zip(own, leading, strict=True)
        return tuple(d if size == size_of[d] else prefix + d for d, size in pairs)

    rows, columns = ("m",) if len(a) > 1 else (), ("n",) if len(b) > 1 else ()
    return (
        (*named(a, "x"), *rows, "c"),
        (*named(b, "y"), "c", *columns),
        (*batch, *rows, *columns),
    )


def _contracted(
    *operands: tuple[tuple[int, ...], tuple[str, ...]],
) -> dict[str, int]:
    """Size per dimension; raise GraphError if operands contradict each other."""
    sizes: dict[str, int] = {}
    for operand, names in operands:
        for name, size in zip(names, operand, strict=True):
            if sizes.setdefault(name, size) != size:
                shown = " and ".join(str(s) for s, _names in operands)
                raise GraphError(f"operands of sizes {shown} do not go together: {name} differs")
    return sizes


def _product(
    make: LayerMaker,
    node: Node,
    a_names: tuple[str, ...],
    b_names: tuple[str, ...],
    result: tuple[str, ...],
) -> None:
    """Add an einsum of two tensors, or of one and a weight."""
    operands = list(zip(node.inputs[:2], (a_names, b_names), strict=True))
    if not make.is_data(operands[0][0]):
        operands.reverse()
    (first, first_names), (second, second_names) = operands
    trained = not make.is_data(second)
    weight = dict(zip(second_names, make.sizes(second), strict=True)) if trained else None
    inputs: tuple[Tensor, ...] = (make.tensor(first),)
    if not trained:
        inputs += (make.tensor(second),)
    operation = OPS["einsum"](
        node.name,
        inputs,
        equation=f"{' '.join(first_names)}, {' '.join(second_names)} -> {' '.join(result)}",
        weight=weight,
        kind="matrix product",
    )
    make.add(node, operation, weights=[second] if trained else [])
