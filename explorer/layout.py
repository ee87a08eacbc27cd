"""Where boxes stand and how arrows run: layered layout by fast-sugiyama."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import networkx as nx
from fast_sugiyama import from_edges

Point = tuple[float, float]

ALONG, ACROSS = (214.0, 92.0), (64.0, 190.0)
"""Distances in pixels between layers and between neighbours: left to right, top down."""

BOX_WIDTH, BOX_HEIGHT = 168.0, 46.0


@dataclass(frozen=True, slots=True)
class Layout:
    """Positions of a drawing, in pixels.

    Attributes:
        centres: of the boxes.
        routes: for each edge the points from border to border.
    """

    centres: tuple[Point, ...]
    routes: tuple[tuple[Point, ...], ...]


def lay_out(n_boxes: int, edges: Sequence[tuple[int, int]], *, is_horizontal: bool) -> Layout:
    """Lay boxes out in layers, so that arrows point right (or down).

    The same graph always gets the same layout. Parts that are not connected stand side by side.

    Args:
        n_boxes: number of boxes.
        edges: (from, to) pairs without loops.
        is_horizontal: left to right rather than top down.
    """
    places, bends = _grid(n_boxes, edges)
    depth, breadth = (ALONG[0], ALONG[1]) if is_horizontal else (ALONG[1], ACROSS[1])

    def point(place: Point) -> Point:
        x, y = place
        return (y * depth, x * breadth) if is_horizontal else (x * breadth, y * depth)

    centres = tuple(point(place) for place in places)
    routes = tuple(
        _route(centres[source], centres[target], [point(bend) for bend in inner], is_horizontal)
        for (source, target), inner in zip(edges, bends, strict=True)
    )
    return Layout(centres, routes)


def _grid(
    n_boxes: int, edges: Sequence[tuple[int, int]]
) -> tuple[list[Point], list[tuple[Point, ...]]]:
    """Places of boxes, and of the bends of each edge, as (across, along) in steps."""
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(n_boxes))
    graph.add_edges_from(edges)
    places: dict[int, Point] = {}
    bends: dict[tuple[int, int], tuple[Point, ...]] = {}
    shift = 0.0
    for part in sorted(nx.weakly_connected_components(graph), key=min):
        boxes = sorted(part)
        inside = [edge for edge in edges if edge[0] in part]
        width = _lay_out_part(boxes, inside, shift, places, bends)
        shift += width + 1.0
    return [places[box] for box in range(n_boxes)], [bends.get(edge, ()) for edge in edges]


def _lay_out_part(
    boxes: Sequence[int],
    edges: Sequence[tuple[int, int]],
    shift: float,
    places: dict[int, Point],
    bends: dict[tuple[int, int], tuple[Point, ...]],
) -> float:
    """Lay one connected part out, to the right of `shift`; returns its width."""
    if len(boxes) == 1:
        places[boxes[0]] = (shift, 0.0)
        return 0.0
    # Numbered from 0, so that every number from len(boxes) on is a bend.
    number = {box: i for i, box in enumerate(boxes)}
    ((nodes, width, height, links),) = from_edges(
        [(number[u], number[v]) for u, v in edges],
        dummy_vertices=True,
        vertex_spacing=1.0,
        check_layout=False,
    )
    found = {node: (x + shift, height - y) for node, (x, y) in nodes}
    places.update({box: found[i] for box, i in number.items()})
    for (u, v), chain in _chains(links or [], len(boxes)).items():
        bends[boxes[u], boxes[v]] = tuple(found[dummy] for dummy in chain)
    return float(width)


def _chains(
    links: Iterable[tuple[int | str, int | str]], n_boxes: int
) -> dict[tuple[int, int], list[int]]:
    """Bends of every long edge: chains of dummy vertices between two boxes."""
    numbered = [(int(source), int(target)) for source, target in links]
    after = {source: target for source, target in numbered if source >= n_boxes}
    chains = {}
    for source, target in numbered:
        if source < n_boxes <= target:
            bends = [target]
            while after[bends[-1]] >= n_boxes:
                bends.append(after[bends[-1]])
            chains[source, after[bends[-1]]] = bends
    return chains


def _route(
    source: Point, target: Point, inner: Sequence[Point], is_horizontal: bool
) -> tuple[Point, ...]:
    """From the source's far border over the bends to the target's near border."""
    if is_horizontal:
        start = (source[0] + BOX_WIDTH / 2, source[1])
        end = (target[0] - BOX_WIDTH / 2 - 2, target[1])
    else:
        start = (source[0], source[1] + BOX_HEIGHT / 2)
        end = (target[0], target[1] - BOX_HEIGHT / 2 - 2)
    return (start, *inner, end)
