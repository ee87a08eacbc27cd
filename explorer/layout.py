"""Where boxes stand and how arrows run: layered layout by fast-sugiyama."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import networkx as nx
from fast_sugiyama import from_edges

Point = tuple[float, float]

ALONG, ACROSS = (214.0, 64.0), (92.0, 190.0)
"""Pixels between ranks and between neighbours in a rank: left to right, top down."""

GAP, TURN, MAX_LANES = 0.9, 22.0, 12
"""Steps between lanes, pixels between a lane's end and an arrow that turns there, most lanes."""

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

    @property
    def size(self) -> Point:
        """Width and height of all that is drawn."""
        xs, ys = (
            [c[axis] + side for c in self.centres for side in (-half, half)]
            + [point[axis] for route in self.routes for point in route]
            for axis, half in ((0, BOX_WIDTH / 2), (1, BOX_HEIGHT / 2))
        )
        return max(xs) - min(xs), max(ys) - min(ys)


def lay_out(
    n_boxes: int,
    edges: Sequence[tuple[int, int]],
    *,
    is_horizontal: bool,
    room: Point = (560.0, 440.0),
) -> Layout:
    """Lay boxes out in ranks, so that arrows point right (or down).

    Networks are long and thin; ranks are wrapped into lanes like words into lines, as many as let
    the picture be largest. The same graph always gets the same layout.

    Args:
        n_boxes: number of boxes.
        edges: (from, to) pairs without loops.
        is_horizontal: left to right rather than top down.
        room: width and height that the picture should fit, in pixels.
    """
    places, bends = _grid(n_boxes, edges)
    steps = (ALONG[0], ALONG[1]) if is_horizontal else (ACROSS[0], ACROSS[1])
    space = room if is_horizontal else (room[1], room[0])
    everything = [*places, *(bend for inner in bends for bend in inner)]
    lanes = _choose_lanes(everything, steps, space)
    centres = [lanes.point(place) for place in places]
    half = (BOX_WIDTH / 2, BOX_HEIGHT / 2) if is_horizontal else (BOX_HEIGHT / 2, BOX_WIDTH / 2)
    routes = [
        lanes.route([places[source], *inner, places[target]], half[0])
        for (source, target), inner in zip(edges, bends, strict=True)
    ]
    if is_horizontal:
        return Layout(tuple(centres), tuple(map(tuple, routes)))
    return Layout(
        tuple((y, x) for x, y in centres),
        tuple(tuple((y, x) for x, y in route) for route in routes),
    )


@dataclass(frozen=True, slots=True)
class _Lanes:
    """Ranks wrapped into lanes; places are (across, along) in steps, points (along, across).

    Attributes:
        n_ranks: ranks per lane.
        steps: pixels per step along and across.
        shifts: what is added to places across, by lane, in steps.
        starts: where each lane begins across, and where the last one ends, in steps.
    """

    n_ranks: int
    steps: tuple[float, float]
    shifts: tuple[float, ...]
    starts: tuple[float, ...]

    def lane(self, place: Point) -> int:
        """Number of the lane of a place."""
        return round(place[1]) // self.n_ranks

    def point(self, place: Point) -> Point:
        """Pixels along and across of a place."""
        along = round(place[1]) % self.n_ranks * self.steps[0]
        return along, (place[0] + self.shifts[self.lane(place)]) * self.steps[1]

    def route(self, places: Sequence[Point], half_box: float) -> list[Point]:
        """From the first box's far border over the bends to the last box's near border."""
        points = [self.point(place) for place in places]
        route = [(points[0][0] + half_box, points[0][1])]
        for (place, following), (before, after) in zip(
            pairwise(places), pairwise(points), strict=True
        ):
            if self.lane(place) != self.lane(following):
                route += self._turn(before, after, self.lane(place), half_box)
            route.append(after)
        route[-1] = (points[-1][0] - half_box - 2, points[-1][1])
        return route

    def _turn(self, before: Point, after: Point, lane: int, half_box: float) -> list[Point]:
        """Around the end of a lane and back to the start of the next one."""
        far = (self.n_ranks - 1) * self.steps[0] + half_box + TURN
        near = -half_box - TURN
        between = (self.starts[lane + 1] - GAP / 2) * self.steps[1]
        return [(far, before[1]), (far, between), (near, between), (near, after[1])]


def _wrap(places: Sequence[Point], n_ranks: int, steps: tuple[float, float]) -> _Lanes:
    """Lanes of so many ranks, each as broad as what stands in it."""
    inside: dict[int, list[float]] = {}
    for across, along in places:
        inside.setdefault(round(along) // n_ranks, []).append(across)
    shifts, starts = [], [0.0]
    for lane in range(max(inside) + 1):
        low, high = min(inside.get(lane, [0.0])), max(inside.get(lane, [0.0]))
        shifts.append(starts[-1] + 0.5 - low)
        starts.append(starts[-1] + high - low + 1.0 + GAP)
    return _Lanes(n_ranks, steps, tuple(shifts), tuple(starts))


def _choose_lanes(
    places: Sequence[Point], steps: tuple[float, float], space: tuple[float, float]
) -> _Lanes:
    """As many lanes as let the picture be largest in the space, fewer of equals."""
    n_ranks = round(max(along for _across, along in places)) + 1
    best, best_scale = _wrap(places, n_ranks, steps), 0.0
    for n_lanes in range(1, min(n_ranks, MAX_LANES) + 1):
        lanes = _wrap(places, -(-n_ranks // n_lanes), steps)
        across = lanes.starts[-1] * steps[1]
        scale = min(space[0] / (lanes.n_ranks * steps[0]), space[1] / across, 1.2)
        if scale > best_scale * 1.05:
            best, best_scale = lanes, scale
    return best


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
