"""A word-level language model: embedding, two LSTM layers, a projection onto the vocabulary."""

from pase_core.builder import GraphBuilder
from pase_core.graph import Graph

VOCABULARY, WIDTH, STEPS = 100_000, 2048, 256


def rnnlm(batch: int = 64) -> Graph:
    """Build the graph for a batch of sentences of 256 words."""
    build = GraphBuilder("rnnlm", note="Jozefowicz et al. 2016: 2 x LSTM 2048, 100,000 words")
    words = build.input("words", (batch, STEPS))
    x = build.layer("embedding", "embedding", words, vocabulary=VOCABULARY, width=WIDTH)
    x = build.layer("lstm", "lstm", x, layers=2, width=WIDTH)
    weight = {"v": VOCABULARY, "d": WIDTH}
    x = build.layer(
        "einsum",
        "fc",
        x,
        equation="b s d, d v -> b s v",
        weight=weight,
        kind="fully connected",
    )
    build.layers("cross_entropy", "loss", x, axes="b s v")
    return build.graph()
