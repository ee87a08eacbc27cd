"""Name the contents of files that are no graph, so that a refusal can say what they are."""

from __future__ import annotations

_SPACE = b"\xef\xbb\xbf \t\r\n"
"""White space, and the byte order mark of UTF-8."""

_DOWNLOAD = "it looks like a failed download; get the file itself"
_EXPORT = "export the model to ONNX instead"

_BEGINNINGS: tuple[tuple[bytes, str, str], ...] = (
    (b"version https://git-lfs", "a Git LFS pointer", "fetch the file with 'git lfs pull'"),
    (b"<!doctype", "an HTML page", _DOWNLOAD),
    (b"<html", "an HTML page", _DOWNLOAD),
    (b"<?xml", "an XML document", _DOWNLOAD),
    (b"<svg", "an SVG image", _DOWNLOAD),
    (b"\x89png", "a PNG image", _DOWNLOAD),
    (b"\xff\xd8\xff", "a JPEG image", _DOWNLOAD),
    (b"gif8", "a GIF image", _DOWNLOAD),
    (b"%pdf", "a PDF document", _DOWNLOAD),
    (b"pk\x03\x04", "a zip archive, such as PyTorch and Keras write", f"unpack it or {_EXPORT}"),
    (b"\x1f\x8b", "a gzip archive", "unpack it first"),
    (b"\x80\x02", "a Python pickle", _EXPORT),
    (b"\x80\x03", "a Python pickle", _EXPORT),
    (b"\x80\x04", "a Python pickle", _EXPORT),
    (b"\x80\x05", "a Python pickle", _EXPORT),
    (b"\x89hdf", "an HDF5 file, such as Keras writes", _EXPORT),
    (b"gguf", "a GGUF file of weights", _EXPORT),
    (b"\xff\xfe", "a text in UTF-16", "save it as UTF-8"),
    (b"\xfe\xff", "a text in UTF-16", "save it as UTF-8"),
)
"""First bytes in lower case, what they tell, and what to do about it."""


def foreign_contents(data: bytes) -> str | None:
    """Say what the data are if they are known and no graph, and what to do; None otherwise.

    Example:
        >>> foreign_contents(b"<html>Not found</html>")
        'an HTML page; it looks like a failed download; get the file itself'
    """
    if not data.strip(_SPACE):
        return "empty; choose a file with a graph"
    beginning = data[:200].lstrip(_SPACE).lower()
    for first_bytes, what, advice in _BEGINNINGS:
        if beginning.startswith(first_bytes):
            return f"{what}; {advice}"
    if data[8:10] == b'{"' and int.from_bytes(data[:8], "little") < len(data):
        return f"a safetensors file of weights; {_EXPORT}"
    if data[4:8] == b"TFL3":
        return f"a TensorFlow Lite model; {_EXPORT}"
    return None
