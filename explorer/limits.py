"""What the sidebar's widgets accept; files with scenarios are held to the same."""

from __future__ import annotations

DEVICE_COUNTS = (
    1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024,
)  # fmt: skip

COUNT_LIMITS = {
    "batch": (1, 2**24),
    "min_part": (1, 4096),
    "word_bytes": (1, 16),
    "size": (1, 2**30),
}
"""Smallest and largest whole number of each kind; `size` is of a dimension left open."""

FIGURE_LIMITS = {"tera_flops": (1e-3, 1e6), "giga_bytes": (1e-6, 1e6), "memory_limit": (1e-6, 1e6)}
"""Smallest and largest figure of a device, of a link, and of what a device may hold [GB]."""

MULTIPLY_ADD = (1, 2)
"""FLOP that a multiply-add may count as."""

MAX_UPLOAD_MEGABYTES = 200
"""Largest file with a network, in units of 2**20 bytes."""

MAX_SCENARIO_MEGABYTES = 270
"""Largest file with a scenario: such a network in base64, and room for the rest."""


def allowed(limits: tuple[float, float]) -> str:
    """What a widget accepts, as a sentence.

    Example:
        >>> allowed((1, 4096)), allowed((1e-6, 1e6))
        ('Allowed: 1 to 4,096.', 'Allowed: 1e-06 to 1,000,000.')
    """
    low, high = (f"{value:g}" if value < 1 else f"{value:,.0f}" for value in limits)
    return f"Allowed: {low} to {high}."
