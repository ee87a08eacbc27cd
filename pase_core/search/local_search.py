"""Greedy local search: every vertex in turn takes its best choice, until none would change.

The first descent begins at the start, later ones at random choices, for as long as is allowed.
"""

from __future__ import annotations

import numpy as np

from pase_core.cost_tables import CostTables
from pase_core.search.engine import FLAT_LOOPS, load_kernels
from pase_core.search.flat import flatten
from pase_core.search.trajectory import Recorder, Trajectory, TrialOptions, as_choices

NAME = "local-search"


def descend_greedily(
    tables: CostTables, start: tuple[int, ...], options: TrialOptions
) -> Trajectory:
    """Descend from a start, then from random choices.

    Args:
        tables: the costs.
        start: the choice of each vertex.
        options: seed and limits.

    Raises:
        OptionError: if the compiled loops cannot be loaded.
    """
    loops = load_kernels(FLAT_LOOPS)
    recorder = Recorder(tables, start, options)
    flat = flatten(tables)
    random = np.random.default_rng(options.seed)
    sizes = np.array(tables.n_choices)
    scratch = np.empty(sizes.max())
    choices, n = np.array(start, dtype=np.int64), 0
    while n < options.max_evaluations and not recorder.is_late:
        n += loops.descend(flat, choices, scratch)
        recorder.note(n, as_choices(choices))
        choices = random.integers(sizes)
    return recorder.finish(NAME, n, ended=recorder.reason(n))
