"""Communication inside one layer, as data: tiles, the dimensions that matter, how often.

A tile is the product of the local sizes of some dimensions. `pase_core.collectives` has the
formula of each kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

Component = Literal["output", "input_gradient", "parameter_gradient", "other"]
"""What a message inside a layer is for."""


@dataclass(frozen=True, slots=True)
class AllReduce:
    """All-reduce of `scale * |tile|` words over the devices that differ in the splits of `over`.

    A `prototype` message is one that only the paper's prototype counts.
    """

    kind: ClassVar[str] = "all_reduce"
    tile: tuple[str, ...]
    over: tuple[str, ...]
    scale: float = 1.0
    component: Component = "other"
    prototype: bool = False


@dataclass(frozen=True, slots=True)
class Exchange:
    """`scale * |tile|` words per device, sent only if a dimension of `over` is split."""

    kind: ClassVar[str] = "exchange"
    tile: tuple[str, ...]
    over: tuple[str, ...]
    scale: float = 1.0
    component: Component = "other"


@dataclass(frozen=True, slots=True)
class Window:
    """A sliding window: along `dimension` of the layer, over an axis of `extent` elements."""

    dimension: str
    extent: int
    width: int


@dataclass(frozen=True, slots=True)
class Halo:
    """Border elements of the neighbours' parts: `|tile|` times the border of the local window.

    The border is the product over windows of (local extent + width where split) less the product
    of the local extents.
    """

    kind: ClassVar[str] = "halo"
    tile: tuple[str, ...]
    windows: tuple[Window, ...]
    component: Component = "other"

    @property
    def over(self) -> tuple[str, ...]:
        """The dimensions along which the windows slide."""
        return tuple(window.dimension for window in self.windows)


@dataclass(frozen=True, slots=True)
class Relayout:
    """What a step of a recurrence must fetch of the step before it.

    It comes as often as `times` has points; in the prototype's count in all, split or not.
    The tile over `needed` is to be had; the tile over `held` is there; both cut the same tensor,
    axis by axis.
    """

    kind: ClassVar[str] = "relayout"
    times: tuple[str, ...]
    held: tuple[str, ...]
    needed: tuple[str, ...]
    component: Component = "other"

    @property
    def over(self) -> tuple[str, ...]:
        """The dimensions that decide how much is missing."""
        return tuple(dict.fromkeys(self.held + self.needed))

    @property
    def tile(self) -> tuple[str, ...]:
        """The dimensions that count the repetitions."""
        return self.times


Message = AllReduce | Exchange | Halo | Relayout
MESSAGES: dict[str, type[Message]] = {m.kind: m for m in (AllReduce, Exchange, Halo, Relayout)}
