"""Sample graphs of transformers, against published figures and forms derived from their sizes."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from pase_core.cluster import preset
from pase_core.outline import outline
from pase_core.solve import CostOptions, Problem, Solution, solve
from sample_graphs import SAMPLES
from tests.core.reference_data import sample
from tests.core.test_samples import forward_multiply_adds

PARAMETERS = {
    "gpt2": 124_439_808,
    "bert_large": 335_141_888 + 1_082_170 + 2_050,
    "t5_large": 737_668_096,
    "vit_b16": 86_567_656,
    "gpt3_175b": 174_604_259_328,
    "llama3_8b": 8_030_261_248,
    "llama3_70b": 70_553_706_496,
    "mixtral_8x7b": 46_702_792_704,
}
"""Of the published weights `openai-community/gpt2`, `google-bert/bert-large-uncased` (encoder with
pooler; words; next sentence), `google-t5/t5-large`, `meta-llama/Meta-Llama-3-8B` and `-70B`,
`mistralai/Mixtral-8x7B-v0.1` (a tied tensor once), and torchvision's `num_params` of `vit_b_16`.
GPT-3's weights are not published: see `test_gpt_3_has_the_parameters_of_the_papers_sizes`."""

VIT_MULTIPLY_ADDS = 17.564e9
"""torchvision's `_ops` of `vit_b_16`; of one image, forward."""

MIXTRAL_ACTIVE_PARAMETERS = 12.9e9
"""Parameters that work on a token (Jiang et al. 2024: 13B; its announcement: 12.9B)."""

N_LAYERS = {
    "gpt2": 2 + 12 * (8 + 4) + 3,
    "bert_large": 4 + 24 * (8 + 4) + 5 + 4,
    "t5_large": 1 + 24 * (8 + 4) + 1 + 1 + 24 * (8 + 9 + 4) + 3,
    "vit_b16": 5 + 12 * (8 + 4) + 5,
    "gpt3_175b": 2 + 96 * (8 + 4) + 3,
    "llama3_8b": 1 + 32 * (9 + 6) + 3,
    "llama3_70b": 1 + 80 * (9 + 6) + 3,
    "mixtral_8x7b": 1 + 32 * (9 + 10) + 3,
}
"""Embedding, blocks (attention, cross attention, feed-forward part or experts), head."""

TITLES = {
    "gpt2": ["embed", "block/1 × 12", "head"],
    "bert_large": ["embed", "block/1 × 24", "pooler", "sentence", "words"],
    "t5_large": [
        *("encoder/words", "encoder/1 × 24", "encoder/norm"),
        *("decoder/words", "decoder/1 × 24", "decoder/norm", "head"),
    ],
    "vit_b16": ["embed", "block/1 × 12", "head"],
    "gpt3_175b": ["embed", "block/1 × 96", "head"],
    "llama3_8b": ["embed/words", "block/1 × 32", "head"],
    "llama3_70b": ["embed/words", "block/1 × 80", "head"],
    "mixtral_8x7b": ["embed/words", "block/1 × 32", "head"],
}

READERS_OF_WORDS = {
    **dict.fromkeys(("gpt2", "gpt3_175b", "bert_large"), 2),
    **dict.fromkeys(("llama3_8b", "llama3_70b", "mixtral_8x7b"), 1),
    "t5_large": 3,
}


@dataclass(frozen=True)
class Shape:
    """Sizes as a model's paper lists them; what a decoder without a special head needs."""

    steps: int
    layers: int
    width: int
    keys: int  # width of all keys together
    feed_forward: int  # parameters that work on a token
    vocabulary: int
    router: int = 0

    def multiply_adds(self) -> int:
        """Of one text, forward: parameters * tokens, and two products of all pairs of tokens."""
        block = 2 * self.width**2 + 2 * self.width * self.keys + self.feed_forward + self.router
        weights = self.layers * block + self.vocabulary * self.width
        return self.steps * weights + self.layers * 2 * self.steps**2 * self.width


DECODERS = {
    "gpt2": Shape(1024, 12, 768, 768, 8 * 768**2, 50_257),
    "gpt3_175b": Shape(2048, 96, 12_288, 12_288, 8 * 12_288**2, 50_257),
    "llama3_8b": Shape(8192, 32, 4096, 1024, 3 * 4096 * 14_336, 128_256),
    "llama3_70b": Shape(8192, 80, 8192, 1024, 3 * 8192 * 28_672, 128_256),
    "mixtral_8x7b": Shape(4096, 32, 4096, 1024, 2 * 3 * 4096 * 14_336, 32_000, router=8 * 4096),
}


def graph_of(name):
    return sample(name, SAMPLES[name].batch)


def layer_of(graph, name):
    return graph.layers[graph.position(name)]


def sizes_of_parameters(graph, layer_name):
    read = layer_of(graph, layer_name).parameters
    return [graph.tensor_by_name[access.tensor].sizes for access in read]


def n_parameters_of(graph, *scopes):
    """Parameters that layers in these scopes read."""
    names = {
        access.tensor
        for layer in graph.layers
        if layer.name.split("/")[0] in scopes
        for access in layer.parameters
    }
    return sum(graph.tensor_by_name[name].n_elements for name in names)


def solved(name, n_devices) -> Solution:
    cost = CostOptions(min_part=SAMPLES[name].min_part)
    return solve(Problem(graph_of(name), preset("h100-sxm", n_devices), cost))


def split(solution, layer_name):
    """What a strategy splits of a layer, and in how many parts."""
    graph = solution.problem.graph
    layer = layer_of(graph, layer_name)
    found = solution.found.strategy.configurations[graph.position(layer_name)]
    return {d: q for d, q in zip(layer.dimension_names, found, strict=True) if q > 1}


# Every sample


@pytest.mark.parametrize("name", PARAMETERS)
def test_the_graph_has_the_published_parameters(name):
    assert graph_of(name).n_parameters == PARAMETERS[name]


@pytest.mark.parametrize("name", N_LAYERS)
def test_the_graph_has_as_many_layers_as_its_blocks_have(name):
    assert len(graph_of(name).layers) == N_LAYERS[name]


@pytest.mark.parametrize("name", TITLES)
def test_equal_blocks_are_one_box(name):
    assert [box.title for box in outline(graph_of(name)).boxes] == TITLES[name]


@pytest.mark.parametrize("name", PARAMETERS)
def test_the_optimum_on_8_devices_is_proved(name):
    solution = solved(name, 8)
    assert solution.search.proved_optimal
    assert solution.search.method == "elimination"


@pytest.mark.parametrize("name", READERS_OF_WORDS)
def test_a_table_of_words_is_one_tensor_and_read_wherever_it_is_tied(name):
    graph = graph_of(name)
    (table,) = [t for t in graph.tensors if t.name.endswith("words.table")]
    readers = [
        layer
        for layer in graph.layers
        if any(access.tensor == table.name for access in layer.parameters)
    ]
    assert len(readers) == READERS_OF_WORDS[name]
    assert readers[0].operation == "embedding"
    assert (readers[-1].operation == "fully connected") == (len(readers) > 1)


@pytest.mark.parametrize("name", DECODERS)
def test_a_decoder_multiplies_what_its_sizes_say(name):
    n_texts = SAMPLES[name].batch
    assert forward_multiply_adds(graph_of(name)) == n_texts * DECODERS[name].multiply_adds()


@pytest.mark.parametrize("name", ["llama3_8b", "llama3_70b", "mixtral_8x7b", "gpt3_175b"])
def test_recent_models_are_trained_in_words_of_two_bytes(name):
    assert graph_of(name).word_bytes == 2


# GPT


def test_gpt_3_has_the_parameters_of_the_papers_sizes():
    """12 d² + 13 d per block (products, shifts, norms), tables of words and positions, a norm."""
    n, d, words, positions = 96, 12_288, 50_257, 2048
    expected = n * (12 * d**2 + 13 * d) + (words + positions) * d + 2 * d
    assert graph_of("gpt3_175b").n_parameters == expected == pytest.approx(175e9, rel=0.003)


def test_tensor_parallelism_of_gpt_3_is_found():
    """Heads and hidden units of one block are split alike, the sums between them by batch."""
    solution = solved("gpt3_175b", 64)
    found = {
        name: split(solution, f"block/50/{name}")
        for name in ("attention/qkv", "attention/project", "mlp/expand", "mlp/shrink", "mlp/add")
    }
    parts = found["attention/qkv"]["h"]
    assert parts > 1
    assert found["attention/qkv"] == found["attention/project"] == {"b": 64 // parts, "h": parts}
    assert found["mlp/expand"] == found["mlp/shrink"] == {"b": 64 // parts, "e": parts}
    assert set(found["mlp/add"]) == {"b"}


# LLaMA


@pytest.mark.parametrize(("name", "width", "shared_by"), [("8b", 4096, 4), ("70b", 8192, 8)])
def test_queries_of_llama_have_more_heads_than_keys_and_values(name, width, shared_by):
    graph = graph_of(f"llama3_{name}")
    scope = "block/7/attention"
    assert sizes_of_parameters(graph, f"{scope}/queries") == [(8, shared_by, 128, width)]
    assert sizes_of_parameters(graph, f"{scope}/keys_values") == [(2, 8, 128, width)]
    scores = layer_of(graph, f"{scope}/scores")
    queries, keys = scores.inputs
    assert queries.dimensions == ("b", "h", "r", "s", "c")
    assert keys.dimensions == ("b", "h", "t", "c")
    # Heads of queries that share keys and values add up their gradients.
    assert "r" in scores.reduction(keys).over


def test_llama_has_no_shifts_and_no_mean():
    graph = graph_of("llama3_8b")
    assert {layer.operation for layer in graph.layers if "norm" in layer.name} == {
        "RMS normalization"
    }
    assert all(len(layer.parameters) <= 1 for layer in graph.layers)


# BERT


def test_parts_of_bert_have_the_parameters_of_the_published_models():
    graph = graph_of("bert_large")
    assert n_parameters_of(graph, "embed", "block", "pooler") == 335_141_888
    # The head for words shares their table.
    assert n_parameters_of(graph, "words") - 30_522 * 1024 == 1_082_170
    assert n_parameters_of(graph, "sentence") == 2_050


def test_bert_multiplies_what_its_sizes_say():
    words = 512 * (24 * 12 * 1024**2 + 1024**2 + 30_522 * 1024)
    pairs = 24 * 2 * 512**2 * 1024
    sentence = 1024**2 + 2 * 1024
    n_texts = SAMPLES["bert_large"].batch
    found = forward_multiply_adds(graph_of("bert_large"))
    assert found == n_texts * (words + pairs + sentence)


# Vision transformer


def test_the_vision_transformer_multiplies_what_its_sizes_say():
    patches = 196 * 3 * 16**2 * 768
    blocks = 197 * 12 * 12 * 768**2 + 12 * 2 * 197**2 * 768
    found = forward_multiply_adds(graph_of("vit_b16")) / SAMPLES["vit_b16"].batch
    assert found == patches + blocks + 1000 * 768 == pytest.approx(VIT_MULTIPLY_ADDS, rel=1e-4)


# T5


def test_t5_multiplies_what_its_sizes_say():
    source, target, d, e = 512, 128, 1024, 4096
    encoder = source * (4 * d**2 + 2 * d * e) + 2 * source**2 * d
    decoder = (
        target * (6 * d**2 + 2 * d * e) + source * 2 * d**2 + 2 * target * d * (target + source)
    )
    expected = 24 * (encoder + decoder) + target * 32_128 * d
    found = forward_multiply_adds(graph_of("t5_large"))
    assert found == SAMPLES["t5_large"].batch * expected


@pytest.mark.parametrize("part", ["encoder", "decoder"])
def test_all_blocks_of_t5_share_one_table_of_distances(part):
    graph = graph_of("t5_large")
    table = f"{part}/distances.table"
    assert graph.tensor_by_name[table].sizes == (32, 16)
    readers = [
        layer.name
        for layer in graph.layers
        if any(access.tensor == table for access in layer.parameters)
    ]
    assert readers == [f"{part}/{i}/attention/softmax" for i in range(1, 25)]


# Mixtral


def test_two_of_eight_experts_work_on_a_token():
    graph = graph_of("mixtral_8x7b")
    shrink = layer_of(graph, "block/3/experts/shrink")
    sizes = dict(zip(shrink.dimension_names, shrink.sizes, strict=True))
    assert sizes["x"] * sizes["k"] == 2 * 4096  # slots of a text
    assert sizes_of_parameters(graph, shrink.name) == [(8, 14_336, 4096)]
    idle = 32 * 6 * 3 * 4096 * 14_336
    assert graph.n_parameters - idle == pytest.approx(MIXTRAL_ACTIVE_PARAMETERS, rel=0.005)


def test_expert_parallelism_of_mixtral_is_found():
    solution = solved("mixtral_8x7b", 8)
    found = {
        name: split(solution, f"block/3/experts/{name}")
        for name in ("dispatch", "expand", "gate", "shrink", "combine")
    }
    assert found["dispatch"] == found["combine"] == {"b": 8}
    assert found["expand"] == found["gate"] == found["shrink"] == {"x": 8}
