"""What the best whole costs for every choice of every vertex: the min-marginals.

Elimination sends messages from the first vertex eliminated to the last. Sending them back gives
every vertex the cost of all that lies outside its own part of the elimination:

    joint(v, D)   = sum of the factors of v's step                        (see `elimination`)
    marginal(v)   = min over D of [ joint(v, D) + outside(D) ]
    outside(D(c)) = min over the other axes of [ joint(v, D) + outside(D) - message of c ]

for every step c whose message the step of v takes in. That message is not subtracted but left
out of the sum, so nothing is lost to rounding.

Blocks that repeat are seen from outside alike, but for a constant: what lies outside is kept as
a rest and an offset, and rests that agree to rounding are worked with once.

Exact, to that rounding. Work: that of the search, once more for every message that a step takes
in; blocks that repeat count once where the rests agree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from pase_core.cost_tables import Array, CostTables
from pase_core.errors import BudgetError
from pase_core.search.budget import WAYS_OUT, gigabytes
from pase_core.search.contraction import Factors, contract
from pase_core.search.elimination import Messages, send_messages
from pase_core.search.minima import Axes, scratch_bytes
from pase_core.search.options import DEFAULT_OPTIONS, SearchOptions
from pase_core.search.plan import Factor, Plan, Step
from pase_core.search.sweep import Minima, Progress, no_progress

_ROUNDING = 1e-13
"""Share of the optimum by which rests may differ and count as one."""

_N_COMPARED = 4
"""How many rests, the latest ones, a new one is compared with."""


@dataclass(frozen=True, slots=True, eq=False)
class Marginals:
    """The min-marginals of all vertices.

    Attributes:
        costs: per vertex the least total cost for each of its choices, shape (n_choices,).
        optimum: the least of them; it is the same for every vertex.
        peak_bytes: bytes of all arrays at the worst moment, by count.
    """

    costs: tuple[Array, ...]
    optimum: float
    peak_bytes: int

    @property
    def regrets(self) -> tuple[Array, ...]:
        """What each choice costs above the optimum, shape (n_choices,) per vertex."""
        return tuple(np.maximum(costs - self.optimum, 0.0) for costs in self.costs)


def marginals(
    tables: CostTables,
    options: SearchOptions = DEFAULT_OPTIONS,
    progress: Progress = no_progress,
) -> Marginals:
    """Least total cost for each choice of each vertex, all other vertices chosen optimally.

    Args:
        tables: the costs.
        options: ordering, limits, engine.
        progress: called with the share of the vertices that are done.

    Raises:
        OptionError: if there is no such ordering, or the engine asked for is not there.
        BudgetError: if it does not fit the limits.

    Example:
        >>> from pase_core.cost_tables import PairTable
        >>> edge = PairTable(0, 1, np.array([[0.0, 5.0], [5.0, 0.0]]))
        >>> found = marginals(CostTables((np.array([1.0, 2.0]), np.array([3.0, 1.0])), (edge,)))
        >>> [costs.tolist() for costs in found.costs], found.optimum
        ([[4.0, 3.0], [4.0, 3.0]], 3.0)
    """
    sent = send_messages(tables, options)
    memory = _Memory(options.memory_budget_bytes, sent.is_compiled, sent.n_bytes, sent.n_bytes)
    found: dict[int, Array] = {}
    for step, costs, _around in _WayBack(sent.plan, sent.made, sent.minima, memory).run():
        found[step.vertex] = costs
        progress(len(found) / len(sent.plan.steps))
    by_vertex = tuple(found[vertex] for vertex in range(len(found)))
    return Marginals(by_vertex, float(by_vertex[0].min()), memory.peak_bytes)


def least_outside(sent: Messages, memory_budget_bytes: float) -> dict[int, Array]:
    """What the best completion of each message costs, over the message's own axes.

    Args:
        sent: an elimination carried out forward.
        memory_budget_bytes: for all arrays, those of the elimination with them.

    Returns:
        By the number of the message in the plan, the least cost of all that lies outside of it;
        where it stands for several equal parts, the least of theirs.

    Raises:
        BudgetError: if the way back does not fit the budget.
    """
    memory = _Memory(memory_budget_bytes, sent.is_compiled, sent.n_bytes, sent.n_bytes)
    found: dict[int, Array] = {}
    for step, _costs, around in _WayBack(sent.plan, sent.made, sent.minima, memory).run():
        outside = np.asarray(around.rest + around.offset)  # no axes make it a scalar
        if step.result in found:
            outside = np.minimum(outside, found[step.result])
        else:
            memory.hold(outside.nbytes)
        found[step.result] = outside
    return found


@dataclass(slots=True)
class _Memory:
    """Bytes in use, and their refusal before they are too many."""

    budget_bytes: float
    is_compiled: bool
    held_bytes: int
    peak_bytes: int

    def check(self, places: Sequence[Axes], sizes: tuple[int, ...], n_loose: int) -> None:
        """Count a minimisation that is about to be made; see `contraction.Check`."""
        scratch = scratch_bytes(places, sizes, is_compiled=self.is_compiled)
        result = 8
        for n in sizes[1:]:
            result *= n
        self._count(scratch + result + n_loose)

    def hold(self, n_bytes: int) -> None:
        """Count an array that stays."""
        self._count(n_bytes)
        self.held_bytes += n_bytes

    def _count(self, n_bytes: int) -> None:
        self.peak_bytes = max(self.peak_bytes, self.held_bytes + n_bytes)
        if self.peak_bytes > self.budget_bytes:
            raise BudgetError(
                "the costs of all choices do not fit the memory budget of "
                f"{gigabytes(self.budget_bytes)}: they take {gigabytes(self.peak_bytes)}; raise "
                f"the budget (--memory-budget), {WAYS_OUT}"
            )


@dataclass(frozen=True, slots=True, eq=False)
class _Outside:
    """Cost of all that lies outside a step's part, over its dependents: rest + offset."""

    rest: Array
    offset: float


@dataclass(frozen=True, slots=True, eq=False)
class _Answer:
    """What a step makes of a rest: its marginal, and what each message gets in return."""

    marginal: Array
    returned: dict[Factor, _Outside]


@dataclass(slots=True)
class _WayBack:
    """The steps in reverse order, with what is known so far.

    Attributes:
        plan: the elimination.
        made: every table of the plan, by its number.
        minima: minimises a sum of factors.
        memory: counts what is made.
    """

    plan: Plan
    made: dict[int, Array]
    minima: Minima
    memory: _Memory
    _messages: frozenset[int] = frozenset()
    _scale: float = 0.0
    _answers: dict[tuple[int, int], _Answer] = field(default_factory=dict)
    _rests: dict[int, list[Array]] = field(default_factory=dict)

    def run(self) -> Iterator[tuple[Step, Array, _Outside]]:
        """Yield every step with its marginal and what lies outside, the last step first."""
        steps = self.plan.steps
        parts = {s.vertex: float(self.made[s.result]) for s in steps if not s.dependents}
        self._messages = frozenset(step.result for step in steps)
        self._scale = sum(parts.values())
        nothing = np.zeros(())
        outside: dict[tuple[int, tuple[int, ...]], _Outside] = {}
        for step in reversed(steps):
            if step.dependents:
                around = outside[step.result, step.dependents]
            else:
                elsewhere = sum(cost for vertex, cost in parts.items() if vertex != step.vertex)
                around = _Outside(nothing, elsewhere)
            answer = self._answer(step, around.rest)
            for factor, sent in answer.returned.items():
                axes = (step.vertex, *step.dependents)
                variables = tuple(axes[place] for place in factor.places)
                outside[factor.table, variables] = _Outside(sent.rest, sent.offset + around.offset)
            yield step, answer.marginal + around.offset, around

    def _answer(self, step: Step, rest: Array) -> _Answer:
        """Equal steps with one rest have one answer."""
        key = (step.result, id(rest))
        if key not in self._answers:
            self._answers[key] = self._compute(step, rest)
        return self._answers[key]

    def _compute(self, step: Step, rest: Array) -> _Answer:
        tables: Factors = [(self.made[factor.table], factor.places) for factor in step.factors]
        around: Factors = [(rest, tuple(range(1, rest.ndim + 1)))] if rest.ndim else []
        returned: dict[Factor, _Outside] = {}
        marginal = None
        for i, factor in enumerate(step.factors):
            if factor.table not in self._messages or factor in returned:
                continue
            others = [*tables[:i], *tables[i + 1 :], *around]
            left = contract(others, factor.places, self.minima, self.memory.check)
            if marginal is None:
                marginal = (left + tables[i][0]).reshape(len(left), -1).min(axis=1)
            returned[factor] = self._split(factor.table, left)
        if marginal is None:
            marginal = contract([*tables, *around], (0,), self.minima, self.memory.check)
        return _Answer(marginal, returned)

    def _split(self, table: int, costs: Array) -> _Outside:
        """Split costs into rest and offset; a rest that agrees with a known one is that one."""
        offset = float(costs.min())
        rest = costs - offset
        known = self._rests.setdefault(table, [])
        for other in known[-_N_COMPARED:]:
            if np.abs(other - rest).max() <= _ROUNDING * self._scale:
                return _Outside(other, offset)
        self.memory.hold(rest.nbytes)
        known.append(rest)
        return _Outside(rest, offset)
