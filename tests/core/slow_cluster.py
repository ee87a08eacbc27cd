"""The cost model `cluster` once more: device by device, with the elements that each one has.

The slow twin of `pase_core.overlap`, and of the words in `pase_core.costs.transfer_seconds` and
`pase_core.costs.layer_messages`. Devices are the points of a mesh whose axes are the prime factors
of p; along every axis of a tensor a device has a set of elements, and what it lacks is counted.
Sizes and splits are dictionaries from dimension to number.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

Numbers = Mapping[str, int]
MeshAxis = tuple[int, int]
Elements = frozenset[int]
Device = Mapping[MeshAxis, int]
Block = Mapping[str, Elements]


# The mesh


def prime_factors(number: int) -> list[int]:
    primes = [n for n in range(2, number + 1) if all(n % k for k in range(2, n))]
    return [q for q in primes for k in range(1, 20) if number % q**k == 0]


def mesh(p: int) -> list[MeshAxis]:
    """Every prime factor of p, and which of its copies."""
    factors = prime_factors(p)
    return [(q, factors[:i].count(q)) for i, q in enumerate(factors)]


def devices(p: int) -> list[Device]:
    axes = mesh(p)
    points = itertools.product(*(range(prime) for prime, _copy in axes))
    return [dict(zip(axes, point, strict=True)) for point in points]


def take(free: list[MeshAxis], parts: int) -> list[MeshAxis]:
    """Take mesh axes whose product is the number of parts out of those that are free."""
    taken = []
    for prime in prime_factors(parts):
        axis = next(axis for axis in free if axis[0] == prime)
        free.remove(axis)
        taken.append(axis)
    return taken


def elements(size: int, axes: Iterable[MeshAxis], device: Device) -> Elements:
    """What a device has of an axis that is told apart by mesh axes, the outermost first."""
    own, length = range(size), size
    for axis in axes:
        length //= axis[0]
        own = own[device[axis] * length : (device[axis] + 1) * length]
    return frozenset(own)


# Transfers


def place_pair(
    held: Sequence[int], needed: Sequence[int], p: int
) -> tuple[list[list[MeshAxis]], list[list[MeshAxis]]]:
    """Mesh axes of every axis of a tensor for both of its ends, by the rule of `overlap`."""
    free = mesh(p)
    common = [take(free, math.gcd(a, b)) for a, b in zip(held, needed, strict=True)]
    rest = [(a // math.gcd(a, b), b // math.gcd(a, b)) for a, b in zip(held, needed, strict=True)]
    loose = [i for i, (a, b) in enumerate(rest) if a > 1 and b > 1]
    nested = [i for i in range(len(rest)) if i not in loose]
    ours, theirs = {}, {}
    left = list(free)
    for i in loose:
        ours[i] = take(left, rest[i][0])
    in_turn = left + [axis for i in loose for axis in ours[i]]
    for i in loose:
        theirs[i] = take(in_turn, rest[i][1])
    for i in nested:  # whichever is left: it plays no part for the average
        ours[i], theirs[i] = take(left, rest[i][0]), take(in_turn, rest[i][1])
    n_axes = range(len(rest))
    return [common[i] + ours[i] for i in n_axes], [common[i] + theirs[i] for i in n_axes]


def transfer_words(
    sizes: Sequence[int], held: Sequence[int], needed: Sequence[int], p: int
) -> tuple[float, float, float]:
    """Words forward, words backward and words in common, on average over the devices."""
    ours, theirs = place_pair(held, needed, p)
    forward = backward = common = 0
    for device in devices(p):
        have = [elements(n, axes, device) for n, axes in zip(sizes, ours, strict=True)]
        want = [elements(n, axes, device) for n, axes in zip(sizes, theirs, strict=True)]
        both = math.prod(len(a & b) for a, b in zip(have, want, strict=True))
        forward += math.prod(map(len, want)) - both
        backward += math.prod(map(len, have)) - both
        common += both
    return forward / p, backward / p, common / p


def cuts(axes: str, splits: Numbers) -> list[int]:
    """Parts per axis of a tensor, such as `b (c h) -`, of which no group has spaces inside."""
    words = axes.replace("(", "").replace(")", "").split()
    return [math.prod(splits[name] for name in word.split(",") if name != "-") for word in words]


# Messages inside a layer


def blocks(sizes: Numbers, splits: Numbers, p: int) -> list[Block]:
    """What every device computes: the elements along each dimension of the layer."""
    free = mesh(p)
    axes = {name: take(free, splits[name]) for name in sizes}
    return [
        {name: elements(sizes[name], axes[name], device) for name in sizes} for device in devices(p)
    ]


def n_points(block: Block, names: Iterable[str]) -> int:
    return math.prod(len(block[name]) for name in names)


@dataclass(frozen=True)
class Sum:
    """Partial sums of a tensor, on all devices that have the same part of it.

    component: of the layer's cost.
    tensor: its dimensions.
    scale: words per point.
    space: dimensions of the product that makes it; all of the layer's if empty.
    """

    component: str
    tensor: str
    scale: float = 1.0
    space: str = ""

    def words(self, layer: Sequence[Block]) -> float:
        total = 0.0
        space = self.space.split() or list(layer[0])
        for mine in layer:
            partners = {
                tuple(other[name] for name in space)
                for other in layer
                if all(other[name] == mine[name] for name in self.tensor.split())
            }
            n = self.scale * n_points(mine, self.tensor.split())
            total += 2 * n * (len(partners) - 1) / len(partners)
        return total / len(layer)


@dataclass(frozen=True)
class Rows:
    """Words per row that are exchanged where a row lies on several devices."""

    component: str
    rows: str
    along: str
    scale: float

    def words(self, layer: Sequence[Block]) -> float:
        whole = len(frozenset().union(*(block[self.along] for block in layer)))
        sent = [n_points(b, self.rows.split()) for b in layer if len(b[self.along]) < whole]
        return self.scale * sum(sent) / len(layer)


@dataclass(frozen=True)
class Border:
    """A border as wide as the window, beside what a device has of an axis that is split.

    windows: per dimension elements of the image per point, and the width of the window.
    """

    component: str
    tile: str
    windows: Mapping[str, tuple[int, int]]

    def words(self, layer: Sequence[Block]) -> float:
        total = 0
        for block in layer:
            own: list[set[int]] = []
            seen: list[set[int]] = []
            for name, (per_point, width) in self.windows.items():
                first, last = per_point * min(block[name]), per_point * (max(block[name]) + 1)
                is_split = any(other[name] != block[name] for other in layer)
                own.append(set(range(first, last)))
                seen.append(set(range(first, last + (width if is_split else 0))))
            border = set(itertools.product(*seen)) - set(itertools.product(*own))
            total += n_points(block, self.tile.split()) * len(border)
        return total / len(layer)


@dataclass(frozen=True)
class Recurrence:
    """What every step fetches of the state that the one before it left.

    times: dimensions of the steps, of which a device has its own.
    held, needed: dimensions that cut the state where it is made, and where it is read.
    """

    component: str
    times: str
    held: tuple[str, str]
    needed: tuple[str, str]

    def words(self, layer: Sequence[Block]) -> float:
        total = 0
        for block in layer:
            have = set(itertools.product(*(block[name] for name in self.held)))
            want = set(itertools.product(*(block[name] for name in self.needed)))
            total += n_points(block, self.times.split()) * len(want - have)
        return total / len(layer)
