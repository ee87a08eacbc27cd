"""Read convolutional and fully connected networks from ONNX files.

bytes -> model without weights' values -> checked structure -> bound inputs -> sizes of all tensors
-> network of nodes -> layers. Each arrow is one function in a file of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath

from onnx import ModelProto

from pase_core.errors import GraphError, ImportFileError
from pase_core.graph import Graph
from pase_core.importers.onnx_binding import bind, declared_sizes
from pase_core.importers.onnx_file import read_model
from pase_core.importers.onnx_layers import LayerMaker
from pase_core.importers.onnx_network import network_of
from pase_core.importers.onnx_operators import add_layers, check_operators
from pase_core.importers.onnx_shapes import infer
from pase_core.importers.onnx_structure import prepare, unique_name

_EXPORTERS_NAMES = frozenset(
    ("", "graph", "main", "main_graph", "torch_jit", "torch-jit-export", "tf2onnx")
)
"""Names that exporters give to every graph."""


def graph_from_onnx(
    data: bytes,
    source: str = "the file",
    batch: int | None = None,
    bindings: Mapping[str, int] | None = None,
) -> Graph:
    """Make a graph of an ONNX file's content; weights are never read.

    Args:
        data: the file's content.
        source: what to call it in errors, such as its name.
        batch: batch size; it binds open first axes of the inputs, or replaces the file's. None
            keeps the file's.
        bindings: sizes of axes that the file leaves open, by their names; an axis without a name
            is called after its input and position, as in `data[2]`.

    Raises:
        OpenDimensions: if sizes stay open.
        ImportFileError: if the file cannot be read as a network of known layers.
        OptionError: if a binding names no open size, or a size is out of range.
    """
    model, weights = read_model(data, source)
    structure = prepare(model, weights, source)
    declared = declared_sizes(model, structure.inputs, source)
    shaped = infer(model, bind(declared, batch, bindings, source), structure, source)
    network = network_of(shaped, structure)
    check_operators(network, source)
    make = LayerMaker(network)
    add_layers(make, source)
    if not make.n_layers:
        raise ImportFileError(f"{source}: no node computes anything; it only hands its inputs on")
    try:
        return make.graph(_graph_name(model, source), _note(model, network.opset))
    except GraphError as error:
        raise ImportFileError(f"{source}: {error}") from error


def _graph_name(model: ModelProto, source: str) -> str:
    """The graph's own name, or the file's where an exporter named it."""
    name = unique_name(model.graph.name, set()) if model.graph.name.strip("/ ") else ""
    return PurePath(source).stem or "network" if name in _EXPORTERS_NAMES else name


def _note(model: ModelProto, opset: int) -> str:
    producer = unique_name(f"{model.producer_name} {model.producer_version}", set())
    by = f", made by {producer}" if model.producer_name.strip() else ""
    return f"ONNX, opset {opset}{by}"
