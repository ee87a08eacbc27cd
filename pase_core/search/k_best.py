"""The k best combinations of choices, exactly.

The messages of an elimination know the best completion of whatever has been chosen: going back
through the steps, a partial combination of choices plus the messages that it selects costs
exactly as much as the best whole that contains it. A best-first walk through the partial
combinations with that bound never turns aside: combinations are completed in the order of their
costs.

Exact. Work: one search, then for each of the k combinations at most one sum of factors per vertex.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pase_core.cost_tables import Array, CostTables
from pase_core.errors import OptionError
from pase_core.search.elimination import send_messages
from pase_core.search.options import DEFAULT_OPTIONS, SearchOptions
from pase_core.search.plan import Step
from pase_core.search.sweep import choice_totals

MAX_K = 10_000
"""Combinations that may be asked for."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """One of the k best.

    Attributes:
        choices: the choice of each vertex.
        cost: what they cost together, recomputed from the cost tables.
    """

    choices: tuple[int, ...]
    cost: float


@dataclass(frozen=True, slots=True)
class _Partial:
    """Choices of the vertices eliminated last, as a chain back to none."""

    choice: int
    before: _Partial | None


def k_best(
    tables: CostTables, k: int, options: SearchOptions = DEFAULT_OPTIONS
) -> tuple[Ranked, ...]:
    """The k combinations of least cost, the cheapest first; fewer if there are not so many.

    Combinations that cost the same come in no particular order; of those that tie for the last
    place some are left out.

    Args:
        tables: the costs.
        k: how many, 1 to MAX_K.
        options: ordering, limits, engine.

    Raises:
        OptionError: if k is out of range, or there is no such ordering.
        BudgetError: if the search does not fit the limits.

    Example:
        >>> tables = CostTables((np.array([1.0, 2.0]), np.array([0.0, 5.0])), ())
        >>> [(each.choices, each.cost) for each in k_best(tables, 3)]
        [((0, 0), 1.0), ((1, 0), 2.0), ((0, 1), 6.0)]
    """
    check_k(k)
    messages = send_messages(tables, options)
    walk = _walk(messages.plan.steps[::-1], messages.made, k)
    found = [Ranked(choices, tables.total(choices)) for choices in itertools.islice(walk, k)]
    return tuple(sorted(found, key=lambda each: each.cost))


def check_k(k: int) -> None:
    """Raise OptionError unless so many combinations may be asked for."""
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= MAX_K:
        raise OptionError(f"{k!r} best strategies: must be an integer from 1 to {MAX_K}")


def _walk(
    steps: tuple[Step, ...], made: dict[int, Array], n_wanted: int
) -> Iterator[tuple[int, ...]]:
    """Complete combinations in the order of their costs, at least `n_wanted` of them if there are.

    A partial combination stands in the queue with the excess of its best completion over the
    optimum. Its best child has the same excess and is followed at once; the others wait, but for
    those that `n_wanted` others are known to beat.
    """
    count = itertools.count()  # ties: what came first, so that partials are never compared
    queue: list[tuple[float, int, _Partial | None]] = [(0.0, next(count), None)]
    least = _Least(n_wanted)
    while queue:
        excess, _number, partial = heapq.heappop(queue)
        choices = _choices_of(partial, steps)
        for step in steps[len(choices) :]:
            totals = choice_totals(step, made, choices)
            best = int(np.argmin(totals))
            excesses = excess + (totals - totals[best])
            for choice in np.flatnonzero(excesses < least.bound).tolist():
                if choice != best:
                    least.add(float(excesses[choice]))
                    child = _Partial(choice, partial)
                    heapq.heappush(queue, (float(excesses[choice]), next(count), child))
            partial = _Partial(best, partial)
            choices[step.vertex] = best
        yield tuple(choices[vertex] for vertex in range(len(steps)))


class _Least:
    """The least numbers that have been added, so many that all larger ones can be left out."""

    def __init__(self, n: int) -> None:
        self._n = n
        self._negated: list[float] = []

    def add(self, number: float) -> None:
        """Take a number in."""
        heapq.heappush(self._negated, -number)
        if len(self._negated) > self._n:
            heapq.heappop(self._negated)

    @property
    def bound(self) -> float:
        """The largest of the n least numbers; infinite until there are n."""
        return -self._negated[0] if len(self._negated) == self._n else math.inf


def _choices_of(partial: _Partial | None, steps: tuple[Step, ...]) -> dict[int, int]:
    """The choices that a partial combination has made, by vertex."""
    chain = []
    while partial is not None:
        chain.append(partial.choice)
        partial = partial.before
    return {step.vertex: choice for step, choice in zip(steps, reversed(chain), strict=False)}
