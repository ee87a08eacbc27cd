"""The paper's cost model once more: one configuration at a time, in plain floats.

Written layer type by layer type from the formulas, without the library's layers as data; the slow
twin of `pase_core.costs.paper`. Sizes and splits are dictionaries from dimension to number.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

Numbers = Mapping[str, int]


@dataclass(frozen=True)
class Machine:
    """F, B, bytes of a word, and what a multiply-add counts."""

    flop_per_second: float
    bytes_per_second: float
    word_bytes: float
    flop_per_multiply_add: float

    @property
    def flop_per_word(self) -> float:
        return self.flop_per_second * self.word_bytes / self.bytes_per_second


def ring(words: float, q: float) -> float:
    return 2 * words * (q - 1) / q


def product(numbers: Numbers, names: Iterable[str]) -> int:
    result = 1
    for name in names:
        result *= numbers[name]
    return result


class Local:
    """Sizes of the largest part under one configuration."""

    def __init__(self, sizes: Numbers, splits: Numbers) -> None:
        self.sizes, self.splits = sizes, splits

    def size(self, names: Iterable[str]) -> float:
        result = 1.0
        for name in names:
            result *= self.sizes[name] / self.splits[name]
        return result

    def split(self, names: Iterable[str]) -> int:
        return product(self.splits, names)


@dataclass(frozen=True)
class Classes:
    """Dimensions of a matrix product by class; factors that are no dimension, such as 4 gates."""

    batch: Sequence[str]
    m: Sequence[str]
    n: Sequence[str]
    k: Sequence[str]
    times_n: int = 1
    times_k: int = 1


def matrix_product(local: Local, classes: Classes, fused: int, machine: Machine) -> float:
    m = local.size(classes.m)
    n = classes.times_n * local.size(classes.n)
    k = classes.times_k * local.size(classes.k)
    p_m, p_n, p_k = (local.split(names) for names in (classes.m, classes.n, classes.k))
    arithmetic = machine.flop_per_multiply_add * 3 * m * n * k + 3 * fused * m * n
    words = ring(m * n, p_k) + ring(m * k, p_n) + ring(n * k, p_m)
    return local.size(classes.batch) * (arithmetic + machine.flop_per_word * words)


def fully_connected(local: Local, machine: Machine, *, fused: int) -> float:
    leading = [name for name in local.sizes if name not in ("n", "c")]
    return matrix_product(local, Classes((), leading, "n", "c"), fused, machine)


def einsum(local: Local, machine: Machine, *, equation: str, fused: int) -> float:
    operands, result = equation.split("->")
    first, second = (set(term.split()) for term in operands.split(","))
    out = set(result.split())
    classes = Classes(
        batch=sorted(first & second & out),
        m=sorted(first & out - second),
        n=sorted(second & out - first),
        k=sorted(first & second - out),
    )
    return matrix_product(local, classes, fused, machine)


def convolution(local: Local, machine: Machine, *, fused: int) -> float:
    return matrix_product(local, Classes((), "bhw", "n", "crs"), fused, machine)


def embedding(local: Local, machine: Machine) -> float:
    return matrix_product(local, Classes((), "bs", "d", "v"), 0, machine)


def lstm(local: Local, machine: Machine) -> float:
    """`d` is the document's k, the width of the input; `e` its n, the width of the state."""
    classes = Classes("l", "sb", "e", "d", times_n=4, times_k=2)
    missing = missing_words(
        (local.sizes["b"], local.sizes["e"]),
        held=(local.splits["b"], local.splits["e"]),
        needed=(local.splits["b"], local.splits["d"]),
    )
    steps = local.sizes["l"] * local.sizes["s"]
    return matrix_product(local, classes, 3, machine) + steps * machine.flop_per_word * missing


def elementwise(local: Local, _machine: Machine, *, fused: int) -> float:
    return (1 + fused) * local.size(local.sizes)


def pooling(
    local: Local, machine: Machine, *, image: tuple[int, int], kernel: tuple[int, int]
) -> float:
    inner = outer = 1.0
    for name, extent, width in zip("hw", image, kernel, strict=True):
        part = extent / local.splits[name]
        inner *= part
        outer *= part + (width if local.splits[name] > 1 else 0)
    halo = local.size("bc") * (outer - inner)
    return local.size(local.sizes) + machine.flop_per_word * halo


def normalization(local: Local, machine: Machine, *, along: str) -> float:
    elements = local.size(local.sizes)
    others = [name for name in local.sizes if name != along]
    words = 4 * ring(elements / local.size([along]), local.split([along]))
    words += 4 * ring(local.size([along]), local.split(others))
    return 16 * elements + machine.flop_per_word * words


def mean(local: Local, machine: Machine, *, over: Sequence[str]) -> float:
    return machine.flop_per_word * ring(local.size(local.sizes), local.split(over))


def softmax(local: Local, machine: Machine, *, along: str) -> float:
    elements, x = local.size(local.sizes), local.sizes[along]
    rows = elements / local.size([along])
    words = 2 * ring(rows, local.split([along])) + ring(rows * x, local.split([along]))
    return 4 * elements + elements * x + machine.flop_per_word * words


def cross_entropy(local: Local, machine: Machine) -> float:
    classes = list(local.sizes)[-1]
    elements = local.size(local.sizes)
    rows = elements / local.size([classes])
    words = 2 * rows if local.splits[classes] > 1 else 0.0
    return 4 * elements + 2 * rows + machine.flop_per_word * words


def free(_local: Local, _machine: Machine) -> float:
    """Concatenation, split, stack, unstack, reshape."""
    return 0.0


def missing_words(sizes: Sequence[int], *, held: Sequence[int], needed: Sequence[int]) -> float:
    """Words of the tile needed that are not in the tile held, by the parts per axis of both."""
    need = overlap = 1.0
    for size, by_producer, by_consumer in zip(sizes, held, needed, strict=True):
        need *= size / by_consumer
        overlap *= min(size / by_producer, size / by_consumer)
    if math.prod(needed) > math.prod(held):
        overlap = 0.0
    return max(0.0, need - overlap)


def transfer(
    machine: Machine, sizes: Sequence[int], *, held: Sequence[int], needed: Sequence[int]
) -> float:
    return machine.flop_per_word * 2 * missing_words(sizes, held=held, needed=needed)
