"""Every operation as its document has it: what cuts its tensors, what it adds up and sends.

For the twins of `cluster`; nothing here is read from the library's layers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.core.slow_cluster import Border, Recurrence, Rows, Sum

Sizes = Mapping[str, int]
Sent = Sum | Rows | Border | Recurrence


@dataclass(frozen=True)
class Case:
    """An operation.

    shapes: sizes of its inputs, as products of the names drawn and of numbers.
    reads, writes: dimensions that cut the axes of inputs and outputs.
    sent: what it sends inside.
    attributes: from the sizes drawn.
    gradients: per input, whether it has one; all of them if empty.
    """

    operation: str
    shapes: tuple[str, ...]
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    sent: tuple[Sent, ...]
    attributes: Callable[[Sizes], dict] = lambda _z: {}
    gradients: tuple[bool, ...] = ()


def out(tensor: str, scale: float = 1, **more) -> Sum:
    return Sum("output", tensor, scale, **more)


def into(tensor: str, scale: float = 1, **more) -> Sum:
    return Sum("input_gradient", tensor, scale, **more)


def trained(tensor: str, scale: float = 1, **more) -> Sum:
    return Sum("parameter_gradient", tensor, scale, **more)


def statistics(tensor: str, scale: float) -> Sum:
    return Sum("other", tensor, scale)


def sends(*sent: Sent) -> tuple[Sent, ...]:
    return sent


def pick(z: Sizes, names: str) -> dict[str, int]:
    return {name: z[name] for name in names.split()}


IMAGE = ("b c h w",)
SEQUENCE = ("b s d",)
CASES = [
    Case(
        "fully_connected",
        ("b s c",),
        ("b s c",),
        ("b s n",),
        sends(out("b s n"), into("b s c"), trained("c n"), trained("n", space="b s n")),
        lambda z: {"n": z["n"], "bias": True},
    ),
    Case(
        "einsum",
        ("b s d", "b t d"),
        ("b s d", "b t d"),
        ("b s t",),
        sends(out("b s t"), into("b s d"), into("b t d")),
        lambda _z: {"equation": "b s d, b t d -> b s t"},
    ),
    Case(
        "einsum",
        SEQUENCE,
        SEQUENCE,
        ("q b h s",),
        sends(
            out("q b h s"),
            into("b s d"),
            trained("q h d"),
            trained("q h", space="q b h s"),
        ),
        lambda z: {
            "equation": "b s d, q h d -> q b h s",
            "weight": pick(z, "q h d"),
            "bias": "q h",
        },
    ),
    Case(
        "lookup",
        ("b s",),
        ("b s",),
        SEQUENCE,
        sends(out("b s d"), trained("v d")),
        lambda z: {"vocabulary": z["v"], "width": z["d"]},
        gradients=(False,),
    ),
    Case(
        "embedding",
        ("b s",),
        ("b s",),
        SEQUENCE,
        sends(out("b s d"), into("b s v"), trained("v d")),
        lambda z: {"vocabulary": z["v"], "width": z["d"]},
    ),
    Case(
        "lstm",
        SEQUENCE,
        SEQUENCE,
        ("b s e",),
        sends(
            out("l b s e", 4),
            into("l b s d", 2),
            trained("l d e", 8),
            Recurrence("other", "l s", held=("b", "e"), needed=("b", "d")),
        ),
        lambda z: {"layers": z["l"], "width": z["d"]},
    ),
    Case(
        "lstm_layer",
        SEQUENCE,
        SEQUENCE,
        ("b s e",),
        sends(
            out("b s e", 4),
            into("b s d", space="b s d e"),
            into("b s k", space="b s k e"),
            trained("d e", 4, space="b s d e"),
            trained("k e", 4, space="b s k e"),
            trained("e", 4, space="b s e"),
            Recurrence("other", "s", held=("b", "e"), needed=("b", "k")),
        ),
        lambda z: {"width": z["e"]},
    ),
    Case(
        "additive_scores",
        ("b s a", "b t a"),
        ("b s a", "b t a"),
        ("b s t",),
        sends(out("b s t"), into("b s a"), into("b t a"), trained("a")),
    ),
    Case(
        "convolution",
        IMAGE,
        ("b c - -",),
        ("b n - -",),
        sends(out("b n h w"), into("b c h w"), trained("n c r s")),
        lambda z: {"n": z["n"], "kernel": (z["r"], 3), "padding": "same"},
    ),
    Case(
        "convolution",
        ("b c h*2 w*2",),
        ("b c - -",),
        ("b n - -",),
        sends(out("b n h w"), into("b c h w", 4), trained("n c r s")),
        lambda z: {"n": z["n"], "kernel": (3, z["r"]), "padding": "same", "stride": 2},
    ),
    Case(
        "pooling",
        ("b c h*2 w*2",),
        IMAGE,
        IMAGE,
        sends(Border("other", "b c", {"h": (2, 3), "w": (2, 4)})),
        lambda _z: {"kernel": (3, 4), "stride": 2, "padding": "same"},
    ),
    Case(
        "local_response_normalization",
        IMAGE,
        IMAGE,
        IMAGE,
        sends(Border("other", "b h w", {"c": (1, 5)})),
        lambda _z: {"width": 5},
    ),
    Case(
        "elementwise",
        ("b s d", "s d", "b 1 d"),
        ("b s d", "s d", "b - d"),
        SEQUENCE,
        sends(into("s d"), into("b d")),
    ),
    Case(
        "normalization",
        SEQUENCE,
        SEQUENCE,
        SEQUENCE,
        sends(statistics("b s", 4), trained("d"), trained("d")),
        lambda _z: {"along": "d"},
    ),
    Case(
        "batch_normalization",
        IMAGE,
        IMAGE,
        IMAGE,
        sends(statistics("c", 4), trained("c"), trained("c")),
    ),
    Case(
        "statistics_normalization",
        ("b g*c h",),
        ("b (g,c) h",),
        ("b (g,c) h",),
        sends(statistics("b g", 4), trained("g c"), trained("g c")),
        lambda z: {
            "sizes": pick(z, "b g c h"),
            "over": ("c", "h"),
            "axes": "b (g c) h",
            "parameters": ("(g c)", "(g c)"),
        },
    ),
    Case(
        "rms_normalization",
        SEQUENCE,
        SEQUENCE,
        SEQUENCE,
        sends(statistics("b s", 2), trained("d")),
        lambda _z: {"axes": "b s d"},
    ),
    Case(
        "softmax",
        SEQUENCE,
        SEQUENCE,
        SEQUENCE,
        sends(statistics("b s", 2)),
        lambda _z: {"along": "d"},
    ),
    Case(
        "row_softmax",
        SEQUENCE,
        SEQUENCE,
        SEQUENCE,
        sends(statistics("b s", 3)),
        lambda _z: {"along": "d", "axes": "b s d"},
    ),
    Case("cross_entropy", ("b s d",), ("b s d",), (), sends(Rows("other", "b s", "d", 2))),
    Case(
        "mean",
        IMAGE,
        IMAGE,
        ("b c",),
        sends(out("b c")),
        lambda _z: {"over": ("h", "w")},
    ),
    Case(
        "mean",
        IMAGE,
        IMAGE,
        ("b - - w",),
        sends(out("b w")),
        lambda _z: {"over": ("c", "h"), "keep": True},
    ),
    Case(
        "dispatch",
        ("b s*x d", "b s*x x"),
        ("b - d", "b - -"),
        ("b - - d",),
        (),
        lambda z: {"experts": z["x"], "chosen": 1},
        gradients=(True, False),
    ),
    Case(
        "combine",
        ("b x s d", "b s*x x"),
        ("b - - d", "b - -"),
        ("b - d",),
        sends(into("b s")),
        lambda _z: {"chosen": 1},
    ),
    Case("concat", ("b n c", "b n*2 c"), ("b - d",) * 2, ("b - d",), (), lambda _z: {"axis": 1}),
    Case(
        "split",
        ("b n*3",),
        ("b -",),
        ("b -",) * 2,
        (),
        lambda z: {"axis": 1, "parts": (z["n"], 2 * z["n"])},
    ),
    Case("stack", ("b n",) * 3, ("b n",) * 3, ("- b n",), (), lambda _z: {"new": "q"}),
    Case("unstack", ("3 b n",), ("- b n",), ("b n",) * 3, (), lambda _z: {"axes": "q b n"}),
    Case("flatten", IMAGE, IMAGE, ("(b,c,h,w)",), ()),
    Case("unflatten", ("b*n",), ("(b,n)",), ("b n",), (), lambda z: {"sizes": pick(z, "b n")}),
    Case(
        "reshape",
        IMAGE,
        ("b x1_0 x1_1 x1_2",),
        ("b (x1_0,x1_1,x1_2)",),
        (),
        lambda z: {"sizes": (z["b"], z["c"] * z["h"] * z["w"])},
    ),
    Case(
        "reshape",
        SEQUENCE,
        ("b x0_1 x1_0",),
        ("(b,x0_1) x1_0",),
        (),
        lambda z: {"sizes": (z["b"] * z["s"], z["d"])},
    ),
    Case("transpose", SEQUENCE, SEQUENCE, ("b d s",), (), lambda _z: {"order": (0, 2, 1)}),
    Case(
        "resize_axes",
        SEQUENCE,
        ("b - d",),
        ("b - d",),
        (),
        lambda z: {"sizes": (z["b"], z["s"] + 1, z["d"])},
    ),
]
