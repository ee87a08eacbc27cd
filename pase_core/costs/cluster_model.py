"""The cost model `cluster`: seconds of a training step on nodes of devices.

    layer     compute + update + all-reduces of the output, of the gradients of inputs and of
              parameters + messages                              (`pase_core.costs.layer_seconds`)
    transfer  forward   what the consumer needs less what the producer left there
              backward  what the producer needs of the gradient less what the consumer left there
                                                              (`pase_core.costs.transfer_seconds`)

Collectives: `pase_core.costs.links`; overlaps: `pase_core.overlap`; which devices are neighbours:
`pase_core.mesh`. Layers and transfers follow each other: nothing overlaps but, if asked for, the
reduction of a layer's weight gradients with its backward compute. Configurations are those whose
product divides the number of devices; devices beyond it repeat the work of others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pase_core.axes import BATCH
from pase_core.collectives import Array
from pase_core.components import LAYER_COMPONENTS
from pase_core.configurations import Splits, tensor_cuts
from pase_core.costs.layer_messages import place
from pase_core.costs.layer_seconds import layer_seconds
from pase_core.costs.links import Links
from pase_core.costs.step import Precision, StepOptions
from pase_core.costs.surroundings import Passage, Surroundings
from pase_core.costs.transfer_seconds import transfer_seconds
from pase_core.layers import Access, Layer
from pase_core.mesh import Mesh


@dataclass(frozen=True, slots=True)
class ClusterCostModel:
    """Prices layers and transfers in seconds per step.

    Attributes:
        mesh: the devices.
        links: inside a node and between nodes.
        flop_per_second: what a device achieves.
        memory_bytes_per_second: what a device achieves.
        precision: bytes per number.
        step: how a step is carried out.
        flop_per_multiply_add: 2, or 1 as in the paper's prototype.
    """

    mesh: Mesh
    links: Links
    flop_per_second: float
    memory_bytes_per_second: float
    precision: Precision
    step: StepOptions
    flop_per_multiply_add: float = 2.0

    @property
    def sees_surroundings(self) -> bool:
        """Gradients run, and parameters are held, only where the network asks for them."""
        return True

    @property
    def components(self) -> tuple[str, ...]:
        """Names of the parts of a layer's costs."""
        return LAYER_COMPONENTS

    @property
    def unit(self) -> str:
        """Seconds."""
        return "s"

    def seconds(self, cost: float) -> float:
        """A cost is a time."""
        return cost

    def layer_costs(self, layer: Layer, splits: Splits, around: Surroundings) -> Array:
        """Costs of a layer by component.

        Args:
            layer: the layer.
            splits: its configurations, shape (n_configurations, n_dimensions).
            around: the tensors around it.

        Returns:
            Seconds, shape (len(LAYER_COMPONENTS), n_configurations).
        """
        return layer_seconds(self, layer, splits, around)

    def inside(self, layer: Layer, splits: Splits, around: Surroundings) -> Splits:
        """The placement: of how many parts of each dimension a node holds different ones.

        Returns:
            Divisors of `splits`, of the same shape.
        """
        return place(self, layer, splits, around)

    def transfer_features(
        self, layer: Layer, access: Access, splits: Splits, around: Surroundings
    ) -> NDArray[np.int64]:
        """What of a configuration decides the cost of a transfer at one of its ends.

        Columns: parts per axis of the tensor; parts of the batch among them; and, if reductions
        are taken apart, the devices in and beyond a node over which this end reduces the tensor or
        its gradient.
        """
        batch = near = far = np.ones(len(splits), dtype=np.int64)
        if BATCH in access.dimensions:
            batch = splits[:, layer.dimension_names.index(BATCH)]
        if self.step.takes_apart(access, is_output=access in layer.outputs):
            columns = layer.columns(layer.implied_reduction(access).over)
            near = self.inside(layer, splits, around)[:, columns].prod(axis=1)
            far = splits[:, columns].prod(axis=1) // near
        cuts = tensor_cuts(layer, access, splits)
        return np.concatenate([cuts, np.stack([batch, near, far], axis=1)], axis=1)

    def transfer_costs(
        self,
        sizes: Array,
        held: NDArray[np.int64],
        needed: NDArray[np.int64],
        passage: Passage,
    ) -> Array:
        """Seconds of bringing a tensor and its gradient from each cut to each cut.

        Args:
            sizes: of the tensor, shape (n_axes,).
            held: features of the producer's configurations, shape (n_held, n_axes + 3).
            needed: of the consumer's, shape (n_needed, n_axes + 3).
            passage: what else there is to know.

        Returns:
            Shape (n_held, n_needed).
        """
        return transfer_seconds(self, sizes, held, needed, passage)
