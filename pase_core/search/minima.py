"""Minimise a sum of factors over their first axis, without storing the sum.

For a vertex with choices c and dependents d1 .. dk, every factor has the axes c and some of
d1 .. dk, in that order:

    result[d1, .., dk] = min over c of the sum of the factors at (c, d1, .., dk)

`minima_numpy` says just that. `minima_compiled` splits the factors: those without the last axis
add up to one scalar per row (d1 .. dk-1) and choice, those with it and no other to one vector per
choice, and one with it and others stays wide; a compiled loop then keeps running minima.
`scratch_bytes` says what either takes on the way.
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
"""Scalars that are made at a time, so that they take 32 MB per thread, twice while they add up."""


def minima_numpy(factors: Sequence[tuple[Array, Axes]], shape: tuple[int, ...]) -> Array:
    """Minimise choice by choice in NumPy; the readable twin.

    Args:
        factors: tables and the places of their axes.
        shape: (n_choices, n_1, .., n_k).

    Returns:
        Minima, shape (n_1, .., n_k).
    """
    aligned = [align(table, axes, len(shape)) for table, axes in factors]
    result = np.full(shape[1:], np.inf)
    for choice in range(shape[0]):
        np.minimum(result, reduce(np.add, (table[choice] for table in aligned)), out=result)
    return result


def align(table: Array, axes: Axes, n_axes: int) -> Array:
    """Give a table all axes, with size 1 where it has none, so that it broadcasts."""
    sizes = dict(zip(axes, table.shape, strict=True))
    return table.reshape([sizes.get(axis, 1) for axis in range(n_axes)])


def minima_compiled(
    factors: Sequence[tuple[Array, Axes]], shape: tuple[int, ...], kernels: ModuleType
) -> Array:
    """Minimise with the compiled loops; arguments and result as `minima_numpy`."""
    last, grid = len(shape) - 1, shape[1:-1]
    if not _fits_loops([axes for _table, axes in factors], last):
        return minima_numpy(factors, shape)
    if _is_better_turned([axes for _table, axes in factors], shape):
        turned = [(table, _TURNED[axes]) for table, axes in factors]
        return minima_compiled(turned, (shape[0], shape[2], shape[1]), kernels).T
    narrow = [f for f in factors if last not in f[1]]
    vectors = np.zeros((shape[0], shape[last]))
    _add_up([table for table, axes in factors if axes == (0, last)], vectors)
    wide, wide_axes = _wide_factor(factors, shape)
    result = np.empty((math.prod(grid), shape[last]))

    def fill(start: int, stop: int) -> None:
        scalars = _scalars(narrow, (start, stop), grid, shape[0])
        part = result[start:stop]
        if wide is None:
            kernels.min_plus(scalars, vectors, part)
        else:
            row_of = _row_numbers(wide_axes[1:-1], start, stop, grid)
            kernels.min_plus_wide(scalars, vectors, wide, row_of, part)

    _for_row_blocks(fill, len(result), shape)
    return result.reshape(shape[1:])


def _fits_loops(places: Sequence[Axes], last: int) -> bool:
    """Whether the compiled loops apply: there are rows, and at most one wide factor."""
    return last > 0 and len({axes for axes in places if last in axes and len(axes) > 2}) <= 1


_TURNED: dict[Axes, Axes] = {(0,): (0,), (0, 1): (0, 2), (0, 2): (0, 1)}
"""Places of a factor's axes when two dependents are exchanged."""


def _is_better_turned(places: Sequence[Axes], shape: tuple[int, ...]) -> bool:
    """Whether two dependents should change places, so that the loops run along the longer one."""
    return len(shape) == 3 and shape[1] > shape[2] and all(axes in _TURNED for axes in places)


def _add_up(tables: Sequence[Array], total: Array) -> None:
    """Add tables to a total of the same shape, in place."""
    for table in tables:
        total += table


def _wide_factor(
    factors: Sequence[tuple[Array, Axes]], shape: tuple[int, ...]
) -> tuple[Array | None, Axes]:
    """Sum of the factors with the last axis and others, shape (n_choices, rows, n_last)."""
    last = len(shape) - 1
    found = [(table, axes) for table, axes in factors if last in axes and len(axes) > 2]
    if not found:
        return None, ()
    (first, axes), *others = found
    total = np.array(first, order="C") if others else np.ascontiguousarray(first)
    _add_up([table for table, _axes in others], total)
    return total.reshape(shape[0], -1, shape[last]), axes


def _for_row_blocks(fill: Callable[[int, int], None], n_rows: int, shape: tuple[int, ...]) -> None:
    """Call `fill` with borders of consecutive blocks of rows, on several threads if it pays."""
    n_blocks, is_parallel = _row_blocks(n_rows, shape)
    if n_blocks == 1:
        fill(0, n_rows)
        return
    borders = [n_rows * block // n_blocks for block in range(n_blocks + 1)]
    run = thread_pool().map if is_parallel else map
    list(run(fill, borders[:-1], borders[1:]))


def _row_blocks(n_rows: int, shape: tuple[int, ...]) -> tuple[int, bool]:
    """Number of blocks of rows, and whether they are handed to threads."""
    n_blocks = -(-n_rows * shape[0] // _SCRATCH_ENTRIES)
    is_parallel = math.prod(shape) > _PARALLEL_ENTRIES and n_rows > 1
    if is_parallel:
        n_blocks = max(n_blocks, n_threads())
    return min(n_blocks, n_rows), is_parallel


def _row_numbers(axes: Axes, start: int, stop: int, grid: tuple[int, ...]) -> NDArray[np.int64]:
    """Row of a factor over some axes of the grid, for each row over all of them."""
    rows = np.arange(start, stop)
    if len(axes) == len(grid):
        return rows
    number = np.zeros(len(rows), dtype=np.int64)
    for axis in axes:
        after = math.prod(grid[axis:])
        number *= grid[axis - 1]
        number += rows // after % grid[axis - 1]
    return number


def _scalars(
    factors: Sequence[tuple[Array, Axes]],
    rows: tuple[int, int],
    grid: tuple[int, ...],
    n_choices: int,
) -> Array:
    """Sum of the factors without the last axis, shape (rows from start to stop, n_choices)."""
    start, stop = rows
    total = np.zeros((stop - start, n_choices))
    for table, axes in factors:
        flat = table.reshape(n_choices, -1)
        if len(axes) == 1:
            total += flat.T
        elif len(axes) - 1 == len(grid):
            total += flat[:, start:stop].T  # every row has its own column
        else:
            total += flat[:, _row_numbers(axes[1:], start, stop, grid)].T
    return total


def scratch_bytes(places: Sequence[Axes], shape: tuple[int, ...], *, is_compiled: bool) -> int:
    """Bytes that minimising takes at most, beside the factors and the result.

    In NumPy two partial sums as large as the result. In the compiled loops the vectors, the sum
    of wide factors if there are several, and for each thread the scalars of a block of rows,
    twice while they add up, and four numbers per row.

    Args:
        places: places of the axes of each factor.
        shape: (n_choices, n_1, .., n_k).
        is_compiled: whether the compiled loops are used.
    """
    last = len(shape) - 1
    if not is_compiled or not _fits_loops(places, last):
        return 16 * math.prod(shape[1:])
    if _is_better_turned(places, shape):
        places, shape = [_TURNED[axes] for axes in places], (shape[0], shape[2], shape[1])
    wide = [axes for axes in places if last in axes and len(axes) > 2]
    n_entries = shape[0] * shape[last]
    if len(wide) > 1:
        n_entries += math.prod(shape[axis] for axis in wide[0])
    n_rows = math.prod(shape[1:-1])
    n_blocks, is_parallel = _row_blocks(n_rows, shape)
    n_at_once = min(n_blocks, n_threads()) if is_parallel else 1
    return 8 * (n_entries + n_at_once * -(-n_rows // n_blocks) * (2 * shape[0] + 4))
