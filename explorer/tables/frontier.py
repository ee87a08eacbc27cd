"""Time against memory: points of the frontier, what lies beside it, and what the bytes are."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from explorer.tables.summary import strategy_title
from pase_core.cluster import preset, preset_names
from pase_core.components import FETCHED, HELD, MEMORY_COMPONENTS, REDISTRIBUTION
from pase_core.fit import Remedy
from pase_core.memory import memory_of
from pase_core.solve import Comparison
from pase_core.strategy import describe_splits
from pase_core.trade_off import TradeOff
from pase_core.units import count, percent, ratio, with_prefix

CORNER, BETWEEN = "corner of the hull", "between corners"

MOST_BARS = 24
"""Points whose bytes are drawn by part."""


def point_table(found: TradeOff) -> pd.DataFrame:
    """The frontier, a row per point by rising memory.

    Columns: point (from 1), bytes (per device), seconds (per step), slower and larger (shares
    above the fastest point's time and above the least memory), kind, hover.
    """
    fastest, least = found.points[-1], found.points[0]
    rows = []
    for i, point in enumerate(found.points):
        slower = point.cost / fastest.cost - 1.0 if fastest.cost else 0.0
        larger = point.weight / least.weight - 1.0 if least.weight else 0.0
        seconds = found.seconds(point.cost)
        kind = CORNER if point.is_supported else BETWEEN
        hover = (
            f"<b>point {i + 1}</b>, {kind}<br>{with_prefix(point.weight, 'B', 4)} per device, "
            f"{percent(larger)} above the least<br>{with_prefix(seconds, 's', 4)} per step, "
            f"{percent(slower)} above the fastest"
        )
        rows.append((i + 1, point.weight, seconds, slower, larger, kind, hover))
    columns = ["point", "bytes", "seconds", "slower", "larger", "kind", "hover"]
    return pd.DataFrame(rows, columns=columns)


def beside_table(found: TradeOff, comparison: Comparison) -> pd.DataFrame:
    """What people do: columns title, kind (`data parallel` or `expert`), bytes, seconds, hover."""
    titles = {
        each.strategy.name: strategy_title(each)
        for each in (comparison.data_parallel, *comparison.best_of_each)
    }
    rows = []
    for i, each in enumerate(found.baselines):
        title, seconds = titles.get(each.name, each.name), found.seconds(each.cost)
        hover = (
            f"<b>{title}</b><br>{with_prefix(each.weight, 'B')} per device<br>"
            f"{with_prefix(seconds, 's')} per step"
        )
        rows.append((title, "expert" if i else "data parallel", each.weight, seconds, hover))
    return pd.DataFrame(rows, columns=["title", "kind", "bytes", "seconds", "hover"])


def capacity_table(found: TradeOff) -> pd.DataFrame:
    """Memory of devices: columns bytes, names (of the presets that have so much), is_own."""
    own = found.problem.cluster
    names: dict[float, list[str]] = {own.memory_bytes: []}
    for name in preset_names():
        names.setdefault(preset(name, own.n_devices).memory_bytes, []).append(name)
    rows = [(at, ", ".join(names[at]) or own.name, at == own.memory_bytes) for at in sorted(names)]
    return pd.DataFrame(rows, columns=["bytes", "names", "is_own"])


def frontier_headline(found: TradeOff) -> str:
    """How much memory suffices, what it costs in time, and what fits the device."""
    least, fastest = found.points[0], found.points[-1]
    room = found.problem.cluster.memory_bytes
    if len(found.points) == 1:
        text = (
            f"**One strategy** is best in both: {_time(found, fastest.cost)} and "
            f"{_bytes(fastest.weight)} per device"
        )
    else:
        saved = 1.0 - least.weight / fastest.weight
        slower = least.cost / fastest.cost if fastest.cost else 1.0
        text = (
            f"From **{_time(found, fastest.cost)}** with {_bytes(fastest.weight)} per device to "
            f"**{_bytes(least.weight)}** with {_time(found, least.cost)}: "
            f"{percent(saved)} less memory for {ratio(slower)} the time"
        )
    return f"{text}. {_fit(found, room)}"


def _fit(found: TradeOff, room: float) -> str:
    own = f"the {_bytes(room)} of this cluster's devices"
    index = found.fastest_within(room)
    if index is None:
        return f"**Nothing fits** {own}; the least needs {_bytes(found.points[0].weight)}."
    if index == len(found.points) - 1:
        return f"The fastest fits {own}."
    point = found.points[index]
    return (
        f"The fastest that fits {own} is point {index + 1}: {_time(found, point.cost)} with "
        f"{_bytes(point.weight)}."
    )


def proof_sentence(found: TradeOff) -> str:
    """Whether these are all points, and how they were found."""
    searched = found.frontier
    n_corners = sum(point.is_supported for point in found.points)
    text = (
        f"{count(len(found.points), 'point')}, {n_corners} of them corners of the convex hull, "
        f"found by {searched.method} in {with_prefix(searched.seconds, 's')}"
    )
    if searched.is_complete:
        return f"{text}. No strategy that is missing beats any of them: proved."
    gaps = count(len(searched.unproved), "gap")
    return f"{text}. Corners are exact; {gaps} between points may hold more, as time ran out."


def shown_points(found: TradeOff) -> tuple[int, ...]:
    """Numbers, from 0, of the points whose bytes are drawn: all, or evenly chosen ones."""
    n = len(found.points)
    return tuple(sorted({round(i) for i in np.linspace(0, n - 1, min(n, MOST_BARS))}))


def parts_table(found: TradeOff) -> pd.DataFrame:
    """What the bytes are: columns point (from 1), part (a key of HELD), bytes, hover."""
    rows = []
    for i in shown_points(found):
        held = memory_of(found.problem, found.strategy(i))
        parts = dict(held.components)
        parts[FETCHED] = parts.pop(REDISTRIBUTION)
        for part in (*MEMORY_COMPONENTS, FETCHED):
            hover = (
                f"<b>point {i + 1}</b>: {HELD[part][0]}<br>{with_prefix(parts[part], 'B')}, "
                f"{percent(parts[part] / held.total if held.total else 0.0)}"
            )
            rows.append((i + 1, part, parts[part], hover))
    return pd.DataFrame(rows, columns=["point", "part", "bytes", "hover"])


def change_rows(found: TradeOff, index: int) -> pd.DataFrame:
    """The layers that a point splits otherwise than the fastest: layer, and both splits."""
    here = found.strategy(index).configurations
    fastest = found.strategy(len(found.points) - 1).configurations
    rows = [
        (layer.name, describe_splits(layer, b), describe_splits(layer, a))
        for layer, a, b in zip(found.problem.graph.layers, here, fastest, strict=True)
        if a != b
    ]
    return pd.DataFrame(rows, columns=["Layer", "Fastest", f"Point {index + 1}"])


def file_table(found: TradeOff, table: pd.DataFrame) -> pd.DataFrame:
    """The points as a file has them, with units in the titles."""
    return pd.DataFrame(
        {
            "point": table["point"],
            "memory per device [B]": table["bytes"],
            "step time [s]": table["seconds"],
            f"step cost [{found.unit}]": [point.cost for point in found.points],
            "which": table["kind"],
        }
    )


def limit_gigabytes(n_bytes: float) -> float:
    """A limit that lets a point of so many bytes in: rounded up to the next byte."""
    return math.ceil(n_bytes) / 1e9


def _time(found: TradeOff, cost: float) -> str:
    return with_prefix(found.seconds(cost), "s", 4)


def _bytes(n_bytes: float) -> str:
    return with_prefix(n_bytes, "B")


def remedy_table(found: Sequence[Remedy]) -> pd.DataFrame:
    """What would make a network fit, a row each."""
    return pd.DataFrame(
        {
            "What would help": [each.title for each in found],
            "Least memory per device": [_bytes(each.least_bytes) for each in found],
            "Fits": ["yes" if each.fits else "no" for each in found],
            "Options of the command line": [each.options for each in found],
        }
    )
