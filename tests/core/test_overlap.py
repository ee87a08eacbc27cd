"""What two cuts of a tensor have in common, beside a count over the devices of a mesh."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pase_core.overlap import overlap_shares, prime_factors
from tests.core import slow_cluster


def cuts_of(p: int, n_axes: int) -> list[tuple[int, ...]]:
    """Every way to cut a tensor on a mesh of p devices."""
    parts = [n for n in range(1, p + 1) if p % n == 0]
    return [c for c in itertools.product(parts, repeat=n_axes) if p % math.prod(c) == 0]


def shares(held, needed, p: int) -> np.ndarray:
    return overlap_shares(np.array(held), np.array(needed), p)


def share(held, needed, p: int) -> float:
    return float(shares([held], [needed], p)[0, 0])


def counted(held, needed, p: int) -> float:
    sizes = [math.lcm(a, b) for a, b in zip(held, needed, strict=True)]
    return slow_cluster.transfer_words(sizes, held, needed, p)[2] / math.prod(sizes)


def n_loose(held, needed) -> int:
    return sum(a % b > 0 and b % a > 0 for a, b in zip(held, needed, strict=True))


@pytest.mark.parametrize(("p", "n_axes"), [(1, 2), (2, 3), (4, 3), (8, 2), (6, 3), (12, 2)])
def test_all_cuts_agree_with_the_count(p, n_axes):
    every = cuts_of(p, n_axes)
    wanted = [[counted(a, b, p) for b in every] for a in every]
    np.testing.assert_allclose(shares(every, every, p), wanted, rtol=1e-12)


@settings(max_examples=200)
@given(data=st.data(), p=st.sampled_from([12, 18, 24, 30, 36, 60, 72]), n=st.integers(1, 4))
def test_random_cuts_agree_with_the_count(data, p, n):
    held, needed = (data.draw(cut_of(p, n)) for _ in range(2))
    assert share(held, needed, p) == pytest.approx(counted(held, needed, p), rel=1e-12)


@st.composite
def cut_of(draw, p: int, n_axes: int) -> tuple[int, ...]:
    """Hand every prime factor of p to an axis of the tensor, or to none."""
    cut = [1] * (n_axes + 1)
    for prime in prime_factors(p):
        cut[draw(st.integers(0, n_axes))] *= prime
    return tuple(cut[:n_axes])


@settings(max_examples=200)
@given(data=st.data(), p=st.sampled_from([36, 72, 216]))
def test_cuts_of_twos_against_threes_agree_with_the_count(data, p):
    pairs = [(2, 3), (3, 2), (4, 3), (2, 9), (6, 4), (4, 6), (9, 6), (1, 2), (3, 1)]
    axes = data.draw(st.lists(st.sampled_from(pairs), min_size=2, max_size=3))
    held, needed = zip(*axes, strict=True)
    if p % math.prod(held) or p % math.prod(needed):
        return
    assert share(held, needed, p) == pytest.approx(counted(held, needed, p), rel=1e-12)


def test_two_by_three_against_three_by_two_on_meshes_large_and_small():
    pieces = (2, 3), (3, 2)
    # 36 devices tell all pieces apart; on 6 the same ones do it for both ends, along different
    # axes: a device at (i, j) holds the half i of the rows and needs the third j of them.
    assert share(*pieces, 36) == pytest.approx(1 / 36)
    rows = np.array([[2, 1, 0], [0, 1, 2]]) / 6  # of half i and third j
    assert share(*pieces, 6) == pytest.approx((rows * rows).mean())
    assert share(*pieces, 6) != pytest.approx(1 / 36)


@pytest.mark.parametrize("p", [8, 12, 24])
def test_pieces_that_nest_have_the_smaller_one_in_common(p):
    every = cuts_of(p, 2)
    found = shares(every, every, p)
    n_nested = 0
    for (i, a), (j, b) in itertools.product(enumerate(every), repeat=2):
        if n_loose(a, b) == 0:
            n_nested += 1
            assert found[i, j] == pytest.approx(1 / math.prod(map(max, a, b)), rel=1e-12)
    assert n_nested == len(every) ** 2 or p % 3 == 0


@pytest.mark.parametrize("p", [8, 12, 36])
def test_what_is_in_common_is_part_of_either(p):
    every = cuts_of(p, 2)
    found, size = shares(every, every, p), np.array([1 / math.prod(cut) for cut in every])
    assert (found > 0).all()
    assert (found <= np.minimum.outer(size, size) * (1 + 1e-12)).all()
    np.testing.assert_allclose(found.diagonal(), size, rtol=1e-12)


@pytest.mark.parametrize("p", [8, 12, 36])
def test_exchanging_both_ends_changes_nothing_where_one_axis_is_loose(p):
    # With two such axes the ends do not choose alike: the second takes what the first left free.
    every = cuts_of(p, 2)
    few = np.array([[n_loose(a, b) < 2 for b in every] for a in every])
    found = shares(every, every, p)
    np.testing.assert_allclose(found[few], found.T[few], rtol=1e-12)
    assert few.all() == (p == 8)


@pytest.mark.parametrize("p", [12, 36])
def test_the_order_of_the_axes_and_whole_axes_play_no_part_where_one_axis_is_loose(p):
    every = cuts_of(p, 2)
    swapped = [cut[::-1] for cut in every]
    longer = [(1, *cut) for cut in every]
    found = shares(every, every, p)
    np.testing.assert_allclose(shares(longer, longer, p), found, rtol=1e-12)
    few = np.array([[n_loose(a, b) < 2 for b in every] for a in every])
    np.testing.assert_allclose(shares(swapped, swapped, p)[few], found[few], rtol=1e-12)


def test_parts_that_no_mesh_has_are_taken_as_independent():
    assert share((2, 3), (3, 2), 8) == pytest.approx(1 / 36)


def test_the_cuts_are_not_changed():
    held, needed = np.array([[2, 3]]), np.array([[3, 2]])
    overlap_shares(held, needed, 12)
    assert (held.tolist(), needed.tolist()) == ([[2, 3]], [[3, 2]])
