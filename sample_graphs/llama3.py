"""LLaMA 3 with 8 and 70 billion parameters: fewer heads of keys and values than of queries."""

from __future__ import annotations

from dataclasses import dataclass

from pase_core.builder import GraphBuilder
from pase_core.graph import Graph
from sample_graphs.blocks import Heads, add, attend, embed, gated_feed_forward, predict, rms_norm

VOCABULARY, STEPS, KEY_HEADS, HEAD = 128_256, 8192, 8, 128


@dataclass(frozen=True, slots=True)
class _Sizes:
    """Sizes of a model; r heads of queries share one of keys and values."""

    blocks: int
    width: int
    hidden: int
    shared_by: int


def llama3_8b(batch: int = 64) -> Graph:
    """Build the graph for a batch of texts of 8192 tokens: 32 heads of queries."""
    return _decoder("llama3_8b", batch, _Sizes(32, 4096, 14_336, shared_by=4))


def llama3_70b(batch: int = 64) -> Graph:
    """Build the graph for a batch of texts of 8192 tokens: 64 heads of queries."""
    return _decoder("llama3_70b", batch, _Sizes(80, 8192, 28_672, shared_by=8))


def _decoder(name: str, batch: int, sizes: _Sizes) -> Graph:
    build = GraphBuilder(name, "bfloat16", "Dubey et al. 2024, 8192 tokens, 128,256 words")
    words = build.input("embed/tokens", (batch, STEPS))
    table = build.parameter("embed/words.table", (VOCABULARY, sizes.width))
    x = embed(build, "embed/words", words, table)
    heads = Heads(KEY_HEADS, HEAD, sizes.shared_by, rotary=True)
    for i in range(1, sizes.blocks + 1):
        scope = f"block/{i}/attention"
        x = add(build, scope, x, attend(build, scope, rms_norm(build, scope, x), heads))
        scope = f"block/{i}/mlp"
        y = rms_norm(build, scope, x)
        x = add(build, scope, x, gated_feed_forward(build, scope, y, sizes.hidden))
    predict(build, "head", rms_norm(build, "head", x), VOCABULARY)
    return build.graph()
