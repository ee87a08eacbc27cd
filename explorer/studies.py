"""What a worker process can study: per kind, how to begin, and what comes of each item.

An item is one piece of work with results of its own. No streamlit here. Adding a kind is one
entry in KINDS.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

from explorer.points import Point, point_from_json, point_to_json, points_of
from pase_core.search.rivals import RIVALS
from pase_core.search.sweep import Progress
from pase_core.search.trajectory import Point as Moment
from pase_core.search.trajectory import Trajectory, TrialOptions
from pase_core.searches import open_contest
from pase_core.solve import Problem, compare


class Trial(NamedTuple):
    """One run of a search.

    Attributes:
        search: a key of RIVALS.
        seed: of all that is random.
        seconds: time limit.
        evaluations: limit of what is proposed.
    """

    search: str
    seed: int
    seconds: float
    evaluations: int


Item = int | Trial
"""A number of devices, or a run of a search."""

Result = Point | tuple[Trial, Trajectory]
"""A point, or what came of a run."""

Solve = Callable[[Any, Progress], tuple[Result, ...]]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of study.

    Attributes:
        begin: what all items share is made from the problem; returns what solves an item.
        fail: the result of an item that cannot be solved, with the reason.
        item_of: the item that a result belongs to.
        read_item: an item from JSON data.
        to_json: a result as JSON data.
        from_json: a result from JSON data.
        describe: what is being done about an item.
        takes_devices: whether the scenario's own number of devices matters.
        keeps_items: whether what was asked for earlier, and is not done, is still wanted.
    """

    begin: Callable[[Problem], Solve]
    fail: Callable[[Any, str], Result]
    item_of: Callable[[Any], Item]
    read_item: Callable[[Any], Item]
    to_json: Callable[[Any], dict[str, Any]]
    from_json: Callable[[dict[str, Any]], Result]
    describe: Callable[[Any], str]
    takes_devices: bool
    keeps_items: bool


def _begin_scaling(problem: Problem) -> Solve:
    def solve(n_devices: int, progress: Progress) -> tuple[Point, ...]:
        cluster = problem.cluster.with_devices(n_devices)
        return points_of(compare(replace(problem, cluster=cluster), progress))

    return solve


def _begin_searches(problem: Problem) -> Solve:
    contest = open_contest(replace(problem, pins=(), memory_limit_bytes=None))

    def solve(trial: Trial, _progress: Progress) -> tuple[Result, ...]:
        limits = TrialOptions(
            seed=trial.seed,
            time_limit_seconds=trial.seconds,
            max_evaluations=trial.evaluations,
            memory_budget_bytes=problem.search.memory_budget_bytes,
        )
        return ((trial, contest.run(trial.search, limits)),)

    return solve


def _no_trajectory(trial: Trial, reason: str) -> Result:
    return trial, Trajectory(trial.search, trial.seed, (), (), 0.0, 0, 0.0, failure=reason)


def _trajectory_to_json(result: tuple[Trial, Trajectory]) -> dict[str, Any]:
    """Without the choices, which no page shows."""
    trial, found = result
    return {"trial": list(trial), **asdict(replace(found, choices=()))}


def _trajectory_from_json(data: dict[str, Any]) -> Result:
    points = tuple(Moment(*point) for point in data["points"])
    fields = {name: value for name, value in data.items() if name != "trial"}
    return Trial(*data["trial"]), Trajectory(**fields | {"points": points, "choices": ()})


SCALING, SEARCHES = "scaling", "searches"

KINDS: dict[str, Kind] = {
    SCALING: Kind(
        begin=_begin_scaling,
        fail=lambda n_devices, reason: Point(n_devices, message=reason),
        item_of=lambda point: point.n_devices,
        read_item=int,
        to_json=point_to_json,
        from_json=point_from_json,
        describe=lambda n_devices: f"searching for {n_devices} devices",
        takes_devices=False,
        keeps_items=True,
    ),
    SEARCHES: Kind(
        begin=_begin_searches,
        fail=_no_trajectory,
        item_of=lambda result: result[0],
        read_item=lambda data: Trial(*data),
        to_json=_trajectory_to_json,
        from_json=_trajectory_from_json,
        describe=lambda trial: f"running {RIVALS[trial.search].title}, seed {trial.seed}",
        takes_devices=True,
        keeps_items=False,
    ),
}
"""Kinds of study by name."""
