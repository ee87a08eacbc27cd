"""From what a user names, a sample or a file, to a graph."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pase_core.checks import check_size, did_you_mean
from pase_core.errors import ImportFileError, OptionError
from pase_core.graph import Graph
from pase_core.importers import read_graph_file
from sample_graphs import SAMPLES


def check_batch(batch: int) -> None:
    """Raise OptionError unless a batch size is a positive integer of sane size."""
    check_size("the batch", batch, OptionError)


def sample_graph(name: str, batch: int | None = None) -> Graph:
    """Build a sample graph, with its own batch size if none is given.

    Raises:
        OptionError: if there is no such sample, or the batch size is out of range.
    """
    if name not in SAMPLES:
        raise OptionError(f"unknown sample {name!r}; known: {', '.join(SAMPLES)}")
    if batch is not None:
        check_batch(batch)
    sample = SAMPLES[name]
    return sample.build(batch or sample.batch)


def default_min_part(source: str) -> int:
    """Smallest part of a split dimension unless the user gives one: the sample's own, else 1."""
    return SAMPLES[source].min_part if source in SAMPLES else 1


def load_source(
    source: str, batch: int | None = None, bindings: Mapping[str, int] | None = None
) -> Graph:
    """Load a sample by its name or a graph from a file.

    Raises:
        ImportFileError: if the file cannot be read as a graph, or nothing has that name.
        OptionError: if the batch size is out of range.
    """
    if source in SAMPLES:
        if bindings:
            raise OptionError(f"sample {source!r} has no open dimensions to bind")
        return sample_graph(source, batch)
    path = Path(source)
    if path.suffix or "/" in source or "\\" in source or _exists(path):
        if batch is not None:
            check_batch(batch)
        return read_graph_file(path, batch=batch, bindings=bindings)
    raise ImportFileError(
        f"{source!r} is neither a file nor a sample; samples are {', '.join(SAMPLES)}"
        f"{did_you_mean(source, SAMPLES)}"
    )


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a name that no file can have
        return False
