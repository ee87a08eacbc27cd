"""Minimise a sum of factors over their first axis, without storing the sum.

For a vertex with choices c and dependents d1 .. dk, every factor has the axes c and some of
d1 .. dk, in that order:

    result[d1, .., dk] = min over c of the sum of the factors at (c, d1, .., dk)

`minima_numpy` says just that. `minima_compiled` splits the factors: those without the last axis
add up to one scalar per row (d1 .. dk-1) and choice, those with it and no other to one vector per
choice, and one with it and others stays wide; a compiled loop then keeps running minima.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from pase_core.cost_tables import Array
from pase_core.search.engine import n_threads, thread_pool

Axes = tuple[int, ...]
"""Places of a factor's axes: 0 is the choice, i the dependent di."""

_PARALLEL_ENTRIES = 2_000_000
"""Below this, handing rows to threads costs more than it gains."""

_SCRATCH_ENTRIES = 4_000_000
"""Scalars that are made at a time, so that scratch stays at 32 MB per thread."""


def minima_numpy(factors: Sequence[tuple[Array, Axes]], shape: tuple[int, ...]) -> Array:
    """Minimise choice by choice in NumPy; the readable twin.

    Args:
        factors: tables and the places of their axes.
        shape: (n_choices, n_1, .., n_k).

    Returns:
        Minima, shape (n_1, .., n_k).
    """
    aligned = [_align(table, axes, len(shape)) for table, axes in factors]
    result = np.full(shape[1:], np.inf)
    for choice in range(shape[0]):
        total = reduce(np.add, (table[choice] for table in aligned))
        np.minimum(result, total, out=result)
    return result


def _align(table: Array, axes: Axes, n_axes: int) -> Array:
    """Give a table all axes, with size 1 where it has none, so that it broadcasts."""
    sizes = dict(zip(axes, table.shape, strict=True))
    return table.reshape([sizes.get(axis, 1) for axis in range(n_axes)])


def minima_compiled(
    factors: Sequence[tuple[Array, Axes]], shape: tuple[int, ...], kernels: ModuleType
) -> Array:
    """Minimise with the compiled loops; arguments and result as `minima_numpy`."""
    if len(shape) == 1:
        return minima_numpy(factors, shape)
    last, grid = len(shape) - 1, shape[1:-1]
    narrow = [f for f in factors if last not in f[1]]
    vectors = _summed([f for f in factors if f[1] == (0, last)], (0, last), shape)
    wide = _merge_equal([f for f in factors if last in f[1] and len(f[1]) > 2])
    if len(wide) > 1:
        return minima_numpy(factors, shape)
    n_rows = math.prod(grid)
    result = np.empty((n_rows, shape[last]))

    def fill(rows: NDArray[np.int64]) -> None:
        scalars = _scalars(narrow, rows, grid, shape[0])
        part = result[rows[0] : rows[-1] + 1]
        if wide:
            table, axes = wide[0]
            row_of = _row_numbers(axes[1:-1], rows, grid)
            flat = np.ascontiguousarray(table).reshape(shape[0], -1, shape[last])
            kernels.min_plus_wide(scalars, vectors, flat, row_of, part)
        else:
            kernels.min_plus(scalars, vectors, part)

    _for_row_blocks(fill, n_rows, shape)
    return result.reshape(shape[1:])


def _for_row_blocks(
    fill: Callable[[NDArray[np.int64]], None], n_rows: int, shape: tuple[int, ...]
) -> None:
    """Call `fill` with consecutive blocks of row numbers, on several threads if it pays."""
    n_blocks = -(-n_rows * shape[0] // _SCRATCH_ENTRIES)
    is_parallel = math.prod(shape) > _PARALLEL_ENTRIES and n_rows > 1
    if is_parallel:
        n_blocks = max(n_blocks, n_threads())
    rows = np.arange(n_rows)
    if n_blocks == 1:
        fill(rows)
        return
    blocks = np.array_split(rows, min(n_blocks, n_rows))
    run = thread_pool().map if is_parallel else map
    list(run(fill, blocks))


def _summed(factors: Sequence[tuple[Array, Axes]], axes: Axes, shape: tuple[int, ...]) -> Array:
    """Sum of factors with the same axes, zero if there are none; C-contiguous."""
    if not factors:
        return np.zeros([shape[axis] for axis in axes])
    return np.ascontiguousarray(reduce(np.add, (table for table, _axes in factors)))


def _merge_equal(factors: Sequence[tuple[Array, Axes]]) -> list[tuple[Array, Axes]]:
    """Add up the factors that have the same axes."""
    by_axes: dict[Axes, list[Array]] = {}
    for table, axes in factors:
        by_axes.setdefault(axes, []).append(table)
    return [(reduce(np.add, tables), axes) for axes, tables in by_axes.items()]


def _row_numbers(axes: Axes, rows: NDArray[np.int64], grid: tuple[int, ...]) -> NDArray[np.int64]:
    """Row of a factor over some axes of the grid, for each row over all of them."""
    position = np.unravel_index(rows, grid) if grid else ()
    number = np.zeros(len(rows), dtype=np.int64)
    for axis in axes:
        number = number * grid[axis - 1] + position[axis - 1]
    return number


def _scalars(
    factors: Sequence[tuple[Array, Axes]],
    rows: NDArray[np.int64],
    grid: tuple[int, ...],
    n_choices: int,
) -> Array:
    """Sum of the factors without the last axis, shape (len(rows), n_choices)."""
    total = np.zeros((len(rows), n_choices))
    for table, axes in factors:
        flat = table.reshape(n_choices, -1)
        if len(axes) - 1 == len(grid):
            total += flat[:, rows[0] : rows[-1] + 1].T  # every row has its own column
        else:
            total += flat[:, _row_numbers(axes[1:], rows, grid)].T
    return total
