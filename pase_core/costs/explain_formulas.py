"""The formulas of the cost model `cluster`, in seconds; sources: `links` and `layer_seconds`.

    n  bytes          q  devices, of which m share a block inside a node, and k blocks take part
    B  bytes/s        l  seconds of latency; with 1 inside a node, with 2 between nodes

Quantities go into `evaluate` in the order in which the text first has them.
"""

from __future__ import annotations

import math

from pase_core.costs.formulas import Formula

PASS = Formula(
    "max(<F> / <P>, <n> / <M>)",
    r"\max\left(\dfrac{<F>}{<P>},\; \dfrac{<n>}{<M>}\right)",
    lambda flop, peak, n_bytes, speed: max(flop / peak, n_bytes / speed),
)
UPDATE = Formula(
    "<N> × <u> / <M>",
    r"\dfrac{<N> \cdot <u>}{<M>}",
    lambda parameters, n_bytes, speed: parameters * n_bytes / speed,
)
HIDDEN = Formula("−min(<R>, <T>)", r"-\min(<R>,\; <T>)", lambda sent, passes: -min(sent, passes))

NOTHING = Formula("<n>", "<n>", lambda n_bytes: n_bytes)
"""No byte is sent, so no latency counts."""

FETCH = Formula(
    "<n> / <B> + <l>",
    r"\dfrac{<n>}{<B>} + <l>",
    lambda n_bytes, speed, latency: n_bytes / speed + latency,
)
FETCH_ACROSS = Formula(
    "<n> × ((<k> − 1) / <B₂> + (<q> − <k>) / <B₁>) / (<q> − 1) + <l₂>",
    r"\dfrac{<n>}{<q> - 1} \cdot \left(\dfrac{<k> - 1}{<B₂>} + \dfrac{<q> - <k>}{<B₁>}\right)"
    " + <l₂>",
    lambda n, k, far, q, near, latency: (
        n * ((k - 1.0) / far + (q - k) / near) / (q - 1.0) + latency
    ),
)


def _ring(n_bytes: float, devices: float, speed: float, latency: float) -> float:
    return n_bytes * (devices - 1.0) / devices / speed + (devices - 1.0) * latency


def _tree(n_bytes: float, speed: float, devices: float, latency: float) -> float:
    return n_bytes / speed + math.ceil(math.log2(devices)) * latency


def _twice(half: Formula) -> Formula:
    return Formula(
        f"2 × ({half.text})",
        rf"2 \cdot \left({half.latex}\right)",
        lambda *values: 2.0 * half.evaluate(*values),
    )


RING = Formula(
    "<n> × (<q> − 1) / <q> / <B> + (<q> − 1) × <l>",
    r"\dfrac{<n> \cdot (<q> - 1)}{<q> \cdot <B>} + (<q> - 1) \cdot <l>",
    _ring,
)
_TREE = Formula(
    "<n> / <B> + ⌈log₂ <q>⌉ × <l>",
    r"\dfrac{<n>}{<B>} + \lceil \log_2 <q> \rceil \cdot <l>",
    _tree,
)
_WITHIN = (
    "<n> × (<m> − 1) / <m> / <B₁> + (<m> − 1) × <l₁>",
    r"\dfrac{<n> \cdot (<m> - 1)}{<m> \cdot <B₁>} + (<m> - 1) \cdot <l₁>",
)
TWO_LEVEL_RING = Formula(
    _WITHIN[0] + " + <n> / <m> × (<k> − 1) / <k> / <B₂> + (<k> − 1) × <l₂>",
    _WITHIN[1] + r" + \dfrac{<n> \cdot (<k> - 1)}{<m> \cdot <k> \cdot <B₂>} + (<k> - 1) \cdot <l₂>",
    lambda n, m, near, near_latency, k, far, far_latency: (
        _ring(n, m, near, near_latency) + _ring(n / m, k, far, far_latency)
    ),
)
_TWO_LEVEL_TREE = Formula(
    _WITHIN[0] + " + <n> / <m> / <B₂> + ⌈log₂ <k>⌉ × <l₂>",
    _WITHIN[1] + r" + \dfrac{<n>}{<m> \cdot <B₂>} + \lceil \log_2 <k> \rceil \cdot <l₂>",
    lambda n, m, near, near_latency, far, k, far_latency: (
        _ring(n, m, near, near_latency) + _tree(n / m, far, k, far_latency)
    ),
)

GATHERS = {"ring": RING, "two-level ring": TWO_LEVEL_RING}
"""An all-gather to n bytes, or a reduce-scatter from n bytes, by each algorithm."""

ALL_REDUCES = {
    "ring": _twice(RING),
    "tree": _twice(_TREE),
    "two-level ring": _twice(TWO_LEVEL_RING),
    "two-level tree": _twice(_TWO_LEVEL_TREE),
}
"""By the names and in the order of `pase_core.costs.links.ALGORITHMS`."""
