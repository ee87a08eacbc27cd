"""Divisors of the numbers that devices come in."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


def is_power_of_two(number: int) -> bool:
    """Whether a number above 0 is a power of two.

    Example:
        >>> is_power_of_two(64), is_power_of_two(24)
        (True, False)
    """
    return number & (number - 1) == 0


def prime_factors(number: int) -> list[int]:
    """Prime factors in rising order, each as often as it divides.

    Example:
        >>> prime_factors(12)
        [2, 2, 3]
    """
    factors, divisor = [], 2
    while divisor * divisor <= number:
        while number % divisor == 0:
            factors.append(divisor)
            number //= divisor
        divisor += 1
    return [*factors, number] if number > 1 else factors
