"""Numbers for people say what they stand for."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pase_core.errors import OptionError
from pase_core.units import count, parse_bytes, percent, ratio, with_prefix

FACTORS = {"E": 1e18, "P": 1e15, "T": 1e12, "G": 1e9, "M": 1e6, "k": 1e3, "": 1.0}
FACTORS |= {"m": 1e-3, "µ": 1e-6, "n": 1e-9}


def read(text: str, unit: str) -> tuple[str, float]:
    """The digits and the value of a number with prefix and unit."""
    digits, _, rest = text.partition(" ")
    assert rest.endswith(unit)
    return digits, float(digits) * FACTORS[rest.removesuffix(unit)]


@given(st.floats(1e-9, 1e20), st.integers(1, 6), st.booleans())
def test_a_prefixed_number_is_the_value_rounded(size, digits, is_negative):
    value = -size if is_negative else size
    shown, stands_for = read(with_prefix(value, "B/s", digits), "B/s")
    assert stands_for == pytest.approx(value, rel=0.5000001 * 10.0 ** (1 - digits))
    assert 1 <= abs(float(shown)) < 1000 or digits < 3
    assert "e" not in shown


@given(st.floats(1e-8, 1e20))
def test_three_digits_are_shown(value):
    shown, _value = read(with_prefix(value, "s"), "s")
    assert len(shown.replace(".", "")) == 3


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (41_120_456_048, "FLOP", "41.1 GFLOP"),
        (999.4, "B", "999 B"),
        (999.6, "B", "1.00 kB"),
        (999_999, "B", "1.00 MB"),
        (0.9999, "s", "1.00 s"),
        (0.0009999, "s", "1.00 ms"),
        (1.234e-5, "s", "12.3 µs"),
        (1e-12, "s", "0.00100 ns"),
        (1, "", "1.00"),
        (1e24, "FLOP", "1000000 EFLOP"),
        (0, "s", "0 s"),
        (0, "", "0"),
        (-2500, "B", "-2.50 kB"),
        (math.inf, "B", "inf B"),
        (math.nan, "s", "nan s"),
    ],
)
def test_examples_of_prefixes(value, unit, text):
    assert with_prefix(value, unit) == text


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ((0, "layer"), "0 layers"),
        ((1, "layer"), "1 layer"),
        ((2, "layer"), "2 layers"),
        ((1, "entry", "entries"), "1 entry"),
        ((1150, "entry", "entries"), "1,150 entries"),
        ((999_999, "entry", "entries"), "999,999 entries"),
        ((1_000_000, "entry", "entries"), "1.00 million entries"),
        ((144_213_000, "parameter"), "144 million parameters"),
        ((999_499_999,), "999 million"),
        ((999_500_000,), "1.00 billion"),
        ((17,), "17"),
        ((3 * 10**15, "point"), "3000 trillion points"),
    ],
)
def test_numbers_of_things(words, text):
    assert count(*words) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.5234, "1.52×"),
        (12.34, "12.3×"),
        (0.0512, "0.0512×"),
        (0, "0×"),
        (1234.0, "1230×"),
        (math.inf, "inf×"),
    ],
)
def test_ratios(value, text):
    assert ratio(value) == text


@pytest.mark.parametrize(("value", "text"), [(0.1234, "12.3 %"), (0, "0.0 %"), (1, "100.0 %")])
def test_percentages(value, text):
    assert percent(value) == text


@pytest.mark.parametrize(
    ("text", "n_bytes"),
    [
        ("8GB", 8e9),
        ("8 GB", 8e9),
        ("  8G ", 8e9),
        ("512MiB", 512 * 2**20),
        ("1.5GiB", 1.5 * 2**30),
        ("2e9", 2e9),
        ("2E+9", 2e9),
        ("10kB", 1e4),
        ("10KB", 1e4),
        ("1PB", 1e15),
        ("0.5TB", 5e11),
        ("100", 100),
        ("100B", 100),
    ],
)
def test_amounts_of_memory_are_read(text, n_bytes):
    assert parse_bytes(text) == n_bytes


@pytest.mark.parametrize(
    "text",
    [
        "",
        "GB",
        "-8GB",
        "0",
        "0GB",
        "eight",
        "8XB",
        "8GBB",
        "1.2.3GB",
        ".",
        "nan",
        "inf",
        "1e400",
        "8,5GB",
        "8GB 9GB",
        "0x10",
        "٣GB",
    ],
)
def test_other_texts_are_no_amount_of_memory(text):
    with pytest.raises(OptionError, match="is no amount of memory; write 8GB, 512MiB or 2e9"):
        parse_bytes(text)


@given(st.floats(1e-3, 1e15))
def test_plain_numbers_of_bytes_are_read_exactly(n_bytes):
    assert parse_bytes(repr(n_bytes)) == n_bytes
