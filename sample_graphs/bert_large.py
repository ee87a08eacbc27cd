"""BERT (large, uncased) in pre-training: masked words, and whether the second sentence follows."""

from __future__ import annotations

from pase_core.builder import GraphBuilder
from pase_core.graph import Graph
from pase_core.layers import Tensor
from sample_graphs.blocks import Heads, add, attend, embed, feed_forward, layer_norm, predict

LAYERS, WIDTH, HEADS, HIDDEN, VOCABULARY, STEPS = 24, 1024, 16, 4096, 30_522, 512


def bert_large(batch: int = 64) -> Graph:
    """Build the graph for a batch of pairs of sentences of 512 words together.

    Words are predicted at every position, not at the masked ones alone.
    """
    build = GraphBuilder("bert_large", note="Devlin et al. 2018, uncased, 512 words, both losses")
    table = build.parameter("embed/words.table", (VOCABULARY, WIDTH))
    x = _embed(build, batch, table)
    heads = Heads(HEADS, WIDTH // HEADS, bias=True)
    for i in range(1, LAYERS + 1):
        scope = f"block/{i}/attention"
        x = layer_norm(build, scope, add(build, scope, x, attend(build, scope, x, heads)))
        scope = f"block/{i}/mlp"
        y = feed_forward(build, scope, x, HIDDEN, "gelu")
        x = layer_norm(build, scope, add(build, scope, x, y))
    _next_sentence(build, x)
    y = build.layer("fully_connected", "words/transform", x, n=WIDTH, bias=True, fused=("gelu",))
    predict(build, "words", layer_norm(build, "words", y), VOCABULARY, tied=table, bias=True)
    return build.graph()


def _embed(build: GraphBuilder, batch: int, table: Tensor) -> Tensor:
    """The sum of words, positions and which sentence it is, normalised."""
    words, sentences = (build.input(f"embed/{name}", (batch, STEPS)) for name in ("ids", "which"))
    segments = build.parameter("embed/segments.table", (2, WIDTH))
    positions = build.parameter("embed/positions.table", (STEPS, WIDTH))
    x = embed(build, "embed/words", words, table)
    y = embed(build, "embed/segments", sentences, segments)
    return layer_norm(build, "embed", add(build, "embed", x, y, trained=positions))


def _next_sentence(build: GraphBuilder, x: Tensor) -> None:
    """From the first position: whether the second sentence follows the first."""
    batch = x.sizes[0]
    y = build.layer("resize_axes", "pooler/first", x, sizes=(batch, 1, WIDTH))
    y = build.layer("reshape", "pooler/rows", y, sizes=(batch, WIDTH))
    y = build.layer("fully_connected", "pooler/fc", y, n=WIDTH, bias=True, fused=("tanh",))
    y = build.layer("fully_connected", "sentence/fc", y, n=2, bias=True)
    build.layers("cross_entropy", "sentence/loss", y)
