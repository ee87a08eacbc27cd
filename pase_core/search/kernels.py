"""Compiled inner loops. Import this module only through `pase_core.search.engine`.

Importing it loads numba; the first call of each loop compiles it (1 to 2 s) or loads it from the
cache on disk.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pase_core.search.compiling import compiled
from pase_core.search.compiling import forget_disk_cache as _forget

Array = NDArray[np.float64]

_COLUMNS = 512
"""Columns of a result row that stay in the first-level cache while choices pass by."""

_CHOICES = 64
"""Choices of the eliminated vertex per pass, so that their vectors stay in the second level."""


@compiled
def min_plus(scalars: Array, vectors: Array, result: Array) -> None:
    """`result[r, j] = min over c of scalars[r, c] + vectors[c, j]`.

    Args:
        scalars: shape (n_rows, n_choices).
        vectors: shape (n_choices, n_columns).
        result: shape (n_rows, n_columns), overwritten.
    """
    n_rows, n_choices = scalars.shape
    n_columns = vectors.shape[1]
    result[:] = np.inf
    for start in range(0, n_columns, _COLUMNS):
        stop = min(start + _COLUMNS, n_columns)
        for first in range(0, n_choices, _CHOICES):
            last = min(first + _CHOICES, n_choices)
            for row in range(n_rows):
                best = result[row, start:stop]
                # Four choices per pass: the running minimum is loaded and stored once for them.
                whole = first + (last - first) // 4 * 4
                for c in range(first, whole, 4):
                    a0, a1 = scalars[row, c], scalars[row, c + 1]
                    a2, a3 = scalars[row, c + 2], scalars[row, c + 3]
                    v0, v1 = vectors[c, start:stop], vectors[c + 1, start:stop]
                    v2, v3 = vectors[c + 2, start:stop], vectors[c + 3, start:stop]
                    for j in range(stop - start):
                        left = min(a0 + v0[j], a1 + v1[j])
                        right = min(a2 + v2[j], a3 + v3[j])
                        best[j] = min(best[j], min(left, right))
                for c in range(whole, last):
                    a, v = scalars[row, c], vectors[c, start:stop]
                    for j in range(stop - start):
                        best[j] = min(best[j], a + v[j])


@compiled
def min_plus_wide(
    scalars: Array, vectors: Array, wide: Array, row_of: NDArray[np.int64], result: Array
) -> None:
    """As `min_plus`, with `wide[c, row_of[r], j]` added.

    Args:
        scalars: shape (n_rows, n_choices).
        vectors: shape (n_choices, n_columns).
        wide: shape (n_choices, n_wide_rows, n_columns).
        row_of: shape (n_rows,); the row of `wide` that belongs to a row of the result.
        result: shape (n_rows, n_columns), overwritten.
    """
    n_rows, n_choices = scalars.shape
    n_columns = vectors.shape[1]
    result[:] = np.inf
    for row in range(n_rows):
        best = result[row]
        for c in range(n_choices):
            a, v, w = scalars[row, c], vectors[c], wide[c, row_of[row]]
            for j in range(n_columns):
                best[j] = min(best[j], a + v[j] + w[j])


@compiled
def _dominates(
    a: int, b: int, costs: Array, means: Array, rows: Array, starts: NDArray[np.int64]
) -> bool:
    """True if choice b is no worse than a whatever the neighbours choose; see `mark_dominated`.

    The mean difference of an edge is a lower bound of its largest one, so most pairs are told
    apart after a few entries. The means are rounded: they give up early, but never decide.
    """
    worst = costs[b] - costs[a]
    bound, scale = worst, abs(costs[a]) + abs(costs[b])
    for edge in range(means.shape[1]):
        bound += means[b, edge] - means[a, edge]
        scale += abs(means[b, edge]) + abs(means[a, edge])
    for edge in range(means.shape[1]):
        mean = means[b, edge] - means[a, edge]
        limit = mean - bound + 1e-9 * scale
        largest = -np.inf
        for j in range(starts[edge], starts[edge + 1]):
            largest = max(largest, rows[b, j] - rows[a, j])
            if largest > limit:
                return False
        bound += largest - mean
        worst += largest
    is_no_worse: bool = worst <= 0.0
    return is_no_worse


@compiled
def mark_dominated(
    costs: Array,
    means: Array,
    rows: Array,
    starts: NDArray[np.int64],
    candidates: NDArray[np.int64],
    is_dominated: NDArray[np.bool_],
) -> None:
    """Mark choices that another one beats or equals whatever the neighbours choose.

    Choice b dominates a if `costs[b] - costs[a]` plus, edge by edge, the largest difference of
    their rows is at most 0.

    Args:
        costs: of each choice alone, shape (n_choices,).
        means: mean of its row per edge, shape (n_choices, n_edges).
        rows: edge tables side by side, shape (n_choices, n_columns).
        starts: first column of each edge and the end, shape (n_edges + 1,).
        candidates: the choices that may dominate.
        is_dominated: shape (n_choices,), updated.
    """
    for b in candidates:
        if is_dominated[b]:
            continue
        for a in range(len(costs)):
            if a != b and not is_dominated[a] and _dominates(a, b, costs, means, rows, starts):
                is_dominated[a] = True


LOOPS = ("min_plus", "min_plus_wide", "_dominates", "mark_dominated")


def compile_all() -> None:
    """Compile or load every loop, by calling each once on the smallest arguments."""
    one, cube, index = np.zeros((1, 1)), np.zeros((1, 1, 1)), np.zeros(1, dtype=np.int64)
    min_plus(one, one, np.empty((1, 1)))
    min_plus_wide(one, one, cube, index, np.empty((1, 1)))
    mark_dominated(np.zeros(1), one, one, np.array([0, 1]), index, np.zeros(1, dtype=np.bool_))


def forget_disk_cache() -> None:
    """Replace every loop by one that neither reads nor writes the cache on disk."""
    _forget(globals(), LOOPS)
