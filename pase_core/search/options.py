"""How to search: one set of options for every method, each taking what concerns it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from pase_core.errors import OptionError
from pase_core.search.budget import Limits

DEFAULT_MEMORY_BUDGET_BYTES = 8e9

AUTOMATIC = "auto"
"""Of methods: elimination, or bounds where its tables do not fit. Of orderings: weighted
min-degree, or GENERATESEQ if that visits fewer entries on a large problem."""

Engine = Literal["auto", "numpy", "compiled"]


def check_seconds(seconds: float) -> None:
    """Raise OptionError unless a time limit is a number from 0 on; infinity is none."""
    if not seconds >= 0.0:  # which NaN is not either
        raise OptionError(f"time limit of {seconds:g} s: must be a number from 0 on")


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How to search.

    Attributes:
        method: a name of `pase_core.search.methods.METHOD_NAMES`.
        ordering: of elimination, a name of `pase_core.search.elimination.ORDERING_NAMES`.
        memory_budget_bytes: for everything that `pase_core.search.budget` counts: cost tables,
            messages and scratch.
        engine: `compiled`, `numpy`, or `auto`: compiled when large or already loaded, NumPy
            where the compiled loops cannot be loaded.
        remove_dominated: before elimination; None does so where it pays.
        max_entries: of all distinct joint tables of an elimination, which is its work.
        time_limit_seconds: for methods that improve with time; they return the best found by then
            with a lower bound. Elimination runs to its end.
    """

    method: str = AUTOMATIC
    ordering: str = AUTOMATIC
    memory_budget_bytes: float = DEFAULT_MEMORY_BUDGET_BYTES
    engine: Engine = "auto"
    remove_dominated: bool | None = None
    max_entries: float = math.inf
    time_limit_seconds: float = 600.0

    def __post_init__(self) -> None:
        """Check the time limit; what else is wrong shows when it is used."""
        check_seconds(self.time_limit_seconds)

    @property
    def limits(self) -> Limits:
        """How much an elimination may take."""
        return Limits(self.memory_budget_bytes, self.max_entries)


DEFAULT_OPTIONS = SearchOptions()
