"""Alternatives, phases and searches as tables on a terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from rich.console import Console
from rich.table import Table

from pase_core.alternatives import Ranking, Regrets
from pase_core.balance import Balance, cluster_balances
from pase_core.console import make_console, make_table
from pase_core.cost_tables import Array
from pase_core.graph import Graph
from pase_core.report import print_setup, print_solution
from pase_core.report_memory import print_memory, print_misfit
from pase_core.search.rivals import RIVALS
from pase_core.search.trajectory import Trajectory
from pase_core.searches import Searches
from pase_core.strategy import describe_splits
from pase_core.study import Study
from pase_core.units import count, with_prefix
from pase_core.wording import percent_above

_MOST_NAMES = 3
"""Layers that a row names; the others are counted."""

_MODELLED = "all costs modelled, not measured"


def print_study(study: Study) -> None:
    """Print a solution and the alternatives that were asked for."""
    print_solution(study.solution)
    console = make_console()
    print_memory(console, study.solution)
    if not study.solution.fits:
        print_misfit(console, study.solution, study.remedies)
    if study.remark:
        console.print(f"\n{study.remark}")
    if study.regrets is not None:
        _print_regrets(console, study.regrets)
    if study.ranking is not None:
        _print_ranking(console, study.ranking)


def _print_regrets(console: Console, regrets: Regrets) -> None:
    table = make_table(
        "layer", numbers=("configurations", "within 1 %", "within 10 %"), texts=("if split",)
    )
    table.add_column("if whole")
    near, far = regrets.freedom(0.01), regrets.freedom(0.1)
    for i, layer in enumerate(regrets.problem.graph.layers):
        names = layer.dimension_names
        table.add_row(
            layer.name,
            *(str(n) for n in (len(regrets.configurations[i]), near[i], far[i])),
            _by_dimension(names, regrets.split_regrets(i)),
            _by_dimension(names, regrets.whole_regrets(i), regrets.split_regrets(i)),
        )
    console.print("\nregrets: what the best whole strategy costs above the optimum at least")
    console.print(table)
    console.print(f"exact, in {with_prefix(regrets.seconds, 's')}; {_MODELLED}")


def _by_dimension(names: Sequence[str], shares: Array, others: Array | None = None) -> str:
    """Regret per dimension; where it, or that of the other way, is infinite there is no choice."""
    is_finite = np.isfinite(shares) & (True if others is None else np.isfinite(others))
    shown = [
        f"{name} {describe_regret(share)}"
        for name, share, is_shown in zip(names, shares, is_finite, strict=True)
        if is_shown
    ]
    return ", ".join(shown)


def describe_regret(share: float) -> str:
    """A regret in per cent; nothing is nothing, and a trace is said to be one.

    Example:
        >>> describe_regret(0.0), describe_regret(1e-7), describe_regret(0.0312)
        ('0', '<0.01 %', '+3.1 %')
    """
    if share <= 1e-12:
        return "0"
    if share < 1e-4:
        return "<0.01 %"
    digits = 2 if share < 0.01 else 1
    return f"+{100 * share:.{digits}f} %" if share < 10 else f"×{1 + share:.3g}"


def _print_ranking(console: Console, ranking: Ranking) -> None:
    table = make_table(
        numbers=("rank", f"step cost [{ranking.unit}]", "above the best"),
        texts=("differs from the best in",),
    )
    graph = ranking.problem.graph
    for rank, priced in enumerate(ranking.strategies):
        configurations = priced.strategy.configurations
        table.add_row(
            str(rank + 1),
            with_prefix(priced.total, "", 6),
            describe_regret(ranking.above(rank)),
            _changes(graph, ranking.differences(rank), configurations) if rank else "",
        )
    console.print(f"\nthe {count(len(ranking.strategies), 'best strategy', 'best strategies')}")
    console.print(table)
    console.print(f"exact, in {with_prefix(ranking.seconds, 's')}; {_MODELLED}")


def _changes(
    graph: Graph, positions: Sequence[int], configurations: Sequence[Sequence[int]]
) -> str:
    """What some layers split, the first few by name."""
    named = [
        f"{graph.layers[i].name}: {describe_splits(graph.layers[i], tuple(configurations[i]))}"
        for i in positions[:_MOST_NAMES]
    ]
    n_more = len(positions) - len(named)
    return "; ".join(named) + (f" and {count(n_more, 'more layer')}" if n_more > 0 else "")


def print_balance(balance: Balance) -> None:
    """Print the phases with what changes at each, and where today's clusters lie."""
    console = make_console()
    print_setup(console, balance.problem)
    console.print(_phase_table(balance))
    element_type = balance.problem.element_type
    n_devices = balance.problem.cluster.n_devices
    marks = cluster_balances(n_devices, element_type)
    console.print(f"clusters of {count(n_devices, 'device')}, FLOP per byte in {element_type}:")
    console.print("  " + ", ".join(f"{name} {at:.3g}" for name, at in marks))
    console.print(
        f"{count(len(balance.phases), 'phase')}, every breakpoint exact, in "
        f"{with_prefix(balance.seconds, 's')}; {_MODELLED}"
    )


def _phase_table(balance: Balance) -> Table:
    table = make_table(
        "", numbers=("from [FLOP/B]", "to [FLOP/B]", "FLOP", "bytes sent"), texts=("changes",)
    )
    graph = balance.problem.graph
    for i, phase in enumerate(balance.phases):
        table.add_row(
            "here" if i == balance.phase_here else "",
            f"{phase.start:.3g}",
            "∞" if math.isinf(phase.stop) else f"{phase.stop:.3g}",
            with_prefix(phase.line.fixed, "FLOP"),
            with_prefix(phase.line.scaled, "B"),
            _changes(graph, balance.changes(i), balance.strategies[i].configurations),
        )
    return table


def print_searches(searches: Searches) -> None:
    """Print how each search did: its best cost, what that is above the proved bound, its time."""
    console = make_console()
    print_setup(console, searches.problem)
    table = make_table(
        "search",
        numbers=(
            *("seed", f"best cost [{searches.unit}]", "above the bound"),
            *("time to within 1 %", "time", "evaluations"),
        ),
        texts=("remark",),
    )
    for run in searches.trajectories:
        table.add_row(*_search_row(searches, run))
    console.print(table)
    for run in searches.trajectories:
        if run.failure:
            console.print(f"{RIVALS[run.method].title}: {run.failure}")
    proof = "the optimum" if searches.is_optimum else "a lower bound"
    console.print(
        f"start: data parallelism, {with_prefix(searches.start, searches.unit)}; proved "
        f"{proof}: {with_prefix(searches.lower_bound, searches.unit, 6)}; {_MODELLED}"
    )


def _search_row(searches: Searches, run: Trajectory) -> tuple[str, ...]:
    rival = RIVALS[run.method]
    near = run.seconds_to(1.01 * searches.lower_bound)
    gap = searches.gap(run.cost)
    return (
        rival.title,
        str(run.seed) if rival.is_random else "",
        with_prefix(run.cost, "", 6),
        percent_above(gap) if gap > 1e-12 else "0",
        with_prefix(near, "s") if math.isfinite(near) else "never",
        with_prefix(run.seconds, "s"),
        count(run.n_evaluations),
        "does not fit" if run.failure else "proved" if run.lower_bound >= run.cost else run.ended,
    )
