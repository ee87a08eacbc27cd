"""GPT-2 (124M) and GPT-3 (175B): decoders of one kind, with learned positions and tied words."""

from __future__ import annotations

from dataclasses import dataclass

from pase_core.builder import GraphBuilder
from pase_core.graph import Graph
from sample_graphs.blocks import Heads, add, attend, embed, feed_forward, layer_norm, predict

VOCABULARY = 50_257
"""Byte pairs; 29 x 1733, so that no power of two divides it and few device counts split it."""


@dataclass(frozen=True, slots=True)
class _Sizes:
    """Sizes of a model: its blocks, width, heads (each 64 or 128 wide) and positions."""

    blocks: int
    width: int
    heads: int
    positions: int


def gpt2(batch: int = 64) -> Graph:
    """Build the graph of the smallest model for a batch of texts of 1024 tokens."""
    build = GraphBuilder("gpt2", note="Radford et al. 2019, 124M parameters, 1024 tokens")
    return _decoder(build, batch, _Sizes(12, 768, 12, 1024))


def gpt3_175b(batch: int = 64) -> Graph:
    """Build the graph for a batch of texts of 2048 tokens, every attention dense."""
    build = GraphBuilder(
        "gpt3_175b",
        element_type="float16",
        note="Brown et al. 2020, 175B parameters, 2048 tokens, every attention dense",
    )
    return _decoder(build, batch, _Sizes(96, 12_288, 96, 2048))


def _decoder(build: GraphBuilder, batch: int, sizes: _Sizes) -> Graph:
    words = build.input("embed/tokens", (batch, sizes.positions))
    table = build.parameter("embed/words.table", (VOCABULARY, sizes.width))
    positions = build.parameter("embed/positions.table", (sizes.positions, sizes.width))
    x = add(build, "embed", embed(build, "embed/words", words, table), trained=positions)
    heads = Heads(sizes.heads, sizes.width // sizes.heads, bias=True)
    for i in range(1, sizes.blocks + 1):
        scope = f"block/{i}/attention"
        x = add(build, scope, x, attend(build, scope, layer_norm(build, scope, x), heads))
        scope = f"block/{i}/mlp"
        y = layer_norm(build, scope, x)
        x = add(build, scope, x, feed_forward(build, scope, y, 4 * sizes.width, "gelu"))
    predict(build, "head", layer_norm(build, "head", x), VOCABULARY, tied=table)
    return build.graph()
