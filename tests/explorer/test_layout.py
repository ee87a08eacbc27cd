"""The layout of the graph picture: nothing overlaps, arrows keep their direction."""

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.layout import BOX_HEIGHT, BOX_WIDTH, lay_out
from pase_core.outline import outline
from sample_graphs import SAMPLES


@st.composite
def dags(draw):
    n = draw(st.integers(1, 14))
    pairs = [(u, v) for u in range(n) for v in range(u + 1, n)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=24)) if pairs else []
    return n, edges


def overlap(a, b):
    return abs(a[0] - b[0]) < BOX_WIDTH and abs(a[1] - b[1]) < BOX_HEIGHT


def is_on_border(point, centre):
    dx, dy = abs(point[0] - centre[0]), abs(point[1] - centre[1])
    return dx <= BOX_WIDTH / 2 + 2.1 and dy <= BOX_HEIGHT / 2 + 2.1


@given(dags(), st.booleans())
def test_boxes_do_not_overlap_and_arrows_run_from_border_to_border(graph, is_horizontal):
    n, edges = graph
    layout = lay_out(n, edges, is_horizontal=is_horizontal)
    assert len(layout.centres) == n
    for i in range(n):
        for j in range(i):
            assert not overlap(layout.centres[i], layout.centres[j])
    for (source, target), route in zip(edges, layout.routes, strict=True):
        assert len(route) >= 2
        assert is_on_border(route[0], layout.centres[source])
        assert is_on_border(route[-1], layout.centres[target])


@given(dags(), st.booleans())
def test_the_same_graph_gets_the_same_layout(graph, is_horizontal):
    n, edges = graph
    first = lay_out(n, edges, is_horizontal=is_horizontal)
    assert lay_out(n, list(edges), is_horizontal=is_horizontal) == first


@pytest.mark.parametrize("is_horizontal", [True, False])
def test_a_chain_is_wrapped_to_fit_its_room(is_horizontal):
    edges = [(i, i + 1) for i in range(39)]
    layout = lay_out(40, edges, is_horizontal=is_horizontal, room=(800.0, 500.0))
    width = max(x for x, _y in layout.centres) - min(x for x, _y in layout.centres)
    height = max(y for _x, y in layout.centres) - min(y for _x, y in layout.centres)
    assert 0.4 < width / height < 5.0


def test_within_a_lane_arrows_point_right():
    layout = lay_out(3, [(0, 1), (1, 2), (0, 2)], is_horizontal=True, room=(5000.0, 100.0))
    xs = [x for x, _y in layout.centres]
    assert xs[0] < xs[1] < xs[2]


def test_networks_with_skips_are_acyclic_in_the_picture_too():
    found = outline(SAMPLES["resnet101"].build(128), ["stage4"])
    assert nx.is_directed_acyclic_graph(nx.DiGraph(found.edges))
    assert lay_out(len(found.boxes), found.edges, is_horizontal=False).routes
