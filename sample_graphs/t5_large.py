"""T5 (large): encoder and decoder, and distances between words that all blocks of each share."""

from __future__ import annotations

from pase_core.builder import GraphBuilder
from pase_core.graph import Graph
from pase_core.layers import Tensor
from sample_graphs.blocks import Heads, add, attend, embed, feed_forward, predict, rms_norm

BLOCKS, WIDTH, HEADS, HEAD, HIDDEN, VOCABULARY, DISTANCES = 24, 1024, 16, 64, 4096, 32_128, 32
SOURCE, TARGET = 512, 128


def t5_large(batch: int = 64) -> Graph:
    """Build the graph for a batch of texts of 512 words, of which up to 128 are to be restored.

    Every block reads the table of distances itself; one that the first block alone expanded to
    heads x positions x positions would be the same numbers, sent to every block.
    """
    build = GraphBuilder("t5_large", note="Raffel et al. 2020, 512 words in and 128 out")
    table = build.parameter("words.table", (VOCABULARY, WIDTH))
    plain = Heads(HEADS, HEAD)
    x, heads = _start(build, "encoder", (batch, SOURCE), table)
    for i in range(1, BLOCKS + 1):
        scope = f"encoder/{i}/attention"
        x = add(build, scope, x, attend(build, scope, rms_norm(build, scope, x), heads))
        x = _expand_and_shrink(build, f"encoder/{i}/mlp", x)
    memory = rms_norm(build, "encoder", x)
    x, heads = _start(build, "decoder", (batch, TARGET), table)
    for i in range(1, BLOCKS + 1):
        scope = f"decoder/{i}/attention"
        x = add(build, scope, x, attend(build, scope, rms_norm(build, scope, x), heads))
        scope = f"decoder/{i}/cross_attention"
        y = attend(build, scope, rms_norm(build, scope, x), plain, memory)
        x = _expand_and_shrink(build, f"decoder/{i}/mlp", add(build, scope, x, y))
    predict(build, "head", rms_norm(build, "decoder", x), VOCABULARY, tied=table)
    return build.graph()


def _start(
    build: GraphBuilder, scope: str, sizes: tuple[int, int], table: Tensor
) -> tuple[Tensor, Heads]:
    """Embedded words, and the attention of the blocks that follow."""
    words = build.input(f"{scope}/tokens", sizes)
    distances = build.parameter(f"{scope}/distances.table", (DISTANCES, HEADS))
    x = embed(build, f"{scope}/words", words, table)
    return x, Heads(HEADS, HEAD, distances=distances)


def _expand_and_shrink(build: GraphBuilder, scope: str, x: Tensor) -> Tensor:
    y = rms_norm(build, scope, x)
    return add(build, scope, x, feed_forward(build, scope, y, HIDDEN, "relu", bias=False))
