"""Exact minimisation on any graph by closing in from both sides.

Dual ascent raises a lower bound and finds good choices (`pase_core.search.relaxation`). A choice of
which the bound says that every whole with it costs more than the best choices known is struck
out, and the ascent goes on with the rest. On cost tables of real networks this mostly ends by
itself, with the bound at the cost. Where it comes to a halt before, what is left is eliminated if
its tables fit, and handed to an integer program if not.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pase_core.cost_tables import CostTables, Kept, TableShape
from pase_core.errors import BudgetError
from pase_core.search.budget import gigabytes
from pase_core.search.elimination import eliminate
from pase_core.search.engine import FLAT_LOOPS, load_kernels
from pase_core.search.flat import flat_bytes
from pase_core.search.integer_program import integer_program
from pase_core.search.options import DEFAULT_OPTIONS, SearchOptions
from pase_core.search.relaxation import Relaxation, relax, rounding_of, tolerance
from pase_core.search.result import SearchResult
from pase_core.search.sweep import Progress, no_progress

NAME = "bounds"

_N_SWEEPS = (1, 4, 10, 10, 20, 40, 80)
"""Sweeps of each round."""

_MIN_PROGRESS = 0.02
"""Share of the gap that a round must close, or the ascent is given up."""

_WORTH_ELIMINATING = 1_000_000_000
"""Entries of joint tables that are visited faster than an integer program is solved."""

_SMALLER = 0.5
"""Share of the memory at which it pays to make smaller tables."""


def search_by_bounds(
    tables: CostTables,
    options: SearchOptions = DEFAULT_OPTIONS,
    progress: Progress = no_progress,
) -> SearchResult:
    """Find the choices of least total cost, or the best by the time limit and a lower bound.

    Args:
        tables: the costs.
        options: time limit and memory budget.
        progress: called with a guess of the share that is done; may raise to stop.

    Raises:
        OptionError: if the compiled loops cannot be loaded.
        BudgetError: if the tables laid out flat do not fit the memory budget.
    """
    start = time.perf_counter()
    load_kernels(FLAT_LOOPS)
    loading_seconds = time.perf_counter() - start
    deadline = time.monotonic() + options.time_limit_seconds
    n_bytes = check_bounds(tables.shape, options)
    state = _State.start(tables)
    for i, n_sweeps in enumerate(_N_SWEEPS):
        before = state.gap
        state = state.advance(n_sweeps, deadline)
        progress((i + 1) / (len(_N_SWEEPS) + 1))
        is_stuck = i > 1 and state.gap > (1.0 - _MIN_PROGRESS) * before
        if state.is_closed or is_stuck or time.monotonic() > deadline:
            break
    result = SearchResult(
        choices=state.choices,
        cost=state.cost,
        lower_bound=state.cost if state.is_closed else state.bound,
        method=NAME,
        proved_optimal=state.is_closed,
        largest_table=max((pair.costs.size for pair in tables.pairs), default=0),
        peak_bytes=n_bytes,
        loading_seconds=loading_seconds,
    )
    seconds = deadline - time.monotonic()
    if not state.is_closed and seconds > 0:
        result = _finish(result, state, replace(options, time_limit_seconds=seconds), progress)
    progress(1.0)
    return result


def check_bounds(shape: TableShape, options: SearchOptions, held_bytes: int = 0) -> int:
    """Bytes of a search by bounds at its worst moment, but for an integer program at its end.

    Args:
        shape: of the tables.
        options: memory budget.
        held_bytes: what is in memory beside them.

    Raises:
        BudgetError: if they exceed the memory budget.
    """
    n_bytes = held_bytes + shape.n_bytes + flat_bytes(shape)
    if n_bytes > options.memory_budget_bytes:
        raise BudgetError(
            f"search by bounds takes {gigabytes(n_bytes)}, and the memory budget is "
            f"{gigabytes(options.memory_budget_bytes)}: raise it (--memory-budget), use fewer "
            "devices or a larger smallest part (--min-part)"
        )
    return n_bytes


@dataclass(frozen=True, slots=True, eq=False)
class _State:
    """How far the two sides have come.

    Attributes:
        whole: the tables that are searched.
        kept: per vertex the choices that are not struck out.
        tables: the tables of these.
        choices: the best choices met, of the whole tables.
        cost: of these.
        bound: no choices of the whole tables cost less.
        relaxation: of `tables`, or None before the first round.
        rounding: of a bound of the whole tables.
    """

    whole: CostTables
    kept: tuple[Kept, ...]
    tables: CostTables
    choices: tuple[int, ...] = ()
    cost: float = math.inf
    bound: float = -math.inf
    relaxation: Relaxation | None = None
    rounding: float = 0.0

    @classmethod
    def start(cls, tables: CostTables) -> _State:
        """Nothing known, nothing struck out."""
        everything = tuple(np.arange(n) for n in tables.n_choices)
        return cls(tables, everything, tables, rounding=rounding_of(tables))

    @property
    def gap(self) -> float:
        """What lies between the two sides."""
        return self.cost - self.bound

    @property
    def is_closed(self) -> bool:
        """True if the choices are proved optimal."""
        return self.gap <= self.tolerance

    @property
    def tolerance(self) -> float:
        """Gap that counts as none."""
        return tolerance(self.cost, self.rounding)

    def advance(self, n_sweeps: int, deadline: float = math.inf) -> _State:
        """Some sweeps further, but for one no longer than that, without what they strike out."""
        messages = None if self.relaxation is None else self.relaxation.messages
        found = relax(self.tables, n_sweeps, messages, deadline)
        choices, cost = self.choices, self.cost
        if found.cost < cost:
            choices, cost = _original(self.kept, found.choices), found.cost
        # What is struck out costs more than the best known: the bound holds for it as well.
        bound = max(self.bound, min(found.bound, cost))
        state = replace(self, choices=choices, cost=cost, bound=bound, relaxation=found)
        return state if state.is_closed else state._strike_out(found)

    def as_start(self) -> Relaxation:
        """What is known, in terms of the tables that are left: none of it has been struck out."""
        messages = None if self.relaxation is None else self.relaxation.messages
        left = zip(self.kept, self.choices, strict=True)
        choices = tuple(int(np.searchsorted(keep, choice)) for keep, choice in left)
        return replace(relax(self.tables, 1, messages), choices=choices, cost=self.cost)

    def _strike_out(self, found: Relaxation) -> _State:
        """Leave out choices that are in no better whole, where that makes the tables smaller."""
        most = self.cost + self.tolerance
        same: dict[bytes, Kept] = {}  # vertices that keep the same go on sharing tables
        left = [np.flatnonzero(floors <= most) for floors in found.floors]
        left = [same.setdefault(keep.tobytes(), keep) for keep in left]
        now, smaller = self.tables.shape, self.tables.shape.restricted(left)
        if smaller.n_bytes + flat_bytes(smaller) > _SMALLER * flat_bytes(now):
            return self
        rows = [
            (to_first[left[pair.first]], to_second[left[pair.second]])
            for pair, (to_first, to_second) in zip(self.tables.pairs, found.messages, strict=True)
        ]
        return replace(
            self,
            kept=tuple(keep[each] for keep, each in zip(self.kept, left, strict=True)),
            tables=self.tables.restricted(left),
            relaxation=replace(found, messages=tuple(rows)),
        )


def _original(kept: Sequence[Kept], choices: Sequence[int]) -> tuple[int, ...]:
    """Choices among those kept, as choices of the whole tables."""
    return tuple(int(keep[c]) for keep, c in zip(kept, choices, strict=True))


def _finish(
    result: SearchResult, state: _State, options: SearchOptions, progress: Progress
) -> SearchResult:
    """Search what is left by elimination if that is little work, or else by an integer program.

    If neither fits, the result stays as it is.
    """
    left_bytes = options.memory_budget_bytes - state.whole.n_bytes
    options = replace(options, memory_budget_bytes=left_bytes, engine="auto")
    try:
        limits = replace(options, max_entries=min(options.max_entries, _WORTH_ELIMINATING))
        found = eliminate(state.tables, limits, progress)
    except BudgetError:
        try:
            found = integer_program(state.tables, options, progress, state.as_start())
        except BudgetError:
            return result
    better = found.cost < result.cost
    cost = min(found.cost, result.cost)
    bound = max(result.lower_bound, min(found.lower_bound, cost))
    is_proved = bound >= cost - tolerance(cost, state.rounding)
    return replace(
        result,
        choices=_original(state.kept, found.choices) if better else result.choices,
        cost=cost,
        lower_bound=cost if is_proved else bound,
        proved_optimal=is_proved,
        method=f"{NAME} and {found.method}",
        peak_bytes=max(result.peak_bytes, state.whole.n_bytes + found.peak_bytes),
    )
