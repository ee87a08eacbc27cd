"""Compiled loops over flat tables. Import this module only through `pase_core.search.engine`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pase_core.cost_tables import Array
from pase_core.search.compiling import compiled
from pase_core.search.compiling import forget_disk_cache as _forget
from pase_core.search.flat import FlatTables, Index


class AscentState(NamedTuple):
    """Where a dual ascent stands; see `pase_core.search.relaxation`.

    Attributes:
        messages: per link, what has been moved from its edge to its vertex, for every choice of
            that vertex.
        totals: per choice, its cost and all messages to it.
        lows: per vertex, the least of its totals.
        floors: per choice, the greatest lower bound so far of every whole that contains it.
    """

    messages: Array
    totals: Array
    lows: Array
    floors: Array


@compiled
def ascend(flat: FlatTables, order: Index, ranks: Index, state: AscentState) -> float:
    """One sweep of dual ascent: every vertex, in order, hands its total on along its later links.

    Args:
        flat: the costs.
        order: the vertices.
        ranks: the place of each vertex in the order.
        state: updated.

    Returns:
        The sum of `lows`, which no whole can cost less than.
    """
    bound: float = state.lows.sum()
    for v in order:
        low = _gather(flat, v, state)
        bound += low - state.lows[v]
        state.lows[v] = low
        first, last = flat.starts[v], flat.starts[v + 1]
        for c in range(first, last):
            state.floors[c] = max(state.floors[c], bound - low + state.totals[c])
        n_later = 0
        for k in range(flat.heads[v], flat.heads[v + 1]):
            n_later += ranks[flat.others[k]] > ranks[v]
        if n_later == 0:
            continue
        n_links = flat.heads[v + 1] - flat.heads[v]
        share = 1.0 / max(n_later, n_links - n_later)
        for k in range(flat.heads[v], flat.heads[v + 1]):
            if ranks[flat.others[k]] > ranks[v]:
                bound += _hand_on(flat, v, k, share, state)
        kept = 1.0 - share * n_later
        for c in range(first, last):
            state.totals[c] *= kept
        bound += kept * low - low
        state.lows[v] = kept * low
    return bound


@compiled
def _gather(flat: FlatTables, v: int, state: AscentState) -> float:
    """Add up the messages to a vertex anew, so that rounding does not pile up; the least total."""
    first, n = flat.starts[v], flat.starts[v + 1] - flat.starts[v]
    totals = state.totals[first : first + n]
    totals[:] = flat.costs[first : first + n]
    for k in range(flat.heads[v], flat.heads[v + 1]):
        messages = state.messages[flat.here[k] : flat.here[k] + n]
        for c in range(n):
            totals[c] += messages[c]
    least: float = totals.min()
    return least


@compiled
def _hand_on(flat: FlatTables, v: int, k: int, share: float, state: AscentState) -> float:
    """Move a share of a vertex's totals into an edge, and all the edge has to its other end.

    Returns:
        By how much the least total at the other end has risen.
    """
    n, u = flat.starts[v + 1] - flat.starts[v], flat.others[k]
    m = flat.starts[u + 1] - flat.starts[u]
    own = state.messages[flat.here[k] : flat.here[k] + n]
    totals = state.totals[flat.starts[v] : flat.starts[v + 1]]
    for c in range(n):
        own[c] -= share * totals[c]
    sent = state.messages[flat.there[k] : flat.there[k] + m]
    around = state.totals[flat.starts[u] : flat.starts[u + 1]]
    for d in range(m):
        around[d] -= sent[d]
    sent[:] = np.inf
    for c in range(n):
        moved = -own[c]
        row = flat.entries[flat.tables[k] + c * m : flat.tables[k] + (c + 1) * m]
        for d in range(m):
            sent[d] = min(sent[d], moved + row[d])
    for d in range(m):
        around[d] += sent[d]
    rise: float = around.min() - state.lows[u]
    state.lows[u] += rise
    return rise


@compiled
def decode(flat: FlatTables, messages: Array, choices: Index) -> None:
    """Choose vertex by vertex: costs to earlier neighbours as chosen, messages from later ones.

    Args:
        flat: the costs.
        messages: of a dual ascent.
        choices: overwritten, shape (n_vertices,).
    """
    for v in range(len(choices)):
        first, n = flat.starts[v], flat.starts[v + 1] - flat.starts[v]
        totals = flat.costs[first : first + n].copy()
        for k in range(flat.heads[v], flat.heads[v + 1]):
            u = flat.others[k]
            if u < v:
                row = flat.backs[k] + choices[u] * n
                for c in range(n):
                    totals[c] += flat.entries[row + c]
            else:
                for c in range(n):
                    totals[c] += messages[flat.here[k] + c]
        choices[v] = np.argmin(totals)


@compiled
def local_totals(flat: FlatTables, choices: Index, v: int, totals: Array) -> None:
    """Cost of every choice of a vertex with all edges to its neighbours as they are chosen.

    Args:
        flat: the costs.
        choices: of all vertices.
        v: the vertex.
        totals: its first entries are overwritten, one per choice of the vertex.
    """
    first, n = flat.starts[v], flat.starts[v + 1] - flat.starts[v]
    for c in range(n):
        totals[c] = flat.costs[first + c]
    for k in range(flat.heads[v], flat.heads[v + 1]):
        row = flat.backs[k] + choices[flat.others[k]] * n
        for c in range(n):
            totals[c] += flat.entries[row + c]


@compiled
def descend(flat: FlatTables, choices: Index, totals: Array) -> int:
    """Give every vertex in turn its best choice among its neighbours', until none changes.

    Args:
        flat: the costs.
        choices: updated, shape (n_vertices,).
        totals: scratch, as long as the most choices of a vertex.

    Returns:
        Number of choices that were priced.
    """
    n_priced, changed = 0, True
    while changed:
        changed = False
        for v in range(len(choices)):
            n = flat.starts[v + 1] - flat.starts[v]
            local_totals(flat, choices, v, totals)
            n_priced += n
            best = np.argmin(totals[:n])
            # Only clear gains count: sums that differ by rounding could take turns for ever.
            if totals[best] < totals[choices[v]] - 1e-12 * abs(totals[choices[v]]):
                choices[v] = best
                changed = True
    return n_priced


@compiled
def total_costs(flat: FlatTables, batch: Index) -> Array:
    """Cost of wholes.

    Args:
        flat: the costs.
        batch: choices, shape (n_wholes, n_vertices).

    Returns:
        Costs, shape (n_wholes,).
    """
    costs = np.zeros(len(batch))
    for i in range(len(batch)):
        for v in range(flat.starts.size - 1):
            c = batch[i, v]
            costs[i] += flat.costs[flat.starts[v] + c]
            for k in range(flat.heads[v], flat.heads[v + 1]):
                u = flat.others[k]
                if u > v:
                    m = flat.starts[u + 1] - flat.starts[u]
                    costs[i] += flat.entries[flat.tables[k] + c * m + batch[i, u]]
    return costs


@compiled
def _next(random: Index) -> float:
    """A number from 0 to below 1, by the generator splitmix64 (G. Steele et al., 2014)."""
    random[0] += np.uint64(0x9E3779B97F4A7C15)
    z = random[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return float((z ^ (z >> np.uint64(31))) >> np.uint64(11)) / 9007199254740992.0


@compiled
def walk(
    flat: FlatTables,
    choices: Index,
    best: Index,
    costs: Array,
    temperature: float,
    n_proposals: int,
    random: Index,
) -> bool:
    """Some steps of a Metropolis walk; see `pase_core.search.annealing`.

    Args:
        flat: the costs.
        choices: where the walk stands; updated.
        best: the best choices met; updated.
        costs: of these two; updated.
        temperature: rise of cost that is accepted with probability 1 / e.
        n_proposals: how many steps.
        random: state of the random numbers, one of type uint64; updated.

    Returns:
        True if there is a new best.
    """
    n_vertices, has_gained = flat.starts.size - 1, False
    for _ in range(n_proposals):
        v = int(_next(random) * n_vertices)
        first, n = flat.starts[v], flat.starts[v + 1] - flat.starts[v]
        new, old = int(_next(random) * n), choices[v]
        rise = flat.costs[first + new] - flat.costs[first + old]
        for k in range(flat.heads[v], flat.heads[v + 1]):
            row = flat.backs[k] + choices[flat.others[k]] * n
            rise += flat.entries[row + new] - flat.entries[row + old]
        if rise <= 0.0 or _next(random) < np.exp(-rise / temperature):
            choices[v] = new
            costs[0] += rise
            if costs[0] < costs[1] * (1.0 - 1e-12):
                costs[1] = costs[0]
                best[:] = choices
                has_gained = True
    return has_gained


LOOPS = (
    *("_gather", "_hand_on", "ascend", "decode"),
    *("local_totals", "descend", "total_costs", "_next", "walk"),
)


def compile_all() -> None:
    """Compile or load every loop, by calling each once on the smallest arguments."""
    none, one = np.zeros(0, dtype=np.int64), np.zeros(1)
    index = np.zeros(1, dtype=np.int64)
    flat = FlatTables(np.array([0, 1]), one, np.array([0, 0]), *(none,) * 5, np.zeros(0))
    ascend(flat, index, index, AscentState(np.zeros(0), one.copy(), one.copy(), one.copy()))
    decode(flat, np.zeros(0), index)
    descend(flat, index, one)
    total_costs(flat, index.reshape(1, 1))
    walk(flat, index, index.copy(), np.zeros(2), 1.0, 1, np.zeros(1, dtype=np.uint64))


def forget_disk_cache() -> None:
    """Replace every loop by one that neither reads nor writes the cache on disk."""
    _forget(globals(), LOOPS)
