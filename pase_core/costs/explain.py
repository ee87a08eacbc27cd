"""The cost audit: every number of the paper's cost model taken apart into its addends.

The slow twin of `PaperCostModel`: plain numbers instead of arrays, one layer and one configuration
at a time. The terms of a layer add up to its cost component by component, in the model's order.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from pase_core.costs import formulas
from pase_core.costs.formulas import Quantity, Term, make_term, show_number
from pase_core.costs.paper import PaperCostModel
from pase_core.graph import Graph, Transfer
from pase_core.layers import Access, Layer, Reduction, Work
from pase_core.messages import AllReduce, Exchange, Halo, Message, Relayout

Configuration = tuple[int, ...]

_TITLES = {
    "output": "all-reduce of partial sums",
    "input_gradient": "all-reduce of the gradient of an input",
    "parameter_gradient": "all-reduce of the gradient of weights",
}


class _Local:
    """Local sizes of one layer under one configuration, and how they come about."""

    def __init__(self, layer: Layer, configuration: Configuration) -> None:
        names = layer.dimension_names
        self.size = dict(zip(names, layer.sizes, strict=True))
        self.parts = dict(zip(names, configuration, strict=True))

    def points(self, names: Iterable[str], factor: float = 1.0) -> float:
        return factor * math.prod(self.size[name] / self.parts[name] for name in names)

    def n_parts(self, names: Iterable[str]) -> int:
        return math.prod(self.parts[name] for name in names)

    def shown(self, names: Iterable[str], factor: float = 1.0) -> str:
        """Such as `4 × b 128/8 × n 64`."""
        first = [show_number(factor)] if factor != 1.0 else []
        return " × ".join([*first, *map(self.show, names)])

    def show(self, name: str) -> str:
        parts = self.parts[name]
        return f"{name} {self.size[name]}" + (f"/{parts}" if parts > 1 else "")

    def show_parts(self, names: Iterable[str]) -> str:
        return " × ".join(f"{name} {self.parts[name]}" for name in names if self.parts[name] > 1)


def _words_price(model: PaperCostModel) -> Quantity:
    return Quantity(
        "W",
        model.flop_per_word,
        "FLOP per word",
        "what a device computes while one word crosses a link",
        f"{model.flop_per_second:g} FLOP/s × {model.word_bytes:g} B / "
        f"{model.bytes_per_second:g} B/s",
    )


def explain_layer(
    layer: Layer, configuration: Configuration, model: PaperCostModel
) -> tuple[Term, ...]:
    """Take the cost of a layer apart.

    Args:
        layer: the layer.
        configuration: parts per dimension.
        model: prices it.

    Returns:
        All terms, also those that are 0; added up in order they are the layer's cost.

    Example:
        >>> from pase_core.ops import OPS
        >>> from pase_core.layers import Tensor
        >>> layer = OPS["fully_connected"]("fc", [Tensor("x", (8, 4))], n=2).layer
        >>> explain_layer(layer, (4, 1, 1), PaperCostModel(1e12, 1e10))[0].case
        '2 × 3 × 16'
    """
    local = _Local(layer, configuration)
    accesses = (
        *(("output", access) for access in layer.outputs),
        *(("input_gradient", access) for access in layer.inputs),
        *(("parameter_gradient", access) for access in layer.parameters),
    )
    return (
        *(_work_term(work, local, model) for work in layer.work),
        *(_access_term(component, layer, access, local, model) for component, access in accesses),
        *(_message_term(message, local, model) for message in layer.messages),
    )


def _work_term(work: Work, local: _Local, model: PaperCostModel) -> Term:
    points = Quantity(
        "N", local.points(work.over), "points", "points of one device", local.shown(work.over)
    )
    if work.unit == "flop":
        count = Quantity("k", work.count, "FLOP per point", "forward and backward")
        return make_term("compute", "pointwise arithmetic", formulas.FLOP, count, points)
    price = Quantity("m", model.flop_per_multiply_add, "FLOP", "FLOP of a multiply-add")
    count = Quantity("k", work.count, "multiply-adds per point", "forward and backward")
    return make_term("compute", "multiply-adds", formulas.MULTIPLY_ADDS, price, count, points)


def _access_term(
    component: str, layer: Layer, access: Access, local: _Local, model: PaperCostModel
) -> Term:
    title = f"{_TITLES[component]}: {access.tensor}"
    return _all_reduce_term(component, title, layer.reduction(access), local, model)


def _all_reduce_term(
    component: str,
    title: str,
    reduction: Reduction | AllReduce,
    local: _Local,
    model: PaperCostModel,
) -> Term:
    words = Quantity(
        "w",
        local.points(reduction.tile, reduction.scale),
        "words",
        "what each device holds",
        local.shown(reduction.tile, reduction.scale),
    )
    devices = Quantity(
        "q",
        local.n_parts(reduction.over),
        "devices",
        "devices that add theirs up",
        local.show_parts(reduction.over),
    )
    return make_term(component, title, formulas.ALL_REDUCE, _words_price(model), words, devices)


def _message_term(message: Message, local: _Local, model: PaperCostModel) -> Term:
    match message:
        case AllReduce():
            return _all_reduce_term(message.component, "all-reduce", message, local, model)
        case Exchange():
            return _exchange_term(message, local, model)
        case Halo():
            return _halo_term(message, local, model)
        case Relayout():
            return _relayout_term(message, local, model)


def _exchange_term(message: Exchange, local: _Local, model: PaperCostModel) -> Term:
    if local.n_parts(message.over) > 1:
        words = local.points(message.tile, message.scale)
        working = local.shown(message.tile, message.scale)
    else:
        words, working = 0.0, f"none, as {' '.join(message.over)} is not split"
    sent = Quantity("w", words, "words", "what each device sends", working)
    return make_term(
        message.component, "exchange of a tile", formulas.EXCHANGE, _words_price(model), sent
    )


def _halo_term(message: Halo, local: _Local, model: PaperCostModel) -> Term:
    inner = outer = 1.0
    shown_inner, shown_outer = [], []
    for window in message.windows:
        parts = local.parts[window.dimension]
        border = window.width if parts > 1 else 0
        inner *= window.extent / parts
        outer *= window.extent / parts + border
        text = f"{window.dimension} {window.extent}" + (f"/{parts}" if parts > 1 else "")
        shown_inner.append(text)
        shown_outer.append(f"({text} + {border})" if border else text)
    return make_term(
        message.component,
        "borders of sliding windows",
        formulas.HALO,
        _words_price(model),
        Quantity("t", local.points(message.tile), "", "windows' tile", local.shown(message.tile)),
        Quantity("outer", outer, "words", "extents with borders", " × ".join(shown_outer)),
        Quantity("inner", inner, "words", "extents", " × ".join(shown_inner)),
    )


def _relayout_term(message: Relayout, local: _Local, model: PaperCostModel) -> Term:
    pairs = list(zip(message.held, message.needed, strict=True))
    overlap = math.prod(min(local.points((a,)), local.points((b,))) for a, b in pairs)
    working = " × ".join(f"min({local.show(a)}, {local.show(b)})" for a, b in pairs)
    if local.n_parts(message.needed) > local.n_parts(message.held):
        overlap, working = 0.0, "none, as it is needed in more parts than it is held in"
    times = math.prod(local.size[name] for name in message.times)
    return make_term(
        message.component,
        "recurrent step: what is not held of the step before",
        formulas.RELAYOUT,
        _words_price(model),
        Quantity(
            "T", times, "", "steps", " × ".join(f"{n} {local.size[n]}" for n in message.times)
        ),
        Quantity(
            "need", local.points(message.needed), "words", "to be had", local.shown(message.needed)
        ),
        Quantity("overlap", overlap, "words", "already there", working),
    )


def explain_transfer(
    graph: Graph,
    transfer: Transfer,
    configurations: tuple[Configuration, Configuration],
    model: PaperCostModel,
) -> Term:
    """Take the cost of one tensor's redistribution apart.

    Args:
        graph: that the transfer belongs to.
        transfer: the tensor with its producer and consumer.
        configurations: of the producer and of the consumer.
        model: prices it.
    """
    sizes = transfer.tensor.sizes
    held_cut = _cut(graph.layers[transfer.producer], transfer.written, configurations[0])
    needed_cut = _cut(graph.layers[transfer.consumer], transfer.read, configurations[1])
    need = math.prod(size / q for size, q in zip(sizes, needed_cut, strict=True))
    overlap = math.prod(
        min(size / p, size / q) for size, p, q in zip(sizes, held_cut, needed_cut, strict=True)
    )
    working = " × ".join(
        _divided(size, max(p, q)) for size, p, q in zip(sizes, held_cut, needed_cut, strict=True)
    )
    n_held, n_needed = math.prod(held_cut), math.prod(needed_cut)
    if n_needed > n_held:
        overlap = 0.0
        working = f"none, as {n_needed} parts are needed and {n_held} held"
    return make_term(
        "redistribution",
        f"redistribution: {transfer.tensor.name}",
        formulas.TRANSFER,
        _words_price(model),
        Quantity("need", need, "words", "part that a device of the consumer reads",
                 " × ".join(map(_divided, sizes, needed_cut))),
        Quantity("overlap", overlap, "words", "of it already there", working),
    )  # fmt: skip


def _divided(size: int, parts: int) -> str:
    return f"{size}/{parts}" if parts > 1 else str(size)


def _cut(layer: Layer, access: Access, configuration: Configuration) -> list[int]:
    """Parts per axis of a tensor."""
    parts = dict(zip(layer.dimension_names, configuration, strict=True))
    return [math.prod(parts[name] for name in axis.dimensions) for axis in access.axes]


def sum_by_component(terms: Sequence[Term]) -> dict[str, float]:
    """Terms added up by component, in their order."""
    sums: dict[str, float] = {}
    for term in terms:
        sums[term.component] = sums.get(term.component, 0.0) + term.value
    return sums
