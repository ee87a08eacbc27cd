"""What a strategy takes of a device's memory, beside what it takes of its time."""

from __future__ import annotations

from pase_core.costs.build import Costs, price_outline
from pase_core.costs.cost_outline import outline_strategy
from pase_core.problem import Problem, memory_model, outline_problem
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
