"""Networks small enough to follow by hand, for the lessons of the explorer."""

from pase_core.builder import GraphBuilder
from pase_core.graph import Graph

BATCH, VOCABULARY, WIDTH, HIDDEN = 64, 512, 128, 256


def three_layers() -> Graph:
    """An embedding and two fully connected layers, one after the other."""
    build = GraphBuilder("three layers")
    words = build.input("words", (BATCH, VOCABULARY))
    x = build.layer(
        "einsum",
        "embedding",
        words,
        equation="b v, v d -> b d",
        weight={"v": VOCABULARY, "d": WIDTH},
        kind="embedding",
    )
    x = build.layer("fully_connected", "fc1", x, n=HIDDEN)
    build.layer("fully_connected", "fc2", x, n=WIDTH)
    return build.graph()


def branches() -> Graph:
    """Three branches that part and join, as in an Inception module, between two layers."""
    build = GraphBuilder("three branches")
    x = build.input("image", (BATCH, 16))
    x = build.layer("fully_connected", "stem", x, n=64)
    left = build.layer("fully_connected", "left", x, n=64)
    middle = build.layer("fully_connected", "middle 1", x, n=64)
    middle = build.layer("fully_connected", "middle 2", middle, n=64)
    right = build.layer("fully_connected", "right 1", x, n=64)
    right = build.layer("fully_connected", "right 2", right, n=64)
    right = build.layer("fully_connected", "right 3", right, n=64)
    x = build.layer("elementwise", "join 1", left, middle)
    x = build.layer("elementwise", "join 2", x, right)
    build.layer("fully_connected", "head", x, n=16)
    return build.graph()
