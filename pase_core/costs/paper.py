"""The cost model of the paper's published prototype, in FLOP.

With local sizes `x' = x / p_x`, `W = F * word_bytes / B` FLOP per word (F peak FLOP/s of a device,
B bytes/s of its link) and `AR(w, q) = 2 w (q - 1) / q` words of a ring all-reduce:

    layer     sum of work + W * words of its all-reduces and messages
    transfer  W * 2 * max(0, need - overlap)
              need    = prod(t / cut_consumer)
              overlap = prod(min(t / cut_producer, t / cut_consumer)), or 0 where the consumer
                        cuts the tensor into more parts than the producer

Source: V. Elango, PaSE: Parallelization Strategies for Efficient DNN Training, IPDPS 2021
(arXiv 2407.04001), and the prototype published with it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pase_core.collectives import (
    Array,
    LocalSizes,
    message_words,
    missing_words,
    reduction_words,
)
from pase_core.components import LAYER_COMPONENTS
from pase_core.configurations import Splits, tensor_cuts
from pase_core.costs.surroundings import Passage, Surroundings
from pase_core.errors import OptionError
from pase_core.layers import Access, Layer


@dataclass(frozen=True, slots=True)
class PaperCostModel:
    """Prices layers and transfers in FLOP per device and step.

    Attributes:
        flop_per_second: peak of one device, F.
        bytes_per_second: of one link, B.
        word_bytes: bytes of a word (the prototype: 8).
        flop_per_multiply_add: 2, or 1 as in the prototype.
    """

    flop_per_second: float
    bytes_per_second: float
    word_bytes: float = 4.0
    flop_per_multiply_add: float = 2.0

    unit = "FLOP"
    components = LAYER_COMPONENTS
    sees_surroundings = False

    def __post_init__(self) -> None:
        """Check that every figure is positive, and that no cost can exceed float64's range."""
        for name in (
            "flop_per_second",
            "bytes_per_second",
            "word_bytes",
            "flop_per_multiply_add",
        ):
            value = getattr(self, name)
            if not (isinstance(value, (int, float)) and 1e-30 <= value <= 1e30):
                raise OptionError(
                    f"{name.replace('_', ' ')} is {value!r}; it must be positive, 1e-30 to 1e30"
                )

    @property
    def flop_per_word(self) -> float:
        """W: FLOP that a device does while one word crosses a link."""
        return self.flop_per_second * self.word_bytes / self.bytes_per_second

    def seconds(self, flop: float) -> float:
        """Time of a number of FLOP at peak speed."""
        return flop / self.flop_per_second

    def layer_costs(
        self, layer: Layer, splits: Splits, around: Surroundings | None = None
    ) -> Array:
        """Costs of a layer by component.

        Args:
            layer: the layer.
            splits: its configurations, shape (n_configurations, n_dimensions).
            around: plays no part.

        Returns:
            FLOP, shape (len(LAYER_COMPONENTS), n_configurations).
        """
        local = LocalSizes(layer, splits)
        costs = dict.fromkeys(LAYER_COMPONENTS, np.zeros(len(splits)))
        for work in layer.work:
            price = self.flop_per_multiply_add if work.unit == "multiply_add" else 1.0
            costs["compute"] = costs["compute"] + price * work.count * local.points(work.over)
        for component, accesses in (
            ("output", layer.outputs),
            ("input_gradient", layer.inputs),
            ("parameter_gradient", layer.parameters),
        ):
            for access in accesses:
                words = reduction_words(layer.reduction(access), local)
                costs[component] = costs[component] + self.flop_per_word * words
        for message in layer.messages:
            words = message_words(message, local)
            costs[message.component] = costs[message.component] + self.flop_per_word * words
        return np.stack([costs[component] for component in LAYER_COMPONENTS])

    def transfer_features(
        self, layer: Layer, access: Access, splits: Splits, around: Surroundings
    ) -> Splits:
        """Parts per axis of the tensor, shape (n_configurations, n_axes)."""
        return tensor_cuts(layer, access, splits)

    def transfer_costs(
        self,
        sizes: Array,
        cut_producer: NDArray[np.number],
        cut_consumer: NDArray[np.number],
        passage: Passage | None = None,
    ) -> Array:
        """Cost of bringing a tensor from each of the producer's to each of the consumer's cuts.

        Args:
            sizes: of the tensor, shape (n_axes,).
            cut_producer: parts per axis, shape (n_producer, n_axes).
            cut_consumer: parts per axis, shape (n_consumer, n_axes).
            passage: plays no part; forward and backward count the same.

        Returns:
            FLOP, shape (n_producer, n_consumer).
        """
        held, needed = sizes / cut_producer, sizes / cut_consumer
        overlap = np.ones((len(held), len(needed)))
        for axis in range(len(sizes)):
            overlap *= np.minimum.outer(held[:, axis], needed[:, axis])
        overlap[np.less.outer(cut_producer.prod(axis=1), cut_consumer.prod(axis=1))] = 0.0
        return 2.0 * self.flop_per_word * missing_words(needed.prod(axis=1)[None, :], overlap)
