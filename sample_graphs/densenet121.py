"""DenseNet-121: in each of four blocks, every layer reads the outputs of all earlier layers."""

from pase_core.builder import GraphBuilder
from pase_core.graph import Graph
from pase_core.layers import Tensor

GROWTH, BOTTLENECK, STEM = 32, 4 * 32, 64
"""Channels that a dense layer adds, channels of its 1 x 1 convolution, channels of the stem."""

BLOCKS = ((6,), (12,), (12, 12), (16,))
"""Dense layers of each block; the longest has two scopes, so that a picture can show it as two."""


def densenet121(batch: int = 128) -> Graph:
    """Build the graph for a batch of 224 x 224 images.

    A concatenation reads the block's input and every earlier output itself, not a shorter
    concatenation and one more output: so an output has as many readers as layers follow it.
    """
    build = GraphBuilder("densenet121", note="Huang et al. 2017, 224 x 224 images, 1000 classes")
    x = build.input("images", (batch, 3, 224, 224))
    x = _convolve(build, "stem", x, STEM, 7, stride=2)
    x = _normalise(build, "stem", x)
    x = build.layer("pooling", "stem/pool", x, kernel=(3, 3), stride=2, padding="same")
    for block, scopes in enumerate(BLOCKS, 1):
        x = _dense_block(build, f"block{block}", x, scopes)
        if block < len(BLOCKS):
            x = _transition(build, f"transition{block}", x)
    x = _normalise(build, "head", x)
    x = build.layer("mean", "head/mean", x, over=("h", "w"))
    x = build.layer("fully_connected", "head/fc", x, n=1000, bias=True)
    build.layers("cross_entropy", "head/loss", x)
    return build.graph()


def _convolve(
    build: GraphBuilder, scope: str, x: Tensor, n: int, kernel: int, stride: int = 1
) -> Tensor:
    return build.layer(
        "convolution",
        f"{scope}/conv",
        x,
        n=n,
        kernel=(kernel, kernel),
        stride=stride,
        padding="same",
    )


def _normalise(build: GraphBuilder, scope: str, x: Tensor) -> Tensor:
    return build.layer("batch_normalization", f"{scope}/norm", x, fused=("relu",))


def _dense_block(build: GraphBuilder, scope: str, x: Tensor, scopes: tuple[int, ...]) -> Tensor:
    """Join the block's input and the outputs of all layers, each of which has read those before."""
    parts = [x]
    for number, n_layers in enumerate(scopes, 1):
        inner = f"{scope}/part{number}" if len(scopes) > 1 else scope
        for _ in range(n_layers):
            parts.append(_dense_layer(build, f"{inner}/layer{len(parts)}", parts))
    return build.layer("concat", f"{scope}/concat", *parts, axis=1)


def _dense_layer(build: GraphBuilder, scope: str, parts: list[Tensor]) -> Tensor:
    """Normalise before convolving, first 1 x 1 to fewer channels, then 3 x 3."""
    x = parts[0]
    if len(parts) > 1:
        x = build.layer("concat", f"{scope}/concat", *parts, axis=1)
    x = _convolve(build, f"{scope}/a", _normalise(build, f"{scope}/a", x), BOTTLENECK, 1)
    return _convolve(build, f"{scope}/b", _normalise(build, f"{scope}/b", x), GROWTH, 3)


def _transition(build: GraphBuilder, scope: str, x: Tensor) -> Tensor:
    """Halve the channels and the sides of the image."""
    x = _convolve(build, scope, _normalise(build, scope, x), x.sizes[1] // 2, 1)
    return build.layer("pooling", f"{scope}/pool", x, kernel=(2, 2), stride=2, kind="average")
