"""The graph picture of one step of an elimination: a colour for each layer's state."""

from __future__ import annotations

from explorer.amounts import amount
from explorer.colours import colour_kinds, ink_on
from explorer.layout import lay_out
from explorer.lessons import Subject
from explorer.tables.learn import STATES, Steps, states

ROOM = (552.0, 440.0)
"""Width and height in pixels that the picture has beside the words on a small screen."""

LINE, HEAVY_LINE = 1.3, 4.0
"""Width of an arrow, and of one that joins the layers of the current table."""


def draw_step(subject: Subject, steps: Steps, current: int, height: int) -> dict[str, object]:
    """Draw a step, as the canvas wants it; arrows of the current table are thick.

    Args:
        subject: the layers.
        steps: of their elimination.
        current: number of the step, from 0.
        height: of the picture in pixels.
    """
    shape, now = subject.skeleton, steps[current]
    layout = lay_out(len(shape.names), shape.edges, is_horizontal=True, room=ROOM)
    inside = {now.vertex, *now.connected}
    around = inside | set(now.dependents)
    return {
        "name": subject.title,
        "height": height,
        "selected": shape.names[now.vertex],
        "legend": {"title": "state of a layer", "entries": [list(each) for each in STATES.items()]},
        "heavyColour": STATES["dependent set"],
        "boxes": [
            box | {"x": x, "y": y}
            for box, (x, y) in zip(_boxes(subject, steps, current), layout.centres, strict=True)
        ],
        "edges": [
            _arrow(
                (shape.names[edge[0]], shape.names[edge[1]]),
                route,
                is_heavy=bool(inside & set(edge)) and set(edge) <= around,
            )
            for edge, route in zip(shape.edges, layout.routes, strict=True)
        ],
    }


def _arrow(
    ends: tuple[str, str], route: tuple[tuple[float, float], ...], *, is_heavy: bool
) -> dict[str, object]:
    width = HEAVY_LINE if is_heavy else LINE
    return {"from": ends[0], "to": ends[1], "points": route, "heavy": is_heavy, "width": width}


def _boxes(subject: Subject, steps: Steps, current: int) -> list[dict[str, object]]:
    """One box per layer, without its place."""
    shape = subject.skeleton
    kinds = states(steps, current)
    turn = {step.vertex: number for number, step in enumerate(steps, 1)}
    colours = colour_kinds(kinds, STATES, "").colours
    boxes: list[dict[str, object]] = []
    for layer, (name, kind, colour) in enumerate(zip(shape.names, kinds, colours, strict=True)):
        n_choices = amount(shape.n_choices[layer])
        is_gone = turn[layer] <= current
        boxes.append(
            {
                "id": name,
                "title": subject.short_name(layer),
                "subtitle": f"step {turn[layer]}" if is_gone else f"{n_choices} configurations",
                "tip": f"{name}\n{n_choices} configurations\n{kind}; step {turn[layer]}",
                "words": name,
                "colour": colour,
                "ink": ink_on(colour),
                "stacked": False,
            }
        )
    return boxes
