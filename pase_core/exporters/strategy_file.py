"""Strategies as files: a CSV for people and spreadsheets, JSON as the solver writes it.

    layer,dimension,split        {"schema": "pase.strategy/1",
    fc1,n,4                       "name": "mine", "note": "", "graph": {"name": "alexnet", ...},
    fc1,c,8                       "strategy": [{"layer": "fc1", "configuration": {"b": 1, ...}}]}

The CSV has a row per split above 1; what has no row is not split. The JSON is a solution
(`pase.solution/1`) or the same without how it was found (`pase.strategy/1`), and has every layer.
Whether a strategy also fits a number of devices is found out when it is priced.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePath

from pase_core.checks import MAX_SIZE, did_you_mean
from pase_core.errors import StrategyFileError
from pase_core.exporters.solution_json import Json, LayerRow, solution_to_dict
from pase_core.graph import MAX_LAYERS, Graph
from pase_core.json_reader import Entry, Format, read_json
from pase_core.layers import Layer
from pase_core.solve import Solution
from pase_core.strategy import PricedStrategy, Strategy

COLUMNS = ("layer", "dimension", "split")
SCHEMA = "pase.strategy/1"
SCHEMAS = (SCHEMA, "pase.solution/1")

MAX_FILE_BYTES = 5_000_000
MAX_NAME_LENGTH = 40

FORMAT = Format("a strategy as JSON", StrategyFileError, n_levels=4, max_bytes=MAX_FILE_BYTES)

_NEEDED = ("layer", "configuration")
"""Keys of a row of the JSON that are read."""

_SPACE = b"\xef\xbb\xbf \t\r\n"
_ADVICE = f"save it as CSV with the columns {','.join(COLUMNS)}, or as JSON"


# Writing


def strategy_to_csv(graph: Graph, strategy: Strategy) -> str:
    """A strategy as CSV: one row per dimension that is split, in the order of the graph."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for layer, configuration in zip(graph.layers, strategy.configurations, strict=True):
        for dimension, split in zip(layer.dimension_names, configuration, strict=True):
            if split > 1:
                writer.writerow((layer.name, dimension, split))
    return text.getvalue()


def strategy_to_dict(solution: Solution, priced: PricedStrategy) -> Json:
    """Any priced strategy of a solution's problem as plain data, schema `pase.strategy/1`."""
    data = solution_to_dict(replace(solution, found=priced))
    del data["search"]  # says how the solution's own strategy was found
    named: Json = {"name": priced.strategy.name, "note": priced.strategy.note}
    return {"schema": SCHEMA} | named | {k: v for k, v in data.items() if k != "schema"}


# Reading


def read_strategy_file(graph: Graph, path: str) -> Strategy:
    """Read a strategy from a file; errors as those of `strategy_from_file`, or if it is missing."""
    try:
        if not Path(path).is_file():
            raise StrategyFileError(f"{path!r} is no file; check the name")
        with Path(path).open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise StrategyFileError(f"{path!r} cannot be read: {reason}") from None
    return strategy_from_file(graph, data, path)


def strategy_from_file(graph: Graph, data: bytes, name: str) -> Strategy:
    """Read a strategy of a graph from the contents of a file, CSV or JSON.

    Args:
        graph: the network that the strategy is for.
        data: the contents.
        name: the file's name, for messages; its stem names the strategy.

    Raises:
        StrategyFileError: if the file is empty, too large or neither of the two, or if it does
            not fit the graph; the message names the line or place.
    """
    shown = name if name.isprintable() else repr(name)
    if len(data) > MAX_FILE_BYTES:
        raise StrategyFileError(f"{shown} is too large; a strategy has at most 5 MB")
    beginning = data[:1000].lstrip(_SPACE)
    if not data.strip(_SPACE):
        raise StrategyFileError(f"{shown} is empty; {_ADVICE}")
    stem = "".join(filter(str.isprintable, PurePath(name).stem)).strip()[:MAX_NAME_LENGTH]
    strategy = Strategy(stem or "from a file", (), f"Read from {shown}.")
    if beginning.startswith((b"{", b"[")) or name.lower().endswith(".json"):
        return _from_json(graph, read_json(data, shown, FORMAT), strategy)
    configurations = _from_csv(graph, data, shown)
    n_whole = sum(all(q == 1 for q in each) for each in configurations)
    n = len(configurations)
    note = f"{strategy.note} {n_whole} of {n} layers have no split in it and stay whole."
    return replace(strategy, configurations=configurations, note=note if n_whole else strategy.note)


def _check_split(layer: Layer, dimension: str, split: int) -> str | None:
    """What is wrong with a split, or None."""
    size = layer.sizes[layer.dimension_names.index(dimension)]
    if size % split == 0:
        return None
    return (
        f"split {split} does not divide dimension {dimension!r} of layer {layer.name!r}, whose "
        f"size is {size}; use a divisor"
    )


# JSON


def _from_json(graph: Graph, root: Entry, strategy: Strategy) -> Strategy:
    root.field("schema", f"it must be one of {', '.join(SCHEMAS)}").choice(SCHEMAS)
    network = root.field("graph")
    found = network.field("name")
    if found.text() != graph.name:
        found.refuse(f"is {_short(found.text())}; the network at hand is {graph.name!r}")
    n_layers = network.field("layers")
    if n_layers.size() != len(graph.layers):
        n_layers.refuse(
            f"is {n_layers.size()}; the network at hand, {graph.name!r}, has {len(graph.layers)}"
        )
    configurations = _configurations(graph, root.field("strategy"))
    keys = root.value if isinstance(root.value, dict) else {}
    return Strategy(
        name=root.field("name").word() if "name" in keys else strategy.name,
        configurations=configurations,
        note=root.field("note").text() if keys.get("note") else strategy.note,
    )


def _configurations(graph: Graph, strategy: Entry) -> tuple[tuple[int, ...], ...]:
    """Configurations in the order of the graph, from rows in any order."""
    layers = {layer.name: layer for layer in graph.layers}
    given: dict[str, tuple[int, ...]] = {}
    for row in strategy.items(MAX_LAYERS):
        fields = row.fields(
            _NEEDED, [key for key in LayerRow.__annotations__ if key not in _NEEDED]
        )
        name = fields["layer"].text()
        if name not in layers:
            fields["layer"].refuse(f"unknown layer {_short(name)}{did_you_mean(name, layers)}")
        if name in given:
            fields["layer"].refuse(f"layer {name!r} comes twice; keep one")
        given[name] = _configuration(layers[name], fields["configuration"])
    missing = [name for name in layers if name not in given]
    if missing:
        strategy.refuse(
            f"lacks {len(missing)} of the {len(layers)} layers, such as {missing[0]!r}; the file "
            "may belong to another network"
        )
    return tuple(given[name] for name in layers)


def _configuration(layer: Layer, entry: Entry) -> tuple[int, ...]:
    splits = []
    fields = entry.fields(layer.dimension_names)
    for dimension in layer.dimension_names:
        split = fields[dimension].size()
        complaint = _check_split(layer, dimension, split)
        if complaint:
            fields[dimension].refuse(complaint)
        splits.append(split)
    return tuple(splits)


# CSV


def _from_csv(graph: Graph, data: bytes, shown: str) -> tuple[tuple[int, ...], ...]:
    layers = {layer.name: layer for layer in graph.layers}
    splits: dict[tuple[str, str], tuple[int, int]] = {}
    for line, cells in _csv_rows(data, shown):
        try:
            layer, dimension, split = _csv_split(layers, *cells)
            first, _split = splits.get((layer.name, dimension), (0, 0))
            if first:
                raise StrategyFileError(
                    f"dimension {dimension!r} of layer {layer.name!r} has a split in line {first} "
                    "already; keep one"
                )
        except StrategyFileError as error:
            raise StrategyFileError(f"{shown}, line {line}: {error}") from None
        splits[layer.name, dimension] = (line, split)
    return tuple(
        tuple(splits.get((layer.name, name), (0, 1))[1] for name in layer.dimension_names)
        for layer in graph.layers
    )


def _csv_rows(data: bytes, shown: str) -> Iterator[tuple[int, tuple[str, str, str]]]:
    """Line number and the cells of COLUMNS of every row that is not blank."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise StrategyFileError(f"{shown} is not UTF-8 (byte {error.start}); {_ADVICE}") from None
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    columns: list[int] = []
    try:
        for row in rows:
            if not any(map(str.strip, row)):
                continue
            if not columns:
                columns = _csv_columns(row, f"{shown}, line {rows.line_num}")
                n_columns = len(row)
            elif len(row) != n_columns:
                raise StrategyFileError(
                    f"{shown}, line {rows.line_num} has {len(row)} cells, the header has "
                    f"{n_columns}"
                )
            else:
                layer, dimension, split = (row[column] for column in columns)
                yield rows.line_num, (layer, dimension, split)
    except csv.Error as error:
        raise StrategyFileError(
            f"{shown}, line {rows.line_num} is not CSV: {error}; {_ADVICE}"
        ) from None


def _csv_columns(header: list[str], place: str) -> list[int]:
    """Positions of COLUMNS in a header."""
    names = [cell.strip().lower() for cell in header]
    missing = [column for column in COLUMNS if column not in names]
    unknown = [name for name in names if name not in COLUMNS]
    if missing:
        raise StrategyFileError(
            f"{place} lacks the column{'s' if len(missing) > 1 else ''} {', '.join(missing)}; the "
            f"header must be {','.join(COLUMNS)}, with commas"
        )
    if unknown or len(names) > len(COLUMNS):
        extra = f"the unknown column {_short(unknown[0])}" if unknown else "a column twice"
        raise StrategyFileError(f"{place} has {extra}; the header must be {','.join(COLUMNS)}")
    return [names.index(column) for column in COLUMNS]


def _csv_split(
    layers: dict[str, Layer], name: str, dimension: str, text: str
) -> tuple[Layer, str, int]:
    """The layer, dimension and split that the cells of a row name."""
    layer = layers.get(name) or layers.get(name.strip())
    if layer is None:
        raise StrategyFileError(f"unknown layer {_short(name)}{did_you_mean(name, layers)}")
    dimension = dimension.strip()
    if dimension not in layer.dimension_names:
        raise StrategyFileError(
            f"layer {layer.name!r} has no dimension {_short(dimension)}; its dimensions are "
            f"{' '.join(layer.dimension_names) or 'none'}"
        )
    text = text.strip()
    is_count = text.isascii() and text.isdecimal() and len(text) <= 18
    if not is_count or not 1 <= int(text) <= MAX_SIZE:
        raise StrategyFileError(f"split {_short(text)} is no integer of at least 1")
    complaint = _check_split(layer, dimension, int(text))
    if complaint:
        raise StrategyFileError(complaint)
    return layer, dimension, int(text)


def _short(text: str) -> str:
    """Text from a file as it may stand in a one-line message."""
    return repr(text) if len(text) <= 60 else f"{text[:56]!r}..."
