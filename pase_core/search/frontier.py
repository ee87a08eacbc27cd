"""Cost against weight: every combination of choices that no other beats in both.

First the corners of the lower left convex hull, by dichotomy over weighted sums, one ordinary
search each (`pase_core.search.balance`). Then what lies between two neighbouring corners: it is
not beaten only if it lies in the triangle between the corners and the point that has the cost of
the one and the weight of the other, so its weighted sum exceeds that of the corners by little
(`pase_core.search.near_hull`). All wholes up to some excess are listed by elimination with
frontier tables (`pase_core.search.frontier_tables`), a small excess first: what is found cuts off
most of the triangle, and soon nothing is left to be found. Where the tables grow too large, an
integer program looks between neighbouring points for the cheapest that is lighter than the
heavier one (the epsilon-constraint method: Y. Y. Haimes, L. S. Lasdon and D. A. Wismer, 1971).

Exact, to the rounding of sums; costs and weights must not be negative. Work: for the hull two
searches per corner; between them, what the number of points and their closeness demand.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from pase_core.cost_tables import CostTables
from pase_core.errors import OptionError
from pase_core.search.balance import dichotomy, envelope
from pase_core.search.between import HULL_ONLY, SearchBetween, pareto_points
from pase_core.search.objectives import Objectives, Point
from pase_core.search.options import DEFAULT_OPTIONS, SearchOptions
from pase_core.search.sweep import Progress, no_progress

MAX_EPSILON = 1.0

_HULL_SHARE = 0.2
"""Of the progress that is told, for finding the hull."""


@dataclass(frozen=True, slots=True)
class Frontier:
    """Combinations of choices that no other beats.

    Attributes:
        points: by rising weight, so by falling cost.
        unproved: ranges of weight, each from a point to the next, in which there may be more.
        epsilon: share by which both costs of a point that is not here may lie below those of one
            that is: whatever is not beaten has a point here with costs of at most `1 + epsilon`
            times its own, but for what lies in an unproved range.
        method: what was searched with between the corners of the hull.
        seconds: time taken.
    """

    points: tuple[Point, ...]
    unproved: tuple[tuple[float, float], ...]
    epsilon: float
    method: str
    seconds: float = field(compare=False)

    @property
    def is_complete(self) -> bool:
        """Whether every pair of costs that is not beaten is here, up to epsilon."""
        return not self.unproved


def hull(
    cost: CostTables,
    weight: CostTables,
    options: SearchOptions = DEFAULT_OPTIONS,
    progress: Progress = no_progress,
) -> tuple[Point, ...]:
    """The corners of the lower left convex hull of all combinations of choices.

    The first has the least weight of all, and of those that have it the least cost; the last has
    the least cost, and of those that have it the least weight.

    Args:
        cost: the first cost; it may lack pairs that the second has.
        weight: the second, over the same vertices; it may lack pairs too.
        options: method, ordering, limits, engine of every search.
        progress: called with a guess of the share that is done; may raise to stop.

    Returns:
        Points by rising weight.

    Raises:
        OptionError: if there is no such method or ordering.
        BudgetError: if a search does not fit the limits, or proves no optimum in its time.
    """
    return hull_points(Objectives.plan(cost, weight, options), progress)


def hull_points(objectives: Objectives, progress: Progress = no_progress) -> tuple[Point, ...]:
    """As `hull`, for costs that have been made ready."""
    lines = dichotomy(objectives.search.line, progress)
    found = [phase.line.choices for phase in envelope(lines)]
    return tuple(objectives.point(choices, is_supported=True) for choices in found[::-1])


def frontier(
    cost: CostTables,
    weight: CostTables,
    options: SearchOptions = DEFAULT_OPTIONS,
    epsilon: float = 0.0,
    progress: Progress = no_progress,
) -> Frontier:
    """All combinations that no other beats in both costs, one of each equal pair of costs.

    Between the corners of the hull the method `elimination` uses frontier tables alone, `bounds`
    and `integer-program` an integer program alone, and `auto` a program where tables are too
    large. The program does not tell weights apart that differ by less than a share of 1e-8.

    Args:
        cost: the first cost, not negative; it may lack pairs that the second has.
        weight: the second, not negative, over the same vertices; it may lack pairs too.
        options: method, ordering, limits, engine. `max_entries` is also for the entries of each
            frontier table's making; the time limit is for what lies between the corners.
        epsilon: share by which points may be missed, from 0 to MAX_EPSILON; see `Frontier`.
        progress: called with a guess of the share that is done; may raise to stop.

    Raises:
        OptionError: if epsilon is out of range, or there is no such method or ordering.
        BudgetError: if a search of the hull does not fit the limits, or proves no optimum in its
            time.
    """
    if not 0.0 <= epsilon <= MAX_EPSILON:
        raise OptionError(f"epsilon of {epsilon:g}: must be a number from 0 to {MAX_EPSILON:g}")
    start = time.perf_counter()
    objectives = Objectives.plan(cost, weight, options)
    corners = hull_points(objectives, lambda share: progress(_HULL_SHARE * share))
    search = SearchBetween(
        objectives, epsilon, lambda share: progress(_HULL_SHARE + (1.0 - _HULL_SHARE) * share)
    )
    edges = search.run(corners)
    progress(1.0)
    return Frontier(
        points=pareto_points((*corners, *(point for edge in edges for point in edge.points))),
        unproved=tuple(sorted((a.weight, b.weight) for edge in edges for a, b in edge.open)),
        epsilon=epsilon,
        method=" and ".join(sorted(search.used)) or HULL_ONLY,
        seconds=time.perf_counter() - start,
    )
