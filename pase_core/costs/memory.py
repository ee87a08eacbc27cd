"""Bytes that a device holds at the height of a training step, as a cost model of its own.

    layer     parameters, gradients, optimizer's state   of the parameters that no earlier layer
              holds, cut as the layer cuts them; ZeRO shares them out over all devices that hold
              the same part (stage 1 the state, 2 gradients as well, 3 parameters as well)
              activations   what the layer writes, kept for the backward pass, and what it reads of
              the batch's data; nothing if the layer only renames what it reads, or is recomputed
    transfer  what a device fetched of a tensor stays until the backward pass has read it; nothing
              if an end of it is recomputed

All of it is there at once when the forward pass ends. Buffers that come and go within one layer
(of a collective, of a layer's gathered parameters) are not counted. Sources: Rajbhandari et al.,
ZeRO: memory optimizations toward training trillion parameter models, 2020; Korthikanti et al.,
2022.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pase_core.collectives import Array
from pase_core.components import MEMORY_COMPONENTS
from pase_core.configurations import Splits, tensor_cuts
from pase_core.costs.holdings import Holdings
from pase_core.costs.step import Precision, StepOptions
from pase_core.costs.surroundings import Passage, Surroundings
from pase_core.costs.transfer_seconds import transfer_words
from pase_core.layers import Access, Layer


@dataclass(frozen=True, slots=True)
class MemoryModel:
    """Counts the bytes that a device holds.

    Attributes:
        n_devices: p.
        precision: bytes per number.
        step: how a step is carried out.
    """

    n_devices: int
    precision: Precision
    step: StepOptions

    @property
    def sees_surroundings(self) -> bool:
        """A tensor that two layers read, or that comes from outside, is held once."""
        return True

    @property
    def components(self) -> tuple[str, ...]:
        """Names of the parts of a layer's bytes."""
        return MEMORY_COMPONENTS

    @property
    def unit(self) -> str:
        """Bytes."""
        return "B"

    def seconds(self, cost: float) -> float:
        """Bytes take no time."""
        return 0.0 * cost

    def layer_costs(self, layer: Layer, splits: Splits, around: Surroundings) -> Array:
        """Bytes by component, shape (len(MEMORY_COMPONENTS), n_configurations)."""
        held, zero, precision = (
            Holdings(layer, splits, around),
            self.step.zero_stage,
            self.precision,
        )
        owned = held.owned
        shared = held.owned_over(self.n_devices) if zero else owned
        rows = {
            "parameters": precision.weight * (shared if zero >= 3 else owned),
            "gradients": precision.gradient * (shared if zero >= 2 else owned),
            "optimizer": self.step.state_bytes(precision) * (shared if zero >= 1 else owned),
            "activations": precision.activation * (held.external + self._kept(layer, held, around)),
        }
        return np.stack([rows[component] for component in MEMORY_COMPONENTS])

    def _kept(self, layer: Layer, held: Holdings, around: Surroundings) -> Array:
        """Words written that are kept for the backward pass."""
        is_dropped = self.step.recompute and around.is_recomputable
        return held.outputs * (1.0 if layer.work and not is_dropped else 0.0)

    def transfer_features(
        self, layer: Layer, access: Access, splits: Splits, around: Surroundings
    ) -> NDArray[np.int64]:
        """Parts per axis of the tensor; see `ClusterCostModel.transfer_features`."""
        return tensor_cuts(layer, access, splits)

    def transfer_costs(
        self, sizes: Array, held: NDArray[np.int64], needed: NDArray[np.int64], passage: Passage
    ) -> Array:
        """Bytes of what is fetched and kept, shape (n_held, n_needed)."""
        if self.step.recompute and passage.is_recomputed:
            return np.zeros((len(held), len(needed)))
        forward, _backward = transfer_words(sizes, held, needed, self.n_devices)
        return self.precision.activation * forward
