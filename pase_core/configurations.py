"""The ways to split one layer: the only place where the device count shapes the search space."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pase_core.errors import BudgetError, OptionError
from pase_core.layers import Access, Layer

Splits = NDArray[np.int64]
"""Configurations of one layer, shape (n_configurations, n_dimensions): parts per dimension."""

MAX_DEVICES = 1_000_000
MAX_CONFIGURATIONS = 200_000


def check_devices(n_devices: int) -> None:
    """Raise OptionError unless the number of devices is an integer in range."""
    if isinstance(n_devices, bool) or not isinstance(n_devices, int):
        raise OptionError(f"number of devices {n_devices!r} is no integer")
    if not 1 <= n_devices <= MAX_DEVICES:
        raise OptionError(f"number of devices {n_devices} is not in 1 to {MAX_DEVICES}")


@lru_cache(maxsize=4096)
def allowed_splits(size: int, n_devices: int, min_part: int) -> tuple[int, ...]:
    """Divisors q of a size with q <= n_devices and size / q >= min_part; 1 always."""
    return tuple(
        q
        for q in range(1, min(size, n_devices) + 1)
        if q == 1 or (size % q == 0 and size // q >= min_part)
    )


Devices = Literal["any", "mesh", "all"]
"""Which products of splits are allowed: any up to p, those that divide p, or p itself."""


def configurations(
    layer: Layer, n_devices: int, min_part: int = 1, devices: Devices = "any"
) -> Splits:
    """Enumerate every valid configuration of a layer, in lexicographic order.

    A configuration splits each splittable dimension by an allowed divisor; the product of all
    splits is at most `n_devices`, and row-major groups are cut into contiguous pieces only.

    Args:
        layer: the layer.
        n_devices: number of devices p.
        min_part: smallest part that a split may leave.
        devices: which products are allowed; with `all`, a layer that cannot use p devices has the
            configurations that use most of those that divide p.

    Returns:
        Array of shape (n_configurations, n_dimensions); unless all devices must be used, the first
        row splits nothing.

    Raises:
        OptionError: if n_devices or min_part is out of range.
        BudgetError: if there are more than MAX_CONFIGURATIONS.
    """
    check_devices(n_devices)
    if isinstance(min_part, bool) or not isinstance(min_part, int) or min_part < 1:
        raise OptionError(f"smallest part {min_part!r} must be an integer of at least 1")
    rows = np.ones((1, 0), dtype=np.int64)
    for dimension in layer.dimensions:
        allowed = (
            allowed_splits(dimension.size, n_devices, min_part) if dimension.splittable else (1,)
        )
        rows = _append(rows, np.array(allowed, dtype=np.int64), n_devices)
        if len(rows) > MAX_CONFIGURATIONS:
            raise BudgetError(
                f"layer {layer.name!r} has more than {MAX_CONFIGURATIONS} configurations on "
                f"{n_devices} devices; use fewer devices or a larger smallest part (--min-part)"
            )
    sizes = np.array(layer.sizes, dtype=np.int64)
    for group in layer.row_major:
        columns = layer.columns(group)
        rows = rows[_is_contiguous(rows[:, columns], sizes[columns])]
    used = rows.prod(axis=1)
    if devices == "any":
        return rows
    is_allowed = n_devices % used == 0
    if devices == "all":
        is_allowed &= used == used[is_allowed].max()
    allowed_rows: Splits = rows[is_allowed]
    return allowed_rows


def _append(rows: Splits, allowed: NDArray[np.int64], n_devices: int) -> Splits:
    """Combine every row with every allowed split whose product stays within the devices."""
    product = rows.prod(axis=1)[:, None] * allowed[None, :]
    row, column = np.nonzero(product <= n_devices)
    return np.concatenate([rows[row], allowed[column][:, None]], axis=1)


def _is_contiguous(splits: Splits, sizes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """True where the splits cut the row-major order of the dimensions into contiguous pieces."""
    complete = np.logical_and.accumulate(splits == sizes, axis=1)
    before = np.concatenate([np.ones((len(splits), 1), dtype=bool), complete[:, :-1]], axis=1)
    # Each dimension is whole, or all dimensions before it are split completely.
    allowed: NDArray[np.bool_] = ((splits == 1) | before).all(axis=1)
    return allowed


def axis_columns(layer: Layer, access: Access) -> tuple[tuple[int, ...], ...]:
    """Per axis of a tensor the columns of the dimensions that cut it."""
    return tuple(tuple(layer.columns(axis.dimensions)) for axis in access.axes)


def tensor_cuts(layer: Layer, access: Access, splits: Splits) -> Splits:
    """Parts per axis of a tensor under each configuration, shape (n_configurations, n_axes)."""
    cuts = np.ones((len(splits), len(access.axes)), dtype=np.int64)
    for axis, columns in enumerate(axis_columns(layer, access)):
        cuts[:, axis] = splits[:, columns].prod(axis=1)
    return cuts
