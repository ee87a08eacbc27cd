"""Networks that come with the project, and an index that says what each one shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pase_core.graph import Graph
from sample_graphs.alexnet import alexnet
from sample_graphs.bert_large import bert_large
from sample_graphs.densenet121 import densenet121
from sample_graphs.dlrm import dlrm
from sample_graphs.gnmt import gnmt
from sample_graphs.gpt import gpt2, gpt3_175b
from sample_graphs.inception_v3 import inception_v3
from sample_graphs.llama3 import llama3_8b, llama3_70b
from sample_graphs.mixtral_8x7b import mixtral_8x7b
from sample_graphs.resnet50 import resnet50
from sample_graphs.resnet101 import resnet101
from sample_graphs.rnnlm import rnnlm
from sample_graphs.t5_large import t5_large
from sample_graphs.transformer import transformer
from sample_graphs.unet_diffusion import unet_diffusion
from sample_graphs.vgg16 import vgg16
from sample_graphs.vit_b16 import vit_b16


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
    "vgg16": Sample(
        "VGG-16",
        vgg16,
        128,
        4,
        "Nine tenths of the parameters sit in three layers, behind convolutions that hold few.",
    ),
    "resnet50": Sample(
        "ResNet-50",
        resnet50,
        256,
        4,
        "The usual yardstick: every layer but the last two splits the batch, and little is gained.",
    ),
    "gnmt": Sample(
        "GNMT",
        gnmt,
        128,
        1,
        "Recurrent layers split batch and hidden units at once, the vocabulary is split apart.",
    ),
    "dlrm": Sample(
        "DLRM",
        dlrm,
        65_536,
        1,
        "24 billion parameters in 26 tables: long ones split their columns, short ones the batch.",
    ),
    "unet_diffusion": Sample(
        "Stable Diffusion U-Net",
        unet_diffusion,
        64,
        1,
        "Skips across the whole network are nested: dependent sets of 3 at most in 675 layers.",
    ),
    "gpt2": Sample(
        "GPT-2 (124M)",
        gpt2,
        64,
        1,
        "A decoder with tied words; 50,257 of them, which no usual number of devices divides.",
    ),
    "bert_large": Sample(
        "BERT large",
        bert_large,
        64,
        1,
        "An encoder with two losses: many devices split heads and hidden units beside the batch.",
    ),
    "t5_large": Sample(
        "T5 large",
        t5_large,
        64,
        1,
        "Encoder and decoder of 24 blocks: each block of the decoder reads the end of the encoder.",
    ),
    "vit_b16": Sample(
        "ViT-B/16",
        vit_b16,
        128,
        1,
        "An image as a text of 197 positions, a prime: batch, heads and hidden units can be split.",
    ),
    "gpt3_175b": Sample(
        "GPT-3 175B",
        gpt3_175b,
        64,
        1,
        "175 billion parameters in 96 equal blocks: tensor parallelism is found, not put in.",
    ),
    "llama3_8b": Sample(
        "LLaMA 3 8B",
        llama3_8b,
        64,
        1,
        "Grouped queries: 8 heads of keys and values serve 32 of queries, and limit their split.",
    ),
    "llama3_70b": Sample(
        "LLaMA 3 70B",
        llama3_70b,
        64,
        1,
        "1,204 layers in 80 equal blocks, solved exactly, since equal blocks are computed once.",
    ),
    "mixtral_8x7b": Sample(
        "Mixtral 8x7B",
        mixtral_8x7b,
        64,
        1,
        "Eight experts as a dimension: splitting them beats data parallelism, for two all-to-alls.",
    ),
}
