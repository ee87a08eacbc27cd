"""What every operation's function returns, and the few pieces that they share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pase_core.axes import Axis, parse_axes
from pase_core.errors import GraphError
from pase_core.layers import Access, Dimension, Layer, Reduction, Tensor, Work


@dataclass(frozen=True, slots=True)
class Operation:
    """A layer and the tensors that come into being with it.

    Attributes:
        layer: the layer.
        outputs: tensors that it writes.
        parameters: tensors that it trains.
    """

    layer: Layer
    outputs: tuple[Tensor, ...]
    parameters: tuple[Tensor, ...] = ()


def dimensions(sizes: dict[str, int], unsplittable: Sequence[str] = ()) -> tuple[Dimension, ...]:
    """Make dimensions from names and sizes, in the order given."""
    return tuple(Dimension(name, size, name not in unsplittable) for name, size in sizes.items())


def access(tensor: Tensor, axes: str, reduction: Reduction | None = None) -> Access:
    """Describe an access in axis notation."""
    return Access(tensor.name, parse_axes(axes), reduction)


def shift_access(tensor: Tensor, axes: str, result: str) -> Access:
    """Describe the access to a trained shift that is added to the result of a product.

    It is added once the sums are complete, so its gradient is summed over what it lacks of the
    result, and over nothing that the product sums over.
    """
    tile = [name for axis in parse_axes(axes) for name in axis.dimensions]
    whole = [name for axis in parse_axes(result) for name in axis.dimensions]
    over = tuple(name for name in whole if name not in tile)
    return access(tensor, axes, Reduction(tuple(tile), over))


def broadcast(tensor: Tensor, axes: Sequence[Axis], sizes: Sequence[int]) -> Access:
    """Describe the access to a tensor that is broadcast to axes of these sizes, as NumPy does it.

    The tensor may lack leading axes and have size 1 along others.

    Raises:
        GraphError: if it has more axes or other sizes.
    """
    n_missing = len(sizes) - len(tensor.sizes)
    rest = tuple(sizes)[max(0, n_missing) :]
    if n_missing < 0 or any(
        size not in (1, full) for size, full in zip(tensor.sizes, rest, strict=True)
    ):
        raise GraphError(
            f"{tensor.name!r} has sizes {tensor.sizes}, which do not broadcast to {tuple(sizes)}"
        )
    cut = zip(axes[n_missing:], tensor.sizes, rest, strict=True)
    return Access(tensor.name, tuple(axis if size == full else Axis() for axis, size, full in cut))


def sized_tensor(name: str, axes: str, sizes: dict[str, int]) -> Tensor:
    """Make the tensor whose axes have the sizes of the dimensions in axis notation."""
    return Tensor(
        name,
        tuple(math.prod(sizes[d] for d in axis.dimensions) for axis in parse_axes(axes)),
    )


def matrix_work(points: Sequence[str], result: Sequence[str], n_fused: int) -> tuple[Work, ...]:
    """Work of a matrix product and of the pointwise operations fused behind it.

    Three products of the same size: forward, and one for the gradient of each operand. A fused
    operation costs three FLOP per element of the result.
    """
    product = Work(tuple(points), 3, "multiply_add")
    return (product, Work(tuple(result), 3 * n_fused)) if n_fused else (product,)


def check_rank(operation: str, name: str, tensor: Tensor, allowed: Sequence[int]) -> None:
    """Raise GraphError unless the tensor has one of the allowed numbers of axes."""
    if len(tensor.sizes) not in allowed:
        raise GraphError(
            f"{operation} {name!r}: input {tensor.name!r} has sizes {tensor.sizes}; "
            f"allowed are {' or '.join(map(str, allowed))} axes"
        )


def axis_names(n_axes: int) -> tuple[str, ...]:
    """Names for the axes of a tensor that only has positions: batch first.

    Four axes are an image's b c h w, three a sequence's b s d, two b n.
    """
    usual = {1: "b", 2: "b n", 3: "b s d", 4: "b c h w", 5: "b c t h w"}
    if n_axes in usual:
        return tuple(usual[n_axes].split())
    return ("b", *(f"x{i}" for i in range(1, n_axes)))
