"""A cluster in memory: frozen, checked, and changed figure by figure.

A cluster is homogeneous: equal devices in equal nodes. Where a group of devices crosses links of
different speed, the slowest counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

from pase_core.checks import check_count, check_name, check_number, did_you_mean
from pase_core.cluster_fields import FIELDS, LINKS, MAX_DEVICES_PER_NODE, PEAKS
from pase_core.configurations import MAX_DEVICES
from pase_core.errors import ClusterError
from pase_core.graph import ELEMENT_BYTES
from pase_core.link import Link

GIVEN = "given by the user"
"""The source of every figure that stands in place of a cluster's own."""

_MAX_SOURCE_LENGTH = 1000

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
        achievable_fraction: share of the peak FLOP/s and of the memory bandwidth that dense
            kernels reach, in (0, 1]; the cost model `paper` does not use it.
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
    achievable_fraction: float = 1.0
    intra_node: Link
    inter_node: Link
    sources: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        """Check every field."""
        for field in ("name", "title", "device"):
            check_name(f"the cluster's {field}", getattr(self, field), ClusterError)
        check_count("n_devices", self.n_devices, MAX_DEVICES, ClusterError)
        check_count("devices_per_node", self.devices_per_node, MAX_DEVICES_PER_NODE, ClusterError)
        for field in ("memory_bytes", "memory_bytes_per_second", "achievable_fraction"):
            limits = FIELDS[field].least, FIELDS[field].most
            check_number(field, getattr(self, field), *limits, ClusterError)
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
            limits = FIELDS[f"{PEAKS}.{element_type}"]
            what = f"{PEAKS} of {element_type}"
            check_number(what, peak, limits.least, limits.most, ClusterError)

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
        given: dict[str, float] = {}
        if flop_per_second is not None:
            given |= {f"{PEAKS}.{element_type}": flop_per_second for element_type in ELEMENT_BYTES}
        if bytes_per_second is not None:
            given |= {f"{link}.bytes_per_second": bytes_per_second for link in LINKS}
        return self.with_figures(given)

    def figure(self, field: str) -> float | None:
        """One of the figures in FIELDS; None for a peak that the device lacks."""
        group, _, element_type = field.rpartition(".")
        if group == PEAKS:
            return dict(self.peak_flop_per_second).get(element_type)
        return float(attrgetter(field)(self))

    def with_figures(self, figures: Mapping[str, float]) -> Cluster:
        """The cluster with other figures; `sources` says which ones they are.

        Args:
            figures: by name, a key of FIELDS; in SI base units.

        Raises:
            ClusterError: on an unknown name, or a figure out of range.
        """
        for name in figures:
            if name not in FIELDS:
                raise ClusterError(
                    f"unknown figure {name!r}; figures: {', '.join(FIELDS)}"
                    f"{did_you_mean(name, FIELDS)}"
                )
        changes: dict[str, Any] = {
            "sources": in_order(dict(self.sources) | dict.fromkeys(figures, GIVEN))
        }
        for name, figure in figures.items():
            group, _, part = name.rpartition(".")
            if group == PEAKS:
                peaks = dict(changes.get(PEAKS, self.peak_flop_per_second)) | {part: figure}
                changes[PEAKS] = tuple(peaks.items())
            elif group:
                link = changes.get(group, getattr(self, group))
                changes[group] = replace(link, **{part: figure})
            else:
                changes[name] = _whole(figure) if FIELDS[name].is_count else figure
        return replace(self, **changes)


def in_order(sources: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Sources by field as pairs, in the order of FIELDS; unknown fields come last."""
    known = [field for field in FIELDS if field in sources]
    others = [field for field in sources if field not in FIELDS]
    return tuple((field, sources[field]) for field in (*known, *others))


def _whole(figure: float) -> float:
    """A count as an integer, if it is one."""
    return int(figure) if float(figure).is_integer() else figure
