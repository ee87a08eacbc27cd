"""What the dimensions of a transformer's layers are for, told from the graph.

Files may call dimensions anything, so nothing but the batch is known by its name. Dimensions of
different layers belong to one *strand* if they cut the same axis of a tensor that goes from the
one to the other; of several that lie in one axis row-major, the outermost counts. To split a
strand everywhere moves no tensor. A product (a layer with weights that sums over dimensions of its
input) makes the strands that its weights alone have, and contracts those that it sums over.

    inner      made before it is contracted: hidden units and heads. The product that makes it is
               column-parallel, the one that contracts it row-parallel. The width of the model is
               none, as every block contracts and makes it again; nor is the width of a head, over
               which the scores sum without weights.
    words      made at the end of the graph and never contracted (vocabulary, classes), or the rows
               of a table from which some are looked up
    positions  what a softmax relates: its strands but the batch and an inner one, the heads

A graph is a transformer if a softmax has heads, and convolutions, if any, read the graph's inputs
only. A product that makes queries, keys and values as one axis, with the three before the heads,
cannot be cut by heads: heads are no inner strand then, and such a graph is not taken for one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import networkx as nx

from pase_core.axes import BATCH
from pase_core.graph import Graph
from pase_core.layers import Access, Layer

_Strands = tuple[dict[str, int], ...]
"""Per layer the strand of each dimension; strands are numbered by where they come first."""


@dataclass(frozen=True, slots=True)
class Roles:
    """What the dimensions of one layer are for.

    Attributes:
        inner: heads or hidden units, the outermost first.
        words: vocabulary or classes.
        positions: the steps of the sequence that the layer's result has; empty if none.
    """

    inner: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    positions: str = ""


@dataclass(frozen=True, slots=True)
class _Uses:
    """What a layer does with its dimensions.

    Attributes:
        contracted: summed over, as rows of weights.
        made: columns of such weights.
        looked_up: only a table has them, of which the layer reads some rows.
        condensed: summed over without weights, or behind a statistic that is exchanged.
    """

    contracted: frozenset[str]
    made: frozenset[str]
    looked_up: frozenset[str]
    condensed: frozenset[str]


@lru_cache(maxsize=8)
def transformer_roles(graph: Graph) -> Mapping[str, Roles]:
    """Roles of the dimensions by layer name; nothing if the graph is no transformer."""
    strands = _strands(graph)
    uses = tuple(_uses(layer) for layer in graph.layers)
    inner = _inner(graph, strands, uses)
    positions = _positions(graph, strands, inner)
    if not positions or _convolves(graph):
        return {}
    words = _words(graph, strands, uses)

    def roles(layer: Layer, own: dict[str, int], use: _Uses) -> Roles:
        ordered = sorted(own, key=own.__getitem__)
        kept = (d for d in own if d not in use.condensed | use.contracted)
        return Roles(
            tuple(d for d in ordered if own[d] in inner),
            tuple(d for d in ordered if own[d] in words),
            next((d for d in kept if own[d] in positions), ""),
        )

    return {
        layer.name: roles(layer, own, use)
        for layer, own, use in zip(graph.layers, strands, uses, strict=True)
    }


def _strands(graph: Graph) -> _Strands:
    ties: nx.Graph[tuple[int, str]] = nx.Graph()
    for position, layer in enumerate(graph.layers):
        ties.add_nodes_from((position, name) for name in layer.dimension_names)
    for transfer in graph.transfers:
        for written, read in zip(transfer.written.axes, transfer.read.axes, strict=True):
            if written.dimensions and read.dimensions:
                ties.add_edge(
                    (transfer.producer, written.dimensions[0]),
                    (transfer.consumer, read.dimensions[0]),
                )
    strands: _Strands = tuple({} for _layer in graph.layers)
    for number, members in enumerate(nx.connected_components(ties)):
        for position, name in members:
            strands[position][name] = number
    return tuple(
        {name: own[name] for name in layer.dimension_names}
        for layer, own in zip(graph.layers, strands, strict=True)
    )


def _uses(layer: Layer) -> _Uses:
    read, written, trained = map(_cut, (layer.inputs, layer.outputs, layer.parameters))
    contracted = read & trained - written
    lost = read - written - trained if written else frozenset[str]()
    return _Uses(
        contracted,
        made=written & trained - read if contracted else frozenset(),
        looked_up=frozenset() if contracted else trained - read - written,
        condensed=lost.union(*(message.over for message in layer.messages)),
    )


def _cut(accesses: tuple[Access, ...]) -> frozenset[str]:
    """The dimensions that cut any of the tensors."""
    return frozenset(name for access in accesses for name in access.dimensions)


def _inner(graph: Graph, strands: _Strands, uses: tuple[_Uses, ...]) -> set[int]:
    """Strands that are made before they are contracted, and never condensed."""
    last_made: dict[int, int] = {}
    first_contracted: dict[int, int] = {}
    condensed: set[int] = set()
    for time, position in enumerate(graph.topological_order):
        own, use = strands[position], uses[position]
        last_made |= {own[name]: time for name in use.made}
        for name in use.contracted:
            first_contracted.setdefault(own[name], time)
        condensed |= {own[name] for name in use.condensed}
    return {
        strand
        for strand, time in first_contracted.items()
        if last_made.get(strand, time) < time and strand not in condensed
    }


def _positions(graph: Graph, strands: _Strands, inner: set[int]) -> set[int]:
    """What the softmaxes with heads relate."""
    return {
        strand
        for layer, own in zip(graph.layers, strands, strict=True)
        if layer.operation == "softmax" and not inner.isdisjoint(own.values())
        for name, strand in own.items()
        if name != BATCH and strand not in inner
    }


def _words(graph: Graph, strands: _Strands, uses: tuple[_Uses, ...]) -> set[int]:
    """Strands that are looked up, or that are made and end where the graph ends."""
    looked_up: set[int] = set()
    made: set[int] = set()
    contracted: set[int] = set()
    for own, use in zip(strands, uses, strict=True):
        looked_up |= {own[name] for name in use.looked_up}
        made |= {own[name] for name in use.made}
        contracted |= {own[name] for name in use.contracted}
    followed = {transfer.producer for transfer in graph.transfers}
    at_the_end = {
        strand
        for position, own in enumerate(strands)
        if position not in followed
        for strand in own.values()
    }
    return looked_up | (made & at_the_end) - contracted


def _convolves(graph: Graph) -> bool:
    """Whether a convolution reads what another layer writes."""
    return any(graph.layers[t.consumer].operation == "convolution" for t in graph.transfers)
