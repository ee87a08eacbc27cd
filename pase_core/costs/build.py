"""From a graph and a cost model to cost tables.

    Graph + number of devices -> Outline (what there is to be priced) -> Costs

The outline is quick, and is enough to refuse what would not fit the memory, or could not be
searched.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pase_core.components import LAYER_COMPONENTS
from pase_core.configurations import Splits, configurations
from pase_core.cost_tables import Array, CostTables, PairTable, TableShape
from pase_core.errors import BudgetError
from pase_core.graph import Graph, Transfer
from pase_core.layers import Access, Layer


class CostModel(Protocol):
    """What a cost model must answer; see `PaperCostModel` for shapes."""

    @property
    def unit(self) -> str:
        """Unit of every cost, such as FLOP."""

    def layer_costs(self, layer: Layer, splits: NDArray[np.int64]) -> Array:
        """Costs of a layer by component, shape (n_components, n_configurations)."""

    def transfer_costs(self, sizes: Array, cut_producer: Array, cut_consumer: Array) -> Array:
        """Costs of a transfer, shape (n_producer, n_consumer)."""

    def seconds(self, cost: float) -> float:
        """A cost as time."""


@dataclass(frozen=True, eq=False)
class Costs:
    """Cost tables, with the configurations that their rows stand for.

    Attributes:
        configurations: per layer its configurations; equal layers share one array.
        tables: what search reads.
    """

    configurations: tuple[Splits, ...]
    tables: CostTables


def layer_key(layer: Layer) -> object:
    """What decides a layer's configurations and costs: all but its name and its tensors'."""
    return (
        layer.dimensions,
        tuple(layer.reduction(access) for access in layer.outputs),
        tuple(layer.reduction(access) for access in layer.inputs),
        tuple(layer.reduction(access) for access in layer.parameters),
        layer.work,
        layer.messages,
        layer.row_major,
    )


@dataclass(frozen=True, eq=False)
class Outline:
    """What there is to be priced.

    Attributes:
        graph: the network.
        configurations: per layer its configurations; equal layers share one array.
        transfers: per edge, a pair of neighbours, the tensors that go from the one to the other.
        shape: of the cost tables; equal layers and equal transfers have equal keys.
    """

    graph: Graph
    configurations: tuple[Splits, ...]
    transfers: tuple[tuple[Transfer, ...], ...]
    shape: TableShape


def build_costs(
    graph: Graph,
    model: CostModel,
    n_devices: int,
    min_part: int = 1,
    memory_budget_bytes: float = float("inf"),
) -> Costs:
    """Price every configuration of every layer and every pair of neighbours.

    Args:
        graph: the network.
        model: prices layers and transfers.
        n_devices: number of devices.
        min_part: smallest part that a split may leave.
        memory_budget_bytes: for the cost tables.

    Raises:
        BudgetError: if the tables do not fit the budget.
    """
    return price_outline(outline_costs(graph, n_devices, min_part), model, memory_budget_bytes)


def outline_costs(graph: Graph, n_devices: int, min_part: int = 1) -> Outline:
    """Enumerate the configurations of every layer, and find out which tables will be equal.

    Args:
        graph: the network.
        n_devices: number of devices.
        min_part: smallest part that a split may leave.

    Raises:
        OptionError: if n_devices or min_part is out of range.
        BudgetError: if a layer has too many configurations.
    """
    vertex_keys = _numbers(layer_key(layer) for layer in graph.layers)
    splits_of: dict[int, Splits] = {}
    for layer, key in zip(graph.layers, vertex_keys, strict=True):
        if key not in splits_of:
            splits_of[key] = configurations(layer, n_devices, min_part)
    splits = tuple(splits_of[key] for key in vertex_keys)
    between: dict[tuple[int, int], list[Transfer]] = {}
    for transfer in graph.transfers:
        between.setdefault((transfer.producer, transfer.consumer), []).append(transfer)
    ends = (tuple(_transfer_key(graph, t, vertex_keys) for t in each) for each in between.values())
    shape = TableShape(
        n_choices=tuple(len(each) for each in splits),
        edges=tuple(between),
        vertex_keys=vertex_keys,
        edge_keys=_numbers(ends),
        n_components=len(LAYER_COMPONENTS),
        names=tuple(layer.name for layer in graph.layers),
    )
    return Outline(graph, splits, tuple(tuple(each) for each in between.values()), shape)


def _numbers(keys: Iterable[Hashable]) -> tuple[int, ...]:
    """Number keys, equal ones alike."""
    number: dict[Hashable, int] = {}
    return tuple(number.setdefault(key, len(number)) for key in keys)


def price_outline(
    outline: Outline, model: CostModel, memory_budget_bytes: float = float("inf")
) -> Costs:
    """Price what an outline lists; equal layers and equal transfers once, to share arrays.

    Args:
        outline: configurations and transfers.
        model: prices layers and transfers.
        memory_budget_bytes: for the cost tables.

    Raises:
        BudgetError: if the tables do not fit the budget; nothing has been priced then.
    """
    check_budget(outline.shape, memory_budget_bytes)
    graph, splits, shape = outline.graph, outline.configurations, outline.shape
    parts_of: dict[Hashable, Array] = {}
    totals_of: dict[Hashable, Array] = {}
    for layer, key, rows in zip(graph.layers, shape.vertex_keys, splits, strict=True):
        if key not in parts_of:
            parts_of[key] = model.layer_costs(layer, rows)
            totals_of[key] = parts_of[key].sum(axis=0)
    made: dict[Hashable, Array] = {}
    for key, transfers in zip(shape.edge_keys, outline.transfers, strict=True):
        if key not in made:
            made[key] = _sum_of_transfers(graph, model, transfers, splits)
    tables = CostTables(
        vertices=tuple(totals_of[key] for key in shape.vertex_keys),
        pairs=tuple(
            PairTable(producer, consumer, made[key])
            for (producer, consumer), key in zip(shape.edges, shape.edge_keys, strict=True)
        ),
        components=LAYER_COMPONENTS,
        parts=tuple(parts_of[key] for key in shape.vertex_keys),
        names=shape.names,
    )
    return Costs(splits, tables)


def check_budget(shape: TableShape, memory_budget_bytes: float) -> None:
    """Check the tables of a shape against a memory budget, before they are priced.

    Raises:
        BudgetError: if they do not fit; it names the transfer at which they are too much, the
            tables of the layers counted first, then those of the transfers in order.
    """
    if shape.n_bytes <= memory_budget_bytes:
        return
    n_bytes, seen = sum(shape.vertex_bytes.values()), set[Hashable]()
    place = "those of the layers alone reach"
    for key, (first, second) in zip(shape.edge_keys, shape.edges, strict=True):
        if n_bytes > memory_budget_bytes:
            break
        n_bytes += 0 if key in seen else shape.edge_bytes[key]
        seen.add(key)
        place = (
            f"at {shape.name(first)!r} -> {shape.name(second)!r} ({shape.n_choices[first]} x "
            f"{shape.n_choices[second]} configurations) they reach"
        )
    raise BudgetError(
        f"the cost tables need {shape.n_bytes / 1e9:.3g} GB, more than the memory budget of "
        f"{memory_budget_bytes / 1e9:.3g} GB: {place} {n_bytes / 1e9:.3g} GB; raise the budget "
        "(--memory-budget), use fewer devices or a larger smallest part (--min-part)"
    )


def _transfer_key(graph: Graph, transfer: Transfer, vertex_keys: tuple[int, ...]) -> Hashable:
    """What decides a transfer's table: both cuts, both sets of configurations, the sizes."""
    return (
        vertex_keys[transfer.producer],
        vertex_keys[transfer.consumer],
        _axis_columns(graph.layers[transfer.producer], transfer.written),
        _axis_columns(graph.layers[transfer.consumer], transfer.read),
        transfer.tensor.sizes,
    )


def _axis_columns(layer: Layer, access: Access) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(layer.columns(axis.dimensions)) for axis in access.axes)


def tensor_cuts(layer: Layer, access: Access, splits: Splits) -> Splits:
    """Parts per axis of a tensor under each configuration, shape (n_configurations, n_axes)."""
    cuts = np.ones((len(splits), len(access.axes)), dtype=np.int64)
    for axis, columns in enumerate(_axis_columns(layer, access)):
        cuts[:, axis] = splits[:, columns].prod(axis=1)
    return cuts


def _sum_of_transfers(
    graph: Graph, model: CostModel, transfers: tuple[Transfer, ...], splits: tuple[Splits, ...]
) -> Array:
    first, *rest = (_transfer_table(graph, model, transfer, splits) for transfer in transfers)
    for table in rest:
        first += table
    return first


def _transfer_table(
    graph: Graph, model: CostModel, transfer: Transfer, splits: tuple[Splits, ...]
) -> Array:
    """Table over all configurations, priced only once per distinct pair of cuts."""
    producer, consumer = transfer.producer, transfer.consumer
    held = tensor_cuts(graph.layers[producer], transfer.written, splits[producer])
    needed = tensor_cuts(graph.layers[consumer], transfer.read, splits[consumer])
    cuts_producer, rows = np.unique(held, axis=0, return_inverse=True)
    cuts_consumer, columns = np.unique(needed, axis=0, return_inverse=True)
    sizes = np.array(transfer.tensor.sizes, dtype=np.float64)
    small = model.transfer_costs(
        sizes, cuts_producer.astype(np.float64), cuts_consumer.astype(np.float64)
    )
    return small[np.ix_(rows.reshape(-1), columns.reshape(-1))]
