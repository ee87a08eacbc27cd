"""A link between devices."""

from __future__ import annotations

from dataclasses import dataclass

from pase_core.checks import check_name, check_number
from pase_core.cluster_fields import FIELDS
from pase_core.errors import ClusterError


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
        check_name("a link", self.name, ClusterError)
        for figure in ("bytes_per_second", "latency_seconds"):
            field = FIELDS[f"intra_node.{figure}"]  # the other link's limits are the same
            what = f"{figure} of {self.name!r}"
            check_number(what, getattr(self, figure), field.least, field.most, ClusterError)
