"""Small random problems, and their optimum the slow way."""

from __future__ import annotations

import itertools
from functools import reduce

import numpy as np
from hypothesis import strategies as st

from pase_core.cost_tables import CostTables, PairTable

INTEGERS = st.integers(0, 6).map(float)
"""Few values: many ties, and sums without rounding."""

REALS = st.floats(0, 1e6, allow_nan=False, allow_subnormal=False)

DECIMALS = st.integers(0, 10**12).map(lambda n: n / 1e6)
"""Costs that are rounded when they add up, but none so small beside others that it is rounding."""


def _array(draw, shape: tuple[int, ...], costs) -> np.ndarray:
    n = int(np.prod(shape))
    return np.array(draw(st.lists(costs, min_size=n, max_size=n)), dtype=float).reshape(shape)


@st.composite
def problems(draw, costs=INTEGERS, max_vertices: int = 6, max_choices: int = 4) -> CostTables:
    """Any graph: several parts, dense or sparse, arrays that vertices and edges share."""
    n_choices = draw(st.lists(st.integers(1, max_choices), min_size=1, max_size=max_vertices))
    n = len(n_choices)
    possible = list(itertools.combinations(range(n), 2))
    edges = draw(st.lists(st.sampled_from(possible), unique=True)) if possible else []
    pool: dict[tuple[int, ...], list[np.ndarray]] = {}

    def array(*shape: int) -> np.ndarray:
        known = pool.setdefault(shape, [])
        if known and draw(st.booleans()):
            return draw(st.sampled_from(known))
        known.append(_array(draw, shape, costs))
        return known[-1]

    vertices = tuple(array(k) for k in n_choices)
    pairs = []
    for u, v in edges:
        first, second = (u, v) if draw(st.booleans()) else (v, u)
        pairs.append(PairTable(first, second, array(n_choices[first], n_choices[second])))
    return CostTables(vertices, tuple(pairs), names=tuple(f"layer {v}" for v in range(n)))


def complete_problem(n_vertices: int, n_choices: int, seed: int) -> CostTables:
    """Every vertex beside every other: dependent sets as large as can be."""
    random = np.random.default_rng(seed)
    return CostTables(
        tuple(random.random(n_choices) for _ in range(n_vertices)),
        tuple(
            PairTable(u, v, random.random((n_choices, n_choices)))
            for u, v in itertools.combinations(range(n_vertices), 2)
        ),
    )


def random_problem(
    edges: list[tuple[int, int]], n_choices: list[int], seed: int, *, whole_numbers: bool = False
) -> CostTables:
    """Random costs over a given graph."""
    random = np.random.default_rng(seed)

    def array(*shape: int) -> np.ndarray:
        if whole_numbers:
            return random.integers(0, 9, shape).astype(float)
        return random.random(shape)

    return CostTables(
        tuple(array(k) for k in n_choices),
        tuple(PairTable(u, v, array(n_choices[u], n_choices[v])) for u, v in edges),
    )


def joint_costs(tables: CostTables) -> np.ndarray:
    """Cost of every combination of choices, one axis per vertex."""
    n = len(tables.vertices)

    def spread(array: np.ndarray, *axes: int) -> np.ndarray:
        order = np.argsort(axes)
        shape = [1] * n
        for axis, size in zip(axes, array.shape, strict=True):
            shape[axis] = size
        return array.transpose(order).reshape(shape)

    terms = [spread(costs, v) for v, costs in enumerate(tables.vertices)]
    terms += [spread(pair.costs, pair.first, pair.second) for pair in tables.pairs]
    return np.broadcast_to(reduce(np.add, terms), tables.n_choices)


def least_cost(tables: CostTables) -> float:
    return float(joint_costs(tables).min())


def copy_of(tables: CostTables) -> list[np.ndarray]:
    return [*(c.copy() for c in tables.vertices), *(p.costs.copy() for p in tables.pairs)]


def arrays_of(tables: CostTables) -> list[np.ndarray]:
    return [*tables.vertices, *(pair.costs for pair in tables.pairs)]
