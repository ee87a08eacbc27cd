"""Devices and parts: the arrays agree with counting through all devices one by one."""

from __future__ import annotations

import itertools
import math
import random

import pytest

from pase_core.axes import parse_axes
from pase_core.configurations import configurations
from pase_core.errors import StrategyError
from pase_core.layers import Access, Dimension, Layer
from pase_core.placement import IDLE, holders, parts_of_devices, tensor_parts_of_devices
from sample_graphs import SAMPLES

FC = Layer(
    "fc",
    "fully connected",
    (Dimension("b", 8), Dimension("n", 4), Dimension("c", 6)),
    inputs=(Access("x", parse_axes("b c")),),
    outputs=(Access("y", parse_axes("b n")),),
    parameters=(Access("w", parse_axes("c n")),),
)
FLAT = Layer(
    "flat",
    "reshape",
    (Dimension("b", 4), Dimension("c", 4), Dimension("h", 4), Dimension("w", 4)),
    inputs=(Access("x", parse_axes("b (c h) - ~w")),),
)


def brute_force(layer, configuration, access=None):
    """Count through the parts as nested loops would, and look at each tensor's axes."""
    found = {}
    ranges = [range(q) for q in configuration]
    for device, part in enumerate(itertools.product(*ranges)):
        key = part
        if access is not None:
            number = dict(zip(layer.dimension_names, part, strict=True))
            parts = dict(zip(layer.dimension_names, configuration, strict=True))
            key = tuple(
                sum(
                    number[name] * math.prod(parts[n] for n in axis.dimensions[i + 1 :])
                    for i, name in enumerate(axis.dimensions)
                )
                for axis in access.axes
            )
        found.setdefault(key, []).append(device)
    return {key: tuple(devices) for key, devices in found.items()}


def layers():
    chance = random.Random(1)
    yield from (FC, FLAT)
    for sample in SAMPLES.values():
        yield from chance.sample(sample.build(sample.batch).layers, 3)


@pytest.mark.parametrize("layer", list(layers()), ids=lambda layer: layer.name)
@pytest.mark.parametrize("n_devices", [1, 6, 16])
def test_holders_agree_with_counting(layer, n_devices):
    chance = random.Random(layer.name)
    rows = configurations(layer, n_devices)
    for row in rows[chance.sample(range(len(rows)), min(12, len(rows)))]:
        configuration = tuple(map(int, row))
        for access in (None, *layer.accesses):
            found = holders(layer, configuration, n_devices, access)
            assert found == brute_force(layer, configuration, access)
            assert list(found) == sorted(found)
            devices = sorted(itertools.chain.from_iterable(found.values()))
            assert devices == list(range(math.prod(configuration)))
            assert len({len(each) for each in found.values()}) == 1


def test_devices_beyond_the_splits_are_idle():
    parts = parts_of_devices(FC, (2, 1, 3), 8)
    assert parts.shape == (8, 3)
    assert parts[:6].tolist() == [[0, 0, 0], [0, 0, 1], [0, 0, 2], [1, 0, 0], [1, 0, 1], [1, 0, 2]]
    assert (parts[6:] == IDLE).all()
    of_tensor = tensor_parts_of_devices(FC, FC.parameters[0], (2, 1, 3), 8)
    assert of_tensor[:, 0].tolist() == [0, 1, 2, 0, 1, 2, IDLE, IDLE]


def test_weights_are_replicated_over_the_batch():
    assert holders(FC, (4, 1, 1), 4, FC.parameters[0]) == {(0, 0): (0, 1, 2, 3)}
    assert holders(FC, (2, 2, 1), 4, FC.parameters[0]) == {(0, 0): (0, 2), (0, 1): (1, 3)}


def test_an_axis_of_two_dimensions_counts_row_major():
    found = holders(FLAT, (1, 2, 2, 2), 8, FLAT.inputs[0])
    assert found == {(0, k // 2, 0, k % 2): (k,) for k in range(8)}


def test_a_layer_without_dimensions_runs_on_one_device():
    layer = Layer("constant", "constant", (), outputs=(Access("x", ()),))
    assert parts_of_devices(layer, (), 3).shape == (3, 0)
    assert holders(layer, (), 3, layer.outputs[0]) == {(): (0,)}


@pytest.mark.parametrize("configuration", [(2, 2), (4, 2, 2)])
def test_what_does_not_fit_is_refused(configuration):
    with pytest.raises(StrategyError, match="does not fit"):
        parts_of_devices(FC, configuration, 8)
