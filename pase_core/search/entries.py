"""Lists of (cost, weight) pairs, one list per place, and their sums: the stuff of frontier tables.

All lists of a message lie one behind the other in long arrays. Lists that are added up are made
block by block, and what is above a cut-off, or beaten, is dropped at once.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pase_core.cost_tables import Array
from pase_core.errors import BudgetError
from pase_core.search.budget import Limits, format_amount, gigabytes
from pase_core.search.pareto import Index, Quanta, undominated

BLOCK = 500_000
"""Entries that are made at a time."""

SCRATCH_BYTES = 150 * BLOCK
"""Bytes that making and sorting a block of entries takes, as measured."""

Numbers = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Cut:
    """What is looked for.

    Attributes:
        multiplier: r, of the weight beside the cost.
        most: of `cost + r * weight`.
        quanta: differences that count as none.
    """

    multiplier: float
    most: float
    quanta: Quanta


@dataclass(slots=True)
class Meter:
    """Counts entries as they are made, and gives up when they are too many.

    Attributes:
        limits: of all bytes held, and of all entries made.
        deadline: by `time.monotonic`.
        progress: called now and then; may raise to stop.
        n_bytes: held so far.
        n_made: entries made so far.
    """

    limits: Limits
    deadline: float = math.inf
    progress: Callable[[], None] = lambda: None
    n_bytes: int = 0
    n_made: int = 0

    def make(self, n_entries: int) -> None:
        """Count entries that are about to be made.

        Raises:
            BudgetError: if they are too many, or the deadline has passed.
        """
        self.progress()
        self.n_made += n_entries
        if self.n_made > self.limits.max_entries:
            raise BudgetError(
                f"frontier tables take more than {format_amount(self.limits.max_entries)} entries"
            )
        if time.monotonic() > self.deadline:
            raise BudgetError("frontier tables were not made by the time limit")

    def check(self, n_bytes: int) -> None:
        """Raise BudgetError if so much beside what is held would be too much."""
        if self.n_bytes + n_bytes > self.limits.memory_budget_bytes:
            raise BudgetError(
                "frontier tables do not fit the memory budget of "
                f"{gigabytes(self.limits.memory_budget_bytes)}"
            )

    def hold(self, n_bytes: int) -> None:
        """Count arrays that stay; BudgetError if they are too many."""
        self.check(n_bytes)
        self.n_bytes += n_bytes


class Entries(NamedTuple):
    """A message whose places hold lists of entries.

    Attributes:
        starts: first entry of each place, and their number, shape (n_places + 1,).
        cost: of each entry.
        weight: of each entry.
        choice: of the vertex that was eliminated.
        links: per message that the step took in, the number of its entry.
    """

    starts: Index
    cost: Array
    weight: Array
    choice: Numbers
    links: tuple[Numbers, ...]

    @property
    def n_bytes(self) -> int:
        """Bytes of all arrays."""
        return self.starts.nbytes + len(self.cost) * (20 + 4 * len(self.links))


class Lists(NamedTuple):
    """Entries under construction.

    Attributes:
        row: what each belongs to, in rising order.
        cost: of each entry.
        weight: of each entry.
        links: per message added so far, the number of its entry.
    """

    row: Index
    cost: Array
    weight: Array
    links: tuple[Numbers, ...] = ()

    def take(self, chosen: Index | NDArray[np.bool_]) -> Lists:
        """Some of them."""
        links = tuple(link[chosen] for link in self.links)
        return Lists(self.row[chosen], self.cost[chosen], self.weight[chosen], links)

    def stay(self, group: Index, quanta: Quanta) -> Lists:
        """Those that no other of their group beats; sorted by group.

        Args:
            group: of each row.
            quanta: differences that count as none.
        """
        return self.take(undominated(group[self.row], self.cost, self.weight, quanta))

    @property
    def n_bytes(self) -> int:
        """Bytes of all arrays."""
        return len(self.row) * (24 + 4 * len(self.links))


class Message(NamedTuple):
    """A message to be added to every row's list.

    Attributes:
        entries: of the message.
        place: where each row finds its list.
        rest: per row, the least sum of what is still missing when this has been added.
        group: of each row; entries of one group beat each other.
    """

    entries: Entries
    place: Index
    rest: Array
    group: Index


def add_message(lists: Lists, message: Message, cut: Cut, meter: Meter) -> Lists:
    """Every entry of every row's list plus every entry of the row's list in the message.

    Returns:
        Those up to the cut-off that no other of their group beats, sorted by group.

    Raises:
        BudgetError: if they are too many.
    """
    starts = message.entries.starts
    place = message.place[lists.row]
    counts = starts[place + 1] - starts[place]
    parts: list[Lists] = []
    for start, stop in _blocks(counts):
        meter.make(int(counts[start:stop].sum()))
        made = _expand(lists, message, (start, stop), counts)
        total = made.cost + cut.multiplier * made.weight + message.rest[made.row]
        parts.append(made.take(total <= cut.most).stay(message.group, cut.quanta))
        meter.check(sum(part.n_bytes for part in parts))
    if len(parts) == 1:
        return parts[0]
    columns = zip(*(part.links for part in parts), strict=True)
    whole = Lists(
        row=np.concatenate([part.row for part in parts]),
        cost=np.concatenate([part.cost for part in parts]),
        weight=np.concatenate([part.weight for part in parts]),
        links=tuple(np.concatenate(column) for column in columns),
    )
    return whole.stay(message.group, cut.quanta)


def _blocks(counts: Index) -> Iterator[tuple[int, int]]:
    """Borders of blocks of sources that make about as many entries each; one block at least."""
    ends = np.cumsum(counts)
    start, done = 0, 0
    while True:
        stop = max(int(np.searchsorted(ends, done + BLOCK, side="right")), start + 1)
        stop = min(stop, len(counts))
        yield start, stop
        if stop == len(counts):
            return
        start, done = stop, int(ends[stop - 1])


def _expand(lists: Lists, message: Message, block: tuple[int, int], counts: Index) -> Lists:
    """The sums that a block of sources makes, none dropped."""
    start, stop = block
    entries, counts = message.entries, counts[start:stop]
    source = np.repeat(np.arange(start, stop), counts)
    first = entries.starts[message.place[lists.row[start:stop]]]
    before = np.cumsum(counts) - counts
    number = np.arange(len(source)) + np.repeat(first - before, counts)
    return Lists(
        row=lists.row[source],
        cost=lists.cost[source] + entries.cost[number],
        weight=lists.weight[source] + entries.weight[number],
        links=(*(link[source] for link in lists.links), number.astype(np.int32)),
    )
