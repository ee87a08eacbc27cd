"""What a tensor between two layers takes, forward and backward: words, and seconds of `cluster`.

    forward   words that the consumer needs less those that its devices hold from the producer
    backward  words of the gradient that the producer needs less those that the consumer left

    words = n / parts needed - n * (share of the tensor that is held of what is needed)

The devices that exchange are those that tell apart parts which the receiver has whole: per axis
a / gcd(a, b) of the sender's a parts. The batch's lie as far outside as it does, others inside as
far as they fit.

Where an all-reduce is taken apart, an end that has reduced the tensor over q devices has paid for
the reduce-scatter only. The other end needs s parts of each part: gcd(q, s) of the q pieces need
not be gathered; the rest of the all-gather is paid here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pase_core.collectives import Array, missing_words
from pase_core.costs.links import Group
from pase_core.costs.surroundings import Passage
from pase_core.divisors import Integers
from pase_core.mesh import Mesh
from pase_core.overlap import overlap_shares

if TYPE_CHECKING:
    from pase_core.costs.cluster_model import ClusterCostModel


def transfer_words(
    sizes: Array, held: Integers, needed: Integers, n_devices: int
) -> tuple[Array, Array]:
    """Words that a device receives of a tensor, and of its gradient, on average over the devices.

    Args:
        sizes: of the tensor, shape (n_axes,).
        held: parts per axis that the producer leaves, shape (n_held, n_axes).
        needed: parts per axis that the consumer reads, shape (n_needed, n_axes).
        n_devices: p.

    Returns:
        Forward and backward, each of shape (n_held, n_needed).

    Example:
        >>> import numpy as np
        >>> cut, whole = np.array([[4, 1]]), np.array([[1, 1]])
        >>> forward, backward = transfer_words(np.array([8.0, 2.0]), cut, whole, 4)
        >>> float(forward[0, 0]), float(backward[0, 0])
        (12.0, 0.0)
    """
    overlap = overlap_shares(held, needed, n_devices)
    forward = missing_words((1.0 / needed.prod(axis=1))[None, :], overlap)
    backward = missing_words((1.0 / held.prod(axis=1))[:, None], overlap)
    n_words = sizes.prod()
    return n_words * forward, n_words * backward


def transfer_seconds(
    model: ClusterCostModel, sizes: Array, held: Integers, needed: Integers, passage: Passage
) -> Array:
    """Seconds of both directions; see `ClusterCostModel.transfer_costs` for the arguments."""
    n_axes, width = len(sizes), model.precision.activation
    cuts = held[:, :n_axes], needed[:, :n_axes]
    forward, backward = transfer_words(sizes, *cuts, model.mesh.n_devices)
    seconds = model.links.fetch(width * forward, exchanging(model.mesh, held, needed, n_axes))
    if model.step.recompute and passage.is_recomputed:
        seconds = 2.0 * seconds
    if passage.has_gradient:
        group = exchanging(model.mesh, needed, held, n_axes)
        seconds = seconds + model.links.fetch(width * backward.T, group).T
    n_bytes = width * float(sizes.prod())
    if model.step.reduce == "reduce_scatter_all" and passage.has_one_reader:
        seconds = seconds + _rest_of_gather(model, n_bytes, held, needed, n_axes)
    if model.step.reduce != "all_reduce" and passage.has_gradient:
        seconds = seconds + _rest_of_gather(model, n_bytes, needed, held, n_axes).T
    return seconds


def exchanging(mesh: Mesh, sender: Integers, receiver: Integers, n_axes: int) -> Group:
    """The devices that exchange a tensor, shape (n_senders, n_receivers).

    Args:
        mesh: the devices.
        sender: features of the sender's configurations; see `ClusterCostModel.transfer_features`.
        receiver: the receiver's.
        n_axes: of the tensor.
    """
    sent, received = sender.astype(np.float64), receiver.astype(np.float64)
    total = np.ones((len(sender), len(receiver)))
    for axis in range(n_axes):
        ours, theirs = sent[:, axis, None], received[None, :, axis]
        total *= ours / mesh.common(ours, theirs)
    ours, theirs = sent[:, n_axes, None], received[None, :, n_axes]
    common = mesh.common(ours, theirs)
    batch = mesh.common(ours / common, total)
    near = mesh.inside_batch(common * batch) / mesh.inside_batch(common)
    near *= mesh.inside_others(total / batch)
    return Group(near, total / near)


def _rest_of_gather(
    model: ClusterCostModel, n_bytes: float, reduced: Integers, reader: Integers, n_axes: int
) -> Array:
    """Seconds of gathering what a reader needs beyond its piece of a reduce-scattered tensor."""
    mesh, cuts, wanted = model.mesh, reduced.astype(np.float64), reader.astype(np.float64)
    sliced = np.ones((len(reduced), len(reader)))
    for axis in range(n_axes):
        ours, theirs = cuts[:, axis, None], wanted[None, :, axis]
        sliced *= theirs / mesh.common(ours, theirs)
    near, far = cuts[:, n_axes + 1, None], cuts[:, n_axes + 2, None]
    n_pieces = near * far
    kept = mesh.common(sliced, n_pieces)
    tile = (n_bytes / reduced[:, :n_axes].prod(axis=1))[:, None]
    whole = model.links.gather(tile, Group(near, far))
    share = (1.0 / kept - 1.0 / n_pieces) / np.maximum(1.0 - 1.0 / n_pieces, 1e-300)
    seconds: Array = np.where(n_pieces > 1.0, whole * share, 0.0)
    return seconds
