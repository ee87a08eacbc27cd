"""Networks that come with the project, and an index that says what each one shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pase_core.graph import Graph
from sample_graphs.alexnet import alexnet
from sample_graphs.densenet121 import densenet121
from sample_graphs.inception_v3 import inception_v3
from sample_graphs.resnet101 import resnet101
from sample_graphs.rnnlm import rnnlm
from sample_graphs.transformer import transformer


@dataclass(frozen=True, slots=True)
class Sample:
    """An entry of the index.

    Attributes:
        title: the name that people know.
        build: makes the graph for a batch size.
        batch: the batch size of the paper's measurements, for networks that it does not measure
            that of its like.
        min_part: the smallest part of a split dimension, as in the paper's prototype.
        shows: what the network teaches, in one line.
    """

    title: str
    build: Callable[[int], Graph]
    batch: int
    min_part: int
    shows: str


SAMPLES: dict[str, Sample] = {
    "alexnet": Sample(
        "AlexNet",
        alexnet,
        128,
        4,
        "Fully connected layers hold most parameters: splitting them beats data parallelism.",
    ),
    "inception_v3": Sample(
        "Inception v3",
        inception_v3,
        128,
        4,
        "Branches and joins: a good ordering keeps the tables small where breadth-first cannot.",
    ),
    "resnet101": Sample(
        "ResNet-101",
        resnet101,
        128,
        4,
        "Deep and regular, few parameters per layer: data parallelism is nearly optimal.",
    ),
    "rnnlm": Sample(
        "RNN language model",
        rnnlm,
        64,
        1,
        "A vocabulary of 100,000 words: four layers, and the split of the vocabulary decides.",
    ),
    "transformer": Sample(
        "Transformer",
        transformer,
        64,
        1,
        "Attention heads, hidden units and vocabulary compete with the batch in 204 layers.",
    ),
    "densenet121": Sample(
        "DenseNet-121",
        densenet121,
        128,
        4,
        "Every layer of a block reads all earlier ones: dependent sets of 25, too many for tables.",
    ),
}
