"""Clusters: how fast the devices compute, what they hold and how they are linked.

preset("h100-sxm", 16)           a cluster that comes with the package
load_cluster("mine.json")        one from a file, or a preset by its name
cluster_from_json(text, name)    <-> cluster_to_json(cluster), schema `pase.cluster/1`
"""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

from pase_core.checks import did_you_mean
from pase_core.cluster_data import GIVEN, Cluster, in_order
from pase_core.cluster_fields import FIELDS, LINKS, PEAKS
from pase_core.cluster_file import FigureReader, FigureWriter
from pase_core.errors import ClusterError
from pase_core.graph import ELEMENT_BYTES
from pase_core.json_reader import Entry, Format, read_json
from pase_core.link import Link

__all__ = [
    "FIELDS",
    "GIVEN",
    "Cluster",
    "Link",
    "cluster_from_entry",
    "cluster_from_json",
    "cluster_to_dict",
    "cluster_to_json",
    "load_cluster",
    "preset",
    "preset_names",
]

SCHEMA = "pase.cluster/1"
MAX_FILE_BYTES = 1_000_000
FORMAT = Format("a cluster", ClusterError, n_levels=3, max_bytes=MAX_FILE_BYTES)

_TEXTS = ("schema", "name", "title", "device")
_FIGURES = ("devices_per_node", "memory_bytes", "memory_bytes_per_second")
_FRACTION = "achievable_fraction"
_LINK_FIGURES = ("bytes_per_second", "latency_seconds")


def preset_names() -> tuple[str, ...]:
    """The names of the clusters that come with the package, in alphabetical order."""
    folder = resources.files("pase_core") / "clusters"
    names = (file.name for file in folder.iterdir())
    return tuple(sorted(name.removesuffix(".json") for name in names if name.endswith(".json")))


def preset(name: str, n_devices: int = 8) -> Cluster:
    """A cluster that comes with the package.

    Args:
        name: one of `preset_names()`.
        n_devices: how many devices.

    Raises:
        ClusterError: if there is no such cluster, or `n_devices` is out of range.

    Example:
        >>> preset("gtx-1080-ti", 32).n_nodes
        4
    """
    names = preset_names()
    if name not in names:
        raise ClusterError(
            f"unknown cluster {name!r}; known: {', '.join(names)}{did_you_mean(name, names)}"
        )
    file = resources.files("pase_core") / "clusters" / f"{name}.json"
    return cluster_from_json(file.read_text("utf-8"), file.name).with_devices(n_devices)


def load_cluster(name_or_file: str, n_devices: int | None = None) -> Cluster:
    """A cluster that comes with the package, by its name, or one from a JSON file.

    Args:
        name_or_file: one of `preset_names()`, or a path; a path has a suffix or a slash, or
            there is such a file.
        n_devices: how many devices; None for the file's own number, 8 for presets.

    Raises:
        ClusterError: if there is neither, or the file cannot be read as a cluster.
    """
    path = Path(name_or_file)
    if name_or_file in preset_names():
        cluster = preset(name_or_file)
    elif path.suffix or "/" in name_or_file or "\\" in name_or_file or _is_file(path):
        cluster = _read_file(path)
    else:
        names = preset_names()
        raise ClusterError(
            f"unknown cluster {name_or_file!r}: neither a file nor one of {', '.join(names)}"
            f"{did_you_mean(name_or_file, names)}"
        )
    return cluster if n_devices is None else cluster.with_devices(n_devices)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name that no file can have
        return False


def _read_file(path: Path) -> Cluster:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "no file can have this name"
        raise ClusterError(
            f"cannot read the cluster {str(path)!r}: {reason}; give a JSON file, or one of "
            f"{', '.join(preset_names())}"
        ) from None
    return cluster_from_json(data, path.name)


def cluster_from_json(text: str | bytes, source: str) -> Cluster:
    """Read a cluster in the form of `schemas/cluster.schema.json`.

    Args:
        text: the JSON text.
        source: the file's name, for messages.

    Raises:
        ClusterError: if the text breaks the form or a figure is out of range.
    """
    return cluster_from_entry(read_json(text, source, FORMAT))


def cluster_from_entry(top: Entry) -> Cluster:
    """Read a cluster that stands in a larger JSON text.

    Raises:
        PaseError: of the text's class, if it breaks the form or a figure is out of range.
    """
    schema = top.field("schema", f"a cluster has the schema {SCHEMA}")
    if schema.value != SCHEMA:
        schema.fail(repr(SCHEMA))
    parts = top.fields((*_TEXTS, *_FIGURES, PEAKS, *LINKS), ("n_devices", _FRACTION))
    figures = FigureReader()
    peaks = parts[PEAKS].fields((), tuple(ELEMENT_BYTES))
    return top.make(
        Cluster,
        name=parts["name"].text(),
        title=parts["title"].text(),
        device=parts["device"].text(),
        n_devices=parts["n_devices"].integer() if "n_devices" in parts else 8,
        devices_per_node=figures.read("devices_per_node", parts).integer(),
        peak_flop_per_second=tuple(
            (element_type, figures.read(element_type, peaks, PEAKS).number())
            for element_type in peaks
        ),
        memory_bytes=figures.read("memory_bytes", parts).number(),
        memory_bytes_per_second=figures.read("memory_bytes_per_second", parts).number(),
        achievable_fraction=(
            figures.read(_FRACTION, parts).number() if _FRACTION in parts else 1.0
        ),
        intra_node=_read_link("intra_node", top, figures),
        inter_node=_read_link("inter_node", top, figures),
        sources=in_order(dict(figures.sources)),
    )


def _read_link(field: str, top: Entry, figures: FigureReader) -> Link:
    """Read one of the two links."""
    parts = top.field(field).fields(("name", *_LINK_FIGURES))
    speed, latency = (figures.read(figure, parts, field).number() for figure in _LINK_FIGURES)
    return top.make(Link, parts["name"].text(), speed, latency)


def cluster_to_json(cluster: Cluster) -> str:
    """Write a cluster so that `cluster_from_json` gives it back."""
    return json.dumps(cluster_to_dict(cluster), indent=2, ensure_ascii=False) + "\n"


def cluster_to_dict(cluster: Cluster) -> dict[str, object]:
    """A cluster as plain data, as it stands in its file."""
    figures = FigureWriter(dict(cluster.sources))

    def link(field: str, link: Link) -> dict[str, object]:
        speeds = {name: figures.write(name, getattr(link, name), field) for name in _LINK_FIGURES}
        return {"name": link.name, **speeds}

    return {
        "schema": SCHEMA,
        "name": cluster.name,
        "title": cluster.title,
        "device": cluster.device,
        "n_devices": cluster.n_devices,
        **{name: figures.write(name, getattr(cluster, name)) for name in (*_FIGURES, _FRACTION)},
        PEAKS: {
            element_type: figures.write(element_type, peak, PEAKS)
            for element_type, peak in cluster.peak_flop_per_second
        },
        "intra_node": link("intra_node", cluster.intra_node),
        "inter_node": link("inter_node", cluster.inter_node),
    }
