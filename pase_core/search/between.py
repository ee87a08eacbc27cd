"""What lies between neighbouring corners of the hull of two costs.

See `pase_core.search.frontier` for how. All here is in terms of edges of the hull; what is found
at one edge belongs to no other.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from pase_core.errors import BudgetError
from pase_core.search.limited_program import MARGIN, solve_limited
from pase_core.search.methods import ANYTIME, ELIMINATION
from pase_core.search.near_hull import NearHull
from pase_core.search.objectives import Objectives, Point
from pase_core.search.pareto import Quanta, undominated
from pase_core.search.sweep import Progress

TABLES = "elimination with frontier tables"
PROGRAM = "integer program"

HULL_ONLY = "hull only"

Gap = tuple[Point, Point]
"""Two neighbouring points, the lighter one first, between which there may be more."""


def pareto_points(points: Sequence[Point]) -> tuple[Point, ...]:
    """Those that no other beats, to rounding, by rising weight; the first of equal ones."""
    costs = np.array([point.cost for point in points])
    weights = np.array([point.weight for point in points])
    quanta = Quanta.of(float(costs.max()), float(weights.max()))
    stay = undominated(np.zeros(len(points), dtype=np.int64), costs, weights, quanta)
    return tuple(points[i] for i in stay)


@dataclass(slots=True)
class Edge:
    """What is known between two neighbouring corners of the hull.

    Attributes:
        near: bounds of the weighted sum along the edge.
        points: found so far, the corners with them, by rising weight.
        open: the gaps that are not settled.
    """

    near: NearHull
    points: tuple[Point, ...]
    open: tuple[Gap, ...]


@dataclass(slots=True)
class SearchBetween:
    """The search between all corners.

    Attributes:
        objectives: the two costs.
        epsilon: share by which points may be missed.
        progress: told the share of the edges that are done.
        used: methods that have been used.
        share: of the edges that are done.
    """

    objectives: Objectives
    epsilon: float
    progress: Progress
    used: set[str] = field(default_factory=set)
    share: float = 0.0

    def run(self, corners: Sequence[Point]) -> list[Edge]:
        """Settle what lies between neighbouring corners, by tables first, then by programs."""
        options = self.objectives.options
        deadline = time.monotonic() + options.time_limit_seconds
        gaps = [gap for gap in itertools.pairwise(corners) if self._missed(gap)]
        edges = []
        for i, gap in enumerate(gaps):
            edge = self._edge(gap)
            if options.method not in ANYTIME:
                now = time.monotonic()
                self._list(edge, now + max(deadline - now, 0.0) / (len(gaps) - i))
            edges.append(edge)
            self._tell((i + 1) / len(gaps))
        if options.method != ELIMINATION:
            for edge in edges:
                self._solve(edge, deadline)
        return edges

    def _tell(self, share: float) -> None:
        self.share = max(share, self.share)
        self.progress(self.share)

    def _missed(self, gap: Gap) -> tuple[float, float] | None:
        """Cost and weight below which both must lie of what is missed in a gap, if any can be."""
        light, heavy = gap
        cost, weight = light.cost / (1.0 + self.epsilon), heavy.weight / (1.0 + self.epsilon)
        return None if cost <= heavy.cost or weight <= light.weight else (cost, weight)

    def _edge(self, gap: Gap) -> Edge:
        """Bounds along an edge of which both ends are known."""
        near = NearHull.between(self.objectives, *gap)
        return Edge(near, gap, (gap,))

    def _list(self, edge: Edge, deadline: float) -> None:
        """List all up to an excess that rises until nothing missed can lie above it."""
        near = edge.near

        def settle(listed: float) -> None:
            gaps = itertools.pairwise(edge.points)
            edge.open = tuple(gap for gap in gaps if self._excess(near, gap) > listed)

        def height() -> float:
            return max((self._excess(near, gap) for gap in edge.open), default=0.0)

        settle(0.0)
        try:
            for listed, found in near.lists(height, deadline, lambda: self._tell(0.0)):
                self.used.add(TABLES)
                self._add(edge, [self._point(edge, choices) for choices in found])
                settle(listed)
        except BudgetError:
            return

    def _solve(self, edge: Edge, deadline: float) -> None:
        """Look for the cheapest point in every open gap, until there are none or no time is left.

        A point that is found is the cheapest that is lighter than the gap's heavier end: what
        else the gap holds is lighter still.
        """
        waiting, left = list(edge.open), list[Gap]()
        while waiting:
            gap = waiting.pop()
            missed = self._missed(gap)
            if missed is None:
                continue
            cost, weight = missed
            if self.epsilon < MARGIN:
                weight = gap[1].weight - MARGIN * abs(gap[1].weight)
            seconds = (deadline - time.monotonic()) / (1 + len(waiting))
            try:
                found = solve_limited(
                    edge.near, weight, cost, seconds, lambda _share: self._tell(0.0)
                )
            except BudgetError:
                left.append(gap)
                continue
            self.used.add(PROGRAM)
            if found.point is not None:
                point = self._point(edge, found.point.choices)
                self._add(edge, [point])
                waiting.append((gap[0], point))
            if not found.is_proved:
                left.append(gap if found.point is None else (found.point, gap[1]))
        edge.open = tuple(left)

    def _excess(self, near: NearHull, gap: Gap) -> float:
        """Excess of the weighted sum below which lies all that is missed in a gap."""
        missed = self._missed(gap)
        return 0.0 if missed is None else near.excess(*missed)

    def _point(self, edge: Edge, choices: tuple[int, ...]) -> Point:
        """Choices as a point, on the hull if their weighted sum is that of the edge's ends."""
        near, end = edge.near, edge.points[0]
        point = self.objectives.point(choices)
        excess = near.excess(point.cost, point.weight) - near.excess(end.cost, end.weight)
        return replace(point, is_supported=excess <= near.slack)

    def _add(self, edge: Edge, points: Sequence[Point]) -> None:
        """Take points in that lie between the ends of an edge."""
        light, heavy = edge.points[0], edge.points[-1]
        inside = [p for p in points if p.cost <= light.cost and p.weight <= heavy.weight]
        edge.points = pareto_points((*edge.points, *inside))
