"""The least cost at a limited weight.

First the edge of the lower left convex hull that straddles the limit, by a dichotomy that goes on
in one half only: its heavy end exceeds the limit, its light end keeps to it and is the best known,
and the edge itself is a lower bound at the limit. What is better lies in the triangle that the
light end's cost and the limit cut off above the edge. All wholes up to some excess over the edge
are listed by elimination with frontier tables (`pase_core.search.near_hull`), a small excess
first: every better one that is found lowers the triangle. Where the tables grow too large, an
integer program with the limit as a row does the rest (`pase_core.search.limited_program`).

A Lagrangian relaxation whose gap is closed: G. Y. Handler and I. Zang, A dual algorithm for the
constrained shortest path problem, 1980.

Exact, to the rounding of sums. Work: some searches, few of them beyond the first three, and what
is listed or solved between the ends of one edge.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

from pase_core.cost_tables import CostTables
from pase_core.errors import BudgetError, OptionError
from pase_core.search.balance import BestAt, Line, crossing_of, straddling
from pase_core.search.between import HULL_ONLY, PROGRAM, TABLES
from pase_core.search.limited_program import keeps_to, solve_limited
from pase_core.search.methods import ANYTIME, ELIMINATION
from pase_core.search.near_hull import NearHull
from pase_core.search.objectives import Objectives, Point
from pase_core.search.options import DEFAULT_OPTIONS, SearchOptions
from pase_core.search.sweep import Progress, no_progress

_HULL_SHARE = 0.5
"""Of the progress that is told, for finding the edge."""

_N_SEARCHES = 8
"""Searches of the hull that are usual."""

_TIE_BREAK = 1e-4
"""Weight of the whole range of costs beside that of all weights, to choose among the lightest."""


@dataclass(frozen=True, slots=True)
class Within:
    """The combination of choices of least cost whose weight keeps to a limit.

    Attributes:
        choices: the choice of each vertex; None if nothing keeps to the limit.
        cost: the first cost, recomputed from its tables; infinite if nothing keeps to the limit.
        weight: the second, the same.
        lower_bound: nothing that keeps to the limit costs less.
        proved_optimal: whether nothing that does costs less, or nothing does.
        method: what was searched with beyond the hull.
        least: of all combinations of least weight one of least cost; what comes closest if
            nothing keeps to the limit.
        seconds: time taken.
    """

    choices: tuple[int, ...] | None
    cost: float
    weight: float
    lower_bound: float
    proved_optimal: bool
    method: str
    least: Point
    seconds: float = field(compare=False)


def cheapest_within(
    cost: CostTables,
    weight: CostTables,
    limit: float,
    options: SearchOptions = DEFAULT_OPTIONS,
    progress: Progress = no_progress,
) -> Within:
    """The least cost among all combinations of choices whose weight is at most a limit.

    A weight that exceeds the limit by no more than its own rounding keeps to it. Methods are used
    as by `pase_core.search.frontier.frontier`. Where neither way comes to an end, the best known
    is returned with a lower bound, and is not proved.

    Args:
        cost: what is minimised, not negative; it may lack pairs that the weight has.
        weight: what is limited, not negative, over the same vertices; it may lack pairs too.
        limit: in the unit of the weight; infinity is none.
        options: method, ordering, limits, engine. The time limit is for every search of the
            hull, and for what comes after them.
        progress: called with a guess of the share that is done; may raise to stop.

    Raises:
        OptionError: if the limit is no number, or there is no such method or ordering.
        BudgetError: if a search of the hull does not fit the limits, or proves no optimum in its
            time.

    Example:
        >>> import numpy as np
        >>> cost, weight = np.array([1.0, 2.0, 4.0]), np.array([9.0, 6.0, 5.0])
        >>> found = cheapest_within(CostTables((cost,), ()), CostTables((weight,), ()), 6.0)
        >>> found.choices, found.cost, found.weight, found.least.weight
        ((1,), 2.0, 6.0, 5.0)
    """
    if math.isnan(limit):
        raise OptionError("limit of nan: must be a number")
    start = time.perf_counter()
    objectives = Objectives.plan(cost, weight, options)
    search = _SearchWithin(objectives, limit, progress)
    least = search.run()
    progress(1.0)
    best = search.best
    return Within(
        choices=None if best is None else best.choices,
        cost=math.inf if best is None else best.cost,
        weight=math.inf if best is None else best.weight,
        lower_bound=search.bound,
        proved_optimal=best is None or search.bound >= best.cost,
        method=search.method,
        least=least,
        seconds=time.perf_counter() - start,
    )


def lightest_line(best_at: BestAt, cheapest: Line) -> Line:
    """Of the lines of least second cost one of least first cost.

    Args:
        best_at: finds the line of least weighted sum, given the weights of both costs.
        cheapest: one of least first cost.
    """
    lightest = best_at(0.0, 1.0)
    if lightest.fixed <= cheapest.fixed:
        return lightest
    crossing = crossing_of(cheapest, lightest)
    if crossing is None:
        return cheapest
    first = best_at(1.0, crossing / _TIE_BREAK)  # mostly the one already
    _heavier, found = straddling(
        best_at, (first, lightest), lambda line: keeps_to(line.scaled, lightest.scaled)
    )
    return first if keeps_to(first.scaled, lightest.scaled) else found


@dataclass(slots=True)
class _SearchWithin:
    """The search, and what is known of the cheapest within the limit.

    Attributes:
        objectives: cost and weight.
        limit: of the weight.
        progress: told a guess of the share that is done.
        best: the cheapest known that keeps to the limit, if any is known.
        bound: nothing that keeps to the limit costs less.
        method: what has been searched with beyond the hull.
        n_searches: of the hull, so far.
    """

    objectives: Objectives
    limit: float
    progress: Progress
    best: Point | None = None
    bound: float = math.inf
    method: str = HULL_ONLY
    n_searches: int = 0

    def run(self) -> Point:
        """Search for the cheapest; returns the lightest of all."""
        cheapest = self._line(1.0, 0.0)
        lightest = lightest_line(self._line, cheapest)
        if self._keeps(cheapest):
            self._settle(self._corner(cheapest))
        elif self._keeps(lightest):
            ends = straddling(self._line, (cheapest, lightest), self._keeps)
            heavy, light = map(self._corner, ends)
            if light.weight >= self.limit or light.cost <= heavy.cost:
                self._settle(light)
            else:
                self._search_above(heavy, light)
        return self._corner(lightest)

    def _line(self, cost_weight: float, weight_weight: float) -> Line:
        found = self.objectives.search.line(cost_weight, weight_weight)
        self.n_searches += 1
        self.progress(_HULL_SHARE * self.n_searches / (_N_SEARCHES + self.n_searches))
        return found

    def _keeps(self, line: Line) -> bool:
        return keeps_to(self.objectives.weight.total(line.choices), self.limit)

    def _corner(self, line: Line) -> Point:
        return self.objectives.point(line.choices, is_supported=True)

    def _settle(self, best: Point) -> None:
        self.best, self.bound = best, best.cost

    def _search_above(self, heavy: Point, light: Point) -> None:
        """Close the gap between the light end of an edge and the edge itself at the limit."""
        near = NearHull.between(self.objectives, light, heavy)
        self.best, self.bound = light, self._cost_at(near, 0.0)
        options = self.objectives.options
        deadline = time.monotonic() + options.time_limit_seconds
        if options.method not in ANYTIME:
            try:
                self._list(near, light, deadline)
            except BudgetError:
                pass
            else:
                return
        if options.method != ELIMINATION:
            self._solve(near, self.best, deadline)

    def _cost_at(self, near: NearHull, excess: float) -> float:
        """Cost at the limit that has such an excess."""
        return excess - near.excess(0.0, self.limit)

    def _list(self, near: NearHull, best: Point, deadline: float) -> None:
        """List all up to an excess that rises until nothing better can lie above it."""

        def height() -> float:
            return near.excess(best.cost, self.limit)

        for excess, found in near.lists(height, deadline, lambda: self.progress(_HULL_SHARE)):
            self.method = TABLES
            points = [self.objectives.point(choices) for choices in found]
            fitting = [point for point in points if keeps_to(point.weight, self.limit)]
            best = min((best, *fitting), key=lambda point: point.cost)
            self.best, self.bound = best, min(self._cost_at(near, excess), best.cost)
        self.bound = best.cost

    def _solve(self, near: NearHull, best: Point, deadline: float) -> None:
        """Have an integer program look for something better."""

        def progress(share: float) -> None:
            self.progress(_HULL_SHARE + (1.0 - _HULL_SHARE) * share)

        seconds = deadline - time.monotonic()
        try:
            found = solve_limited(near, self.limit, best.cost, seconds, progress)
        except BudgetError:
            return
        used = [self.method] if self.method == TABLES else []
        self.method = " and ".join((*used, PROGRAM))
        self.best = found.point or best
        self.bound = min(max(self.bound, found.bound), self.best.cost)
        if found.is_proved:
            self.bound = self.best.cost
