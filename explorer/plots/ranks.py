"""Ticks of axes that count from one."""

from __future__ import annotations

MOST_TICKS = 8


def rank_ticks(n: int) -> list[int]:
    """Round numbers from 1 to n, not too many.

    Example:
        >>> rank_ticks(4), rank_ticks(41), rank_ticks(566)
        ([1, 2, 3, 4], [1, 10, 20, 30, 40], [1, 100, 200, 300, 400, 500])
    """
    steps = (m * 10**e for e in range(9) for m in (1, 2, 5))
    step = next(step for step in steps if n <= step * MOST_TICKS)
    return sorted({1, *range(step, n + 1, step)})


def rank_range(n: int) -> list[float]:
    """Ends of an axis that shows 1 to n with some room beside them."""
    room = max(0.6, 0.03 * n)
    return [1 - room, n + room]
