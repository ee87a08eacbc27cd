"""Layers that the networks for images share."""

from collections.abc import Sequence

from pase_core.builder import GraphBuilder
from pase_core.layers import Tensor
from pase_core.ops.convolution import convolution_of_size, image_kernel


def convolve(
    build: GraphBuilder,
    name: str,
    x: Tensor,
    n: int,
    *,
    kernel: int = 3,
    stride: int = 1,
    fused: Sequence[str] = (),
) -> Tensor:
    """Convolve with square kernels and a shift, padded so that only the stride shrinks sides."""
    slid = image_kernel(x, (kernel, kernel), stride, "same")
    (out,) = build.add(convolution_of_size(name, x, slid, n=n, bias=True, fused=fused))
    return out
