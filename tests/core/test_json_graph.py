from __future__ import annotations

import copy
import json
from dataclasses import fields
from importlib import resources
from typing import get_args

import jsonschema
import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from pase_core.axes import Axis
from pase_core.errors import GraphError, ImportFileError
from pase_core.graph import ELEMENT_BYTES, MAX_LAYERS, Graph
from pase_core.importers import json_graph, json_reader
from pase_core.importers.json_graph import graph_from_json, graph_to_json
from pase_core.layers import Access, Dimension, Layer, Reduction, Tensor, Work
from pase_core.messages import MESSAGES, AllReduce, Component, Exchange, Halo, Relayout, Window
from sample_graphs import SAMPLES

SCHEMA = json.loads((resources.files("pase_core") / "schemas/graph.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

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


def complaint(text, source="m.json"):
    with pytest.raises(ImportFileError) as caught:
        graph_from_json(text, source)
    message = str(caught.value)
    assert message.isprintable() and len(message) < 1000
    assert message.startswith(source)
    assert caught.value.__context__ is None or caught.value.__suppress_context__
    return message


# Round trip


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_survive_a_round_trip_and_follow_the_schema(name):
    graph = SAMPLES[name].build(SAMPLES[name].batch)
    text = graph_to_json(graph)
    assert graph_from_json(text) == graph == graph_from_json(text.encode())
    VALIDATOR.validate(json.loads(text))


def test_everything_survives_a_round_trip_and_follows_the_schema():
    text = graph_to_json(EVERYTHING)
    assert text.isascii() and text.endswith("}\n")
    assert graph_from_json(text) == EVERYTHING
    VALIDATOR.validate(json.loads(text))
    assert graph_from_json(json.dumps(DOCUMENT, ensure_ascii=False).encode()) == EVERYTHING


def test_defaults_are_left_out():
    plain = Graph("g", (Layer("l", "any", (Dimension("b", 1),)),), ())
    assert json.loads(graph_to_json(plain)) == {
        "schema": "pase.graph/1",
        "name": "g",
        "tensors": [],
        "layers": [{"name": "l", "operation": "any", "dimensions": [{"name": "b", "size": 1}]}],
    }


def test_defaults_may_be_written_out():
    layer = DOCUMENT["layers"][2] | {
        "dimensions": [{"name": "n", "size": 24, "splittable": True}],
        "outputs": [],
        "parameters": [],
        "work": [],
        "messages": [],
        "row_major": [],
        "fused": [],
    }
    assert graph_from_json(changed(["layers", 2], layer)) == EVERYTHING


def test_a_message_has_the_keys_of_its_kind():
    assert [message["kind"] for message in DOCUMENT["layers"][0]["messages"]] == list(MESSAGES)
    assert DOCUMENT["layers"][0]["messages"][3] == {
        "kind": "relayout",
        "times": ["k"],
        "held": ["b"],
        "needed": ["n"],
    }


IDENTIFIERS = st.sampled_from(["b", "n", "_k2", "vocabulary", "h_1"])
SIZES = st.integers(1, 2**40)
NUMBERS = st.integers(0, 10**18) | st.floats(0, 1e30)
NAMES = st.text(min_size=1, max_size=20).filter(lambda name: name.strip() and name.isprintable())


def cuts_each_dimension_once(axes):
    names = [name for axis in axes for name in axis.dimensions]
    return len(set(names)) == len(names)


@st.composite
def layers(draw):
    dims = tuple(
        Dimension(name, draw(SIZES), draw(st.booleans()))
        for name in draw(st.lists(IDENTIFIERS, unique=True))
    )
    if not dims:
        return Layer("layer", draw(NAMES), ())
    names = st.lists(st.sampled_from([d.name for d in dims]), max_size=4).map(tuple)
    component = st.sampled_from(get_args(Component))
    windows = st.builds(Window, names.filter(bool).map(lambda found: found[0]), SIZES, SIZES)
    pairs = st.lists(st.tuples(names.filter(bool), names.filter(bool)), max_size=3)
    messages = st.one_of(
        st.builds(AllReduce, names, names, NUMBERS, component),
        st.builds(Exchange, names, names, NUMBERS, component),
        st.builds(Halo, names, st.lists(windows, max_size=3).map(tuple), component),
        pairs.map(lambda p: Relayout((), tuple(a[0] for a, _ in p), tuple(b[0] for _, b in p))),
    )
    axes = names.map(Axis) | names.map(lambda found: Axis(found[:1], window=bool(found)))
    reductions = st.none() | st.builds(Reduction, names, names, NUMBERS)
    both = st.tuples(axes, axes).filter(cuts_each_dimension_once)
    access = draw(st.builds(Access, st.just("x"), both, reductions))
    units = st.sampled_from(["flop", "multiply_add"])
    return Layer(
        "layer",
        draw(NAMES),
        dims,
        inputs=(access,),
        work=draw(st.lists(st.builds(Work, names, NUMBERS, units), max_size=3).map(tuple)),
        messages=draw(st.lists(messages, max_size=3).map(tuple)),
        row_major=draw(st.lists(names, max_size=2).map(tuple)),
        fused=tuple(draw(st.lists(NAMES, max_size=2))),
    )


@given(layers(), NAMES, st.text(st.characters(exclude_categories=["Cs"])), st.data())
def test_any_graph_survives_a_round_trip_and_follows_the_schema(layer, name, note, data):
    sizes = tuple(_size(layer, access) for access in layer.inputs)
    try:
        tensors = tuple(Tensor("x", s) for s in sizes)
    except GraphError:  # a product of sizes is too large
        return
    element_type = data.draw(st.sampled_from(list(ELEMENT_BYTES)))
    graph = Graph(name, (layer,), tensors, element_type, note)
    text = graph_to_json(graph)
    assert graph_from_json(text) == graph
    VALIDATOR.validate(json.loads(text))


def _size(layer, access):
    sizes = dict(zip(layer.dimension_names, layer.sizes, strict=True))
    found = []
    for axis in access.axes:
        size = 1
        for name in axis.dimensions:
            size *= sizes[name]
        found.append(size)
    return tuple(found)


# Complaints about the content, each with its place


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
    (["layers", 0, "row_major", 0], "b n", "layers[0].row_major[0] is 'b n'; it must be a lis"),
]


@pytest.mark.parametrize(("path", "value", "expected"), WRONG, ids=lambda part: str(part)[:40])
def test_a_wrong_value_is_named_with_its_place(path, value, expected):
    assert expected in complaint(changed(path, value))


def test_a_cycle_is_named():
    document = {
        "schema": "pase.graph/1",
        "name": "loop",
        "tensors": [{"name": "x", "sizes": [2]}],
        "layers": [
            {
                "name": "l",
                "operation": "any",
                "dimensions": [{"name": "n", "size": 2}],
                "inputs": [{"tensor": "x", "axes": "n"}],
                "outputs": [{"tensor": "x", "axes": "n"}],
            }
        ],
    }
    assert "m.json: the layers form a cycle: l -> l" in complaint(json.dumps(document))


def test_long_lists_are_refused_before_they_are_read():
    layer = DOCUMENT["layers"][1]
    text = changed(["layers"], [layer] * (MAX_LAYERS + 1))
    assert f"layers has {MAX_LAYERS + 1} items; allowed are at most {MAX_LAYERS}" in complaint(text)
    many = [{"name": f"d{i}", "size": 2} for i in range(21)]
    assert "layers[1].dimensions has 21 items" in complaint(
        changed(["layers", 1, "dimensions"], many)
    )


@pytest.mark.parametrize("axes", ["- " * 21, "(" + "b " * 21 + ")", "b " * 900])
def test_too_many_axes_are_refused_before_their_sizes_are_multiplied(axes):
    text = changed(["layers", 0, "inputs", 0, "axes"], axes)
    assert "m.json: layers[0].inputs[0].axes: " in complaint(text)
    assert "at most 20 are allowed" in complaint(text)


def test_the_largest_sizes_give_one_line():
    names = [f"d{i}" for i in range(20)]
    layer = {
        "name": "l",
        "operation": "any",
        "dimensions": [{"name": name, "size": 2**40} for name in names],
        "inputs": [{"tensor": "x", "axes": f"({' '.join(names)}) -"}],
    }
    assert "m.json: layer 'l', tensor 'x': axis (d0 d1" in complaint(changed(["layers", 1], layer))


def test_complaints_that_quote_much_are_cut_in_the_middle():
    text = complaint(changed(["layers", 0, "inputs", 0, "axes"], "(" + "b " * 900))
    assert " ... " in text and text.startswith("m.json: layers[0].inputs[0].axes: axes '(b b")


# Texts that are no JSON graph at all


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"", "m.json is empty"),
        ("\ufeff", "m.json is empty"),
        ("[]", "m.json is a list; it must be an object"),
        ("null", "m.json is null; it must be an object"),
        ("3", "m.json is 3; it must be an object"),
        ("{}", 'm.json lacks \'schema\'; a JSON graph says "schema": "pase.graph/1"'),
        ('{"schema": "pase.graph/1"', "m.json is not JSON (line 1, column 26"),
        ("{'schema': 1}", "m.json is not JSON (line 1, column 2"),
        ("ir_version: 8", "m.json is not JSON (line 1, column 1"),
        (b'{"name": "\xff"}', "m.json is not UTF-8 (byte 10); save it as JSON in UTF-8"),
        (b"\x89PNG\r\n\x1a\n\0\0", "m.json is a PNG image"),
        ("version https://git-lfs.github.com/spec/v1\n", "m.json is a Git LFS pointer"),
        (b"<!DOCTYPE html>\n<html>", "m.json is an HTML page"),
        ('{"a": NaN}', "m.json has the number NaN; write a finite number"),
        ('{"a": [-Infinity]}', "m.json has the number -Infinity; write a finite number"),
        ('{"a": ' + "1" * 5000 + "}", "m.json has a number with too many digits"),
        ('{"a": 1, "b": 2, "a": 1}', "m.json names the key 'a' twice; keep one"),
        ("[" * 10_000 + "]" * 10_000, "m.json is nested too deeply"),
        ('{"a":' * 10_000 + "1" + "}" * 10_000, "m.json is nested too deeply"),
        ("[" * 900 + "]" * 900, "m.json is"),
    ],
)
def test_what_is_no_json_graph_is_named(text, expected):
    assert expected in complaint(text)


def test_numbers_beyond_floats_are_refused():
    text = json.dumps(DOCUMENT).replace('"count": 3', '"count": 1e999')
    assert "work[0].count is inf; it must be a number from 0 to 1e+30" in complaint(text)


def test_a_byte_order_mark_is_allowed():
    text = graph_to_json(EVERYTHING)
    assert graph_from_json("\ufeff" + text) == EVERYTHING
    assert graph_from_json(b"\xef\xbb\xbf" + text.encode()) == EVERYTHING


def test_the_longest_text_and_the_most_parts_are_limited(monkeypatch):
    text = graph_to_json(EVERYTHING)
    monkeypatch.setattr(json_reader, "MAX_JSON_BYTES", len(text))
    assert graph_from_json(text) == EVERYTHING
    assert f"has {len(text) + 1} bytes; a JSON graph has at most" in complaint(text + " ")
    parts = text.count("[") + text.count("{")
    monkeypatch.setattr(json_reader, "MAX_JSON_PARTS", parts)
    assert graph_from_json(text) == EVERYTHING
    monkeypatch.setattr(json_reader, "MAX_JSON_PARTS", parts - 1)
    assert f"more than {parts - 1} lists and objects" in complaint(text)


@given(st.integers(0, len(graph_to_json(EVERYTHING)) - 3))
def test_a_text_cut_off_anywhere_gives_one_line(length):
    complaint(graph_to_json(EVERYTHING)[:length])


@given(st.binary(max_size=80))
def test_any_bytes_give_one_line(data):
    complaint(data)


# The published schema


def test_the_schema_is_itself_valid_and_published_under_its_name():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$id"] == SCHEMA["properties"]["schema"]["const"] == json_graph.SCHEMA


@pytest.mark.parametrize(
    ("described", "data_class"),
    [
        (SCHEMA, Graph),
        (SCHEMA["$defs"]["tensor"], Tensor),
        (SCHEMA["$defs"]["layer"], Layer),
        (SCHEMA["$defs"]["dimension"], Dimension),
        (SCHEMA["$defs"]["access"], Access),
        (SCHEMA["$defs"]["reduction"], Reduction),
        (SCHEMA["$defs"]["work"], Work),
        (SCHEMA["$defs"]["window"], Window),
        *((SCHEMA["$defs"][kind], message) for kind, message in MESSAGES.items()),
    ],
)
def test_the_schema_knows_every_field_and_no_other(described, data_class):
    names = {field.name for field in fields(data_class)}
    assert set(described["properties"]) - {"schema", "kind"} == names
    assert described["additionalProperties"] is False


def test_the_schema_has_the_limits_and_words_of_the_reader():
    defs = SCHEMA["$defs"]
    assert SCHEMA["properties"]["layers"]["maxItems"] == MAX_LAYERS
    assert SCHEMA["properties"]["tensors"]["maxItems"] == json_graph.MAX_TENSORS
    assert SCHEMA["properties"]["note"]["maxLength"] == json_reader.MAX_TEXT_LENGTH
    assert SCHEMA["properties"]["element_type"]["enum"] == list(ELEMENT_BYTES)
    assert defs["layer"]["properties"]["dimensions"]["maxItems"] == json_graph.MAX_DIMENSIONS
    assert defs["accesses"]["maxItems"] == json_graph.MAX_PARTS
    assert defs["axes"]["maxLength"] == json_graph.MAX_AXES_LENGTH
    assert defs["component"]["enum"] == list(get_args(Component))
    assert [entry["$ref"].split("/")[-1] for entry in defs["message"]["oneOf"]] == list(MESSAGES)


@pytest.mark.parametrize(("path", "value", "expected"), WRONG, ids=lambda part: str(part)[:40])
def test_the_schema_refuses_whatever_is_wrong_by_itself(path, value, expected):
    beyond_schemas = (
        value in ("y", "two", 5, "n", "q", "b q", "b (n", "b", ["z"])  # wrong beside the rest
        or path[-1] == "held"
        or (isinstance(value, str) and not value.isprintable())  # \ud800 is not even Unicode
        or value == 6.0  # an integer, says JSON Schema
    )
    if not beyond_schemas and "is written by" not in expected:
        assert not VALIDATOR.is_valid(json.loads(changed(path, value)))


def places(value, path=()):
    """Every path into a document."""
    yield path
    if isinstance(value, (dict, list)):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*path, key))


PLACES = [path for path in places(DOCUMENT) if path]
VALUES = st.sampled_from(
    (
        *(None, True, False, 0, 1, 2, 4.0, -1, 0.5, 2**41, 1e31, "", " ", "b", "b n", "n\n", "x"),
        *("é", "flop", "halo", "output", "a" * 400, [], {}, [[]], ["b"], [{}], {"b": 1}, ["b", 1]),
    )
)


@st.composite
def mutants(draw):
    """The document with some places changed, taken away, renamed, doubled or exchanged."""
    document = copy.deepcopy(DOCUMENT)
    for *parents, last in draw(st.lists(st.sampled_from(PLACES), min_size=1, max_size=3)):
        place = document
        try:
            for key in parents:
                place = place[key]
            old = place[last]
        except (KeyError, IndexError, TypeError):
            continue  # another change took it away
        what = draw(st.sampled_from(["change", "remove", "add", "double", "exchange"]))
        if what == "change":
            place[last] = draw(VALUES)
        elif what == "remove":
            del place[last]
        elif what == "add" and isinstance(old, dict):
            old[draw(st.sampled_from(["name", "scale", "over", "tile", "x", "note"]))] = draw(
                VALUES
            )
        elif what == "double" and isinstance(place, list):
            place.append(copy.deepcopy(old))
        elif what == "exchange":
            other = document
            for key in draw(st.sampled_from(PLACES)):
                other = other[key] if _has(other, key) else other
            place[last] = copy.deepcopy(other)
    return document


def _has(value, key):
    if isinstance(value, dict):
        return key in value
    return isinstance(value, list) and isinstance(key, int) and key < len(value)


@settings(max_examples=700)
@given(mutants())
def test_whatever_the_reader_accepts_follows_the_schema(document):
    try:
        graph = graph_from_json(json.dumps(document), "m.json")
    except ImportFileError as error:
        assert str(error).isprintable() and str(error).startswith("m.json")
        return
    VALIDATOR.validate(document)
    assert graph_from_json(graph_to_json(graph)) == graph


def test_some_mutants_are_accepted():
    def is_accepted(document):
        try:
            return graph_from_json(json.dumps(document)) != EVERYTHING
        except ImportFileError:
            return False

    find(mutants(), is_accepted, settings=settings(max_examples=500))
