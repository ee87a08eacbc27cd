"""What two cuts of a tensor have in common on a mesh of prime factors.

Along an axis of n elements cut a ways by one layer and b ways by the other, both take the mesh
axes of gcd(a, b) first, and the same ones: within such a part the a / gcd and b / gcd pieces are
told apart by different mesh axes, so each piece of one meets each of the other equally often, and
a device holds on average n / lcm(a, b) of what it needs. With powers of two one of the quotients
is 1: the pieces nest, and every device holds n / max(a, b).

Where two or more axes of a tensor do not nest, as with 2 x 3 parts against 3 x 2 on 12 devices,
the pieces may be told apart by the same mesh axis, and the average of the product is no longer
the product of the averages. Then it is counted over the devices: the second layer takes mesh axes
that the first left free for this tensor as long as there are any, and then the first's, both in
the order of the tensor's axes.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import product

import numpy as np

from pase_core.collectives import Array
from pase_core.divisors import Integers, prime_factors


def overlap_shares(held: Integers, needed: Integers, n_devices: int) -> Array:
    """Share of a tensor that a device holds of what it needs, on average over the devices.

    Args:
        held: parts per axis, shape (n_held, n_axes); on a mesh their product divides p.
        needed: parts per axis, shape (n_needed, n_axes); the same.
        n_devices: p.

    Returns:
        Shape (n_held, n_needed).
    """
    parts = np.ones((len(held), len(needed)))
    n_loose = np.zeros(parts.shape, dtype=np.int64)
    all_nest = _are_powers_of_two(held) and _are_powers_of_two(needed)
    for axis in range(held.shape[1]):
        ours, theirs = held[:, axis, None], needed[None, :, axis]
        common = np.minimum(ours, theirs) if all_nest else np.gcd(ours, theirs)
        parts *= ours * (theirs / common)
        if not all_nest:
            n_loose += (common < ours) & (common < theirs)
    shares: Array = 1.0 / parts
    for row, column in zip(*np.nonzero(n_loose > 1), strict=True):
        cuts = tuple(held[row].tolist()), tuple(needed[column].tolist())
        if any(n_devices % math.prod(cut) for cut in cuts):
            continue  # no mesh has these parts: taken as independent
        shares[row, column] = _counted_share(*cuts, n_devices)
    return shares


def _are_powers_of_two(numbers: Integers) -> bool:
    """Whether every number, all above 0, is one: then the greatest common divisor is the least."""
    return not np.any(numbers & (numbers - 1))


@lru_cache(maxsize=65536)
def _counted_share(held: tuple[int, ...], needed: tuple[int, ...], n_devices: int) -> float:
    """Share counted over the mesh, where two or more axes do not nest."""
    common = [math.gcd(a, b) for a, b in zip(held, needed, strict=True)]
    first = [a // g for a, g in zip(held, common, strict=True)]
    second = [b // g for b, g in zip(needed, common, strict=True)]
    loose = [i for i, (a, b) in enumerate(zip(first, second, strict=True)) if a > 1 and b > 1]
    nested = math.prod(
        1.0 / (g * a * b)
        for i, (g, a, b) in enumerate(zip(common, first, second, strict=True))
        if i not in loose
    )
    shared = math.prod(common[i] for i in loose)
    axes_first, axes_second = mesh_axes(first, second, loose, n_devices // math.prod(common))
    names = sorted({axis for axes in (*axes_first, *axes_second) for axis in axes})
    total = 0.0
    for digits in product(*(range(prime) for prime, _copy in names)):
        at = dict(zip(names, digits, strict=True))
        total += math.prod(
            _common_length(_piece(ours, at), _piece(theirs, at))
            for ours, theirs in zip(axes_first, axes_second, strict=True)
        )
    return nested / shared * total / math.prod(prime for prime, _copy in names)


Axis = tuple[int, int]
"""A mesh axis: the prime factor, and which of its copies."""


def mesh_axes(
    first: list[int], second: list[int], loose: list[int], n_left: int
) -> tuple[list[list[Axis]], list[list[Axis]]]:
    """Mesh axes that tell apart the pieces of both cuts along the axes that do not nest.

    Args:
        first: pieces per axis of the one cut, beyond what both have in common.
        second: the same of the other.
        loose: axes of the tensor that do not nest.
        n_left: devices per part that both cuts have in common.
    """
    copies = {prime: prime_factors(n_left).count(prime) for prime in set(prime_factors(n_left))}
    taken: dict[int, int] = dict.fromkeys(copies, 0)
    axes_first = []
    for i in loose:
        primes = prime_factors(first[i])
        axes_first.append([(q, _next(taken, q)) for q in primes])
    waiting = {q: [*range(taken[q], n), *range(taken[q])] for q, n in copies.items()}
    axes_second = [[(q, waiting[q].pop(0)) for q in prime_factors(second[i])] for i in loose]
    return axes_first, axes_second


def _next(taken: dict[int, int], prime: int) -> int:
    """The next copy of a prime factor."""
    taken[prime] += 1
    return taken[prime] - 1


def _piece(axes: list[Axis], at: dict[Axis, int]) -> tuple[float, float]:
    """Start and stop of a device's piece, as shares of the whole."""
    index, n_pieces = 0, 1
    for axis in axes:
        index = index * axis[0] + at[axis]
        n_pieces *= axis[0]
    return index / n_pieces, (index + 1) / n_pieces


def _common_length(ours: tuple[float, float], theirs: tuple[float, float]) -> float:
    return max(0.0, min(ours[1], theirs[1]) - max(ours[0], theirs[0]))
