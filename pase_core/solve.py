"""The public verbs: solve a problem, and compare the answer with what people would do.

    Graph + Cluster + options -> outline -> plan -> cost tables -> elimination -> Solution

Each arrow is a function that can be called alone.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cached_property

from pase_core.baselines import data_parallel, expert_strategies, unsplit_batch
from pase_core.costs.build import Costs, check_budget, price_outline
from pase_core.memory import memory_of, search_within
from pase_core.pins import kept_choices, pinned_choices, unpinned
from pase_core.problem import (
    COST_MODELS,
    CostOptions,
    Problem,
    cost_model,
    outline_problem,
    price_tables,
)
from pase_core.search.methods import prepare, search_prepared
from pase_core.search.result import SearchResult
from pase_core.search.sweep import Progress, no_progress
from pase_core.sharded import SHARDED, price_sharded, problem_behind, shards
from pase_core.strategy import (
    PricedStrategy,
    Strategy,
    parameter_bytes_per_device,
    price,
    price_choices,
    strategy_of_choices,
)
from pase_core.units import share_above

__all__ = [
    "COST_MODELS",
    "FOUND",
    "Comparison",
    "CostOptions",
    "Problem",
    "Solution",
    "compare",
    "cost_model",
    "price_data_parallel",
    "price_experts",
    "price_tables",
    "solve",
]

FOUND = "found"
"""Name of the strategy that the search finds."""

_NOTES = {True: "Found by exact search.", False: "The best that was found by the time limit."}
"""What the found strategy is, by whether it is proved optimal."""

_NOTHING_FITS = "Nothing fits the memory limit; this holds the least."


@dataclass(frozen=True, eq=False)
class Solution:
    """The best strategy of a problem; where nothing fits its memory limit, the smallest one.

    Attributes:
        problem: what was solved.
        unit: unit of all costs.
        found: the strategy and its costs.
        search: how it was found; optimal among the strategies that keep the pinned layers.
        tables_seconds: time taken to make the cost tables.
        search_seconds: time taken to search, without the wait for the compiled loops, which comes
            once per process at most (`search.loading_seconds`).
        n_configurations: configurations of all layers together.
        remark: what keeps the problem from a better answer, in a sentence; empty if nothing does.
    """

    problem: Problem
    unit: str
    found: PricedStrategy
    search: SearchResult
    tables_seconds: float
    search_seconds: float
    n_configurations: int
    remark: str = ""

    @cached_property
    def memory(self) -> PricedStrategy:
        """Bytes that each device holds under the found strategy, by layer and component."""
        return memory_of(self.problem, self.found.strategy)

    @property
    def fits(self) -> bool:
        """Whether the found strategy keeps to the memory limit, if there is one."""
        return self.search.keeps_limit

    def seconds(self, cost: float) -> float:
        """A cost as modelled time."""
        return cost_model(self.problem).seconds(cost)

    def parameter_bytes_per_device(self, strategy: Strategy) -> float:
        """Bytes of the weights that one device holds under a strategy."""
        graph, word_bytes = self.problem.graph, self.problem.word_bytes
        return parameter_bytes_per_device(graph, strategy, word_bytes)


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """The best strategy beside others on the same problem.

    Attributes:
        solution: the best strategy.
        data_parallel: the batch split, nothing else.
        experts: by expert, the variants of the recipe, the cheapest first.
    """

    solution: Solution
    data_parallel: PricedStrategy
    experts: dict[str, tuple[PricedStrategy, ...]]

    def memory(self, priced: PricedStrategy) -> PricedStrategy:
        """Bytes that each device holds under a strategy, by layer and component."""
        if priced is self.solution.found:
            return self.solution.memory
        problem = problem_behind(self.solution.problem, priced.strategy)
        return memory_of(problem, priced.strategy)

    @property
    def best_of_each(self) -> tuple[PricedStrategy, ...]:
        """Found, data parallel, and the cheapest variant of each expert."""
        return (
            self.solution.found,
            self.data_parallel,
            *(variants[0] for variants in self.experts.values()),
        )

    @property
    def all_strategies(self) -> tuple[PricedStrategy, ...]:
        """Every strategy, the found one first."""
        variants = [each for group in self.experts.values() for each in group]
        return (self.solution.found, self.data_parallel, *variants)

    @property
    def data_parallel_is_whole(self) -> bool:
        """True if there are several devices and data parallelism splits nothing over them."""
        parts = (q for row in self.data_parallel.strategy.configurations for q in row)
        return self.solution.problem.cluster.n_devices > 1 and all(q == 1 for q in parts)

    def is_best_variant(self, priced: PricedStrategy) -> bool:
        """True for the cheapest of several variants of one recipe."""
        return any(len(group) > 1 and group[0] is priced for group in self.experts.values())

    def above_bound(self, priced: PricedStrategy) -> float:
        """By how much a strategy exceeds the least cost that is proved (with pins), as a share."""
        return share_above(priced.total, self.solution.search.lower_bound)

    def speedup(self, priced: PricedStrategy) -> float:
        """How many times as long data parallelism takes, by the model."""
        return self.data_parallel.total / priced.total if priced.total else 1.0


def _solve(problem: Problem, progress: Progress) -> tuple[Solution, Costs]:
    """Outline, plan, price and search, in this order: what does not fit is refused unpriced."""
    model, budget = cost_model(problem), problem.search.memory_budget_bytes
    start = time.perf_counter()
    outline = outline_problem(problem, model)
    check_budget(outline.shape, budget)
    pinned = pinned_choices(problem.graph, problem.pins, outline.configurations)
    outlined = time.perf_counter()
    kept = kept_choices(outline.shape.n_choices, pinned)
    shape = outline.shape.restricted(kept) if pinned else outline.shape
    planned = prepare(shape, problem.search, outline.shape.n_bytes_beside(shape))
    planned_at = time.perf_counter()
    costs = price_outline(outline, model, budget)
    priced = time.perf_counter()
    searched = costs.tables.restricted(kept) if pinned else costs.tables
    if problem.memory_limit_bytes is None:
        result = search_prepared(planned, searched, problem.search, progress)
    else:
        result = search_within(problem, searched, kept, progress)
    choices = unpinned(kept, result.choices)
    end = time.perf_counter()
    note = _NOTES[result.proved_optimal] if result.keeps_limit else _NOTHING_FITS
    strategy = strategy_of_choices(FOUND, costs, choices, note)
    solution = Solution(
        problem=problem,
        unit=model.unit,
        found=price_choices(costs, strategy, choices),
        search=replace(result, choices=choices, n_pinned=len(pinned)),
        tables_seconds=outlined - start + priced - planned_at,
        search_seconds=planned_at - outlined + end - priced - result.loading_seconds,
        n_configurations=sum(costs.tables.n_choices),
        remark=unsplit_batch(problem.graph, costs, problem.cluster.n_devices),
    )
    return solution, costs


def solve(problem: Problem, progress: Progress = no_progress) -> Solution:
    """Find the strategy of least cost, exactly; with a memory limit, of those that keep to it.

    Args:
        problem: network, devices and options.
        progress: called with the share of the search that is done.

    Raises:
        PaseError: if an option is out of range or the search does not fit its memory budget.
    """
    return _solve(problem, progress)[0]


def compare(problem: Problem, progress: Progress = no_progress) -> Comparison:
    """Find the strategy of least cost, and price data parallelism and the experts beside it.

    Args:
        problem: network, devices and options.
        progress: called with the share of the search that is done.

    Raises:
        PaseError: as `solve`.
    """
    solution, costs = _solve(problem, progress)
    return Comparison(
        solution=solution,
        data_parallel=price_data_parallel(problem, costs),
        experts=price_experts(problem, costs),
    )


def price_data_parallel(problem: Problem, costs: Costs) -> PricedStrategy:
    """Data parallelism on a problem."""
    strategy = data_parallel(problem.graph, costs, problem.cluster.n_devices)
    return price(problem.graph, costs, strategy)


def price_experts(problem: Problem, costs: Costs) -> dict[str, tuple[PricedStrategy, ...]]:
    """By expert, the variants of the recipe, the cheapest first."""
    graph = problem.graph
    experts = {
        name: tuple(
            sorted(
                (price(graph, costs, strategy) for strategy in variants),
                key=lambda priced: priced.total,
            )
        )
        for name, variants in expert_strategies(graph, costs, problem.cluster.n_devices).items()
    }
    if shards(problem):
        experts[SHARDED] = (price_sharded(problem, price_data_parallel(problem, costs)),)
    return experts
