"""Every figure of a cluster explained: what it is, its units, what it may be.

The one place for these words; the command line and the explorer show them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from pase_core.graph import ELEMENT_BYTES

MAX_DEVICES_PER_NODE = 1_000_000
PEAKS = "peak_flop_per_second"
LINKS = ("intra_node", "inter_node")


@dataclass(frozen=True, slots=True)
class Field:
    """What a figure of a cluster is.

    Attributes:
        label: a few words, without the unit.
        meaning: in a sentence.
        unit: SI base unit of the figure; empty for counts and shares.
        shown_unit: the unit for people; empty for counts.
        power: one `shown_unit` is ten to this power of `unit`.
        least: smallest figure allowed, in `unit`.
        most: greatest figure allowed, in `unit`.
        is_count: whether it is a whole number.
    """

    label: str
    meaning: str
    unit: str
    shown_unit: str
    power: int
    least: float
    most: float
    is_count: bool = False

    @property
    def title(self) -> str:
        """The label with the unit for people.

        Example:
            >>> FIELDS["intra_node.bytes_per_second"].title
            'Bandwidth inside a node [GB/s]'
        """
        return f"{self.label} [{self.shown_unit}]" if self.shown_unit else self.label

    @property
    def limits(self) -> tuple[float, float]:
        """Smallest and greatest figure allowed, in `shown_unit`."""
        return self.to_shown(self.least), self.to_shown(self.most)

    def to_shown(self, figure: float) -> float:
        """A figure in `shown_unit`, decimal digit by digit: 3.4e-06 s are 3.4 µs exactly."""
        return figure if self.is_count else _shifted(figure, -self.power)

    def from_shown(self, figure: float) -> float:
        """A figure in `unit` from one in `shown_unit`."""
        return figure if self.is_count else _shifted(figure, self.power)


def _shifted(figure: float, power: int) -> float:
    return float(Decimal(repr(float(figure))).scaleb(power))


def _peak(element_type: str) -> Field:
    return Field(
        f"Peak in {element_type}",
        f"Dense FLOP/s of one device in {element_type}, as published; a multiply-add counts two. "
        "A type without a figure computes as the next one at least as wide.",
        *("FLOP/s", "TFLOP/s", 12, 1, 1e24),
    )


def _bandwidth(where: str, what: str) -> Field:
    return Field(
        f"Bandwidth {where}",
        f"Bytes/s that one device sends to {what} while it receives as much: per direction, and "
        "the device's own share where several share a link.",
        *("B/s", "GB/s", 9, 1, 1e18),
    )


def _latency(where: str, what: str) -> Field:
    return Field(
        f"Latency {where}",
        f"Seconds from the start of a small message to its arrival at {what}.",
        *("s", "µs", -6, 0, 10),
    )


_INSIDE = ("inside a node", "another device of its node")
_BETWEEN = ("between nodes", "a device of another node")

FIELDS: Mapping[str, Field] = {
    "devices_per_node": Field(
        "Devices per node",
        "Devices that the links inside a node join; beyond them messages cross the links between "
        "nodes.",
        *("", "", 0, 1, MAX_DEVICES_PER_NODE),
        is_count=True,
    ),
    "memory_bytes": Field(
        "Memory per device",
        "Bytes that one device holds.",
        *("B", "GB", 9, 1, 1e18),
    ),
    "memory_bytes_per_second": Field(
        "Memory bandwidth",
        "Bytes/s between one device and its own memory, as published.",
        *("B/s", "GB/s", 9, 1, 1e18),
    ),
    "achievable_fraction": Field(
        "Achievable share of the peak",
        "Share of the peak FLOP/s and of the memory bandwidth that dense kernels reach; one number "
        "per device. The paper's cost model takes the peak itself.",
        *("", "%", -2, 1e-6, 1),
    ),
    **{f"{PEAKS}.{element_type}": _peak(element_type) for element_type in ELEMENT_BYTES},
    "intra_node.bytes_per_second": _bandwidth(*_INSIDE),
    "intra_node.latency_seconds": _latency(*_INSIDE),
    "inter_node.bytes_per_second": _bandwidth(*_BETWEEN),
    "inter_node.latency_seconds": _latency(*_BETWEEN),
}
"""The figures of a cluster by their names in its file; each may have a source."""
