"""How a search went: the best cost against time and evaluations, one form for all methods."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from pase_core.cost_tables import CostTables
from pase_core.errors import OptionError
from pase_core.search.options import check_seconds

MAX_EVALUATIONS = 10**12


class Point(NamedTuple):
    """The best so far.

    Attributes:
        seconds: since the start.
        evaluations: done by then; see `Trajectory.n_evaluations`.
        cost: of the best choices by then.
    """

    seconds: float
    evaluations: int
    cost: float


@dataclass(frozen=True, slots=True)
class TrialOptions:
    """What a search may take, and what it may start from.

    Attributes:
        seed: of all that is random.
        time_limit_seconds: after which it stops; searches by tables run to their end, and are not
            begun if they would take longer.
        max_evaluations: after which it stops; for those that propose one whole after the other.
        memory_budget_bytes: for tables and messages.
        candidates: wholes that are given, for the search that tries just these.
    """

    seed: int = 0
    time_limit_seconds: float = 10.0
    max_evaluations: int = 250_000
    memory_budget_bytes: float = 8e9
    candidates: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        """Check the limits."""
        check_seconds(self.time_limit_seconds)
        if not 1 <= self.max_evaluations <= MAX_EVALUATIONS:
            raise OptionError(
                f"{self.max_evaluations} evaluations: must be from 1 to {MAX_EVALUATIONS:,}"
            )


@dataclass(frozen=True, slots=True)
class Trajectory:
    """How one search went.

    Attributes:
        method: its name.
        seed: of all that was random.
        points: the start, every improvement that was noted, and the end.
        choices: the best met.
        cost: of these, recomputed from the cost tables.
        n_evaluations: wholes that were priced, most of them by what changed; for exact methods,
            table entries that were visited.
        seconds: in all.
        lower_bound: proved by the search itself; minus infinity if it proves none.
        failure: why there is no result but the start; empty if there is.
        ended: why it stopped, in a few words; empty for exact searches.
    """

    method: str
    seed: int
    points: tuple[Point, ...]
    choices: tuple[int, ...]
    cost: float
    n_evaluations: int
    seconds: float
    lower_bound: float = -math.inf
    failure: str = ""
    ended: str = ""

    def seconds_to(self, cost: float) -> float:
        """Time after which the best cost no more than this; infinite if never."""
        return next((point.seconds for point in self.points if point.cost <= cost), math.inf)


@dataclass(slots=True)
class Recorder:
    """Notes the best choices as a search goes on.

    Attributes:
        tables: the costs.
        start: choices that the search starts from.
        options: limits.
    """

    tables: CostTables
    start: tuple[int, ...]
    options: TrialOptions
    best: tuple[int, ...] = ()
    cost: float = math.inf
    points: list[Point] = field(default_factory=list)
    began: float = 0.0

    def __post_init__(self) -> None:
        """Note the start, and let the clock run."""
        self.began = time.perf_counter()
        self.best, self.cost = self.start, self.tables.total(self.start)
        self.points.append(Point(0.0, 0, self.cost))

    @property
    def seconds(self) -> float:
        """Since the start."""
        return time.perf_counter() - self.began

    @property
    def is_late(self) -> bool:
        """True once the time is up."""
        return self.seconds > self.options.time_limit_seconds

    def reason(self, evaluations: int) -> str:
        """Which limit has been reached."""
        limit = self.options.max_evaluations
        return "limit of proposals" if evaluations >= limit else "time limit"

    def note(self, evaluations: int, choices: tuple[int, ...], seconds: float = -1.0) -> None:
        """Keep choices if they are the best so far.

        Args:
            evaluations: done so far.
            choices: of every vertex.
            seconds: when they were met; negative for now.
        """
        cost = self.tables.total(choices)
        if cost < self.cost:
            self.best, self.cost = choices, cost
            at = self.seconds if seconds < 0 else seconds
            self.points.append(Point(at, evaluations, cost))

    def finish(
        self,
        method: str,
        evaluations: int,
        *,
        lower_bound: float = -math.inf,
        failure: str = "",
        ended: str = "",
    ) -> Trajectory:
        """The whole trajectory; arguments as its attributes."""
        seconds = self.seconds
        return Trajectory(
            method=method,
            seed=self.options.seed,
            points=(*self.points, Point(seconds, evaluations, self.cost)),
            choices=self.best,
            cost=self.cost,
            n_evaluations=evaluations,
            seconds=seconds,
            lower_bound=lower_bound,
            failure=failure,
            ended=ended,
        )


def as_choices(array: np.ndarray) -> tuple[int, ...]:
    """An array of choices as a tuple."""
    return tuple(map(int, array))
