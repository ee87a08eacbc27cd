"""Reinforcement learning: a policy of independent choices, improved by its own samples.

Auto-MAP (S. Wang et al., 2020) learns to place layers by deep Q-learning. Here, to be small and
fair, a policy gradient (REINFORCE, R. J. Williams, 1992) with one softmax per vertex:

    a sample takes choice c of vertex v with probability softmax(w[v])[c]
    reward  r = -log(cost);   advantage  a = (r - mean of the batch) / deviation of the batch
    w[v] rises by  rate * mean over the batch of  a * (onehot(c) - softmax(w[v]))

It begins at uniform choices, except that the start is favoured.
"""

from __future__ import annotations

import numpy as np

from pase_core.cost_tables import Array, CostTables
from pase_core.search.engine import FLAT_LOOPS, load_kernels
from pase_core.search.flat import Index, flatten
from pase_core.search.trajectory import Recorder, Trajectory, TrialOptions, as_choices

NAME = "policy-gradient"

BATCH = 32
"""Wholes that are sampled before the policy changes."""

RATE = 1.0
"""Step size: of 0.1 to 10, the one that ends lowest on the paper's networks."""

FAVOUR = 2.0
"""Weight by which the start's choices begin ahead of the others."""


def learn(tables: CostTables, start: tuple[int, ...], options: TrialOptions) -> Trajectory:
    """Sample, price and learn for as long as is allowed.

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
    starts, n_choices = flat.starts[:-1], np.diff(flat.starts)
    weights = np.zeros(flat.starts[-1])
    weights[starts + np.array(start)] = FAVOUR + np.log(n_choices)
    n = 0
    while n < options.max_evaluations and not recorder.is_late:
        chances = _softmax(weights, starts, n_choices)
        samples = _sample(chances, flat.starts, random)
        costs = loops.total_costs(flat, samples)
        n += BATCH
        recorder.note(n, as_choices(samples[int(np.argmin(costs))]))
        weights += RATE * _gradient(chances, samples + starts, costs)
    return recorder.finish(NAME, n, ended=recorder.reason(n))


def _softmax(weights: Array, starts: Index, n_choices: Index) -> Array:
    """Chances of all choices; those of one vertex add up to 1."""
    powers = np.exp(weights - np.repeat(np.maximum.reduceat(weights, starts), n_choices))
    chances: Array = powers / np.repeat(np.add.reduceat(powers, starts), n_choices)
    return chances


def _sample(chances: Array, starts: Index, random: np.random.Generator) -> Index:
    """Choices at random, shape (BATCH, n_vertices): where the running sum passes a number."""
    running = np.cumsum(chances)
    before = np.concatenate([[0.0], running])[starts]
    numbers = before[:-1] + random.random((BATCH, len(starts) - 1)) * np.diff(before)
    found = np.searchsorted(running, numbers, side="right") - starts[:-1]
    within: Index = np.clip(found, 0, np.diff(starts) - 1)
    return within


def _gradient(chances: Array, places: Index, costs: Array) -> Array:
    """Mean over the batch of advantage times gradient of the logarithm of the chance."""
    rewards = -np.log(np.maximum(costs, 1e-300))
    advantages = rewards - rewards.mean()
    spread = advantages.std()
    if spread == 0.0:
        return np.zeros_like(chances)
    advantages = advantages / (spread * len(costs))
    gradient: Array = -chances * advantages.sum()
    np.add.at(gradient, places.reshape(-1), np.repeat(advantages, places.shape[1]))
    return gradient
