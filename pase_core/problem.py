"""A problem: network, devices and options, and the cost models that they name."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from pase_core.cluster import Cluster
from pase_core.configurations import Devices
from pase_core.costs.build import CostModel, Costs, price_outline
from pase_core.costs.cluster_model import ClusterCostModel
from pase_core.costs.cost_outline import Outline, outline_costs
from pase_core.costs.links import Links
from pase_core.costs.memory import MemoryModel
from pase_core.costs.paper import PaperCostModel
from pase_core.costs.step import StepOptions
from pase_core.errors import OptionError
from pase_core.graph import ELEMENT_BYTES, Graph
from pase_core.mesh import Mesh
from pase_core.pins import Pins
from pase_core.search.options import SearchOptions


@dataclass(frozen=True, slots=True)
class CostOptions:
    """How to price.

    Attributes:
        model: a name of COST_MODELS.
        word_bytes: bytes of a word in the model `paper`; None for the element type's.
        flop_per_multiply_add: 2, or 1 as in the paper's prototype.
        min_part: smallest part that a split may leave of a dimension.
        step: how a training step is carried out.
    """

    model: str = "paper"
    word_bytes: float | None = None
    flop_per_multiply_add: float = 2.0
    min_part: int = 1
    step: StepOptions = field(default_factory=StepOptions)


@dataclass(frozen=True, slots=True)
class Problem:
    """What is to be solved.

    Attributes:
        graph: the network.
        cluster: the devices.
        cost: how to price.
        search: how to search.
        pins: layers whose configuration is given, by name; the search chooses the others.
        memory_limit_bytes: most that a strategy may hold per device; None for no limit.
    """

    graph: Graph
    cluster: Cluster
    cost: CostOptions = field(default_factory=CostOptions)
    search: SearchOptions = field(default_factory=SearchOptions)
    pins: Pins = ()
    memory_limit_bytes: float | None = None

    def __post_init__(self) -> None:
        """Check the memory limit."""
        limit = self.memory_limit_bytes
        if limit is not None and not 0.0 < limit < math.inf:
            raise OptionError(f"memory limit of {limit:g} bytes: must be a number above 0")

    @property
    def element_type(self) -> str:
        """The element type asked for, or the graph's."""
        return self.cost.step.element_type or self.graph.element_type

    @property
    def word_bytes(self) -> float:
        """Bytes of a word: those asked for, or the element type's."""
        given = self.cost.word_bytes
        return ELEMENT_BYTES[self.element_type] if given is None else given


def _paper_model(problem: Problem) -> PaperCostModel:
    taken = problem.cost.step.needs_seconds
    if taken:
        raise OptionError(
            f"the cost model 'paper' counts FLOP and cannot price {', '.join(taken)}; "
            "use --cost-model cluster"
        )
    return PaperCostModel(
        flop_per_second=problem.cluster.flop_per_second(problem.element_type),
        bytes_per_second=problem.cluster.bytes_per_second,
        word_bytes=problem.word_bytes,
        flop_per_multiply_add=problem.cost.flop_per_multiply_add,
    )


def _cluster_model(problem: Problem) -> ClusterCostModel:
    cluster, step = problem.cluster, problem.cost.step
    if problem.cost.word_bytes is not None:
        raise OptionError(
            "the cost model 'cluster' takes its word sizes from the element type; give "
            f"--element-type instead of --word-bytes ({', '.join(ELEMENT_BYTES)})"
        )
    fraction = cluster.achievable_fraction
    return ClusterCostModel(
        mesh=Mesh.of_nodes(cluster.n_devices, cluster.devices_per_node, step.batch_inside),
        links=Links(cluster.intra_node, cluster.inter_node),
        flop_per_second=fraction * cluster.flop_per_second(problem.element_type),
        memory_bytes_per_second=fraction * cluster.memory_bytes_per_second,
        precision=step.precision(problem.graph.element_type),
        step=step,
        flop_per_multiply_add=problem.cost.flop_per_multiply_add,
    )


COST_MODELS: dict[str, Callable[[Problem], CostModel]] = {
    "paper": _paper_model,
    "cluster": _cluster_model,
}
"""Cost models by name."""


def cost_model(problem: Problem) -> CostModel:
    """The cost model that a problem asks for.

    Raises:
        OptionError: if there is no such model, or an option is out of range.
    """
    make = COST_MODELS.get(problem.cost.model)
    if make is None:
        raise OptionError(
            f"unknown cost model {problem.cost.model!r}; known: {', '.join(COST_MODELS)}"
        )
    return make(problem)


def memory_model(problem: Problem) -> MemoryModel:
    """What counts the bytes that a device holds, under either cost model."""
    step = problem.cost.step
    precision = step.precision(problem.graph.element_type)
    return MemoryModel(problem.cluster.n_devices, precision, step)


def check_no_limit(problem: Problem, what: str) -> None:
    """Refuse a memory limit where it would not be kept.

    Raises:
        OptionError: if there is one.
    """
    if problem.memory_limit_bytes is not None:
        raise OptionError(
            f"{what} cannot be found under a memory limit; leave --memory-limit out, or take "
            "'pase solve' or 'pase frontier', which keep it"
        )


def allowed_devices(problem: Problem) -> Devices:
    """Which products of splits a problem allows: the paper's model any, `cluster` a mesh's."""
    if problem.cost.step.use_all_devices:
        return "all"
    return "any" if problem.cost.model == "paper" else "mesh"


def outline_problem(problem: Problem, model: CostModel) -> Outline:
    """Configurations and transfers of a problem, to be priced by a model.

    Raises:
        OptionError: if an option is out of range.
        BudgetError: if a layer has too many configurations.
    """
    return outline_costs(
        problem.graph,
        problem.cluster.n_devices,
        problem.cost.min_part,
        allowed_devices(problem),
        sees_surroundings=model.sees_surroundings,
    )


def price_tables(problem: Problem) -> Costs:
    """Cost tables of a problem.

    Raises:
        OptionError: as `cost_model`.
        BudgetError: if the tables do not fit the memory budget.
    """
    model, budget = cost_model(problem), problem.search.memory_budget_bytes
    return price_outline(outline_problem(problem, model), model, budget)
