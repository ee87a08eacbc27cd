"""Transformers that tests are about: the samples, and one block as files describe it."""

from __future__ import annotations

from functools import cache

from pase_core.builder import GraphBuilder
from pase_core.graph import Graph
from pase_core.layers import Tensor
from sample_graphs import SAMPLES

TRANSFORMERS = (
    "transformer", "gpt2", "bert_large", "t5_large", "vit_b16", "llama3_8b", "mixtral_8x7b",
)  # fmt: skip


@cache
def sample(name: str) -> Graph:
    return onnx_like() if name == "onnx-like" else SAMPLES[name].build()


def onnx_like() -> Graph:
    """One block as files have it: three products for queries, keys and values, reshapes between.

    Dimensions have the names that importers give; heads, for one, are `x2_0`, `b h` or `c`.
    """
    build = GraphBuilder("file", note="a file")
    x = build.layer("lookup", "words", build.input("ids", (8, 16)), vocabulary=64, width=32)
    y = _attention(build, build.layer("normalization", "one/norm", x, along="d"))
    x = build.layer("elementwise", "one/add", x, y)
    y = build.layer("normalization", "one/norm2", x, along="d")
    y = build.layer("fully_connected", "one/up", y, n=128)
    y = build.layer("elementwise", "one/gelu", y)
    y = build.layer("fully_connected", "one/down", y, n=32)
    x = build.layer("elementwise", "one/add2", x, y)
    build.layer("fully_connected", "logits", x, n=64)
    return build.graph()


def _attention(build: GraphBuilder, x: Tensor) -> Tensor:
    q, k, v = (_heads(build, f"one/{name}", x) for name in "qkv")
    k = build.layer("transpose", "one/turned", k, order=(0, 1, 3, 2))
    product = "b h m c, b h c n -> b h m n"
    y = build.layer("einsum", "one/scores", q, k, equation=product, kind="matrix product")
    y = build.layer("softmax", "one/softmax", y, along="w")
    y = build.layer("einsum", "one/values", y, v, equation=product, kind="matrix product")
    y = build.layer("transpose", "one/back", y, order=(0, 2, 1, 3))
    y = build.layer("reshape", "one/joined", y, sizes=(8, 16, 32))
    return build.layer("fully_connected", "one/project", y, n=32)


def _heads(build: GraphBuilder, name: str, x: Tensor) -> Tensor:
    y = build.layer("fully_connected", name, x, n=32)
    y = build.layer("reshape", f"{name}/heads", y, sizes=(8, 16, 4, 8))
    return build.layer("transpose", f"{name}/first", y, order=(0, 2, 1, 3))
