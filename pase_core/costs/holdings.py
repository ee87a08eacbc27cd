"""Words of a layer's tensors that one device holds under each configuration."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from pase_core.collectives import Array
from pase_core.configurations import Splits
from pase_core.costs.surroundings import Sizes, Surroundings
from pase_core.layers import Access, Layer


class Holdings:
    """Parts of tensors per device, each of shape (n_configurations,), in words."""

    def __init__(self, layer: Layer, splits: Splits, around: Surroundings) -> None:
        """Take a layer, its configurations of shape (n_configurations, n_dimensions), and more."""
        self._layer = layer
        self._splits = splits
        self._around = around

    def _sum(self, tensors: Iterable[tuple[Access, Sizes]]) -> Array:
        total = np.zeros(len(self._splits))
        for access, sizes in tensors:
            total += math.prod(sizes) / self._parts(access)
        return total

    def _parts(self, access: Access) -> Array:
        """Parts that a tensor is cut into."""
        columns = self._layer.columns(access.dimensions)
        parts: Array = self._splits[:, columns].prod(axis=1).astype(np.float64)
        return parts

    @property
    def inputs(self) -> Array:
        """Tensors read."""
        return self._sum(zip(self._layer.inputs, self._around.input_sizes, strict=True))

    @property
    def outputs(self) -> Array:
        """Tensors written."""
        return self._sum(zip(self._layer.outputs, self._around.output_sizes, strict=True))

    @property
    def parameters(self) -> Array:
        """Parameters read."""
        return self._sum(zip(self._layer.parameters, self._around.parameter_sizes, strict=True))

    @property
    def external(self) -> Array:
        """Tensors read that no layer writes: the batch's data."""
        around = self._around
        read = zip(self._layer.inputs, around.input_sizes, around.is_external, strict=True)
        return self._sum((access, sizes) for access, sizes, is_external in read if is_external)

    def _owned(self) -> list[tuple[Access, Sizes]]:
        around = self._around
        read = zip(self._layer.parameters, around.parameter_sizes, around.is_owned, strict=True)
        return [(access, sizes) for access, sizes, is_owned in read if is_owned]

    @property
    def owned(self) -> Array:
        """Parameters that no earlier layer holds: they are kept, and updated, here."""
        return self._sum(self._owned())

    def owned_over(self, n_devices: int) -> Array:
        """The same, shared out over all devices that hold the same part of a parameter."""
        total = np.zeros(len(self._splits))
        for access, sizes in self._owned():
            parts = self._parts(access)
            total += math.prod(sizes) / parts / np.floor(n_devices / parts)
        return total
