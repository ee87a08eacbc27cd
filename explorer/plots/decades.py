"""The axis of machine balances: decades, few enough to be read."""

from __future__ import annotations

import math
from typing import Any

TITLE = "machine balance r [FLOP per byte sent]"

_MOST_TICKS = 8


def balance_axis(low: float, high: float) -> dict[str, Any]:
    """A logarithmic axis from the least to the greatest balance, without its title."""
    first, last = math.ceil(math.log10(low)), math.floor(math.log10(high))
    step = max(1, math.ceil((last - first + 1) / _MOST_TICKS))
    powers = range(first, last + 1, step)
    return {
        "type": "log",
        "range": [math.log10(low), math.log10(high)],
        "tickvals": [10.0**power for power in powers],
        "ticktext": [
            f"{10.0**power:,.10g}" if -4 <= power <= 6 else f"10<sup>{power}</sup>"
            for power in powers
        ],
        "tickangle": 0,
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
    }
