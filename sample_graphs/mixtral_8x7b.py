"""Mixtral 8x7B: in every block two of eight feed-forward parts, the experts, work on a token.

The experts are a dimension x. The router sends every token to two of them, so that each expert
has s * 2 / 8 slots per text of s tokens: loads are taken as balanced, and no token is dropped.
The products of the experts, over `b x k` (texts, experts, slots), hold the parameters of all
eight and do the work of two per token. Splitting x moves slots between the devices: the
all-to-alls before and after the experts are the transfers from `dispatch` and to `combine`.
"""

from __future__ import annotations

from pase_core.builder import GraphBuilder
from pase_core.graph import Graph
from pase_core.layers import Tensor
from sample_graphs.blocks import Heads, add, attend, embed, predict, rms_norm

BLOCKS, WIDTH, HIDDEN, EXPERTS, CHOSEN, VOCABULARY, STEPS = 32, 4096, 14_336, 8, 2, 32_000, 4096
HEADS = Heads(n=8, width=128, shared_by=4, rotary=True)


def mixtral_8x7b(batch: int = 64) -> Graph:
    """Build the graph for a batch of texts of 4096 tokens."""
    note = "Jiang et al. 2024, 4096 tokens, 2 of 8 experts"
    build = GraphBuilder("mixtral_8x7b", "bfloat16", note)
    words = build.input("embed/tokens", (batch, STEPS))
    table = build.parameter("embed/words.table", (VOCABULARY, WIDTH))
    x = embed(build, "embed/words", words, table)
    for i in range(1, BLOCKS + 1):
        scope = f"block/{i}/attention"
        x = add(build, scope, x, attend(build, scope, rms_norm(build, scope, x), HEADS))
        scope = f"block/{i}/experts"
        x = add(build, scope, x, _experts(build, scope, rms_norm(build, scope, x)))
    predict(build, "head", rms_norm(build, "head", x), VOCABULARY)
    return build.graph()


def _experts(build: GraphBuilder, scope: str, x: Tensor) -> Tensor:
    weight = {"x": EXPERTS, "d": WIDTH}
    y = build.layer("einsum", f"{scope}/route", x, equation="b s d, x d -> b s x", weight=weight)
    chosen = build.layer("row_softmax", f"{scope}/choose", y, along="x", axes="b s x")
    y = build.layer("dispatch", f"{scope}/dispatch", x, chosen, experts=EXPERTS, chosen=CHOSEN)
    y = build.layer(
        "einsum",
        f"{scope}/expand",
        y,
        equation="b x k d, q x d e -> q b x k e",
        weight={"q": 2, "x": EXPERTS, "d": WIDTH, "e": HIDDEN},
    )
    gate, up = build.layers("unstack", f"{scope}/unstack", y, axes="q b x k e")
    y = build.layer(
        "elementwise", f"{scope}/gate", gate, up, axes="b x k e", kind="multiply", fused=("silu",)
    )
    y = build.layer(
        "einsum",
        f"{scope}/shrink",
        y,
        equation="b x k e, x e d -> b x k d",
        weight={"x": EXPERTS, "d": WIDTH, "e": HIDDEN},
    )
    return build.layer("combine", f"{scope}/combine", y, chosen, chosen=CHOSEN)
