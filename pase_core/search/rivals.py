"""Every search under one signature, to be compared from the same start.

Adding one is one function and one entry in RIVALS.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from pase_core.cost_tables import CostTables
from pase_core.errors import BudgetError
from pase_core.search import (
    annealing,
    candidates,
    local_search,
    policy_gradient,
    topological_sweep,
)
from pase_core.search.budget import format_amount
from pase_core.search.methods import search
from pase_core.search.options import SearchOptions
from pase_core.search.trajectory import Recorder, Trajectory, TrialOptions

Run = Callable[[CostTables, tuple[int, ...], TrialOptions], Trajectory]
"""From a start, within limits."""


@dataclass(frozen=True, slots=True)
class Rival:
    """A search that takes part.

    Attributes:
        title: what people call it.
        note: what it does, in one sentence.
        run: starts it.
        is_exact: whether it proves its result if it has the time and the memory.
        is_random: whether seeds matter.
    """

    title: str
    note: str
    run: Run
    is_exact: bool = False
    is_random: bool = False


def _run_exact(
    key: str,
    options_of: Callable[[TrialOptions], SearchOptions],
    tables: CostTables,
    start: tuple[int, ...],
    options: TrialOptions,
) -> Trajectory:
    """An exact search knows nothing better than the start until it is done."""
    recorder = Recorder(tables, start, options)
    try:
        found = search(tables, options_of(options))
    except BudgetError as error:
        return recorder.finish(key, 0, failure=str(error))
    n = found.n_joint_distinct or sum(pair.costs.size for pair in tables.pairs)
    recorder.note(n, found.choices, recorder.seconds - found.loading_seconds)
    return recorder.finish(key, n, lower_bound=found.lower_bound)


SWEEP_STATES_PER_SECOND = 2e7
"""States that a topological sweep visits in a second; it is not begun if it would be late."""


def _sweep(tables: CostTables, start: tuple[int, ...], options: TrialOptions) -> Trajectory:
    recorder = Recorder(tables, start, options)
    key = "topological-sweep"
    n = topological_sweep.n_states(tables.shape)
    if n > SWEEP_STATES_PER_SECOND * options.time_limit_seconds:
        reason = f"its {format_amount(n)} states would take longer than the time limit"
        return recorder.finish(key, 0, failure=reason)
    try:
        choices = topological_sweep.sweep(tables, options.memory_budget_bytes)
    except BudgetError as error:
        return recorder.finish(key, 0, failure=str(error))
    recorder.note(n, choices)
    return recorder.finish(key, n, lower_bound=recorder.cost)


def _exact(key: str, title: str, note: str, method: str, ordering: str = "auto") -> Rival:
    def options_of(options: TrialOptions) -> SearchOptions:
        return SearchOptions(
            method=method,
            ordering=ordering,
            memory_budget_bytes=options.memory_budget_bytes,
            max_entries=ENTRIES_PER_SECOND * options.time_limit_seconds,
            time_limit_seconds=options.time_limit_seconds,
        )

    return Rival(title, note, partial(_run_exact, key, options_of), is_exact=True)


ENTRIES_PER_SECOND = 1e10
"""Entries of joint tables that an elimination visits in a second; it is not begun if it would be
late."""

RIVALS: dict[str, Rival] = {
    "elimination": _exact(
        "elimination",
        "elimination (PaSE)",
        "Dynamic programming over an ordering that keeps dependent sets small; exact.",
        "elimination",
    ),
    "bounds": _exact(
        "bounds",
        "bounds",
        "Dual ascent of the relaxed program, choices struck out by its bound; exact.",
        "bounds",
    ),
    "integer-program": _exact(
        "integer-program",
        "integer program",
        "One variable per choice and per pair of neighbours' choices, solved by HiGHS; exact.",
        "integer-program",
    ),
    "breadth-first": _exact(
        "breadth-first",
        "breadth-first elimination",
        "The naive order that the paper compares with; exact where its tables fit.",
        "elimination",
        "breadth-first",
    ),
    "topological-sweep": Rival(
        "topological sweep",
        "Dynamic programming over the cut of open layers, from input to output; exact where its "
        "tables fit.",
        _sweep,
        is_exact=True,
    ),
    "annealing": Rival(
        "annealing (FlexFlow)",
        "A Metropolis walk: a random layer, a random configuration, 250,000 proposals at most.",
        annealing.anneal,
        is_random=True,
    ),
    "local-search": Rival(
        "local search",
        "Every layer takes its best configuration in turn, again from random starts.",
        local_search.descend_greedily,
        is_random=True,
    ),
    "policy-gradient": Rival(
        "policy gradient (as Auto-MAP)",
        f"Reinforcement learning: a softmax per layer, {policy_gradient.BATCH} samples a step.",
        policy_gradient.learn,
        is_random=True,
    ),
    "grid": Rival(
        "global grid (as DistIR)",
        "One split per kind of dimension for the whole network; every such strategy is tried.",
        candidates.try_candidates,
    ),
}
"""All searches by key."""
