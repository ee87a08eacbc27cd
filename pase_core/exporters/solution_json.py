"""Solutions and comparisons as JSON (`pase.solution/1`, `pase.comparison/1`)."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TypedDict

from pase_core.components import FETCHED, REDISTRIBUTION
from pase_core.graph import Graph
from pase_core.solve import Comparison, Problem, Solution
from pase_core.strategy import PricedStrategy

Json = dict[str, object]


class LayerRow(TypedDict):
    """One layer of a strategy."""

    layer: str
    operation: str
    dimensions: dict[str, int]
    configuration: dict[str, int]
    cost: float
    transfers_in: float


def strategy_rows(graph: Graph, priced: PricedStrategy) -> list[LayerRow]:
    """One row per layer: sizes, splits, cost without transfers and cost of those into it."""
    rows = zip(
        graph.layers,
        priced.strategy.configurations,
        priced.layer_costs,
        priced.incoming_transfers,
        strict=True,
    )
    return [
        {
            "layer": layer.name,
            "operation": layer.operation,
            "dimensions": dict(zip(layer.dimension_names, layer.sizes, strict=True)),
            "configuration": dict(zip(layer.dimension_names, configuration, strict=True)),
            "cost": float(cost),
            "transfers_in": float(transfers_in),
        }
        for layer, configuration, cost, transfers_in in rows
    ]


def setup_to_dict(problem: Problem) -> Json:
    """Network, devices and options of a problem."""
    graph, cluster = problem.graph, problem.cluster
    return {
        "graph": {
            "name": graph.name,
            "layers": len(graph.layers),
            "transfers": len(graph.transfers),
        },
        "cluster": {
            "name": cluster.name,
            "devices": cluster.n_devices,
            "devices_per_node": cluster.devices_per_node,
            "flop_per_second": cluster.flop_per_second(problem.element_type),
            "bytes_per_second": cluster.bytes_per_second,
        },
        "options": {
            "cost_model": problem.cost.model,
            "word_bytes": problem.word_bytes,
            "flop_per_multiply_add": problem.cost.flop_per_multiply_add,
            "min_part": problem.cost.min_part,
            "memory_limit_bytes": problem.memory_limit_bytes,
            **asdict(problem.cost.step),
            "element_type": problem.element_type,
        },
    }


def _figures(priced: PricedStrategy, held: PricedStrategy, solution: Solution) -> Json:
    """What a strategy costs and needs as a whole."""
    return {
        "cost": {
            "total": priced.total,
            "unit": solution.unit,
            "seconds": solution.seconds(priced.total),
            "components": dict(priced.components),
        },
        "communication_share": priced.communication_share,
        "memory_bytes_per_device": {"total": held.total, "components": held_components(held)},
        "parameter_bytes_per_device": solution.parameter_bytes_per_device(priced.strategy),
    }


def held_components(held: PricedStrategy) -> dict[str, float]:
    """Bytes by their parts; what the transfers make up is `fetched`."""
    parts = dict(held.components)
    fetched = parts.pop(REDISTRIBUTION)
    return parts | {FETCHED: fetched}


def solution_to_dict(solution: Solution) -> Json:
    """A solution as plain data, schema `pase.solution/1`; costs are modelled, not measured."""
    graph, search = solution.problem.graph, solution.search
    names = [layer.name for layer in graph.layers]
    return {
        "schema": "pase.solution/1",
        **setup_to_dict(solution.problem),
        **_figures(solution.found, solution.memory, solution),
        "search": {
            "method": search.method,
            "ordering": search.ordering,
            "proved_optimal": search.proved_optimal,
            "lower_bound": search.lower_bound,
            "pinned_layers": search.n_pinned,
            "keeps_memory_limit": search.keeps_limit,
            "seconds": {"tables": solution.tables_seconds, "search": solution.search_seconds},
            "loading_seconds": search.loading_seconds,
            "configurations": solution.n_configurations,
            "joint_entries": search.n_joint,
            "largest_table": search.largest_table,
            "peak_bytes": search.peak_bytes,
        },
        "strategy": strategy_rows(graph, solution.found),
        "transfers": [
            {"producer": names[u], "consumer": names[v], "cost": cost}
            for u, v, cost in solution.found.transfers
        ],
    }


def comparison_to_dict(comparison: Comparison) -> Json:
    """A comparison as plain data, schema `pase.comparison/1`; the found strategy comes first."""
    solution = comparison.solution
    graph = solution.problem.graph
    return {
        "schema": "pase.comparison/1",
        **setup_to_dict(solution.problem),
        "strategies": [
            {
                "name": priced.strategy.name,
                "note": priced.strategy.note,
                "best_variant": comparison.is_best_variant(priced),
                **_figures(priced, comparison.memory(priced), solution),
                "speedup_over_data_parallel": comparison.speedup(priced),
                "above_lower_bound": comparison.above_bound(priced),
                "strategy": strategy_rows(graph, priced),
            }
            for priced in comparison.all_strategies
        ],
    }


def to_text(data: Json) -> str:
    """JSON text of plain data; refuses NaN and infinity."""
    return json.dumps(data, indent=2, allow_nan=False) + "\n"
