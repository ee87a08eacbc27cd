"""What a search takes, counted before it starts, and its refusal if that is too much.

Counted is every array at the worst moment: the distinct cost tables with the parts of the costs,
the messages of all steps so far, which are kept for the way back, the scratch of the step at hand,
and what the caller holds beside them. Not counted are plans, names and other small objects.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from pase_core.cost_tables import TableShape
from pase_core.errors import BudgetError
from pase_core.search.minima import scratch_bytes
from pase_core.search.plan import Plan, Step

WAYS_OUT = "use fewer devices, a larger smallest part (--min-part) or another ordering (--ordering)"

MAX_AXES = 64
"""Axes of an array in NumPy 2; vertices with one choice take one each, and nothing else."""

MAX_NAMES = 8
"""Dependents that a message names."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a search may take.

    Attributes:
        memory_budget_bytes: for all arrays together.
        max_entries: of all distinct joint tables together, which is the work.
    """

    memory_budget_bytes: float = math.inf
    max_entries: float = math.inf


def format_amount(amount: float) -> str:
    """A number to three digits; unlike float formatting, for integers of any size.

    Example:
        >>> format_amount(1234), format_amount(20 ** 400)
        ('1.23e+03', '2.58e+520')
    """
    try:
        return f"{amount:.3g}"
    except OverflowError:
        exponent, fraction = divmod(math.log10(amount), 1.0)
        rounded, _, carried = f"{10.0**fraction:.2e}".partition("e")
        return f"{float(rounded):g}e+{exponent + int(carried):.0f}"


def message_bytes(step: Step, shape: TableShape) -> int:
    """Bytes of the minima that a step leaves."""
    return 8 * step.n_joint // shape.n_choices[step.vertex]


def step_bytes(
    shape: TableShape, plan: Plan, *, is_compiled: bool | None
) -> Iterator[tuple[Step, int]]:
    """For each new step, bytes of tables, messages so far and the step's scratch.

    Args:
        shape: of the tables that are searched.
        plan: the elimination.
        is_compiled: the loops whose scratch counts; None for tables and messages alone.
    """
    n_bytes, n_choices = shape.n_bytes, shape.n_choices
    for step in plan.steps:
        if not step.is_new:
            continue
        n_bytes += message_bytes(step, shape)
        scratch = 0
        if is_compiled is not None:
            sizes = tuple(n_choices[v] for v in (step.vertex, *step.dependents))
            places = [factor.places for factor in step.factors]
            scratch = scratch_bytes(places, sizes, is_compiled=is_compiled)
        yield step, n_bytes + scratch


def check_search(
    shape: TableShape,
    plan: Plan,
    limits: Limits,
    *,
    held_bytes: int = 0,
    is_compiled: bool | None = None,
    slack: float = 1.0,
) -> int:
    """Bytes of a search at its worst moment.

    Args:
        shape: of the tables that are searched.
        plan: the elimination.
        limits: what it may take.
        held_bytes: what is in memory beside the tables and messages.
        is_compiled: the loops whose scratch counts; None for tables and messages alone.
        slack: by which the limits may be exceeded.

    Raises:
        BudgetError: if that or the work is too much; it names the vertex to blame.
    """
    if plan.n_joint_distinct > slack * limits.max_entries:
        worst = max((step for step in plan.steps if step.is_new), key=lambda step: step.n_joint)
        raise BudgetError(
            f"exact search would visit {format_amount(plan.n_joint_distinct)} entries of joint "
            f"tables, and at most {format_amount(limits.max_entries)} are allowed: "
            f"{_blame(shape, worst)}; raise the limit (max_entries), {WAYS_OUT}"
        )
    widest = max(plan.steps, key=lambda step: len(step.dependents))
    if len(widest.dependents) >= MAX_AXES:
        raise BudgetError(
            f"exact search would need tables over {len(widest.dependents) + 1} vertices at once, "
            f"and {MAX_AXES} are allowed: {_blame(shape, widest)}; {WAYS_OUT}"
        )
    peak = 0
    for step, n_bytes in step_bytes(shape, plan, is_compiled=is_compiled):
        peak = max(peak, held_bytes + n_bytes)
        if peak > slack * limits.memory_budget_bytes:
            raise BudgetError(
                "exact search does not fit the memory budget of "
                f"{gigabytes(limits.memory_budget_bytes)}: {_blame(shape, step)} leaves "
                f"{gigabytes(message_bytes(step, shape))} of minima and brings the whole to "
                f"{gigabytes(peak)}; raise the budget (--memory-budget), {WAYS_OUT}"
            )
    return peak


def _blame(shape: TableShape, step: Step) -> str:
    """The vertex of a step, the first few of its dependents, and its joint table."""
    names = [repr(shape.name(v)) for v in step.dependents[:MAX_NAMES]]
    n_more = len(step.dependents) - len(names)
    around = ", ".join(names) + (f" and {n_more} more" if n_more else "")
    return (
        f"at {shape.name(step.vertex)!r}, which depends on {around or 'nothing'}, "
        f"the table of {format_amount(step.n_joint)} entries"
    )


def gigabytes(n_bytes: float) -> str:
    """An amount of memory for people; an integer may be of any size."""
    try:
        return f"{format_amount(n_bytes / 1e9)} GB"
    except OverflowError:
        return f"{format_amount(n_bytes // 10**9)} GB"
