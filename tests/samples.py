"""Which samples a test is for, where it is not for all of them."""

from sample_graphs import SAMPLES

PAPER = ("alexnet", "inception_v3", "resnet101", "rnnlm", "transformer", "densenet121")
"""The networks of the paper: those that it measures, and its example of a dense graph.

Tests that run many searches, or searches with a time limit, are for these.
"""

LARGE_TWINS = {"gpt3_175b": "gpt2", "llama3_70b": "llama3_8b"}
"""Samples of a thousand layers, and the one that is made of the same parts with fewer blocks."""

DISTINCT = tuple(name for name in SAMPLES if name not in LARGE_TWINS)
"""Every sample but the large twins, for tests that would only repeat themselves on more blocks."""
