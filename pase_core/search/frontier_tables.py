"""All combinations of choices near the hull of two costs, by elimination with frontier tables.

An elimination whose messages hold, for each choice of the dependent set, not one least cost but
all (cost, weight) pairs that no other pair of the same place beats:

    M(D) = pairs that stay of { tables at (v, D) + one entry of each message that v takes in }

Such tables can grow beyond all measure. They are kept small by a bound. With a multiplier r, an
ordinary elimination of `cost + r * weight`, forward and back, tells for every place the least sum
that a whole containing it can have. An entry whose own sum and the least sum of all that is
missing exceed a cut-off belongs to no whole below the cut-off, and is dropped. What is left is
exactly the wholes with `cost + r * weight` up to the cut-off that no other such whole beats.

Bi-objective dynamic programming: H. G. Daellenbach and C. A. De Kluyver, Note on multiple
objective dynamic programming, 1980; entries cut off by bounds: M. Ehrgott and X. Gandibleux,
Bound sets for biobjective combinatorial optimization problems, 2007.

Exact, to rounding. Work: entries visited, which no graph's shape foretells; it is counted as they
are made, and the search given up when it is too much.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import NamedTuple

import numpy as np

from pase_core.cost_tables import Array, CostTables
from pase_core.search.elimination import Messages, send_messages
from pase_core.search.entries import (
    BLOCK,
    SCRATCH_BYTES,
    Cut,
    Entries,
    Lists,
    Message,
    Meter,
    add_message,
)
from pase_core.search.marginals import least_outside
from pase_core.search.minima import align
from pase_core.search.options import SearchOptions
from pase_core.search.pareto import Index
from pase_core.search.plan import Step
from pase_core.search.sweep import given_tables
from pase_core.search.weighted import weighted_sum


def list_frontier(
    cost: CostTables,
    weight: CostTables,
    cut: Cut,
    options: SearchOptions,
    deadline: float = math.inf,
    progress: Callable[[], None] = lambda: None,
) -> tuple[tuple[int, ...], ...]:
    """The wholes up to a cut-off that no other whole up to it beats, one of each equal pair.

    Args:
        cost: the first cost.
        weight: the second, with the same pairs in the same order; see `weighted.aligned`.
        cut: multiplier and cut-off.
        options: ordering, engine, and limits: of all entries made, and of the memory.
        deadline: by `time.monotonic`, after which the search is given up.
        progress: called now and then; may raise to stop.

    Returns:
        Choices of each, by rising weight.

    Raises:
        OptionError: if there is no such ordering, or the engine asked for is not there.
        BudgetError: if it does not fit the limits, or the deadline has passed.
    """
    total = weighted_sum(cost, weight, 1.0, cut.multiplier)
    sent = send_messages(total, options)
    outside = least_outside(sent, options.memory_budget_bytes)
    meter = Meter(options.limits, deadline, progress)
    meter.hold(sent.n_bytes + sum(array.nbytes for array in outside.values()))
    meter.hold(cost.n_bytes + weight.n_bytes + SCRATCH_BYTES)
    tables = _Tables(sent, given_tables(cost, sent.plan), given_tables(weight, sent.plan), outside)
    return _Frontier(tables, cut, meter).run()


class _Tables(NamedTuple):
    """What is known of every table by its number in the plan.

    Attributes:
        sent: the ordinary elimination of the weighted sum.
        cost: the given tables of the cost.
        weight: the given tables of the weight.
        outside: of every message, the least sum of all that lies outside of it.
    """

    sent: Messages
    cost: Mapping[int, Array]
    weight: Mapping[int, Array]
    outside: Mapping[int, Array]


class _Rows(NamedTuple):
    """Choices of a step's vertex and dependents that may be part of a whole below the cut-off.

    Attributes:
        choice: of the vertex.
        place: number of the dependents' choices among all of theirs, in rising order of them.
        at: the choices of vertex and dependents, one array each.
    """

    choice: Index
    place: Index
    at: tuple[Index, ...]


@dataclass(slots=True)
class _Frontier:
    """The elimination with frontier tables, message by message."""

    tables: _Tables
    cut: Cut
    meter: Meter
    made: dict[int, Entries] = field(default_factory=dict)

    def run(self) -> tuple[tuple[int, ...], ...]:
        """Forward through the plan, then back for the choices of every entry at its end."""
        steps = self.tables.sent.plan.steps
        for step in steps:
            if step.is_new:
                self.made[step.result] = self._fill(step)
                self.meter.hold(self.made[step.result].n_bytes)
        nowhere = np.zeros(1, dtype=np.int64)
        lists = Lists(nowhere, np.zeros(1), np.zeros(1))
        roots = [step.result for step in steps if not step.dependents]
        for i, root in enumerate(roots):
            rest = sum(float(self.tables.sent.made[later]) for later in roots[i + 1 :])
            message = Message(self.made[root], nowhere, np.array([rest]), nowhere)
            lists = add_message(lists, message, self.cut, self.meter)
        wanted: dict[tuple[int, tuple[int, ...]], list[Index]] = defaultdict(list)
        for root, link in zip(roots, lists.links, strict=True):
            wanted[root, ()].append(link.astype(np.int64))
        return self._choices(wanted)

    def _fill(self, step: Step) -> Entries:
        """The frontier table that a step leaves."""
        rows = self._rows(step)
        tables, made = self.tables, self.made
        cost, weight = np.zeros(len(rows.choice)), np.zeros(len(rows.choice))
        rest = tables.outside[step.result].reshape(-1)[rows.place]
        waiting = []
        for factor in step.factors:
            at = tuple(rows.at[place] for place in factor.places)
            if factor.table in made:
                sums = tables.sent.made[factor.table]
                waiting.append((factor.table, np.ravel_multi_index(at, sums.shape), sums[at]))
            else:
                cost += tables.cost[factor.table][at]
                weight += tables.weight[factor.table][at]
        own = np.arange(len(rows.choice))
        lists = Lists(own, cost, weight)
        if not waiting:
            lists = lists.stay(rows.place, self.cut.quanta)
        for i, (table, place, _sums) in enumerate(waiting):
            later = sum((sums for *_, sums in waiting[i + 1 :]), rest)
            group = own if i + 1 < len(waiting) else rows.place
            message = Message(made[table], place, later, group)
            lists = add_message(lists, message, self.cut, self.meter)
        n_places = tables.outside[step.result].size
        starts = np.searchsorted(rows.place[lists.row], np.arange(n_places + 1))
        choice = rows.choice[lists.row].astype(np.int32)
        return Entries(starts, lists.cost, lists.weight, choice, lists.links)

    def _rows(self, step: Step) -> _Rows:
        """Places of a step's joint table that may be part of a whole below the cut-off."""
        outside = self.tables.outside[step.result]
        n_axes = outside.ndim + 1
        factors = [
            align(self.tables.sent.made[factor.table], factor.places, n_axes)
            for factor in step.factors
        ]
        n_choices = max(len(factor) for factor in factors)
        n_at_once = max(1, BLOCK // outside.size)
        found = [
            (choices + start, places)
            for start in range(0, n_choices, n_at_once)
            for choices, places in self._near(factors, outside, slice(start, start + n_at_once))
        ]
        choice, place = (np.concatenate(column) for column in zip(*found, strict=True))
        at = np.unravel_index(place, outside.shape) if outside.ndim else ()
        return _Rows(choice, place, (choice, *at))

    def _near(
        self, factors: list[Array], outside: Array, block: slice
    ) -> Iterator[tuple[Index, Index]]:
        """Choices, counted from the block's first, and places whose best whole is near enough."""
        self.meter.make(0)
        total = reduce(np.add, (factor[block] for factor in factors)) + outside
        choices, places = np.nonzero(total.reshape(len(total), -1) <= self.cut.most)
        yield choices, places

    def _choices(
        self, wanted: dict[tuple[int, tuple[int, ...]], list[Index]]
    ) -> tuple[tuple[int, ...], ...]:
        """Go back through the steps with the numbers of the entries that make up each whole."""
        steps = self.tables.sent.plan.steps
        found: dict[int, list[int]] = {}
        for step in reversed(steps):
            number = wanted[step.result, step.dependents].pop()
            entries = self.made[step.result]
            found[step.vertex] = entries.choice[number].tolist()
            taken_in = (factor for factor in step.factors if factor.table in self.made)
            for factor, link in zip(taken_in, entries.links, strict=True):
                wanted[factor.table, factor.variables].append(link[number].astype(np.int64))
        return tuple(zip(*(found[vertex] for vertex in range(len(steps))), strict=True))
