"""Operations with sliding windows: convolution and pooling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pase_core.errors import GraphError
from pase_core.layers import Layer, Reduction, Tensor, Work
from pase_core.messages import Halo, Window
from pase_core.ops.build import (
    Operation,
    access,
    check_rank,
    dimensions,
    matrix_work,
    shift_access,
    sized_tensor,
)

Padding = Literal["same", "valid"] | tuple[int, int]
"""`same`, `valid`, or how many elements are added before and after together, per axis."""


def window_positions(size: int, width: int, stride: int, padding: str | int) -> int:
    """Count the positions of a window along one axis.

    Args:
        size: elements of the axis.
        width: elements under the window.
        stride: step between positions.
        padding: `same`, `valid` or the elements added at both ends together.

    Raises:
        GraphError: if the window does not fit.
    """
    if padding == "same":
        return -(-size // stride)
    added = 0 if padding == "valid" else int(padding)
    positions = (size + added - width) // stride + 1
    if positions < 1:
        raise GraphError(
            f"a window of {width} does not fit on {size} elements with {added} added; "
            "use a smaller window or more padding"
        )
    return positions


@dataclass(frozen=True, slots=True)
class Kernel:
    """A window that slides along one to three spatial axes.

    Attributes:
        widths: elements under the window, per axis.
        positions: of the window, per axis: the sizes of the result.
    """

    widths: tuple[int, ...]
    positions: tuple[int, ...]

    @property
    def position_names(self) -> tuple[str, ...]:
        """Names of the dimensions along which it slides."""
        return ("z", "h", "w") if len(self.widths) == 3 else ("h", "w")[: len(self.widths)]

    @property
    def width_names(self) -> tuple[str, ...]:
        """Names of the dimensions under it."""
        return ("q", "r", "s") if len(self.widths) == 3 else ("r", "s")[: len(self.widths)]


def image_kernel(x: Tensor, widths: tuple[int, int], stride: int, padding: Padding) -> Kernel:
    """A window that slides over an image b x c x height x width.

    Raises:
        GraphError: if it does not fit.
    """
    per_axis = (padding, padding) if isinstance(padding, str) else padding
    positions = (
        window_positions(size, width, stride, pad)
        for size, width, pad in zip(x.sizes[2:], widths, per_axis, strict=True)
    )
    return Kernel(widths, tuple(positions))


def convolution(
    name: str,
    inputs: Sequence[Tensor],
    *,
    n: int,
    kernel: tuple[int, int],
    stride: int = 1,
    padding: Padding = "valid",
    fused: Sequence[str] = (),
) -> Operation:
    """Convolve an image b x c x height x width with n kernels; see `convolution_of_size`."""
    (x,) = inputs
    check_rank("convolution", name, x, (4,))
    slid = image_kernel(x, kernel, stride, padding)
    return convolution_of_size(name, x, slid, n=n, fused=fused)


def convolution_of_size(
    name: str,
    x: Tensor,
    kernel: Kernel,
    *,
    n: int,
    groups: int = 1,
    bias: bool = False,
    fused: Sequence[str] = (),
) -> Operation:
    """Convolve in one to three spatial axes; dimensions b c h w n r s (g in front if grouped).

    c and n are channels per group; h and w are output sizes and never split. A matrix product
    with m = b h w, n = n, k = c r s and batch g; the operand that is reduced is the image as the
    product sees it, once per kernel position (im2col).
    """
    spatial, reach = kernel.position_names, kernel.width_names
    sizes = {"b": x.sizes[0], "c": x.sizes[1] // groups}
    sizes |= dict(zip(spatial, kernel.positions, strict=True))
    sizes |= {"n": n // groups} | dict(zip(reach, kernel.widths, strict=True))
    if groups > 1:
        sizes = {"b": sizes["b"], "g": groups} | sizes
    channels, features = ("(g c)", "(g n)") if groups > 1 else ("c", "n")
    batch = ("g",) if groups > 1 else ()
    out = sized_tensor(f"{name}.out", f"b {features} {' '.join(spatial)}", sizes)
    weight = sized_tensor(f"{name}.weight", f"{features} c {' '.join(reach)}", sizes)
    shift = (sized_tensor(f"{name}.bias", features, sizes),) if bias else ()
    image = " ".join(f"~{d}" for d in spatial)
    seen = Reduction(tile=(*batch, "b", *spatial, "c", *reach), over=("n",), prototype=True)
    layer = Layer(
        name,
        "convolution",
        dimensions(sizes, unsplittable=spatial),
        inputs=(access(x, f"b {channels} {image}", seen),),
        outputs=(access(out, f"b {features} {' '.join(spatial)}"),),
        parameters=(
            access(weight, f"{features} c {' '.join(reach)}"),
            *(shift_access(b, features, f"b {features} {' '.join(spatial)}") for b in shift),
        ),
        work=matrix_work(tuple(sizes), (*batch, "b", *spatial, "n"), len(fused)),
        row_major=(("g", "c"), ("g", "n")) if groups > 1 else (),
        fused=tuple(fused),
    )
    return Operation(layer, (out,), (weight, *shift))


def pooling(
    name: str,
    inputs: Sequence[Tensor],
    *,
    kernel: tuple[int, int],
    stride: int = 1,
    padding: Padding = "valid",
    kind: str = "max",
) -> Operation:
    """Pool windows of an image; see `pooling_of_size`."""
    (x,) = inputs
    check_rank("pooling", name, x, (4,))
    return pooling_of_size(name, x, image_kernel(x, kernel, stride, padding), kind=kind)


def pooling_of_size(name: str, x: Tensor, kernel: Kernel, *, kind: str = "max") -> Operation:
    """Pool in one to three spatial axes; dimensions b c h w, h and w the output sizes.

    One FLOP per output element; parts next to each other exchange a border as wide as the window.
    """
    spatial = kernel.position_names
    sizes = {"b": x.sizes[0], "c": x.sizes[1]} | dict(zip(spatial, kernel.positions, strict=True))
    axes = " ".join(sizes)
    out = sized_tensor(f"{name}.out", axes, sizes)
    windows = tuple(
        Window(d, extent, width)
        for d, extent, width in zip(spatial, x.sizes[2:], kernel.widths, strict=True)
    )
    layer = Layer(
        name,
        f"{kind} pooling",
        dimensions(sizes),
        inputs=(access(x, "b c " + " ".join(f"~{d}" for d in spatial)),),
        outputs=(access(out, axes),),
        work=(Work(tuple(sizes), 1),),
        messages=(Halo(tile=("b", "c"), windows=windows),),
    )
    return Operation(layer, (out,))
