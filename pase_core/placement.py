"""Which device holds which part of a layer: a way to number the devices, to make a picture of.

The paper's cost model does not place devices; it only counts those that share a part. Here devices
are numbered row-major over the splits of a layer's dimensions, the last one fastest.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pase_core.errors import StrategyError
from pase_core.layers import Access, Layer
from pase_core.strategy import Configuration

IDLE = -1
"""Part of a device that a layer leaves idle."""

Parts = NDArray[np.int64]
"""Numbers of parts, counted from 0, shape (n_devices, n_dimensions) or (n_devices, n_axes)."""


def parts_of_devices(layer: Layer, configuration: Configuration, n_devices: int) -> Parts:
    """Part of each dimension that each device computes.

    Args:
        layer: the layer.
        configuration: parts per dimension.
        n_devices: number of devices p.

    Returns:
        Shape (n_devices, n_dimensions); `IDLE` throughout for devices beyond the splits' product.

    Raises:
        StrategyError: if the configuration has not one entry per dimension, or too few devices.

    Example:
        >>> from pase_core.layers import Dimension
        >>> layer = Layer("fc", "fully connected", (Dimension("b", 8), Dimension("n", 4)))
        >>> parts_of_devices(layer, (2, 2), 5).tolist()
        [[0, 0], [0, 1], [1, 0], [1, 1], [-1, -1]]
    """
    n_dimensions, n_used = len(layer.dimensions), math.prod(configuration)
    if len(configuration) != n_dimensions or n_used > n_devices:
        raise StrategyError(
            f"layer {layer.name!r} has {n_dimensions} dimensions and there are {n_devices} "
            f"devices; the configuration {configuration} does not fit"
        )
    parts = np.full((n_devices, n_dimensions), IDLE, dtype=np.int64)
    if n_dimensions:
        parts[:n_used] = np.stack(np.unravel_index(np.arange(n_used), configuration), axis=1)
    return parts


def tensor_parts_of_devices(
    layer: Layer, access: Access, configuration: Configuration, n_devices: int
) -> Parts:
    """Part of each axis of a tensor that each device holds, shape (n_devices, n_axes).

    An axis that several dimensions cut counts its parts row-major over them; one that none cuts
    has part 0 only. Devices that the layer leaves idle hold `IDLE`.
    """
    of_dimensions = parts_of_devices(layer, configuration, n_devices)
    parts = np.zeros((n_devices, len(access.axes)), dtype=np.int64)
    for axis, cut in enumerate(access.axes):
        for column in layer.columns(cut.dimensions):
            parts[:, axis] = parts[:, axis] * configuration[column] + of_dimensions[:, column]
    parts[math.prod(configuration) :] = IDLE
    return parts


def holders(
    layer: Layer, configuration: Configuration, n_devices: int, access: Access | None = None
) -> dict[tuple[int, ...], tuple[int, ...]]:
    """The devices that hold each part, in increasing order.

    Args:
        layer: the layer.
        configuration: parts per dimension.
        n_devices: number of devices p.
        access: the tensor; None for the iteration space, whose parts have one device each.

    Returns:
        Devices by part: its number along each axis of the tensor, or along each dimension.
    """
    n_used = math.prod(configuration)
    if access is None:
        parts = parts_of_devices(layer, configuration, n_devices)
    else:
        parts = tensor_parts_of_devices(layer, access, configuration, n_devices)
    found: dict[tuple[int, ...], list[int]] = {}
    for device, part in enumerate(parts[:n_used].tolist()):
        found.setdefault(tuple(part), []).append(device)
    return {part: tuple(devices) for part, devices in sorted(found.items())}
