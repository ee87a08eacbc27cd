"""Memory on a terminal: what a strategy holds, what would fit, and time against memory."""

from __future__ import annotations

import numpy as np
from rich.console import Console

from pase_core.components import FETCHED, HELD, REDISTRIBUTION
from pase_core.console import make_console, make_table
from pase_core.fit import Remedy
from pase_core.problem import Problem
from pase_core.report import print_setup
from pase_core.search.objectives import Point
from pase_core.solve import Solution
from pase_core.trade_off import TradeOff
from pase_core.units import count, percent, ratio, with_prefix

_MOST_LAYERS = 5
"""That are named as those which hold the bytes."""

_MOST_POINTS = 40
"""Rows of a frontier that are printed; a file has them all."""


def print_memory(console: Console, solution: Solution) -> None:
    """Print the bytes that a device holds, by part, beside the limit or the device's memory."""
    held, problem = solution.memory, solution.problem
    console.print(
        f"memory {with_prefix(held.total, 'B')} per device of {_room(problem)} (modelled)"
    )
    shares = [
        f"{HELD[FETCHED if name == REDISTRIBUTION else name][0]} {percent(part / held.total)}"
        for name, part in held.components.items()
        if part
    ]
    console.print("  " + ", ".join(shares))


def _room(problem: Problem) -> str:
    limit = problem.memory_limit_bytes
    if limit is not None:
        return f"{with_prefix(limit, 'B')} allowed"
    return f"{with_prefix(problem.cluster.memory_bytes, 'B')} that it has"


def print_misfit(console: Console, solution: Solution, remedies: tuple[Remedy, ...]) -> None:
    """Print what comes closest to a memory limit, what holds the bytes, and what would help."""
    held, problem = solution.memory, solution.problem
    limit = problem.memory_limit_bytes or 0.0
    console.print(
        f"\nNothing fits {with_prefix(limit, 'B')} per device: the strategy above holds least, "
        f"{with_prefix(held.total, 'B')}, {ratio(held.total / limit)} the limit. "
        "The layers that hold most:"
    )
    bytes_of = held.layer_costs + held.incoming_transfers
    table = make_table("layer", numbers=("memory [B]", "share"), texts=("mostly",))
    names = (*held.component_names, FETCHED)
    for i in np.argsort(-bytes_of, kind="stable")[:_MOST_LAYERS]:
        parts = (*held.layer_components[i], held.incoming_transfers[i])
        most = HELD[names[int(np.argmax(parts))]][0]
        layer = problem.graph.layers[int(i)].name
        share = percent(float(bytes_of[i]) / held.total)
        table.add_row(layer, with_prefix(float(bytes_of[i]), ""), share, most)
    console.print(table)
    _print_remedies(console, remedies)


def _print_remedies(console: Console, remedies: tuple[Remedy, ...]) -> None:
    if not remedies:
        console.print("No option of training that is known here would save memory.")
        return
    table = make_table("what would help", numbers=("least memory [B]",), texts=("fits", "options"))
    for each in remedies:
        fits = "yes" if each.fits else "no"
        table.add_row(each.title, with_prefix(each.least_bytes, ""), fits, each.options)
    console.print(table)


def print_trade_off(found: TradeOff) -> None:
    """Print the frontier, and data parallelism and experts beside it."""
    console = make_console()
    print_setup(console, found.problem)
    table = make_table(
        "point", numbers=("memory [B]", f"step cost [{found.unit}]", "time"), texts=("which",)
    )
    shown = _shown(found)
    for i in shown:
        point = found.points[i]
        table.add_row(
            str(i + 1),
            with_prefix(point.weight, "", 4),
            with_prefix(point.cost, "", 4),
            with_prefix(found.seconds(point.cost), "s", 4),
            _which(point),
        )
    for each in found.baselines:
        seconds = with_prefix(found.seconds(each.cost), "s", 4)
        costs = (with_prefix(each.weight, "", 4), with_prefix(each.cost, "", 4))
        table.add_row("", *costs, seconds, each.name)
    console.print(table)
    n_left = len(found.points) - len(shown)
    if n_left:
        console.print(f"{count(n_left, 'point')} in between not shown; --json has them all")
    console.print(_proof(found))


def _shown(found: TradeOff) -> list[int]:
    """Points to print: all, or as many as fit, evenly spaced, with both ends."""
    n = len(found.points)
    return sorted({round(i) for i in np.linspace(0, n - 1, min(n, _MOST_POINTS))})


def _which(point: Point) -> str:
    return "on the hull" if point.is_supported else "between corners"


def _proof(found: TradeOff) -> str:
    """How many points, whether these are all, and how they were found."""
    searched = found.frontier
    n_hull = sum(point.is_supported for point in found.points)
    near = f", up to {percent(searched.epsilon)}" if searched.epsilon else ""
    whole = f"the whole frontier{near}"
    if not searched.is_complete:
        gaps = count(len(searched.unproved), "gap")
        whole = f"{gaps} between points may hold more"
    return (
        f"{count(len(found.points), 'point')}, {n_hull} on the hull: {whole}; "
        f"by {searched.method}, in {with_prefix(searched.seconds, 's')}; "
        "time and memory modelled, not measured"
    )
