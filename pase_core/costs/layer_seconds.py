"""Seconds that a layer takes under each of its configurations, in the model `cluster`.

    compute  passes * max(FLOP of a pass / peak, bytes of a pass / memory bandwidth), both figures
             times the achievable fraction. Forward is one pass, backward two, shared out evenly
             over the layer's operands (its inputs, and its parameters as one): an operand without
             gradient takes none. A pass reads or writes every tensor of the layer once.
             (Roofline: Williams, Waterman and Patterson, 2009.)
    update   the optimizer reads gradients and rewrites parameters and state, at memory bandwidth

and what it sends: `pase_core.costs.layer_messages`. What only the paper's prototype counts is left
out. Recomputation adds a forward pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pase_core.collectives import Array, LocalSizes
from pase_core.components import COMPUTE, LAYER_COMPONENTS
from pase_core.configurations import Splits
from pase_core.costs.holdings import Holdings
from pase_core.costs.layer_messages import LayerMessages, place
from pase_core.costs.surroundings import Surroundings
from pase_core.layers import Layer

if TYPE_CHECKING:
    from pase_core.costs.cluster_model import ClusterCostModel

PASSES = 3.0
"""Of a layer whose operands all have gradients: one forward, and twice its work backward."""


def layer_seconds(
    model: ClusterCostModel, layer: Layer, splits: Splits, around: Surroundings
) -> Array:
    """Seconds by component, shape (len(LAYER_COMPONENTS), n_configurations)."""
    inside = place(model, layer, splits, around)
    rows = LayerMessages(model, layer, splits, around).seconds(inside)
    forward = forward_seconds(model, layer, splits, around)
    backward = n_backward_passes(layer, around) * forward
    again = 1.0 if model.step.recompute and around.is_recomputable else 0.0
    rows[COMPUTE] = (1.0 + again) * forward + backward
    rows[COMPUTE] = rows[COMPUTE] + update_seconds(model, layer, splits, around)
    if model.step.overlap:
        rows["parameter_gradient"] = np.maximum(rows["parameter_gradient"] - backward, 0.0)
    return np.stack([rows[component] for component in LAYER_COMPONENTS])


def n_backward_passes(layer: Layer, around: Surroundings) -> float:
    """Backward passes: two, less the share of the operands whose gradient is not asked for."""
    has_parameters = bool(layer.parameters)
    n_operands = len(layer.inputs) + has_parameters
    n_gradients = sum(around.has_gradient) + has_parameters
    return (PASSES - 1.0) * n_gradients / n_operands if n_operands else 0.0


def forward_seconds(
    model: ClusterCostModel, layer: Layer, splits: Splits, around: Surroundings
) -> Array:
    """Seconds of one pass; layers without work only rename what they read."""
    flop = flop_of_passes(layer, splits, model.flop_per_multiply_add)
    held = Holdings(layer, splits, around)
    moved = model.precision.activation * (held.inputs + held.outputs)
    moved = moved + model.precision.weight * held.parameters
    if not layer.work:
        return np.zeros(len(splits))
    return np.maximum(flop / PASSES / model.flop_per_second, moved / model.memory_bytes_per_second)


def flop_of_passes(layer: Layer, splits: Splits, flop_per_multiply_add: float) -> Array:
    """FLOP of all passes, if every operand has a gradient."""
    local = LocalSizes(layer, splits)
    flop = np.zeros(len(splits))
    for work in layer.work:
        price = flop_per_multiply_add if work.unit == "multiply_add" else 1.0
        if not work.prototype:
            flop = flop + price * work.count * local.points(work.over)
    return flop


def update_seconds(
    model: ClusterCostModel, layer: Layer, splits: Splits, around: Surroundings
) -> Array:
    """Seconds of the optimizer's update."""
    held = Holdings(layer, splits, around)
    words = held.owned_over(model.mesh.n_devices) if model.step.zero_stage else held.owned
    seconds: Array = words * model.step.update_bytes(model.precision)
    return seconds / model.memory_bytes_per_second
