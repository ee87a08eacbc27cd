"""The parts that every cost is made of, and what they mean. One place for all pages and reports."""

from __future__ import annotations

COMPUTE = "compute"
"""The part that is arithmetic; every other part is communication."""

LAYER_COMPONENTS = (COMPUTE, "output", "input_gradient", "parameter_gradient", "other")
"""Parts of a layer's cost, in the order of the rows of a cost table."""

REDISTRIBUTION = "redistribution"
"""The part that the transfers between layers make up."""

COMPONENTS: dict[str, tuple[str, str]] = {
    COMPUTE: ("compute", "Arithmetic of one device, forward and backward."),
    "output": (
        "partial sums",
        "All-reduce of a layer's output where a summed dimension is split.",
    ),
    "input_gradient": ("input gradients", "All-reduce of the gradient of a layer's input."),
    "parameter_gradient": (
        "weight gradients",
        "All-reduce of the gradient of a layer's weights: the price of data parallelism.",
    ),
    "other": (
        "other messages",
        "Normalisation statistics, softmax rows, borders of pooling windows, recurrent steps.",
    ),
    REDISTRIBUTION: (
        "redistribution",
        "Bringing a tensor from its producer's cut to its consumer's, forward and backward.",
    ),
}
"""Per component: what people call it, and its meaning."""

MEMORY_COMPONENTS = ("parameters", "gradients", "optimizer", "activations")
"""Parts of the bytes that a layer holds, in the order of the rows of a memory table."""

FETCHED = "fetched"
"""The part of the bytes that the transfers between layers make up."""

HELD: dict[str, tuple[str, str]] = {
    "parameters": ("parameters", "Weights as the layers read them."),
    "gradients": ("gradients", "Gradients of the weights."),
    "optimizer": ("optimizer state", "Moments of the optimizer, and wider copies of the weights."),
    "activations": ("activations", "Tensors kept from the forward pass for the backward pass."),
    FETCHED: ("fetched copies", "Parts of tensors that came from other devices, and are kept."),
}
"""Per part of the bytes: what people call it, and its meaning."""
