"""What comes along, as tables on a terminal: sample graphs and clusters."""

from __future__ import annotations

from pase_core.cluster import FIELDS, load_cluster, preset, preset_names
from pase_core.cluster_words import ABSENT, figure_text
from pase_core.console import make_console, make_table
from pase_core.units import count
from sample_graphs import SAMPLES


def print_graphs() -> None:
    """Print the sample graphs."""
    table = make_table("name", "network", numbers=("layers", "parameters", "batch"))
    table.add_column("shows")
    for name, sample in SAMPLES.items():
        graph = sample.build(sample.batch)
        table.add_row(
            name,
            sample.title,
            count(len(graph.layers)),
            count(graph.n_parameters),
            count(sample.batch),
            sample.shows,
        )
    make_console().print(table)


def print_clusters() -> None:
    """Print the clusters that come along, one per line."""
    table = make_table(
        *("name", "cluster"),
        numbers=("per node", "float32", "bfloat16", "memory", "in a node", "between nodes"),
    )
    shown = (
        "devices_per_node",
        *("peak_flop_per_second.float32", "peak_flop_per_second.bfloat16", "memory_bytes"),
        *("intra_node.bytes_per_second", "inter_node.bytes_per_second"),
    )
    for name in preset_names():
        cluster = preset(name)
        table.add_row(name, cluster.title, *(figure_text(cluster, field) for field in shown))
    make_console().print(table)


def print_cluster(name_or_file: str) -> None:
    """Print every figure of a cluster, what it means, and its source and date.

    Args:
        name_or_file: one that comes along, or a JSON file.

    Raises:
        ClusterError: if there is no such cluster, or the file cannot be read as one.
    """
    console, cluster = make_console(), load_cluster(name_or_file)
    sources = dict(cluster.sources)
    console.print(f"{cluster.name}: {cluster.title}")
    console.print(
        f"devices: {cluster.device}; links: {cluster.intra_node.name} in a node, "
        f"{cluster.inter_node.name} between nodes"
    )
    table = make_table("figure", numbers=("value",))
    table.add_column("source (date)")
    for field in FIELDS:
        table.add_row(field, figure_text(cluster, field), sources.get(field, ABSENT))
    console.print(table)
    console.print()
    for name, explained in FIELDS.items():
        console.print(f"{name}: {explained.meaning}")
