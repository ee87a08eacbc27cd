"""The scenario: everything that decides what is shown, and nothing else.

A Scenario is made from the sidebar's widgets, whose values live in the address, so that a pasted
link gives the same page.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from pase_core.cluster import Cluster, preset
from pase_core.graph import Graph
from pase_core.importers import load_graph
from pase_core.search.options import SearchOptions
from pase_core.solve import CostOptions, Problem
from pase_core.sources import check_batch, default_min_part, sample_graph

UPLOAD = "upload"
"""Network name that stands for the user's own file."""

OWN_CLUSTER = "own file"
"""Cluster name that stands for the user's own file."""

Figures = tuple[tuple[str, float], ...]
"""Pairs of a figure, a key of `pase_core.cluster.FIELDS`, and its value in SI base units."""

MAX_ENTRIES = 2e11
"""Entries that a search for a page may visit, about half a minute's work; the samples at 1024
devices need a sixth of it. The command line has no such limit."""

TIME_LIMIT_SECONDS = 30.0
"""Time that a search by bounds may take for a page; it then shows the best found and its gap."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that the user gave.

    Attributes:
        name: its name, for its format and for messages.
        data: its content.
        bindings: sizes given for dimensions that it leaves open.
    """

    name: str
    data: bytes
    bindings: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Scenario:
    """What is shown.

    Attributes:
        network: name of a sample, or UPLOAD.
        upload: the user's file, if the network is UPLOAD.
        n_devices: number of devices.
        cluster: name of a preset, or OWN_CLUSTER.
        batch: batch size; None for the network's own.
        min_part: smallest part that a split may leave; None for the network's own.
        flop_per_multiply_add: 1 or 2.
        word_bytes: bytes of a word; None for the element type's.
        tera_flops: peak TFLOP/s of a device in every element type; None for the cluster's.
        giga_bytes: GB/s of both links; None for the cluster's.
        pins: layers whose configuration is given, by name.
        own_cluster: the user's cluster, if `cluster` is OWN_CLUSTER.
        figures: other figures in place of the cluster's, in the order of FIELDS; they go before
            `tera_flops` and `giga_bytes`.
        memory_limit: most GB that a strategy may hold per device; None for no limit.
    """

    network: str = "alexnet"
    upload: Upload | None = None
    n_devices: int = 8
    cluster: str = "gtx-1080-ti"
    batch: int | None = None
    min_part: int | None = None
    flop_per_multiply_add: int = 2
    word_bytes: int | None = None
    tera_flops: float | None = None
    giga_bytes: float | None = None
    pins: tuple[tuple[str, tuple[int, ...]], ...] = ()
    own_cluster: Cluster | None = None
    figures: Figures = ()
    memory_limit: float | None = None

    def without_limit(self) -> Scenario:
        """The same scenario with no limit on memory."""
        return replace(self, memory_limit=None)

    def without_pins(self) -> Scenario:
        """The same scenario with every layer left to the search."""
        return replace(self, pins=())

    def without_machine(self) -> Scenario:
        """The same network on as many devices of no matter what kind, without pins."""
        anything = Scenario(tera_flops=1.0, giga_bytes=1.0)
        return replace(
            anything,
            network=self.network,
            upload=self.upload,
            n_devices=self.n_devices,
            batch=self.batch,
            min_part=self.min_part,
            flop_per_multiply_add=self.flop_per_multiply_add,
            word_bytes=self.word_bytes,
        )

    @property
    def awaits_network(self) -> bool:
        """True while the network's file has not been given."""
        return self.network == UPLOAD and self.upload is None

    @property
    def awaits_cluster(self) -> bool:
        """True while the cluster's file has not been given."""
        return self.cluster == OWN_CLUSTER and self.own_cluster is None

    @property
    def has_given_figures(self) -> bool:
        """True if a figure stands in place of the cluster's own."""
        return bool(self.figures) or self.tera_flops is not None or self.giga_bytes is not None

    def machine(self) -> Cluster:
        """The cluster with the figures given in place of its own.

        Raises:
            ClusterError: if there is no such preset, or a figure is out of range.
        """
        own = preset(self.cluster) if self.own_cluster is None else self.own_cluster
        return (
            own.with_devices(self.n_devices)
            .with_overrides(
                flop_per_second=None if self.tera_flops is None else self.tera_flops * 1e12,
                bytes_per_second=None if self.giga_bytes is None else self.giga_bytes * 1e9,
            )
            .with_figures(dict(self.figures))
        )

    @property
    def smallest_part(self) -> int:
        """Smallest part that a split may leave."""
        return default_min_part(self.network) if self.min_part is None else self.min_part

    def graph(self) -> Graph:
        """Load the network.

        Raises:
            PaseError: if it cannot be loaded.
        """
        if self.upload is None:
            return sample_graph(self.network, self.batch)
        if self.batch is not None:
            check_batch(self.batch)
        return load_graph(
            self.upload.data,
            self.upload.name,
            batch=self.batch,
            bindings=dict(self.upload.bindings),
        )

    def problem(self) -> Problem:
        """State the problem for the solver.

        Raises:
            PaseError: if the network cannot be loaded or a figure is out of range.
        """
        return Problem(
            graph=self.graph(),
            cluster=self.machine(),
            cost=CostOptions(
                word_bytes=self.word_bytes,
                flop_per_multiply_add=self.flop_per_multiply_add,
                min_part=self.smallest_part,
            ),
            search=SearchOptions(max_entries=MAX_ENTRIES, time_limit_seconds=TIME_LIMIT_SECONDS),
            pins=self.pins,
            memory_limit_bytes=None if self.memory_limit is None else self.memory_limit * 1e9,
        )
