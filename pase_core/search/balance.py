"""The best choices for every weight of a second cost: the lower envelope of lines.

With costs `A(x) + r B(x)`, linear in a weight r >= 0, every combination of choices x is a line
over r, and the least cost is the lower envelope of finitely many of them: concave, in phases
that one combination rules each. They are found by dichotomy: where two known lines cross, one
search says whether anything lies below; if so its line splits the interval, if not the crossing
is a breakpoint (Eisner and Severance, Mathematical techniques for efficient record segmentation
in large shared databases, 1976).

Exact, to the rounding of sums. Work: two searches per phase.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from pase_core.cost_tables import CostTables
from pase_core.errors import BudgetError
from pase_core.search.elimination import PlannedSearch
from pase_core.search.methods import prepare, search_prepared
from pase_core.search.options import DEFAULT_OPTIONS, SearchOptions
from pase_core.search.result import SearchResult
from pase_core.search.sweep import Progress, no_progress
from pase_core.search.weighted import weighted_sum
from pase_core.units import share_above

_ROUNDING = 1e-12
"""Share of a cost by which another must lie below it to count as less."""


BestAt = Callable[[float, float], "Line"]
"""Finds the line of least weighted sum, given the weights of both costs."""


@dataclass(frozen=True, slots=True)
class Line:
    """One combination of choices, and its two costs.

    Attributes:
        choices: the choice of each vertex.
        fixed: the first cost, A.
        scaled: the second cost, B, which the weight multiplies.
    """

    choices: tuple[int, ...]
    fixed: float
    scaled: float

    def at(self, weight: float) -> float:
        """Cost at a weight; at infinity the second cost alone."""
        return self.scaled if math.isinf(weight) else self.fixed + weight * self.scaled


@dataclass(frozen=True, slots=True)
class Phase:
    """A range of weights over which one combination costs least.

    Attributes:
        line: the combination.
        start: least weight of the range.
        stop: greatest weight of the range; infinite for the last one.
    """

    line: Line
    start: float
    stop: float


def phases(
    fixed: CostTables,
    scaled: CostTables,
    options: SearchOptions = DEFAULT_OPTIONS,
    progress: Progress = no_progress,
) -> tuple[Phase, ...]:
    """The best combination of choices for every weight from 0 to infinity.

    Args:
        fixed: the first cost; it may lack pairs that the second has.
        scaled: the second cost, over the same vertices; it may lack pairs too.
        options: ordering, limits, engine.
        progress: called with a guess of the share that is done.

    Returns:
        Phases, by rising weight; the first starts at 0, the last never stops, each starts where
        the one before stops. Neighbours differ in both costs: `fixed` rises, `scaled` falls.

    Raises:
        OptionError: if there is no such ordering, or the engine asked for is not there.
        BudgetError: if a search does not fit the limits, or proves no optimum in its time.
    """
    return envelope(dichotomy(WeightedSearch.plan(fixed, scaled, options).line, progress))


@dataclass(frozen=True, slots=True, eq=False)
class WeightedSearch:
    """Searches for the least weighted sum of two costs, one after the other over the same plan.

    Attributes:
        fixed: the first cost.
        scaled: the second cost, over the same vertices; each may lack pairs of the other.
        planned: the elimination, or None for another method.
        options: ordering, limits, engine.
    """

    fixed: CostTables
    scaled: CostTables
    planned: PlannedSearch | None
    options: SearchOptions

    @classmethod
    def plan(cls, fixed: CostTables, scaled: CostTables, options: SearchOptions) -> WeightedSearch:
        """Plan once for all weights; errors as `phases`."""
        held_bytes = fixed.n_bytes + scaled.n_bytes
        planned = prepare(weighted_sum(fixed, scaled, 1.0, 1.0).shape, options, held_bytes)
        return cls(fixed, scaled, planned, options)

    def best(
        self, fixed_weight: float, scaled_weight: float, seconds: float = math.inf
    ) -> SearchResult:
        """The combination of least weighted sum, or the best by the time limit and a bound."""
        tables = weighted_sum(self.fixed, self.scaled, fixed_weight, scaled_weight)
        limit = min(self.options.time_limit_seconds, max(seconds, 0.0))
        return search_prepared(
            self.planned, tables, replace(self.options, time_limit_seconds=limit)
        )

    def line(self, fixed_weight: float, scaled_weight: float) -> Line:
        """The combination of least weighted sum, proved."""
        found = self.best(fixed_weight, scaled_weight)
        if not found.proved_optimal:
            raise BudgetError(
                "two costs need the proved optimum of every search, and one was not proved within "
                f"{self.options.time_limit_seconds:g} s; raise the time limit (--time-limit)"
            )
        choices = found.choices
        return Line(choices, self.fixed.total(choices), self.scaled.total(choices))


def dichotomy(best_at: BestAt, progress: Progress) -> list[Line]:
    """Every line of the envelope, and perhaps some that touch it in one point.

    The first line may cost more of the second cost than others of its first cost, and the last
    one the other way round: where either crosses its neighbour, what does without lies below.

    Args:
        best_at: finds the line of least weighted sum, given the weights of both costs.
        progress: called with a guess of the share that is done.
    """
    first, last = best_at(1.0, 0.0), best_at(0.0, 1.0)
    lines = [first, last]
    waiting = [(first, last)]
    n_done, share = 0, 0.0
    while waiting:
        left, right = waiting.pop()
        n_done += 1
        between = line_below(best_at, left, right)
        if between is not None:
            lines.append(between)
            waiting += [(between, right), (left, between)]
        share = max(share, n_done / (n_done + len(waiting)))
        progress(share)
    return lines


def line_below(best_at: BestAt, left: Line, right: Line) -> Line | None:
    """A line that lies below where two others cross, farthest of all; None if none does."""
    crossing = crossing_of(left, right)
    if crossing is None:
        return None
    between = best_at(1.0, crossing)
    return between if between.at(crossing) < left.at(crossing) * (1.0 - _ROUNDING) else None


def straddling(
    best_at: BestAt,
    ends: tuple[Line, Line],
    is_right: Callable[[Line], bool],
) -> tuple[Line, Line]:
    """Two lines that follow each other on the envelope, of which one is right and one is not.

    Work: one search per line that is met; the dichotomy goes on in one half only.

    Args:
        best_at: finds the line of least weighted sum, given the weights of both costs.
        ends: a line on the envelope that is not right, and one that costs less of the second
            cost and is.
        is_right: whether the second cost is small enough; right of a line that is, all are.
    """
    left, right = ends
    while (between := line_below(best_at, left, right)) is not None:
        left, right = (left, between) if is_right(between) else (between, right)
    return left, right


def crossing_of(left: Line, right: Line) -> float | None:
    """Weight above 0 at which the right line begins to cost less than the left one, if any."""
    if right.fixed <= left.fixed or right.scaled >= left.scaled:
        return None
    return (right.fixed - left.fixed) / (left.scaled - right.scaled)


def envelope(lines: list[Line]) -> tuple[Phase, ...]:
    """The phases of given lines over weights from 0 to infinity."""
    rising = sorted(lines, key=lambda line: (line.fixed, line.scaled))
    ruling: list[tuple[Line, float]] = []
    for line in rising:
        if ruling and line.scaled >= ruling[-1][0].scaled:
            continue  # no better at any weight
        start = 0.0
        while ruling:
            crossing = crossing_of(ruling[-1][0], line)
            start = 0.0 if crossing is None else crossing
            if start > ruling[-1][1]:
                break
            ruling.pop()
            start = 0.0
        ruling.append((line, start))
    stops = [start for _line, start in ruling[1:]] + [math.inf]
    return tuple(
        Phase(line, start, stop) for (line, start), stop in zip(ruling, stops, strict=True)
    )


def worst_loss(line: Line, found: tuple[Phase, ...], start: float, stop: float) -> float:
    """By how much a line exceeds the envelope at worst over a range, as a share of the envelope.

    The ratio of a line to a line is monotone, so its greatest value lies at an end of the range or
    at a breakpoint.

    Args:
        line: the combination of choices.
        found: the phases, from `phases`.
        start: least weight of the range.
        stop: greatest weight of the range; may be infinite.

    Example:
        >>> found = envelope([Line((0,), 1.0, 2.0), Line((1,), 2.0, 1.0)])
        >>> worst_loss(found[0].line, found, 0.0, 2.0)
        0.25
    """
    inside = (phase.start for phase in found if start < phase.start < stop)
    losses = []
    for weight in (start, *inside, stop):
        best = min(phase.line.at(weight) for phase in found)
        losses.append(share_above(line.at(weight), best))
    return max(losses)
