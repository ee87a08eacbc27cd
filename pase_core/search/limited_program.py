"""The least cost at a limited weight, by the integer program with one row more.

The tables are those near one edge of the hull (`pase_core.search.near_hull`), without the choices
that no combination of interest can have; the program is that of their weighted sum with the
weight's row (`pase_core.search.program`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from pase_core.cost_tables import Kept
from pase_core.search.integer_program import BYTES_PER_ENTRY, Run
from pase_core.search.near_hull import NearHull, original
from pase_core.search.objectives import Point
from pase_core.search.program import WeightLimit, build_program
from pase_core.search.relaxation import relax
from pase_core.search.sweep import Progress, no_progress
from pase_core.search.weighted import weighted_sum

ROUNDING = 1e-12
"""Share of a limit by which a weight may exceed it: sums of up to some thousand numbers."""

MARGIN = 1e-8
"""Share of a weight by which a limit must lie below it to keep the solver from finding it."""

_SOLVER_ERROR = 2e-9
"""Share of the gap that a program is to close, by which the solver's bound may be off."""

_N_SWEEPS = 20


def keeps_to(weight: float, limit: float) -> bool:
    """Whether a weight is within a limit, but for the rounding of its sum."""
    return weight <= limit + ROUNDING * abs(limit)


@dataclass(frozen=True, slots=True)
class Limited:
    """What a program with a limit found.

    Attributes:
        point: the best combination within the limit that is cheaper than asked for; None if none
            has been found.
        bound: nothing within the limit costs less than this, or than what was asked for.
        is_proved: whether the point is the best, or there is none.
    """

    point: Point | None
    bound: float
    is_proved: bool


def solve_limited(
    near: NearHull,
    limit: float,
    below: float,
    seconds: float,
    progress: Progress = no_progress,
) -> Limited:
    """The combination of least cost within a limit, if that is less than asked for.

    Args:
        near: the two costs, and bounds of their weighted sum.
        limit: of the weight, as given, kept to but for the rounding of sums.
        below: the cost that is to be beaten, as given.
        seconds: time limit.
        progress: called with the share of the gap that is closed; may raise to stop.

    Raises:
        BudgetError: if the program does not fit the memory budget.
    """
    objectives = near.objectives
    slack = objectives.slack(below, limit, near.multiplier)
    kept = near.kept(objectives.weighted_value(below, limit, near.multiplier) + slack)
    if not all(map(len, kept)):
        return Limited(None, below, is_proved=True)
    slack = objectives.slack(below, 0.0, 0.0)
    best: Point | None = None
    bound, error, deadline = -math.inf, slack, time.monotonic() + seconds
    for margin in (0.0, MARGIN):  # should the solver's own tolerance have exceeded the limit
        left = deadline - time.monotonic()
        if left <= 0.0:
            break
        found = _solve(near, kept, (limit - margin * abs(limit), below), left, progress)
        if margin == 0.0:
            bound, error = found.bound, max(slack, found.error)
        point = objectives.point(found.choices)
        if keeps_to(point.weight, limit):
            best = point if point.cost < below - slack else None
            break
        if bound >= below - error:
            break
    aim = below if best is None else best.cost
    return Limited(best, bound, is_proved=bound >= aim - error)


class _Solved(NamedTuple):
    """What one run of the solver found.

    Attributes:
        choices: the best; they may break the bounds a little.
        bound: of the cost of what does not.
        error: by which the bound may be off.
    """

    choices: tuple[int, ...]
    bound: float
    error: float


def _solve(
    near: NearHull,
    kept: Sequence[Kept],
    bounds: tuple[float, float],
    seconds: float,
    progress: Progress,
) -> _Solved:
    """Solve the program of the choices kept.

    Args:
        near: the two costs.
        kept: choices that remain.
        bounds: the limit of the weight, and the cost that is to be beaten.
        seconds: time limit.
        progress: told the share of the gap that is closed.
    """
    objectives, multiplier = near.objectives, near.multiplier
    cost, weight = near.restricted(kept)
    total = weighted_sum(cost, weight, 1.0, multiplier)
    most = objectives.weighted_value(bounds[1], bounds[0], multiplier)
    most += objectives.slack(bounds[1], bounds[0], multiplier)
    left_bytes = max(objectives.options.memory_budget_bytes - total.n_bytes, 0.0)
    relaxed = relax(total, _N_SWEEPS)
    limit = WeightLimit(weight, bounds[0] - objectives.weight_shift, multiplier)
    program = build_program(total, relaxed.messages, most, left_bytes / BYTES_PER_ENTRY, limit)
    known = replace(relaxed, cost=bounds[1] - objectives.cost_shift)
    choices, bound = Run(program, known, progress).solve(seconds)
    return _Solved(
        choices=original(kept, choices),
        bound=max(bound, program.constant) + objectives.cost_shift,
        error=_SOLVER_ERROR * (known.cost - program.constant),
    )
