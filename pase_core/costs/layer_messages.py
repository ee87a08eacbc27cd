"""What a layer sends under each of its configurations, in seconds of the model `cluster`.

    output, gradients of inputs  all-reduce of the tile over the devices that split a dimension
                                 which the tensor lacks; an input without gradient takes none
    gradients of parameters      the same; with ZeRO reduce-scatter, and all-gather of the
                                 parameters over all devices that hold the same, twice in stage 3
    messages                     as listed with the layer

Where an all-reduce is taken apart (`StepOptions.reduce`) the layer pays its first half; the rest
is the transfer's. Outputs only if one layer reads them. Recomputation repeats the reduction of
outputs, and half of the messages.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pase_core.axes import BATCH
from pase_core.collectives import Array, LocalSizes, message_words, state_words
from pase_core.components import COMPUTE, LAYER_COMPONENTS
from pase_core.configurations import Splits
from pase_core.costs.links import Group
from pase_core.costs.surroundings import Sizes, Surroundings
from pase_core.layers import Access, Layer
from pase_core.messages import AllReduce, Message, Relayout

if TYPE_CHECKING:
    from pase_core.costs.cluster_model import ClusterCostModel

_CLEARLY = 1.0 - 1e-9
"""Another dimension lies innermost only if that is faster by more than rounding."""


class LayerMessages:
    """What one layer sends, for all its configurations and any placement."""

    def __init__(
        self, model: ClusterCostModel, layer: Layer, splits: Splits, around: Surroundings
    ) -> None:
        """Take a layer and its configurations, shape (n_configurations, n_dimensions)."""
        self._model = model
        self._layer = layer
        self._splits = splits
        self._around = around
        self._local = LocalSizes(layer, splits)

    def seconds(self, inside: Splits) -> dict[str, Array]:
        """Seconds by component, each of shape (n_configurations,), of a placement."""
        sent = {name: np.zeros(len(self._splits)) for name in LAYER_COMPONENTS if name != COMPUTE}
        again = 1.0 if self._model.step.recompute and self._around.is_recomputable else 0.0
        around, step = self._around, self._model.step
        outputs = zip(self._layer.outputs, around.output_sizes, around.has_one_reader, strict=True)
        for access, sizes, is_single in outputs:
            is_halved = is_single and step.takes_apart(access, is_output=True)
            sent["output"] += (1.0 + again) * self._tensor(access, sizes, inside, is_halved)
        inputs = zip(self._layer.inputs, around.input_sizes, around.has_gradient, strict=True)
        for access, sizes, has_gradient in inputs:
            if has_gradient:
                is_halved = step.takes_apart(access, is_output=False)
                sent["input_gradient"] += self._tensor(access, sizes, inside, is_halved)
        for access, sizes in zip(self._layer.parameters, around.parameter_sizes, strict=True):
            sent["parameter_gradient"] += self._parameter(access, sizes, inside)
        for message in self._layer.messages:
            sent[message.component] += (1.0 + 0.5 * again) * self._message(message, inside)
        return sent

    def total(self, inside: Splits) -> Array:
        """Seconds of everything, shape (n_configurations,)."""
        total: Array = np.sum(list(self.seconds(inside).values()), axis=0)
        return total

    def _group(self, over: tuple[str, ...], inside: Splits) -> Group:
        """The devices that differ in the splits of some dimensions."""
        columns = self._layer.columns(over)
        near = inside[:, columns].prod(axis=1).astype(np.float64)
        return Group(near, self._splits[:, columns].prod(axis=1) / near)

    def _reduced(self, access: Access, sizes: Sizes) -> tuple[Array, tuple[str, ...]]:
        """Words of a device's partial sums of a tensor, and the dimensions it is summed over."""
        given = access.real_reduction
        if given is not None:
            return given.scale * self._local.points(given.tile), given.over
        over = self._layer.implied_reduction(access).over
        return math.prod(sizes) / self._local.parts(access.dimensions), over

    def _tensor(self, access: Access, sizes: Sizes, inside: Splits, is_halved: bool) -> Array:
        """Reduction of an output or of the gradient of an input, or its first half."""
        links = self._model.links
        words, over = self._reduced(access, sizes)
        collective = links.gather if is_halved else links.all_reduce
        return collective(self._model.precision.activation * words, self._group(over, inside))

    def _parameter(self, access: Access, sizes: Sizes, inside: Splits) -> Array:
        """Reduction of a parameter's gradient; with ZeRO also the gathering of the parameter."""
        model = self._model
        words, over = self._reduced(access, sizes)
        n_bytes, group = model.precision.gradient * words, self._group(over, inside)
        if model.step.zero_stage == 0:
            return model.links.all_reduce(n_bytes, group)
        columns = self._layer.columns(access.dimensions)
        near = model.mesh.n_inside / inside[:, columns].prod(axis=1)
        holders = model.mesh.n_devices / self._splits[:, columns].prod(axis=1)
        held = model.precision.weight * math.prod(sizes) / self._local.parts(access.dimensions)
        gathered = model.links.gather(held, Group(near, holders / near))
        n_gathers = 2.0 if model.step.zero_stage == 3 else 1.0
        return model.links.gather(n_bytes, group) + n_gathers * gathered

    def _message(self, message: Message, inside: Splits) -> Array:
        """A message inside the layer."""
        group, links = self._group(message.over, inside), self._model.links
        width = self._model.precision.activation
        if isinstance(message, AllReduce):
            if message.prototype:
                return np.zeros(len(self._splits))
            words = message.scale * self._local.points(message.tile)
            return links.all_reduce(width * words, group)
        if isinstance(message, Relayout):
            return links.fetch(width * state_words(message, self._local), group)
        return links.fetch(width * message_words(message, self._local), group)


def place(model: ClusterCostModel, layer: Layer, splits: Splits, around: Surroundings) -> Splits:
    """Of how many parts of each dimension a node holds different ones: the placement.

    The dimension that lies innermost is the one that makes the layer's own messages cheapest; the
    last one of those that are equally good.

    Returns:
        Divisors of `splits`, of the same shape.
    """
    best = model.mesh.inside_parts(layer, splits)
    others = [i for i, d in enumerate(layer.dimensions) if d.name != BATCH]
    together = splits[:, others].prod(axis=1)
    matters = np.flatnonzero(model.mesh.inside_others(together) < together)
    if len(matters) == 0:
        return best
    messages = LayerMessages(model, layer, splits[matters], around)
    least = messages.total(best[matters])
    for column in others[-2::-1]:
        inside = model.mesh.inside_parts(layer, splits[matters], column)
        seconds = messages.total(inside)
        is_better = seconds < least * _CLEARLY
        best[matters[is_better]] = inside[is_better]
        least = np.where(is_better, seconds, least)
    return best
