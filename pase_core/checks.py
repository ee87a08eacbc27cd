"""Checks of single values, shared by everything that people or files hand in."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pase_core.errors import GraphError

MAX_SIZE = 2**40
"""Largest size of a dimension or axis; with it, products stay far inside float64's range."""

MAX_NAME_LENGTH = 300


def check_name(kind: str, name: object) -> None:
    """Raise GraphError unless `name` is a short, printable, non-empty string."""
    if not isinstance(name, str) or not name.strip():
        raise GraphError(f"{kind} has the name {name!r}; a name is a non-empty string")
    if len(name) > MAX_NAME_LENGTH or not name.isprintable():
        raise GraphError(
            f"{kind} name {name[:40]!r}... is too long or has control characters; "
            f"use at most {MAX_NAME_LENGTH} printable characters"
        )


def check_size(what: str, size: object) -> None:
    """Raise GraphError unless `size` is an integer from 1 to MAX_SIZE."""
    if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= MAX_SIZE:
        raise GraphError(f"{what} has size {size!r}; a size is an integer from 1 to {MAX_SIZE}")


def check_number(what: str, number: object) -> None:
    """Raise GraphError unless `number` is finite and not negative."""
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        raise GraphError(f"{what} is {number!r}; it must be a number")
    if not (math.isfinite(number) and 0 <= number <= 1e30):
        raise GraphError(f"{what} is {number!r}; it must be finite and from 0 to 1e30")


def check_one_of(what: str, value: object, allowed: Sequence[str]) -> None:
    """Raise GraphError unless `value` is one of the allowed words."""
    if value not in allowed:
        raise GraphError(f"{what} is {value!r}; allowed are {', '.join(allowed)}")
