"""Seconds of collectives over the links that a group of devices crosses.

A group of q devices lies in blocks of neighbours: `inside` of them share a block, `outside` blocks
take part, q = inside * outside. With n bytes per device (for a gather: of the gathered tile), B
bytes/s and a latency of l seconds, of the slowest link crossed unless two levels are told apart:

    all-gather, reduce-scatter
      ring       n (q - 1) / q / B + (q - 1) l
      two-level  within the blocks on n, across them on n / inside, each as a ring
    all-reduce
      ring       reduce-scatter, then all-gather
      tree       2 n / B + 2 ceil(log2 q) l      (two trees at once, each for half of the bytes)
      two-level  within the blocks reduce-scatter and all-gather, between them an all-reduce of
                 n / inside across, by ring or by tree

Of these the cheapest counts. Sources: Patarasuk and Yuan, Bandwidth optimal all-reduce algorithms,
2009; Sanders, Speck and Traff, Two-tree algorithms for full bandwidth broadcast, reduction and
scan, 2009; the two-level form as in NCCL and in Thakur et al., Optimization of collective
communication operations in MPICH, 2005. Pieces that are sent directly to those that need them
take the bytes per link and one latency of the slowest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pase_core.link import Link

Array = NDArray[np.float64]

ALGORITHMS = ("ring", "tree", "two-level ring", "two-level tree")
"""Ways to all-reduce, in the order of preference where they take equally long."""


@dataclass(frozen=True, slots=True)
class Group:
    """Devices that take part, per configuration.

    Attributes:
        inside: devices of one block.
        outside: number of blocks.
    """

    inside: Array
    outside: Array

    @property
    def n_devices(self) -> Array:
        """Q."""
        return self.inside * self.outside


@dataclass(frozen=True, slots=True)
class Links:
    """The links inside a node and between nodes.

    Attributes:
        inside: between devices of one node.
        outside: between devices of different nodes; never taken to be the faster one.
    """

    inside: Link
    outside: Link

    def all_reduce_options(self, n_bytes: Array, group: Group) -> Array:
        """Seconds of an all-reduce by each of ALGORITHMS, shape (n_algorithms, ...)."""
        flat_speed, flat_latency = self.slowest(group)
        rest = n_bytes / group.inside
        fast, slow = self.inside, self.across
        within = 2.0 * _ring(n_bytes, group.inside, fast.bytes_per_second, fast.latency_seconds)
        far = (slow.bytes_per_second, slow.latency_seconds)
        return np.stack(
            np.broadcast_arrays(
                2.0 * _ring(n_bytes, group.n_devices, flat_speed, flat_latency),
                _tree(n_bytes, group.n_devices, flat_speed, flat_latency),
                within + 2.0 * _ring(rest, group.outside, *far),
                within + _tree(rest, group.outside, *far),
            )
        )

    def all_reduce(self, n_bytes: Array, group: Group) -> Array:
        """Seconds of an all-reduce by the cheapest algorithm; 0 in a group of one."""
        seconds: Array = self.all_reduce_options(n_bytes, group).min(axis=0)
        return seconds

    def gather(self, n_bytes: Array, group: Group) -> Array:
        """Seconds of an all-gather to n bytes, or of a reduce-scatter from n bytes."""
        flat = _ring(n_bytes, group.n_devices, *self.slowest(group))
        fast, slow = self.inside, self.across
        levels = _ring(n_bytes, group.inside, fast.bytes_per_second, fast.latency_seconds) + _ring(
            n_bytes / group.inside, group.outside, slow.bytes_per_second, slow.latency_seconds
        )
        return np.minimum(flat, levels)

    def fetch(self, n_bytes: Array, group: Group) -> Array:
        """Seconds of n bytes that come in equal pieces from the others of a group.

        Those of other blocks come over the outer link, `outside - 1` of `q - 1` parts at least, as
        one copy is enough for a block that hands it on.
        """
        others = np.maximum(group.n_devices - 1.0, 1.0)
        share = np.where(group.outside > 1.0, (group.outside - 1.0) / others, 0.0)
        latency = np.where(
            group.outside > 1.0, self.across.latency_seconds, self.inside.latency_seconds
        )
        near, far = self.inside.bytes_per_second, self.across.bytes_per_second
        seconds = n_bytes * (share / far + (1.0 - share) / near) + latency
        return np.where(n_bytes > 0.0, seconds, 0.0)

    def slowest(self, group: Group) -> tuple[Array, Array]:
        """Bytes/s and latency of the slowest link that a group crosses."""
        crosses = group.outside > 1.0
        return (
            np.where(crosses, self.across.bytes_per_second, self.inside.bytes_per_second),
            np.where(crosses, self.across.latency_seconds, self.inside.latency_seconds),
        )

    @property
    def across(self) -> Link:
        """Where a group crosses both links, the weakest counts."""
        return min(self.outside, self.inside, key=lambda link: link.bytes_per_second)


def _ring(n_bytes: Array, n_devices: Array, speed: Array | float, latency: Array | float) -> Array:
    return n_bytes * (n_devices - 1.0) / n_devices / speed + (n_devices - 1.0) * latency


def _tree(n_bytes: Array, n_devices: Array, speed: Array | float, latency: Array | float) -> Array:
    depth = np.ceil(np.log2(n_devices))
    return np.where(n_devices > 1.0, 2.0 * n_bytes / speed + 2.0 * depth * latency, 0.0)
