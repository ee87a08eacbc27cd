"""A cost to be minimised beside a weight: the tables of both, made ready for many searches.

Inside, both are shifted so that every array begins at 0, and have the same pairs. Points are
always told in the given costs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from pase_core.cost_tables import CostTables
from pase_core.search.balance import Line, WeightedSearch
from pase_core.search.options import DEFAULT_OPTIONS, SearchOptions
from pase_core.search.pareto import Quanta
from pase_core.search.weighted import aligned, shifted, weighted_sum

_SLACK = 100.0
"""Quanta by which a bound may be off, being a sum of rounded numbers."""


@dataclass(frozen=True, slots=True)
class Point:
    """One combination of choices, and both its costs.

    Attributes:
        choices: the choice of each vertex.
        cost: the first cost, recomputed from its tables.
        weight: the second.
        is_supported: whether it lies on the lower left convex hull of all combinations, and so
            is best for some weighted sum; to rounding.
    """

    choices: tuple[int, ...]
    cost: float
    weight: float
    is_supported: bool = False

    def beats(self, other: Point) -> bool:
        """Whether neither number is larger than the other's, and one is smaller."""
        mine, its = (self.cost, self.weight), (other.cost, other.weight)
        return mine != its and mine[0] <= its[0] and mine[1] <= its[1]


@dataclass(frozen=True, slots=True, eq=False)
class Objectives:
    """Cost and weight as given, and as they are searched.

    Attributes:
        cost: the tables given.
        weight: the tables given, over the same vertices.
        low_cost: the cost, shifted, with the pairs of both.
        low_weight: the weight, shifted, with the pairs of both.
        cost_shift: what every whole of `low_cost` lacks of its cost.
        weight_shift: the same of its weight.
        search: for weighted sums of `low_cost` and `low_weight`.
        options: with the memory that is left beside all these tables.
    """

    cost: CostTables
    weight: CostTables
    low_cost: CostTables
    low_weight: CostTables
    cost_shift: float
    weight_shift: float
    search: WeightedSearch
    options: SearchOptions

    @classmethod
    def plan(
        cls, cost: CostTables, weight: CostTables, options: SearchOptions = DEFAULT_OPTIONS
    ) -> Objectives:
        """Make tables ready, and plan once for all weighted sums.

        Raises:
            OptionError: if there is no such method or ordering.
            BudgetError: if no search that may be used can fit the limits.
        """
        (low_cost, cost_shift), (low_weight, weight_shift) = shifted(cost), shifted(weight)
        low_cost, low_weight = aligned(low_cost, low_weight)
        search = WeightedSearch.plan(low_cost, low_weight, options)
        held_bytes = low_cost.n_bytes + low_weight.n_bytes
        left_bytes = max(options.memory_budget_bytes - held_bytes, 0.0)
        left = replace(options, memory_budget_bytes=left_bytes)
        return cls(cost, weight, low_cost, low_weight, cost_shift, weight_shift, search, left)

    def point(self, choices: tuple[int, ...], *, is_supported: bool = False) -> Point:
        """Both costs of a combination, as given."""
        return Point(choices, self.cost.total(choices), self.weight.total(choices), is_supported)

    def line(self, choices: tuple[int, ...]) -> Line:
        """Both costs of a combination, shifted."""
        return Line(choices, self.low_cost.total(choices), self.low_weight.total(choices))

    def weighted(self, multiplier: float) -> CostTables:
        """Tables of the shifted `cost + multiplier * weight`."""
        return weighted_sum(self.low_cost, self.low_weight, 1.0, multiplier)

    def weighted_value(self, cost: float, weight: float, multiplier: float) -> float:
        """The shifted `cost + multiplier * weight` of a cost and a weight as given."""
        return (cost - self.cost_shift) + multiplier * (weight - self.weight_shift)

    def slack(self, cost: float, weight: float, multiplier: float) -> float:
        """By how much a bound on `cost + multiplier * weight` may be off for about such costs."""
        quanta = Quanta.of(cost, weight)
        return _SLACK * (quanta.cost + multiplier * quanta.weight)
