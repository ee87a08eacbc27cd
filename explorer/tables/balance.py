"""The phases of a problem over the machine balance: a sentence, curves, bands, today's clusters."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd

from explorer.tables.summary import strategy_title
from pase_core.balance import Balance, cluster_balances, machine_balance
from pase_core.cluster import preset
from pase_core.components import COMPUTE
from pase_core.search.balance import Line
from pase_core.solve import Comparison
from pase_core.strategy import PricedStrategy
from pase_core.units import count, percent, with_prefix

Range = tuple[float, float]
"""Least and greatest balance of a range, FLOP per byte."""

BEYOND_PRESETS = 100.0
"""How far the picture goes beyond today's clusters, as a factor."""

KEPT = "Best here, kept"
BEST = "Best for each machine"

_N_SAMPLES = 240
"""Points of a curve, beside the breakpoints."""


def number_text(value: float, digits: int = 3) -> str:
    """A number without an exponent.

    Example:
        >>> number_text(717.46), number_text(24_210.0), number_text(2.79e-5), number_text(math.inf)
        ('717', '24,200', '0.0000279', '∞')
    """
    if math.isinf(value):
        return "∞"
    rounded = float(f"{value:.{digits}g}")
    if rounded >= 10.0 ** (digits - 1):
        return f"{rounded:,.0f}"
    return str(np.format_float_positional(rounded, trim="-"))


def range_text(start: float, stop: float) -> str:
    """A range of balances, with as many digits as tell its ends apart.

    Example:
        >>> range_text(1.51, 3050.0), range_text(1.9401, 1.9402), range_text(9.0, math.inf)
        ('1.51 to 3,050 FLOP per byte', '1.9401 to 1.9402 FLOP per byte', 'from 9 FLOP per byte on')
    """
    if math.isinf(stop):
        return f"from {number_text(start)} FLOP per byte on"
    for digits in range(3, 12):
        texts = number_text(start, digits), number_text(stop, digits)
        if texts[0] != texts[1]:
            break
    return f"{texts[0]} to {texts[1]} FLOP per byte"


def at_home(found: Balance, comparison: Comparison) -> Balance:
    """Phases found for any speeds, seen from a solved scenario.

    Args:
        found: the phases of the scenario's network on as many devices.
        comparison: of the scenario; its experts' cheapest variants are the baselines.
    """
    problem = replace(comparison.solution.problem, pins=())
    here = machine_balance(problem.cluster, problem.graph.element_type)
    experts = (variants[0] for variants in comparison.experts.values())
    baselines = tuple(
        (strategy_title(priced), _line(priced, here))
        for priced in (comparison.data_parallel, *experts)
    )
    return replace(found, problem=problem, here=here, baselines=baselines)


def _line(priced: PricedStrategy, here: float) -> Line:
    """A strategy's FLOP and bytes, from its cost at one balance."""
    flop = priced.components[COMPUTE]
    others = sum(cost for name, cost in priced.components.items() if name != COMPUTE)
    return Line(priced.choices, flop, others / here)


def balance_headline(balance: Balance) -> str:
    """How many strategies there are, where this machine lies, and what would change it."""
    here = f"**{number_text(balance.here)} FLOP per byte**"
    if len(balance.phases) == 1:
        return (
            f"**One strategy** is the best for every machine, whatever its links; yours does {here}"
        )
    phase = balance.phases[balance.phase_here]
    return (
        f"**{len(balance.phases)} strategies** are best for some machine; yours does {here}, in "
        f"**phase {balance.phase_here + 1}**, which rules "
        f"{range_text(phase.start, phase.stop)}: {_ways_out(balance)}"
    )


def _ways_out(balance: Balance) -> str:
    """How much slower or faster the links must be for another strategy to be the best."""
    phase = balance.phases[balance.phase_here]
    slower, faster = phase.stop / balance.here, math.inf
    if phase.start:
        faster = balance.here / phase.start
    if math.isinf(slower):
        return (
            f"a link {_factor_text(faster, 'faster')} would change the strategy, a slower one never"
        )
    text = f"a link {_factor_text(slower, 'slower')} would change the strategy"
    if math.isinf(faster):
        return f"{text}, a faster one never"
    return f"{text}, one {_factor_text(faster, 'faster')} as well"


def _factor_text(factor: float, word: str) -> str:
    if factor < 1.1:
        return f"only {number_text(100 * (factor - 1), 2)} % {word}"
    return f"{number_text(factor)} times {word}"


def preset_table(balance: Balance) -> pd.DataFrame:
    """Where today's clusters lie, with as many devices and the network's element type.

    Columns: cluster (names of equal ones together), balance (FLOP per byte), is_own, hover.
    """
    problem = balance.problem
    names: dict[float, list[str]] = {}
    for name, at in cluster_balances(problem.cluster.n_devices, problem.graph.element_type):
        names.setdefault(float(f"{at:.6g}"), []).append(name)
    rows = [
        {
            "cluster": ", ".join(names[at]),
            "balance": at,
            "is_own": problem.cluster.name in names[at],
            "hover": "<br>".join(
                [*(preset(name).title for name in names[at]), f"{number_text(at)} FLOP per byte"]
            ),
        }
        for at in sorted(names)
    ]
    return pd.DataFrame(rows, columns=["cluster", "balance", "is_own", "hover"])


def visible_range(balance: Balance, presets: pd.DataFrame) -> Range:
    """The balances to draw: far beyond today's clusters either way, and around this machine."""
    low, high = balance.here / 3, balance.here * 3
    if len(presets):
        low = min(low, presets["balance"].min() / BEYOND_PRESETS)
        high = max(high, presets["balance"].max() * BEYOND_PRESETS)
    return float(low), float(high)


def beyond_text(balance: Balance, shown: Range) -> str:
    """Which phases lie outside a range; empty if none does."""
    below = sum(phase.stop <= shown[0] for phase in balance.phases)
    above = sum(phase.start >= shown[1] for phase in balance.phases)
    parts = []
    if below:
        parts.append(f"{count(below, 'phase')} below {number_text(shown[0])}")
    if above:
        parts.append(f"{above if below else count(above, 'phase')} above {number_text(shown[1])}")
    if not parts:
        return ""
    rest = "lies outside the picture; the table has it"
    if below + above > 1:
        rest = "lie outside the picture; the table has them"
    return f"{' and '.join(parts)} FLOP per byte {rest}."


def band_table(balance: Balance, shown: Range) -> pd.DataFrame:
    """The visible part of each phase; columns phase (from 1), start, stop, is_here."""
    rows = [
        {
            "phase": i + 1,
            "start": max(phase.start, shown[0]),
            "stop": min(phase.stop, shown[1]),
            "is_here": i == balance.phase_here,
        }
        for i, phase in enumerate(balance.phases)
        if phase.start < shown[1] and phase.stop > shown[0]
    ]
    return pd.DataFrame(rows, columns=["phase", "start", "stop", "is_here"])


def curve_table(balance: Balance, shown: Range) -> pd.DataFrame:
    """Costs against the balance.

    Columns: strategy, kind (`best`, `found`, `data parallel` or `expert`), balance, cost (FLOP per
    step and device), ratio (to the best there), hover.
    """
    at = np.geomspace(*shown, _N_SAMPLES)
    breaks = [phase.start for phase in balance.phases if shown[0] < phase.start < shown[1]]
    at = np.unique(np.concatenate([at, breaks, [balance.here]]))
    starts = np.array([phase.start for phase in balance.phases])
    ruling = np.searchsorted(starts, at, side="right") - 1
    best = np.array([balance.phases[i].line.at(float(r)) for i, r in zip(ruling, at, strict=True)])
    tables = []
    for name, kind, line in _curves(balance):
        costs = best if line is None else np.array([line.at(float(r)) for r in at])
        table = pd.DataFrame({"balance": at, "cost": costs})
        # Rounding must not lift the best above another, nor divide by nothing.
        table["ratio"] = np.maximum(costs / np.where(best > 0, best, 1.0), 1.0)
        lines = [balance.phases[i].line for i in ruling] if line is None else [line] * len(at)
        names = [f"{name}: phase {i + 1}" for i in ruling] if line is None else [name] * len(at)
        table["hover"] = [
            _curve_hover(*row) for row in zip(names, lines, at, table["ratio"], strict=True)
        ]
        tables.append(table.assign(strategy=name, kind=kind))
    return pd.concat(tables, ignore_index=True)


def _curves(balance: Balance) -> Iterator[tuple[str, str, Line | None]]:
    """Name, kind and line of every curve; no line for the best."""
    for i, (name, line) in enumerate(balance.baselines):
        yield name, "expert" if i else "data parallel", line
    yield KEPT, "found", balance.phases[balance.phase_here].line
    yield BEST, "best", None


def _curve_hover(name: str, line: Line, at: float, times_best: float) -> str:
    cost = line.at(at)
    above = "the best" if times_best < 1 + 1e-9 else f"{number_text(times_best, 4)} × the best"
    return "<br>".join(
        [
            f"<b>{name}</b>",
            f"at {number_text(at)} FLOP per byte: {with_prefix(cost, 'FLOP')}, {above}",
            f"{with_prefix(line.fixed, 'FLOP')} and {with_prefix(line.scaled, 'B')} sent",
            f"{percent(1 - line.fixed / cost if cost else 0.0)} communication",
        ]
    )
