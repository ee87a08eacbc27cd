"""Strict reading of JSON for device setups: every complaint names the file and the place.

A figure stands there as a bare number, or as an object that says where it is from:
`{"value": 11.3e12, "source": "NVIDIA data sheet", "date": "2017-03"}`. In memory, source and
date are one text, `NVIDIA data sheet (2017-03)`.

Nothing here knows clusters; `pase_core.cluster` says which fields there are.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from pase_core.cluster_checks import did_you_mean
from pase_core.errors import ClusterError

MAX_CHARACTERS = 1_000_000
"""Longest text that is read; the presets have a few thousand characters."""

_DATED = re.compile(r"(.*\S) \((\d{4}(?:-\d\d)?(?:-\d\d)?)\)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Entry:
    """A value from a JSON text and where it stood.

    Attributes:
        value: what `json.loads` made of it.
        place: the file and the path to the value, for messages.
    """

    value: object
    place: str

    def fail(self, wanted: str) -> NoReturn:
        """Raise ClusterError: this value is not what was wanted."""
        raise ClusterError(f"{self.place} is {_short(self.value)}; it must be {wanted}")

    def fields(self, required: Sequence[str], optional: Sequence[str] = ()) -> dict[str, Entry]:
        """The fields of an object that has all required and no unknown keys."""
        if not isinstance(self.value, dict):
            self.fail("an object")
        known = (*required, *optional)
        for key in self.value:
            if key not in known:
                raise ClusterError(
                    f"{self.place} has the unknown key {_short(key)}; allowed: "
                    f"{', '.join(known)}{did_you_mean(key, known)}"
                )
        missing = [key for key in required if key not in self.value]
        if missing:
            raise ClusterError(f"{self.place} lacks {', '.join(missing)}; add it")
        return {key: Entry(value, f"{self.place}: {key}") for key, value in self.value.items()}

    def text(self) -> str:
        """The value, which must be a string."""
        if not isinstance(self.value, str):
            self.fail("a string")
        return self.value

    def number(self) -> float:
        """The value, which must be a finite number."""
        number = self.value
        if isinstance(number, bool) or not isinstance(number, (int, float)):
            self.fail("a number")
        if isinstance(number, int) and abs(number) > 10**300:
            self.fail("a number below 1e300")
        if not math.isfinite(number):
            self.fail("a finite number")
        return float(number)

    def integer(self) -> int:
        """The value, which must be a whole number; `8.0` counts, `8.5` does not."""
        number = self.number()
        if not number.is_integer():
            self.fail("a whole number")
        return int(number)


@dataclass(slots=True)
class FigureReader:
    """Reads figures and gathers where they are from.

    Attributes:
        sources: pairs of a field's full name and its source, in the order of reading.
    """

    sources: list[tuple[str, str]] = field(default_factory=list)

    def read(self, name: str, parent: Mapping[str, Entry], prefix: str = "") -> Entry:
        """The value of a figure; its source, if it has one, goes to `sources`.

        Args:
            name: the key in `parent`.
            parent: the fields of the object that holds the figure.
            prefix: the full name of that object; empty for the topmost.
        """
        entry = parent[name]
        if not isinstance(entry.value, dict):
            return entry
        parts = entry.fields(("value", "source"), ("date",))
        source = parts["source"].text()
        if "date" in parts:
            source = f"{source} ({parts['date'].text()})"
            if not _DATED.fullmatch(source):
                parts["date"].fail("a date such as 2024, 2024-03 or 2024-03-18")
        self.sources.append((f"{prefix}.{name}" if prefix else name, source))
        return parts["value"]


@dataclass(frozen=True, slots=True)
class FigureWriter:
    """Writes figures as `FigureReader` reads them.

    Attributes:
        sources: from a field's full name to its source, where it has one.
    """

    sources: Mapping[str, str]

    def write(self, name: str, value: float, prefix: str = "") -> object:
        """A figure with its source; `name` and `prefix` as in `FigureReader.read`."""
        number = int(value) if float(value).is_integer() else value
        source = self.sources.get(f"{prefix}.{name}" if prefix else name)
        if source is None:
            return number
        dated = _DATED.fullmatch(source)
        if dated:
            return {"value": number, "source": dated[1], "date": dated[2]}
        return {"value": number, "source": source}


def read_json(text: str, source: str) -> Entry:
    """Parse a JSON text strictly.

    Args:
        text: the JSON text.
        source: the file's name or whatever the user calls it, for messages.

    Returns:
        The topmost value.

    Raises:
        ClusterError: if the text is no JSON, too long or too deep, names a key twice, or has
            NaN or Infinity.
    """
    if len(text) > MAX_CHARACTERS:
        raise ClusterError(
            f"{source} has {len(text)} characters; a device setup has at most {MAX_CHARACTERS}"
        )

    def reject_constant(constant: str) -> NoReturn:
        raise ClusterError(f"{source} has the number {constant}; write a finite number")

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found: dict[str, object] = {}
        for key, value in pairs:
            if key in found:
                raise ClusterError(f"{source} names the key {_short(key)} twice; keep one")
            found[key] = value
        return found

    try:
        value = json.loads(text, parse_constant=reject_constant, object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        raise ClusterError(
            f"{source} is not JSON (line {error.lineno}, column {error.colno}: {error.msg}); "
            "correct it there"
        ) from None
    except RecursionError:
        raise ClusterError(f"{source} is nested too deeply; a device setup has 3 levels") from None
    except ValueError:
        raise ClusterError(f"{source} has a number with too many digits; shorten it") from None
    return Entry(value, source)


def _short(value: object) -> str:
    """A value as it may stand in a one-line message."""
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    if isinstance(value, int) and abs(value) > 10**18:
        return "a very large number"
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:56]}..."
