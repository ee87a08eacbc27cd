"""From a graph and a cost model to cost tables.

Graph + number of devices -> Outline (`pase_core.costs.cost_outline`) -> Costs
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pase_core.configurations import Devices, Splits
from pase_core.cost_tables import Array, CostTables, PairTable, TableShape
from pase_core.costs.cost_outline import Outline, outline_costs
from pase_core.costs.surroundings import Passage, Surroundings, passage_of
from pase_core.errors import BudgetError
from pase_core.graph import Graph, Transfer
from pase_core.layers import Access, Layer

Features = NDArray[np.int64]


class CostModel(Protocol):
    """What a cost model must answer; see `PaperCostModel` and `ClusterCostModel`."""

    @property
    def unit(self) -> str:
        """Unit of every cost, such as FLOP."""

    @property
    def sees_surroundings(self) -> bool:
        """Whether the tensors around equal layers may tell their costs apart."""

    @property
    def components(self) -> tuple[str, ...]:
        """Names of the parts of a layer's costs."""

    def layer_costs(self, layer: Layer, splits: Splits, around: Surroundings) -> Array:
        """Costs of a layer by component, shape (n_components, n_configurations)."""

    def transfer_features(
        self, layer: Layer, access: Access, splits: Splits, around: Surroundings
    ) -> Features:
        """What decides the cost of a transfer at one end, shape (n_configurations, n_features)."""

    def transfer_costs(
        self, sizes: Array, held: Features, needed: Features, passage: Passage
    ) -> Array:
        """Costs of a transfer between distinct features, shape (n_held, n_needed)."""

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


def build_costs(
    graph: Graph,
    model: CostModel,
    n_devices: int,
    min_part: int = 1,
    memory_budget_bytes: float = float("inf"),
    devices: Devices = "any",
) -> Costs:
    """Price every configuration of every layer and every pair of neighbours.

    Args:
        graph: the network.
        model: prices layers and transfers.
        n_devices: number of devices.
        min_part: smallest part that a split may leave.
        memory_budget_bytes: for the cost tables.
        devices: which products of splits are allowed.

    Raises:
        BudgetError: if the tables do not fit the budget.
    """
    outline = outline_costs(
        graph, n_devices, min_part, devices, sees_surroundings=model.sees_surroundings
    )
    return price_outline(outline, model, memory_budget_bytes)


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
    layers = zip(graph.layers, shape.vertex_keys, splits, outline.around, strict=True)
    for layer, key, rows, around in layers:
        if key not in parts_of:
            parts_of[key] = model.layer_costs(layer, rows, around)
            totals_of[key] = parts_of[key].sum(axis=0)
    made: dict[Hashable, Array] = {}
    for key, transfers in zip(shape.edge_keys, outline.transfers, strict=True):
        if key not in made:
            made[key] = _sum_of_transfers(outline, model, transfers)
    tables = CostTables(
        vertices=tuple(totals_of[key] for key in shape.vertex_keys),
        pairs=tuple(
            PairTable(producer, consumer, made[key])
            for (producer, consumer), key in zip(shape.edges, shape.edge_keys, strict=True)
        ),
        components=model.components,
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


def _sum_of_transfers(outline: Outline, model: CostModel, transfers: tuple[Transfer, ...]) -> Array:
    first, *rest = (_transfer_table(outline, model, transfer) for transfer in transfers)
    for table in rest:
        first += table
    return first


def _transfer_table(outline: Outline, model: CostModel, transfer: Transfer) -> Array:
    """Table over all configurations, priced only once per distinct pair of features."""

    def features(position: int, access: Access) -> Features:
        layer, splits = outline.graph.layers[position], outline.configurations[position]
        return model.transfer_features(layer, access, splits, outline.around[position])

    held = features(transfer.producer, transfer.written)
    needed = features(transfer.consumer, transfer.read)
    distinct_held, rows = np.unique(held, axis=0, return_inverse=True)
    distinct_needed, columns = np.unique(needed, axis=0, return_inverse=True)
    sizes = np.array(transfer.tensor.sizes, dtype=np.float64)
    passage = passage_of(transfer, outline.around, outline.graph)
    small = model.transfer_costs(sizes, distinct_held, distinct_needed, passage)
    return small[np.ix_(rows.reshape(-1), columns.reshape(-1))]
