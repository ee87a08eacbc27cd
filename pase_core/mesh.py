"""Devices as a mesh of prime factors, and what of a split lies inside a node.

A mesh axis is a prime factor of the number of devices p; a k-way split of a dimension takes axes
whose product is k. With D devices per node, m = gcd(p, D) of the p devices are certain to share a
node (m = p if all fit one node), so p = M m: blocks of m neighbours, M of them.

The batch takes axes from the outside: as many of its parts as M allows lie in different blocks.
All other splits take axes from the inside: as many of their parts as m allows are neighbours.
(Tensor parallelism inside a node, data parallelism across, as Megatron-LM does it. With
`batch_inside` the two change places.) Per prime both fit as long as the product of all splits
divides p. Among the other dimensions of a layer one comes first, and lies innermost; which one
is chosen where it matters, by what it saves (see `pase_core.costs.cluster_model`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pase_core.axes import BATCH
from pase_core.configurations import Splits
from pase_core.divisors import is_power_of_two
from pase_core.layers import Layer

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Mesh:
    """p devices in blocks of neighbours.

    Attributes:
        n_devices: p.
        n_inside: m, devices of a block, which share a node.
        batch_inside: whether the batch takes axes from the inside.
    """

    n_devices: int
    n_inside: int
    batch_inside: bool = False

    @classmethod
    def of_nodes(cls, n_devices: int, devices_per_node: int, batch_inside: bool = False) -> Mesh:
        """The mesh of p devices in nodes.

        Example:
            >>> Mesh.of_nodes(12, 8).n_inside
            4
        """
        fits = n_devices <= devices_per_node
        n_inside = n_devices if fits else math.gcd(n_devices, devices_per_node)
        return cls(n_devices, n_inside, batch_inside)

    @property
    def n_outside(self) -> int:
        """M: number of blocks."""
        return self.n_devices // self.n_inside

    def common(self, ours: Array, theirs: Array | float) -> Array:
        """Greatest common divisor of divisors of p; of powers of two it is the smaller one.

        Taking that is ten times as fast, and most numbers of devices are powers of two.
        """
        if is_power_of_two(self.n_devices):
            return np.minimum(ours, theirs)
        return np.gcd(np.asarray(ours, np.int64), np.asarray(theirs, np.int64)).astype(np.float64)

    def inside_batch(self, parts: Array) -> Array:
        """Of how many parts of the batch a block holds different ones."""
        if self.batch_inside:
            return self.common(parts, self.n_inside)
        return parts / self.common(parts, self.n_outside)

    def inside_others(self, parts: Array) -> Array:
        """The same for a product of splits of other dimensions, innermost first."""
        if self.batch_inside:
            return parts / self.common(parts, self.n_outside)
        return self.common(parts, self.n_inside)

    def inside_parts(self, layer: Layer, splits: Splits, innermost: int | None = None) -> Splits:
        """Of how many parts of each dimension a block holds different ones.

        Args:
            layer: the layer.
            splits: configurations, shape (n_configurations, n_dimensions), whose products divide p.
            innermost: column of the dimension, not the batch, that comes first; None for the last.

        Returns:
            Divisors of `splits`, of the same shape.
        """
        inside = np.ones_like(splits)
        taken = np.ones(len(splits))
        taken_inside = taken
        for column in inner_order(layer, innermost):
            if layer.dimensions[column].name == BATCH:
                inside[:, column] = self.inside_batch(splits[:, column].astype(np.float64))
                continue
            taken = taken * splits[:, column]
            reached = self.inside_others(taken)
            inside[:, column] = reached / taken_inside
            taken_inside = reached
        return inside


def inner_order(layer: Layer, innermost: int | None = None) -> list[int]:
    """Columns of a layer's dimensions as they take axes: from the last one, or from a given one."""
    columns = list(range(len(layer.dimensions)))[::-1]
    if innermost is not None:
        columns.remove(innermost)
        columns.insert(0, innermost)
    return columns


def mesh_coordinates(
    mesh: Mesh, layer: Layer, configuration: tuple[int, ...], inside: tuple[int, ...]
) -> NDArray[np.int64]:
    """Part of each dimension that each device computes, shape (n_devices, n_dimensions).

    Devices are numbered block by block. Axes that no dimension takes replicate the work.

    Args:
        mesh: the devices.
        layer: the layer.
        configuration: parts per dimension; their product divides p.
        inside: of `Mesh.inside_parts`.
    """
    device = np.arange(mesh.n_devices)
    block, place = device // mesh.n_inside, device % mesh.n_inside
    parts = np.zeros((mesh.n_devices, len(configuration)), dtype=np.int64)
    for column in inner_order(layer):
        within = inside[column]
        across = configuration[column] // within
        parts[:, column] = (block % across) * within + place % within
        block, place = block // across, place // within
    return parts
