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

from pase_core import json_reader
from pase_core.axes import Axis
from pase_core.errors import GraphError, ImportFileError
from pase_core.graph import ELEMENT_BYTES, MAX_LAYERS, Graph
from pase_core.importers import json_graph
from pase_core.importers.json_graph import graph_from_json, graph_to_json
from pase_core.layers import Access, Dimension, Layer, Reduction, Tensor, Work
from pase_core.messages import MESSAGES, AllReduce, Component, Exchange, Halo, Relayout, Window
from sample_graphs import SAMPLES
from tests.core.json_documents import DOCUMENT, EVERYTHING, WRONG, changed

SCHEMA = json.loads((resources.files("pase_core") / "schemas/graph.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


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
    each = st.sampled_from([d.name for d in dims])
    names = st.lists(each, max_size=4, unique=True).map(tuple)
    component = st.sampled_from(get_args(Component))
    windows = st.builds(Window, each, SIZES, SIZES)
    pairs = st.lists(
        st.tuples(each, each), max_size=3, unique_by=(lambda pair: pair[0], lambda pair: pair[1])
    )
    messages = st.one_of(
        st.builds(AllReduce, names, names, NUMBERS, component),
        st.builds(Exchange, names, names, NUMBERS, component),
        st.builds(
            Halo,
            names,
            st.lists(windows, max_size=3, unique_by=lambda window: window.dimension).map(tuple),
            component,
        ),
        pairs.map(lambda p: Relayout((), tuple(a for a, _ in p), tuple(b for _, b in p))),
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
