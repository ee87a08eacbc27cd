"""A scaling study: costs, speed-ups and memory against the number of devices."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

import pandas as pd

from explorer.labels import component_title
from explorer.points import (
    DATA_PARALLEL,
    EXPERT,
    FOUND,
    Point,
    point_to_json,
    scenario_to_json,
)
from explorer.scenario import Scenario
from pase_core.cluster_words import given_clause
from pase_core.units import common_scale, percent, ratio, with_prefix
from sample_graphs import SAMPLES

MEMORY_SHARE_SHOWN = 0.03
"""The memory of a device is drawn once the weights reach this share of it."""


def capital(name: str) -> str:
    """A strategy's name at the beginning of a sentence or a legend."""
    return name[:1].upper() + name[1:]


def scaling_title(scenario: Scenario) -> str:
    """Network and kind of devices, in a few words."""
    name = scenario.upload.name if scenario.upload else SAMPLES[scenario.network].title
    cluster = scenario.machine()
    return f"{name} on 1, 2, 4 … × {cluster.device}{given_clause(cluster)}"


def scaling_table(points: Sequence[Point]) -> pd.DataFrame:
    """One row per strategy and number of devices.

    Columns: devices, kind, strategy, variant, cost, unit, seconds, efficiency (of the time on the
    fewest devices, ideally shared), speedup (over data parallelism on as many devices),
    communication (share of the cost), weights_bytes, search_seconds, proved, `component NAME` per
    component, and the pretty text `hover`.
    """
    good = [point for point in points if not point.message]
    baselines = {p.n_devices: p.seconds for p in good if p.kind == DATA_PARALLEL}
    ideal = {p.n_devices: p.seconds for p in ideal_points(good)}
    return pd.DataFrame([_row(p, baselines[p.n_devices], ideal[p.n_devices]) for p in good])


def _row(point: Point, baseline: float, ideal: float) -> dict[str, object]:
    compute = dict(point.components)["compute"]
    row: dict[str, object] = {
        "devices": point.n_devices,
        "kind": point.kind,
        "strategy": capital(point.strategy),
        "variant": capital(point.variant),
        "cost": point.cost,
        "unit": point.unit,
        "seconds": point.seconds,
        "efficiency": ideal / point.seconds if point.seconds else 1.0,
        "speedup": baseline / point.seconds if point.seconds else 1.0,
        "communication": 1.0 - compute / point.cost if point.cost else 0.0,
        "weights_bytes": point.weights_bytes,
        "search_seconds": point.search_seconds or math.nan,
        "proved": point.is_proved,
    }
    row |= {f"component {name}": cost for name, cost in point.components}
    return row | {"hover": _hover(point, row)}


def _hover(point: Point, row: dict[str, object]) -> str:
    dearest = max((c for c in point.components if c[0] != "compute"), key=lambda c: c[1])
    lines = [
        f"<b>{row['variant']}</b> on {point.n_devices}",
        f"{with_prefix(point.seconds, 's')} per step ({with_prefix(point.cost, point.unit)})",
        f"{ratio(float(str(row['speedup'])))} data parallelism",
        f"{percent(float(str(row['communication'])))} communication",
        f"{with_prefix(point.weights_bytes, 'B')} of weights per device",
    ]
    if dearest[1]:
        lines.insert(4, f"most of it: {component_title(dearest[0]).lower()}")
    return "<br>".join(lines)


def ideal_points(points: Sequence[Point]) -> list[Point]:
    """The time on the fewest devices, shared ideally by more."""
    found = [point for point in points if point.kind == FOUND and not point.message]
    if not found:
        return []
    least = found[0]
    device_seconds = least.seconds * least.n_devices
    return [
        Point(p.n_devices, strategy="ideal", seconds=device_seconds / p.n_devices) for p in found
    ]


def ideal_table(points: Sequence[Point]) -> pd.DataFrame:
    """The ideal line; columns devices and seconds."""
    ideal = ideal_points(points)
    return pd.DataFrame(
        {"devices": [p.n_devices for p in ideal], "seconds": [p.seconds for p in ideal]}
    )


def failures(points: Sequence[Point]) -> list[tuple[str, str]]:
    """Why there is no answer, and for which numbers of devices; each reason once."""
    by_reason: dict[str, list[str]] = {}
    for point in points:
        if point.message:
            by_reason.setdefault(point.message, []).append(str(point.n_devices))
    return [(", ".join(devices), reason) for reason, devices in by_reason.items()]


def scaling_headline(table: pd.DataFrame) -> str:
    """What more devices bring, in a sentence; one number of devices tells nothing yet."""
    if table.empty:
        return "No answer yet."
    found = table[table["kind"] == FOUND]
    baseline = table[table["kind"] == DATA_PARALLEL]
    if len(found) < 2 or baseline.empty:
        return "More devices are to come."
    first, last = found.iloc[0], found.iloc[-1]
    best = baseline.sort_values("seconds", kind="stable").iloc[0]
    gain = first["seconds"] / last["seconds"]
    best_gain = first["seconds"] / best["seconds"]
    text = (
        f"From {first['devices']} to {last['devices']} devices, a step of the strategy found gets "
        f"**{gain:.3g} times** as fast"
    )
    if best["devices"] == last["devices"]:
        return f"{text}, one of data parallelism **{best_gain:.3g} times**."
    if best["devices"] == first["devices"]:
        return f"{text}; data parallelism gains nothing from more of them."
    return (
        f"{text}; data parallelism gets no further than **{best_gain:.3g} times**, on "
        f"{best['devices']}."
    )


def crossing_table(table: pd.DataFrame) -> pd.DataFrame:
    """Where an expert's strategy and data parallelism change places.

    Columns: strategy, devices (between two that were solved, read off straight lines on
    logarithmic axes), speedup (1), and the sentence `text`.
    """
    return pd.DataFrame(_crossings(table), columns=["strategy", "devices", "speedup", "text"])


def _crossings(table: pd.DataFrame) -> Iterator[tuple[str, float, float, str]]:
    for name, rows in table[table["kind"] == EXPERT].groupby("strategy", sort=False):
        solved = zip(rows["devices"], rows["speedup"], strict=True)
        ahead = [(n, math.log(s)) for n, s in solved if abs(s - 1) > 1e-9]
        for (fewer, before), (more, after) in pairwise(ahead):
            if before * after < 0:
                share = before / (before - after)
                verb = "overtakes" if after > 0 else "falls behind"
                text = f"{name} {verb} data parallelism between {fewer} and {more} devices."
                yield str(name), float(fewer * (more / fewer) ** share), 1.0, text


def memory_line(scenario: Scenario, table: pd.DataFrame) -> tuple[float | None, str]:
    """Memory of a device in bytes, if near enough to be drawn, and a sentence about it."""
    cluster = scenario.machine()
    memory = with_prefix(cluster.memory_bytes, "B")
    largest = float(table["weights_bytes"].max())
    text = f"Memory of one {cluster.device}: {memory}, of which weights alone take "
    text += f"{with_prefix(largest, 'B')} ({percent(largest / cluster.memory_bytes)}) at most."
    return (
        cluster.memory_bytes if largest >= MEMORY_SHARE_SHOWN * cluster.memory_bytes else None
    ), text


def node_remark(scenario: Scenario, table: pd.DataFrame) -> str:
    """Why lines bend where a node is full; empty if they do not."""
    cluster = scenario.machine()
    n_devices = cluster.devices_per_node
    inside, beyond = (cluster.link_of_group(n).bytes_per_second for n in (n_devices, n_devices + 1))
    if beyond >= inside or table["devices"].max() <= n_devices:
        return ""
    return (
        f"Beyond the {n_devices} devices of a node, messages cross links of "
        f"{with_prefix(beyond, 'B/s')} instead of {with_prefix(inside, 'B/s')}."
    )


def shown_scaling(table: pd.DataFrame) -> pd.DataFrame:
    """The rows for people: scaled figures, without components and hover texts."""
    return pd.DataFrame(
        {
            "Devices": table["devices"],
            "Strategy": table["variant"],
            "Step [ms]": table["seconds"] * 1e3,
            "Speed-up": table["speedup"],
            "Efficiency": table["efficiency"],
            "Communication": table["communication"],
            "Weights [MB]": table["weights_bytes"] / 1e6,
            "Search [ms]": table["search_seconds"] * 1e3,
            "Proved": table["proved"].where(table["kind"] == FOUND),
        }
    )


def time_scale(table: pd.DataFrame) -> tuple[float, str]:
    """Divisor and unit in which the step times read well."""
    largest = float(table["seconds"].max())
    return common_scale(largest, "s") if largest >= 1 else (1e-3, "ms")


def scaling_json(scenario: Scenario, points: Sequence[Point]) -> str:
    """The study as JSON: the scenario, and every point with its components."""
    content = {
        "schema": "pase.scaling/1",
        "modelled": True,
        "scenario": scenario_to_json(scenario),
        "points": [point_to_json(point) for point in points],
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"
