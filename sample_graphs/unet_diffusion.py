"""The U-Net of Stable Diffusion v1: it predicts the noise in a latent image, given a text.

Four levels down and four up, 64 x 64 to 8 x 8; every output of the way down is read again on the
way up, the last first. Channels come before positions throughout: b (batch) d (channels) s
(positions), n (heads) k (head width) t (positions or words attended to), f (hidden units).
"""

from pase_core.builder import GraphBuilder
from pase_core.graph import Graph
from pase_core.layers import Tensor
from pase_core.ops import OPS
from pase_core.ops.fusing import fuse
from sample_graphs.images import convolve

CHANNELS = (320, 640, 1280, 1280)
"""Of each level; all but the last have attention."""

BLOCKS, HEADS, GROUPS = 2, 8, 32
"""Residual blocks per level on the way down (one more on the way up), heads, norm groups."""

TIME, WORDS, TEXT = 1280, 77, 768
"""Width of the time's embedding, words of a text, width of a word."""


def unet_diffusion(batch: int = 64) -> Graph:
    """Build the graph for a batch of 4 x 64 x 64 latent images and texts of 77 words."""
    note = "Rombach et al. 2022, Stable Diffusion v1, latent 64 x 64"
    build = GraphBuilder("unet_diffusion", note=note)
    x = build.input("latent", (batch, 4, 64, 64))
    unet = _UNet(build, _embed_time(build, batch), build.input("text", (batch, WORDS, TEXT)))
    skips = unet.down(convolve(build, "input/conv", x, CHANNELS[0]))
    x = unet.middle(skips[-1])
    x = unet.up(x, skips)
    x = convolve(build, "output/conv", unet.norm("output/norm", x), 4)
    noise = build.input("noise", (batch, 4, 64, 64))
    build.layer("elementwise", "output/loss", x, noise, kind="squared error")
    return build.graph()


def _embed_time(build: GraphBuilder, batch: int) -> Tensor:
    """Two fully connected layers behind the sines and cosines of the time."""
    x = build.input("time", (batch, CHANNELS[0]))
    for name in ("fc1", "fc2"):
        fused = ("silu",)
        x = build.layer("fully_connected", f"time/{name}", x, n=TIME, bias=True, fused=fused)
    return x


class _UNet:
    """Adds blocks that read the time and the text."""

    def __init__(self, build: GraphBuilder, time: Tensor, text: Tensor) -> None:
        self.build, self.time, self.text = build, time, text

    def down(self, x: Tensor) -> list[Tensor]:
        """The outputs of every block and every halving, to be read again on the way up."""
        skips = [x]
        for level, n in enumerate(CHANNELS, 1):
            for i in range(1, BLOCKS + 1):
                skips.append(self.block(f"down{level}/block{i}", skips[-1], n, level))
            if level < len(CHANNELS):
                skips.append(convolve(self.build, f"down{level}/halve", skips[-1], n, stride=2))
        return skips

    def middle(self, x: Tensor) -> Tensor:
        """Two residual blocks around attention."""
        x = self.residual("middle/first", x, CHANNELS[-1])
        x = self.transform("middle/attention", x)
        return self.residual("middle/last", x, CHANNELS[-1])

    def up(self, x: Tensor, skips: list[Tensor]) -> Tensor:
        """Blocks that read the way down, the last output first."""
        unread = list(skips)
        for level in range(len(CHANNELS), 0, -1):
            for i in range(1, BLOCKS + 2):
                scope = f"up{level}/block{i}"
                x = self.build.layer("concat", f"{scope}/concat", x, unread.pop(), axis=1)
                x = self.block(scope, x, CHANNELS[level - 1], level)
            if level > 1:
                x = self.double(f"up{level}/double", x)
        return x

    def double(self, scope: str, x: Tensor) -> Tensor:
        """Repeat every position and convolve."""
        b, n, h, w = x.sizes
        name = f"{scope}/repeat"
        x = self.build.layer("resize_axes", name, x, sizes=(b, n, 2 * h, 2 * w), kind="upsampling")
        return convolve(self.build, f"{scope}/conv", x, n)

    def block(self, scope: str, x: Tensor, n: int, level: int) -> Tensor:
        """A residual block and, but for the lowest level, attention."""
        x = self.residual(f"{scope}/residual", x, n)
        return self.transform(f"{scope}/attention", x) if level < len(CHANNELS) else x

    def norm(self, name: str, x: Tensor, kind: str = "silu") -> Tensor:
        """Normalise groups of channels."""
        b, n, h, w = x.sizes
        made = OPS["statistics_normalization"](
            name,
            (x,),
            sizes={"b": b, "g": GROUPS, "c": n // GROUPS, "h": h, "w": w},
            over=("c", "h", "w"),
            axes="b (g c) h w",
            parameters=("(g c)", "(g c)"),
            kind="group normalization",
        )
        (out,) = self.build.add(fuse(made, kind))
        return out

    def residual(self, scope: str, x: Tensor, n: int) -> Tensor:
        """Two convolutions with the time added between them, and the sum with the input."""
        y = convolve(self.build, f"{scope}/conv1", self.norm(f"{scope}/norm1", x), n)
        weight = {"e": TIME, "n": n, "h": 1, "w": 1}
        equation = "b e, e n h w -> b n h w"
        time = self.linear(f"{scope}/time", self.time, equation, weight, bias="n h w")
        y = self.build.layer("elementwise", f"{scope}/add_time", y, time, kind="add")
        y = convolve(self.build, f"{scope}/conv2", self.norm(f"{scope}/norm2", y), n)
        if x.sizes != y.sizes:
            x = convolve(self.build, f"{scope}/project", x, n, kernel=1)
        return self.build.layer("elementwise", f"{scope}/add", x, y, kind="add")

    def transform(self, scope: str, x: Tensor) -> Tensor:
        """Attention among positions, attention to the text, a gated feed-forward part."""
        b, n, h, w = x.sizes
        y = convolve(self.build, f"{scope}/enter", self.norm(f"{scope}/norm", x, ""), n, kernel=1)
        y = self.build.layer("reshape", f"{scope}/positions", y, sizes=(b, n, h * w))
        y = self.attend(f"{scope}/self", y)
        y = self.attend(f"{scope}/cross", y, self.text)
        y = self.feed_forward(f"{scope}/feed_forward", y)
        y = self.build.layer("reshape", f"{scope}/image", y, sizes=x.sizes)
        y = convolve(self.build, f"{scope}/leave", y, n, kernel=1)
        return self.build.layer("elementwise", f"{scope}/add", x, y, kind="add")

    def layer_norm(self, name: str, x: Tensor) -> Tensor:
        """Normalise the channels of a position."""
        kind = "layer normalization"
        return self.build.layer("normalization", name, x, along="d", axes="b d s", kind=kind)

    def linear(
        self, name: str, x: Tensor, equation: str, weight: dict[str, int], bias: str = ""
    ) -> Tensor:
        """Multiply by a trained matrix."""
        return self.build.layer("einsum", name, x, equation=equation, weight=weight, bias=bias)

    def attend(self, scope: str, x: Tensor, text: Tensor | None = None) -> Tensor:
        """Attention to the positions themselves, or to the text, and the sum with the input."""
        n = x.sizes[1]
        heads = {"n": HEADS, "k": n // HEADS}
        y = self.layer_norm(f"{scope}/norm", x)
        q = self.linear(f"{scope}/q", y, "b d s, d n k -> b n s k", {"d": n} | heads)
        source, axes, width = (y, "b d t", n) if text is None else (text, "b t d", TEXT)
        k, v = (
            self.linear(
                f"{scope}/{part}", source, f"{axes}, d n k -> b n t k", {"d": width} | heads
            )
            for part in "kv"
        )
        score = "b n s k, b n t k -> b n s t"
        y = self.build.layer("einsum", f"{scope}/scores", q, k, equation=score)
        y = self.build.layer("row_softmax", f"{scope}/softmax", y, along="t", axes="b n s t")
        value = "b n s t, b n t k -> b n s k"
        y = self.build.layer("einsum", f"{scope}/values", y, v, equation=value)
        project = "b n s k, n k d -> b d s"
        y = self.linear(f"{scope}/project", y, project, {"d": n} | heads, bias="d")
        return self.build.layer("elementwise", f"{scope}/add", x, y, axes="b d s", kind="add")

    def feed_forward(self, scope: str, x: Tensor) -> Tensor:
        """Half of the hidden units gate the other half; the sum with the input."""
        n = x.sizes[1]
        hidden = {"q": 2, "f": 4 * n}
        y = self.layer_norm(f"{scope}/norm", x)
        name = f"{scope}/expand"
        y = self.linear(name, y, "b d s, d q f -> q b f s", {"d": n} | hidden, bias="q f")
        value, gate = self.build.layers("unstack", f"{scope}/unstack", y, axes="q b f s")
        y = self.build.layer(
            "elementwise", f"{scope}/gate", value, gate, axes="b f s", kind="mul", fused=("gelu",)
        )
        weight = {"f": 4 * n, "d": n}
        y = self.linear(f"{scope}/shrink", y, "b f s, f d -> b d s", weight, bias="d")
        return self.build.layer("elementwise", f"{scope}/add", x, y, axes="b d s", kind="add")
