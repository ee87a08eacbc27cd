"""A link between devices."""

from __future__ import annotations

from dataclasses import dataclass

from pase_core.cluster_checks import check_range, check_text


@dataclass(frozen=True, slots=True)
class Link:
    """What carries bytes from device to device.

    Attributes:
        name: such as `NVLink 4`.
        bytes_per_second: what one device sends while it receives as much.
        latency_seconds: from the start of a small message to its arrival.
    """

    name: str
    bytes_per_second: float
    latency_seconds: float = 0.0

    def __post_init__(self) -> None:
        """Check the name and the figures."""
        check_text("a link", self.name)
        check_range(f"bytes_per_second of {self.name!r}", self.bytes_per_second, 1, 1e18)
        check_range(f"latency_seconds of {self.name!r}", self.latency_seconds, 0, 10)
