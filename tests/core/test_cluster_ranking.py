"""`cluster` beside a plain reading of the paper's formula: FLOP / F + bytes / B.

With no latency, one link speed, no overlap, memory that takes no time and the same element size,
both agree to the last digit once six things are read alike. Kendall's tau between the plain
reading and `cluster` over random strategies on 8 devices, the rows taken one after the other:

    read as `cluster` does            AlexNet   RNNLM   why `cluster` does
    nothing: the prototype's form        0.13    0.52
    gradients only where asked for       0.19    0.70   nobody computes the gradient of the images:
                                                        conv1's would be the largest all-reduce
    no one-hot products                  0.19    0.88   a table is looked up; softmax sends no rows
    sums of the tensor, not of copies    0.82    0.88   the gradient of an image is as large as the
                                                        image, not as one copy per kernel element
    backward transfers for what          0.93    0.96   a slice forward is a gather backward, and
      they are, not forward twice                       the other way round (as XLA sends them)
    what is held counts, also of a       1.00    0.99   pieces nest: who needs half of what he
      cut into more parts                               holds fetches nothing
    steps fetch what devices lack        1.00    1.00   equal parts of d and e lie on other devices

Beside these `cluster` alone counts the optimizer's update and memory that takes time.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from pase_core.builder import GraphBuilder
from pase_core.configurations import configurations
from pase_core.costs.cluster_model import ClusterCostModel
from pase_core.costs.paper import PaperCostModel
from pase_core.costs.step import StepOptions
from sample_graphs import SAMPLES
from tests.core.cluster_bytes import byte_counter, total
from tests.core.plain_formula import Reading, kendall_tau
from tests.core.reference_data import sample

P, F, B = 8, 11.3e12, 12e9
SWITCHES = ("every_gradient", "one_hot", "copies", "doubled", "nothing_in_common", "steps")
PLAIN = Reading(F, B)
ALIKE = replace(PLAIN, **dict.fromkeys(SWITCHES, False))
TAUS = {
    "alexnet": (0.13, 0.19, 0.19, 0.82, 0.93, 1.0, 1.0),
    "rnnlm": (0.52, 0.70, 0.88, 0.88, 0.96, 0.99, 1.0),
}


@cache
def strategies(name: str) -> tuple:
    """A network and random strategies that a mesh allows."""
    entry = SAMPLES[name]
    graph, draw = sample(name, entry.batch), np.random.default_rng(0)
    every = [configurations(layer, P, entry.min_part, "mesh") for layer in graph.layers]
    rows = [[c[draw.integers(len(c))].tolist() for c in every] for _ in range(100)]
    return graph, rows


def cluster_model(**changes) -> ClusterCostModel:
    """Everything at one speed."""
    model = byte_counter(P)
    links = replace(
        model.links,
        inside=replace(model.links.inside, bytes_per_second=B),
        outside=replace(model.links.outside, bytes_per_second=B),
    )
    return replace(model, links=links, flop_per_second=F, **changes)


@cache
def priced(name: str) -> list[float]:
    graph, rows = strategies(name)
    return [total(graph, row, cluster_model()) for row in rows]


def read_by(reading: Reading, name: str) -> list[float]:
    graph, rows = strategies(name)
    return [reading.total(graph, row) for row in rows]


@pytest.mark.parametrize("name", TAUS)
def test_the_plain_reading_is_the_paper_s_model(name):
    graph, rows = strategies(name)
    paper = [total(graph, row, PaperCostModel(F, B)) / F for row in rows]
    assert read_by(PLAIN, name) == pytest.approx(paper, rel=1e-12)


@pytest.mark.parametrize("name", [*TAUS, "transformer"])
def test_where_nothing_is_read_differently_every_total_is_the_same(name):
    graph, rows = strategies(name)
    for row in rows[:100] if name in TAUS else rows[:5]:
        wanted = ALIKE.total(graph, row)
        assert total(graph, row, cluster_model()) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("name", TAUS)
def test_each_difference_explained_brings_the_rankings_closer(name):
    reading, taus = PLAIN, [kendall_tau(read_by(PLAIN, name), priced(name))]
    for switch in SWITCHES:
        reading = replace(reading, **{switch: False})
        taus.append(kendall_tau(read_by(reading, name), priced(name)))
    assert taus == pytest.approx(TAUS[name], abs=0.01)
    assert taus == sorted(taus)


def differing(switch: str, name: str) -> set[str]:
    """Layers that cost something else if one thing is read as `cluster` does."""
    graph, rows = strategies(name)
    found = set()
    for row in rows:
        plain, other = PLAIN, replace(PLAIN, **{switch: False})
        both = zip(graph.layers, plain.layers(graph, row), other.layers(graph, row), strict=True)
        found |= {layer.name for layer, a, b in both if a != b}
    return found


@pytest.mark.parametrize(
    ("switch", "name", "layers"),
    [
        ("every_gradient", "alexnet", {"conv1"}),
        ("every_gradient", "rnnlm", {"embedding"}),
        ("one_hot", "alexnet", set()),
        ("one_hot", "rnnlm", {"embedding"}),
        ("copies", "alexnet", {f"conv{i}" for i in range(1, 6)}),
        ("copies", "rnnlm", set()),
        ("steps", "rnnlm", {"lstm"}),
        ("doubled", "alexnet", set()),
        ("nothing_in_common", "rnnlm", set()),
    ],
)
def test_layers_differ_where_the_table_says(switch, name, layers):
    assert differing(switch, name) == layers


def two_products():
    build = GraphBuilder("two products")
    x = build.layer("fully_connected", "first", build.input("x", (64, 32)), n=16)
    build.layer("fully_connected", "second", x, n=8)
    return build.graph()


@pytest.mark.parametrize(
    ("first", "second", "forward", "backward"),
    [
        ((1, 8, 1), (1, 1, 1), 7 / 8, 0),  # gathered forward, cut off backward
        ((1, 1, 1), (1, 1, 8), 0, 7 / 8),  # and the other way round
        ((2, 1, 1), (8, 1, 1), 0, 3 / 8),  # an eighth lies within a half
        ((1, 8, 1), (8, 1, 1), 7 / 64, 7 / 64),  # all to all
    ],
)
def test_a_transfer_takes_what_each_direction_lacks(first, second, forward, backward):
    graph, rows = two_products(), [first, second]
    word_seconds = 64 * 16 * 4 / B
    (found,) = ALIKE.transfers(graph, rows)
    assert found == pytest.approx(word_seconds * (forward + backward))
    (doubled,) = replace(ALIKE, doubled=True).transfers(graph, rows)
    assert doubled == pytest.approx(word_seconds * 2 * forward)
    (paper,) = PLAIN.transfers(graph, rows)
    is_cut_finer = np.prod(second) > np.prod(first)
    assert paper == pytest.approx(
        word_seconds * 2 * (1 / np.prod(second) if is_cut_finer else forward)
    )
    moved = total(graph, rows, cluster_model()) - sum(ALIKE.layers(graph, rows))
    assert moved == pytest.approx(found, rel=1e-9)


def test_softmax_sends_no_rows():
    build = GraphBuilder("softmax")
    x = build.layer("rms_normalization", "norm", build.input("x", (16, 32)), axes="b n")
    build.layer("softmax", "softmax", x, along="n")
    graph, rows = build.graph(), [(1, 1), (1, 8)]
    with_rows, without = (r.layers(graph, rows)[1] for r in (replace(ALIKE, one_hot=True), ALIKE))
    # Its gradient would be an all-reduce of 32 words per word of a row, and 32 FLOP per word.
    sent = 2 * (16 * 32) * 7 / 8 * 4 / B
    assert with_rows - without == pytest.approx(sent + 16 * 32 * 32 / 8 / F)
    assert total(graph, rows, cluster_model()) == pytest.approx(ALIKE.total(graph, rows))


@pytest.mark.parametrize(
    ("optimizer", "n_bytes"), [("adam", 4 + 2 * 8 + 2 * 4), ("momentum", 4 + 8 + 8), ("sgd", 12)]
)
def test_the_update_is_the_only_thing_that_the_optimizer_adds(optimizer, n_bytes):
    graph, rows = two_products(), [(1, 1, 1)] * 2
    model = cluster_model(
        memory_bytes_per_second=1e6,
        step=StepOptions(optimizer=optimizer),
        flop_per_multiply_add=0.0,  # so that memory alone takes time
    )
    n_parameters = 32 * 16 + 16 * 8
    words = [64 * 32 + 64 * 16 + 32 * 16, 64 * 16 + 64 * 8 + 16 * 8]
    passes = [2, 3]  # no gradient of the input of the first
    moved = sum(4 * n * w for n, w in zip(passes, words, strict=True))
    assert total(graph, rows, model) == pytest.approx((moved + n_bytes * n_parameters) / 1e6)
