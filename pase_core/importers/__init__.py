"""From files to graphs: `load_graph` for bytes, `read_graph_file` for a path.

load_graph -> foreign_contents     a web page, an archive ... is refused with advice
           -> IMPORTERS            the first format that recognises the contents or the name
                JSON -> graph_from_json -> with_batch
                ONNX -> graph_from_onnx
"""

from __future__ import annotations

import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pase_core.errors import GraphError, ImportFileError, OptionError
from pase_core.graph import Graph
from pase_core.importers.batch import with_batch
from pase_core.importers.foreign import foreign_contents
from pase_core.importers.json_graph import graph_from_json

MAX_FILE_BYTES = 200_000_000

_SPACE = b"\xef\xbb\xbf \t\r\n"
_ONNX_START = 0x08
"""First byte of an ONNX file: the tag of its first field, the version."""


@dataclass(frozen=True, slots=True)
class Importer:
    """One file format.

    Attributes:
        recognises: whether data (first argument) in a file of some name (second) have the format.
        read: makes the graph from data, the file's name, a batch size or None for the file's
            own, and sizes of open dimensions by name.
    """

    recognises: Callable[[bytes, str], bool]
    read: Callable[[bytes, str, int | None, Mapping[str, int]], Graph]


def load_graph(
    data: bytes,
    name: str,
    *,
    batch: int | None = None,
    bindings: Mapping[str, int] | None = None,
) -> Graph:
    """Read a graph from the contents of a file, by what they are first and by the name second.

    Args:
        data: the contents.
        name: the file's name, for its suffix and for messages.
        batch: the batch size; None for the file's own.
        bindings: sizes of the file's open dimensions by name.

    Raises:
        ImportFileError: if the contents are too large, of no known format or no valid graph, or
            the batch cannot be changed.
        OpenDimensions: if sizes are open that `bindings` does not give.
        OptionError: if bindings are given for a file without open dimensions.
    """
    shown = name if name.isprintable() else repr(name)
    if len(data) > MAX_FILE_BYTES:
        raise _too_large(shown, len(data))
    what = foreign_contents(data)
    if what is not None:
        raise ImportFileError(f"{shown} is {what}")
    for importer in IMPORTERS.values():
        if importer.recognises(data, name):
            return importer.read(data, shown, batch, bindings or {})
    raise ImportFileError(
        f"{shown} is no graph in a known format; known are {', '.join(IMPORTERS)}"
    )


def read_graph_file(
    path: Path, *, batch: int | None = None, bindings: Mapping[str, int] | None = None
) -> Graph:
    """Read a graph from a file; arguments and errors as those of `load_graph`.

    Raises:
        ImportFileError: also if the file is missing, no regular file, or may not be read.
    """
    return load_graph(_file_bytes(path), str(path), batch=batch, bindings=bindings)


def _file_bytes(path: Path) -> bytes:
    """Contents of a regular file of bounded size."""
    shown = str(path) if str(path).isprintable() else repr(str(path))
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise ImportFileError(f"{shown} is a directory; name a file in it")
        if not stat.S_ISREG(status.st_mode):
            raise ImportFileError(f"{shown} is no regular file; save its contents in one")
        if status.st_size > MAX_FILE_BYTES:
            raise _too_large(shown, status.st_size)
        with path.open("rb") as file:
            return file.read(MAX_FILE_BYTES + 1)
    except FileNotFoundError:
        raise ImportFileError(f"{shown} does not exist; check the name") from None
    except PermissionError:
        raise ImportFileError(f"{shown} may not be read; give yourself permission") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ImportFileError(f"{shown} cannot be read: {reason}; name another file") from None


def _too_large(shown: str, n_bytes: int) -> ImportFileError:
    return ImportFileError(
        f"{shown} has {n_bytes} bytes; allowed are {MAX_FILE_BYTES}. Keep large weights in an "
        "external file when exporting; a graph needs none of them"
    )


def _is_json(data: bytes, name: str) -> bool:
    if data[:1000].lstrip(_SPACE).startswith(b"{"):
        return True
    return name.lower().endswith(".json") and data[0] != _ONNX_START


def _read_json(data: bytes, name: str, batch: int | None, bindings: Mapping[str, int]) -> Graph:
    if bindings:
        raise OptionError(
            f"{name} is a JSON graph, which has no open dimensions; leave out the sizes for "
            f"{', '.join(bindings)}"
        )
    graph = graph_from_json(data, name)
    if batch is None:
        return graph
    try:
        return with_batch(graph, batch)
    except GraphError as error:
        raise ImportFileError(f"{name}: {error}") from None


def _is_onnx(data: bytes, name: str) -> bool:
    return data[0] == _ONNX_START or name.lower().endswith(".onnx") or not _is_text(data[:1000])


def _is_text(data: bytes) -> bool:
    return not any(byte < 32 and byte not in b"\t\n\r\f\x1b" for byte in data)


def _read_onnx(data: bytes, name: str, batch: int | None, bindings: Mapping[str, int]) -> Graph:
    from pase_core.importers.onnx_graph import graph_from_onnx  # slow to import

    return graph_from_onnx(data, name, batch, bindings)


IMPORTERS: dict[str, Importer] = {
    "JSON": Importer(_is_json, _read_json),
    "ONNX": Importer(_is_onnx, _read_onnx),
}
"""File formats by name, in the order in which they are asked."""
