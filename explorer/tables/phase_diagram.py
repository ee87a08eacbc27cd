"""The phases for several numbers of devices: cells over machine balance and devices."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from explorer.colours import Stops, ink_on, mix
from explorer.limits import FIGURE_LIMITS
from explorer.shading import Shading
from explorer.tables.balance import BEYOND_PRESETS, Range, number_text, range_text
from pase_core.balance import Balance, cluster_balances, machine_balance
from pase_core.cluster import Cluster
from pase_core.search.balance import Phase
from pase_core.units import percent, ratio, with_prefix

MOST_DEVICES = 256
"""More devices than these have no row."""

LEAST_TOP = 64
"""The rows go at least so far."""

OTHERWISE = "Layers split otherwise"
GAIN = "Gain over data parallelism"
COMMUNICATION = "Communication"

COLOURINGS = {
    OTHERWISE: "Share of the layers that the phase's strategy splits otherwise than data "
    "parallelism does.",
    GAIN: "Cost of data parallelism over that of the phase's strategy, in the middle of the cell.",
    COMMUNICATION: "Share of the step's cost that is not arithmetic, in the middle of the cell.",
}
"""What may colour a cell, and what it means."""

_SHARES = {
    OTHERWISE: ("otherwise", "share of layers"),
    COMMUNICATION: ("communication", "share of step"),
}
"""Column and title of the colourings that are shares."""


def diagram_devices(n_devices: int) -> tuple[int, ...]:
    """Numbers of devices that have a row: powers of two, and the scenario's own.

    Example:
        >>> diagram_devices(12), diagram_devices(512)[-1]
        ((2, 4, 8, 12, 16, 32, 64), 256)
    """
    top = min(max(n_devices, LEAST_TOP), MOST_DEVICES)
    powers = {2**k for k in range(1, top.bit_length())}
    return tuple(sorted(powers | ({n_devices} if n_devices <= MOST_DEVICES else set())))


def diagram_range(rows: Sequence[Balance], machine: Cluster) -> Range:
    """The balances to draw: far beyond today's clusters of any such size, and this machine."""
    element_type = rows[0].problem.graph.element_type
    counts = [row.problem.cluster.n_devices for row in rows]
    today = [at for n in counts for _name, at in cluster_balances(n, element_type)]
    own = [machine_balance(machine.with_devices(n), element_type) for n in counts]
    low = min([at / BEYOND_PRESETS for at in today] + [at / 3 for at in own])
    high = max([at * BEYOND_PRESETS for at in today] + [at * 3 for at in own])
    return low, high


def machine_table(rows: Sequence[Balance], machine: Cluster) -> pd.DataFrame:
    """Where the machine itself lies on each row; columns row, devices, balance."""
    counts = [row.problem.cluster.n_devices for row in rows]
    element_type = rows[0].problem.graph.element_type
    return pd.DataFrame(
        {
            "row": range(len(rows)),
            "devices": counts,
            "balance": [machine_balance(machine.with_devices(n), element_type) for n in counts],
        }
    )


def cell_table(rows: Sequence[Balance], machine: Cluster) -> pd.DataFrame:
    """One row per visible phase and number of devices.

    Columns: row, devices, phase (from 1), start, stop (of the visible part), middle, otherwise
    (share of layers), gain, communication (both in the middle), giga_bytes (of the links that put
    the machine there; NaN if none can), hover.

    Args:
        rows: phases, by rising number of devices.
        machine: whose devices stay as they are when the links change.
    """
    shown = diagram_range(rows, machine)
    cells = [
        _cell(balance, i, phase, shown, machine) | {"row": row}
        for row, balance in enumerate(rows)
        for i, phase in enumerate(balance.phases)
        if phase.start < shown[1] and phase.stop > shown[0]
    ]
    return pd.DataFrame(cells)


def _cell(
    balance: Balance, position: int, phase: Phase, shown: Range, machine: Cluster
) -> dict[str, object]:
    problem = balance.problem
    start, stop = max(phase.start, shown[0]), min(phase.stop, shown[1])
    middle = math.sqrt(start * stop)
    baseline = balance.baselines[0][1]
    cost = phase.line.at(middle)
    differs = np.array(phase.line.choices) != np.array(baseline.choices)
    cell: dict[str, object] = {
        "devices": problem.cluster.n_devices,
        "phase": position + 1,
        "start": start,
        "stop": stop,
        "middle": middle,
        "otherwise": float(differs.mean()),
        "gain": max(baseline.at(middle) / cost, 1.0) if cost else 1.0,
        "communication": 1.0 - phase.line.fixed / cost if cost else 0.0,
        "giga_bytes": link_for(machine.flop_per_second(problem.graph.element_type), start, stop),
    }
    return cell | {"hover": _hover(balance, phase, cell, int(differs.sum()))}


def link_for(flop_per_second: float, start: float, stop: float) -> float:
    """GB/s of a link with which a device's balance lies amid a range, with few digits.

    NaN if such a link is out of the range that may be set.

    Example:
        >>> link_for(10e12, 400.0, 900.0)
        16.7
    """
    wanted = flop_per_second / math.sqrt(start * stop) / 1e9
    for digits in range(3, 16):
        giga_bytes = float(f"{wanted:.{digits}g}")
        if start < flop_per_second / (giga_bytes * 1e9) < stop:
            low, high = FIGURE_LIMITS["giga_bytes"]
            return giga_bytes if low <= giga_bytes <= high else math.nan
    return math.nan


def _hover(balance: Balance, phase: Phase, cell: dict[str, object], n_otherwise: int) -> str:
    n_layers = len(balance.problem.graph.layers)
    gain, sent = float(str(cell["gain"])), float(str(cell["communication"]))
    lines = [
        f"<b>{cell['devices']} devices, phase {cell['phase']} of {len(balance.phases)}</b>",
        f"rules {range_text(phase.start, phase.stop)}",
        f"{with_prefix(phase.line.fixed, 'FLOP')} and {with_prefix(phase.line.scaled, 'B')} sent",
        f"{n_otherwise} of {n_layers} layers split otherwise than data parallelism",
        f"in the middle, at {number_text(float(str(cell['middle'])))} FLOP per byte: "
        f"{percent(sent)} communication,",
        f"{ratio(gain)} as fast as data parallelism",
    ]
    giga_bytes = float(str(cell["giga_bytes"]))
    if math.isfinite(giga_bytes):
        lines.append(f"<i>click: links of {number_text(giga_bytes)} GB/s</i>")
    return "<br>".join(lines)


def cell_shading(cells: pd.DataFrame, name: str, stops: Stops) -> Shading:
    """Shading of cells by one of COLOURINGS, on a scale of colours."""
    if name == GAIN:
        values = np.log2(cells["gain"])
        most = max(float(values.max()), 1.0)
        step = max(1, math.ceil(most / 6))
        title = "times as fast"
        ticks = tuple((float(k), f"{2**k}×") for k in range(0, int(most) + 1, step))
        texts = tuple(map(ratio, cells["gain"]))
    else:
        column, title = _SHARES[name]
        values, most = cells[column], 1.0
        ticks = tuple((k / 4, f"{25 * k} %") for k in range(5))
        texts = tuple(f"{100 * share:.0f} %" for share in values)
    return Shading(
        title=title,
        values=tuple(map(float, values)),
        most=most,
        ticks=ticks,
        texts=texts,
        inks=tuple(ink_on(mix(stops, value / most)) for value in values),
    )


def cell_titles(cells: pd.DataFrame) -> pd.DataFrame:
    """A cell table for a file: units in the titles, without hover texts."""
    return cells.drop(columns=["row", "hover"]).rename(
        columns={
            "start": "from [FLOP/B]",
            "stop": "to [FLOP/B]",
            "middle": "middle [FLOP/B]",
            "otherwise": "layers split otherwise [share]",
            "gain": "gain over data parallelism",
            "communication": "communication [share of the step]",
            "giga_bytes": "link [GB/s]",
        }
    )
