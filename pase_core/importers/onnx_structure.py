"""Checks of an ONNX graph that the onnx package does not make, and what follows from its edges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import networkx as nx
from onnx import AttributeProto, GraphProto, ModelProto, NodeProto

from pase_core.errors import ImportFileError
from pase_core.importers.onnx_file import replace_content

_VIEWS = frozenset(
    "Cast DequantizeLinear Flatten Identity QuantizeLinear Reshape Squeeze Transpose "
    "Unsqueeze".split()
)
"""Operators whose result has the elements of their first operand."""

_NAME_LENGTH = 240


@dataclass(frozen=True)
class Structure:
    """What follows from the edges of a graph alone.

    Attributes:
        inputs: names of the inputs that are read and are no weights, in the file's order.
        data: tensors that a real input reaches.
        derived: tensors that only the sizes of a real input reach.
        roots: where a weight comes from, through reshapes and the like.
    """

    inputs: tuple[str, ...]
    data: frozenset[str]
    derived: frozenset[str]
    roots: Mapping[str, str]


def prepare(model: ModelProto, weights: frozenset[str], source: str) -> Structure:
    """Check the graph, sort its nodes, drop dead ones, and give every node a unique name.

    Raises:
        ImportFileError: on a cycle, a tensor that nothing makes, or one that is made twice; on a
            node with a graph inside; if nothing depends on an input.
    """
    graph = model.graph
    _name_nodes(graph)
    makers = _makers(graph, source)
    nodes = _sorted(graph, makers, source)
    live = _live(nodes, graph)
    for node in live:
        if any(a.type in (AttributeProto.GRAPH, AttributeProto.GRAPHS) for a in node.attribute):
            raise ImportFileError(
                f"{source}: node {node.name!r} ({node.op_type}) holds a graph of its own, which "
                "cannot be imported yet; export the model without control flow"
            )
    replace_content(graph.node, live)
    read = {name for node in live for name in node.input}
    inputs = tuple(v.name for v in graph.input if v.name not in weights and v.name in read)
    structure = _classify(live, inputs)
    if not any(name in structure.data for node in live for name in node.output):
        raise ImportFileError(
            f"{source}: no output depends on an input; mark the data as a graph input when you "
            "export the model"
        )
    return structure


def unique_name(wanted: str, taken: set[str]) -> str:
    """Make a printable name that is not taken yet, and take it."""
    printable = "".join(c if c.isprintable() else "_" for c in wanted).strip().strip("/")
    name = base = printable[:_NAME_LENGTH] or "unnamed"
    number = 1
    while name in taken:
        number += 1
        name = f"{base}_{number}"
    taken.add(name)
    return name


def _name_nodes(graph: GraphProto) -> None:
    """Name nodes uniquely: by their names, or else by their first output."""
    taken: set[str] = set()
    for node in graph.node:
        first = next((name for name in node.output if name), node.op_type)
        node.name = unique_name(node.name if node.name.strip(" /") else first, taken)


def _makers(graph: GraphProto, source: str) -> dict[str, int]:
    """Position of the node that makes each tensor; -1 for inputs and constants."""
    makers: dict[str, int] = {}
    names = [(v.name, -1) for v in graph.input] + [(t.name, -1) for t in graph.initializer]
    names += [(name, i) for i, node in enumerate(graph.node) for name in node.output if name]
    for name, maker in names:
        if name in makers:
            by = f" by node {graph.node[maker].name!r}" if maker >= 0 else ""
            raise ImportFileError(
                f"{source}: tensor {name!r} is made a second time{by}; a tensor is made once: "
                "export the model again"
            )
        makers[name] = maker
    return makers


def _sorted(graph: GraphProto, makers: Mapping[str, int], source: str) -> list[NodeProto]:
    """Nodes in topological order, in the file's order where it leaves a choice."""
    order: nx.DiGraph[int] = nx.DiGraph()
    order.add_nodes_from(range(len(graph.node)))
    for position, node in enumerate(graph.node):
        for name in filter(None, node.input):
            if name not in makers:
                raise ImportFileError(
                    f"{source}: node {node.name!r} ({node.op_type}) reads {name!r}, which nothing "
                    "makes; the file is incomplete: export the model again"
                )
            if makers[name] >= 0:
                order.add_edge(makers[name], position)
    for output in graph.output:
        if output.name not in makers:
            raise ImportFileError(
                f"{source}: nothing makes the output {output.name!r}; export the model again"
            )
    try:
        return [graph.node[i] for i in nx.lexicographical_topological_sort(order)]
    except nx.NetworkXUnfeasible:
        cycle = [graph.node[u].name for u, _v in nx.find_cycle(order)]
        shown = " -> ".join([*cycle[:5], *(["..."] if len(cycle) > 5 else []), cycle[0]])
        raise ImportFileError(
            f"{source}: the nodes form a cycle: {shown}; a feed-forward graph has none"
        ) from None


def _live(nodes: Iterable[NodeProto], graph: GraphProto) -> list[NodeProto]:
    """Nodes from which a graph output can be reached, in the same order."""
    wanted = {output.name for output in graph.output}
    live = []
    for node in reversed(list(nodes)):
        if wanted.intersection(filter(None, node.output)):
            live.append(node)
            wanted.update(filter(None, node.input))
    return live[::-1]


def _classify(nodes: Iterable[NodeProto], inputs: Iterable[str]) -> Structure:
    """Find what inputs reach, and where weights come from."""
    data, derived = set(inputs), set[str]()
    roots: dict[str, str] = {}
    for node in nodes:
        made = [name for name in node.output if name]
        if data.intersection(node.input) and node.op_type not in ("Shape", "Size"):
            data.update(made)
        elif (data | derived).intersection(node.input):
            derived.update(made)
        elif node.op_type in _VIEWS and made and node.input:
            roots[made[0]] = roots.get(node.input[0], node.input[0])
    return Structure(tuple(inputs), frozenset(data), frozenset(derived), roots)
