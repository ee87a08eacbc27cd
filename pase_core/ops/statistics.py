"""Normalisation by statistics of any part of a tensor: layer, RMS, instance and group norm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pase_core.axes import parse_axes
from pase_core.errors import GraphError
from pase_core.layers import Layer, Tensor, Work
from pase_core.messages import AllReduce
from pase_core.ops.build import Operation, access, dimensions, sized_tensor


def statistics_normalization(
    name: str,
    inputs: Sequence[Tensor],
    *,
    sizes: dict[str, int],
    over: Sequence[str],
    axes: str,
    parameters: Sequence[str] = (),
    kind: str = "normalization",
) -> Operation:
    """Normalise over some dimensions: 16 FLOP per element, as the prototype counts it.

    Two sums forward (mean, variance) and two backward per point of the dimensions left are
    reduced over the splits of `over`.

    Args:
        name: the layer's name.
        inputs: one tensor.
        sizes: sizes of the dimensions, in the order of the tensor.
        over: dimensions that share one mean and one variance.
        axes: the tensor's axes; `"b (g c) h w"` for groups of channels.
        parameters: axes of each trained tensor, such as `("c", "c")` for scale and shift.
        kind: what to call it.

    Raises:
        GraphError: if the axes do not fit the tensor.
    """
    (x,) = inputs
    out = sized_tensor(f"{name}.out", axes, sizes)
    if out.sizes != x.sizes:
        raise GraphError(f"{kind} {name!r}: axes {axes} have sizes {out.sizes}, not {x.sizes}")
    names = ("scale", "shift")[: len(parameters)]
    trained = tuple(
        sized_tensor(f"{name}.{p}", text, sizes) for p, text in zip(names, parameters, strict=True)
    )
    rest = tuple(d for d in sizes if d not in over)
    groups = tuple(axis.dimensions for axis in parse_axes(axes) if len(axis.dimensions) > 1)
    layer = Layer(
        name,
        kind,
        dimensions(sizes),
        inputs=(access(x, axes),),
        outputs=(access(out, axes),),
        parameters=tuple(access(p, text) for p, text in zip(trained, parameters, strict=True)),
        work=(Work(tuple(sizes), 16),),
        messages=(AllReduce(tile=rest, over=tuple(over), scale=4),),
        row_major=groups,
    )
    return Operation(layer, (out,), trained)


def rms_normalization(name: str, inputs: Sequence[Tensor], *, axes: str) -> Operation:
    """Divide by the root of the mean square over the last dimension, then scale.

    As `statistics_normalization`, but one sum forward and one backward: there is no mean, and no
    shift.
    """
    (x,) = inputs
    names = axes.split()
    made = statistics_normalization(
        name,
        inputs,
        sizes=dict(zip(names, x.sizes, strict=False)),
        over=names[-1:],
        axes=axes,
        parameters=names[-1:],
        kind="RMS normalization",
    )
    reduced = AllReduce(tile=tuple(names[:-1]), over=(names[-1],), scale=2)
    return replace(made, layer=replace(made.layer, messages=(reduced,)))
