"""ZeRO data parallelism (FSDP): the batch split, and parameters shared out over all devices.

The splits are those of data parallelism; what differs is how the step is carried out: every device
holds a share of parameters, gradients and optimizer state, and gathers a layer's parameters when
they are needed (Rajbhandari et al., ZeRO, 2020, stage 3; PyTorch's FSDP).
"""

from __future__ import annotations

from dataclasses import replace

from pase_core.costs.build import price_outline
from pase_core.costs.cost_outline import outline_strategy
from pase_core.problem import Problem, cost_model
from pase_core.strategy import PricedStrategy, Strategy, price_choices

SHARDED = "ZeRO data parallel (FSDP)"

_NOTE = (
    "Data parallel, with parameters, gradients and optimizer state shared out over the devices "
    "(ZeRO stage 3)."
)
_WHOLE_STAGE = 3


def shards(problem: Problem) -> bool:
    """Whether FSDP is another thing than data parallelism: the model can price it, all else not."""
    is_priced = problem.cost.model == "cluster"
    return is_priced and problem.cost.step.zero_stage < _WHOLE_STAGE


def price_sharded(problem: Problem, data_parallel: PricedStrategy) -> PricedStrategy:
    """FSDP on a problem.

    Args:
        problem: network, devices and options, with a cost model in seconds.
        data_parallel: the strategy whose splits it takes.
    """
    strategy = Strategy(SHARDED, data_parallel.strategy.configurations, _NOTE)
    outline = outline_strategy(problem.graph, strategy.configurations)
    costs = price_outline(outline, cost_model(_sharded(problem)))
    priced = price_choices(costs, strategy, (0,) * len(problem.graph.layers))
    return replace(priced, choices=data_parallel.choices)


def problem_behind(problem: Problem, strategy: Strategy) -> Problem:
    """The problem with the options under which a strategy is priced: FSDP brings its own."""
    return _sharded(problem) if strategy.name == SHARDED and shards(problem) else problem


def _sharded(problem: Problem) -> Problem:
    step = replace(problem.cost.step, zero_stage=_WHOLE_STAGE)
    return replace(problem, cost=replace(problem.cost, step=step))
