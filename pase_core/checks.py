"""Checks of single values, shared by everything that people or files hand in.

Each check raises GraphError, or the error it is given.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import TypeGuard

from pase_core.errors import GraphError, PaseError

MAX_SIZE = 2**40
"""Largest size of a dimension or axis; with it, products stay far inside float64's range."""

MAX_NUMBER = 1e30
MAX_NAME_LENGTH = 300


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint with the known word closest to `word`, or the empty string.

    Example:
        >>> did_you_mean("alexnett", ["alexnet", "rnnlm"])
        "; did you mean 'alexnet'?"
    """
    close = difflib.get_close_matches(word[:MAX_NAME_LENGTH], known, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def is_count(value: object, most: int) -> TypeGuard[int]:
    """Whether a value is an integer from 1 to `most`; True is no integer."""
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether a value is a number; True is none, infinity and NaN are."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def check_name(kind: str, name: object, error: type[PaseError] = GraphError) -> None:
    """Raise an error unless `name` is a short, printable, non-empty string."""
    if not isinstance(name, str) or not name.strip():
        raise error(f"{kind} has the name {name!r}; a name is a non-empty string")
    if len(name) > MAX_NAME_LENGTH or not name.isprintable():
        raise error(
            f"{kind} name {name[:40]!r}... is too long or has control characters; "
            f"use at most {MAX_NAME_LENGTH} printable characters"
        )


def check_size(what: str, size: object, error: type[PaseError] = GraphError) -> None:
    """Raise an error unless `size` is an integer from 1 to MAX_SIZE."""
    if not is_count(size, MAX_SIZE):
        raise error(f"{what} has size {size!r}; a size is an integer from 1 to {MAX_SIZE}")


def check_count(what: str, count: object, most: int, error: type[PaseError] = GraphError) -> None:
    """Raise an error unless `count` is an integer from 1 to `most`."""
    if not is_count(count, most):
        raise error(f"{what} is {count!r}; it must be an integer from 1 to {most}")


def check_number(
    what: str,
    number: object,
    least: float = 0,
    most: float = MAX_NUMBER,
    error: type[PaseError] = GraphError,
) -> None:
    """Raise an error unless `number` is a number from `least` to `most`."""
    if not is_number(number):
        raise error(f"{what} is {number!r}; it must be a number")
    if not least <= number <= most:  # nor is NaN
        raise error(f"{what} is {number!r}; it must be from {least:g} to {most:g}")


def check_one_of(what: str, value: object, allowed: Sequence[str]) -> None:
    """Raise GraphError unless `value` is one of the allowed words."""
    if value not in allowed:
        raise GraphError(f"{what} is {value!r}; allowed are {', '.join(allowed)}")
