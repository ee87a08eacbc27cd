"""Amounts from one to more than the atoms of the universe, in words and figures."""

from __future__ import annotations

import math

from pase_core.units import with_prefix

_DIGITS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

_NAMED = ((1e9, "billion"), (1e6, "million"))

_LARGEST_BYTES = 1e18


def amount(n: float) -> str:
    """A number of entries: `1,152`, `2.5 million` or `1.2 × 10¹⁶`.

    Example:
        >>> amount(12_500_000_000_000_000)
        '1.2 × 10¹⁶'
    """
    if n < 1e6:
        return f"{n:,.0f}"
    for scale, name in _NAMED:
        if scale <= n < 1e12:
            return f"{n / scale:.3g} {name}"
    return _power(n)


def amount_of_bytes(n: float) -> str:
    """A number of bytes: `80 TB`, or a power of ten where there is no prefix."""
    return with_prefix(n, "B") if n < _LARGEST_BYTES else f"{_power(n)} B"


def _power(n: float) -> str:
    exponent = math.floor(math.log10(n))
    mantissa = round(n / 10**exponent, 1)
    if mantissa == 10:
        mantissa, exponent = 1.0, exponent + 1
    return f"{mantissa:g} × 10{str(exponent).translate(_DIGITS)}"
