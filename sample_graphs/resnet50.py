"""ResNet-50: bottleneck blocks as in ResNet-101, batch norms with the statistics of a channel."""

from pase_core.builder import GraphBuilder
from pase_core.graph import Graph
from pase_core.layers import Tensor
from sample_graphs.resnet101 import bottlenecks

STAGES = ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2))
"""Width, blocks and stride of each stage."""


def resnet50(batch: int = 256) -> Graph:
    """Build the graph for a batch of 224 x 224 images."""
    build = GraphBuilder("resnet50", note="He et al. 2016, 224 x 224 images, 1000 classes")
    x = build.input("images", (batch, 3, 224, 224))
    x = bottlenecks(build, x, STAGES, _convolve)
    x = build.layer("mean", "head/mean", x, over=("h", "w"))
    x = build.layer("fully_connected", "head/fc", x, n=1000, bias=True)
    build.layers("cross_entropy", "head/loss", x)
    return build.graph()


def _convolve(
    build: GraphBuilder, scope: str, x: Tensor, n: int, kernel: int, stride: int = 1
) -> Tensor:
    """Convolve and normalise; the last of a block and a projection are rectified after the sum."""
    x = build.layer(
        "convolution",
        f"{scope}/conv",
        x,
        n=n,
        kernel=(kernel, kernel),
        stride=stride,
        padding="same",
    )
    fused = () if scope.endswith(("/c", "/project")) else ("relu",)
    return build.layer("batch_normalization", f"{scope}/norm", x, fused=fused)
