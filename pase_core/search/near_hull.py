"""What lies near one edge of the hull of two costs.

An edge of the hull has a multiplier r: its ends, and nothing else, have the least `cost + r *
weight`. What lies between the ends and is not beaten lies in a triangle above the edge, so its sum
exceeds the least one by little, and most choices of most vertices are in no whole that does so:
their min-marginals tell. What is left are small tables, for frontier tables or a program.

The two-phase method: E. L. Ulungu and J. Teghem, The two phases method, 1995.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pase_core.cost_tables import Array, CostTables, Kept
from pase_core.errors import BudgetError
from pase_core.search.entries import Cut
from pase_core.search.frontier_tables import list_frontier
from pase_core.search.marginals import marginals
from pase_core.search.methods import ANYTIME, ELIMINATION
from pase_core.search.objectives import Objectives, Point
from pase_core.search.options import SearchOptions
from pase_core.search.pareto import Quanta
from pase_core.search.relaxation import relax

WORTH_LISTING = 100_000_000
"""Entries of frontier tables that are made faster than an integer program is solved."""

_N_SWEEPS = 30
"""Of dual ascent, where the graph is too dense for min-marginals."""

_FIRST_SHARE = 1 / 64
"""Share of a triangle's height that is listed first."""

_GROWTH = 2.0
"""Times the excess listed before, that is listed next."""

Choices = tuple[int, ...]


def next_excess(listed: float, height: float) -> float:
    """Up to which excess to list next.

    Args:
        listed: excess up to which all is known.
        height: beyond which nothing is of interest.
    """
    return min(max(_GROWTH * listed, _FIRST_SHARE * height), height)


@dataclass(frozen=True, slots=True, eq=False)
class NearHull:
    """Wholes by the excess of their weighted sum.

    Attributes:
        objectives: the two costs.
        multiplier: of the weight beside the cost.
        least: no whole has a smaller weighted sum.
        floors: per vertex and choice, a lower bound of the sum of every whole with it.
        quanta: differences that count as none.
        slack: by which a weighted sum may be off.
    """

    objectives: Objectives
    multiplier: float
    least: float
    floors: tuple[Array, ...]
    quanta: Quanta
    slack: float

    @classmethod
    def between(cls, objectives: Objectives, light: Point, heavy: Point) -> NearHull:
        """Work out the bounds along the edge between two neighbouring corners."""
        multiplier = (light.cost - heavy.cost) / (heavy.weight - light.weight)
        total = objectives.weighted(multiplier)
        quanta = Quanta.of(light.cost, heavy.weight)
        slack = objectives.slack(light.cost, heavy.weight, multiplier)
        options = objectives.options
        if options.method not in ANYTIME:
            try:
                exact = marginals(total, options)
            except BudgetError:
                pass
            else:
                return cls(objectives, multiplier, exact.optimum, exact.costs, quanta, slack)
        found = relax(total, _N_SWEEPS)
        least = found.bound - found.rounding
        floors = tuple(floors - found.rounding for floors in found.floors)
        return cls(objectives, multiplier, least, floors, quanta, slack)

    def excess(self, cost: float, weight: float) -> float:
        """By how much the weighted sum of such a cost and weight exceeds the least."""
        return self.objectives.weighted_value(cost, weight, self.multiplier) - self.least

    def kept(self, most: float) -> tuple[Kept, ...]:
        """Per vertex the choices that may be in a whole of at most such a sum."""
        same: dict[bytes, Kept] = {}  # vertices that keep the same go on sharing tables
        found = [np.flatnonzero(floors <= most) for floors in self.floors]
        return tuple(same.setdefault(keep.tobytes(), keep) for keep in found)

    def lists(
        self,
        height: Callable[[], float],
        deadline: float = math.inf,
        progress: Callable[[], None] = lambda: None,
    ) -> Iterator[tuple[float, tuple[Choices, ...]]]:
        """List what no other beats up to an excess that rises to a height.

        Args:
            height: excess beyond which nothing is of interest, asked before each list: what the
                lists so far hold may have lowered it.
            deadline: by `time.monotonic`, after which the search is given up.
            progress: called now and then; may raise to stop.

        Yields:
            The excess, and the choices of each whole up to it that no other up to it beats.

        Raises:
            BudgetError: if frontier tables do not fit the limits, or the deadline has passed.
        """
        options = _listing_options(self.objectives.options)
        listed = 0.0
        while (wanted := height()) > listed:
            listed = next_excess(listed, wanted)
            yield listed, self._list(self.least + listed + self.slack, options, deadline, progress)

    def _list(
        self, most: float, options: SearchOptions, deadline: float, progress: Callable[[], None]
    ) -> tuple[Choices, ...]:
        """All wholes of at most such a weighted sum that no other of them beats."""
        kept = self.kept(most)
        if not all(map(len, kept)):
            return ()
        cost, weight = self.restricted(kept)
        cut = Cut(self.multiplier, most, self.quanta)
        found = list_frontier(cost, weight, cut, options, deadline, progress)
        return tuple(original(kept, choices) for choices in found)

    def restricted(self, kept: Sequence[Kept]) -> tuple[CostTables, CostTables]:
        """Shifted cost and weight of the choices kept."""
        both = self.objectives.low_cost, self.objectives.low_weight
        return both[0].restricted(kept), both[1].restricted(kept)


def _listing_options(options: SearchOptions) -> SearchOptions:
    """Options for frontier tables: where there is another way, no more than is worth while."""
    if options.method == ELIMINATION:
        return options
    return replace(options, max_entries=min(options.max_entries, WORTH_LISTING))


def original(kept: Sequence[Kept], choices: Sequence[int]) -> Choices:
    """Choices among those kept, as choices of the whole tables."""
    return tuple(int(keep[c]) for keep, c in zip(kept, choices, strict=True))
