"""Which devices compute which part, and what of a split lies inside a node."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pase_core.configurations import configurations
from pase_core.layers import Dimension, Layer
from pase_core.mesh import Mesh, mesh_coordinates

SIZES = st.sampled_from([1, 2, 3, 4, 6, 12, 24])


@st.composite
def placed(draw):
    """A mesh, a layer, one of its configurations and its placement."""
    p = draw(st.sampled_from([1, 2, 4, 6, 8, 12, 24, 36]))
    mesh = Mesh.of_nodes(p, draw(st.sampled_from([1, 2, 4, 6, 8, 16])), draw(st.booleans()))
    names = draw(st.sampled_from(["b", "n", "b n", "n b", "b s n", "b h w n"])).split()
    layer = Layer("layer", "any", tuple(Dimension(name, draw(SIZES)) for name in names))
    rows = configurations(layer, p, devices="mesh")
    row = rows[draw(st.integers(0, len(rows) - 1))]
    (inside,) = mesh.inside_parts(layer, row[None, :])
    return mesh, layer, tuple(row.tolist()), tuple(inside.tolist())


def blocks_of(mesh: Mesh, parts: np.ndarray) -> list[np.ndarray]:
    return np.split(parts, mesh.n_outside)


@settings(max_examples=200)
@given(case=placed())
def test_every_part_has_equally_many_devices(case):
    mesh, layer, row, inside = case
    parts = mesh_coordinates(mesh, layer, row, inside)
    counted = Counter(map(tuple, parts.tolist()))
    assert len(counted) == math.prod(row)
    assert set(counted.values()) == {mesh.n_devices // math.prod(row)}
    assert (parts >= 0).all()
    assert (parts < np.array(row)).all()


@settings(max_examples=200)
@given(case=placed())
def test_a_block_has_as_many_different_parts_as_it_says(case):
    mesh, layer, row, inside = case
    parts = mesh_coordinates(mesh, layer, row, inside)
    for block in blocks_of(mesh, parts):
        assert tuple(len(set(column.tolist())) for column in block.T) == inside
        assert len(set(map(tuple, block.tolist()))) == math.prod(inside)


@settings(max_examples=200)
@given(case=placed())
def test_placements_fit_both_levels(case):
    mesh, _layer, row, inside = case
    assert all(whole % part == 0 for whole, part in zip(row, inside, strict=True))
    assert mesh.n_inside % math.prod(inside) == 0
    assert mesh.n_outside % (math.prod(row) // math.prod(inside)) == 0


def inside_of(mesh: Mesh, row, innermost=None) -> list[int]:
    layer = Layer("fc", "product", tuple(Dimension(name, 64) for name in "bnc"))
    return mesh.inside_parts(layer, np.array([row]), innermost)[0].tolist()


@pytest.mark.parametrize(
    ("row", "batch_inside", "innermost", "inside"),
    [
        ((4, 8, 1), False, None, [1, 8, 1]),  # as Megatron-LM: tensors inside, batch across
        ((32, 1, 1), False, None, [8, 1, 1]),  # more parts of the batch than nodes
        ((1, 16, 1), False, None, [1, 8, 1]),  # more parts than devices of a node
        ((1, 4, 4), False, None, [1, 2, 4]),  # the last dimension lies innermost
        ((1, 4, 4), False, 1, [1, 4, 2]),  # or another one
        ((8, 4, 1), True, None, [8, 1, 1]),  # the other way round
    ],
)
def test_what_lies_inside_four_nodes_of_eight(row, batch_inside, innermost, inside):
    assert inside_of(Mesh(32, 8, batch_inside), row, innermost) == inside


@pytest.mark.parametrize(
    ("p", "per_node", "n_inside"), [(8, 8, 8), (4, 8, 4), (32, 8, 8), (12, 8, 4), (9, 8, 1)]
)
def test_neighbours_are_those_certain_to_share_a_node(p, per_node, n_inside):
    mesh = Mesh.of_nodes(p, per_node)
    assert (mesh.n_inside, mesh.n_outside) == (n_inside, p // n_inside)
    # Blocks that begin at multiples of their size never cross from one node into the next.
    assert all(
        device // per_node == (device + n_inside - 1) // per_node
        for device in range(0, p, n_inside)
    )
