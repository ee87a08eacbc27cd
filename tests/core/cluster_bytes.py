"""A cluster model whose seconds are bytes: nothing takes time but sending, a byte a second."""

from __future__ import annotations

from pase_core.costs.build import price_outline
from pase_core.costs.cluster_model import ClusterCostModel
from pase_core.costs.cost_outline import outline_strategy
from pase_core.costs.links import Links
from pase_core.costs.step import StepOptions
from pase_core.link import Link
from pase_core.mesh import Mesh

FREE = 1e300


def byte_counter(
    n_devices: int,
    devices_per_node: int | None = None,
    *,
    step: StepOptions | None = None,
    element_type: str = "float32",
) -> ClusterCostModel:
    """A model in which one byte sent takes a second and everything else nothing."""
    step = step or StepOptions()
    link = Link("test", 1.0)
    return ClusterCostModel(
        mesh=Mesh.of_nodes(n_devices, devices_per_node or n_devices, step.batch_inside),
        links=Links(link, link),
        flop_per_second=FREE,
        memory_bytes_per_second=FREE,
        precision=step.precision(element_type),
        step=step,
    )


def total(graph, configurations, model) -> float:
    """Cost of a strategy under a model."""
    costs = price_outline(outline_strategy(graph, configurations), model)
    return costs.tables.total((0,) * len(graph.layers))
