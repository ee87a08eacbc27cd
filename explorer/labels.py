"""Titles, help texts and colours: one for each idea, the same on every page."""

from __future__ import annotations

import re

from pase_core.components import COMPONENTS

TITLE = "PaSE explorer"

PAGES = {
    "Overview": "overview",
    "Graph": "graph",
    "Layers": "layers",
    "Costs": "costs",
    "Compare": "compare",
    "Frontier": "frontier",
    "Scaling": "scaling",
    "Searches": "searches",
    "Alternatives": "alternatives",
    "Balance": "balance",
    "Learn": "learn",
}
"""Titles of the pages, and the module of `explorer.views` that shows each."""

MODELLED = "All costs are modelled, not measured."

PLACEMENT_NOTE = (
    "The numbers are a picture: devices are counted row by row over the splits. The paper's cost "
    "model does not place devices."
)

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&@^=])")


def plain(text: str) -> str:
    """Text from a file as Markdown that shows it as it stands: no images, links or formulas."""
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))


COMPONENT_COLOURS = {
    "compute": "#0072B2",
    "output": "#E69F00",
    "input_gradient": "#CC79A7",
    "parameter_gradient": "#D55E00",
    "other": "#56B4E9",
    "redistribution": "#009E73",
}
"""Colour of each component of a cost: Okabe and Ito's colour-blind-safe palette."""


def component_title(name: str) -> str:
    """Title of a component of a cost."""
    return COMPONENTS[name][0].capitalize()


def components_help() -> str:
    """What each component of a cost means, as a Markdown list."""
    return "\n".join(
        f"- **{component_title(name)}**: {meaning}"
        for name, (_title, meaning) in COMPONENTS.items()
    )


DIMENSIONS = {
    "b": "batch",
    "c": "input channels or features (summed over); in attention the width of a head",
    "n": "output channels or features",
    "h w": "height and width of the output image; in attention h is the heads",
    "r s": "height and width of a convolution's kernel; elsewhere s is the steps of a sequence",
    "g": "groups of a convolution",
    "t": "steps attended to, or the normalised axis of attention",
    "d": "model width",
    "e": "hidden units",
    "v": "vocabulary",
    "l": "stacked recurrent layers",
    "q": "queries, keys and values",
    "x1_0 ...": "axes of a reshape that no other layer names",
}
"""What the usual names of dimensions stand for."""


def dimensions_help() -> str:
    """What the names of dimensions stand for, as a Markdown list."""
    return "Name and size of each dimension.\n" + "\n".join(
        f"- `{names}` {meaning}" for names, meaning in DIMENSIONS.items()
    )


SAVING_COLOURS = ((0.0, "#B35806"), (0.5, "#BDBDBD"), (1.0, "#0072B2"))
"""Diverging scale: orange costs more than data parallelism, grey the same, blue saves."""

AMOUNT_COLOURS = ((0.0, "#D5DCE4"), (0.5, "#6CA6CD"), (1.0, "#08519C"))
"""Scale of amounts: pale for nothing, dark blue for the largest."""

SPLIT_COLOURS = {
    "not split": "#BDBDBD",
    "batch only": "#56B4E9",
    "batch and others": "#009E73",
    "others only": "#E69F00",
}
"""Kinds of splits: which dimensions a configuration splits."""

TILE_TITLES = {
    "step_cost": "Step cost per device",
    "communication": "Communication",
    "weights": "Weights per device",
    "search": "Search",
}
"""Titles of the tiles, by their keys in HELP."""

HELP = {
    "network": "A network that comes with the explorer, or a file of your own (JSON or ONNX).",
    "devices": "Number of devices p. A strategy may use fewer.",
    "cluster": "Devices, nodes and links: a preset with sources, or a JSON file of your own in the "
    "form of `pase.cluster/1`. To begin one, change figures of a preset and save them.",
    "cluster_file": "In the form that the command `pase clusters` and the button Cluster (JSON) "
    "know. The number of devices is set above, whatever the file says.",
    "cluster_json": "With the figures given here and the sources of the others; to be loaded here "
    "as your own file, or by `pase solve --cluster FILE`.",
    "figures": "An empty field takes the cluster's own figure, shown in grey; the question mark "
    "says what it is and where it is from.",
    "batch": "Batch size of one step, over all devices. Empty: the network's own.",
    "min_part": "A split may not leave parts smaller than this. Empty: the network's own, 4 "
    "for the paper's image networks and 1 elsewhere.",
    "flop_per_multiply_add": "2 counts multiplication and addition; the paper counts 1.",
    "word_bytes": "Bytes of one number. Empty: the network's element type. The paper uses 8.",
    "tera_flops": "Peak FLOP/s of one device, the same for every element type. Empty: the "
    "cluster's figures.",
    "giga_bytes": "Bytes/s of the links inside a node and between nodes, the same for both; per "
    "direction and device. Empty: the cluster's figures.",
    "memory_limit": "Most that a strategy may hold per device, in GB. Empty: no limit. The page "
    "Frontier shows what each limit costs in time.",
    "share": "The address holds the choices made here; whoever opens it sees this page. A file of "
    "your own does not travel with it.",
    "report": "What the Overview says and the strategy layer by layer, as one page that opens "
    "anywhere, without a network.",
    "scenario": "Every choice made here, with a file of your own, to be loaded again.",
    "load": "A scenario saved here before; it replaces the choices made now.",
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
        "Time to build the cost tables and to search them, without the time to load the compiled "
        "loops, which comes once. Proved optimal: no strategy is better under this cost model."
    ),
}
"""What each widget and tile means."""
