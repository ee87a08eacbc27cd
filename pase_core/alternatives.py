"""How much worse the alternatives are: regrets of all configurations, and the best strategies."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pase_core.configurations import Splits
from pase_core.cost_tables import Array
from pase_core.pins import pinned_tables, unpinned
from pase_core.problem import check_no_limit
from pase_core.search.k_best import k_best
from pase_core.search.marginals import marginals
from pase_core.search.sweep import Progress, no_progress
from pase_core.solve import Problem, cost_model, price_tables
from pase_core.strategy import PricedStrategy, price_choices, strategy_of_choices
from pase_core.units import share_above


@dataclass(frozen=True, slots=True, eq=False)
class Regrets:
    """What every configuration of every layer costs at least, all other layers chosen optimally.

    Attributes:
        problem: what was asked about.
        unit: unit of all costs.
        optimum: cost of the best strategy.
        configurations: per layer its configurations, shape (n_configurations, n_dimensions).
        costs: per layer and configuration, cost of the best strategy that contains it; infinite
            for what pins rule out.
        seconds: time taken, without making the cost tables.
    """

    problem: Problem
    unit: str
    optimum: float
    configurations: tuple[Splits, ...]
    costs: tuple[Array, ...]
    seconds: float

    def shares(self, layer: int) -> Array:
        """Regret of each configuration of a layer, as a share of the optimum."""
        above = np.maximum(self.costs[layer] - self.optimum, 0.0)
        return above / self.optimum if self.optimum else np.where(above > 0.0, np.inf, 0.0)

    def split_regrets(self, layer: int) -> Array:
        """Per dimension of a layer the least regret of splitting it, a share; infinite if never."""
        return self._least(layer, self.configurations[layer] > 1)

    def whole_regrets(self, layer: int) -> Array:
        """Per dimension of a layer the least regret of leaving it whole, as a share."""
        return self._least(layer, self.configurations[layer] == 1)

    def _least(self, layer: int, is_allowed: NDArray[np.bool_]) -> Array:
        least: Array = np.where(is_allowed, self.shares(layer)[:, None], np.inf).min(axis=0)
        return least

    def freedom(self, share: float) -> tuple[int, ...]:
        """Per layer, how many configurations some strategy uses that is within a share of the best.

        Args:
            share: of the optimum, such as 0.01.
        """
        return tuple(
            int((self.shares(layer) <= share + _ROUNDING).sum()) for layer in range(len(self.costs))
        )


_ROUNDING = 1e-12
"""Share of the optimum by which equal costs may differ."""


def regrets(problem: Problem, progress: Progress = no_progress) -> Regrets:
    """Price the best strategy under every configuration of every layer, exactly.

    Args:
        problem: network, devices and options; pinned layers stay as they are.
        progress: called with the share of the layers that are done.

    Raises:
        PaseError: if an option is out of range or the search does not fit its memory budget.
    """
    check_no_limit(problem, "alternatives")
    costs = price_tables(problem)
    tables, kept = pinned_tables(problem.graph, problem.pins, costs)
    start = time.perf_counter()
    found = marginals(tables, problem.search, progress)
    seconds = time.perf_counter() - start
    spread = []
    for n, keep, values in zip(costs.tables.n_choices, kept, found.costs, strict=True):
        row = np.full(n, np.inf)
        row[keep] = values
        spread.append(row)
    return Regrets(
        problem=problem,
        unit=cost_model(problem).unit,
        optimum=found.optimum,
        configurations=costs.configurations,
        costs=tuple(spread),
        seconds=seconds,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """The best strategies of a problem.

    Attributes:
        problem: what was solved.
        unit: unit of all costs.
        strategies: the cheapest first.
        seconds: time taken, without making the cost tables.
    """

    problem: Problem
    unit: str
    strategies: tuple[PricedStrategy, ...]
    seconds: float

    def above(self, rank: int) -> float:
        """By how much a strategy costs more than the best, as a share."""
        return share_above(self.strategies[rank].total, self.strategies[0].total)

    def differences(self, rank: int) -> tuple[int, ...]:
        """Positions of the layers in which a strategy differs from the best."""
        best, other = self.strategies[0].choices, self.strategies[rank].choices
        return tuple(i for i, (a, b) in enumerate(zip(best, other, strict=True)) if a != b)


def best_strategies(problem: Problem, k: int) -> Ranking:
    """The k strategies of least cost, exactly; fewer if there are not so many.

    Args:
        problem: network, devices and options; pinned layers stay as they are.
        k: how many.

    Raises:
        PaseError: if k or an option is out of range or the search does not fit its memory budget.
    """
    check_no_limit(problem, "alternatives")
    costs = price_tables(problem)
    tables, kept = pinned_tables(problem.graph, problem.pins, costs)
    start = time.perf_counter()
    found = k_best(tables, k, problem.search)
    seconds = time.perf_counter() - start
    priced = []
    for rank, each in enumerate(found, start=1):
        choices = unpinned(kept, each.choices)
        strategy = strategy_of_choices(f"number {rank}", costs, choices, "")
        priced.append(price_choices(costs, strategy, choices))
    return Ranking(problem, cost_model(problem).unit, tuple(priced), seconds)
