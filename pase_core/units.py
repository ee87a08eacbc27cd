"""Numbers for people: SI prefixes, bytes, percentages, durations."""

from __future__ import annotations

import math
import re

from pase_core.errors import OptionError

_PREFIXES = ((1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
_SMALL = ((1e-3, "m"), (1e-6, "µ"), (1e-9, "n"))
_LARGE = ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"))
_QUANTITY = re.compile(r"\s*([0-9.]+(?:[eE][+-]?\d+)?)\s*([kKMGTP]?)(i?)B?\s*")
_POWERS = {"": 0, "k": 1, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}


def with_prefix(value: float, unit: str, digits: int = 3) -> str:
    """A value with an SI prefix and unit.

    Example:
        >>> with_prefix(41_120_456_048, "FLOP")
        '41.1 GFLOP'
    """
    if value == 0 or not math.isfinite(value):
        return f"{value:g} {unit}".rstrip()
    magnitude = abs(float(f"{value:.{digits}g}"))
    scales = _PREFIXES if magnitude >= 1 else _SMALL
    scale, prefix = next((s for s in scales if magnitude >= s[0]), scales[-1])
    return f"{_plain(value / scale, digits)} {prefix}{unit}".rstrip()


def count(number: int, noun: str = "", plural: str = "") -> str:
    """A number of things, all its digits up to a million.

    Args:
        number: how many; not negative.
        noun: what one of them is called; empty for the number alone.
        plural: what several are called; empty for the noun with an s.

    Example:
        >>> count(1150, "entry", "entries"), count(144_213_000, "parameter")
        ('1,150 entries', '144 million parameters')
    """
    digits = f"{number:,}"
    if number >= 1e6:
        rounded = float(f"{number:.3g}")
        scale, word = next(s for s in _LARGE if rounded >= s[0])
        digits = f"{_plain(rounded / scale, 3)} {word}"
    name = noun if number == 1 or not noun else plural or f"{noun}s"
    return f"{digits} {name}".rstrip()


def common_scale(largest: float, unit: str) -> tuple[float, str]:
    """Divisor and name of the unit in which numbers up to `largest` read well.

    Example:
        >>> common_scale(133e9, "FLOP")
        (1000000000.0, 'GFLOP')
        >>> common_scale(0.25, "s"), common_scale(0.0, "s")
        ((0.001, 'ms'), (1.0, 's'))
    """
    scales = _SMALL if 0.0 < largest < 1.0 else _PREFIXES
    scale, prefix = next((s for s in scales if largest >= s[0]), scales[-1])
    return scale, prefix + unit


def _plain(value: float, digits: int) -> str:
    """Round to significant digits, without an exponent."""
    rounded = float(f"{value:.{digits}g}")
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(rounded))))
    return f"{rounded:.{decimals}f}"


def share_above(cost: float, best: float) -> float:
    """By how much a cost exceeds the best, as a share of that; infinite above nothing.

    Example:
        >>> share_above(1.5, 1.0), share_above(0.0, 0.0), share_above(1.0, 0.0)
        (0.5, 0.0, inf)
    """
    if cost <= best:
        return 0.0
    return cost / best - 1.0 if best > 0 else math.inf


def ratio(value: float) -> str:
    """A ratio with a multiplication sign, such as `1.52×`."""
    return f"{_plain(value, 3)}×" if value and math.isfinite(value) else f"{value:g}×"


def percent(value: float) -> str:
    """A share of 1 as a percentage."""
    return f"{100 * value:.1f} %"


def parse_bytes(text: str) -> float:
    """Read a number of bytes such as `8GB`, `512MiB` or `2e9`.

    Raises:
        OptionError: if it cannot be read or is not positive.
    """
    match = _QUANTITY.fullmatch(text)
    try:
        value = float(match[1]) if match else math.nan
    except ValueError:
        value = math.nan
    if not match or not math.isfinite(value) or value <= 0:
        raise OptionError(f"{text!r} is no amount of memory; write 8GB, 512MiB or 2e9")
    base = 1024.0 if match[3] else 1000.0
    return float(value * base ** _POWERS[match[2]])
