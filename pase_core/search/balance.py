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
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from pase_core.cost_tables import Array, CostTables, PairTable
from pase_core.errors import BudgetError
from pase_core.search.elimination import PlannedSearch
from pase_core.search.methods import prepare, search_prepared
from pase_core.search.options import DEFAULT_OPTIONS, SearchOptions
from pase_core.search.sweep import Progress, no_progress
from pase_core.units import share_above

_ROUNDING = 1e-12
"""Share of a cost by which another must lie below it to count as less."""


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
        scaled: the second cost, over the same vertices.
        options: ordering, limits, engine.
        progress: called with a guess of the share that is done.

    Returns:
        Phases, by rising weight; the first starts at 0, the last never stops, each starts where
        the one before stops. Neighbours differ in both costs: `fixed` rises, `scaled` falls.

    Raises:
        OptionError: if there is no such ordering, or the engine asked for is not there.
        BudgetError: if a search does not fit the limits, or proves no optimum in its time.
    """
    held_bytes = fixed.n_bytes + scaled.n_bytes
    planned = prepare(weighted_sum(fixed, scaled, 1.0, 1.0).shape, options, held_bytes)
    search = _Search(fixed, scaled, planned, options)
    return envelope(_dichotomy(search.line, progress))


@dataclass(frozen=True, slots=True, eq=False)
class _Search:
    """One search after the other over the same plan."""

    fixed: CostTables
    scaled: CostTables
    planned: PlannedSearch | None
    options: SearchOptions

    def line(self, fixed_weight: float, scaled_weight: float) -> Line:
        """The combination of least weighted sum."""
        tables = weighted_sum(self.fixed, self.scaled, fixed_weight, scaled_weight)
        found = search_prepared(self.planned, tables, self.options)
        if not found.proved_optimal:
            raise BudgetError(
                "phases need the proved optimum of every search, and one was not proved within "
                f"{self.options.time_limit_seconds:g} s; raise the time limit (--time-limit)"
            )
        choices = found.choices
        return Line(choices, self.fixed.total(choices), self.scaled.total(choices))


def weighted_sum(
    first: CostTables, second: CostTables, first_weight: float, second_weight: float
) -> CostTables:
    """Tables `first_weight * first + second_weight * second`; shared arrays stay shared.

    Args:
        first: costs; pairs that it lacks count as 0.
        second: costs over the same vertices, with all pairs.
        first_weight: of the first.
        second_weight: of the second.
    """
    made: dict[Hashable, Array] = {}

    def combined(one: Array | None, two: Array) -> Array:
        key = (id(one), id(two))
        if key not in made:
            made[key] = second_weight * two
            if one is not None:
                made[key] += first_weight * one
        return made[key]

    given = {(pair.first, pair.second): pair.costs for pair in first.pairs}
    return CostTables(
        vertices=tuple(map(combined, first.vertices, second.vertices)),
        pairs=tuple(
            PairTable(p.first, p.second, combined(given.get((p.first, p.second)), p.costs))
            for p in second.pairs
        ),
        names=second.names,
    )


def _dichotomy(best_at: Callable[[float, float], Line], progress: Progress) -> list[Line]:
    """Every line of the envelope, and perhaps some that touch it in one point."""
    first, last = best_at(1.0, 0.0), best_at(0.0, 1.0)
    lines = [first, last]
    waiting = [(first, last)]
    n_done, share = 0, 0.0
    while waiting:
        left, right = waiting.pop()
        n_done += 1
        crossing = _crossing(left, right)
        if crossing is not None:
            between = best_at(1.0, crossing)
            if between.at(crossing) < left.at(crossing) * (1.0 - _ROUNDING):
                lines.append(between)
                waiting += [(between, right), (left, between)]
        share = max(share, n_done / (n_done + len(waiting)))
        progress(share)
    return lines


def _crossing(left: Line, right: Line) -> float | None:
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
            crossing = _crossing(ruling[-1][0], line)
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
