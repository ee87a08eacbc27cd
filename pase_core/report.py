"""Results as tables on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress as Bar
from rich.table import Table

from pase_core.cluster import preset, preset_names
from pase_core.components import COMPONENTS
from pase_core.graph import Graph
from pase_core.layers import Layer
from pase_core.search.elimination import Progress
from pase_core.solve import Comparison, Problem, Solution
from pase_core.strategy import PricedStrategy, describe_splits
from pase_core.units import percent, ratio, with_prefix
from sample_graphs import SAMPLES


def _console() -> Console:
    # A pipe or file has no width; tables must not be cut to 80 columns there.
    return Console(width=None if sys.stdout.isatty() else 160, highlight=False)


@contextmanager
def progress_bar(text: str) -> Iterator[Progress]:
    """A progress bar on standard error, if that is a terminal."""
    with Bar(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task(text, total=1.0)
        yield lambda share: bar.update(task, completed=share)


def _describe_dimensions(layer: Layer) -> str:
    return " ".join(f"{d.name}={d.size}" for d in layer.dimensions)


def _print_setup(console: Console, problem: Problem) -> None:
    graph, cluster = problem.graph, problem.cluster
    flops = with_prefix(cluster.flop_per_second(graph.element_type), "FLOP/s")
    console.print(
        f"[bold]{graph.name}[/] on {cluster.n_devices} devices ({cluster.title}: {flops} a device, "
        f"links of {with_prefix(cluster.bytes_per_second, 'B/s')})"
    )


def print_solution(solution: Solution) -> None:
    """Print the found strategy layer by layer, its cost and how it was found."""
    console = _console()
    graph, found, search = solution.problem.graph, solution.found, solution.search
    _print_setup(console, solution.problem)
    table = Table("layer", "operation", "dimensions", "split", box=None, pad_edge=False)
    table.add_column(f"cost [{solution.unit}]", justify="right")
    rows = zip(graph.layers, found.strategy.configurations, found.layer_costs, strict=True)
    for layer, configuration, cost in rows:
        table.add_row(
            layer.name,
            layer.operation,
            _describe_dimensions(layer),
            describe_splits(layer, configuration),
            with_prefix(float(cost), ""),
        )
    console.print(table)
    _print_total(console, solution, found)
    console.print(
        f"{search.method} ({search.ordering}): proved optimal; tables "
        f"{with_prefix(solution.tables_seconds, 's')}, search "
        f"{with_prefix(solution.search_seconds, 's')}; largest table "
        f"{with_prefix(search.largest_table, 'entries')}, {with_prefix(search.peak_bytes, 'B')}"
    )


def _print_total(console: Console, solution: Solution, priced: PricedStrategy) -> None:
    console.print(
        f"[bold]step cost {with_prefix(priced.total, solution.unit)} per device[/], "
        f"{with_prefix(solution.seconds(priced.total), 's')} at peak speed "
        "(modelled, not measured)"
    )
    shares = [
        f"{COMPONENTS[name][0]} {percent(cost / priced.total)}"
        for name, cost in priced.components.items()
        if cost and priced.total
    ]
    console.print("  " + ", ".join(shares))


def print_comparison(comparison: Comparison) -> None:
    """Print every strategy with its total, components and speed-up."""
    console = _console()
    solution = comparison.solution
    _print_setup(console, solution.problem)
    table = Table("strategy", box=None, pad_edge=False)
    for title in (
        f"step cost [{solution.unit}]",
        "time",
        "speed-up",
        *(title for title, _meaning in COMPONENTS.values()),
    ):
        table.add_column(title, justify="right")
    for priced in comparison.all_strategies:
        mark = " (best)" if comparison.is_best_variant(priced) else ""
        table.add_row(
            priced.strategy.name + mark,
            with_prefix(priced.total, ""),
            with_prefix(solution.seconds(priced.total), "s"),
            ratio(comparison.speedup(priced)),
            *(with_prefix(priced.components[name], "") for name in COMPONENTS),
        )
    console.print(table)
    console.print("speed-up over data parallelism; all costs modelled, not measured")


def print_graphs() -> None:
    """Print the sample graphs."""
    table = Table("name", "network", box=None, pad_edge=False)
    for title in ("layers", "parameters", "batch"):
        table.add_column(title, justify="right")
    table.add_column("shows")
    for name, sample in SAMPLES.items():
        graph = sample.build(sample.batch)
        table.add_row(
            name,
            sample.title,
            str(len(graph.layers)),
            with_prefix(graph.n_parameters, ""),
            str(sample.batch),
            sample.shows,
        )
    _console().print(table)


def print_clusters() -> None:
    """Print the device presets."""
    table = Table("name", "devices", box=None, pad_edge=False)
    for title in ("per node", "float32", "bfloat16", "memory", "in a node", "between nodes"):
        table.add_column(title, justify="right")
    for name in preset_names():
        cluster = preset(name)
        table.add_row(
            name,
            cluster.title,
            str(cluster.devices_per_node),
            *(with_prefix(cluster.flop_per_second(t), "FLOP/s") for t in ("float32", "bfloat16")),
            with_prefix(cluster.memory_bytes, "B"),
            *(
                with_prefix(link.bytes_per_second, "B/s")
                for link in (cluster.intra_node, cluster.inter_node)
            ),
        )
    _console().print(table)


def print_check(graph: Graph) -> None:
    """Print what is in a graph."""
    console = _console()
    operations: dict[str, int] = {}
    for layer in graph.layers:
        operations[layer.operation] = operations.get(layer.operation, 0) + 1
    console.print(
        f"[bold]{graph.name}[/]: {len(graph.layers)} layers, {len(graph.transfers)} transfers, "
        f"{with_prefix(graph.n_parameters, 'parameters')}, {graph.element_type}"
    )
    table = Table("operation", box=None, pad_edge=False)
    table.add_column("layers", justify="right")
    for operation, count in sorted(operations.items(), key=lambda item: -item[1]):
        table.add_row(operation, str(count))
    console.print(table)
