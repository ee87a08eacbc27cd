"""The Transformer for translation: six encoder and six decoder layers."""

from pase_core.builder import GraphBuilder
from pase_core.graph import Graph
from pase_core.layers import Tensor

LAYERS, WIDTH, HEADS, HEAD, HIDDEN, VOCABULARY, STEPS = 6, 512, 8, 64, 2048, 50_000, 256


def transformer(batch: int = 64) -> Graph:
    """Build the graph for a batch of sentence pairs of 256 words each."""
    build = GraphBuilder("transformer", note="Vaswani et al. 2017, base model, 50,000 words")
    encoded = _embed(build, "encoder", batch)
    for i in range(1, LAYERS + 1):
        scope = f"encoder/{i}"
        encoded = _attend(build, f"{scope}/attention", encoded)
        encoded = _feed_forward(build, f"{scope}/feed_forward", encoded)
    x = _embed(build, "decoder", batch)
    for i in range(1, LAYERS + 1):
        scope = f"decoder/{i}"
        x = _attend(build, f"{scope}/attention", x)
        x = _attend(build, f"{scope}/cross_attention", x, memory=encoded)
        x = _feed_forward(build, f"{scope}/feed_forward", x)
    x = build.layer(
        "einsum",
        "head/fc",
        x,
        equation="b s d, d v -> b s v",
        weight={"v": VOCABULARY, "d": WIDTH},
        kind="fully connected",
    )
    build.layers("cross_entropy", "head/loss", x, axes="b s v")
    return build.graph()


def _embed(build: GraphBuilder, scope: str, batch: int) -> Tensor:
    words = build.input(f"{scope}/words", (batch, STEPS))
    x = build.layer("embedding", f"{scope}/embedding", words, vocabulary=VOCABULARY, width=WIDTH)
    return build.layer("elementwise", f"{scope}/positions", x, kind="add")


def _add_and_norm(build: GraphBuilder, scope: str, x: Tensor, y: Tensor) -> Tensor:
    x = build.layer("elementwise", f"{scope}/add", x, y, kind="add")
    return build.layer("normalization", f"{scope}/norm", x, along="d", kind="layer normalization")


def _attend(build: GraphBuilder, scope: str, x: Tensor, memory: Tensor | None = None) -> Tensor:
    """Attention: q (queries, keys, values) b h (heads) s t (steps) c (head width) d (width)."""
    source, equation = x, "b s d, q h c d -> q b h s c"
    if memory is not None:
        source = build.layer("stack", f"{scope}/stack", x, memory, memory, new="q")
        equation = "q b s d, q h c d -> q b h s c"
    weight = {"q": 3, "h": HEADS, "c": HEAD, "d": WIDTH}
    qkv = build.layer("einsum", f"{scope}/qkv", source, equation=equation, weight=weight)
    q, k, v = build.layers("unstack", f"{scope}/unstack", qkv, axes="q b h s c")
    y = build.layer("einsum", f"{scope}/scores", q, k, equation="b h s c, b h t c -> b h s t")
    y = build.layer("softmax", f"{scope}/softmax", y, along="t", axes="b h s t")
    y = build.layer("einsum", f"{scope}/values", y, v, equation="b h s t, b h t c -> b h s c")
    y = build.layer(
        "einsum",
        f"{scope}/project",
        y,
        equation="b h s c, h c d -> b s d",
        weight={"h": HEADS, "c": HEAD, "d": WIDTH},
    )
    return _add_and_norm(build, scope, x, y)


def _feed_forward(build: GraphBuilder, scope: str, x: Tensor) -> Tensor:
    weight = {"d": WIDTH, "e": HIDDEN}
    y = build.layer(
        "einsum",
        f"{scope}/expand",
        x,
        equation="b s d, d e -> b s e",
        weight=weight,
        fused=("relu", "dropout"),
    )
    y = build.layer("einsum", f"{scope}/shrink", y, equation="b s e, e d -> b s d", weight=weight)
    return _add_and_norm(build, scope, x, y)
