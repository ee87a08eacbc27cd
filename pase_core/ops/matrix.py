"""Operations that are matrix products: fully connected, einsum, embedding, LSTM.

Sort the dimensions into batch (both operands and the result), m (first operand and result), n
(second operand and result) and k (both operands, not the result). A product of local sizes
`batch' m' n' k'` multiply-adds comes three times, and three all-reduces follow from the accesses:
the result over the splits of k, the first operand's gradient over those of n, the second's over
those of m. (PaSE's prototype; see `pase_core.costs.paper`.)
"""

from __future__ import annotations

from collections.abc import Sequence

from pase_core.errors import GraphError
from pase_core.layers import Access, Layer, Reduction, Tensor, Work
from pase_core.messages import Relayout
from pase_core.ops.build import (
    Operation,
    access,
    dimensions,
    matrix_work,
    shift_access,
    sized_tensor,
)

LSTM_POINTWISE = 3
"""Pointwise operations per gate and step, as the prototype counts them."""


def fully_connected(
    name: str, inputs: Sequence[Tensor], *, n: int, fused: Sequence[str] = (), bias: bool = False
) -> Operation:
    """Multiply the last axis, of size c, by a c x n matrix; the leading axes stay.

    Dimensions: the leading axes (`b`, or `b s`, or `b s t` ...), then n and c.
    """
    (x,) = inputs
    leading = ("b", *("s", "t", "u", "v", "w")[: len(x.sizes) - 2])
    if not 2 <= len(x.sizes) <= 6:
        raise GraphError(
            f"fully connected {name!r}: input {x.name!r} has sizes {x.sizes}; use 2 to 6 axes"
        )
    sizes = dict(zip(leading, x.sizes, strict=False)) | {"n": n, "c": x.sizes[-1]}
    rows = " ".join(leading)
    weight = Tensor(f"{name}.weight", (sizes["c"], n))
    shift = (Tensor(f"{name}.bias", (n,)),) if bias else ()
    out = sized_tensor(f"{name}.out", f"{rows} n", sizes)
    layer = Layer(
        name,
        "fully connected",
        dimensions(sizes),
        inputs=(access(x, f"{rows} c"),),
        outputs=(access(out, f"{rows} n"),),
        parameters=(access(weight, "c n"), *(shift_access(b, "n", f"{rows} n") for b in shift)),
        work=matrix_work(tuple(sizes), (*leading, "n"), len(fused)),
        fused=tuple(fused),
    )
    return Operation(layer, (out,), (weight, *shift))


def einsum(
    name: str,
    inputs: Sequence[Tensor],
    *,
    equation: str,
    weight: dict[str, int] | None = None,
    bias: str = "",
    fused: Sequence[str] = (),
    kind: str = "einsum",
) -> Operation:
    """Sum a product of two tensors over the dimensions that the result lacks.

    Dimensions: those of the result, then those summed over.

    Args:
        name: the layer's name.
        inputs: two tensors, or one if the second operand is trained.
        equation: such as `"b s d, d e -> b s e"`, one name per axis.
        weight: sizes of the second operand's own dimensions, if it is trained.
        bias: axes of a trained shift of the result, such as `"e"`; none if empty.
        fused: pointwise operations behind it.
        kind: what to call it.

    Raises:
        GraphError: if the equation does not fit the tensors.
    """
    terms, _, result = equation.partition("->")
    operands = [term.split() for term in terms.split(",")]
    if len(operands) != 2 or not result.split():
        raise GraphError(f"einsum {name!r}: write {equation!r} as 'a b, b c -> a c'")
    sizes = dict(weight or {})
    for names, tensor in zip(operands, inputs, strict=False):
        if len(names) != len(tensor.sizes):
            raise GraphError(f"einsum {name!r}: {equation!r} does not fit sizes {tensor.sizes}")
        sizes |= dict(zip(names, tensor.sizes, strict=True))
    order = dict.fromkeys(result.split() + operands[0] + operands[1])
    sizes = {dimension: sizes[dimension] for dimension in order}
    out = sized_tensor(f"{name}.out", result, sizes)
    trained, reads = list[Tensor](), list[Access]()
    for names, tensor in zip(operands, inputs, strict=False):
        reads.append(access(tensor, " ".join(names)))
    parameters = list[Access]()
    if weight:
        trained.append(sized_tensor(f"{name}.weight", " ".join(operands[1]), sizes))
        parameters.append(access(trained[-1], " ".join(operands[1])))
    if bias:
        trained.append(sized_tensor(f"{name}.bias", bias, sizes))
        parameters.append(shift_access(trained[-1], bias, result))
    layer = Layer(
        name,
        kind,
        dimensions(sizes),
        inputs=tuple(reads),
        outputs=(access(out, result),),
        parameters=tuple(parameters),
        work=matrix_work(tuple(sizes), result.split(), len(fused)),
        fused=tuple(fused),
    )
    return Operation(layer, (out,), tuple(trained))


def embedding(name: str, inputs: Sequence[Tensor], *, vocabulary: int, width: int) -> Operation:
    """Look up rows of a vocabulary x width table; dimensions b s d v.

    Priced as the product of a one-hot `b s v` with `v d`, as the prototype does it.
    """
    (ids,) = inputs
    sizes = {"b": ids.sizes[0], "s": ids.sizes[1], "d": width, "v": vocabulary}
    table = Tensor(f"{name}.table", (vocabulary, width))
    out = sized_tensor(f"{name}.out", "b s d", sizes)
    one_hot = Reduction(tile=("b", "s", "v"), over=("d",))
    layer = Layer(
        name,
        "embedding",
        dimensions(sizes),
        inputs=(access(ids, "b s", one_hot),),
        outputs=(access(out, "b s d"),),
        parameters=(access(table, "v d"),),
        work=(Work(tuple(sizes), 3, "multiply_add", prototype=True),),
    )
    return Operation(layer, (out,), (table,))


def lstm(name: str, inputs: Sequence[Tensor], *, layers: int, width: int) -> Operation:
    """Stack LSTM layers of one width; dimensions l b s d e (layers, batch, steps, input, hidden).

    A step multiplies the input and the state before it (2 d wide) by the weights of four gates
    (4 e wide), and fetches of the step before what it does not hold. Time is never split.

    Raises:
        GraphError: if the input is not as wide as the state.
    """
    (x,) = inputs
    if x.sizes[-1] != width:
        raise GraphError(
            f"LSTM {name!r}: the input {x.name!r} is {x.sizes[-1]} wide and the state {width}; "
            "stacked layers need equal widths"
        )
    sizes = {"l": layers, "b": x.sizes[0], "s": x.sizes[1], "d": width, "e": width}
    weight = Tensor(f"{name}.weight", (layers, 2, width, 4, width))
    out = sized_tensor(f"{name}.out", "b s e", sizes)
    layer = Layer(
        name,
        "LSTM",
        dimensions(sizes, unsplittable=("s",)),
        inputs=(access(x, "b s d", Reduction(("l", "b", "s", "d"), ("e",), 2)),),
        outputs=(access(out, "b s e", Reduction(("l", "b", "s", "e"), ("d",), 4)),),
        parameters=(access(weight, "l - d - e", Reduction(("l", "d", "e"), ("b", "s"), 8)),),
        work=(
            Work(("l", "b", "s", "d", "e"), 3 * 2 * 4, "multiply_add"),
            Work(("l", "b", "s", "e"), 3 * 4 * LSTM_POINTWISE),
        ),
        messages=(Relayout(times=("l", "s"), held=("b", "e"), needed=("b", "d")),),
    )
    return Operation(layer, (out,), (weight,))
