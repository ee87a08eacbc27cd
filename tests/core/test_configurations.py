"""The ways to split a layer, beside their definition tried on every candidate."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pase_core.configurations import (
    MAX_CONFIGURATIONS,
    MAX_DEVICES,
    allowed_splits,
    check_devices,
    configurations,
)
from pase_core.errors import BudgetError, OptionError
from pase_core.layers import Dimension, Layer

NAMES = "abcdefgh"


def layer_of(*sizes: int, unsplittable: str = "", row_major: tuple[str, ...] = ()) -> Layer:
    return Layer(
        "layer",
        "any",
        tuple(
            Dimension(name, size, name not in unsplittable)
            for name, size in zip(NAMES, sizes, strict=False)
        ),
        row_major=tuple(tuple(group) for group in row_major),
    )


def is_contiguous(sizes: tuple[int, ...], splits: tuple[int, ...]) -> bool:
    """Number the elements in row-major order: does every part hold consecutive numbers?"""
    parts: dict[tuple[int, ...], list[int]] = {}
    for number, point in enumerate(itertools.product(*map(range, sizes))):
        part = tuple(x // (size // q) for x, size, q in zip(point, sizes, splits, strict=True))
        parts.setdefault(part, []).append(number)
    return all(max(part) - min(part) + 1 == len(part) for part in parts.values())


def every_configuration(layer: Layer, n_devices: int, min_part: int = 1) -> list[list[int]]:
    """Try all numbers of parts of all dimensions."""
    found = []
    for splits in itertools.product(*(range(1, size + 1) for size in layer.sizes)):
        is_valid = math.prod(splits) <= n_devices and all(
            q == 1 or (d.splittable and d.size % q == 0 and d.size // q >= min_part)
            for d, q in zip(layer.dimensions, splits, strict=True)
        )
        for group in layer.row_major:
            columns = layer.columns(group)
            is_valid = is_valid and is_contiguous(
                tuple(layer.sizes[i] for i in columns), tuple(splits[i] for i in columns)
            )
        if is_valid:
            found.append(list(splits))
    return found


SIZES = st.lists(st.integers(1, 12), min_size=0, max_size=3)


@given(
    sizes=SIZES,
    n_devices=st.integers(1, 30),
    min_part=st.integers(1, 5),
    unsplittable=st.sets(st.sampled_from("abc")),
)
def test_configurations_are_what_the_definition_allows(sizes, n_devices, min_part, unsplittable):
    layer = layer_of(*sizes, unsplittable="".join(sorted(unsplittable)))
    found = configurations(layer, n_devices, min_part)
    assert found.shape == (len(found), len(sizes))
    assert found.tolist() == every_configuration(layer, n_devices, min_part)


@given(
    sizes=st.lists(st.integers(1, 8), min_size=4, max_size=4),
    n_devices=st.integers(1, 64),
    group=st.sampled_from([("abc",), ("bcd",), ("ab", "cd"), ("abcd",), ("a",), ("ab", "ac")]),
)
def test_row_major_groups_are_cut_into_contiguous_pieces_only(sizes, n_devices, group):
    layer = layer_of(*sizes, row_major=group)
    found = configurations(layer, n_devices)
    assert found.tolist() == every_configuration(layer, n_devices)


def test_a_row_major_group_is_split_from_the_left():
    layer = layer_of(4, 6, 5, row_major=("abc",))
    found = [tuple(row) for row in configurations(layer, 24).tolist()]
    assert (2, 1, 1) in found
    assert (4, 3, 1) in found
    assert (4, 6, 1) in found
    assert (2, 3, 1) not in found
    assert (1, 2, 1) not in found


@given(sizes=SIZES, n_devices=st.integers(1, 30), min_part=st.integers(1, 5))
def test_the_first_configuration_is_whole_and_the_order_is_lexicographic(
    sizes, n_devices, min_part
):
    rows = configurations(layer_of(*sizes), n_devices, min_part).tolist()
    assert rows[0] == [1] * len(sizes)
    assert rows == sorted(rows)
    assert len({tuple(row) for row in rows}) == len(rows)


def test_one_device_leaves_everything_whole():
    assert configurations(layer_of(64, 32, 7), 1).tolist() == [[1, 1, 1]]


def test_a_layer_without_dimensions_has_one_configuration():
    assert configurations(layer_of(), 8).shape == (1, 0)


def test_numbers_of_devices_that_are_no_power_of_two_work():
    # At most 12 parts in all: 5, 6, 9, 11 devices may be used as well.
    found = configurations(layer_of(12, 9), 12).tolist()
    assert [12, 1] in found
    assert [4, 3] in found
    assert [1, 9] in found
    assert [3, 3] in found
    assert [2, 9] not in found


def test_fewer_devices_never_allow_more():
    rows = [{tuple(r) for r in configurations(layer_of(24, 10, 6), p).tolist()} for p in (5, 6, 60)]
    assert rows[0] < rows[1] < rows[2]


def test_a_million_devices_are_allowed_and_one_more_is_not():
    found = configurations(layer_of(2**19, 5**6), MAX_DEVICES)
    assert found.prod(axis=1).max() == 2**6 * 5**6
    assert len(found) == len(every_pair(2**19, 5**6, MAX_DEVICES))
    with pytest.raises(OptionError, match="1000001 is not in 1 to 1000000"):
        configurations(layer_of(2), MAX_DEVICES + 1)


def every_pair(a: int, b: int, n_devices: int) -> list[tuple[int, int]]:
    divisors = [[q for q in range(1, n + 1) if n % q == 0] for n in (a, b)]
    return [(q, r) for q in divisors[0] for r in divisors[1] if q * r <= n_devices]


@pytest.mark.parametrize("n_devices", [0, -1, True, 8.0, "8", None, 10**9])
def test_impossible_numbers_of_devices_are_refused(n_devices):
    for refuse in (check_devices, lambda p: configurations(layer_of(4), p)):
        with pytest.raises(OptionError, match="number of devices"):
            refuse(n_devices)


@pytest.mark.parametrize("min_part", [0, -2, True, 1.5, "4", None])
def test_impossible_smallest_parts_are_refused(min_part):
    with pytest.raises(OptionError, match="smallest part"):
        configurations(layer_of(4), 4, min_part)


def test_the_smallest_part_is_a_tight_bound():
    assert allowed_splits(16, 64, 4) == (1, 2, 4)
    assert allowed_splits(16, 64, 5) == (1, 2)
    assert allowed_splits(3, 64, 4) == (1,)


def test_too_many_configurations_name_the_layer_and_the_way_out():
    layer = layer_of(*[2**10] * 8)
    with pytest.raises(BudgetError, match=r"layer 'layer' .* 524288 devices.*--min-part"):
        configurations(layer, 2**19)


def test_configurations_up_to_the_limit_are_allowed():
    assert MAX_CONFIGURATIONS == 200_000
    # 19 divisors of 2^18 each in four dimensions: 7315 rows, far more with a fifth.
    assert len(configurations(layer_of(*[2**18] * 4), 2**18)) == math.comb(18 + 4, 4)


def test_results_do_not_share_memory_with_later_calls():
    first = configurations(layer_of(8), 8)
    first[:] = 0
    assert np.all(configurations(layer_of(8), 8) > 0)
