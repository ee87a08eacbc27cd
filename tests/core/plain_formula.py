"""The paper's formula as its text has it, and what `cluster` reads differently, one by one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pase_core.collectives import LocalSizes, message_words, reduction_words
from pase_core.configurations import tensor_cuts
from pase_core.graph import Graph, Transfer
from pase_core.layers import Access, Layer
from pase_core.messages import Relayout


@dataclass(frozen=True)
class Reading:
    """Seconds of a strategy, FLOP / F + bytes / B: as the paper and its prototype have it, or less.

    every_gradient: the first layers, too, compute the gradient of what they read.
    doubled: the backward pass of a transfer takes as much as the forward one.
    nothing_in_common: of a cut into more parts than the producer's, no device holds anything.
    one_hot: work and messages that only the prototype has.
    copies: reductions of more than the tensor that is reduced.
    steps: what a recurrence fetches, as if equal parts lay on equal devices.
    """

    flop_per_second: float
    bytes_per_second: float
    every_gradient: bool = True
    doubled: bool = True
    nothing_in_common: bool = True
    one_hot: bool = True
    copies: bool = True
    steps: bool = True
    word_bytes: float = 4.0

    def layers(self, graph: Graph, rows: Sequence[Sequence[int]]) -> list[float]:
        found = _with_gradient(graph)
        return [
            self._layer(graph, layer, np.array([row]), found)
            for layer, row in zip(graph.layers, rows, strict=True)
        ]

    def transfers(self, graph: Graph, rows: Sequence[Sequence[int]]) -> list[float]:
        found = _with_gradient(graph)
        return [self._transfer(graph, t, rows, found) for t in graph.transfers]

    def total(self, graph: Graph, rows: Sequence[Sequence[int]]) -> float:
        return sum(self.layers(graph, rows)) + sum(self.transfers(graph, rows))

    def _layer(self, graph: Graph, layer: Layer, row: np.ndarray, found: set[str]) -> float:
        local = LocalSizes(layer, row)
        read = [a for a in layer.inputs if self.every_gradient or _asks_for(a, found)]
        trains = 1 if layer.parameters else 0
        operands = len(layer.inputs) + trains
        passes = 1 + 2 * (len(read) + trains) / operands if operands else 1
        flop = sum(
            (2 if work.unit == "multiply_add" else 1) * work.count * local.points(work.over)[0]
            for work in layer.work
            if self.one_hot or not work.prototype
        )
        reduced = (*layer.outputs, *read, *layer.parameters)
        words = sum(self._reduced(graph, layer, access, local) for access in reduced)
        for message in layer.messages:
            if isinstance(message, Relayout) and not self.steps:
                words += _lacking(message, local)
            elif self.one_hot or not getattr(message, "prototype", False):
                words += message_words(message, local)[0]
        return flop * passes / 3 / self.flop_per_second + self._seconds(words)

    def _reduced(self, graph: Graph, layer: Layer, access: Access, local: LocalSizes) -> float:
        if self.copies or not (access.reduction and access.reduction.prototype):
            return reduction_words(layer.reduction(access), local)[0]
        size = next(math.prod(t.sizes) for t in graph.tensors if t.name == access.tensor)
        parts = local.parts(access.dimensions)[0]
        q = local.parts(tuple(n for n in layer.dimension_names if n not in access.dimensions))[0]
        return 2 * size / parts * (q - 1) / q

    def _transfer(self, graph: Graph, t: Transfer, rows, found: set[str]) -> float:
        ends = ((t.producer, t.written), (t.consumer, t.read))
        held, needed = (tensor_cuts(graph.layers[v], a, np.array([rows[v]]))[0] for v, a in ends)
        size = math.prod(t.tensor.sizes)
        common = size / math.prod(np.maximum(held, needed).tolist())  # powers of two nest
        hidden = self.nothing_in_common and needed.prod() > held.prod()
        forward = size / needed.prod() - (0.0 if hidden else common)
        backward = size / held.prod() - common
        if self.doubled:
            return self._seconds(2 * forward)
        return self._seconds(forward + (backward if _asks_for(t.read, found) else 0.0))

    def _seconds(self, words: float) -> float:
        return float(words) * self.word_bytes / self.bytes_per_second


def _lacking(message: Relayout, local: LocalSizes) -> float:
    need = local.points(message.needed)[0]
    own = math.prod(
        1 / local.parts((a,))[0] if a != b else 1
        for a, b in zip(message.held, message.needed, strict=True)
    )
    return local.points(message.times)[0] * need * (1 - own)


def _asks_for(access: Access, found: set[str]) -> bool:
    is_number = access.reduction is not None and not access.reduction.tile
    return access.tensor in found and not is_number


def _with_gradient(graph: Graph) -> set[str]:
    """Tensors that depend on something trained."""
    found: set[str] = set()
    for _round in graph.layers:
        for layer in graph.layers:
            if layer.parameters or found & {a.tensor for a in layer.inputs}:
                found |= {a.tensor for a in layer.outputs}
    return found


def kendall_tau(first: Sequence[float], second: Sequence[float]) -> float:
    """Share of pairs in the same order less that of pairs in the opposite one."""
    a, b = (np.sign(np.subtract.outer(x, x)) for x in (np.array(first), np.array(second)))
    return float((a * b).sum() / (len(first) * (len(first) - 1)))
