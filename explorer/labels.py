"""Titles, help texts and colours: one for each idea, the same on every page."""

from __future__ import annotations

TITLE = "PaSE explorer"

MODELLED = "All costs are modelled, not measured."

COMPONENTS: dict[str, tuple[str, str, str]] = {
    "compute": (
        "Compute",
        "#0072B2",
        "Arithmetic of one device, forward and backward.",
    ),
    "output": (
        "Partial sums",
        "#E69F00",
        "All-reduce of a layer's output where a summed dimension is split.",
    ),
    "input_gradient": (
        "Input gradients",
        "#CC79A7",
        "All-reduce of the gradient of a layer's input.",
    ),
    "parameter_gradient": (
        "Weight gradients",
        "#D55E00",
        "All-reduce of the gradient of a layer's weights: the price of data parallelism.",
    ),
    "other": (
        "Other messages",
        "#56B4E9",
        "Normalisation statistics, softmax rows, borders of pooling windows, recurrent steps.",
    ),
    "redistribution": (
        "Redistribution",
        "#009E73",
        "Bringing a tensor from its producer's cut to its consumer's, forward and backward.",
    ),
}
"""Per component of a cost: title, colour (Okabe and Ito's colour-blind-safe palette), meaning."""

SAVING_COLOURS = ((0.0, "#B35806"), (0.5, "#BDBDBD"), (1.0, "#0072B2"))
"""Diverging scale: orange costs more than data parallelism, grey the same, blue saves."""

HELP = {
    "network": "A network that comes with the explorer, or a file of your own (JSON or ONNX).",
    "devices": "Number of devices p. A strategy may use fewer.",
    "cluster": "Peak speed and links of the devices; see `pase clusters` for the sources.",
    "batch": "Batch size of one step, over all devices. Empty: the network's own.",
    "min_part": "A split may not leave parts smaller than this. The paper uses 4 for images.",
    "flop_per_multiply_add": "2 counts the multiplication and the addition; the paper counts 1.",
    "word_bytes": "Bytes of one number. Empty: the network's element type. The paper uses 8.",
    "tera_flops": "Peak FLOP/s of one device, in TFLOP/s. Empty: the preset's figure.",
    "giga_bytes": "Bytes per second of one link, in GB/s. Empty: the preset's figure.",
    "step_cost": (
        "FLOP of one device in one training step, communication counted as the FLOP that a "
        "device could do meanwhile. Below it, the time at peak speed."
    ),
    "communication": "Share of the step cost that is not arithmetic.",
    "weights": (
        "Trained weights that one device holds under the strategy found, without gradients, "
        "optimiser state and activations."
    ),
    "search": (
        "Time to build the cost tables and to search them. The search is exact: no strategy of "
        "this cost model is better."
    ),
}
"""What each widget and tile means."""
