"""Figures of a cluster as they stand in its JSON file.

A figure stands there as a bare number, or as an object that says where it is from:
`{"value": 11.3e12, "source": "NVIDIA data sheet", "date": "2017-03"}`. In memory, source and
date are one text, `NVIDIA data sheet (2017-03)`.

Nothing here knows clusters; `pase_core.cluster` says which fields there are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from pase_core.json_reader import Entry

_DATED = re.compile(r"(.*\S) \((\d{4}(?:-\d\d)?(?:-\d\d)?)\)", re.DOTALL)


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
