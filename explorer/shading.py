"""How the cells of a figure are coloured: data that tables make and plots read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shading:
    """A number per cell, and the bar that explains the colours.

    Attributes:
        title: of the colour bar.
        values: one per cell, from 0 to `most`.
        most: value of the darkest colour.
        ticks: values and texts on the colour bar.
        texts: of the cells.
        inks: colours of the texts.
    """

    title: str
    values: tuple[float, ...]
    most: float
    ticks: tuple[tuple[float, str], ...]
    texts: tuple[str, ...]
    inks: tuple[str, ...]
