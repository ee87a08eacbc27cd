"""A graph with everything in it, its JSON, and what may be wrong with it."""

from __future__ import annotations

import copy
import json

from pase_core.axes import Axis
from pase_core.graph import Graph
from pase_core.importers.json_graph import graph_to_json
from pase_core.layers import Access, Dimension, Layer, Reduction, Tensor, Work
from pase_core.messages import AllReduce, Exchange, Halo, Relayout, Window

EVERYTHING = Graph(
    name="évery thing",
    tensors=(Tensor("x", (4, 6)), Tensor("y", (24,)), Tensor("w", (3, 9)), Tensor("scalar", ())),
    layers=(
        Layer(
            "scope/one",
            "any",
            (Dimension("b", 4), Dimension("n", 6, splittable=False), Dimension("k", 3)),
            inputs=(Access("x", (Axis(("b",)), Axis(("n",))), Reduction(("b",), ("k",), 2.5)),),
            outputs=(Access("y", (Axis(("b", "n")),)), Access("scalar", ())),
            parameters=(Access("w", (Axis(("k",)), Axis(("n",), window=True))),),
            work=(Work(("b", "n"), 3, "multiply_add"), Work((), 0.1)),
            messages=(
                AllReduce(("b",), ("n",), 4, "output"),
                Exchange((), ("b", "k"), 0.5, "input_gradient"),
                Halo(("b",), (Window("n", 9, 3), Window("k", 5, 1)), "parameter_gradient"),
                Relayout(("k",), ("b",), ("n",)),
            ),
            row_major=(("b", "n"),),
            fused=("relu", "dropout"),
        ),
        Layer("none", "any", ()),
        Layer("two", "any", (Dimension("n", 24),), inputs=(Access("y", (Axis(("n",)),)),)),
    ),
    element_type="bfloat16",
    note="two\nlines",
)
DOCUMENT = json.loads(graph_to_json(EVERYTHING))


def changed(path, value=None):
    """The text of EVERYTHING with another value at a path; None takes the key away."""
    document = copy.deepcopy(DOCUMENT)
    *parents, last = path
    place = document
    for key in parents:
        place = place[key]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return json.dumps(document)


TWICE = [{"dimension": "n", "extent": 9, "width": 3}] * 2

WRONG = [
    (["schema"], None, 'm.json lacks \'schema\'; a JSON graph says "schema": "pase.graph/1"'),
    (["schema"], "pase.graph/2", "m.json: schema is 'pase.graph/2'; it must be pase.graph/1"),
    (["schema"], 1, "m.json: schema is 1; it must be pase.graph/1"),
    (["layers"], [], "m.json: graph 'évery thing' has 0 layers"),
    (["layers"], {}, "m.json: layers is an object; it must be a list"),
    (["layers"], None, "m.json lacks layers; required are schema, name, layers, tensors"),
    (["name"], " ", "m.json: the graph has the name ' '"),
    (["name"], "a\nb", r"m.json: name is 'a\nb'; it must be a string of at most 300 printable"),
    (["name"], "a" * 301, "m.json: name is 'aaa"),
    (["note"], 3, "m.json: note is 3; it must be a string"),
    (["note"], "\ud800", r"note is '\ud800'; it must be a string without the halves"),
    (["note"], "n" * 10_001, "it must be a string of at most 10000 characters"),
    (["element_type"], "int8", "element_type is 'int8'; it must be one of float64, float32"),
    (["tensor"], [], "m.json has the unknown key 'tensor'; allowed are schema, name, layers"),
    (["tensor"], [], "did you mean 'tensors'?"),
    (["tensors", 0, "sizes", 1], 0, "m.json: tensors[0].sizes[1] is 0; it must be an integer"),
    (["tensors", 0, "sizes", 1], 6.0, "tensors[0].sizes[1] is 6.0"),
    (["tensors", 0, "sizes"], [1] * 21, "tensors[0].sizes has 21 items; allowed are at most"),
    (["tensors", 0, "name"], "y", "m.json: two tensors have the name 'y'"),
    (["layers", 0], 3, "m.json: layers[0] is 3; it must be an object"),
    (["layers", 0, "name"], "two", "m.json: two layers have the name 'two'"),
    (["layers", 0, "Fused"], [], "layers[0] has the unknown key 'Fused'"),
    (["layers", 0, "fused", 1], "\x07", "layers[0].fused[1] is"),
    (["layers", 0, "dimensions", 0, "size"], True, "layers[0].dimensions[0].size is true; it"),
    (["layers", 0, "dimensions", 0, "size"], 2**40 + 1, "size is 1099511627777; it must be"),
    (["layers", 0, "dimensions", 0, "size"], 10**30, "size is a very large number; it must"),
    (
        ["layers", 0, "dimensions", 0, "size"],
        5,
        "m.json: layer 'scope/one', tensor 'x': axis b",
    ),
    (["layers", 0, "dimensions", 0, "splitable"], True, "did you mean 'splittable'?"),
    (["layers", 0, "dimensions", 0, "splittable"], 1, "splittable is 1; it must be true or f"),
    (
        ["layers", 0, "dimensions", 0, "name"],
        "1b",
        "layers[0].dimensions[0]: dimension name '1",
    ),
    (["layers", 0, "dimensions", 0, "name"], "n", "layers[0]: layer 'scope/one' names a dime"),
    (["layers", 0, "inputs", 0, "tensor"], "q", "m.json: layer 'scope/one' uses the unknown"),
    (["layers", 0, "inputs", 0, "axes"], "b q", "layers[0]: layer 'scope/one', access to 'x'"),
    (["layers", 0, "inputs", 0, "axes"], "b (n", "layers[0].inputs[0].axes: axes 'b (n': can"),
    (["layers", 0, "inputs", 0, "axes"], ["b"], "layers[0].inputs[0].axes is a list; it must"),
    (["layers", 0, "inputs", 0, "axes"], "b", "m.json: layer 'scope/one' gives 1 axes for ten"),
    (["layers", 0, "inputs", 0, "reduction", "scale"], -1, "inputs[0].reduction.scale is -1"),
    (["layers", 0, "inputs", 0, "reduction", "tile"], ["z"], "reduction: unknown dimension"),
    (["layers", 0, "outputs", 1, "tensor"], "y", "m.json: layer 'scope/one' gives 0 axes"),
    (["layers", 0, "work", 0, "count"], "3", "layers[0].work[0].count is '3'; it must be a n"),
    (["layers", 0, "work", 0, "count"], 10**400, "count is a very large number; it must be a"),
    (["layers", 0, "work", 0, "unit"], "flops", "unit is 'flops'; it must be one of multiply"),
    (["layers", 0, "messages", 0, "kind"], None, "layers[0].messages[0] lacks 'kind'; add it"),
    (["layers", 0, "messages", 0, "kind"], "send", "messages[0].kind is 'send'; it must be on"),
    (["layers", 0, "messages", 0, "kind"], ["halo"], "messages[0].kind is a list; it must be"),
    (["layers", 0, "messages", 0, "kind"], "halo", "messages[0] has the unknown key 'over'"),
    (["layers", 0, "messages", 0, "component"], "x", "component is 'x'; it must be one of out"),
    (["layers", 0, "messages", 2, "windows", 1, "width"], 0, "messages[2].windows[1].width is"),
    (["layers", 0, "messages", 3, "held"], [], "messages[3]: held and needed cut the same"),
    (["layers", 0, "row_major", 0], ["b", "b"], "row_major: dimension 'b' stands twice in b b"),
    (["layers", 0, "work", 0, "over"], ["n", "b", "n"], "work: dimension 'n' stands twice in n b"),
    (["layers", 0, "messages", 1, "over"], ["b", "b"], "exchange message, over: dimension 'b'"),
    (["layers", 0, "messages", 2, "windows"], TWICE, "halo message, windows: dimension 'n' st"),
    (["layers", 0, "row_major", 0], "b n", "layers[0].row_major[0] is 'b n'; it must be a lis"),
]
"""Path, value and a part of the complaint."""
