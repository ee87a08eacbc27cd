"""The relaxed program, from below: lower bounds by dual ascent, and good choices on the way.

In the integer program of `integer_program` let every variable take fractions. The dual of that
relaxation moves costs about: from an edge (u, v) an amount `m(x_u)` for every choice can be moved
to vertex u, and back, without changing what any whole costs. However they are moved,

    bound = sum over vertices of min over x of [ cost(x) + messages to x ]
            + sum over edges of min over (x, y) of [ edge(x, y) - message to x - message to y ]

is a lower bound of every whole, and the best of these bounds is the relaxed optimum. Sweeps
forward and backward over the vertices never let it fall: each vertex hands its total in equal
shares to the edges that lead onward, and each of those all it has to its other end (sequential
tree-reweighted message passing: V. Kolmogorov, Convergent tree-reweighted message passing for
energy minimization, 2006, and A new look at reweighted message passing, 2015).

The bound holds whenever one stops, to rounding. It may end a little below the relaxed optimum. On
the way, what lies at a vertex says which of its choices no better whole can contain.

Work: per sweep, twice the entries of all edges' tables.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pase_core.cost_tables import Array, CostTables
from pase_core.search.engine import FLAT_LOOPS, load_kernels
from pase_core.search.flat import FlatTables, Index, flatten

PROOF = 1e-10
"""Share of a cost below which a gap counts as none."""

_ROUNDING = 8 * float(np.finfo(np.float64).eps)
"""Rounding of a bound, as a share of the largest entries of all vertices and edges together."""


@dataclass(frozen=True, slots=True, eq=False)
class Relaxation:
    """What some sweeps of dual ascent found.

    Attributes:
        bound: no whole costs less.
        choices: the best choices met.
        cost: of these.
        messages: per edge, the messages to the choices of its first and of its second vertex.
        floors: per vertex and choice, a lower bound of every whole that contains it.
        rounding: by how much the bound may be off, as it adds up numbers far above a small cost.
    """

    bound: float
    choices: tuple[int, ...]
    cost: float
    messages: tuple[tuple[Array, Array], ...]
    floors: tuple[Array, ...]
    rounding: float

    @property
    def is_closed(self) -> bool:
        """True if the choices are proved optimal."""
        return self.bound >= self.cost - tolerance(self.cost, self.rounding)


def rounding_of(tables: CostTables) -> float:
    """By how much a lower bound of wholes may be off, being a sum of rounded numbers."""
    arrays = (*tables.vertices, *(pair.costs for pair in tables.pairs))
    largest = {
        id(array): float(np.abs(array).max()) for array in {id(a): a for a in arrays}.values()
    }
    return _ROUNDING * sum(largest[id(array)] for array in arrays)


def tolerance(cost: float, rounding: float) -> float:
    """By how much a bound may lie below a cost that it proves.

    Args:
        cost: of some choices.
        rounding: of the tables, as `rounding_of`.
    """
    return max(PROOF * abs(cost), rounding)


def relax(
    tables: CostTables,
    n_sweeps: int = 10,
    messages: Sequence[tuple[Array, Array]] | None = None,
    deadline: float = math.inf,
) -> Relaxation:
    """Raise the lower bound by some sweeps, forward and backward each, and choose by what it says.

    Args:
        tables: the costs.
        n_sweeps: how many.
        messages: where to go on from, as an earlier relaxation left them.
        deadline: by `time.monotonic`, after which no further sweep is begun but the first.

    Raises:
        OptionError: if the compiled loops cannot be loaded.
    """
    loops = load_kernels(FLAT_LOOPS)
    flat = flatten(tables)
    given = first_messages(tables) if messages is None else messages
    sent = np.concatenate([np.zeros(0), *(row for pair in given for row in pair)])
    totals = np.concatenate(totals_of(tables, given))
    lows = np.minimum.reduceat(totals, flat.starts[:-1])
    state = loops.AscentState(sent, totals, lows, np.full(len(totals), -np.inf))
    forward = np.arange(flat.n_vertices)
    backward = forward[::-1].copy()
    for sweep in range(n_sweeps):
        if sweep > 0 and time.monotonic() > deadline:
            break
        loops.ascend(flat, forward, forward, state)
        loops.ascend(flat, backward, backward, state)
    choices = _choose(flat, sent)
    found = _split_pairs(tables, sent)
    return Relaxation(
        bound=bound_of(tables, found),
        choices=choices,
        cost=tables.total(choices),
        messages=found,
        floors=tuple(np.split(state.floors, flat.starts[1:-1])),
        rounding=rounding_of(tables),
    )


def first_messages(tables: CostTables) -> tuple[tuple[Array, Array], ...]:
    """Messages that leave nothing negative in any edge: its least entries, to its second vertex."""
    return tuple((np.zeros(len(pair.costs)), pair.costs.min(axis=0)) for pair in tables.pairs)


def totals_of(tables: CostTables, messages: Sequence[tuple[Array, Array]]) -> list[Array]:
    """Cost of each choice with the messages to it, per vertex."""
    totals = [costs.copy() for costs in tables.vertices]
    for pair, (to_first, to_second) in zip(tables.pairs, messages, strict=True):
        totals[pair.first] += to_first
        totals[pair.second] += to_second
    return totals


def bound_of(tables: CostTables, messages: Sequence[tuple[Array, Array]]) -> float:
    """The lower bound that messages prove, worked out from the tables: the certificate."""
    at_edges = (
        float((pair.costs - to_first[:, None] - to_second[None, :]).min())
        for pair, (to_first, to_second) in zip(tables.pairs, messages, strict=True)
    )
    return sum(float(total.min()) for total in totals_of(tables, messages)) + sum(at_edges)


def _choose(flat: FlatTables, messages: Array) -> tuple[int, ...]:
    """Choices that the messages point to, each then improved by itself while that helps."""
    loops = load_kernels(FLAT_LOOPS)
    choices: Index = np.zeros(flat.n_vertices, dtype=np.int64)
    loops.decode(flat, messages, choices)
    loops.descend(flat, choices, np.empty(int(np.diff(flat.starts).max())))
    return tuple(map(int, choices))


def _split_pairs(tables: CostTables, flat: Array) -> tuple[tuple[Array, Array], ...]:
    """Messages in one array, edge by edge, as pairs."""
    ends = [n for pair in tables.pairs for n in pair.costs.shape]
    rows = np.split(flat, np.cumsum(ends)[:-1]) if ends else []
    return tuple(zip(rows[::2], rows[1::2], strict=True))
