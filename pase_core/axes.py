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

_WORD = re.compile(r"\(([^()]*)\)|(~?)([A-Za-z_]\w*)|(-)")


@dataclass(frozen=True, slots=True)
class Axis:
    """How one axis of a tensor is cut: see the module's docstring for the notation."""

    dimensions: tuple[str, ...] = ()
    window: bool = False

    def __str__(self) -> str:
        """Return the notation of this axis."""
        if len(self.dimensions) == 1:
            return ("~" if self.window else "") + self.dimensions[0]
        return f"({' '.join(self.dimensions)})" if self.dimensions else "-"


def parse_axes(text: str) -> tuple[Axis, ...]:
    """Read axes from their notation, such as `"b c ~h ~w"`, `"b (c h w)"` or `"- d"`."""
    axes: list[Axis] = []
    end = 0
    for match in _WORD.finditer(text):
        if text[end : match.start()].strip():
            break
        group, window, name, _none = match.groups()
        if group is not None:
            axes.append(Axis(tuple(group.split())))
        else:
            axes.append(Axis((name,) if name else (), bool(window)))
        end = match.end()
    if text[end:].strip():
        raise GraphError(
            f"axes {text!r}: cannot read {text[end:].strip()!r}; write one of b, (b c), ~h or - "
            "for each axis"
        )
    return tuple(axes)
