"""What there is to be priced: configurations, transfers, and which tables will be equal.

The outline is quick, and is enough to refuse what would not fit the memory, or could not be
searched.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from pase_core.components import LAYER_COMPONENTS
from pase_core.configurations import Devices, Splits, axis_columns, configurations
from pase_core.cost_tables import TableShape
from pase_core.costs.surroundings import Surroundings, passage_of, surroundings_of
from pase_core.graph import Graph, Transfer
from pase_core.layers import Layer


def layer_key(layer: Layer) -> object:
    """What decides a layer's configurations: all but its name and its tensors'."""
    accesses = (layer.outputs, layer.inputs, layer.parameters)
    return (
        layer.dimensions,
        tuple(tuple((a.axes, layer.reduction(a)) for a in each) for each in accesses),
        layer.work,
        layer.messages,
        layer.row_major,
    )


@dataclass(frozen=True, eq=False)
class Outline:
    """What there is to be priced.

    Attributes:
        graph: the network.
        around: per layer the tensors around it.
        configurations: per layer its configurations; equal layers share one array.
        transfers: per edge, a pair of neighbours, the tensors that go from the one to the other.
        shape: of the cost tables; equal layers and equal transfers have equal keys.
    """

    graph: Graph
    around: tuple[Surroundings, ...]
    configurations: tuple[Splits, ...]
    transfers: tuple[tuple[Transfer, ...], ...]
    shape: TableShape


def outline_costs(
    graph: Graph,
    n_devices: int,
    min_part: int = 1,
    devices: Devices = "any",
    *,
    sees_surroundings: bool = False,
) -> Outline:
    """Enumerate the configurations of every layer, and find out which tables will be equal.

    Args:
        graph: the network.
        n_devices: number of devices.
        min_part: smallest part that a split may leave.
        devices: which products of splits are allowed.
        sees_surroundings: whether the tensors around equal layers may tell their costs apart.

    Raises:
        OptionError: if n_devices or min_part is out of range.
        BudgetError: if a layer has too many configurations.
    """
    around = surroundings_of(graph)
    kinds = _numbers(map(layer_key, graph.layers))
    splits_of: dict[int, Splits] = {}
    for layer, kind in zip(graph.layers, kinds, strict=True):
        if kind not in splits_of:
            splits_of[kind] = configurations(layer, n_devices, min_part, devices)
    splits = tuple(splits_of[kind] for kind in kinds)
    keys = _numbers(zip(kinds, around, strict=True)) if sees_surroundings else kinds
    return _outline(graph, around, splits, keys, sees_surroundings)


def outline_strategy(graph: Graph, configurations: Sequence[Sequence[int]]) -> Outline:
    """The outline of a single strategy: one configuration per layer, to be priced alone.

    Args:
        graph: the network.
        configurations: parts per dimension, one per layer.
    """
    around = surroundings_of(graph)
    splits = tuple(np.array([row], dtype=np.int64) for row in configurations)
    keys = zip(map(layer_key, graph.layers), around, map(tuple, configurations), strict=True)
    return _outline(graph, around, splits, _numbers(keys), sees_surroundings=True)


def _outline(
    graph: Graph,
    around: tuple[Surroundings, ...],
    splits: tuple[Splits, ...],
    vertex_keys: tuple[int, ...],
    sees_surroundings: bool,
) -> Outline:
    """Find the pairs of neighbours, and which of them are equal."""
    between: dict[tuple[int, int], list[Transfer]] = {}
    for transfer in graph.transfers:
        between.setdefault((transfer.producer, transfer.consumer), []).append(transfer)
    ends = (
        tuple(
            (
                _transfer_key(graph, t, vertex_keys),
                passage_of(t, around, graph) if sees_surroundings else None,
            )
            for t in each
        )
        for each in between.values()
    )
    shape = TableShape(
        n_choices=tuple(len(each) for each in splits),
        edges=tuple(between),
        vertex_keys=vertex_keys,
        edge_keys=_numbers(ends),
        n_components=len(LAYER_COMPONENTS),
        names=tuple(layer.name for layer in graph.layers),
    )
    transfers = tuple(tuple(each) for each in between.values())
    return Outline(graph, around, splits, transfers, shape)


def _numbers(keys: Iterable[Hashable]) -> tuple[int, ...]:
    """Number keys, equal ones alike."""
    number: dict[Hashable, int] = {}
    return tuple(number.setdefault(key, len(number)) for key in keys)


def _transfer_key(graph: Graph, transfer: Transfer, vertex_keys: tuple[int, ...]) -> Hashable:
    """What decides a transfer's table: both cuts, both sets of configurations, the sizes."""
    return (
        vertex_keys[transfer.producer],
        vertex_keys[transfer.consumer],
        axis_columns(graph.layers[transfer.producer], transfer.written),
        axis_columns(graph.layers[transfer.consumer], transfer.read),
        transfer.tensor.sizes,
    )
