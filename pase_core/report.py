"""Results as tables on a terminal."""

from __future__ import annotations

from collections import Counter

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pase_core.components import COMPONENTS
from pase_core.console import make_console, make_table
from pase_core.graph import Graph
from pase_core.solve import FOUND, Comparison, Problem, Solution
from pase_core.strategy import PricedStrategy, describe_dimensions, describe_splits
from pase_core.units import count, percent, ratio, with_prefix
from pase_core.wording import describe_method, describe_proof

_SPEED = {"paper": "at peak speed", "cluster": "at the speed that kernels achieve"}
"""What the devices are taken to do, by cost model."""


def _bold(text: str) -> Text:
    return Text(text, style="bold")


def print_setup(console: Console, problem: Problem) -> None:
    """Print the network and the devices."""
    graph, cluster = problem.graph, problem.cluster
    flops = with_prefix(cluster.flop_per_second(problem.element_type), "FLOP/s")
    console.print(
        _bold(graph.name),
        f"on {count(cluster.n_devices, 'device')} ({cluster.title}: {flops} a device, "
        f"links of {with_prefix(cluster.bytes_per_second, 'B/s')})",
    )


def print_solution(solution: Solution) -> None:
    """Print the found strategy layer by layer, its cost and how it was found."""
    console = make_console()
    print_setup(console, solution.problem)
    console.print(_layer_table(solution))
    _print_total(console, solution)
    if solution.remark:
        console.print(solution.remark)
    search = solution.search
    shown = [
        f"{describe_method(search)}: {describe_proof(search)}",
        f"tables {with_prefix(solution.tables_seconds, 's')}, search "
        f"{with_prefix(solution.search_seconds, 's')}",
    ]
    if search.largest_table:
        shown.append(f"largest table {count(search.largest_table, 'entry', 'entries')}")
    console.print("; ".join(shown) + f", {with_prefix(search.peak_bytes, 'B')}")


def _layer_table(solution: Solution) -> Table:
    """Layer by layer its split, its cost, that of the transfers into it, its bytes; and sums."""
    found, unit = solution.found, solution.unit
    held = solution.memory.layer_costs + solution.memory.incoming_transfers
    columns = (found.layer_costs, found.incoming_transfers, held)
    table = make_table(
        *("layer", "operation", "dimensions", "split"),
        numbers=(f"layer [{unit}]", f"transfers in [{unit}]", "memory [B]"),
    )
    for layer, configuration, *costs in zip(
        solution.problem.graph.layers, found.strategy.configurations, *columns, strict=True
    ):
        table.add_row(
            layer.name,
            layer.operation,
            describe_dimensions(layer),
            describe_splits(layer, configuration),
            *(with_prefix(float(cost), "") for cost in costs),
        )
    sums = (with_prefix(float(costs.sum()), "") for costs in columns)
    table.add_row("sum", "", "", "", *sums, style="bold")
    return table


def _print_total(console: Console, solution: Solution) -> None:
    found = solution.found
    console.print(
        _bold(f"step cost {with_prefix(found.total, solution.unit)} per device"),
        f"= layers + transfers, {with_prefix(solution.seconds(found.total), 's')} "
        f"{_SPEED[solution.problem.cost.model]} (modelled, not measured)",
    )
    shares = [
        f"{COMPONENTS[name][0]} {percent(cost / found.total)}"
        for name, cost in found.components.items()
        if cost and found.total
    ]
    console.print("  " + ", ".join(shares))


def print_comparison(comparison: Comparison) -> None:
    """Print every strategy with its total, speed-up, weights and components."""
    console = make_console()
    solution = comparison.solution
    print_setup(console, solution.problem)
    table = make_table(
        "strategy",
        numbers=(
            f"step cost [{solution.unit}]",
            *("time", "speed-up", "above optimum", "communication", "memory per device"),
            *(title for title, _meaning in COMPONENTS.values()),
        ),
    )
    for priced in comparison.all_strategies:
        table.add_row(*_comparison_row(comparison, priced))
    console.print(table)
    proof = describe_proof(solution.search)
    console.print(
        f"speed-up over data parallelism; {FOUND}: {proof}; all costs modelled, not measured"
    )
    if comparison.data_parallel_is_whole:
        console.print(f"data parallel: {comparison.data_parallel.strategy.note}")


def _comparison_row(comparison: Comparison, priced: PricedStrategy) -> tuple[str, ...]:
    solution = comparison.solution
    mark = " (best)" if comparison.is_best_variant(priced) else ""
    return (
        priced.strategy.name + mark,
        with_prefix(priced.total, ""),
        with_prefix(solution.seconds(priced.total), "s"),
        ratio(comparison.speedup(priced)),
        percent(comparison.above_bound(priced)),
        percent(priced.communication_share),
        with_prefix(comparison.memory(priced).total, "B"),
        *(with_prefix(priced.components[name], "") for name in COMPONENTS),
    )


def print_check(graph: Graph) -> None:
    """Print what is in a graph."""
    console = make_console()
    n_layers, n_transfers = len(graph.layers), len(graph.transfers)
    console.print(
        Text.assemble(_bold(graph.name), ":"),
        f"{count(n_layers, 'layer')}, {count(n_transfers, 'transfer')}, "
        f"{count(graph.n_parameters, 'parameter')}, {graph.element_type}",
    )
    table = make_table("operation", numbers=("layers",))
    for operation, n in Counter(layer.operation for layer in graph.layers).most_common():
        table.add_row(operation, count(n))
    console.print(table)
