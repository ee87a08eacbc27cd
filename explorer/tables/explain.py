"""Why a layer costs what it costs under one strategy and not under another, in a sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pase_core.components import COMPONENTS
from pase_core.costs.paper import PaperCostModel
from pase_core.layers import Layer
from pase_core.solve import Problem, cost_model
from pase_core.strategy import Configuration
from pase_core.units import with_prefix

NEGLIGIBLE = 1e-3
"""A component is not mentioned if its difference is below this share of the largest one."""

SAME = "costs the same"

Amount = Callable[[str, float], str]
"""Says a cost of a component as an amount with its unit, such as `151 MB`."""


def communication_bytes(problem: Problem, cost: float) -> float | None:
    """Bytes that a device sends in a step for a cost; None if the cost model does not say so.

    The paper's model prices a word at `flop_per_word` FLOP: bytes = cost / flop_per_word *
    word_bytes.
    """
    model = cost_model(problem)
    if isinstance(model, PaperCostModel):
        return cost / model.flop_per_word * model.word_bytes
    return None


def amounts(problem: Problem) -> Amount:
    """Say costs of communication in bytes and all others in the cost model's unit."""
    unit = cost_model(problem).unit
    bytes_per_cost = communication_bytes(problem, 1.0)

    def amount(component: str, cost: float) -> str:
        if component == "compute" or bytes_per_cost is None:
            return with_prefix(cost, unit)
        return with_prefix(cost * bytes_per_cost, "B")

    return amount


def explain(
    layer: Layer,
    this: Configuration,
    against: Configuration,
    differences: Mapping[str, float],
    amount: Amount,
) -> str:
    """What a layer does differently and what that saves and costs; the layer's name goes before.

    Args:
        layer: the layer.
        this: its configuration.
        against: its configuration under the other strategy.
        differences: cost under `this` less cost under `against`, by component.
        amount: says a cost of a component as an amount.

    Example:
        `splits n 4 ways and c 8 ways instead of b 32 ways: saves 293 MB of weight gradients,
        costs 0.4 MB of partial sums`
    """
    told = balance(differences, amount)
    if this == against:
        here = _ways(layer, this)
        kept = f"splits {here} in both" if here else "is not split in either"
        cause = " and" if told == SAME else ", but a layer before it differs:"
        return f"{kept}{cause} {told}"
    return f"{_splits(layer, this, against)}: {told}"


def balance(differences: Mapping[str, float], amount: Amount) -> str:
    """What is saved and what is paid for it, the largest first.

    Args:
        differences: cost less the other cost, by component; negative where it saves.
        amount: says a cost of a component as an amount.
    """
    largest = max(map(abs, differences.values()), default=0.0)
    told = [
        (name, cost)
        for name, cost in sorted(differences.items(), key=lambda item: -abs(item[1]))
        if abs(cost) > NEGLIGIBLE * largest
    ]
    parts = []
    for verb, sign in (("saves", -1.0), ("costs", 1.0)):
        items = [f"{amount(n, abs(c))} of {COMPONENTS[n][0]}" for n, c in told if c * sign > 0]
        if items:
            parts.append(f"{verb} {_and(items)}")
    return ", ".join(parts) or SAME


def _splits(layer: Layer, this: Configuration, against: Configuration) -> str:
    here, there = _ways(layer, this), _ways(layer, against)
    if not here:
        return f"is not split instead of {there}"
    return f"splits {here} instead of {there or 'nothing'}"


def _ways(layer: Layer, configuration: Configuration) -> str:
    """The splits of a configuration in words; empty if there are none."""
    splits = zip(layer.dimension_names, configuration, strict=True)
    return _and([f"{name} {q} ways" for name, q in splits if q > 1])


def _and(items: list[str]) -> str:
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)
