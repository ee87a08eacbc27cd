"""Change a layer after it was made: fuse what follows it, make operands trained, tie weights."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace

from pase_core.errors import GraphError
from pase_core.layers import Tensor, Work
from pase_core.ops.build import Operation, broadcast


def can_fuse(operation: Operation) -> bool:
    """True if a layer has one output, of which its dimensions tell every element apart."""
    if len(operation.outputs) != 1:
        return False
    sizes = dict(zip(operation.layer.dimension_names, operation.layer.sizes, strict=True))
    written = operation.layer.outputs[0].dimensions
    return math.prod(sizes[d] for d in written) == operation.outputs[0].n_elements


def fuse(operation: Operation, kind: str, parameters: Sequence[Tensor] = ()) -> Operation:
    """Compute a pointwise operation in the same pass.

    It costs three FLOP per element of the result behind a matrix product or trained layer, and one
    behind any other, as `matrix_work` and `elementwise` count them.

    Args:
        operation: a layer for which `can_fuse` holds.
        kind: what is fused, such as `relu`; empty for a bias, which counts as no operation.
        parameters: trained operands, which broadcast to the layer's result.

    Raises:
        GraphError: if a parameter does not broadcast.
    """
    layer = operation.layer
    (written,), (out,) = layer.outputs, operation.outputs
    reads = tuple(broadcast(parameter, written.axes, out.sizes) for parameter in parameters)
    heavy = layer.parameters or any(work.unit == "multiply_add" for work in layer.work)
    fused = (kind,) if kind else ()
    more = (Work(written.dimensions, 3 if heavy else 1),) if kind else ()
    return replace(
        operation,
        layer=replace(
            layer,
            fused=layer.fused + fused,
            parameters=layer.parameters + reads,
            work=_merged(layer.work + more),
        ),
    )


def _merged(work: tuple[Work, ...]) -> tuple[Work, ...]:
    """Add up work of one unit over the same dimensions."""
    counts: dict[tuple[tuple[str, ...], str], Work] = {}
    for term in work:
        key = (term.over, term.unit)
        before = counts[key].count if key in counts else 0
        counts[key] = replace(term, count=before + term.count)
    return tuple(counts.values())


def train_inputs(operation: Operation, weights: Collection[str]) -> Operation:
    """Make the inputs with these names parameters, as the shift of an addition may be."""
    layer = operation.layer
    trained = tuple(read for read in layer.inputs if read.tensor in weights)
    if not trained:
        return operation
    return replace(
        operation,
        layer=replace(
            layer,
            inputs=tuple(read for read in layer.inputs if read.tensor not in weights),
            parameters=layer.parameters + trained,
        ),
    )


def tie(operation: Operation, shared: Tensor) -> Operation:
    """Train a tensor that other layers train too in place of the first one of its own.

    Raises:
        GraphError: if their sizes differ.
    """
    own, *more = operation.parameters
    if own.sizes != shared.sizes:
        raise GraphError(
            f"layer {operation.layer.name!r} trains {own.sizes} numbers and cannot share "
            f"{shared.name!r}, which has sizes {shared.sizes}"
        )
    first, *rest = operation.layer.parameters
    layer = replace(operation.layer, parameters=(replace(first, tensor=shared.name), *rest))
    return replace(operation, layer=layer, parameters=tuple(more))
