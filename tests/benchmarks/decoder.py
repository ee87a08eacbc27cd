"""A decoder of the size of LLaMA-3 70B: 80 equal blocks, a thousand layers."""

from __future__ import annotations

from pase_core.builder import GraphBuilder
from pase_core.graph import Graph

WIDTH, HEADS, HEAD, HIDDEN, VOCABULARY, STEPS = 8192, 64, 128, 28_672, 128_256, 4096


def decoder(n_blocks: int, batch: int = 64) -> Graph:
    """Attention and a gated feed-forward part per block, twelve layers in all."""
    build = GraphBuilder("decoder", element_type="bfloat16")
    words = build.input("words", (batch, STEPS))
    x = build.layer("embedding", "embedding", words, vocabulary=VOCABULARY, width=WIDTH)
    for i in range(1, n_blocks + 1):
        x = _feed_forward(build, f"block/{i}/mlp", _attend(build, f"block/{i}/attention", x))
    weight = {"v": VOCABULARY, "d": WIDTH}
    x = build.layer("einsum", "head", x, equation="b s d, d v -> b s v", weight=weight)
    build.layers("cross_entropy", "loss", x, axes="b s v")
    return build.graph()


def _attend(build: GraphBuilder, scope: str, x):
    y = build.layer("normalization", f"{scope}/norm", x, along="d", kind="layer normalization")
    weight = {"q": 3, "h": HEADS, "c": HEAD, "d": WIDTH}
    qkv = build.layer(
        "einsum", f"{scope}/qkv", y, equation="b s d, q h c d -> q b h s c", weight=weight
    )
    q, k, v = build.layers("unstack", f"{scope}/unstack", qkv, axes="q b h s c")
    y = build.layer("einsum", f"{scope}/scores", q, k, equation="b h s c, b h t c -> b h s t")
    y = build.layer("softmax", f"{scope}/softmax", y, along="t", axes="b h s t")
    y = build.layer("einsum", f"{scope}/values", y, v, equation="b h s t, b h t c -> b h s c")
    weight = {"h": HEADS, "c": HEAD, "d": WIDTH}
    y = build.layer(
        "einsum", f"{scope}/project", y, equation="b h s c, h c d -> b s d", weight=weight
    )
    return build.layer("elementwise", f"{scope}/add", x, y, kind="add")


def _feed_forward(build: GraphBuilder, scope: str, x):
    y = build.layer("normalization", f"{scope}/norm", x, along="d", kind="layer normalization")
    weight = {"e": HIDDEN, "d": WIDTH}
    up = build.layer("einsum", f"{scope}/up", y, equation="b s d, d e -> b s e", weight=weight)
    gate = build.layer("einsum", f"{scope}/gate", y, equation="b s d, d e -> b s e", weight=weight)
    y = build.layer("elementwise", f"{scope}/times", up, gate, kind="multiply")
    y = build.layer("einsum", f"{scope}/down", y, equation="b s e, e d -> b s d", weight=weight)
    return build.layer("elementwise", f"{scope}/add", x, y, kind="add")
