"""The author's prototype's figures, and our tables for the same settings."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from pase_core.costs.build import Costs, build_costs
from pase_core.costs.paper import PaperCostModel
from pase_core.graph import Graph
from sample_graphs import SAMPLES

_FOLDER = Path(__file__).parent.parent / "reference"
_OUR_NAMES = {"inception3": "inception_v3"}


def _read(file: str) -> dict:
    return json.loads((_FOLDER / file).read_text())


LAYERS: dict[str, dict] = _read("prototype_layers.json")
SETTINGS: dict = _read("prototype_totals.json")
TOTALS: dict[str, dict] = SETTINGS["totals"]

MODEL = PaperCostModel(
    flop_per_second=SETTINGS["flops_per_second"],
    bytes_per_second=SETTINGS["bytes_per_second"],
    word_bytes=SETTINGS["bytes_per_word"],
    flop_per_multiply_add=SETTINGS["flop_per_multiply_add"],
)


def sample_and_devices(case: str) -> tuple[str, int]:
    """Our name of the network and the number of devices of a case such as `inception3/p8`."""
    name, devices = case.split("/p")
    return _OUR_NAMES.get(name, name), int(devices)


@cache
def sample(name: str, batch: int) -> Graph:
    return SAMPLES[name].build(batch)


@cache
def costs_of_case(case: str) -> tuple[Graph, Costs]:
    """Graph and cost tables with the batch and smallest part of the prototype's run."""
    name, n_devices = sample_and_devices(case)
    graph = sample(name, TOTALS[case]["batch"])
    return graph, build_costs(graph, MODEL, n_devices, TOTALS[case]["min_part_size"])
