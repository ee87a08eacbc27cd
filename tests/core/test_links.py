"""Seconds of collectives: each algorithm by its formula, and what no algorithm can beat."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pase_core.costs.links import ALGORITHMS, Group, Links
from pase_core.link import Link

SPEEDS = st.floats(1e6, 1e12)
LATENCIES = st.sampled_from([0.0, 1e-7, 5e-6, 1e-3])
BYTES = st.just(0.0) | st.floats(1.0, 1e10)
BLOCKS = st.integers(1, 16)


@st.composite
def links(draw, latencies=LATENCIES) -> Links:
    """Links of which the inner one is at least as fast."""
    slow, fast = sorted((draw(SPEEDS), draw(SPEEDS)))
    return Links(
        Link("inside", fast, draw(latencies)),
        Link("outside", slow, draw(latencies)),
    )


def group(inside: int, outside: int) -> Group:
    return Group(np.array([float(inside)]), np.array([float(outside)]))


def seconds(collective, n_bytes: float, devices: Group) -> float:
    return float(collective(np.array([n_bytes]), devices)[0])


def ring(n_bytes: float, q: int, link: Link) -> float:
    """A reduce-scatter or an all-gather: q - 1 messages of a q-th, one after the other."""
    return sum(n_bytes / q / link.bytes_per_second + link.latency_seconds for _ in range(q - 1))


def tree(n_bytes: float, q: int, link: Link) -> float:
    levels = 0
    while 2**levels < q:
        levels += 1
    if q == 1:
        return 0.0
    return 2 * (n_bytes / link.bytes_per_second + levels * link.latency_seconds)


@given(links=links(), n=BYTES, inside=BLOCKS, outside=BLOCKS)
def test_every_algorithm_follows_its_formula_and_the_cheapest_counts(links, n, inside, outside):
    near, far = links.inside, links.outside
    slowest = far if outside > 1 else near
    q = inside * outside
    within = 2 * ring(n, inside, near)
    wanted = {
        "ring": 2 * ring(n, q, slowest),
        "tree": tree(n, q, slowest),
        "two-level ring": within + 2 * ring(n / inside, outside, far),
        "two-level tree": within + tree(n / inside, outside, far),
    }
    devices = group(inside, outside)
    found = links.all_reduce_options(np.array([n]), devices)[:, 0]
    assert dict(zip(ALGORITHMS, found, strict=True)) == pytest.approx(wanted, rel=1e-9)
    assert seconds(links.all_reduce, n, devices) == min(found)
    levels = ring(n, inside, near) + ring(n / inside, outside, far)
    assert seconds(links.gather, n, devices) == pytest.approx(
        min(ring(n, q, slowest), levels), rel=1e-9
    )


@pytest.mark.parametrize(
    ("n_bytes", "inside", "outside", "best"),
    [
        (1e9, 8, 1, "ring"),  # many bytes: a ring sends fewest
        (1.0, 8, 1, "tree"),  # few bytes: a tree has fewest steps
        (1e9, 8, 4, "two-level ring"),  # few of the bytes leave a node
        (1e6, 2, 16, "two-level tree"),  # few leave, in few steps
    ],
)
def test_each_algorithm_is_the_cheapest_somewhere(n_bytes, inside, outside, best):
    cluster = Links(Link("inside", 4e11, 3e-6), Link("outside", 5e10, 5e-6))
    options = cluster.all_reduce_options(np.array([n_bytes]), group(inside, outside))[:, 0]
    assert ALGORITHMS[int(options.argmin())] == best


@given(links=links(), n=BYTES)
def test_a_group_of_one_sends_nothing(links, n):
    for collective in (links.all_reduce, links.gather):
        assert seconds(collective, n, group(1, 1)) == 0.0


@given(links=links(), n=BYTES, inside=BLOCKS, other=SPEEDS)
def test_a_group_inside_a_node_uses_no_outer_link(links, n, inside, other):
    slower = Links(links.inside, Link("other", min(other, links.inside.bytes_per_second), 1.0))
    for name in ("all_reduce", "gather", "fetch"):
        alone = seconds(getattr(links, name), n, group(inside, 1))
        assert seconds(getattr(slower, name), n, group(inside, 1)) == alone


@pytest.mark.parametrize("name", ["all_reduce", "gather", "fetch"])
def test_a_group_across_nodes_uses_both_links(name):
    def price(inside: float, outside: float) -> float:
        links = Links(Link("inside", inside), Link("outside", outside))
        return seconds(getattr(links, name), 1e6, group(4, 2))

    assert price(1e9, 1e8) < price(5e8, 1e8)
    assert price(1e9, 1e8) < price(1e9, 5e7)


@pytest.mark.parametrize("q", [2, 3, 8, 12])
def test_a_ring_without_latency_moves_what_is_known(q):
    link = Link("link", 1.0)
    n = 1e6
    for inside in (d for d in range(1, q + 1) if q % d == 0):
        devices = group(inside, q // inside)
        assert seconds(Links(link, link).all_reduce, n, devices) == pytest.approx(
            2 * n * (q - 1) / q
        )
        assert seconds(Links(link, link).gather, n, devices) == pytest.approx(n * (q - 1) / q)


@given(links=links(), n=BYTES, inside=BLOCKS, outside=BLOCKS)
def test_no_all_reduce_beats_what_must_be_sent(links, n, inside, outside):
    q = inside * outside
    found = seconds(links.all_reduce, n, group(inside, outside)) * (1 + 1e-9)
    # A device sends 2 n (q - 1) / q at least; a block sends as much of blocks, over all its links.
    assert found >= 2 * n * (q - 1) / q / links.inside.bytes_per_second
    leaving = 2 * n * (outside - 1) / outside / inside
    assert found >= leaving / links.outside.bytes_per_second
    lowest = min(links.inside.latency_seconds, links.outside.latency_seconds)
    assert found >= 2 * math.ceil(math.log2(q)) * lowest


@given(links=links(latencies=st.just(0.0)), n=BYTES, inside=BLOCKS, outside=BLOCKS)
def test_without_latency_rings_win_and_half_an_all_reduce_is_half(links, n, inside, outside):
    devices = group(inside, outside)
    half, whole = (seconds(each, n, devices) for each in (links.gather, links.all_reduce))
    assert whole == pytest.approx(2 * half, rel=1e-12)
    flat, by_tree, level, level_tree = links.all_reduce_options(
        np.array([n]), group(inside, outside)
    )[:, 0]
    assert flat <= by_tree * (1 + 1e-12)
    assert level <= level_tree * (1 + 1e-12)
    assert level <= flat * (1 + 1e-12)


@given(links=links(), n=BYTES, inside=BLOCKS, outside=BLOCKS)
def test_a_fetch_lies_between_either_link_alone(links, n, inside, outside):
    found = seconds(links.fetch, n, group(inside, outside))
    far = links.outside if outside > 1 else links.inside
    least = n / links.inside.bytes_per_second + far.latency_seconds
    most = n / far.bytes_per_second + far.latency_seconds
    if n == 0.0:
        assert found == 0.0
    else:
        assert least * (1 - 1e-12) <= found <= most * (1 + 1e-12)


@given(n=st.floats(1.0, 1e9), outside=st.integers(2, 8), inside=BLOCKS)
def test_of_a_fetch_the_parts_of_other_blocks_come_over_the_outer_link(n, outside, inside):
    links = Links(Link("inside", 1e12), Link("outside", 1.0))
    share = (outside - 1) / (inside * outside - 1)
    assert seconds(links.fetch, n, group(inside, outside)) == pytest.approx(n * share, rel=1e-9)


@given(n=BYTES, inside=BLOCKS, outside=BLOCKS)
def test_an_outer_link_is_never_the_faster_one(n, inside, outside):
    slow, fast = Link("inside", 1e8, 1e-6), Link("outside", 1e10, 1e-6)
    for name in ("all_reduce", "gather", "fetch"):
        as_given, as_slow = (
            seconds(getattr(Links(slow, other), name), n, group(inside, outside))
            for other in (fast, slow)
        )
        assert as_given == pytest.approx(as_slow, rel=1e-12)
