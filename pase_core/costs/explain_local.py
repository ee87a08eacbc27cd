"""Local sizes of a layer in plain numbers, with the texts that say how they come about."""

from __future__ import annotations

import math
from collections.abc import Iterable

from pase_core.costs.formulas import Quantity, show_number
from pase_core.layers import Access, Layer
from pase_core.messages import Exchange, Halo, Relayout

Configuration = tuple[int, ...]
"""Parts per dimension of a layer."""


SUMS = {
    "output": "partial sums",
    "input_gradient": "the gradient of an input",
    "parameter_gradient": "the gradient of weights",
}
"""What is added up, by component."""

MESSAGE_TITLES = {
    "all_reduce": "all-reduce",
    "exchange": "exchange of a tile",
    "halo": "borders of sliding windows",
    "relayout": "recurrent step: what is not held of the step before",
}
"""By kind of message."""


def axis_cuts(layer: Layer, access: Access, configuration: Configuration) -> list[int]:
    """Parts per axis of a tensor."""
    parts = dict(zip(layer.dimension_names, configuration, strict=True))
    return [math.prod(parts[name] for name in axis.dimensions) for axis in access.axes]


class Local:
    """Local sizes of one layer under one configuration, and how they come about."""

    def __init__(self, layer: Layer, configuration: Configuration) -> None:
        """Take a layer and its parts per dimension."""
        names = layer.dimension_names
        self.size = dict(zip(names, layer.sizes, strict=True))
        self.parts = dict(zip(names, configuration, strict=True))

    def points(self, names: Iterable[str], factor: float = 1.0) -> float:
        """Product of a factor and the local sizes of the named dimensions."""
        return factor * math.prod(self.size[name] / self.parts[name] for name in names)

    def n_parts(self, names: Iterable[str]) -> int:
        """Product of the parts of the named dimensions."""
        return math.prod(self.parts[name] for name in names)

    def shown(self, names: Iterable[str], *factors: float) -> str:
        """How `points` come about, such as `4 × b 128/8 × n 64`."""
        first = [show_number(factor) for factor in factors if factor != 1.0]
        return " × ".join([*first, *map(self.show, names)])

    def show(self, name: str) -> str:
        """One dimension, such as `b 128/8`."""
        return f"{name} {divided(self.size[name], self.parts[name])}"

    def show_parts(self, names: Iterable[str]) -> str:
        """How `n_parts` come about, such as `b 8 × n 2`."""
        return " × ".join(f"{name} {self.parts[name]}" for name in names if self.parts[name] > 1)


def divided(size: float, parts: float) -> str:
    """A size and its parts, such as `128/8`."""
    return f"{show_plain(size)}/{show_plain(parts)}" if parts > 1 else show_plain(size)


def show_plain(number: float) -> str:
    """A number without commas, to be read beside a slash."""
    return show_number(number).replace(",", "")


def exchanged(message: Exchange, local: Local) -> Quantity:
    """Words of a tile that is sent where a dimension is split."""
    if local.n_parts(message.over) > 1:
        words = local.points(message.tile, message.scale)
        working = local.shown(message.tile, message.scale)
    else:
        words, working = 0.0, f"none, as {' '.join(message.over)} is not split"
    return Quantity("w", words, "words", "what each device sends", working)


def bordered(message: Halo, local: Local) -> tuple[Quantity, Quantity, Quantity]:
    """Tile of the windows, extents with the borders and without; words: `t (outer - inner)`."""
    inner = outer = 1.0
    shown_inner, shown_outer = [], []
    for window in message.windows:
        parts = local.parts[window.dimension]
        border = window.width if parts > 1 else 0
        inner *= window.extent / parts
        outer *= window.extent / parts + border
        text = f"{window.dimension} {divided(window.extent, parts)}"
        shown_inner.append(text)
        shown_outer.append(f"({text} + {border})" if border else text)
    return (
        Quantity("t", local.points(message.tile), "", "windows' tile", local.shown(message.tile)),
        Quantity("outer", outer, "words", "extents with borders", " × ".join(shown_outer)),
        Quantity("inner", inner, "words", "extents", " × ".join(shown_inner)),
    )


def relaid(message: Relayout, local: Local) -> tuple[Quantity, Quantity, Quantity]:
    """Steps, words needed and words there already; words sent: `T max(0, need - overlap)`."""
    pairs = list(zip(message.held, message.needed, strict=True))
    overlap = math.prod(min(local.points((a,)), local.points((b,))) for a, b in pairs)
    working = " × ".join(f"min({local.show(a)}, {local.show(b)})" for a, b in pairs)
    if local.n_parts(message.needed) > local.n_parts(message.held):
        overlap, working = 0.0, "none, as it is needed in more parts than it is held in"
    times = math.prod(local.size[name] for name in message.times)
    shown_times = " × ".join(f"{name} {local.size[name]}" for name in message.times)
    need = local.points(message.needed)
    return (
        Quantity("T", times, "", "steps", shown_times),
        Quantity("need", need, "words", "to be had", local.shown(message.needed)),
        Quantity("overlap", overlap, "words", "already there", working),
    )
