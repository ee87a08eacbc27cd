"""Other searches on the same problem, from the same start: how well they do, and how fast."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pase_core.cost_tables import CostTables
from pase_core.errors import OptionError, PaseError
from pase_core.grid import global_splits
from pase_core.problem import check_no_limit
from pase_core.search.bounds import search_by_bounds
from pase_core.search.engine import ELIMINATION_LOOPS, FLAT_LOOPS, load_kernels
from pase_core.search.options import SearchOptions
from pase_core.search.rivals import RIVALS
from pase_core.search.sweep import Progress, no_progress
from pase_core.search.trajectory import Recorder, Trajectory, TrialOptions
from pase_core.solve import Problem, cost_model, price_data_parallel, price_tables
from pase_core.units import share_above

MAX_SEEDS = 100


@dataclass(frozen=True, slots=True)
class Searches:
    """Trajectories of several searches.

    Attributes:
        problem: what was searched.
        unit: unit of all costs.
        start: cost of the start of all of them, data parallelism.
        lower_bound: no strategy costs less: the best bound that any search proved.
        is_optimum: whether some search found a strategy of that cost.
        trajectories: of each search, one per seed where seeds matter.
    """

    problem: Problem
    unit: str
    start: float
    lower_bound: float
    is_optimum: bool
    trajectories: tuple[Trajectory, ...]

    def gap(self, cost: float) -> float:
        """By how much a cost exceeds the lower bound, as a share of it."""
        return share_above(cost, self.lower_bound)


@dataclass(frozen=True, slots=True, eq=False)
class Contest:
    """What all searches of a problem share.

    Attributes:
        problem: what is searched.
        tables: its costs.
        start: choices that all of them start from, data parallelism.
        candidates: wholes for the search that tries just these.
    """

    problem: Problem
    tables: CostTables
    start: tuple[int, ...]
    candidates: tuple[tuple[int, ...], ...]

    def run(self, name: str, limits: TrialOptions) -> Trajectory:
        """Run one search; `name` is a key of RIVALS. What keeps it from running is its failure."""
        given = replace(limits, candidates=self.candidates)
        try:
            return RIVALS[name].run(self.tables, self.start, given)
        except PaseError as error:
            return Recorder(self.tables, self.start, given).finish(name, 0, failure=str(error))


def open_contest(problem: Problem) -> Contest:
    """Price a problem, without its pins, and load the compiled loops before any clock runs.

    Raises:
        OptionError: if an option is out of range.
        BudgetError: if the cost tables do not fit the memory budget.
    """
    for name in (ELIMINATION_LOOPS, FLAT_LOOPS):
        with contextlib.suppress(OptionError):
            load_kernels(name)
    check_no_limit(problem, "other searches")
    costs = price_tables(problem)
    return Contest(
        problem=problem,
        tables=costs.tables,
        start=price_data_parallel(problem, costs).choices,
        candidates=global_splits(problem.graph, costs, problem.cluster.n_devices),
    )


def run_searches(
    problem: Problem,
    names: Sequence[str] = tuple(RIVALS),
    n_seeds: int = 5,
    options: TrialOptions | None = None,
    progress: Progress = no_progress,
) -> Searches:
    """Run searches one after the other on a problem, without its pins.

    Args:
        problem: network, devices and options.
        names: keys of RIVALS.
        n_seeds: how often those run that are random, with the seeds 0, 1, ...
        options: limits of each run; None for the usual ones with the problem's memory budget.
        progress: called with the share of the runs that are done.

    Raises:
        OptionError: if there is no such search, or an option is out of range.
        BudgetError: if the cost tables do not fit the memory budget.
    """
    _check(names, n_seeds)
    contest = open_contest(problem)
    limits = options or TrialOptions(memory_budget_bytes=problem.search.memory_budget_bytes)
    runs = [
        (name, replace(limits, seed=seed))
        for name in names
        for seed in range(n_seeds if RIVALS[name].is_random else 1)
    ]
    found = []
    for name, each in runs:
        found.append(contest.run(name, each))
        progress(len(found) / len(runs))
    bound, best = _proof(contest, found, limits)
    return Searches(
        problem=problem,
        unit=cost_model(problem).unit,
        start=contest.tables.total(contest.start),
        lower_bound=min(bound, best),
        is_optimum=bound >= best,
        trajectories=tuple(found),
    )


def _proof(
    contest: Contest, found: Sequence[Trajectory], limits: TrialOptions
) -> tuple[float, float]:
    """The best lower bound and the least cost; if they do not meet yet, by bounds."""
    bound = max((each.lower_bound for each in found), default=-math.inf)
    best = min((each.cost for each in found), default=math.inf)
    if bound >= best:
        return bound, best
    options = SearchOptions(
        memory_budget_bytes=limits.memory_budget_bytes,
        time_limit_seconds=limits.time_limit_seconds,
    )
    try:
        proof = search_by_bounds(contest.tables, options)
    except PaseError:  # what has been found is worth more than this
        return max(bound, 0.0), best
    return max(bound, proof.lower_bound), min(best, proof.cost)


def _check(names: Sequence[str], n_seeds: int) -> None:
    unknown = [name for name in names if name not in RIVALS]
    if unknown:
        raise OptionError(f"unknown search {unknown[0]!r}; known: {', '.join(RIVALS)}")
    if isinstance(n_seeds, bool) or not isinstance(n_seeds, int) or not 1 <= n_seeds <= MAX_SEEDS:
        raise OptionError(f"{n_seeds!r} seeds: must be an integer from 1 to {MAX_SEEDS}")
