"""A study at one moment, as frozen data. No streamlit here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from explorer.points import Point
from explorer.scenario import Scenario
from explorer.studies import KINDS, Item, Result, Trial
from pase_core.search.trajectory import Trajectory


class State(Enum):
    """What a run is doing."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"
    DROPPED = "dropped"  # made room for another run; goes on when somebody looks at it again
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A run at one moment.

    Attributes:
        key: its name.
        kind: a name of `studies.KINDS`.
        scenario: what is studied, without the upload's content.
        items: what was asked for, in order.
        results: what has come in, in the order of the items.
        state: what it is doing.
        working_on: the item that is being worked on, if any, and the share of it that is done.
        message: why it failed.
    """

    key: str
    kind: str
    scenario: Scenario
    items: tuple[Item, ...]
    results: tuple[Result, ...]
    state: State
    working_on: tuple[Item | None, float] = (None, 0.0)
    message: str = ""

    @property
    def is_alive(self) -> bool:
        """True while more is to come."""
        return self.state in (State.WAITING, State.RUNNING)

    @property
    def solved(self) -> tuple[Item, ...]:
        """Items that have an answer, if only a message."""
        return tuple(dict.fromkeys(map(KINDS[self.kind].item_of, self.results)))

    @property
    def share(self) -> float:
        """Share of the items that is done."""
        partly = self.working_on[1] if self.is_alive else 0.0
        return min(1.0, (len(self.solved) + partly) / max(1, len(self.items)))


def progress_of(snapshots: Sequence[Snapshot]) -> tuple[float, str]:
    """Share of some runs that is done, and a sentence about them."""
    n_asked = sum(len(snapshot.items) for snapshot in snapshots)
    share = sum(snapshot.share * len(snapshot.items) for snapshot in snapshots) / n_asked
    n_solved = sum(len(snapshot.solved) for snapshot in snapshots)
    solved = f"{n_solved} of {n_asked} searches done"
    failed = next((each.message for each in snapshots if each.state is State.FAILED), "")
    running = [each for each in snapshots if each.state is State.RUNNING]
    if running:
        item = running[0].working_on[0]
        doing = "" if item is None else f"; {KINDS[running[0].kind].describe(item)}"
        return share, f"{solved}{doing} …"
    if any(snapshot.is_alive for snapshot in snapshots):
        return share, f"{solved}; waiting for other runs to end …"
    return share, f"{solved}; {failed or 'stopped'}."


def points_in(snapshot: Snapshot) -> tuple[Point, ...]:
    """The points of a scaling study."""
    return tuple(result for result in snapshot.results if isinstance(result, Point))


def trials_in(snapshot: Snapshot) -> tuple[tuple[Trial, Trajectory], ...]:
    """The runs of searches that are done."""
    return tuple(result for result in snapshot.results if not isinstance(result, Point))
