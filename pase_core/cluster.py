"""Clusters: how fast the devices compute, what they hold and how they are linked.

A cluster is homogeneous: equal devices in equal nodes. Where a group of devices crosses links of
different speed, the slowest counts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import resources

from pase_core.checks import check_count, check_name, check_number, did_you_mean
from pase_core.cluster_file import FigureReader, FigureWriter
from pase_core.configurations import MAX_DEVICES
from pase_core.errors import ClusterError
from pase_core.graph import ELEMENT_BYTES
from pase_core.json_reader import Entry, Format, read_json
from pase_core.link import Link

__all__ = [
    "FIELDS",
    "GIVEN",
    "Cluster",
    "Link",
    "cluster_from_json",
    "cluster_to_json",
    "preset",
    "preset_names",
]

SCHEMA = "pase.cluster/1"
FORMAT = Format("a cluster", ClusterError, n_levels=3, max_bytes=1_000_000)
GIVEN = "given by the user"
"""The source of every figure that `Cluster.with_overrides` put in."""

_MAX_SOURCE_LENGTH = 1000
_TEXTS = ("schema", "name", "title", "device")
_PEAKS = "peak_flop_per_second"
_LINKS = ("intra_node", "inter_node")
_FIGURES = ("devices_per_node", "memory_bytes", "memory_bytes_per_second")
_LINK_FIGURES = ("bytes_per_second", "latency_seconds")
FIELDS = (
    *_FIGURES,
    *(f"{_PEAKS}.{element_type}" for element_type in ELEMENT_BYTES),
    *(f"{link}.{figure}" for link in _LINKS for figure in _LINK_FIGURES),
)
"""The fields that hold a figure, and so may have a source."""

_STAND_INS: Mapping[str, tuple[str, ...]] = {
    "float64": ("float64",),
    "float32": ("float32", "float64"),
    "float16": ("float16", "bfloat16", "float32", "float64"),
    "bfloat16": ("bfloat16", "float16", "float32", "float64"),
    "float8": ("float8", "bfloat16", "float16", "float32", "float64"),
}


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """Equal devices in equal nodes.

    Attributes:
        name: a short name, such as `h100-sxm`.
        title: for people, one line.
        device: the name of the GPU or TPU.
        n_devices: how many devices train the graph; the last node may be partly used.
        devices_per_node: how many devices the intra-node link joins.
        peak_flop_per_second: pairs of element type and dense FLOP/s of one device.
        memory_bytes: memory of one device.
        memory_bytes_per_second: between a device and its memory.
        intra_node: the link between devices of one node.
        inter_node: the link between devices of different nodes, a device's share of it.
        sources: pairs of a field (one of FIELDS) and where its figure is from.

    Raises:
        ClusterError: on a figure out of range, an unknown element type or an unknown field.
    """

    name: str
    title: str
    device: str
    n_devices: int = 8
    devices_per_node: int
    peak_flop_per_second: tuple[tuple[str, float], ...]
    memory_bytes: float
    memory_bytes_per_second: float
    intra_node: Link
    inter_node: Link
    sources: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        """Check every field."""
        for field in ("name", "title", "device"):
            check_name(f"the cluster's {field}", getattr(self, field), ClusterError)
        for field in ("n_devices", "devices_per_node"):
            check_count(field, getattr(self, field), MAX_DEVICES, ClusterError)
        for field in ("memory_bytes", "memory_bytes_per_second"):
            check_number(field, getattr(self, field), 1, 1e18, ClusterError)
        self._check_peaks()
        self._check_sources()

    def _check_peaks(self) -> None:
        """Check that there are peaks, each of another known element type."""
        types = [element_type for element_type, _ in self.peak_flop_per_second]
        if not types or len(set(types)) < len(types) or not set(types) <= set(ELEMENT_BYTES):
            raise ClusterError(
                f"peak_flop_per_second has the element types {', '.join(map(repr, types)) or '-'}; "
                f"give at least one, each once, of: {', '.join(ELEMENT_BYTES)}"
            )
        for element_type, peak in self.peak_flop_per_second:
            check_number(f"{_PEAKS} of {element_type}", peak, 1, 1e24, ClusterError)

    def _check_sources(self) -> None:
        """Check that each source is a text for another known field."""
        fields = [field for field, _ in self.sources]
        for field, text in self.sources:
            if field not in FIELDS or fields.count(field) > 1:
                raise ClusterError(
                    f"the source of {field!r} is for an unknown field or given twice; "
                    f"fields: {', '.join(FIELDS)}"
                )
            if not isinstance(text, str) or not 0 < len(text.strip()) <= _MAX_SOURCE_LENGTH:
                raise ClusterError(
                    f"the source of {field} must be a text of 1 to {_MAX_SOURCE_LENGTH} characters"
                )

    @property
    def n_nodes(self) -> int:
        """How many nodes the devices fill, the last one perhaps partly."""
        return -(-self.n_devices // self.devices_per_node)

    @property
    def link(self) -> Link:
        """The slowest link that a group of all devices crosses."""
        return self.link_of_group(self.n_devices)

    @property
    def bytes_per_second(self) -> float:
        """Bytes/s of the slowest link that a group of all devices crosses."""
        return self.link.bytes_per_second

    def link_of_group(self, n_devices: int) -> Link:
        """The slowest link that a group of `n_devices` neighbours crosses.

        Within a node that is the intra-node link, beyond it the slower of the two: the weakest
        counts. Of two equally fast links it is the inter-node link.
        """
        if n_devices <= self.devices_per_node:
            return self.intra_node
        return min(self.inter_node, self.intra_node, key=lambda link: link.bytes_per_second)

    def flop_per_second(self, element_type: str) -> float:
        """Peak FLOP/s of one device for an element type.

        The figure of a type that the device lacks is that of the next type at least as wide:
        float16 and bfloat16 stand in for each other, then float32, then float64; float8 takes
        bfloat16, then float16 and so on.

        Raises:
            ClusterError: if the type is unknown or wider than all that the device has.
        """
        if element_type not in _STAND_INS:
            raise ClusterError(
                f"unknown element type {element_type!r}; known: {', '.join(ELEMENT_BYTES)}"
                f"{did_you_mean(element_type, ELEMENT_BYTES)}"
            )
        peaks = dict(self.peak_flop_per_second)
        for stand_in in _STAND_INS[element_type]:
            if stand_in in peaks:
                return float(peaks[stand_in])
        raise ClusterError(
            f"{self.device} has no {element_type} arithmetic, only {', '.join(peaks)}; choose one "
            "of these element types, or give the FLOP/s yourself"
        )

    def with_devices(self, n_devices: int) -> Cluster:
        """The same cluster with another number of devices."""
        return replace(self, n_devices=n_devices)

    def with_overrides(
        self, flop_per_second: float | None = None, bytes_per_second: float | None = None
    ) -> Cluster:
        """The cluster with the user's figures; `sources` says which ones they are.

        Args:
            flop_per_second: FLOP/s of one device for every element type; None keeps the peaks.
            bytes_per_second: for both links, per direction and device; None keeps the links.
        """
        cluster, given = self, dict(self.sources)
        if flop_per_second is not None:
            peaks = tuple((element_type, flop_per_second) for element_type in ELEMENT_BYTES)
            cluster = replace(cluster, peak_flop_per_second=peaks)
            given |= {f"{_PEAKS}.{element_type}": GIVEN for element_type, _ in peaks}
        if bytes_per_second is not None:
            intra_node = replace(self.intra_node, bytes_per_second=bytes_per_second)
            inter_node = replace(self.inter_node, bytes_per_second=bytes_per_second)
            cluster = replace(cluster, intra_node=intra_node, inter_node=inter_node)
            given |= {f"{link}.bytes_per_second": GIVEN for link in _LINKS}
        return replace(cluster, sources=tuple(given.items()))


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


def cluster_from_json(text: str, source: str) -> Cluster:
    """Read a cluster in the form of `schemas/cluster.schema.json`.

    Args:
        text: the JSON text.
        source: the file's name, for messages.

    Raises:
        ClusterError: if the text breaks the form or a figure is out of range.
    """
    top = read_json(text, source, FORMAT)
    parts = top.fields((*_TEXTS, *_FIGURES, _PEAKS, *_LINKS), ("n_devices",))
    if parts["schema"].value != SCHEMA:
        parts["schema"].fail(repr(SCHEMA))
    figures = FigureReader()
    peaks = parts[_PEAKS].fields((), tuple(ELEMENT_BYTES))
    return top.make(
        Cluster,
        name=parts["name"].text(),
        title=parts["title"].text(),
        device=parts["device"].text(),
        n_devices=parts["n_devices"].integer() if "n_devices" in parts else 8,
        devices_per_node=figures.read("devices_per_node", parts).integer(),
        peak_flop_per_second=tuple(
            (element_type, figures.read(element_type, peaks, _PEAKS).number())
            for element_type in peaks
        ),
        memory_bytes=figures.read("memory_bytes", parts).number(),
        memory_bytes_per_second=figures.read("memory_bytes_per_second", parts).number(),
        intra_node=_read_link("intra_node", top, figures),
        inter_node=_read_link("inter_node", top, figures),
        sources=tuple(figures.sources),
    )


def _read_link(field: str, top: Entry, figures: FigureReader) -> Link:
    """Read one of the two links."""
    parts = top.field(field).fields(("name", *_LINK_FIGURES))
    speed, latency = (figures.read(figure, parts, field).number() for figure in _LINK_FIGURES)
    return top.make(Link, parts["name"].text(), speed, latency)


def cluster_to_json(cluster: Cluster) -> str:
    """Write a cluster so that `cluster_from_json` gives it back."""
    figures = FigureWriter(dict(cluster.sources))

    def link(field: str, link: Link) -> dict[str, object]:
        speeds = {name: figures.write(name, getattr(link, name), field) for name in _LINK_FIGURES}
        return {"name": link.name, **speeds}

    content = {
        "schema": SCHEMA,
        "name": cluster.name,
        "title": cluster.title,
        "device": cluster.device,
        "n_devices": cluster.n_devices,
        **{name: figures.write(name, getattr(cluster, name)) for name in _FIGURES},
        _PEAKS: {
            element_type: figures.write(element_type, peak, _PEAKS)
            for element_type, peak in cluster.peak_flop_per_second
        },
        "intra_node": link("intra_node", cluster.intra_node),
        "inter_node": link("inter_node", cluster.inter_node),
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"
