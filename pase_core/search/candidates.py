"""Try wholes that are given, and keep the best: the search of those who search by rule."""

from __future__ import annotations

import numpy as np

from pase_core.cost_tables import CostTables
from pase_core.search.engine import FLAT_LOOPS, load_kernels
from pase_core.search.flat import flatten
from pase_core.search.trajectory import Recorder, Trajectory, TrialOptions, as_choices

NAME = "grid"

_BATCH = 256
"""Wholes that are priced between looks at the clock."""


def try_candidates(tables: CostTables, start: tuple[int, ...], options: TrialOptions) -> Trajectory:
    """Price the candidates of the options one after the other.

    Args:
        tables: the costs.
        start: the choice of each vertex.
        options: candidates and limits.

    Raises:
        OptionError: if the compiled loops cannot be loaded.
    """
    loops = load_kernels(FLAT_LOOPS)
    recorder = Recorder(tables, start, options)
    flat, n = flatten(tables), 0
    while n < len(options.candidates) and not recorder.is_late:
        batch = np.array(options.candidates[n : n + _BATCH], dtype=np.int64)
        costs = loops.total_costs(flat, batch)
        n += len(batch)
        recorder.note(n, as_choices(batch[int(np.argmin(costs))]))
    ended = "all tried" if n >= len(options.candidates) else "time limit"
    return recorder.finish(NAME, n, ended=ended)
