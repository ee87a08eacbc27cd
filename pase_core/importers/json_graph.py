"""Graphs as JSON, schema `pase.graph/1`: one object per data class, one key per field.

    {"schema": "pase.graph/1", "name": "one layer",
     "tensors": [{"name": "x", "sizes": [32, 64]}, {"name": "w", "sizes": [64, 128]},
                 {"name": "y", "sizes": [32, 128]}],
     "layers": [
      {"name": "fc", "operation": "fully connected",
       "dimensions": [{"name": "b", "size": 32}, {"name": "n", "size": 128},
                      {"name": "c", "size": 64}],
       "inputs": [{"tensor": "x", "axes": "b c"}],
       "outputs": [{"tensor": "y", "axes": "b n"}],
       "parameters": [{"tensor": "w", "axes": "c n"}],
       "work": [{"over": ["b", "n", "c"], "count": 3, "unit": "multiply_add"}]}]}

The keys, their meaning and their defaults are those of `Graph`, `Layer` and their parts; axes are
written in the notation of `pase_core.axes`, and a message has its `kind` in front. What equals
the default may be left out, and is left out when written. `pase_core/schemas/graph.schema.json`
describes the same format for other programs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields
from typing import Any, TypeVar, cast, get_args, get_type_hints

from pase_core.axes import Axis, parse_axes
from pase_core.errors import ImportFileError
from pase_core.graph import ELEMENT_BYTES, MAX_LAYERS, Graph
from pase_core.importers.foreign import foreign_contents
from pase_core.json_reader import Entry, Format, read_json
from pase_core.layers import (
    MAX_DIMENSIONS,
    Access,
    Dimension,
    Layer,
    Reduction,
    Tensor,
    Work,
)
from pase_core.messages import MESSAGES, Component, Message, Relayout, Window

SCHEMA = "pase.graph/1"
FORMAT = Format("a JSON graph", ImportFileError, n_levels=8, max_bytes=100_000_000)
"""A graph of 50,000 layers has some 40 million characters, and 1 to 3 million lists and objects."""

MAX_TENSORS = 10 * MAX_LAYERS
MAX_AXES_LENGTH = 2_000
MAX_PARTS = 10_000
"""Most inputs, outputs, parameters, terms of work, messages or fused operations of a layer."""

_COMPONENTS: tuple[Component, ...] = get_args(Component)
_UNITS: tuple[str, ...] = get_args(get_type_hints(Work)["unit"])

T = TypeVar("T")
Reader = Callable[[Entry], T]


# Reading


def _each(read: Reader[T], most: int) -> Reader[tuple[T, ...]]:
    """Make the reader of a list of at most `most` items."""
    return lambda entry: tuple(read(item) for item in entry.items(most))


def _form(
    build: Callable[..., T], readers: Mapping[str, Reader[object]], *, also: Sequence[str] = ()
) -> Reader[T]:
    """Make the reader of a data class: a key per field, required where the field has no default.

    Args:
        build: the data class.
        readers: how to read each field.
        also: further required keys, which somebody else reads.
    """
    parts = fields(cast(Any, build))
    required = (*also, *(part.name for part in parts if part.default is MISSING))
    optional = tuple(part.name for part in parts if part.default is not MISSING)

    def read(entry: Entry) -> T:
        found = entry.fields(required, optional)
        values = {key: readers[key](part) for key, part in found.items() if key not in also}
        return entry.make(build, **values)

    return read


def _axes(entry: Entry) -> tuple[Axis, ...]:
    axes = entry.make(parse_axes, entry.word(MAX_AXES_LENGTH))
    n_names = sum(len(axis.dimensions) for axis in axes)
    if max(n_names, len(axes)) > MAX_DIMENSIONS:
        entry.refuse(f"{len(axes)} axes with {n_names} names; at most {MAX_DIMENSIONS} are allowed")
    return axes


def _component(entry: Entry) -> Component:
    return entry.choice(_COMPONENTS)


def _unit(entry: Entry) -> str:
    return entry.choice(_UNITS)


def _message(entry: Entry) -> Message:
    message = _MESSAGE_READERS[entry.field("kind").choice(tuple(MESSAGES))](entry)
    if isinstance(message, Relayout) and len(message.held) != len(message.needed):
        entry.refuse("held and needed cut the same tensor, so they must be equally long")
    return message


_names = _each(Entry.word, MAX_DIMENSIONS)
_REDUCTION_FIELDS = {
    "tile": _names,
    "over": _names,
    "scale": Entry.amount,
    "prototype": Entry.boolean,
}
_MESSAGE_FIELDS: dict[str, Reader[object]] = {
    **_REDUCTION_FIELDS,
    "component": _component,
    "held": _names,
    "needed": _names,
    "times": _names,
    "windows": _each(
        _form(Window, {"dimension": Entry.word, "extent": Entry.size, "width": Entry.size}),
        MAX_DIMENSIONS,
    ),
}
_MESSAGE_READERS: dict[str, Reader[Message]] = {
    kind: _form(message, _MESSAGE_FIELDS, also=("kind",)) for kind, message in MESSAGES.items()
}
_accesses = _each(
    _form(
        Access,
        {
            "tensor": Entry.word,
            "axes": _axes,
            "reduction": _form(Reduction, _REDUCTION_FIELDS),
        },
    ),
    MAX_PARTS,
)
_read_dimension = _form(
    Dimension, {"name": Entry.word, "size": Entry.size, "splittable": Entry.boolean}
)
_read_work = _form(
    Work,
    {"over": _names, "count": Entry.amount, "unit": _unit, "prototype": Entry.boolean},
)
_read_layer = _form(
    Layer,
    {
        "name": Entry.word,
        "operation": Entry.word,
        "dimensions": _each(_read_dimension, MAX_DIMENSIONS),
        "inputs": _accesses,
        "outputs": _accesses,
        "parameters": _accesses,
        "work": _each(_read_work, MAX_PARTS),
        "messages": _each(_message, MAX_PARTS),
        "row_major": _each(_names, MAX_DIMENSIONS),
        "fused": _each(Entry.word, MAX_PARTS),
    },
)
_read_tensor = _form(Tensor, {"name": Entry.word, "sizes": _each(Entry.size, MAX_DIMENSIONS)})
_read_graph = _form(
    Graph,
    {
        "name": Entry.word,
        "tensors": _each(_read_tensor, MAX_TENSORS),
        "layers": _each(_read_layer, MAX_LAYERS),
        "element_type": lambda entry: entry.choice(tuple(ELEMENT_BYTES)),
        "note": Entry.text,
    },
    also=("schema",),
)


def graph_from_json(text: str | bytes, source: str = "the file") -> Graph:
    """Read a graph from JSON.

    Args:
        text: the JSON text; bytes are UTF-8.
        source: the file's name, for messages.

    Raises:
        ImportFileError: if the text is not JSON, does not follow the schema, or describes an
            impossible graph; one line that names the place, such as `layers[3].name`.
    """
    beginning = text if isinstance(text, bytes) else _beginning(text)
    what = foreign_contents(beginning)
    if what is not None:
        raise ImportFileError(f"{source} is {what}")
    entry = read_json(text, source, FORMAT)
    entry.field("schema", f'a JSON graph says "schema": "{SCHEMA}"').choice((SCHEMA,))
    return _read_graph(entry)


def _beginning(text: str) -> bytes:
    return text.lstrip("\ufeff \t\r\n")[:1000].encode("utf-8", "replace")


# Writing


def graph_to_json(graph: Graph) -> str:
    """Write a graph as JSON: pure ASCII, a line per tensor and per field of a layer.

    What equals its default is left out, and `graph_from_json(graph_to_json(graph)) == graph`.
    """
    content = _plain(graph)
    tensors = [f"  {json.dumps(tensor)}" for tensor in content.pop("tensors")]
    layers = [_layer_text(layer) for layer in content.pop("layers")]
    heads = [f"{json.dumps(k)}: {json.dumps(v)}" for k, v in {"schema": SCHEMA, **content}.items()]
    return (
        "{\n"
        + "".join(f"{head},\n" for head in heads)
        + f'"tensors": {_block(tensors)},\n"layers": {_block(layers)}\n'
        + "}\n"
    )


def _block(lines: Sequence[str]) -> str:
    return "[\n" + ",\n".join(lines) + "\n]" if lines else "[]"


def _layer_text(layer: Mapping[str, object]) -> str:
    parts = (f"{json.dumps(key)}: {json.dumps(value)}" for key, value in layer.items())
    return "  {" + ",\n   ".join(parts) + "}"


def _plain(part: Any) -> dict[str, Any]:
    """A data class as an object without the fields that equal their defaults."""
    plain = {"kind": part.kind} if isinstance(part, Message) else {}
    for field in fields(part):
        value = getattr(part, field.name)
        if field.default is MISSING or value != field.default:
            plain[field.name] = _axes_text(part) if field.name == "axes" else _value(value)
    return plain


def _value(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_value(item) for item in value]
    return value if isinstance(value, (str, int, float)) else _plain(value)


def _axes_text(access: Access) -> str:
    return " ".join(map(str, access.axes))
