"""Minimise a sum of factors over some of their axes, one axis after the other.

A small elimination inside one step of a large one: an axis is minimised over with only the
factors that have it, and the axis whose joint table is smallest goes first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from pase_core.cost_tables import Array
from pase_core.search.minima import Axes
from pase_core.search.sweep import Minima

Factors = Sequence[tuple[Array, Axes]]
"""Tables, with the number of each of their axes."""

Check = Callable[[Sequence[Axes], tuple[int, ...], int], None]
"""Told, before an axis is minimised over, the places of the factors' axes, the sizes of the joint
table, and the bytes of the tables made so far; raises if that is too much."""


class _Joint(NamedTuple):
    """Factors that share an axis, which is their first, and the numbers of their other axes."""

    factors: list[tuple[Array, Axes]]
    sizes: tuple[int, ...]
    others: Axes


def contract(factors: Factors, kept: Axes, minima: Minima, check: Check) -> Array:
    """Minimum over all axes but those kept.

    Args:
        factors: tables and the numbers of their axes; equal numbers are one axis.
        kept: numbers of the axes of the result, each of which some factor has.
        minima: minimises over a first axis; see `pase_core.search.minima`.
        check: told of every step before it is taken.

    Returns:
        Minima, one axis for each of `kept`, in that order.
    """
    remaining = list(factors)
    n_loose = 0
    while gone := {axis for _table, axes in remaining for axis in axes} - set(kept):
        joints = {axis: _joint(remaining, axis) for axis in sorted(gone)}
        axis = min(joints, key=lambda each: math.prod(joints[each].sizes))
        joint = joints[axis]
        check([axes for _table, axes in joint.factors], joint.sizes, n_loose)
        made = _minimum(joint, minima)
        n_loose += made.nbytes
        remaining = [each for each in remaining if axis not in each[1]] + [(made, joint.others)]
    return _sum(remaining, kept)


def _joint(factors: Factors, axis: int) -> _Joint:
    """The factors with an axis, turned so that it is their first.

    Axis 0, the vertex of the step, comes last: what lies outside the step lacks it, and the
    compiled loops like factors without the last axis.
    """
    touched = [(table, axes) for table, axes in factors if axis in axes]
    found = {a: n for table, axes in touched for a, n in zip(axes, table.shape, strict=True)}
    order = sorted(found, key=lambda a: (a != axis, a == 0, a))
    place = {a: i for i, a in enumerate(order)}
    turned = []
    for table, axes in touched:
        places = [place[a] for a in axes]
        turned.append((table.transpose(np.argsort(places)), tuple(sorted(places))))
    return _Joint(turned, tuple(found[a] for a in order), tuple(order[1:]))


def _minimum(joint: _Joint, minima: Minima) -> Array:
    if len(joint.factors) == 1:
        table: Array = joint.factors[0][0].min(axis=0)
        return table
    return minima(joint.factors, joint.sizes)


def _sum(factors: Iterable[tuple[Array, Axes]], axes_of_sum: Axes) -> Array:
    """Sum of factors that have no other axes than these."""
    total: Array | None = None
    for table, axes in factors:
        place = [axes_of_sum.index(axis) for axis in axes]
        turned = table.transpose(np.argsort(place))
        sizes = dict(zip(sorted(place), turned.shape, strict=True))
        spread = turned.reshape([sizes.get(i, 1) for i in range(len(axes_of_sum))])
        total = spread if total is None else total + spread
    if total is None:
        raise ValueError("a sum of no factors has no shape")
    return total
