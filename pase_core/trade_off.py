"""Time against memory: every strategy of a problem that no other beats in both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pase_core.costs.build import Costs
from pase_core.memory import memory_of, memory_tables
from pase_core.pins import pinned_tables, unpinned
from pase_core.problem import Problem, check_no_limit, cost_model, price_tables
from pase_core.search.frontier import Frontier, frontier
from pase_core.search.objectives import Point
from pase_core.search.sweep import Progress, no_progress
from pase_core.sharded import problem_behind
from pase_core.solve import price_data_parallel, price_experts
from pase_core.strategy import PricedStrategy, Strategy, strategy_of_choices


@dataclass(frozen=True, slots=True)
class Baseline:
    """What people would do, as a point beside the curve.

    Attributes:
        name: of the strategy.
        cost: in the cost model's unit.
        weight: bytes per device.
    """

    name: str
    cost: float
    weight: float


@dataclass(frozen=True, slots=True, eq=False)
class TradeOff:
    """Strategies from the one that holds least to the fastest one.

    Attributes:
        problem: what was searched.
        unit: unit of the costs.
        frontier: points of cost and bytes per device, by rising bytes; choices are rows of all
            configurations.
        costs: the cost tables, for the points' strategies.
        baselines: data parallelism, and the cheapest variant of each expert.
    """

    problem: Problem
    unit: str
    frontier: Frontier
    costs: Costs
    baselines: tuple[Baseline, ...]

    @property
    def points(self) -> tuple[Point, ...]:
        """Points by rising bytes, so by falling cost."""
        return self.frontier.points

    def seconds(self, cost: float) -> float:
        """A cost as modelled time."""
        return cost_model(self.problem).seconds(cost)

    def strategy(self, index: int) -> Strategy:
        """The strategy of a point."""
        return strategy_of_choices(f"point {index + 1}", self.costs, self.points[index].choices)

    def fastest_within(self, limit_bytes: float) -> int | None:
        """Number of the fastest point that holds no more than so many bytes, if there is one."""
        fitting = [i for i, point in enumerate(self.points) if point.weight <= limit_bytes]
        return fitting[-1] if fitting else None


def trade_off(problem: Problem, epsilon: float = 0.0, progress: Progress = no_progress) -> TradeOff:
    """Find every strategy that no other beats in both time and memory, exactly.

    Args:
        problem: network, devices and options; pinned layers stay as they are.
        epsilon: share by which points may be missed; see `pase_core.search.frontier.Frontier`.
        progress: called with a guess of the share that is done.

    Raises:
        PaseError: if an option is out of range, there is a memory limit, or the search of the
            hull does not fit its memory budget.
    """
    check_no_limit(problem, "the whole frontier")
    costs, held = price_tables(problem), memory_tables(problem)
    tables, kept = pinned_tables(problem.graph, problem.pins, costs)
    weights = held.tables.restricted(kept) if problem.pins else held.tables
    found = frontier(tables, weights, problem.search, epsilon, progress)
    points = tuple(replace(each, choices=unpinned(kept, each.choices)) for each in found.points)
    return TradeOff(
        problem=problem,
        unit=cost_model(problem).unit,
        frontier=replace(found, points=points),
        costs=costs,
        baselines=_baselines(problem, costs),
    )


def _baselines(problem: Problem, costs: Costs) -> tuple[Baseline, ...]:
    """Data parallelism, and the cheapest variant of each expert's recipe."""
    experts = price_experts(problem, costs).values()
    best: Sequence[PricedStrategy] = [variants[0] for variants in experts]
    return tuple(
        Baseline(each.strategy.name, each.total, _bytes(problem, each))
        for each in (price_data_parallel(problem, costs), *best)
    )


def _bytes(problem: Problem, priced: PricedStrategy) -> float:
    return memory_of(problem_behind(problem, priced.strategy), priced.strategy).total
