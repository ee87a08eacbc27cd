"""Parts that the transformers share: embeddings, norms, attention, feed-forward parts, heads.

Dimensions: b (batch) s (positions) d (width), q (what is stacked) h (heads) t (positions attended
to) c (width of a head), e (hidden units), v (vocabulary). Attention is counted over all pairs of
positions, also where a model masks the later ones. A weight that two layers read is one tensor.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from pase_core.axes import parse_axes
from pase_core.builder import GraphBuilder
from pase_core.layers import Access, Tensor
from pase_core.ops import OPS
from pase_core.ops.fusing import tie, train_inputs


@dataclass(frozen=True, slots=True)
class Heads:
    """An attention.

    Attributes:
        n: heads of keys and values.
        width: of a head.
        shared_by: heads of queries (r) that share one head of keys and values.
        bias: every product has a shift.
        rotary: positions turn queries and keys; values are counted with the keys.
        distances: a trained table, distances x heads, that is added to the scores.
    """

    n: int
    width: int
    shared_by: int = 1
    bias: bool = False
    rotary: bool = False
    distances: Tensor | None = None

    @property
    def of_queries(self) -> str:
        """The dimensions that number the heads of queries."""
        return "h r" if self.shared_by > 1 else "h"

    def sizes(self, x: Tensor, names: str) -> dict[str, int]:
        """Sizes of the named dimensions of a weight that is applied to x."""
        known = {"h": self.n, "r": self.shared_by, "c": self.width, "d": x.sizes[-1]}
        return {name: known[name] for name in names.split()}


def embed(build: GraphBuilder, name: str, words: Tensor, table: Tensor) -> Tensor:
    """Look words up in a table of vocabulary x width."""
    vocabulary, width = table.sizes
    made = OPS["lookup"](name, (words,), vocabulary=vocabulary, width=width)
    (out,) = build.add(tie(made, table))
    return out


def add(build: GraphBuilder, scope: str, *parts: Tensor, trained: Tensor | None = None) -> Tensor:
    """Add tensors, and a trained one that is broadcast, such as a table of positions."""
    every = parts if trained is None else (*parts, trained)
    made = OPS["elementwise"](f"{scope}/add", every, axes="b s d", kind="add")
    (out,) = build.add(train_inputs(made, () if trained is None else {trained.name}))
    return out


def layer_norm(build: GraphBuilder, scope: str, x: Tensor) -> Tensor:
    """Normalise by mean and variance over the width, then scale and shift."""
    return build.layer(
        "statistics_normalization",
        f"{scope}/norm",
        x,
        sizes=dict(zip("bsd", x.sizes, strict=True)),
        over=("d",),
        axes="b s d",
        parameters=("d", "d"),
        kind="layer normalization",
    )


def rms_norm(build: GraphBuilder, scope: str, x: Tensor) -> Tensor:
    """Normalise by the mean square over the width, then scale."""
    return build.layer("rms_normalization", f"{scope}/norm", x, axes="b s d")


def attend(
    build: GraphBuilder, scope: str, x: Tensor, heads: Heads, memory: Tensor | None = None
) -> Tensor:
    """Attention of x to itself or to a memory, without norm and sum.

    Queries, keys and values are one product if they are equally many and of one tensor; else
    queries are one, keys and values another.
    """
    if memory is None and heads.shared_by == 1:
        q, k, v = _stacked(build, f"{scope}/qkv", x, heads, 3)
    else:
        q = build.layer(
            "einsum",
            f"{scope}/queries",
            x,
            equation=f"b s d, {heads.of_queries} c d -> b {heads.of_queries} s c",
            weight=heads.sizes(x, f"{heads.of_queries} c d"),
            bias=f"{heads.of_queries} c" if heads.bias else "",
            fused=("rotary positions",) if heads.rotary else (),
        )
        k, v = _stacked(build, f"{scope}/keys_values", x if memory is None else memory, heads, 2)
    left, scores = f"b {heads.of_queries} s c", f"b {heads.of_queries} s t"
    y = build.layer("einsum", f"{scope}/scores", q, k, equation=f"{left}, b h t c -> {scores}")
    y = _softmax(build, scope, y, scores, heads)
    y = build.layer("einsum", f"{scope}/values", y, v, equation=f"{scores}, b h t c -> {left}")
    weight = heads.sizes(x, f"{heads.of_queries} c d")
    return build.layer(
        "einsum",
        f"{scope}/project",
        y,
        equation=f"{left}, {heads.of_queries} c d -> b s d",
        weight=weight,
        bias="d" if heads.bias else "",
    )


def _stacked(build: GraphBuilder, name: str, x: Tensor, heads: Heads, n: int) -> tuple[Tensor, ...]:
    """Keys and values, or queries too, as one product that is taken apart."""
    y = build.layer(
        "einsum",
        name,
        x,
        equation="b s d, q h c d -> q b h s c",
        weight={"q": n} | heads.sizes(x, "h c d"),
        bias="q h c" if heads.bias else "",
        fused=("rotary positions",) if heads.rotary else (),
    )
    return build.layers("unstack", f"{name}/unstack", y, axes="q b h s c")


def _softmax(build: GraphBuilder, scope: str, x: Tensor, axes: str, heads: Heads) -> Tensor:
    made = OPS["row_softmax"](f"{scope}/softmax", (x,), along="t", axes=axes)
    if heads.distances is not None:
        # Every position reads some rows of the table: heads cut it, positions do not.
        read = Access(heads.distances.name, parse_axes("- h"))
        made = replace(made, layer=replace(made.layer, parameters=(read,), fused=("distances",)))
    (out,) = build.add(made)
    return out


def feed_forward(
    build: GraphBuilder, scope: str, x: Tensor, hidden: int, activation: str, bias: bool = True
) -> Tensor:
    """Two products with a function between them, without norm and sum."""
    weight = {"d": x.sizes[-1], "e": hidden}
    y = build.layer(
        "einsum",
        f"{scope}/expand",
        x,
        equation="b s d, d e -> b s e",
        weight=weight,
        bias="e" if bias else "",
        fused=(activation,),
    )
    return build.layer(
        "einsum",
        f"{scope}/shrink",
        y,
        equation="b s e, e d -> b s d",
        weight=weight,
        bias="d" if bias else "",
    )


def gated_feed_forward(build: GraphBuilder, scope: str, x: Tensor, hidden: int) -> Tensor:
    """The product of two expansions, one through SiLU, is shrunk; they are one matrix product."""
    weight = {"q": 2, "d": x.sizes[-1], "e": hidden}
    equation = "b s d, q d e -> q b s e"
    y = build.layer("einsum", f"{scope}/expand", x, equation=equation, weight=weight)
    gate, up = build.layers("unstack", f"{scope}/unstack", y, axes="q b s e")
    y = build.layer(
        "elementwise", f"{scope}/gate", gate, up, axes="b s e", kind="multiply", fused=("silu",)
    )
    weight = {"d": x.sizes[-1], "e": hidden}
    return build.layer(
        "einsum", f"{scope}/shrink", y, equation="b s e, e d -> b s d", weight=weight
    )


def predict(
    build: GraphBuilder,
    scope: str,
    x: Tensor,
    vocabulary: int,
    tied: Tensor | None = None,
    bias: bool = False,
) -> None:
    """The next word of every position, by a table of one's own or that of the embedding; loss."""
    made = OPS["einsum"](
        f"{scope}/fc",
        (x,),
        equation="b s d, v d -> b s v",
        weight={"v": vocabulary, "d": x.sizes[-1]},
        bias="v" if bias else "",
        kind="fully connected",
    )
    (y,) = build.add(made if tied is None else tie(made, tied))
    build.layers("cross_entropy", f"{scope}/loss", y, axes="b s v")
