"""What would make a network fit: the least memory that suffices under other options.

Each remedy is priced by an ordinary search for the strategy that holds least, so what is said to
fit does. Single remedies first; together only if none is enough alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from pase_core.configurations import MAX_DEVICES
from pase_core.errors import BudgetError
from pase_core.graph import ELEMENT_BYTES
from pase_core.memory import memory_tables
from pase_core.pins import pinned_tables
from pase_core.problem import Problem
from pase_core.search.methods import search

NARROW = "bfloat16"
"""The number format that training is usually narrowed to."""

MOST_DOUBLINGS = 5
"""Of the number of devices that are tried."""

_NARROW_BYTES = 2


@dataclass(frozen=True, slots=True)
class Remedy:
    """Another way to train, and whether it fits.

    Attributes:
        title: in words.
        options: of the command line.
        problem: the problem with them.
        least_bytes: least memory per device that any strategy needs then.
        fits: whether that keeps to the problem's memory limit.
    """

    title: str
    options: str
    problem: Problem
    least_bytes: float
    fits: bool


@dataclass(frozen=True, slots=True)
class _Change:
    title: str
    options: str
    problem: Problem


def least_bytes(problem: Problem) -> float:
    """Least memory per device that any strategy of a problem needs, exactly or as far as proved.

    Raises:
        BudgetError: if the tables or the search do not fit the memory budget.
    """
    tables, _kept = pinned_tables(problem.graph, problem.pins, memory_tables(problem))
    return search(tables, problem.search).cost


def remedies(problem: Problem) -> tuple[Remedy, ...]:
    """Ways to make a problem fit its memory limit, each with the least memory it needs.

    Args:
        problem: with a memory limit that no strategy keeps to.

    Returns:
        Recomputation, ZeRO (the lowest stage that fits, else the highest), bfloat16 and more
        devices (the fewest that fit, else the most tried); then all but the devices together,
        and with more devices, if none fits alone. What saves nothing, or does not fit the
        search's budget, is left out.
    """
    now = least_bytes(problem)
    found = [*_each(_recomputations(problem)), *_first_that_fits(_stages(problem))]
    found += [*_each(_narrower(problem)), *_first_that_fits(_larger(problem))]
    found = [each for each in found if each.least_bytes < now]
    if any(each.fits for each in found):
        return tuple(found)
    together = list(_each(_together(problem)))
    found += together
    if together and not together[-1].fits:
        found += _first_that_fits(_larger(together[-1].problem, together[-1]))
    return tuple(found)


def _priced(change: _Change) -> Remedy:
    limit = change.problem.memory_limit_bytes
    least = least_bytes(change.problem)
    fits = limit is None or least <= limit
    return Remedy(change.title, change.options, change.problem, least, fits)


def _each(changes: Iterator[_Change]) -> Iterator[Remedy]:
    """Every change priced, but for what is too large to search."""
    for change in changes:
        try:
            yield _priced(change)
        except BudgetError:
            return


def _first_that_fits(changes: Iterator[_Change]) -> list[Remedy]:
    """The first change that fits, or the last one that could be priced."""
    tried: list[Remedy] = []
    for remedy in _each(changes):
        tried = [remedy]
        if remedy.fits:
            break
    return tried


def _with_step(problem: Problem, **changes: object) -> Problem:
    step = replace(problem.cost.step, **changes)  # type: ignore[arg-type]
    return replace(problem, cost=replace(problem.cost, step=step, model="cluster"))


def _recomputations(problem: Problem) -> Iterator[_Change]:
    if not problem.cost.step.recompute:
        changed = _with_step(problem, recompute=True)
        yield _Change("recomputing cheap activations", "--recompute", changed)


def _stages(problem: Problem) -> Iterator[_Change]:
    for stage in range(problem.cost.step.zero_stage + 1, 4):
        changed = _with_step(problem, zero_stage=stage)
        yield _Change(f"ZeRO stage {stage}", f"--zero {stage}", changed)


def _narrower(problem: Problem) -> Iterator[_Change]:
    if ELEMENT_BYTES[problem.element_type] > _NARROW_BYTES:
        changed = _with_step(problem, element_type=NARROW)
        yield _Change(f"training in {NARROW}", f"--element-type {NARROW}", changed)


def _larger(problem: Problem, beside: Remedy | None = None) -> Iterator[_Change]:
    """Twice, four times ... as many devices."""
    before = (f"{beside.title}, and ", f"{beside.options} ") if beside else ("", "")
    for doubling in range(1, MOST_DOUBLINGS + 1):
        n_devices = problem.cluster.n_devices << doubling
        if n_devices > MAX_DEVICES:
            return
        changed = replace(problem, cluster=problem.cluster.with_devices(n_devices))
        yield _Change(f"{before[0]}{n_devices:,} devices", f"{before[1]}-p {n_devices}", changed)


def _together(problem: Problem) -> Iterator[_Change]:
    """Recomputation, ZeRO stage 3 and the narrow number format at once."""
    titles, options, changed = [], [], problem
    for changes in (_recomputations, _stages, _narrower):
        last = list(changes(changed))[-1:]
        for change in last:
            titles.append(change.title)
            options.append(change.options)
            changed = change.problem
    if len(titles) > 1:
        yield _Change(", ".join(titles), " ".join(options), changed)
