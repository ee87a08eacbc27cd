"""Vision transformer (base, patches of 16 x 16): an image as a text of 196 patches."""

from __future__ import annotations

from pase_core.builder import GraphBuilder
from pase_core.graph import Graph
from pase_core.layers import Tensor
from pase_core.ops import OPS
from pase_core.ops.convolution import Kernel, convolution_of_size
from pase_core.ops.fusing import fuse
from sample_graphs.blocks import Heads, add, attend, feed_forward, layer_norm

BLOCKS, WIDTH, HEADS, HIDDEN, PATCH, SIDE, CLASSES = 12, 768, 12, 3072, 16, 14, 1000


def vit_b16(batch: int = 128) -> Graph:
    """Build the graph for a batch of 224 x 224 images."""
    build = GraphBuilder("vit_b16", note="Dosovitskiy et al. 2020, 224 x 224 images, 1000 classes")
    x = _patches(build, build.input("images", (batch, 3, SIDE * PATCH, SIDE * PATCH)))
    positions = build.parameter("embed/positions.table", x.sizes[1:])
    x = add(build, "embed", x, trained=positions)
    heads = Heads(HEADS, WIDTH // HEADS, bias=True)
    for i in range(1, BLOCKS + 1):
        scope = f"block/{i}/attention"
        x = add(build, scope, x, attend(build, scope, layer_norm(build, scope, x), heads))
        scope = f"block/{i}/mlp"
        y = layer_norm(build, scope, x)
        x = add(build, scope, x, feed_forward(build, scope, y, HIDDEN, "gelu"))
    x = layer_norm(build, "head", x)
    x = build.layer("resize_axes", "head/class_token", x, sizes=(batch, 1, WIDTH))
    x = build.layer("reshape", "head/rows", x, sizes=(batch, WIDTH))
    x = build.layer("fully_connected", "head/fc", x, n=CLASSES, bias=True)
    build.layers("cross_entropy", "head/loss", x)
    return build.graph()


def _patches(build: GraphBuilder, images: Tensor) -> Tensor:
    """One vector per patch, and a trained one, the class token, in front of them."""
    batch, n = images.sizes[0], SIDE * SIDE
    kernel = Kernel((PATCH, PATCH), (SIDE, SIDE))
    made = convolution_of_size("embed/patches", images, kernel, n=WIDTH, bias=True)
    (x,) = build.add(made)
    x = build.layer("reshape", "embed/rows", x, sizes=(batch, WIDTH, n))
    x = build.layer("transpose", "embed/transpose", x, order=(0, 2, 1))
    token = build.parameter("embed/class_token.vector", (WIDTH,))
    longer = OPS["resize_axes"](
        "embed/class_token", (x,), sizes=(batch, n + 1, WIDTH), kind="class token in front"
    )
    (x,) = build.add(fuse(longer, "", (token,)))
    return x
