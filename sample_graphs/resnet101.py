"""ResNet-101: bottleneck blocks of three convolutions, each with a batch norm of its own."""

from collections.abc import Sequence
from typing import Protocol

from pase_core.builder import GraphBuilder
from pase_core.graph import Graph
from pase_core.layers import Tensor

STAGES = ((64, 3, 1), (128, 4, 2), (256, 23, 2), (512, 3, 2))
"""Width, blocks and stride of each stage."""


class Convolve(Protocol):
    """Adds a convolution and its normalisation under one scope."""

    def __call__(
        self, build: GraphBuilder, scope: str, x: Tensor, n: int, kernel: int, stride: int = 1
    ) -> Tensor:
        """Return the normalised tensor."""


def resnet101(batch: int = 128) -> Graph:
    """Build the graph for a batch of 227 x 227 images."""
    build = GraphBuilder("resnet101", note="He et al. 2016, 227 x 227 images, 1000 classes")
    x = build.input("images", (batch, 3, 227, 227))
    x = bottlenecks(build, x, STAGES, _convolve)
    x = build.layer("mean", "head/mean", x, over=("h", "w"))
    x = build.layer("fully_connected", "head/fc", x, n=1000)
    build.layers("cross_entropy", "head/loss", x)
    return build.graph()


def _convolve(
    build: GraphBuilder, scope: str, x: Tensor, n: int, kernel: int, stride: int = 1
) -> Tensor:
    x = build.layer(
        "convolution",
        f"{scope}/conv",
        x,
        n=n,
        kernel=(kernel, kernel),
        stride=stride,
        padding="same",
    )
    return build.layer(
        "normalization", f"{scope}/norm", x, along="b", features="c", kind="batch normalization"
    )


def bottlenecks(
    build: GraphBuilder, x: Tensor, stages: Sequence[tuple[int, int, int]], convolve: Convolve
) -> Tensor:
    """Add the stem and the blocks of all stages, each with its convolutions."""
    x = convolve(build, "stem", x, 64, 7, 2)
    x = build.layer("pooling", "stem/pool", x, kernel=(3, 3), stride=2, padding="same")
    for stage, (width, blocks, stride) in enumerate(stages, 1):
        for block in range(blocks):
            scope = f"stage{stage}/block{block + 1}"
            y = _bottleneck(build, scope, x, (width, stride if block == 0 else 1), convolve)
            x = _add(build, scope, x, y, convolve)
    return x


def _bottleneck(
    build: GraphBuilder, scope: str, x: Tensor, size: tuple[int, int], convolve: Convolve
) -> Tensor:
    """Three convolutions, of which the second has the stride."""
    width, stride = size
    y = convolve(build, f"{scope}/a", x, width, 1)
    y = convolve(build, f"{scope}/b", y, width, 3, stride)
    return convolve(build, f"{scope}/c", y, 4 * width, 1)


def _add(build: GraphBuilder, scope: str, x: Tensor, y: Tensor, convolve: Convolve) -> Tensor:
    """The sum with the block's input, projected where sizes change."""
    if x.sizes != y.sizes:
        stride = -(-x.sizes[2] // y.sizes[2])
        x = convolve(build, f"{scope}/project", x, y.sizes[1], 1, stride)
        return build.layer("elementwise", f"{scope}/add", y, x, kind="add", fused=("relu",))
    return build.layer("elementwise", f"{scope}/add", x, y, kind="add", fused=("relu",))
