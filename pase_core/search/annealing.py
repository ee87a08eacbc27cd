"""Simulated annealing, as FlexFlow searches: a Metropolis walk from a given start.

A step proposes a random choice for a random vertex. What it changes is the vertex's own cost and
its edges; a rise of the whole cost by d is accepted with probability exp(-d / T), where the
temperature T is a constant share of the cost of the start. The walk ends after so many proposals,
or once the latter half of them has brought nothing (Z. Jia, M. Zaharia, A. Aiken, Beyond data and
model parallelism for deep neural networks, MLSys 2019: half of the search time, 250,000 proposals
in its examples).
"""

from __future__ import annotations

import numpy as np

from pase_core.cost_tables import CostTables
from pase_core.search.engine import FLAT_LOOPS, load_kernels
from pase_core.search.flat import flatten
from pase_core.search.trajectory import Recorder, Trajectory, TrialOptions, as_choices

NAME = "annealing"

TEMPERATURE = 1e-4
"""Share of the start's cost: of 1e-2 to 1e-6, the one that ends lowest on the paper's networks."""

_BATCH = 5_000
"""Proposals between looks at the clock."""

_LEAST = 20_000
"""Proposals that are made in any case."""


def anneal(tables: CostTables, start: tuple[int, ...], options: TrialOptions) -> Trajectory:
    """Walk from a start for as long as it pays.

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
    choices = np.array(start, dtype=np.int64)
    best, costs = choices.copy(), np.array([recorder.cost, recorder.cost])
    random = np.array([options.seed + 1], dtype=np.uint64)
    temperature = TEMPERATURE * recorder.cost or 1.0
    n, n_at_gain, ended = 0, 0, ""
    while n < options.max_evaluations and not recorder.is_late:
        batch = min(_BATCH, options.max_evaluations - n)
        has_gained = loops.walk(flat, choices, best, costs, temperature, batch, random)
        n += batch
        if has_gained:
            n_at_gain = n
            recorder.note(n, as_choices(best))
        if n >= _LEAST and n - n_at_gain >= n / 2:
            ended = "half of it brought nothing"
            break
    return recorder.finish(NAME, n, ended=ended or recorder.reason(n))
