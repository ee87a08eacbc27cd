from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pase_core import json_reader
from pase_core.errors import ImportFileError
from pase_core.graph import MAX_LAYERS
from pase_core.importers import json_graph
from pase_core.importers.json_graph import graph_from_json, graph_to_json
from tests.core.json_documents import DOCUMENT, EVERYTHING, WRONG, changed


def complaint(text, source="m.json"):
    with pytest.raises(ImportFileError) as caught:
        graph_from_json(text, source)
    message = str(caught.value)
    assert message.isprintable() and len(message) < 1000
    assert message.startswith(source)
    assert caught.value.__context__ is None or caught.value.__suppress_context__
    return message


# Complaints about the content, each with its place


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
    shorter = replace(json_graph.FORMAT, max_bytes=len(text))
    monkeypatch.setattr(json_graph, "FORMAT", shorter)
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
