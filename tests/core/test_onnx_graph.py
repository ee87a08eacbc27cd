from __future__ import annotations

import math
from functools import cache
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from pase_core.costs.build import build_costs
from pase_core.costs.paper import PaperCostModel
from pase_core.errors import ImportFileError, OpenDimensions, OptionError
from pase_core.graph import Graph
from pase_core.importers.onnx_file import LARGEST_CONSTANT
from pase_core.importers.onnx_graph import graph_from_onnx
from pase_core.importers.onnx_operators import OPERATORS

LIGHT = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
FLOAT = TensorProto.FLOAT

# Per file: parameters, multiply-adds of a forward pass per image, layers. Parameters are the
# published counts (bvlc_alexnet, VGG19, ResNet-50, SqueezeNet 1.1), DenseNet-121's with a second
# scale and shift per normalisation; multiply-adds are the published ones at 224 x 224.
LIGHT_FILES = {
    "bvlc_alexnet": (60_965_224, 0.65e9, 15),
    "densenet121": (7_978_856 + 83_648, 2.83e9, 305),
    "inception_v1": (6_998_552, 1.43e9, 85),
    "inception_v2": (11_214_888, 2.02e9, 164),
    "resnet50": (25_557_032, 4.09e9, 127),
    "shufflenet": (1_393_320, 0.125e9, 170),
    "squeezenet": (1_235_496, 0.35e9, 39),
    "vgg19": (143_667_240, 19.63e9, 26),
    "zfnet512": (87_250_536, 1.48e9, 15),
}


def weight(name: str, *sizes: int) -> onnx.TensorProto:
    """An initializer without values: none is ever read if it is large."""
    if math.prod(sizes) > LARGEST_CONSTANT:
        return TensorProto(name=name, data_type=FLOAT, dims=sizes)
    return numpy_helper.from_array(np.zeros(sizes, np.float32), name)


def ints(name: str, *values: int) -> onnx.TensorProto:
    return numpy_helper.from_array(np.array(values, np.int64), name)


def node(operator: str, inputs: str, outputs: str, name: str = "", **attributes: object):
    operands = ["" if name == "_" else name for name in inputs.split()]
    return helper.make_node(operator, operands, outputs.split(), name=name, **attributes)


def model(nodes, inputs, constants=(), outputs=("y",), opset=17) -> bytes:
    values = [helper.make_tensor_value_info(n, FLOAT, sizes) for n, sizes in inputs.items()]
    results = [helper.make_tensor_value_info(n, FLOAT, None) for n in outputs]
    graph = helper.make_graph(nodes, "net", values, results, list(constants))
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    return made.SerializeToString()


def load(nodes, inputs, constants=(), batch=None, bindings=None, **options) -> Graph:
    data = model(nodes, inputs, constants, **options)
    graph = graph_from_onnx(data, "net.onnx", batch=batch, bindings=bindings)
    build_costs(graph, PaperCostModel(1e13, 16e9), n_devices=8)
    return graph


def only(graph: Graph):
    (layer,) = graph.layers
    return layer


def dimensions(layer) -> dict[str, int]:
    return dict(zip(layer.dimension_names, layer.sizes, strict=True))


def out_sizes(graph: Graph, layer=None) -> tuple[int, ...]:
    layer = layer or graph.layers[-1]
    return graph.tensor_by_name[layer.outputs[0].tensor].sizes


def multiply_adds(graph: Graph) -> float:
    """Of a forward pass: a third of forward and backward."""
    return sum(
        work.count / 3 * math.prod(dimensions(layer)[d] for d in work.over)
        for layer in graph.layers
        for work in layer.work
        if work.unit == "multiply_add"
    )


# The files of the onnx package


@cache
def light_file(name: str) -> bytes:
    path = LIGHT / f"light_{name}.onnx"
    if not path.exists():
        pytest.skip("the onnx package comes without its light models")
    return path.read_bytes()


def trained_elements(data: bytes) -> int:
    """Count in a slow way: weights that nodes on data read, but for statistics and targets."""
    graph = onnx.load_model_from_string(data).graph
    sizes = {t.name: math.prod(t.dims) for t in graph.initializer}
    values = {
        t.name: numpy_helper.to_array(t) for t in graph.initializer if t.name.endswith("__SHAPE")
    }
    data_names = {v.name for v in graph.input} - set(sizes)
    found: dict[str, int] = {}
    for n in graph.node:
        if data_names.intersection(n.input):
            data_names.update(n.output)
            statistics = n.input[3:] if n.op_type == "BatchNormalization" else ()
            for name in set(n.input) - data_names - set(statistics):
                if not name.startswith("OC2_DUMMY"):
                    found[name] = sizes[name]
        elif n.op_type == "ConstantOfShape":
            sizes[n.output[0]] = math.prod(values[n.input[0]].tolist())
        else:
            sizes[n.output[0]] = sizes[n.input[0]]
    return sum(found.values())


@pytest.mark.parametrize("batch", [None, 24])
@pytest.mark.parametrize("name", LIGHT_FILES)
def test_light_models(name: str, batch: int | None):
    data = light_file(name)
    n_parameters, published, n_layers = LIGHT_FILES[name]
    graph = graph_from_onnx(data, f"light_{name}.onnx", batch=batch)
    assert graph.n_parameters == n_parameters == trained_elements(data)
    assert len(graph.layers) == n_layers
    assert multiply_adds(graph) / (batch or 1) == pytest.approx(published, rel=0.01)
    for layer in graph.layers:
        for access in (*layer.inputs, *layer.outputs):
            assert graph.tensor_by_name[access.tensor].sizes[0] == (batch or 1)
    assert graph.element_type == "float32"
    tables = build_costs(graph, PaperCostModel(1e13, 16e9), n_devices=8).tables
    assert len(tables.vertices) == n_layers
    assert all(np.isfinite(costs).all() for costs in tables.vertices)


def test_light_batch_can_be_split():
    graph = graph_from_onnx(light_file("shufflenet"), batch=8)
    for layer in graph.layers:
        first = layer.dimensions[0]
        assert (first.name, first.size, first.splittable) == ("b", 8, True), layer.name


def test_light_channel_shuffle_keeps_groups():
    graph = graph_from_onnx(light_file("shufflenet"), batch=8)
    kinds = [layer.operation for layer in graph.layers]
    at = kinds.index("transpose")
    assert kinds[at - 1 : at + 2] == ["reshape", "transpose", "reshape"]
    assert out_sizes(graph, graph.layers[at]) == (8, 28, 4, 56, 56)
    assert [str(axis) for axis in graph.layers[at - 1].inputs[0].axes][1].startswith("(")


def test_light_resnet_is_fused():
    graph = graph_from_onnx(light_file("resnet50"), batch=2)
    fused = [layer.fused for layer in graph.layers if layer.operation == "batch normalization"]
    assert fused.count(("relu",)) == 33
    assert sum(layer.operation == "add" for layer in graph.layers) == 16
    assert all(layer.fused == ("relu",) for layer in graph.layers if layer.operation == "add")


# Operators


@pytest.mark.parametrize(
    ("image", "kernel", "attributes", "expected"),
    [
        ((3, 32), (8, 3, 5), {}, {"b": 4, "c": 3, "h": 28, "n": 8, "r": 5}),
        ((3, 32, 32), (8, 3, 3, 3), {"pads": [1] * 4}, {"h": 32, "w": 32, "r": 3, "s": 3}),
        ((3, 32, 32), (8, 3, 3, 3), {"strides": [2, 2], "auto_pad": "SAME_UPPER"}, {"h": 16}),
        ((3, 32, 32), (8, 3, 3, 3), {"dilations": [2, 2]}, {"h": 28, "r": 3}),
        ((8, 32, 32), (16, 4, 3, 3), {"group": 2}, {"g": 2, "c": 4, "n": 8}),
        ((8, 32, 32), (8, 1, 3, 3), {"group": 8}, {"g": 8, "c": 1, "n": 1}),
        ((3, 8, 9, 9), (4, 3, 3, 3, 3), {}, {"z": 6, "h": 7, "w": 7, "q": 3}),
    ],
)
def test_convolution(image, kernel, attributes, expected):
    graph = load(
        [node("Conv", "x w b", "y", **attributes)],
        {"x": (4, *image)},
        [weight("w", *kernel), weight("b", kernel[0])],
    )
    assert dimensions(only(graph)).items() >= expected.items()
    assert graph.n_parameters == math.prod(kernel) + kernel[0]
    positions = math.prod(out_sizes(graph)[2:])
    assert multiply_adds(graph) == pytest.approx(4 * positions * math.prod(kernel))


def test_pointwise_operators_are_fused_if_nothing_else_reads():
    nodes = [
        node("Conv", "x w", "a", name="conv"),
        node("BatchNormalization", "a s t m v", "n", name="norm"),
        node("Clip", "n low high", "c"),
        node("Dropout", "c", "d"),
        node("Sigmoid", "d", "e"),
        node("Add", "d e", "y"),
    ]
    constants = [weight("w", 8, 3, 1, 1), *(weight(n, 8) for n in "stmv")]
    constants += [numpy_helper.from_array(np.float32(v), n) for n, v in (("low", 0), ("high", 6))]
    graph = load(nodes, {"x": (4, 3, 8, 8)}, constants)
    by_name = {layer.name: layer for layer in graph.layers}
    assert by_name["conv"].fused == ()
    assert by_name["norm"].fused == ("clip", "dropout")
    assert list(by_name) == ["conv", "norm", "e", "y"]
    assert graph.n_parameters == 24 + 16  # running statistics are not trained
    assert len(graph.transfers) == 4


def test_graph_output_is_not_fused_over():
    graph = load(
        [node("Gemm", "x w", "a"), node("Relu", "a", "y")],
        {"x": (4, 8)},
        [weight("w", 8, 16)],
        outputs=("a", "y"),
    )
    assert [layer.operation for layer in graph.layers] == ["fully connected", "relu"]


@pytest.mark.parametrize("gate", ["Sigmoid", "HardSigmoid"])
def test_swish_is_fused(gate: str):
    nodes = [node("Conv", "x w", "a"), node(gate, "a", "g"), node("Mul", "g a", "y")]
    graph = load(nodes, {"x": (4, 3, 8, 8)}, [weight("w", 8, 3, 1, 1)])
    assert only(graph).fused == ("swish" if gate == "Sigmoid" else "hard_swish",)


def test_scales_and_shifts_are_parameters():
    nodes = [
        node("MatMul", "x w", "a"),
        node("Add", "a b", "c"),
        node("Mul", "c s", "d"),
        node("Mul", "d half", "y"),
    ]
    half = numpy_helper.from_array(np.float32(0.5), "half")
    graph = load(
        nodes, {"x": (4, 7, 32)}, [weight("w", 32, 64), weight("b", 64), weight("s", 1, 64), half]
    )
    layer = only(graph)
    assert layer.fused == ("multiply", "multiply")  # a bias counts as no operation
    assert graph.n_parameters == 32 * 64 + 64 + 64
    assert [str(axis) for read in layer.parameters for axis in read.axes] == [
        "c", "n", "n", "-", "n",
    ]  # fmt: skip


def test_elementwise_weight_of_an_input():
    graph = load([node("Add", "x p", "y")], {"x": (4, 7, 32)}, [weight("p", 7, 32)])
    assert graph.n_parameters == 7 * 32
    assert not only(graph).parameters[0].reduction
    assert only(graph).operation == "add"


def test_broadcasting_between_layers():
    nodes = [
        node("Relu", "x", "a"),
        node("GlobalAveragePool", "a", "p"),
        node("Mul", "a p", "y"),
    ]
    graph = load(nodes, {"x": (4, 16, 8, 8)})
    assert [str(axis) for axis in graph.layers[-1].inputs[1].axes] == ["b", "c", "-", "-"]


@pytest.mark.parametrize(
    ("a", "b", "is_weight", "result", "kind"),
    [
        ((4, 8), (8, 16), True, (4, 16), "fully connected"),
        ((4, 5, 6, 8), (8, 16), True, (4, 5, 6, 16), "fully connected"),
        ((4, 8), (8,), True, (4,), "matrix product"),
        ((4, 5, 8), (4, 8, 16), False, (4, 5, 16), "matrix product"),
        ((4, 2, 5, 8), (2, 8, 16), False, (4, 2, 5, 16), "matrix product"),
        ((4, 1, 5, 8), (1, 2, 8, 16), False, (4, 2, 5, 16), "matrix product"),
        ((4, 2, 5, 8), (2, 8, 16), True, (4, 2, 5, 16), "matrix product"),
    ],
)
def test_matrix_products(a, b, is_weight, result, kind):
    inputs = {"x": a} if is_weight else {"x": a, "w": b}
    graph = load([node("MatMul", "x w", "y")], inputs, [weight("w", *b)] if is_weight else [])
    assert only(graph).operation == kind
    assert out_sizes(graph) == result
    assert multiply_adds(graph) == math.prod(result) * 8
    assert graph.n_parameters == (math.prod(b) if is_weight else 0)


def test_matrix_product_with_the_weight_in_front():
    graph = load([node("MatMul", "w x", "y")], {"x": (4, 8, 16)}, [weight("w", 5, 8)])
    assert out_sizes(graph) == (4, 5, 16)
    assert graph.n_parameters == 40


@pytest.mark.parametrize(("turn_a", "turn_b"), [(0, 0), (0, 1), (1, 0), (1, 1)])
@pytest.mark.parametrize("shift", [(16,), (1, 16), (4, 16), (1,)])
def test_gemm(turn_a: int, turn_b: int, shift: tuple[int, ...]):
    graph = load(
        [node("Gemm", "x w s", "y", transA=turn_a, transB=turn_b, alpha=0.5)],
        {"x": (8, 4) if turn_a else (4, 8)},
        [weight("w", 16, 8) if turn_b else weight("w", 8, 16), weight("s", *shift)],
    )
    assert out_sizes(graph) == (4, 16)
    # A scalar is nothing.
    assert graph.n_parameters == 128 + (math.prod(shift) if math.prod(shift) > 1 else 0)


def test_a_weight_used_twice_counts_once():
    nodes = [
        node("Gemm", "x w", "a", transB=1),
        node("Gemm", "a w", "c", transB=1),
        node("Transpose", "w", "t", perm=[1, 0]),
        node("MatMul", "c t", "y"),
    ]
    graph = load(nodes, {"x": (4, 64)}, [weight("w", 64, 64)])
    assert graph.n_parameters == 64 * 64
    assert {read.tensor for layer in graph.layers for read in layer.parameters} == {"w"}
    tied = load(
        [node("MatMul", "x w", "a"), node("Gemm", "a w", "y", transB=1)],
        {"x": (4, 32)},
        [weight("w", 32, 64)],
    )
    assert tied.n_parameters == 32 * 64
    assert [str(axis) for axis in tied.layers[1].parameters[0].axes] == ["n", "c"]


@pytest.mark.parametrize(
    ("operator", "attributes", "result"),
    [
        ("MaxPool", {"kernel_shape": [3, 3], "strides": [2, 2]}, (4, 6, 7, 7)),
        ("MaxPool", {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1}, (4, 6, 8, 8)),
        ("MaxPool", {"kernel_shape": [2, 2], "dilations": [3, 3]}, (4, 6, 13, 13)),
        ("AveragePool", {"kernel_shape": [2, 2], "auto_pad": "SAME_LOWER"}, (4, 6, 16, 16)),
        ("LpPool", {"kernel_shape": [2, 2]}, (4, 6, 15, 15)),
        ("GlobalAveragePool", {}, (4, 6, 1, 1)),
        ("GlobalMaxPool", {}, (4, 6, 1, 1)),
        ("LRN", {"size": 5}, (4, 6, 16, 16)),
        ("Softmax", {"axis": 1}, (4, 6, 16, 16)),
        ("LogSoftmax", {}, (4, 6, 16, 16)),
        ("Flatten", {}, (4, 6 * 256)),
        ("Flatten", {"axis": 2}, (24, 256)),
        ("Transpose", {"perm": [0, 2, 3, 1]}, (4, 16, 16, 6)),
        ("Transpose", {}, (16, 16, 6, 4)),
        ("ReduceMean", {"axes": [2, 3]}, (4, 6, 1, 1)),
        ("ReduceMean", {"axes": [-1, -2], "keepdims": 0}, (4, 6)),
        ("ReduceMax", {}, (1, 1, 1, 1)),
        ("LeakyRelu", {"alpha": 0.1}, (4, 6, 16, 16)),
        ("Identity", {}, (4, 6, 16, 16)),
    ],
)
def test_operators_of_one_input(operator, attributes, result):
    # A reader behind it, so that passing on is seen too.
    nodes = [node(operator, "x", "a", **attributes), node("Concat", "a a", "y", axis=0)]
    graph = load(nodes, {"x": (4, 6, 16, 16)})
    assert out_sizes(graph) == (2 * result[0], *result[1:])
    if operator != "Identity":
        assert out_sizes(graph, graph.layers[0]) == result


@pytest.mark.parametrize(("opset", "row"), [(9, ("c", "h", "w")), (13, ("w",))])
def test_softmax_changed_its_meaning(opset: int, row: tuple[str, ...]):
    graph = load([node("Softmax", "x", "y")], {"x": (4, 6, 16, 16)}, opset=opset)
    assert only(graph).messages[0].over == row


def test_normalisations():
    nodes = [
        node("InstanceNormalization", "x s t", "a"),
        node("GroupNormalization", "a s t", "b", num_groups=4),
        node("LayerNormalization", "b u", "y", axis=-2),
    ]
    constants = [weight("s", 16), weight("t", 16), weight("u", 8, 8)]
    graph = load(nodes, {"x": (4, 16, 8, 8)}, constants, opset=21)
    assert [layer.messages[0].over for layer in graph.layers] == [
        ("h", "w"), ("c", "h", "w"), ("h", "w"),
    ]  # fmt: skip
    assert graph.n_parameters == 16 + 16 + 64


@pytest.mark.parametrize(
    ("operator", "constants", "attributes", "result"),
    [
        ("Slice", [ints("i", 1), ints("j", 9), ints("k", 2)], {}, (4, 6, 8, 16)),
        ("Pad", [ints("i", 0, 0, 1, 1, 0, 0, 1, 1)], {}, (4, 6, 18, 18)),
        ("Reshape", [ints("i", 0, 2, -1)], {}, (4, 2, 768)),
        ("Unsqueeze", [ints("i", 1)], {}, (4, 1, 6, 16, 16)),
        ("ReduceSum", [ints("i", 1)], {"keepdims": 0}, (4, 16, 16)),
        ("Split", [ints("i", 1, 5)], {"axis": 1}, (4, 1, 16, 16)),
    ],
)
def test_operators_with_constants(operator, constants, attributes, result):
    operands = " ".join(["x", *(c.name for c in constants)])
    outputs = "y z" if operator == "Split" else "y"
    nodes = [node(operator, operands, outputs, **attributes)]
    graph = load(nodes, {"x": (4, 6, 16, 16)}, constants, outputs=outputs.split())
    assert out_sizes(graph) == result


def test_every_pointwise_operator_loads():
    for operator, function in OPERATORS.items():
        if function is not OPERATORS["Relu"] or operator in ("Gelu", "Swish", "Mish"):
            continue
        operands = "x z" if operator in ("Add", "Sub", "Mul", "Div", "Pow", "PRelu") else "x"
        nodes = [node(operator, operands, "y")]
        if operator in ("Sum", "Max", "Min", "Mean"):
            continue  # of one operand they only hand it on
        graph = load(nodes, dict.fromkeys(operands.split(), (4, 8)))
        assert dimensions(only(graph)) == {"b": 4, "n": 8}, operator


def test_sizes_computed_in_the_model_are_folded():
    nodes = [
        node("Conv", "x w", "a"),
        node("Shape", "a", "s"),
        node("Gather", "s zero", "n", axis=0),
        node("Constant", "", "minus", value_ints=[-1]),
        node("Unsqueeze", "n axis", "u"),
        node("Concat", "u minus", "target", axis=0),
        node("Reshape", "a target", "f"),
        node("Gemm", "f v", "y"),
    ]
    constants = [weight("w", 8, 3, 3, 3), weight("v", 8 * 36, 10), ints("axis", 0)]
    constants.append(numpy_helper.from_array(np.int64(0), "zero"))
    graph = load(nodes, {"x": ("N", 3, 8, 8)}, constants, batch=16)
    assert [layer.operation for layer in graph.layers] == [
        "convolution", "reshape", "fully connected",
    ]  # fmt: skip
    assert out_sizes(graph) == (16, 10)
    assert graph.n_parameters == 8 * 27 + 8 * 36 * 10


def test_names_come_from_the_nodes():
    nodes = [
        node("Relu", "x", "a", name="/features/0/Relu"),
        node("GlobalAveragePool", "a", "b", name="/features/0/Relu"),
        node("Flatten", "b", "head\n1"),
        node("Softmax", "head\n1".replace(" ", ""), "y"),
    ]
    nodes[2].output[0] = nodes[3].input[0] = "head\n1"
    graph = load(nodes, {"x": (4, 3, 8, 8)})
    names = [layer.name for layer in graph.layers]
    assert names == ["features/0/Relu", "features/0/Relu_2", "head_1", "y"]


def test_dead_branches_and_unread_inputs_are_dropped():
    nodes = [node("Relu", "x", "y"), node("NonMaxSuppression", "u u", "dead")]
    graph = load(nodes, {"x": (4, 8), "u": ("any", None, 4)})
    assert len(graph.layers) == 1


@pytest.mark.parametrize(
    ("kind", "name"), [(TensorProto.FLOAT16, "float16"), (TensorProto.DOUBLE, "float64")]
)
def test_element_type(kind: int, name: str):
    graph = helper.make_graph(
        [node("Relu", "x", "y")],
        "net",
        [helper.make_tensor_value_info("x", kind, (4, 8))],
        [helper.make_tensor_value_info("y", kind, None)],
    )
    data = helper.make_model(graph).SerializeToString()
    assert graph_from_onnx(data).element_type == name


# Open dimensions and the batch


def test_open_dimensions_are_listed():
    nodes = [node("Conv", "x w", "y")]
    inputs, constants = {"x": ("N", 3, "height", None)}, [weight("w", 8, 3, 3, 3)]
    with pytest.raises(OpenDimensions, match=r"N \(axis 0 of x\).*--batch 32") as caught:
        load(nodes, inputs, constants)
    assert caught.value.names == ("N", "height", "x[3]")
    with pytest.raises(OpenDimensions, match=r"--bind height=224 --bind 'x\[3\]=224'") as caught:
        load(nodes, inputs, constants, batch=2)
    assert caught.value.names == ("height", "x[3]")
    sizes = {"height": 10, "x[3]": 12}
    graph = load(nodes, inputs, constants, batch=2, bindings=sizes)
    assert out_sizes(graph) == (2, 8, 8, 10)
    assert out_sizes(load(nodes, inputs, constants, bindings=sizes | {"N": 5}))[0] == 5


def test_bindings_are_checked():
    nodes, inputs = [node("Relu", "x", "y")], {"x": ("N", 8)}
    with pytest.raises(OptionError, match="no open size 'M'; open are: N"):
        load(nodes, inputs, bindings={"M": 4})
    with pytest.raises(OptionError, match="from 1 to"):
        load(nodes, inputs, bindings={"N": 0})
    with pytest.raises(OptionError, match="from 1 to"):
        load(nodes, inputs, batch=-3)
    with pytest.raises(OptionError, match="none of its sizes is open"):
        load(nodes, {"x": (4, 8)}, bindings={"N": 4})
    with pytest.raises(OptionError, match="batch size 3 contradicts N=4"):
        load(nodes, inputs, batch=3, bindings={"N": 4})
    load(nodes, inputs, batch=4, bindings={"N": 4})


@pytest.mark.parametrize("target", [(4, 96), (4, -1), (-1, 96), (0, 96)])
def test_reshape_follows_another_batch(target: tuple[int, int]):
    nodes = [node("Reshape", "x t", "r", name="flat"), node("Gemm", "r w", "y")]
    constants = [ints("t", *target), weight("w", 96, 10)]
    inputs = {"x": (4, 6, 4, 4)}
    assert out_sizes(load(nodes, inputs, constants)) == (4, 10)
    graph = load(nodes, inputs, constants, batch=32)
    assert out_sizes(graph) == (32, 10)


@pytest.mark.parametrize(
    ("target", "readout"),
    [((2, 2, 96), "Reshape 'flat'"), ((96, -1), "Reshape 'flat'"), ((2, -1, 96), "Reshape 'flat'")],
)
def test_reshape_that_cannot_follow_is_named(target: tuple[int, ...], readout: str):
    nodes, constants = [node("Reshape", "x t", "y", name="flat")], [ints("t", *target)]
    assert out_sizes(load(nodes, {"x": (4, 6, 4, 4)}, constants))[0] == target[0]
    with pytest.raises(ImportFileError, match=readout):
        load(nodes, {"x": (4, 6, 4, 4)}, constants, batch=32)


def test_reshape_that_swallows_an_open_batch_is_named():
    nodes, constants = [node("Reshape", "x t", "y", name="flat")], [ints("t", 1, -1)]
    with pytest.raises(ImportFileError, match="Reshape 'flat' does not follow the batch of 8"):
        load(nodes, {"x": ("N", 6, 4, 4)}, constants, batch=8)


def test_batch_must_reach_the_outputs():
    nodes = [node("Slice", "x i j", "y")]
    with pytest.raises(ImportFileError, match="does not reach output 'y'"):
        load(nodes, {"x": (4, 6)}, [ints("i", 0), ints("j", 2)], batch=8)


# Files that are not what they should be


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "is empty"),
        (b"\n<!DOCTYPE html><html></html>", "HTML"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "LFS pointer"),
        (b"\x89PNG\r\n\x1a\n", "PNG"),
        (b"PK\x03\x04", "zip"),
        (b'{"layers": []}', "no ONNX model"),
        (b"\x08\x07", "no graph"),
        (b"\xff\xfe nothing", "UTF-16"),
        (b"GGUF\x03", "GGUF"),
        (b"\x80\x04\x95", "Python pickle"),
    ],
)
def test_other_files(data: bytes, told: str):
    with pytest.raises(ImportFileError, match=told) as caught:
        graph_from_onnx(data, "thing.onnx")
    assert "thing.onnx" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_cut_off_file():
    data = light_file("squeezenet")
    for end in range(1, len(data), 997):
        with pytest.raises(ImportFileError):
            graph_from_onnx(data[:end])


@pytest.mark.filterwarnings("ignore")
def test_damaged_files_end_in_an_answer():
    random = np.random.default_rng(0)
    for _ in range(60):
        data = bytearray(light_file("squeezenet"))
        for position in random.integers(0, len(data), size=4):
            data[position] = random.integers(256)
        try:
            graph_from_onnx(bytes(data))
        except ImportFileError as error:
            assert "\n" not in str(error)


CONV = [node("Conv", "x w", "y", name="conv1")]


@pytest.mark.parametrize(
    ("nodes", "sizes", "constants", "told"),
    [
        (CONV, (1, 3, 4, 4), [weight("w", 8, 3, 7, 7)], "'conv1'.*7 x 7 does not fit on 4 x 4"),
        (CONV, (1, 4, 9, 9), [weight("w", 8, 3, 3, 3)], "'conv1'.*has 4 channels"),
        (CONV, (1, 3, 9, 9), [weight("w", 8, 3, 3)], "'conv1'.*3 to 5 axes"),
        ([node("MatMul", "x w", "y", name="m")], (4, 8), [weight("w", 9, 3)], "'m'.*c differs"),
        ([node("Gemm", "x w", "y", name="m")], (4, 8), [weight("w", 9, 3)], "'m'.*c differs"),
        ([node("Reshape", "x w", "y", name="r")], (4, 8), [ints("w", 4, 9)], "Reshape 'r'"),
        ([node("Relu", "z", "y", name="r")], (4, 8), [], "'r' .* reads 'z', which nothing makes"),
        ([node("Relu", "x", "q")], (4, 8), [], "nothing makes the output 'y'"),
        ([node("Relu", "x", "y"), node("Abs", "x", "y")], (4, 8), [], "'y' is made a second time"),
        ([node("Add", "x b", "y", name="f"), node("Abs", "y", "b")], (4,), [], "cycle: f -> b"),
        ([node("Relu", "w", "y")], (4, 8), [weight("w", 3)], "no output depends on an input"),
        ([node("MaxPool", "x", "y", name="p")], (1, 3, 4, 4), [], "'p'.*kernel_shape"),
        ([node("Identity", "x", "y")], (4, 8), [], "hands its inputs on"),
        (
            [node("MaxPool", "x", "a i", kernel_shape=[2, 2]), node("Abs", "i", "y", name="n")],
            (1, 3, 4, 4),
            [],
            "'n'.*second result",
        ),
        (
            [node("Slice", "x i j", "y", name="cut")],
            (4, 8),
            [ints("i", 0), ints("j", 0)],
            "nothing along an axis",
        ),
    ],
)
def test_contradictions_name_the_node(nodes, sizes, constants, told):
    with pytest.raises(ImportFileError, match=told):
        load(nodes, {"x": sizes}, constants)


def test_a_weight_computed_from_data_is_refused():
    with pytest.raises(ImportFileError, match="'w' is computed from the inputs"):
        load([node("Conv", "x w", "y")], {"x": (1, 3, 8, 8), "w": (8, 3, 3, 3)})


def test_unsupported_operators_are_listed_together():
    nodes = [
        node("NonZero", "x", "a", name="first"),
        node("NonZero", "x", "b"),
        helper.make_node("Magic", ["x"], ["c"], name="spell", domain="com.example"),
        node("Relu", "x", "y"),
    ]
    with pytest.raises(ImportFileError) as caught:
        load(nodes, {"x": (4, 8)}, outputs=("a", "b", "c", "y"))
    text = str(caught.value)
    assert "NonZero (2, such as node 'first')" in text
    assert "com.example.Magic (1, such as node 'spell')" in text
    assert "Conv" in text


def test_nodes_with_graphs_inside_are_named():
    branch = helper.make_graph(
        [node("Relu", "x", "inner")],
        "then",
        [],
        [helper.make_tensor_value_info("inner", FLOAT, ())],
    )
    choice = node("If", "c", "y", name="choose", then_branch=branch, else_branch=branch)
    flag = numpy_helper.from_array(np.array(True), "c")
    with pytest.raises(ImportFileError, match=r"'choose' \(If\) holds a graph of its own"):
        load([node("Relu", "x", "z"), choice], {"x": (4, 8)}, [flag], outputs=("y", "z"))


def test_external_data_is_never_opened(tmp_path: Path):
    tensor = TensorProto(name="w", data_type=FLOAT, dims=(8, 16))
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value=str(tmp_path / "missing"))
    assert load([node("Gemm", "x w", "y")], {"x": (4, 8)}, [tensor]).n_parameters == 128


def test_large_weights_are_never_read():
    # Far fewer bytes than the sizes say, and a graph of which only the sizes matter.
    tensor = TensorProto(name="w", data_type=FLOAT, dims=(100_000, 100_000), raw_data=b"1234")
    graph = load([node("Gemm", "x w", "y")], {"x": (4, 100_000)}, [tensor])
    assert graph.n_parameters == 10**10
