"""Exact removal of dominated choices (dead-end elimination).

Choice a of a vertex v can go if some choice b costs no more whatever the neighbours choose:

    cost(b) - cost(a) + sum over edges (v, u) of max over c of [ edge(b, c) - edge(a, c) ] <= 0

Any optimum that uses a stays an optimum with b in its place. Desmet et al., The dead-end
elimination theorem and its use in protein side-chain positioning, 1992 (here in Goldstein's form).
Only a few promising choices are tried as b, so some dominated ones stay; that costs time, not
exactness.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pase_core.cost_tables import Array, CostTables, Kept, TableShape
from pase_core.errors import BudgetError
from pase_core.search.budget import gigabytes
from pase_core.search.engine import load_kernels

N_CANDIDATES = 16
"""How many choices per vertex, the best by mean cost, are tried as dominating ones."""


@dataclass(frozen=True, slots=True, eq=False)
class Reduced:
    """Cost tables without dominated choices.

    Attributes:
        tables: the smaller tables; equal ones still share arrays.
        kept: per vertex, the original numbers of its remaining choices.
    """

    tables: CostTables
    kept: tuple[Kept, ...]


def removal_bytes(shape: TableShape) -> int:
    """Bytes of tables of some shape and, at most, of what removing dominated choices adds.

    That is, for one vertex at a time, its edges' tables side by side, and their means.
    """
    n_choices = shape.n_choices
    rows = (
        n_choices[vertex] * sum(n_choices[u] + 1 for u in around)
        for vertex, around in enumerate(shape.neighbours)
    )
    return shape.n_bytes + 8 * max(rows, default=0)


def check_removal(shape: TableShape, held_bytes: int, memory_budget_bytes: float) -> int:
    """Bytes at the worst moment of removing dominated choices.

    Raises:
        BudgetError: if they exceed the memory budget.
    """
    n_bytes = held_bytes + removal_bytes(shape)
    if n_bytes > memory_budget_bytes:
        raise BudgetError(
            f"removing dominated choices takes {gigabytes(n_bytes)}, and the memory budget is "
            f"{gigabytes(memory_budget_bytes)}; raise it, or search without (remove_dominated)"
        )
    return n_bytes


def remove_dominated(tables: CostTables, *, is_compiled: bool = True) -> Reduced:
    """Remove choices that another choice of the same vertex dominates.

    Args:
        tables: the costs.
        is_compiled: whether to use the compiled loop; the result is the same.
    """
    incident: list[list[tuple[Array, bool]]] = [[] for _ in tables.vertices]
    for pair in tables.pairs:
        incident[pair.first].append((pair.costs, False))
        incident[pair.second].append((pair.costs, True))
    known: dict[object, Kept] = {}
    kept = []
    for costs, edges in zip(tables.vertices, incident, strict=True):
        # Equal vertices with equal edges keep the same choices, and must share the array.
        key = (id(costs), tuple(sorted((id(table), flipped) for table, flipped in edges)))
        if key not in known:
            known[key] = _undominated(costs, edges, is_compiled)
        kept.append(known[key])
    return Reduced(tables.restricted(kept), tuple(kept))


def _undominated(costs: Array, edges: Sequence[tuple[Array, bool]], is_compiled: bool) -> Kept:
    """Numbers of the choices of one vertex that no candidate dominates."""
    oriented = [table.T if flipped else table for table, flipped in edges]
    if not oriented:
        return np.array([int(np.argmin(costs))])
    means = np.stack([table.mean(axis=1) for table in oriented], axis=1)
    candidates = np.argsort(costs + means.sum(axis=1), kind="stable")[:N_CANDIDATES]
    is_dominated = np.zeros(len(costs), dtype=np.bool_)
    if is_compiled:
        starts = np.cumsum([0, *(table.shape[1] for table in oriented)])
        rows = np.empty((len(costs), starts[-1]))
        np.concatenate(oriented, axis=1, out=rows)
        load_kernels().mark_dominated(costs, means, rows, starts, candidates, is_dominated)
    else:
        mark_dominated_numpy(costs, oriented, candidates, is_dominated)
    return np.flatnonzero(~is_dominated)


def mark_dominated_numpy(
    costs: Array,
    oriented: Sequence[Array],
    candidates: NDArray[np.int64],
    is_dominated: NDArray[np.bool_],
) -> None:
    """Mark what the candidates dominate, in NumPy; the twin of `kernels.mark_dominated`.

    Args:
        costs: of each choice alone, shape (n_choices,).
        oriented: per edge its table, shape (n_choices, n_choices of the neighbour).
        candidates: the choices that may dominate.
        is_dominated: shape (n_choices,), updated.
    """
    for b in candidates:
        if is_dominated[b]:
            continue
        worst = costs[b] - costs
        for table in oriented:
            worst = worst + (table[b] - table).max(axis=1)
        dominated = worst <= 0.0
        dominated[b] = False
        is_dominated |= dominated
