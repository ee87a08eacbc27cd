"""VGG-16: thirteen 3 x 3 convolutions in five blocks and three fully connected layers."""

from pase_core.builder import GraphBuilder
from pase_core.graph import Graph
from sample_graphs.images import convolve

BLOCKS = ((64, 64), (128, 128), (256, 256, 256), (512, 512, 512), (512, 512, 512))
"""Channels of each convolution; every block ends in a pooling that halves the sides."""


def vgg16(batch: int = 128) -> Graph:
    """Build the graph for a batch of 224 x 224 images."""
    build = GraphBuilder("vgg16", note="Simonyan and Zisserman 2015, configuration D, 1000 classes")
    relu = ("relu",)
    x = build.input("images", (batch, 3, 224, 224))
    for block, widths in enumerate(BLOCKS, 1):
        for i, n in enumerate(widths, 1):
            x = convolve(build, f"block{block}/conv{i}", x, n, fused=relu)
        x = build.layer("pooling", f"block{block}/pool", x, kernel=(2, 2), stride=2)
    x = build.layer("reshape", "head/rows", x, sizes=(batch, x.n_elements // batch))
    x = build.layer("fully_connected", "head/fc1", x, n=4096, bias=True, fused=relu)
    x = build.layer("fully_connected", "head/fc2", x, n=4096, bias=True, fused=relu)
    x = build.layer("fully_connected", "head/fc3", x, n=1000, bias=True)
    build.layers("cross_entropy", "head/loss", x)
    return build.graph()
