"""Results in words: one wording for pages, reports and files."""

from __future__ import annotations

import math

from pase_core.search.result import SearchResult
from pase_core.units import count

_ROUNDING = 1e-9
"""Of the last digit shown: so much above it is the rounding of the share, not an excess."""


def percent_above(share: float) -> str:
    """A share of the optimum as per cent, rounded upwards: what is promised must hold.

    Example:
        >>> percent_above(0.00412), percent_above(1e-9), percent_above(math.inf)
        ('0.42 %', '0.001 %', 'any amount')
    """
    if math.isinf(share):
        return "any amount"
    exponent = math.floor(math.log10(share * 100)) if share > 0 else 0
    n_digits = min(max(1 - exponent, 0), 3)
    shown = math.ceil(share * 100 * 10**n_digits - _ROUNDING) / 10**n_digits
    return f"{shown:.{n_digits}f} %"


def describe_method(search: SearchResult) -> str:
    """The method of a search, with its ordering if it has one."""
    return f"{search.method} ({search.ordering})" if search.ordering else search.method


def describe_proof(search: SearchResult) -> str:
    """What a search has proved of its answer, in a few words."""
    if not search.keeps_limit:
        return "nothing fits the memory limit"
    if not search.proved_optimal and math.isinf(search.gap):
        return "not proved optimal"
    if not search.proved_optimal:
        return f"at most {percent_above(search.gap)} above the optimum"
    if search.n_pinned:
        return f"best with {count(search.n_pinned, 'layer')} held"
    return "proved optimal"
