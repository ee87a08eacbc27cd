"""Operations on single elements and along one axis: elementwise, normalisations, softmax, mean.

The paper's operations follow the prototype's counts; `batch_normalization` is the one that
importers use, with statistics and parameters per channel.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from pase_core.axes import Axis
from pase_core.errors import GraphError
from pase_core.layers import Layer, Reduction, Tensor, Work
from pase_core.messages import AllReduce, Exchange, Halo, Window
from pase_core.ops.build import (
    Operation,
    access,
    axis_names,
    broadcast,
    dimensions,
    sized_tensor,
)


def _named(x: Tensor, axes: str) -> dict[str, int]:
    """Sizes by dimension name, with the usual names where none are given."""
    names = axes.split() or axis_names(len(x.sizes))
    if len(names) != len(x.sizes):
        raise GraphError(f"axes {axes!r} do not fit {x.name!r}, which has sizes {x.sizes}")
    return dict(zip(names, x.sizes, strict=True))


def elementwise(
    name: str,
    inputs: Sequence[Tensor],
    *,
    axes: str = "",
    fused: Sequence[str] = (),
    kind: str = "elementwise",
) -> Operation:
    """Combine tensors element by element; smaller ones are broadcast as NumPy does it.

    One FLOP per element, and one per fused operation.
    """
    rank = max(len(x.sizes) for x in inputs)
    padded = [(1,) * (rank - len(x.sizes)) + x.sizes for x in inputs]
    out = Tensor(f"{name}.out", tuple(max(sizes) for sizes in zip(*padded, strict=True)))
    sizes = _named(out, axes)
    names = tuple(Axis((name,)) for name in sizes)
    layer = Layer(
        name,
        kind,
        dimensions(sizes),
        inputs=tuple(broadcast(x, names, out.sizes) for x in inputs),
        outputs=(access(out, " ".join(sizes)),),
        work=(Work(tuple(sizes), 1 + len(fused)),),
        fused=tuple(fused),
    )
    return Operation(layer, (out,))


def normalization(
    name: str,
    inputs: Sequence[Tensor],
    *,
    along: str,
    axes: str = "",
    features: str | None = None,
    kind: str = "normalization",
) -> Operation:
    """Normalise along one dimension, as the prototype counts it: 16 FLOP per element.

    Statistics are reduced along `along`; the gradients of scale and shift, as long as `along`,
    over every other split. `features` names the dimension that scale and shift really have
    (batch norm: the channels), for the count of parameters.
    """
    (x,) = inputs
    sizes = _named(x, axes)
    if along not in sizes:
        raise GraphError(f"{kind} {name!r}: no dimension {along!r} among {' '.join(sizes)}")
    others = tuple(d for d in sizes if d != along)
    features = features or along
    out = sized_tensor(f"{name}.out", " ".join(sizes), sizes)
    parameters = tuple(Tensor(f"{name}.{p}", (sizes[features],)) for p in ("scale", "shift"))
    gradient = Reduction(tile=(along,), over=others, scale=2, prototype=True)
    layer = Layer(
        name,
        kind,
        dimensions(sizes),
        inputs=(access(x, " ".join(sizes)),),
        outputs=(access(out, " ".join(sizes)),),
        parameters=tuple(access(p, features, gradient) for p in parameters),
        work=(Work(tuple(sizes), 16),),
        messages=(AllReduce(tile=others, over=(along,), scale=4),),
    )
    return Operation(layer, (out,), parameters)


def batch_normalization(
    name: str, inputs: Sequence[Tensor], *, fused: Sequence[str] = ()
) -> Operation:
    """Normalise each channel over batch and positions: 16 FLOP per element.

    Two sums per channel forward (mean, variance) and two backward are reduced over the splits of
    every other dimension; so are the gradients of scale and shift.
    """
    (x,) = inputs
    sizes = _named(x, "")
    channel = tuple(sizes)[1]
    others = tuple(d for d in sizes if d != channel)
    axes = " ".join(sizes)
    out = sized_tensor(f"{name}.out", axes, sizes)
    parameters = tuple(Tensor(f"{name}.{p}", (sizes[channel],)) for p in ("scale", "shift"))
    layer = Layer(
        name,
        "batch normalization",
        dimensions(sizes),
        inputs=(access(x, axes),),
        outputs=(access(out, axes),),
        parameters=tuple(access(p, channel) for p in parameters),
        work=(Work(tuple(sizes), 16 + 3 * len(fused)),),
        messages=(AllReduce(tile=(channel,), over=others, scale=4),),
        fused=tuple(fused),
    )
    return Operation(layer, (out,), parameters)


def local_response_normalization(name: str, inputs: Sequence[Tensor], *, width: int) -> Operation:
    """Normalise each element by its neighbours along the channels, `width` of them.

    4 FLOP per element and 2 per neighbour (sum of squares forward and backward); parts next to
    each other along the channels exchange a border as wide as the window.
    """
    (x,) = inputs
    sizes = _named(x, "")
    channel = tuple(sizes)[1]
    others = tuple(d for d in sizes if d != channel)
    axes = " ".join(sizes)
    out = sized_tensor(f"{name}.out", axes, sizes)
    layer = Layer(
        name,
        "local response normalization",
        dimensions(sizes),
        inputs=(access(x, axes),),
        outputs=(access(out, axes),),
        work=(Work(tuple(sizes), 4 + 2 * width),),
        messages=(Halo(tile=others, windows=(Window(channel, sizes[channel], width),)),),
    )
    return Operation(layer, (out,))


def mean(
    name: str,
    inputs: Sequence[Tensor],
    *,
    over: Sequence[str],
    axes: str = "",
    keep: bool = False,
    kind: str = "mean",
) -> Operation:
    """Average over dimensions; the partial results are reduced over their splits.

    The prototype counts no arithmetic, and the reduction of the local input, not of the result.
    """
    (x,) = inputs
    sizes = _named(x, axes)
    kept = [d for d in sizes if d not in over]
    if len(kept) + len(over) != len(sizes):
        raise GraphError(f"{kind} {name!r}: {' '.join(over)} are not all among {' '.join(sizes)}")
    result = " ".join("-" if d in over else d for d in sizes) if keep else " ".join(kept)
    out = sized_tensor(f"{name}.out", result, sizes)
    layer = Layer(
        name,
        kind,
        dimensions(sizes),
        inputs=(access(x, " ".join(sizes)),),
        outputs=(access(out, result, Reduction(tuple(sizes), tuple(over), prototype=True)),),
    )
    return Operation(layer, (out,))


def softmax(name: str, inputs: Sequence[Tensor], *, along: str, axes: str = "") -> Operation:
    """Softmax along a dimension x: 4 + x FLOP per element, as the prototype counts it.

    Row maxima and sums are reduced along x, and backward a row of the full x. Several dimensions
    in `along`, as in `"c h w"`, are one long row.
    """
    (x,) = inputs
    sizes = _named(x, axes)
    row = tuple(along.split())
    length = math.prod(sizes[d] for d in row)
    others = tuple(d for d in sizes if d not in row)
    out = sized_tensor(f"{name}.out", " ".join(sizes), sizes)
    layer = Layer(
        name,
        "softmax",
        dimensions(sizes),
        inputs=(access(x, " ".join(sizes)),),
        outputs=(access(out, " ".join(sizes)),),
        work=(Work(tuple(sizes), 4), Work(tuple(sizes), length, prototype=True)),
        messages=(
            AllReduce(tile=others, over=row, scale=2),
            AllReduce(tile=others, over=row, scale=length, prototype=True),
        ),
    )
    return Operation(layer, (out,))


def cross_entropy(name: str, inputs: Sequence[Tensor], *, axes: str = "") -> Operation:
    """Softmax and cross entropy over the last dimension: the loss.

    4 FLOP per element and 2 per row; if the classes are split, 2 words per row are exchanged.
    """
    (x,) = inputs
    sizes = _named(x, axes)
    *rows, classes = sizes
    layer = Layer(
        name,
        "softmax cross entropy",
        dimensions(sizes),
        inputs=(access(x, " ".join(sizes)),),
        work=(Work(tuple(sizes), 4), Work(tuple(rows), 2)),
        messages=(Exchange(tile=tuple(rows), over=(classes,), scale=2),),
    )
    return Operation(layer, ())
