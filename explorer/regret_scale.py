"""Regrets as texts, colours and places on a logarithmic scale: the same in every figure."""

from __future__ import annotations

import math

import numpy as np

NOTHING = 1e-12
"""Share of the optimum up to which a regret counts as none: sums are rounded."""

LOWEST, HIGHEST, AT_NOTHING = -4, 1, -5
"""Decades of the coloured scale, 0.01 % to 1000 % of the optimum, and where no regret is put."""

_END_OF_NOTHING = (AT_NOTHING + 0.5 - AT_NOTHING) / (HIGHEST - AT_NOTHING)

COLOURS = (
    (0.0, "#56B4E9"),
    (_END_OF_NOTHING, "#56B4E9"),
    (_END_OF_NOTHING + 1e-6, "#FCE8C3"),
    (0.4, "#FDD49A"),
    (0.6, "#F5963C"),
    (0.8, "#BF4F0B"),
    (1.0, "#5E2103"),
)
"""Blue for no regret, then from pale to dark brown, which differ in lightness for every eye."""


def level(share: float) -> float:
    """Place of a regret on the coloured scale: its decade, within the scale's ends."""
    if share <= NOTHING:
        return AT_NOTHING
    return min(max(math.log10(share), LOWEST), HIGHEST)


def shade(share: float) -> float:
    """Place of a regret on the coloured scale as a share of its length."""
    return (level(share) - AT_NOTHING) / (HIGHEST - AT_NOTHING)


def percent_text(share: float) -> str:
    """A regret in per cent, without an exponent.

    Example:
        >>> percent_text(0.0), percent_text(5.574e-7), percent_text(0.0312), percent_text(51.18)
        ('0 %', '0.0000557 %', '3.12 %', '5,118 %')
    """
    if share <= NOTHING:
        return "0 %"
    if share >= 1.0:
        return f"{100 * share:,.0f} %"
    return f"{np.format_float_positional(100 * share, 3, fractional=False, trim='-')} %"


def short_percent(share: float) -> str:
    """A regret in per cent for a small cell, without its unit.

    Example:
        >>> short_percent(0.0), short_percent(1e-6), short_percent(0.0312), short_percent(1.25)
        ('0', '<.01', '3.1', '125')
    """
    if share <= NOTHING:
        return "0"
    if share < 1e-4:
        return "<.01"
    if share >= 0.1:
        return f"{100 * share:.0f}"
    return str(np.format_float_positional(100 * share, 2, fractional=False, trim="-"))
