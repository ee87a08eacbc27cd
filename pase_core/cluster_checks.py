"""Checks of the single values of a device setup; each failure is a ClusterError."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from pase_core.checks import check_name
from pase_core.errors import ClusterError, GraphError

MAX_DEVICES = 1_000_000


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """A hint with the known name closest to `name`, or the empty string."""
    close = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def check_text(what: str, text: object) -> None:
    """Raise ClusterError unless `text` is a short, printable, non-empty string."""
    try:
        check_name(what, text)
    except GraphError as error:
        raise ClusterError(str(error)) from None


def check_count(what: str, count: object) -> None:
    """Raise ClusterError unless `count` is an integer from 1 to MAX_DEVICES."""
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MAX_DEVICES:
        raise ClusterError(f"{what} is {count!r}; it must be an integer from 1 to {MAX_DEVICES}")


def check_range(what: str, value: object, least: float, most: float) -> None:
    """Raise ClusterError unless `value` is a number from `least` to `most`."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ClusterError(f"{what} is {value!r}; it must be a number")
    if not least <= value <= most:
        raise ClusterError(f"{what} is {value!r}; it must be from {least:g} to {most:g}")
