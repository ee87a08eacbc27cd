"""The diverging scale of what is saved, with its colour bar: the same in every figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd


def saving_scale(
    savings: pd.Series[float], colours: Sequence[tuple[float, str]], unit: str
) -> dict[str, Any]:
    """Colour scale, limits and colour bar of a marker or colour axis; 0 has the middle colour.

    Args:
        savings: in the unit of the colour bar.
        colours: diverging colour scale, 0.5 for no difference.
        unit: unit of the colour bar.
    """
    extent = float(savings.abs().max()) or 1.0
    return {
        "colorscale": [list(stop) for stop in colours],
        "cmin": -extent,
        "cmax": extent,
        "colorbar": {
            "title": {"text": f"saved [{unit}]", "side": "right"},
            "thickness": 12,
            "outlinewidth": 0,
            "nticks": 5,
        },
    }
