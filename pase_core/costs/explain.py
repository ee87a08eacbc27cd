"""The cost audit: every number of the paper's cost model taken apart into its addends.

The slow twin of `PaperCostModel`: plain numbers instead of arrays, one layer and one configuration
at a time. The terms of a layer add up to its cost component by component, in the model's order.
"""

from __future__ import annotations

import math

from pase_core.costs import formulas
from pase_core.costs.explain_local import (
    MESSAGE_TITLES,
    SUMS,
    Configuration,
    Local,
    axis_cuts,
    bordered,
    divided,
    exchanged,
    relaid,
)
from pase_core.costs.formulas import Quantity, Term, make_term
from pase_core.costs.paper import PaperCostModel
from pase_core.graph import Graph, Transfer
from pase_core.layers import Access, Layer, Reduction, Work
from pase_core.messages import AllReduce, Exchange, Halo, Message, Relayout


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
    local = Local(layer, configuration)
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


def _work_term(work: Work, local: Local, model: PaperCostModel) -> Term:
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
    component: str, layer: Layer, access: Access, local: Local, model: PaperCostModel
) -> Term:
    title = f"all-reduce of {SUMS[component]}: {access.tensor}"
    return _all_reduce_term(component, title, layer.reduction(access), local, model)


def _all_reduce_term(
    component: str,
    title: str,
    reduction: Reduction | AllReduce,
    local: Local,
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


def _message_term(message: Message, local: Local, model: PaperCostModel) -> Term:
    price = _words_price(model)
    sent: tuple[Quantity, ...]
    match message:
        case AllReduce():
            return _all_reduce_term(message.component, "all-reduce", message, local, model)
        case Exchange():
            formula, sent = formulas.EXCHANGE, (exchanged(message, local),)
        case Halo():
            formula, sent = formulas.HALO, bordered(message, local)
        case Relayout():
            formula, sent = formulas.RELAYOUT, relaid(message, local)
    return make_term(message.component, MESSAGE_TITLES[message.kind], formula, price, *sent)


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
    held_cut = axis_cuts(graph.layers[transfer.producer], transfer.written, configurations[0])
    needed_cut = axis_cuts(graph.layers[transfer.consumer], transfer.read, configurations[1])
    need = math.prod(size / q for size, q in zip(sizes, needed_cut, strict=True))
    overlap = math.prod(
        min(size / p, size / q) for size, p, q in zip(sizes, held_cut, needed_cut, strict=True)
    )
    working = " × ".join(
        divided(size, max(p, q)) for size, p, q in zip(sizes, held_cut, needed_cut, strict=True)
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
                 " × ".join(map(divided, sizes, needed_cut))),
        Quantity("overlap", overlap, "words", "of it already there", working),
    )  # fmt: skip
