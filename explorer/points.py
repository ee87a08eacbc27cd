"""Points of a scaling study: one strategy on one number of devices, as small frozen data.

They travel as JSON between a worker process and the server. No streamlit here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from explorer.scenario import Scenario, Upload
from pase_core.cluster import cluster_from_json, cluster_to_json
from pase_core.solve import Comparison
from pase_core.strategy import PricedStrategy, parameter_words

PAPER_DEVICES = (4, 8, 16, 32, 64)
"""The numbers of devices that the paper measured."""

FOUND = "found"
DATA_PARALLEL = "data parallel"
EXPERT = "expert"


@dataclass(frozen=True, slots=True)
class Point:
    """One strategy on one number of devices, or the reason why there is none.

    Attributes:
        n_devices: number of devices.
        kind: FOUND, DATA_PARALLEL or EXPERT.
        strategy: what its line is called; the recipe's name for an expert.
        variant: full name of the strategy.
        cost: cost of a step per device, in `unit`.
        unit: unit of the costs.
        seconds: the cost as modelled time.
        components: pairs of a component's name and its cost; they add up to `cost`.
        weights_bytes: trained weights that one device holds.
        search_seconds: time to make and search the cost tables; 0 unless found.
        is_proved: whether the strategy is proved to be the best.
        message: why nothing could be solved; the other fields are empty then.
    """

    n_devices: int
    kind: str = FOUND
    strategy: str = FOUND
    variant: str = FOUND
    cost: float = 0.0
    unit: str = ""
    seconds: float = 0.0
    components: tuple[tuple[str, float], ...] = ()
    weights_bytes: float = 0.0
    search_seconds: float = 0.0
    is_proved: bool = False
    message: str = ""


def devices_up_to(n_devices: int) -> tuple[int, ...]:
    """Powers of two up to a number of devices, and the paper's in any case.

    Example:
        >>> devices_up_to(128)
        (1, 2, 4, 8, 16, 32, 64, 128)
    """
    largest = max(n_devices, *PAPER_DEVICES)
    return tuple(2**k for k in range(largest.bit_length()))


def points_of(comparison: Comparison) -> tuple[Point, ...]:
    """Found, data parallel and the best variant of each expert, as points."""
    return tuple(_points_of(comparison))


def _points_of(comparison: Comparison) -> Iterator[Point]:
    solution = comparison.solution
    found = _point(comparison, solution.found, FOUND, FOUND)
    yield replace(
        found,
        search_seconds=solution.tables_seconds + solution.search_seconds,
        is_proved=solution.search.proved_optimal,
    )
    yield _point(comparison, comparison.data_parallel, DATA_PARALLEL, DATA_PARALLEL)
    for name, variants in comparison.experts.items():
        yield _point(comparison, variants[0], EXPERT, name)


def _point(comparison: Comparison, priced: PricedStrategy, kind: str, name: str) -> Point:
    solution = comparison.solution
    problem = solution.problem
    word_bytes = problem.cost.word_bytes or problem.graph.word_bytes
    return Point(
        n_devices=problem.cluster.n_devices,
        kind=kind,
        strategy=name,
        variant=priced.strategy.name,
        cost=priced.total,
        unit=solution.unit,
        seconds=solution.seconds(priced.total),
        components=tuple(priced.components.items()),
        weights_bytes=word_bytes * float(parameter_words(problem.graph, priced.strategy).sum()),
    )


def point_to_json(point: Point) -> dict[str, Any]:
    """A point as JSON data."""
    return asdict(point)


def point_from_json(data: dict[str, Any]) -> Point:
    """A point from JSON data."""
    components = tuple((str(name), float(cost)) for name, cost in data["components"])
    return Point(**data | {"components": components})


def scenario_to_json(scenario: Scenario) -> dict[str, Any]:
    """A scenario as JSON data; of an upload its name and sizes, not its content."""
    upload = scenario.upload and replace(scenario.upload, data=b"")
    own = scenario.own_cluster
    return asdict(replace(scenario, upload=None, own_cluster=None)) | {
        "upload": upload and {"name": upload.name, "bindings": upload.bindings},
        "own_cluster": own and cluster_to_json(own),
    }


def scenario_from_json(data: dict[str, Any], content: bytes) -> Scenario:
    """A scenario from JSON data and the content of its upload."""
    upload = data["upload"]
    if upload is not None:
        bindings = tuple((str(name), int(size)) for name, size in upload["bindings"])
        upload = Upload(upload["name"], content, bindings)
    pins = tuple((str(name), tuple(map(int, splits))) for name, splits in data["pins"])
    own = data["own_cluster"]
    return Scenario(
        **data
        | {
            "upload": upload,
            "pins": pins,
            "own_cluster": own and cluster_from_json(own, "the cluster"),
            "figures": tuple((str(name), figure) for name, figure in data["figures"]),
        }
    )
