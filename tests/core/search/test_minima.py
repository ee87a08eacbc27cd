"""Both ways to minimise a sum of factors agree with the sum written out."""

from __future__ import annotations

import math
import threading
from functools import reduce
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pase_core.search import minima
from pase_core.search.engine import load_kernels
from pase_core.search.minima import minima_compiled, minima_numpy

Factors = list[tuple[np.ndarray, tuple[int, ...]]]


def minima_by_definition(factors: Factors, shape: tuple[int, ...]) -> np.ndarray:
    """Write the whole sum out, then minimise over the first axis."""
    letters = "abcdefgh"[: len(shape)]
    total = np.zeros(shape)
    for table, axes in factors:
        names = "".join(letters[axis] for axis in axes)
        total = total + np.einsum(f"{names},{letters}->{letters}", table, np.ones(shape))
    return total.min(axis=0)


@st.composite
def sums(draw, max_axes: int = 5) -> tuple[Factors, tuple[int, ...]]:
    """Factors over some of up to `max_axes` axes, the first one always; whole numbers."""
    shape = tuple(draw(st.lists(st.integers(1, 5), min_size=1, max_size=max_axes)))
    others = list(range(1, len(shape)))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    factors: Factors = []
    for _ in range(draw(st.integers(1, 5))):
        chosen = draw(st.lists(st.sampled_from(others), unique=True)) if others else []
        axes = (0, *sorted(chosen))
        table = random.integers(-9, 9, [shape[axis] for axis in axes]).astype(float)
        factors.append((np.asfortranarray(table) if draw(st.booleans()) else table, axes))
    return factors, shape


def of_shape(shape: tuple[int, ...], *places: tuple[int, ...], seed: int = 0) -> Factors:
    random = np.random.default_rng(seed)
    return [
        (random.integers(-99, 99, [shape[axis] for axis in axes]).astype(float), axes)
        for axes in places
    ]


@given(sums())
def test_the_numpy_loop_is_the_definition(problem):
    factors, shape = problem
    found = minima_numpy(factors, shape)
    assert found.shape == shape[1:]
    np.testing.assert_array_equal(found, minima_by_definition(factors, shape))


@pytest.mark.parametrize("scratch", [1, 7, 4_000_000])
@pytest.mark.parametrize("parallel", [0, 10, 2_000_000])
def test_the_compiled_loops_are_the_definition(scratch, parallel):
    kernels = load_kernels()

    @given(sums())
    def check(problem):
        factors, shape = problem
        before = [table.copy() for table, _axes in factors]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(minima, "_SCRATCH_ENTRIES", scratch)
            patch.setattr(minima, "_PARALLEL_ENTRIES", parallel)
            found = minima_compiled(factors, shape, kernels)
        assert found.shape == shape[1:]
        np.testing.assert_array_equal(found, minima_by_definition(factors, shape))
        for (table, _axes), copy in zip(factors, before, strict=True):
            np.testing.assert_array_equal(table, copy)

    check()


# Each kind of factor by itself; the last axis is 3

KINDS = {
    "choices only": [(0,)],
    "nothing on the last axis": [(0, 1), (0, 2)],
    "only the last axis": [(0, 3)],
    "narrow and last": [(0,), (0, 1), (0, 2), (0, 1, 2), (0, 3)],
    "one wide": [(0, 1, 3), (0, 2), (0, 3)],
    "one wide over all axes": [(0, 1, 2, 3), (0, 1)],
    "two equal wide ones": [(0, 2, 3), (0, 2, 3), (0, 1)],
    "two different wide ones": [(0, 1, 3), (0, 2, 3), (0,)],
    "a wide one alone": [(0, 2, 3)],
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_factor(kind):
    shape = (5, 3, 4, 6)
    factors = of_shape(shape, *KINDS[kind])
    wanted = minima_by_definition(factors, shape)
    np.testing.assert_array_equal(minima_numpy(factors, shape), wanted)
    np.testing.assert_array_equal(minima_compiled(factors, shape, load_kernels()), wanted)


@pytest.mark.parametrize("n_choices", [1, 3, 4, 5, 63, 64, 65, 131])
@pytest.mark.parametrize("n_columns", [1, 511, 512, 513, 1030])
def test_block_borders_of_the_compiled_loops(n_choices, n_columns):
    # The loops go by 512 columns, 64 choices and 4 choices at a time.
    shape = (n_choices, 3, n_columns)
    for places in ([(0,), (0, 1), (0, 2)], [(0, 1, 2), (0, 2), (0, 1)]):
        factors = of_shape(shape, *places)
        found = minima_compiled(factors, shape, load_kernels())
        np.testing.assert_array_equal(found, minima_by_definition(factors, shape))


def test_the_loops_run_along_the_longer_of_two_dependents():
    for shape, n_rows in (((5, 7, 3), 3), ((5, 3, 7), 3), ((5, 4, 4), 4)):
        recorder = Recorder()
        factors = of_shape(shape, (0,), (0, 1), (0, 2))
        found = minima_compiled(factors, shape, recorder)
        np.testing.assert_array_equal(found, minima_by_definition(factors, shape))
        assert [n for n, _thread in recorder.calls] == [n_rows]


# Blocks of rows and threads


class Recorder(SimpleNamespace):
    """The compiled loops, noting for every call the number of rows and the thread."""

    def __init__(self) -> None:
        kernels = load_kernels()
        self.calls: list[tuple[int, str]] = []

        def noting(loop):
            def run(scalars, *others):
                self.calls.append((len(scalars), threading.current_thread().name))
                loop(scalars, *others)

            return run

        super().__init__(
            min_plus=noting(kernels.min_plus), min_plus_wide=noting(kernels.min_plus_wide)
        )


@pytest.mark.parametrize("places", [[(0, 1), (0, 2), (0, 3)], [(0, 1, 3), (0, 2)]])
def test_scratch_is_bounded_by_blocks_of_rows(monkeypatch, places):
    shape = (5, 6, 4, 3)  # 24 rows of 5 scalars
    monkeypatch.setattr(minima, "_SCRATCH_ENTRIES", 20)
    recorder = Recorder()
    factors = of_shape(shape, *places)
    found = minima_compiled(factors, shape, recorder)
    np.testing.assert_array_equal(found, minima_by_definition(factors, shape))
    rows = [n for n, _thread in recorder.calls]
    assert len(rows) == 6
    assert sum(rows) == 24
    assert max(rows) * shape[0] <= 20
    assert {thread for _n, thread in recorder.calls} == {threading.current_thread().name}


def test_large_sums_are_handed_to_threads(monkeypatch):
    shape = (5, 6, 4, 3)
    monkeypatch.setattr(minima, "_PARALLEL_ENTRIES", math.prod(shape) - 1)
    monkeypatch.setattr(minima, "n_threads", lambda: 4)
    recorder = Recorder()
    factors = of_shape(shape, (0, 1), (0, 2), (0, 3))
    found = minima_compiled(factors, shape, recorder)
    np.testing.assert_array_equal(found, minima_by_definition(factors, shape))
    assert [n for n, _thread in sorted(recorder.calls)] == [6] * 4
    assert all(thread.startswith("search") for _n, thread in recorder.calls)


def test_small_sums_stay_in_one_piece(monkeypatch):
    shape = (5, 6, 4, 3)
    monkeypatch.setattr(minima, "_PARALLEL_ENTRIES", math.prod(shape))
    recorder = Recorder()
    minima_compiled(of_shape(shape, (0, 1), (0, 2), (0, 3)), shape, recorder)
    assert recorder.calls == [(24, threading.current_thread().name)]


def test_an_error_in_a_thread_is_not_lost(monkeypatch):
    def fail(*_words):
        raise MemoryError("no room")

    monkeypatch.setattr(minima, "_PARALLEL_ENTRIES", 0)
    shape = (5, 6, 4, 3)
    with pytest.raises(MemoryError, match="no room"):
        minima_compiled(of_shape(shape, (0, 1), (0, 3)), shape, SimpleNamespace(min_plus=fail))


def test_infinite_costs_forbid_a_choice():
    shape = (3, 2, 2)
    factors = of_shape(shape, (0, 1), (0, 2))
    factors[0][0][1] = np.inf
    wanted = reduce(
        np.minimum,
        [minima_by_definition([(t[[c]], a) for t, a in factors], (1, 2, 2)) for c in (0, 2)],
    )
    np.testing.assert_array_equal(minima_numpy(factors, shape), wanted)
    np.testing.assert_array_equal(minima_compiled(factors, shape, load_kernels()), wanted)
