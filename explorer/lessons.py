"""What the Learn page explains the method with: the network, one of its modules, or a toy."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from explorer.scenario import Scenario
from explorer.toy import Toy, solve_toy
from pase_core.graph import Graph
from pase_core.outline import outline
from pase_core.search.growth import GrowthStep, grow
from pase_core.skeleton import Skeleton, skeleton
from sample_graphs import SAMPLES
from sample_graphs.toys import branches

MAX_LAYERS = 60
"""A picture of more layers than this cannot be followed."""

MAX_FIRST = 20
"""Modules of more layers are not the first to be shown: they are wider than a small screen."""

MIN_LAYERS = 3
"""A module of fewer layers teaches nothing."""

TOY_DEVICES = 4


@dataclass(frozen=True, slots=True)
class Subject:
    """Some layers to eliminate.

    Attributes:
        title: for people.
        skeleton: the layers.
        is_network: False for a toy or a module by itself.
        prefix: what the names of all its layers begin with, to be left out in pictures.
    """

    title: str
    skeleton: Skeleton
    is_network: bool = False
    prefix: str = ""

    def short_name(self, layer: int) -> str:
        """Name of a layer without the prefix."""
        return self.skeleton.names[layer].removeprefix(self.prefix)


@st.cache_resource(max_entries=8, show_spinner=False)
def network_graph(scenario: Scenario) -> Graph:
    """The scenario's network; unlike a comparison, it need not be solved for.

    Raises:
        PaseError: if it cannot be loaded.
    """
    return scenario.graph()


@st.cache_resource(max_entries=16, show_spinner=False)
def network_skeleton(scenario: Scenario) -> Skeleton:
    """Layers, edges and numbers of configurations of the scenario's network, without pins.

    Raises:
        PaseError: if the network cannot be loaded or has too many configurations.
    """
    return skeleton(network_graph(scenario), scenario.n_devices, scenario.smallest_part)


@st.cache_resource(max_entries=32, show_spinner=False)
def network_growth(scenario: Scenario, ordering: str) -> tuple[GrowthStep, ...]:
    """Steps of eliminating the scenario's network on paper."""
    found = network_skeleton(scenario)
    return grow(found.neighbours, found.n_choices, ordering)


@st.cache_resource(max_entries=32, show_spinner=False)
def sample_growths(
    n_devices: int, min_part: int | None, orderings: tuple[str, ...]
) -> dict[str, dict[str, tuple[GrowthStep, ...]]]:
    """Steps by sample and ordering, each sample with its own batch."""
    found = {}
    for name, sample in SAMPLES.items():
        shape = skeleton(sample.build(sample.batch), n_devices, min_part or sample.min_part)
        found[name] = {
            ordering: grow(shape.neighbours, shape.n_choices, ordering) for ordering in orderings
        }
    return found


@st.cache_resource(max_entries=8, show_spinner=False)
def subjects(scenario: Scenario, title: str) -> dict[str, Subject]:
    """What can be eliminated step by step, by title; see `first_title` for where to begin.

    Args:
        scenario: without pins.
        title: the network's name for people.
    """
    whole = network_skeleton(scenario)
    found = []
    if len(whole.names) <= MAX_LAYERS:
        found.append(Subject(title, whole, is_network=True))
    else:
        for box in outline(network_graph(scenario)).boxes:
            layers = box.layers[: len(box.layers) // max(1, len(box.members))]
            if MIN_LAYERS <= len(layers) <= MAX_LAYERS:
                part = whole.part(layers)
                found.append(Subject(f"{title}: {box.name}", part, prefix=f"{box.name}/"))
    toy = skeleton(branches(), TOY_DEVICES)
    found.append(Subject(f"A toy with three branches, {TOY_DEVICES} devices", toy))
    return {subject.title: subject for subject in found}


@st.cache_resource(max_entries=1, show_spinner=False)
def load_toy() -> Toy:
    """The toy of the third section, solved once."""
    return solve_toy()


def first_title(found: dict[str, Subject]) -> str:
    """The subject to begin with: the network, else a module that fits the picture and branches."""
    whole = [title for title, subject in found.items() if subject.is_network]
    if whole:
        return whole[0]
    shapes = {title: subject.skeleton for title, subject in found.items() if subject.prefix}
    small = [title for title, shape in shapes.items() if len(shape.names) <= MAX_FIRST]
    toy = list(found)[-1]
    return max(small, key=lambda title: shapes[title].n_joins, default=toy)
