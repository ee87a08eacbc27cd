"""A graph seen from afar: modules as boxes, equal neighbours as one box, opened ones as layers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from pase_core.costs.cost_outline import layer_key
from pase_core.graph import Graph
from pase_core.modules import MAX_MODULES, module_names, scopes


@dataclass(frozen=True, slots=True)
class Box:
    """A layer, a module, or a run of equal modules that follow each other.

    Attributes:
        name: of the layer or of the first module; unique in an outline.
        members: the modules that it stands for; empty for a layer.
        layers: positions of its layers.
    """

    name: str
    members: tuple[str, ...]
    layers: tuple[int, ...]

    @property
    def is_layer(self) -> bool:
        """True for a single layer that cannot be opened."""
        return not self.members

    @property
    def title(self) -> str:
        """The name, with how often the module repeats."""
        n = len(self.members)
        return f"{self.name} × {n}" if n > 1 else self.name


@dataclass(frozen=True, slots=True)
class Outline:
    """Boxes and what runs between them.

    Attributes:
        boxes: in the order of their first layers.
        edges: (from, to) positions of boxes that exchange a tensor.
    """

    boxes: tuple[Box, ...]
    edges: tuple[tuple[int, int], ...]

    def box_of_layer(self) -> dict[int, int]:
        """Position of the box of each layer, by the layer's position."""
        return {layer: i for i, box in enumerate(self.boxes) for layer in box.layers}


def outline(graph: Graph, opened: Iterable[str] = ()) -> Outline:
    """Group a graph's layers into boxes.

    A module of one layer is that layer. Modules with equal layers that follow each other are one
    box. An opened module is shown as its layers, and the rest of its run stays one box. If that
    makes more than MAX_MODULES boxes, neighbours are joined to stretches first.

    Args:
        graph: the network.
        opened: names of modules to take apart.
    """
    names = [layer.name for layer in graph.layers]
    modules = scopes(names)
    if len(set(modules)) > MAX_MODULES and len(_boxes(graph, modules, set())) > MAX_MODULES:
        modules = module_names(names)
    boxes = _boxes(graph, modules, set(opened))
    found = Outline(boxes, ())
    home = found.box_of_layer()
    edges = dict.fromkeys((home[t.producer], home[t.consumer]) for t in graph.transfers)
    return Outline(boxes, tuple((u, v) for u, v in edges if u != v))


def _boxes(graph: Graph, names: Sequence[str], open_names: set[str]) -> tuple[Box, ...]:
    """Boxes of a graph whose layers are in modules of these names."""
    modules: dict[str, list[int]] = {}
    for position, module in enumerate(names):
        modules.setdefault(module, []).append(position)
    contents = {
        module: tuple(layer_key(graph.layers[position]) for position in positions)
        for module, positions in modules.items()
    }
    boxes: list[Box] = []
    for key, run in groupby(
        modules, lambda module: (module if module in open_names else None, contents[module])
    ):
        members = tuple(run)
        layers = tuple(position for module in members for position in modules[module])
        if key[0] is not None or len(layers) == 1:
            boxes += [Box(graph.layers[position].name, (), (position,)) for position in layers]
        elif all(len(modules[module]) == 1 for module in members):
            boxes += [Box(graph.layers[position].name, (), (position,)) for position in layers]
        else:
            boxes.append(Box(members[0], members, layers))
    return tuple(boxes)
