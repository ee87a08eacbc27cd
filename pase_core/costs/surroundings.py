"""What a cost model may know of a layer beyond the layer: the tensors around it.

Gradients run only where they are asked for: a tensor has one if some layer upstream of it trains
parameters. So a first layer computes no gradient of its input.

A layer can be recomputed cheaply in the backward pass if it trains nothing, and all that it reads
and all that reads it lies inside its module, `block/1/attention` for `block/1/attention/softmax`,
or deeper in it: the core of an attention. What crosses a module's border is kept, so that no chain
of additions has to be followed back to the input; layers without a module keep everything.
(Korthikanti et al., Reducing activation recomputation in large transformer models, 2022: selective
recomputation.)
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from pase_core.graph import Graph, Transfer
from pase_core.layers import Access, Layer

Sizes = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The tensors around a layer; each field in the order of the layer's accesses.

    Attributes:
        input_sizes: sizes of the tensors read.
        output_sizes: of the tensors written.
        parameter_sizes: of the parameters.
        has_gradient: per input, whether its gradient is asked for.
        is_external: per input, whether no layer writes it.
        has_one_reader: per output, whether exactly one layer reads it, once.
        is_owned: per parameter, whether no earlier layer holds it.
        is_recomputable: whether the layer can be made anew cheaply in the backward pass.
    """

    input_sizes: tuple[Sizes, ...]
    output_sizes: tuple[Sizes, ...]
    parameter_sizes: tuple[Sizes, ...]
    has_gradient: tuple[bool, ...]
    is_external: tuple[bool, ...]
    has_one_reader: tuple[bool, ...]
    is_owned: tuple[bool, ...]
    is_recomputable: bool


@dataclass(frozen=True, slots=True)
class Passage:
    """What there is to know of a transfer beyond sizes and cuts.

    Attributes:
        has_gradient: whether a gradient comes back.
        has_one_reader: whether the consumer is the only reader of the tensor.
        is_recomputed: whether one of its ends can be recomputed, so that it comes twice then.
    """

    has_gradient: bool = True
    has_one_reader: bool = True
    is_recomputed: bool = False


def gradient_tensors(graph: Graph) -> frozenset[str]:
    """Names of the tensors whose gradient is asked for: those below some trained parameter."""
    found: set[str] = set()
    for position in graph.topological_order:
        layer = graph.layers[position]
        if layer.parameters or any(access.tensor in found for access in layer.inputs):
            found.update(access.tensor for access in layer.outputs)
    return frozenset(found)


@lru_cache(maxsize=16)
def surroundings_of(graph: Graph) -> tuple[Surroundings, ...]:
    """The surroundings of every layer of a graph."""
    gradients = gradient_tensors(graph)
    written = {access.tensor for layer in graph.layers for access in layer.outputs}
    n_reads = Counter(access.tensor for layer in graph.layers for access in layer.inputs)
    owners: dict[str, int] = {}
    for position, layer in enumerate(graph.layers):
        for access in layer.parameters:
            owners.setdefault(access.tensor, position)
    is_recomputable = _recomputable(graph)
    sizes = {tensor.name: tensor.sizes for tensor in graph.tensors}
    return tuple(
        Surroundings(
            input_sizes=tuple(sizes[access.tensor] for access in layer.inputs),
            output_sizes=tuple(sizes[access.tensor] for access in layer.outputs),
            parameter_sizes=tuple(sizes[access.tensor] for access in layer.parameters),
            has_gradient=tuple(
                access.tensor in gradients and _passes_gradient(access) for access in layer.inputs
            ),
            is_external=tuple(access.tensor not in written for access in layer.inputs),
            has_one_reader=tuple(n_reads[access.tensor] == 1 for access in layer.outputs),
            is_owned=tuple(owners[access.tensor] == position for access in layer.parameters),
            is_recomputable=is_recomputable[position],
        )
        for position, layer in enumerate(graph.layers)
    )


def _passes_gradient(access: Access) -> bool:
    """False for an input, such as the number of a word, whose gradient is given as nothing."""
    reduction = access.real_reduction
    return reduction is None or bool(reduction.tile) or not access.axes


def _recomputable(graph: Graph) -> list[bool]:
    """Per layer whether it can be recomputed from what its own module keeps."""
    names = [layer.name for layer in graph.layers]
    modules = [name[: name.rfind("/") + 1] for name in names]
    cheap = map(_is_cheap, graph.layers)
    found = [is_cheap and bool(module) for is_cheap, module in zip(cheap, modules, strict=True)]
    for transfer in graph.transfers:
        ends = (transfer.producer, transfer.consumer)
        for own, other in (ends, ends[::-1]):
            found[own] &= names[other].startswith(modules[own])
    return found


def _is_cheap(layer: Layer) -> bool:
    """Whether a layer trains nothing, and writes something that could be dropped."""
    return bool(layer.outputs) and bool(layer.work) and not layer.parameters


def passage_of(transfer: Transfer, around: tuple[Surroundings, ...], graph: Graph) -> Passage:
    """What there is to know of a transfer, from the surroundings of both ends."""
    producer, consumer = around[transfer.producer], around[transfer.consumer]
    written = graph.layers[transfer.producer].outputs.index(transfer.written)
    read = graph.layers[transfer.consumer].inputs.index(transfer.read)
    return Passage(
        has_gradient=consumer.has_gradient[read],
        has_one_reader=producer.has_one_reader[written],
        is_recomputed=producer.is_recomputable or consumer.is_recomputable,
    )
