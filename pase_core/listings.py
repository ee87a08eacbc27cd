"""What comes along, as tables on a terminal: sample graphs and clusters."""

from __future__ import annotations

from operator import attrgetter

from pase_core.cluster import FIELDS, Cluster, preset, preset_names
from pase_core.console import make_console, make_table
from pase_core.units import count, with_prefix
from sample_graphs import SAMPLES

ABSENT = "-"
"""Stands for a figure that a device does not have."""

_UNITS = (
    ("peak_flop_per_second", "FLOP/s"),
    ("bytes_per_second", "B/s"),
    ("memory_bytes", "B"),
    ("latency_seconds", "s"),
)
"""A part of a figure's name, and its unit; the first that fits counts."""


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
        table.add_row(name, cluster.title, *(_figure(cluster, field) for field in shown))
    make_console().print(table)


def print_cluster(name: str) -> None:
    """Print every figure of a cluster that comes along, with its source and date.

    Raises:
        ClusterError: if there is no such cluster.
    """
    console, cluster = make_console(), preset(name)
    sources = dict(cluster.sources)
    console.print(f"{cluster.name}: {cluster.title}")
    console.print(
        f"devices: {cluster.device}; links: {cluster.intra_node.name} in a node, "
        f"{cluster.inter_node.name} between nodes"
    )
    table = make_table("figure", numbers=("value",))
    table.add_column("source (date)")
    for field in FIELDS:
        table.add_row(field, _figure(cluster, field), sources.get(field, ABSENT))
    console.print(table)


def _figure(cluster: Cluster, field: str) -> str:
    """One of the FIELDS with its unit, or ABSENT."""
    group, _, element_type = field.rpartition(".")
    if group == "peak_flop_per_second":
        value = dict(cluster.peak_flop_per_second).get(element_type)
    else:
        value = attrgetter(field)(cluster)
    if value is None:
        return ABSENT
    unit = next((unit for part, unit in _UNITS if part in field), "")
    return with_prefix(value, unit) if unit else count(int(value))
