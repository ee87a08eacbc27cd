"""Colours of values: scales, legends, and ink that can be read on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pase_core.units import common_scale

Stops = Sequence[tuple[float, str]]


@dataclass(frozen=True, slots=True)
class Colouring:
    """A colour for each box, and the legend that explains them.

    Attributes:
        colours: one per box.
        legend: `title` with either `stops` and `labels`, or `entries`, as the canvas wants it.
    """

    colours: tuple[str, ...]
    legend: Mapping[str, object]


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def mix(stops: Stops, share: float) -> str:
    """Colour at a share from 0 to 1 of a scale."""
    share = min(1.0, max(0.0, share))
    for (start, first), (end, second) in pairwise(stops):
        if share <= end:
            weight = (share - start) / (end - start)
            pairs = zip(_channels(first), _channels(second), strict=True)
            return "#" + "".join(f"{round(a + weight * (b - a)):02X}" for a, b in pairs)
    return stops[-1][1]


def ink_on(colour: str) -> str:
    """Black or white, whichever contrasts more with a colour (WCAG 2 relative luminance)."""
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (channel / 255 for channel in _channels(colour))
    ]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#FFFFFF" if 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05 else "#000000"


def colour_amounts(values: Sequence[float], stops: Stops, title: str, unit: str) -> Colouring:
    """Colour amounts from 0 to the largest."""
    largest = max(values, default=0.0) or 1.0
    scale, scaled_unit = common_scale(largest, unit)
    labels = [f"{share * largest / scale:.3g}" for share in (0.0, 0.5, 1.0)]
    return Colouring(
        tuple(mix(stops, value / largest) for value in values),
        {"title": f"{title} [{scaled_unit}]", "stops": list(map(list, stops)), "labels": labels},
    )


def colour_differences(values: Sequence[float], stops: Stops, title: str, unit: str) -> Colouring:
    """Colour differences with 0 in the middle of the scale."""
    largest = max(map(abs, values), default=0.0) or 1.0
    scale, scaled_unit = common_scale(largest, unit)
    labels = [f"{share * largest / scale:.3g}" for share in (-1.0, 0.0, 1.0)]
    return Colouring(
        tuple(mix(stops, 0.5 + value / largest / 2) for value in values),
        {"title": f"{title} [{scaled_unit}]", "stops": list(map(list, stops)), "labels": labels},
    )


def colour_kinds(kinds: Sequence[str], palette: Mapping[str, str], title: str) -> Colouring:
    """Colour kinds by name; the legend lists those that occur."""
    entries = [[kind, colour] for kind, colour in palette.items() if kind in kinds]
    return Colouring(tuple(palette[kind] for kind in kinds), {"title": title, "entries": entries})
