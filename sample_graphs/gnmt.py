"""GNMT: translation by eight LSTM layers on either side, and attention between them."""

from pase_core.builder import GraphBuilder
from pase_core.graph import Graph
from pase_core.layers import Tensor

LAYERS, WIDTH, VOCABULARY, STEPS = 8, 1024, 32_000, 64


def gnmt(batch: int = 128) -> Graph:
    """Build the graph for a batch of sentence pairs of 64 words each.

    The first encoder layer reads the sentence in both directions. The bottom layer of the decoder
    asks the attention, and the layers above it read the answer beside the layer below them.
    """
    note = "Wu et al. 2016: 8 + 8 layers of 1024 units, 32,000 word pieces"
    build = GraphBuilder("gnmt", note=note)
    memory = _encode(build, _embed(build, "encoder", batch))
    x = _embed(build, "decoder", batch)
    x = build.layer("lstm_layer", "decoder/1/lstm", x, width=WIDTH)
    context = _attend(build, x, memory)
    for i in range(2, LAYERS + 1):
        scope = f"decoder/{i}"
        y = build.layer("concat", f"{scope}/concat", x, context, axis=2)
        y = build.layer("lstm_layer", f"{scope}/lstm", y, width=WIDTH)
        x = y if i == 2 else build.layer("elementwise", f"{scope}/add", x, y, kind="add")
    x = build.layer("fully_connected", "head/fc", x, n=VOCABULARY, bias=True)
    build.layers("cross_entropy", "head/loss", x, axes="b s n")
    return build.graph()


def _embed(build: GraphBuilder, scope: str, batch: int) -> Tensor:
    words = build.input(f"{scope}/words", (batch, STEPS))
    return build.layer("lookup", f"{scope}/embedding", words, vocabulary=VOCABULARY, width=WIDTH)


def _encode(build: GraphBuilder, x: Tensor) -> Tensor:
    """One layer in both directions, then one way; sums with the input from the third layer on."""
    both = [
        build.layer("lstm_layer", f"encoder/1/{way}", x, width=WIDTH)
        for way in ("forward", "backward")
    ]
    x = build.layer("concat", "encoder/1/concat", *both, axis=2)
    x = build.layer("lstm_layer", "encoder/2/lstm", x, width=WIDTH)
    for i in range(3, LAYERS + 1):
        y = build.layer("lstm_layer", f"encoder/{i}/lstm", x, width=WIDTH)
        x = build.layer("elementwise", f"encoder/{i}/add", x, y, kind="add")
    return x


def _attend(build: GraphBuilder, x: Tensor, memory: Tensor) -> Tensor:
    """Additive attention: s (words written), t (words read), a (hidden units), d (width)."""
    weight = {"d": WIDTH, "a": WIDTH}
    queries, keys = (
        build.layer(
            "einsum", f"attention/{name}", each, equation="b s d, d a -> b s a", weight=weight
        )
        for name, each in (("queries", x), ("keys", memory))
    )
    y = build.layer("additive_scores", "attention/scores", queries, keys)
    y = build.layer("row_softmax", "attention/softmax", y, along="t", axes="b s t")
    return build.layer("einsum", "attention/context", y, memory, equation="b s t, b t d -> b s d")
