"""Strategies that somebody brings along, priced beside the found one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pase_core.costs.build import Costs
from pase_core.errors import StrategyError
from pase_core.exporters.strategy_file import read_strategy_file
from pase_core.search.sweep import Progress, no_progress
from pase_core.solve import Comparison, Problem, compare, price_tables
from pase_core.strategy import PricedStrategy, Strategy, price


def price_strategies(
    problem: Problem, strategies: Sequence[Strategy], costs: Costs | None = None
) -> tuple[PricedStrategy, ...]:
    """Price strategies of a problem's graph.

    Args:
        problem: network, devices and options.
        strategies: what to price; pins do not bind them.
        costs: the problem's cost tables, if they are at hand.

    Raises:
        StrategyError: if one does not fit the graph or the devices; the message names it.
        PaseError: as `price_tables`.
    """
    tables = costs or price_tables(problem)
    return tuple(_price(problem, tables, strategy) for strategy in strategies)


def _price(problem: Problem, costs: Costs, strategy: Strategy) -> PricedStrategy:
    try:
        return price(problem.graph, costs, strategy)
    except StrategyError as error:
        raise type(error)(f"strategy {strategy.name!r}: {error}") from None


def with_strategies(comparison: Comparison, strategies: Sequence[Strategy]) -> Comparison:
    """A comparison with further strategies as rows of their own.

    Raises:
        StrategyError: as `price_strategies`.
    """
    taken = [priced.strategy.name for priced in comparison.all_strategies]
    named = [
        replace(strategy, name=name)
        for strategy, name in zip(
            strategies, unique_names(taken, [s.name for s in strategies]), strict=True
        )
    ]
    priced = price_strategies(comparison.solution.problem, named)
    rows = {each.strategy.name: (each,) for each in priced}
    return replace(comparison, experts=comparison.experts | rows)


def compare_with_files(
    problem: Problem, progress: Progress = no_progress, *, files: Sequence[str] = ()
) -> Comparison:
    """As `compare`, with the strategies of some files as further rows.

    Raises:
        StrategyError: if a file cannot be read, or does not fit the graph or the devices.
        PaseError: as `compare`.
    """
    strategies = [read_strategy_file(problem.graph, file) for file in files]
    comparison = compare(problem, progress)
    return with_strategies(comparison, strategies) if strategies else comparison


def unique_names(taken: Sequence[str], names: Sequence[str]) -> list[str]:
    """Names with a number added where one is taken already, in any case of letters.

    Example:
        >>> unique_names(["found"], ["mine", "Found", "mine"])
        ['mine', 'Found 2', 'mine 2']
    """
    used = {name.lower() for name in taken}
    found = []
    for name in names:
        numbers = (name if n == 1 else f"{name} {n}" for n in range(1, len(used) + 2))
        found.append(next(each for each in numbers if each.lower() not in used))
        used.add(found[-1].lower())
    return found
