"""What dimensions are for is told from the graph alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from pase_core.builder import GraphBuilder
from pase_core.importers.onnx_graph import graph_from_onnx
from pase_core.transformer_roles import Roles, transformer_roles
from sample_graphs import SAMPLES
from tests.core.transformer_cases import TRANSFORMERS, onnx_like, sample
from tests.samples import DISTINCT, LARGE_TWINS


@pytest.mark.parametrize("name", DISTINCT)
def test_transformers_are_known_by_their_graph(name):
    assert bool(transformer_roles(sample(name))) == (name in TRANSFORMERS)


@pytest.mark.parametrize("name", TRANSFORMERS)
def test_roles_of_samples_are_those_that_their_names_say(name):
    """Ours are named h, r (heads), e (hidden units), v (vocabulary), s (steps); but for heads
    that follow no sequence: one of classes, and BERT's pair of products over one position."""
    roles = transformer_roles(sample(name))
    for layer in sample(name).layers:
        if not layer.name.startswith(("head/", "pooler/", "sentence/", "embed/")):
            own = roles[layer.name]
            assert own.inner == tuple(d for d in layer.dimension_names if d in "hre")
            assert own.words == tuple(d for d in layer.dimension_names if d == "v")
            tokens = "s" in layer.dimension_names
            follows_slots = layer.name.endswith("/dispatch")
            assert own.positions == ("s" if tokens and not follows_slots else "")


def test_roles_need_no_names():
    roles = transformer_roles(onnx_like())
    assert roles["words"] == Roles((), ("v",), "s")
    assert roles["one/q"] == Roles(("n",), (), "s")
    assert roles["one/q/heads"].inner == ("x2_0",)
    assert roles["one/scores"] == Roles(("h",), (), "m")
    assert roles["one/softmax"] == Roles(("c",), (), "h")
    assert roles["one/values"] == Roles(("h",), (), "m")
    assert roles["one/project"] == Roles(("c",), (), "s")
    assert roles["one/up"] == Roles(("n",), (), "s")
    assert roles["one/down"] == Roles(("c",), (), "s")
    assert roles["one/add2"] == Roles((), (), "s")
    assert roles["logits"] == Roles((), ("n",), "s")


def test_an_onnx_file_has_the_roles_of_its_twin():
    weights = {"wt": (64, 32), "w1": (32, 128), "w2": (128, 32), "wl": (32, 64), "scale": (32,)}
    weights |= dict.fromkeys(("wq", "wk", "wv", "wp"), (32, 32))
    nodes = [
        node("MatMul", "ids wt", "words"), node("LayerNormalization", "words scale", "norm"),
        *(made for name in "qkv" for made in (
            node("MatMul", f"norm w{name}", name),
            node("Reshape", f"{name} apart", f"{name}/heads"),
            node("Transpose", f"{name}/heads", f"{name}/first", perm=[0, 2, 1, 3]),
        )),
        node("Transpose", "k/first", "turned", perm=[0, 1, 3, 2]),
        node("MatMul", "q/first turned", "scores"), node("Softmax", "scores", "softmax"),
        node("MatMul", "softmax v/first", "values"),
        node("Transpose", "values", "back", perm=[0, 2, 1, 3]),
        node("Reshape", "back joint", "joined"), node("MatMul", "joined wp", "project"),
        node("Add", "words project", "add"), node("LayerNormalization", "add scale", "norm2"),
        node("MatMul", "norm2 w1", "up"), node("Gelu", "up", "gelu"),
        node("MatMul", "gelu w2", "down"), node("Add", "add down", "add2"),
        node("MatMul", "add2 wl", "logits"),
    ]  # fmt: skip
    shapes = {"apart": (0, 0, 4, 8), "joint": (0, 0, 32)}
    values = [numpy_helper.from_array(np.zeros(s, np.float32), n) for n, s in weights.items()]
    values += [numpy_helper.from_array(np.array(s, np.int64), n) for n, s in shapes.items()]
    ids = helper.make_tensor_value_info("ids", TensorProto.FLOAT, (8, 16, 64))
    logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, None)
    made = helper.make_graph(nodes, "file", [ids], [logits], values)
    opset = [helper.make_opsetid("", 20)]
    model = helper.make_model(made, opset_imports=opset)
    theirs = transformer_roles(graph_from_onnx(model.SerializeToString()))
    ours = transformer_roles(onnx_like())
    for name, roles in theirs.items():
        if name != "words":  # a product of one-hot words here, looked up there
            twin = ours[name if name == "logits" else f"one/{name}"]
            assert (len(roles.inner), roles.words) == (len(twin.inner), twin.words)
            assert bool(roles.positions) == bool(twin.positions)
    assert theirs["scores"] == ours["one/scores"]


def node(operator: str, inputs: str, output: str, **attributes: object) -> onnx.NodeProto:
    return helper.make_node(operator, inputs.split(), [output], name=output, **attributes)


@pytest.mark.parametrize("name", ["onnx-like", "gpt2", "mixtral_8x7b"])
def test_roles_do_not_depend_on_the_order_of_the_layers(name):
    graph = sample(name)
    backwards = replace(graph, layers=graph.layers[::-1])
    ours, theirs = transformer_roles(graph), transformer_roles(backwards)
    assert {n: set(r.inner) for n, r in ours.items()} == {
        n: set(r.inner) for n, r in theirs.items()
    }
    assert {n: (r.words, r.positions) for n, r in ours.items()} == {
        n: (r.words, r.positions) for n, r in theirs.items()
    }


def test_attention_without_heads_is_no_transformer():
    build = GraphBuilder("one head")
    x = build.layer("lookup", "words", build.input("ids", (8, 16)), vocabulary=64, width=32)
    q, k, v = (build.layer("fully_connected", name, x, n=32) for name in "qkv")
    y = build.layer("einsum", "scores", q, k, equation="b s c, b t c -> b s t")
    y = build.layer("softmax", "softmax", y, along="t", axes="b s t")
    y = build.layer("einsum", "values", y, v, equation="b s t, b t c -> b s c")
    build.layer("fully_connected", "project", y, n=32)
    assert transformer_roles(build.graph()) == {}


def test_large_twins_are_split_as_their_smaller_ones():
    for large, small in LARGE_TWINS.items():
        ours, theirs = (transformer_roles(SAMPLES[name].build()) for name in (large, small))
        assert all(ours[layer] == roles for layer, roles in theirs.items())
