"""What a strategy takes of a device's memory, beside what it takes of its time."""

from __future__ import annotations

from collections.abc import Sequence

from pase_core.cost_tables import CostTables, Kept
from pase_core.costs.build import Costs, price_outline
from pase_core.costs.cost_outline import outline_strategy
from pase_core.problem import Problem, memory_model, outline_problem
from pase_core.search.result import SearchResult
from pase_core.search.sweep import Progress, no_progress
from pase_core.search.within import cheapest_within
from pase_core.strategy import PricedStrategy, Strategy, price_choices


def memory_of(problem: Problem, strategy: Strategy) -> PricedStrategy:
    """Bytes that each device holds under a strategy, by layer and component.

    Args:
        problem: network, devices and options; the cost model plays no part.
        strategy: a configuration for every layer.

    Returns:
        As a priced strategy whose costs are bytes; its `total` is the height of the step.
    """
    outline = outline_strategy(problem.graph, strategy.configurations)
    held = price_outline(outline, memory_model(problem))
    return price_choices(held, strategy, (0,) * len(problem.graph.layers))


def memory_tables(problem: Problem) -> Costs:
    """Bytes of every configuration, shaped as the cost tables of the problem.

    Raises:
        BudgetError: if the tables do not fit the memory budget.
    """
    model, budget = memory_model(problem), problem.search.memory_budget_bytes
    return price_outline(outline_problem(problem, model), model, budget)


def search_within(
    problem: Problem,
    tables: CostTables,
    kept: Sequence[Kept],
    progress: Progress = no_progress,
) -> SearchResult:
    """Search for the least cost among the strategies that keep to the problem's memory limit.

    Args:
        problem: network, devices and options, with a memory limit.
        tables: cost tables of the choices kept.
        kept: per layer the choices that pins leave.
        progress: called with a guess of the share that is done.

    Returns:
        Choices among those kept. Where nothing fits, those of the least memory; that is proved.

    Raises:
        BudgetError: if the tables or the search do not fit the memory budget.
    """
    held = memory_tables(problem).tables.restricted(kept)
    limit = problem.memory_limit_bytes
    assert limit is not None
    found = cheapest_within(tables, held, limit, problem.search, progress)
    keeps_limit = found.choices is not None
    choices = found.least.choices if found.choices is None else found.choices
    return SearchResult(
        choices=choices,
        cost=tables.total(choices),
        method=found.method,
        proved_optimal=found.proved_optimal,
        largest_table=0,
        peak_bytes=tables.n_bytes + held.n_bytes,
        lower_bound=found.lower_bound if keeps_limit else tables.total(choices),
        keeps_limit=keeps_limit,
    )
