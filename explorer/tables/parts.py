"""Which device holds which part of a layer, as a small grid."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

import pandas as pd

from pase_core.layers import Access
from pase_core.placement import holders
from pase_core.solve import Comparison

SPACE = "iteration space"

WRAP = 8
"""Columns of a grid that shows one axis only: its parts go on in the next row."""

LINE = 36
"""Characters that fit beside each other in a row of cells."""

MOST_LINES = 8
"""Parts of one cell that are told on hover."""

Holders = dict[tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class _Axis:
    """A dimension, or an axis of a tensor: what it is called, its size and its parts."""

    name: str
    size: int
    parts: int
    is_even: bool = True

    def part(self, number: int) -> str:
        """Such as `b part 3 of 8: 48–63`."""
        each = self.size // self.parts
        points = f"{number * each:,}–{(number + 1) * each - 1:,}" if each > 1 else f"{number:,}"
        text = f"{self.name} part {number} of {self.parts}"
        return f"{text}: {points}" if self.is_even else text


@dataclass(frozen=True, slots=True, eq=False)
class PartGrid:
    """A grid of parts.

    Attributes:
        cells: columns row, column, text (devices, short) and hover.
        rows: labels of the rows, from the top.
        columns: labels of the columns, from the left; empty if one axis fills rows and columns.
        caption: what is in a cell, how often each part is held, which devices are idle.
    """

    cells: pd.DataFrame
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    caption: str


def held_things(comparison: Comparison, position: int) -> dict[str, Access | None]:
    """What can be looked at, by title: the iteration space of a layer, then its tensors."""
    layer = comparison.solution.problem.graph.layers[position]
    found: dict[str, Access | None] = {SPACE: None}
    for role, accesses in (
        ("input", layer.inputs),
        ("output", layer.outputs),
        ("parameter", layer.parameters),
    ):
        for access in accesses:
            title = f"{role} {access.tensor}"
            found[f"{title} (again)" if title in found else title] = access
    return found


def part_grid(comparison: Comparison, position: int, access: Access | None = None) -> PartGrid:
    """The parts of a layer's iteration space or of one of its tensors, and who holds each.

    Args:
        comparison: the result.
        position: of the layer.
        access: the tensor; None for the iteration space.
    """
    problem = comparison.solution.problem
    layer, n_devices = problem.graph.layers[position], problem.cluster.n_devices
    configuration = comparison.solution.found.strategy.configurations[position]
    axes = _axes(comparison, position, access)
    found = holders(layer, configuration, n_devices, access)
    split = sorted(
        (axis for axis, each in enumerate(axes) if each.parts > 1),
        key=lambda axis: (-axes[axis].parts, axis),
    )
    caption = _caption([axes[a] for a in split], found, access is None)
    idle = _idle(math.prod(configuration), n_devices)
    return _draw(axes, split, found, f"{caption}{idle}")


def _axes(comparison: Comparison, position: int, access: Access | None) -> list[_Axis]:
    graph = comparison.solution.problem.graph
    layer = graph.layers[position]
    configuration = comparison.solution.found.strategy.configurations[position]
    parts = dict(zip(layer.dimension_names, configuration, strict=True))
    if access is None:
        return [_Axis(d.name, d.size, parts[d.name]) for d in layer.dimensions]
    sizes = graph.tensor_by_name[access.tensor].sizes
    return [
        _Axis(str(axis), size, math.prod(parts[n] for n in axis.dimensions), not axis.window)
        for axis, size in zip(access.axes, sizes, strict=True)
    ]


def _draw(axes: list[_Axis], split: list[int], found: Holders, caption: str) -> PartGrid:
    """Gather the parts by cell; the axis of most parts goes down, the next one across."""
    rows, columns = _labels([axes[axis] for axis in split])
    inside: dict[tuple[int, int], Holders] = {}
    for part, devices in found.items():
        numbers = [part[axis] for axis in split[:2]] or [0]
        place = (numbers[0], numbers[1]) if len(numbers) > 1 else divmod(numbers[0], WRAP)
        inside.setdefault(place, {})[part] = devices
    longest = max(3, LINE // len(columns))
    cells = [
        {
            "row": row,
            "column": column,
            "text": device_numbers(sorted(d for each in parts.values() for d in each), longest),
            "hover": _hover(axes, split, parts),
        }
        for (row, column), parts in inside.items()
    ]
    return PartGrid(pd.DataFrame(cells), rows, columns, caption)


def _labels(split: list[_Axis]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Labels of the rows and of the columns."""
    if not split:
        return ("all",), ("",)
    name, n_parts = split[0].name, split[0].parts
    if len(split) > 1:
        return tuple(f"{name} {i}" for i in range(n_parts)), tuple(
            f"{split[1].name} {i}" for i in range(split[1].parts)
        )
    starts = range(0, n_parts, WRAP)
    rows = tuple(f"{name} {_run(s, min(s + WRAP, n_parts) - 1)}" for s in starts)
    return rows, ("",) * min(WRAP, n_parts)


def _hover(axes: list[_Axis], split: list[int], parts: Holders) -> str:
    """Every part of a cell with its devices, safe as HTML."""
    lines = []
    for part, devices in list(parts.items())[:MOST_LINES]:
        names = [axes[axis].part(part[axis]) for axis in split] or ["all of it"]
        told = "device" if len(devices) == 1 else "devices"
        lines.append(
            f"{'<br>'.join(map(escape, names))}<br><b>{told} {device_numbers(devices)}</b>"
        )
    if len(parts) > MOST_LINES:
        lines.append(f"and {len(parts) - MOST_LINES} more parts")
    return "<br>".join(lines)


def device_numbers(devices: Sequence[int], longest: int = 60) -> str:
    """Numbers in increasing order, neighbours as a range: `0–3, 8`, shortened with dots.

    Example:
        >>> device_numbers([0, 1, 2, 3, 8]), device_numbers([0, 2, 4, 6, 8], 10)
        ('0–3, 8', '0, 2 … 8')
    """
    breaks = [i for i, (a, b) in enumerate(pairwise(devices), 1) if b != a + 1]
    runs = [
        _run(devices[start], devices[end - 1])
        for start, end in pairwise([0, *breaks, len(devices)])
    ]
    text = ", ".join(runs)
    if len(text) <= longest:
        return text
    for shorter in (f"{runs[0]}, {runs[1]} … {runs[-1]}", f"{runs[0]} … {runs[-1]}"):
        if len(shorter) <= longest:
            return shorter
    return f"{devices[0]} …" if len(f"{devices[0]} …") <= longest else "…"


def _run(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}–{last}"


def _caption(split: list[_Axis], found: Holders, is_space: bool) -> str:
    n_parts, n_copies = len(found), len(next(iter(found.values())))
    n = "One part" if n_parts == 1 else f"{n_parts:,} parts"
    if is_space:
        text = f"{n}, each computed by one device." if n_parts > 1 else f"{n}: one device."
    elif n_copies > 1:
        which = "it lies" if n_parts == 1 else "each lies"
        text = f"{n}; {which} on {n_copies:,} devices."
    else:
        text = f"{n}, each on one device only." if n_parts > 1 else f"{n}, on one device."
    further = split[2:]
    if further:
        names = ", ".join(f"{axis.name} in {axis.parts}" for axis in further)
        text += f" A cell holds {math.prod(a.parts for a in further)} of them: {names}; hover it."
    return text


def _idle(n_used: int, n_devices: int) -> str:
    if n_used == n_devices:
        return ""
    if n_used == n_devices - 1:
        return f" Device {n_used} is idle."
    return f" Devices {_run(n_used, n_devices - 1)} are idle."
