"""Strict reading of JSON: every complaint is one line that names the file and the place.

Nothing here knows graphs; `pase_core.importers.json_graph` says which keys there are.
"""

from __future__ import annotations

import difflib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn, ParamSpec, TypeVar

from pase_core.checks import MAX_NAME_LENGTH, MAX_SIZE
from pase_core.errors import GraphError, ImportFileError
from pase_core.importers.foreign import foreign_contents

MAX_JSON_BYTES = 100_000_000
"""Longest JSON text that is read; a graph of 50,000 layers has some 40 million characters."""

MAX_JSON_PARTS = 10_000_000
"""Most lists and objects in a JSON text, for the memory's sake; 50,000 layers have 1 to 3 million.
"""

MAX_TEXT_LENGTH = 10_000
MAX_NUMBER = 1e30

MAX_MESSAGE_LENGTH = 600
"""A complaint that quotes more of the file than this is cut in the middle."""

P = ParamSpec("P")
T = TypeVar("T")
S = TypeVar("S", bound=str)


@dataclass(slots=True)
class Entry:
    """A value from a JSON text and where it stood.

    Attributes:
        value: what `json.loads` made of it.
        source: the file's name, for messages.
        path: where in the file, such as `layers[3].name`; empty for the topmost value.
    """

    value: object
    source: str
    path: str = ""

    @property
    def place(self) -> str:
        """File and path, for messages."""
        return f"{self.source}: {self.path}" if self.path else self.source

    def fail(self, wanted: str) -> NoReturn:
        """Raise ImportFileError: this value is not what was wanted."""
        raise ImportFileError(f"{self.place} is {_short(self.value)}; it must be {wanted}")

    def refuse(self, complaint: str) -> NoReturn:
        """Raise ImportFileError: a complaint about this value, with its place in front."""
        if len(complaint) > MAX_MESSAGE_LENGTH:
            half = MAX_MESSAGE_LENGTH // 2
            complaint = f"{complaint[:half]} ... {complaint[-half:]}"
        raise ImportFileError(f"{self.place}: {complaint}") from None

    def make(self, build: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function and put this place in front of its complaints.

        Raises:
            ImportFileError: if `build` raises GraphError.
        """
        try:
            return build(*args, **kwargs)
        except GraphError as error:
            self.refuse(str(error))

    def fields(self, required: Sequence[str], optional: Sequence[str] = ()) -> dict[str, Entry]:
        """Entries by key of an object that has all required and no unknown keys."""
        found = self._object()
        known = (*required, *optional)
        for key in found:
            if key not in known:
                close = difflib.get_close_matches(key[:MAX_NAME_LENGTH], known, n=1)
                raise ImportFileError(
                    f"{self.place} has the unknown key {_short(key)}; allowed are "
                    f"{', '.join(known)}" + (f"; did you mean {close[0]!r}?" if close else "")
                )
        missing = [key for key in required if key not in found]
        if missing:
            raise ImportFileError(
                f"{self.place} lacks {', '.join(missing)}; required are {', '.join(required)}"
            )
        return {key: self._child(key, value) for key, value in found.items()}

    def field(self, key: str, advice: str = "add it") -> Entry:
        """The entry of one key of an object, whatever other keys it has."""
        found = self._object()
        if key not in found:
            raise ImportFileError(f"{self.place} lacks {key!r}; {advice}")
        return self._child(key, found[key])

    def items(self, most: int) -> Iterator[Entry]:
        """Entries of a list of at most `most` items."""
        if not isinstance(self.value, list):
            self.fail("a list")
        if len(self.value) > most:
            raise ImportFileError(
                f"{self.place} has {len(self.value)} items; allowed are at most {most}"
            )
        for i, value in enumerate(self.value):
            yield Entry(value, self.source, f"{self.path}[{i}]")

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
        """The value, which must be the size of a dimension or axis."""
        size = self.value
        if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= MAX_SIZE:
            self.fail(f"an integer from 1 to {MAX_SIZE}")
        return size

    def number(self) -> int | float:
        """The value, which must be a finite number that is not negative."""
        number = self.value
        if isinstance(number, bool) or not isinstance(number, (int, float)):
            self.fail("a number")
        if not 0 <= number <= MAX_NUMBER:
            self.fail(f"a number from 0 to {MAX_NUMBER:g}")
        return number

    def choice(self, allowed: Sequence[S]) -> S:
        """The value, which must be one of the strings allowed."""
        for option in allowed:
            if self.value == option:
                return option
        self.fail(("one of " if len(allowed) > 1 else "") + ", ".join(allowed))

    def _object(self) -> dict[str, object]:
        if not isinstance(self.value, dict):
            self.fail("an object")
        return self.value

    def _child(self, key: str, value: object) -> Entry:
        return Entry(value, self.source, f"{self.path}.{key}" if self.path else key)


def read_json(text: str | bytes, source: str) -> Entry:
    """Parse a JSON text strictly.

    Args:
        text: the JSON text; bytes must be UTF-8, with or without a byte order mark.
        source: the file's name or whatever the user calls it, for messages.

    Returns:
        The topmost value.

    Raises:
        ImportFileError: if the text is no JSON, too long or too deep, names a key twice, or has
            NaN, Infinity or a number of thousands of digits.
    """
    if len(text) > MAX_JSON_BYTES:
        raise ImportFileError(
            f"{source} has {len(text)} bytes; a JSON graph has at most {MAX_JSON_BYTES}"
        )
    decoded = text if isinstance(text, str) else _decoded(text, source)
    if decoded.count("[") + decoded.count("{") > MAX_JSON_PARTS:
        raise ImportFileError(f"{source} has more than {MAX_JSON_PARTS} lists and objects")
    if not decoded.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
        what = foreign_contents(decoded[:1000].encode("utf-8", "replace"))
        if what is not None:
            raise ImportFileError(f"{source} is {what}")
    return Entry(_parsed(decoded.removeprefix("\ufeff"), source), source)


def _decoded(data: bytes, source: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        what = foreign_contents(data)
        if what is None:
            what = f"not UTF-8 (byte {error.start}); save it as JSON in UTF-8"
        raise ImportFileError(f"{source} is {what}") from None


def _parsed(text: str, source: str) -> object:
    """Parse with the standard library, which is strict enough with these two hooks."""

    def reject_constant(constant: str) -> NoReturn:
        raise ImportFileError(f"{source} has the number {constant}; write a finite number")

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) < len(pairs):
            counts = Counter(key for key, _value in pairs)
            twice = counts.most_common(1)[0][0]
            raise ImportFileError(f"{source} names the key {_short(twice)} twice; keep one")
        return found

    try:
        parsed: object = json.loads(text, parse_constant=reject_constant, object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        raise ImportFileError(
            f"{source} is not JSON (line {error.lineno}, column {error.colno}: {error.msg}); "
            "correct it there"
        ) from None
    except RecursionError:
        raise ImportFileError(f"{source} is nested too deeply; a JSON graph has 8 levels") from None
    except ValueError:
        raise ImportFileError(
            f"{source} has a number with too many digits; the largest size is {MAX_SIZE}"
        ) from None
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
