"""Words that one device sends for each kind of communication; one formula per kind.

Words, not seconds: how fast they travel is the cost model's business. Arguments are float arrays
over configurations and are broadcast.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pase_core.layers import Layer, Reduction
from pase_core.messages import AllReduce, Exchange, Halo, Message, Relayout

Array = NDArray[np.float64]


def all_reduce_words(words: Array, n_devices: Array) -> Array:
    """Ring all-reduce of `words` words over q devices: `2 words (q - 1) / q`.

    Patarasuk and Yuan, Bandwidth optimal all-reduce algorithms, 2009.
    """
    return 2.0 * words * (n_devices - 1.0) / n_devices


def missing_words(needed: Array, overlap: Array) -> Array:
    """Words of the tile needed that are not in the overlap with the tile held; never negative."""
    return np.maximum(0.0, needed - overlap)


class LocalSizes:
    """Splits and local sizes of a layer's configurations, with products over named dimensions."""

    def __init__(self, layer: Layer, splits: NDArray[np.int64]) -> None:
        """Take a layer and its configurations, shape (n_configurations, n_dimensions)."""
        self._layer = layer
        self._splits = splits.astype(np.float64)
        self._local = np.array(layer.sizes, dtype=np.float64) / self._splits

    def points(self, names: tuple[str, ...]) -> Array:
        """Product of the local sizes of the named dimensions, shape (n_configurations,)."""
        product: Array = self._local[:, self._layer.columns(names)].prod(axis=1)
        return product

    def parts(self, names: tuple[str, ...]) -> Array:
        """Product of the splits of the named dimensions, shape (n_configurations,)."""
        product: Array = self._splits[:, self._layer.columns(names)].prod(axis=1)
        return product

    def whole_points(self, names: tuple[str, ...]) -> float:
        """Product of the whole sizes of the named dimensions."""
        return float(np.prod([self._layer.sizes[i] for i in self._layer.columns(names)]))

    def smaller_points(self, first: tuple[str, ...], second: tuple[str, ...]) -> Array:
        """Product of the smaller local size, pair by pair of the named dimensions."""
        a, b = self._layer.columns(first), self._layer.columns(second)
        product: Array = np.minimum(self._local[:, a], self._local[:, b]).prod(axis=1)
        return product


def reduction_words(reduction: Reduction | AllReduce, local: LocalSizes) -> Array:
    """All-reduce of a tile over the splits of the dimensions `over`."""
    tile = reduction.scale * local.points(reduction.tile)
    return all_reduce_words(tile, local.parts(reduction.over))


def _exchange_words(message: Exchange, local: LocalSizes) -> Array:
    """The whole tile where any of the dimensions is split, else nothing."""
    is_split = local.parts(message.over) > 1
    return np.where(is_split, message.scale * local.points(message.tile), 0.0)


def _halo_words(message: Halo, local: LocalSizes) -> Array:
    """Tile times the border that a window adds along the dimensions that are split."""
    inner = outer = np.ones(1)
    for window in message.windows:
        parts = local.parts((window.dimension,))
        extent = window.extent / parts
        inner = inner * extent
        outer = outer * (extent + np.where(parts > 1, window.width, 0))
    return local.points(message.tile) * (outer - inner)


def _relayout_words(message: Relayout, local: LocalSizes) -> Array:
    """Missing part of the needed tile; all of it if it lies on more devices than the held one."""
    overlap = local.smaller_points(message.held, message.needed)
    overlap = np.where(local.parts(message.needed) > local.parts(message.held), 0.0, overlap)
    missing = missing_words(local.points(message.needed), overlap)
    return local.whole_points(message.times) * missing


def state_words(message: Relayout, local: LocalSizes) -> Array:
    """What the steps of a recurrence lack of the state before them, counted over devices.

    Parts of different dimensions lie on different axes of the mesh, so of a part that is needed
    along one of them a device holds, on average, the share that its part along the other is.
    """
    overlap = np.ones(1)
    for held, needed in zip(message.held, message.needed, strict=True):
        share = 1.0 if held == needed else 1.0 / local.parts((held,))
        overlap = overlap * local.points((needed,)) * share
    missing = missing_words(local.points(message.needed), overlap)
    return local.points(message.times) * missing


def message_words(message: Message, local: LocalSizes) -> Array:
    """Words that one device sends for a message, shape (n_configurations,)."""
    match message:
        case AllReduce():
            return reduction_words(message, local)
        case Exchange():
            return _exchange_words(message, local)
        case Halo():
            return _halo_words(message, local)
        case Relayout():
            return _relayout_words(message, local)
