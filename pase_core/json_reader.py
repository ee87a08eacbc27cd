"""Strict reading of JSON: every complaint is one line that names the file and the place.

    read_json(text, source, format) -> Entry, the topmost value
    Entry.fields, .field, .items    -> the entries of its parts, path by path
    Entry.text, .number, ...        -> its value, if that is of the kind wanted

Nothing here knows what the files are about; their readers (`pase_core.importers.json_graph`,
`pase_core.cluster`) say which keys there are and, by a `Format`, how to complain.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn, ParamSpec, TypeVar

from pase_core.checks import (
    MAX_NAME_LENGTH,
    MAX_NUMBER,
    MAX_SIZE,
    did_you_mean,
    is_count,
    is_number,
)
from pase_core.errors import PaseError

MAX_JSON_PARTS = 10_000_000
"""Most lists and objects in a JSON text, for the memory's sake."""

MAX_TEXT_LENGTH = 10_000
MAX_MESSAGE_LENGTH = 600
"""A complaint that quotes more of the file than this is cut in the middle."""

P = ParamSpec("P")
T = TypeVar("T")
S = TypeVar("S", bound=str)


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of JSON file.

    Attributes:
        name: what such a file is called in advice, such as `a JSON graph`.
        error: the class of every complaint.
        n_levels: how deep such a file is nested, for advice.
        max_bytes: longest text that is read.
    """

    name: str
    error: type[PaseError]
    n_levels: int
    max_bytes: int


@dataclass(slots=True)
class Entry:
    """A value from a JSON text and where it stood.

    Every method that does not find what it wants raises `format.error`.

    Attributes:
        value: what `json.loads` made of it.
        source: the file's name, for messages.
        format: what kind of file it is.
        path: where in the file, such as `layers[3].name`; empty for the topmost value.
    """

    value: object
    source: str
    format: Format
    path: str = ""

    @property
    def place(self) -> str:
        """File and path, for messages."""
        return f"{self.source}: {self.path}" if self.path else self.source

    def fail(self, wanted: str) -> NoReturn:
        """Raise the format's error: this value is not what was wanted."""
        raise self._error(f"is {_short(self.value)}; it must be {wanted}")

    def refuse(self, complaint: str) -> NoReturn:
        """Raise the format's error: a complaint about this value, with its place in front."""
        if len(complaint) > MAX_MESSAGE_LENGTH:
            half = MAX_MESSAGE_LENGTH // 2
            complaint = f"{complaint[:half]} ... {complaint[-half:]}"
        raise self.format.error(f"{self.place}: {complaint}") from None

    def make(self, build: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function and put this place in front of its complaints, PaseErrors."""
        try:
            return build(*args, **kwargs)
        except PaseError as error:
            self.refuse(str(error))

    def fields(self, required: Sequence[str], optional: Sequence[str] = ()) -> dict[str, Entry]:
        """Entries by key of an object that has all required and no unknown keys."""
        found = self._object()
        known = (*required, *optional)
        for key in found:
            if key not in known:
                raise self._error(
                    f"has the unknown key {_short(key)}; allowed are "
                    f"{', '.join(known)}{did_you_mean(key, known)}"
                )
        missing = [key for key in required if key not in found]
        if missing:
            raise self._error(f"lacks {', '.join(missing)}; required are {', '.join(required)}")
        return {key: self._child(key, value) for key, value in found.items()}

    def field(self, key: str, advice: str = "add it") -> Entry:
        """The entry of one key of an object, whatever other keys it has."""
        found = self._object()
        if key not in found:
            raise self._error(f"lacks {key!r}; {advice}")
        return self._child(key, found[key])

    def items(self, most: int) -> Iterator[Entry]:
        """Entries of a list of at most `most` items."""
        if not isinstance(self.value, list):
            self.fail("a list")
        if len(self.value) > most:
            raise self._error(f"has {len(self.value)} items; allowed are at most {most}")
        for i, value in enumerate(self.value):
            yield Entry(value, self.source, self.format, f"{self.path}[{i}]")

    def text(self) -> str:
        """The value, which must be a string that is not too long and can be stored."""
        if not isinstance(self.value, str) or len(self.value) > MAX_TEXT_LENGTH:
            self.fail(f"a string of at most {MAX_TEXT_LENGTH} characters")
        if not self.value.isascii() and any(map(_is_surrogate, self.value)):
            self.fail("a string without the halves of characters, \\ud800 to \\udfff")
        return self.value

    def word(self, most: int = MAX_NAME_LENGTH) -> str:
        """The value, which must be a string of at most so many printable characters."""
        text = self.value
        if not isinstance(text, str) or len(text) > most or not text.isprintable():
            self.fail(f"a string of at most {most} printable characters")
        return text

    def boolean(self) -> bool:
        """The value, which must be true or false."""
        if not isinstance(self.value, bool):
            self.fail("true or false")
        return self.value

    def size(self) -> int:
        """The value, which must be an integer from 1 to MAX_SIZE; `8.0` does not count."""
        if not is_count(self.value, MAX_SIZE):
            self.fail(f"an integer from 1 to {MAX_SIZE}")
        return self.value

    def amount(self) -> int | float:
        """The value as it stands, which must be a number from 0 to MAX_NUMBER."""
        if not is_number(self.value):
            self.fail("a number")
        if not 0 <= self.value <= MAX_NUMBER:
            self.fail(f"a number from 0 to {MAX_NUMBER:g}")
        return self.value

    def number(self) -> float:
        """The value, which must be a number of either sign, at most 1e300."""
        if not is_number(self.value):
            self.fail("a number")
        if not -1e300 <= self.value <= 1e300:
            self.fail("a finite number, from -1e300 to 1e300")
        return float(self.value)

    def integer(self) -> int:
        """The value, which must be a whole number; `8.0` counts, `8.5` does not."""
        number = self.number()
        if not number.is_integer():
            self.fail("a whole number")
        return int(number)

    def choice(self, allowed: Sequence[S]) -> S:
        """The value, which must be one of the strings allowed."""
        for option in allowed:
            if self.value == option:
                return option
        self.fail(("one of " if len(allowed) > 1 else "") + ", ".join(allowed))

    def _error(self, complaint: str) -> PaseError:
        return self.format.error(f"{self.place} {complaint}")

    def _object(self) -> dict[str, object]:
        if not isinstance(self.value, dict):
            self.fail("an object")
        return self.value

    def _child(self, key: str, value: object) -> Entry:
        path = f"{self.path}.{key}" if self.path else key
        return Entry(value, self.source, self.format, path)


def read_json(text: str | bytes, source: str, format: Format) -> Entry:
    """Parse a JSON text strictly.

    Args:
        text: the JSON text; bytes must be UTF-8, with or without a byte order mark.
        source: the file's name or whatever the user calls it, for messages.
        format: what kind of file it is.

    Returns:
        The topmost value.

    Raises:
        PaseError: of the format's class, if the text is no JSON, too long or too deep, names a
            key twice, or has NaN, Infinity or a number of thousands of digits.
    """
    if len(text) > format.max_bytes:
        raise format.error(
            f"{source} has {len(text)} bytes; {format.name} has at most {format.max_bytes}"
        )
    decoded = text if isinstance(text, str) else _decoded(text, source, format)
    if decoded.count("[") + decoded.count("{") > MAX_JSON_PARTS:
        raise format.error(f"{source} has more than {MAX_JSON_PARTS} lists and objects")
    return Entry(_parsed(decoded.removeprefix("\ufeff"), source, format), source, format)


def _decoded(data: bytes, source: str, format: Format) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise format.error(
            f"{source} is not UTF-8 (byte {error.start}); save it as JSON in UTF-8"
        ) from None


def _parsed(text: str, source: str, format: Format) -> object:
    """Parse with the standard library, which is strict enough with these two hooks."""

    def reject_constant(constant: str) -> NoReturn:
        raise format.error(f"{source} has the number {constant}; write a finite number")

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) < len(pairs):
            counts = Counter(key for key, _value in pairs)
            twice = counts.most_common(1)[0][0]
            raise format.error(f"{source} names the key {_short(twice)} twice; keep one")
        return found

    try:
        parsed: object = json.loads(text, parse_constant=reject_constant, object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        raise format.error(
            f"{source} is not JSON (line {error.lineno}, column {error.colno}: {error.msg}); "
            "correct it there"
        ) from None
    except RecursionError:
        raise format.error(
            f"{source} is nested too deeply; {format.name} has {format.n_levels} levels"
        ) from None
    except ValueError:
        raise format.error(f"{source} has a number with too many digits; shorten it") from None
    return parsed


def _is_surrogate(character: str) -> bool:
    return "\ud800" <= character <= "\udfff"


def _short(value: object) -> str:
    """A value as it may stand in a one-line message, in JSON's words."""
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int) and abs(value) > 10**18:
        return "a very large number"
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:56]}..."
