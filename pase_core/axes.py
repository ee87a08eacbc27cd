"""Which of a layer's dimensions cuts which axis of a tensor, written as one word per axis.

b        the axis is the dimension b, and is cut with it
(b c)    the axis is b and c laid out in row-major order, cut by the product of their splits
~h       a window slides over the axis: cut with h, but its size differs (convolution, pooling)
-        nothing cuts the axis
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pase_core.errors import GraphError

BATCH = "b"
"""The dimension that is the batch, in every layer that has one."""

_WORDS = re.compile(r"\([^()]*\)\S*|\S+")
_WORD = re.compile(r"\((?P<group>[^()]*)\)|(?P<window>~?)(?P<name>[A-Za-z_]\w*)|-", re.ASCII)


@dataclass(frozen=True, slots=True)
class Axis:
    """How one axis of a tensor is cut: see the module's docstring for the notation."""

    dimensions: tuple[str, ...] = ()
    window: bool = False

    def __post_init__(self) -> None:
        """Check that a window slides along one dimension."""
        if self.window and len(self.dimensions) != 1:
            raise GraphError(
                f"a window slides along one dimension, not {' '.join(self.dimensions) or 'none'}"
            )

    def __str__(self) -> str:
        """Return the notation of this axis."""
        if len(self.dimensions) == 1:
            return ("~" if self.window else "") + self.dimensions[0]
        return f"({' '.join(self.dimensions)})" if self.dimensions else "-"


def parse_axes(text: str) -> tuple[Axis, ...]:
    """Read axes from their notation, such as `"b c ~h ~w"`, `"b (c h w)"` or `"- d"`.

    Raises:
        GraphError: if a word is none of the forms above.
    """
    return tuple(_parse_axis(word, text) for word in _WORDS.findall(text))


def _parse_axis(word: str, text: str) -> Axis:
    match = _WORD.fullmatch(word)
    if match is None:
        raise GraphError(
            f"axes {text!r}: cannot read {word!r}; write one of b, (b c), ~h or - for each axis"
        )
    if match["group"] is not None:
        return Axis(tuple(match["group"].split()))
    return Axis((match["name"],) if match["name"] else (), bool(match["window"]))
