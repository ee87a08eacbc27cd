"""How the best strategy changes with the machine balance: FLOP that a device does per byte sent.

Under the cost model `paper` a strategy costs `FLOP + r * bytes`, with r the peak FLOP/s of a
device over the bytes/s of its link. The strategies that are best for some r, from a network that
costs nothing (r = 0) to one that is all that counts, are the phases.
"""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass

from pase_core.cluster import Cluster, preset, preset_names
from pase_core.components import COMPUTE
from pase_core.cost_tables import Array, CostTables, PairTable
from pase_core.costs.build import Costs
from pase_core.costs.paper import PaperCostModel
from pase_core.errors import ClusterError, OptionError
from pase_core.problem import check_no_limit
from pase_core.search.balance import Line, Phase, phases, worst_loss
from pase_core.search.sweep import Progress, no_progress
from pase_core.solve import Problem, cost_model, price_data_parallel, price_experts, price_tables
from pase_core.strategy import PricedStrategy, Strategy, strategy_of_choices


@dataclass(frozen=True, slots=True, eq=False)
class Balance:
    """The phases of a problem.

    Attributes:
        problem: what was solved, whose own balance is one point of the range.
        here: that balance, FLOP per byte.
        phases: by rising balance.
        strategies: of each phase.
        baselines: name and line of data parallelism and of each expert's best variant here.
        seconds: time taken, without making the cost tables.
    """

    problem: Problem
    here: float
    phases: tuple[Phase, ...]
    strategies: tuple[Strategy, ...]
    baselines: tuple[tuple[str, Line], ...]
    seconds: float

    @property
    def phase_here(self) -> int:
        """Number of the phase that the problem's own balance lies in."""
        return max(i for i, phase in enumerate(self.phases) if phase.start <= self.here)

    def changes(self, phase: int) -> tuple[int, ...]:
        """Positions of the layers that split otherwise than in the phase before."""
        if phase == 0:
            return ()
        before, now = (self.phases[i].line.choices for i in (phase - 1, phase))
        return tuple(i for i, (a, b) in enumerate(zip(before, now, strict=True)) if a != b)

    def worst_losses(self, start: float, stop: float) -> tuple[float, ...]:
        """Per phase, what its strategy costs above the best at worst over a range, as a share.

        Args:
            start: least balance of the range, FLOP per byte.
            stop: greatest balance of the range.
        """
        return tuple(worst_loss(each.line, self.phases, start, stop) for each in self.phases)


def machine_balance(cluster: Cluster, element_type: str) -> float:
    """FLOP that a device does while its link carries a byte."""
    return cluster.flop_per_second(element_type) / cluster.bytes_per_second


def cluster_balances(n_devices: int, element_type: str) -> tuple[tuple[str, float], ...]:
    """Name and balance of every cluster that comes along and has such arithmetic, rising."""
    found = []
    for name in preset_names():
        with contextlib.suppress(ClusterError):
            found.append((name, machine_balance(preset(name, n_devices), element_type)))
    return tuple(sorted(found, key=lambda each: (each[1], each[0])))


def balance(problem: Problem, progress: Progress = no_progress) -> Balance:
    """Find every phase of a problem, exactly.

    Args:
        problem: network, devices and options; pins are not kept.
        progress: called with a guess of the share that is done.

    Raises:
        OptionError: if the cost model is not linear in the balance.
        BudgetError: if a search does not fit the memory budget.
    """
    model = cost_model(problem)
    if not isinstance(model, PaperCostModel):
        raise OptionError(
            f"phases need a cost that is linear in the machine balance; {problem.cost.model!r} "
            "is not: use the cost model 'paper' (--cost-model)"
        )
    check_no_limit(problem, "phases")
    costs = price_tables(problem)
    here = model.flop_per_second / model.bytes_per_second
    flop, sent_bytes = _two_costs(costs, here)
    start = time.perf_counter()
    found = phases(flop, sent_bytes, problem.search, progress)
    seconds = time.perf_counter() - start
    return Balance(
        problem=problem,
        here=here,
        phases=found,
        strategies=tuple(
            strategy_of_choices(f"phase {i}", costs, each.line.choices, "")
            for i, each in enumerate(found, start=1)
        ),
        baselines=tuple(
            (
                priced.strategy.name,
                Line(priced.choices, flop.total(priced.choices), sent_bytes.total(priced.choices)),
            )
            for priced in _baselines(problem, costs)
        ),
        seconds=seconds,
    )


def _baselines(problem: Problem, costs: Costs) -> tuple[PricedStrategy, ...]:
    """Data parallelism, and each expert's variant that is the cheapest here."""
    experts = (variants[0] for variants in price_experts(problem, costs).values())
    return (price_data_parallel(problem, costs), *experts)


def _two_costs(costs: Costs, flop_per_byte: float) -> tuple[CostTables, CostTables]:
    """FLOP without communication, and bytes of communication; equal tables stay shared."""
    tables = costs.tables
    compute = tables.components.index(COMPUTE)
    made: dict[tuple[int, str], Array] = {}

    def flop(parts: Array) -> Array:
        return made.setdefault((id(parts), "flop"), parts[compute])

    def sent(parts: Array) -> Array:
        key = (id(parts), "bytes")
        if key not in made:
            others = [row for i, row in enumerate(parts) if i != compute]
            made[key] = sum(others[1:], start=others[0]) / flop_per_byte
        return made[key]

    def scaled(table: Array) -> Array:
        key = (id(table), "pair")
        if key not in made:
            made[key] = table / flop_per_byte
        return made[key]

    pairs = tuple(PairTable(p.first, p.second, scaled(p.costs)) for p in tables.pairs)
    return (
        CostTables(tuple(map(flop, tables.parts)), (), names=tables.names),
        CostTables(tuple(map(sent, tables.parts)), pairs, names=tables.names),
    )
