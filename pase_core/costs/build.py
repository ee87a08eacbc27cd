"""From a graph and a cost model to cost tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pase_core.components import LAYER_COMPONENTS
from pase_core.configurations import Splits, configurations
from pase_core.cost_tables import Array, CostTables, PairTable
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


def build_costs(
    graph: Graph,
    model: CostModel,
    n_devices: int,
    min_part: int = 1,
    memory_budget_bytes: float = float("inf"),
) -> Costs:
    """Price every configuration of every layer and every pair of neighbours.

    Equal layers and equal transfers are priced once and share arrays.

    Args:
        graph: the network.
        model: prices layers and transfers.
        n_devices: number of devices.
        min_part: smallest part that a split may leave.
        memory_budget_bytes: for the tables of all transfers together.

    Raises:
        BudgetError: if the tables do not fit the budget.
    """
    splits_of: dict[object, Splits] = {}
    costs_of: dict[object, Array] = {}
    totals_of: dict[object, Array] = {}
    keys = [layer_key(layer) for layer in graph.layers]
    for layer, key in zip(graph.layers, keys, strict=True):
        if key not in splits_of:
            splits_of[key] = configurations(layer, n_devices, min_part)
            costs_of[key] = model.layer_costs(layer, splits_of[key])
            totals_of[key] = costs_of[key].sum(axis=0)
    splits = tuple(splits_of[key] for key in keys)
    tables = CostTables(
        vertices=tuple(totals_of[key] for key in keys),
        pairs=_pair_tables(graph, model, splits, memory_budget_bytes),
        components=LAYER_COMPONENTS,
        parts=tuple(costs_of[key] for key in keys),
        names=tuple(layer.name for layer in graph.layers),
    )
    return Costs(splits, tables)


TransferKey = tuple[object, ...]


def _pair_tables(
    graph: Graph, model: CostModel, splits: tuple[Splits, ...], memory_budget_bytes: float
) -> tuple[PairTable, ...]:
    """One table per pair of neighbours; several tensors between the same two add up."""
    between: dict[tuple[int, int], list[Transfer]] = {}
    for transfer in graph.transfers:
        between.setdefault((transfer.producer, transfer.consumer), []).append(transfer)
    made: dict[TransferKey, Array] = {}
    pairs, n_bytes = [], 0.0
    for (producer, consumer), transfers in between.items():
        key: TransferKey = tuple(_transfer_key(graph, t, splits) for t in transfers)
        if key not in made:
            n_bytes += 8.0 * len(splits[producer]) * len(splits[consumer])
            _check_budget(graph, (producer, consumer), splits, n_bytes, memory_budget_bytes)
            made[key] = _sum_of_transfers(graph, model, transfers, splits)
        pairs.append(PairTable(producer, consumer, made[key]))
    return tuple(pairs)


def _check_budget(
    graph: Graph,
    edge: tuple[int, int],
    splits: tuple[Splits, ...],
    n_bytes: float,
    memory_budget_bytes: float,
) -> None:
    if n_bytes <= memory_budget_bytes:
        return
    first, second = (graph.layers[position].name for position in edge)
    raise BudgetError(
        f"the cost tables need more than the memory budget of {memory_budget_bytes / 1e9:.3g} GB: "
        f"at {first!r} -> {second!r} ({len(splits[edge[0]])} x {len(splits[edge[1]])} "
        f"configurations) they reach {n_bytes / 1e9:.3g} GB; raise the budget, use fewer devices "
        "or a larger smallest part"
    )


def _transfer_key(graph: Graph, transfer: Transfer, splits: tuple[Splits, ...]) -> TransferKey:
    """What decides a transfer's table: both cuts, both sets of configurations, the sizes."""
    return (
        id(splits[transfer.producer]),
        id(splits[transfer.consumer]),
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
    graph: Graph, model: CostModel, transfers: list[Transfer], splits: tuple[Splits, ...]
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
    return np.ascontiguousarray(small[rows.reshape(-1)][:, columns.reshape(-1)])
