"""A scaling study at one moment, as frozen data. No streamlit here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from explorer.points import Point
from explorer.scenario import Scenario


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
        scenario: what is solved, without the upload's content.
        devices: the numbers of devices that were asked for, in order.
        points: what has come in, with the fewest devices first.
        state: what it is doing.
        working_on: the number of devices that is being solved, and the share of it that is done.
        message: why it failed.
    """

    key: str
    scenario: Scenario
    devices: tuple[int, ...]
    points: tuple[Point, ...]
    state: State
    working_on: tuple[int, float] = (0, 0.0)
    message: str = ""

    @property
    def is_alive(self) -> bool:
        """True while more is to come."""
        return self.state in (State.WAITING, State.RUNNING)

    @property
    def solved(self) -> tuple[int, ...]:
        """Numbers of devices that have an answer, if only a message."""
        return tuple(dict.fromkeys(point.n_devices for point in self.points))

    @property
    def share(self) -> float:
        """Share of the numbers of devices that is done."""
        partly = self.working_on[1] if self.is_alive else 0.0
        return min(1.0, (len(self.solved) + partly) / max(1, len(self.devices)))


def progress_of(snapshots: Sequence[Snapshot]) -> tuple[float, str]:
    """Share of some runs that is done, and a sentence about them."""
    n_asked = sum(len(snapshot.devices) for snapshot in snapshots)
    share = sum(snapshot.share * len(snapshot.devices) for snapshot in snapshots) / n_asked
    n_solved = sum(len(snapshot.solved) for snapshot in snapshots)
    solved = f"{n_solved} of {n_asked} searches done"
    failed = next((each.message for each in snapshots if each.state is State.FAILED), "")
    running = [each for each in snapshots if each.state is State.RUNNING]
    if running:
        n_devices = running[0].working_on[0]
        return share, solved + (f"; searching for {n_devices} devices …" if n_devices else " …")
    if any(snapshot.is_alive for snapshot in snapshots):
        return share, f"{solved}; waiting for other runs to end …"
    return share, f"{solved}; {failed or 'stopped'}."
