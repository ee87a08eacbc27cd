"""Bytes per device on the wire as XLA and DTensor communicate them.

Measured with JAX 0.10.2 and PyTorch 2.13 on virtual devices, MB per device: a perceptron
512 x 768-1024-1536-256 on 8 devices, configurations (batch, outputs, inputs) per layer.
"""

from __future__ import annotations

import pytest

from pase_core.builder import GraphBuilder
from pase_core.costs.step import StepOptions
from tests.core.cluster_bytes import byte_counter, total

GOLDEN = {
    "all (8,1,1)": ([(8, 1, 1)] * 3, 19.27, 19.27),
    "all (1,8,1)": ([(1, 8, 1)] * 3, 13.76, 9.18),
    "all (1,1,8)": ([(1, 1, 8)] * 3, 14.68, 14.68),
    "all (2,2,2)": ([(2, 2, 2)] * 3, 5.51, 5.51),
    "(1,4,2), (1,2,4) alternating": ([(1, 4, 2), (1, 2, 4), (1, 4, 2)], 5.90, 5.90),
    "(1,8,1), (1,1,8) alternating": ([(1, 8, 1), (1, 1, 8), (1, 8, 1)], 11.01, 11.01),
    "(8,1,1), (1,8,1), (1,1,8)": ([(8, 1, 1), (1, 8, 1), (1, 1, 8)], 11.93, 10.09),
    "(1,1,8), (8,1,1), (1,8,1)": ([(1, 1, 8), (8, 1, 1), (1, 8, 1)], 24.77, 22.02),
}


def perceptron():
    build = GraphBuilder("perceptron")
    x = build.input("x", (512, 768))
    for i, n in enumerate((1024, 1536, 256)):
        x = build.layer("fully_connected", f"fc{i}", x, n=n)
    return build.graph()


@pytest.mark.parametrize("name", GOLDEN)
def test_bytes_sent_are_those_that_xla_communicates(name):
    rows, xla, _dtensor = GOLDEN[name]
    assert total(perceptron(), rows, byte_counter(8)) / 1e6 == pytest.approx(xla, rel=0.01)


@pytest.mark.parametrize("name", GOLDEN)
def test_bytes_sent_with_reduce_scatter_are_those_of_dtensor(name):
    rows, _xla, dtensor = GOLDEN[name]
    model = byte_counter(8, step=StepOptions(reduce="reduce_scatter"))
    assert total(perceptron(), rows, model) / 1e6 == pytest.approx(dtensor, rel=0.01)


@pytest.mark.parametrize("name", GOLDEN)
def test_taking_apart_every_reduction_sends_least(name):
    rows, _xla, dtensor = GOLDEN[name]
    model = byte_counter(8, step=StepOptions(reduce="reduce_scatter_all"))
    assert total(perceptron(), rows, model) / 1e6 <= dtensor * 1.01
