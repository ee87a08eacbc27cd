from __future__ import annotations

import os
import sys
from types import ModuleType

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pase_core import importers
from pase_core.errors import ImportFileError, OptionError, PaseError
from pase_core.importers import IMPORTERS, load_graph, read_graph_file
from pase_core.importers.json_graph import graph_to_json
from sample_graphs import SAMPLES

GRAPH = SAMPLES["alexnet"].build(128)
JSON = graph_to_json(GRAPH).encode()
ONNX = b"\x08\x08\x12\x04test"


@pytest.fixture
def onnx_calls(monkeypatch):
    """What reaches the ONNX importer, which is replaced."""
    calls = []
    module = ModuleType("pase_core.importers.onnx_graph")

    def graph_from_onnx(*arguments):
        calls.append(arguments)
        return GRAPH

    module.graph_from_onnx = graph_from_onnx
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return calls


# Which importer


@pytest.mark.parametrize("name", ["m.json", "m.onnx", "m", "m.txt"])
@pytest.mark.parametrize("before", [b"", b"\n \t\r\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf  "])
def test_a_text_with_a_brace_is_json_whatever_its_name(name, before):
    assert load_graph(before + JSON, name) == GRAPH


@pytest.mark.parametrize("name", ["m.json", "m.onnx", "m", "m.txt", "M.ONNX"])
def test_a_protobuf_is_onnx_whatever_its_name(name, onnx_calls):
    assert load_graph(ONNX, name) == GRAPH
    assert onnx_calls == [(ONNX, name, None, {})]


def test_the_suffix_decides_where_the_contents_do_not(onnx_calls):
    load_graph(b"some text", "m.onnx")
    load_graph(b"\x00\x01\x02", "m.pb")
    assert len(onnx_calls) == 2
    with pytest.raises(ImportFileError, match=r"m.json is not JSON"):
        load_graph(b"some text", "m.json")


def test_a_text_of_no_known_format_names_the_known_ones():
    with pytest.raises(ImportFileError, match=r"m.txt is no graph.*known are JSON, ONNX"):
        load_graph(b"some text", "m.txt")
    assert list(IMPORTERS) == ["JSON", "ONNX"]


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"", "empty"),
        (b" \n\t ", "empty"),
        (b"<!DOCTYPE html><html></html>", "an HTML page"),
        (b"\n<HTML>", "an HTML page"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0", "git lfs pull"),
        (b"\x89PNG\r\n\x1a\n", "a PNG image"),
        (b"\xff\xd8\xff\xe0", "a JPEG image"),
        (b"PK\x03\x04archive", "a zip archive"),
        (b"\x1f\x8b\x08", "a gzip archive"),
        (b"\x80\x04\x95", "a Python pickle"),
        (b"\x20\x00\x00\x00\x00\x00\x00\x00" + b'{"a": 1}' + b" " * 40, "safetensors"),
        (b"\x1c\x00\x00\x00TFL3", "TensorFlow Lite"),
        ('{"schema": "pase.graph/1"}'.encode("utf-16"), "UTF-16; save it as UTF-8"),
    ],
)
@pytest.mark.parametrize("name", ["m.json", "m.onnx", "m"])
def test_known_foreign_contents_are_named(data, complaint, name):
    with pytest.raises(ImportFileError, match=f"^{name} is .*{complaint}"):
        load_graph(data, name)


# Batch and bindings


def test_batch_and_bindings_reach_the_onnx_importer(onnx_calls):
    load_graph(ONNX, "m.onnx", batch=4, bindings={"width": 224})
    assert onnx_calls == [(ONNX, "m.onnx", 4, {"width": 224})]


def test_a_batch_changes_a_json_graph():
    assert load_graph(JSON, "m.json", batch=32) == SAMPLES["alexnet"].build(32)


@pytest.mark.parametrize("batch", [0, -1, 2**50])
def test_an_impossible_batch_of_a_json_graph_names_the_file(batch):
    with pytest.raises(ImportFileError, match=r"^m.json: the batch has size"):
        load_graph(JSON, "m.json", batch=batch)


def test_a_json_graph_has_no_open_dimensions():
    with pytest.raises(OptionError, match="no open dimensions; leave out the sizes for width"):
        load_graph(JSON, "m.json", bindings={"width": 224})
    assert load_graph(JSON, "m.json", bindings={}) == GRAPH


# Size and files


@pytest.fixture
def small_limit(monkeypatch):
    monkeypatch.setattr(importers, "MAX_FILE_BYTES", len(JSON))


def test_the_size_limit_is_tight(small_limit, tmp_path):
    assert load_graph(JSON, "m.json") == GRAPH
    file = tmp_path / "m.json"
    file.write_bytes(JSON)
    assert read_graph_file(file) == GRAPH
    file.write_bytes(JSON + b" ")
    for read in (lambda: load_graph(JSON + b" ", "m.json"), lambda: read_graph_file(file)):
        with pytest.raises(ImportFileError, match=f"has {len(JSON) + 1} bytes; allowed are"):
            read()


def test_a_file_is_read_with_its_batch(tmp_path):
    file = tmp_path / "m.json"
    file.write_bytes(JSON)
    assert read_graph_file(file, batch=32) == SAMPLES["alexnet"].build(32)
    with pytest.raises(OptionError, match="no open dimensions"):
        read_graph_file(file, bindings={"n": 1})


def test_missing_files_directories_and_devices_are_named(tmp_path):
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    for path, complaint in (
        (tmp_path / "none.json", "none.json does not exist"),
        (tmp_path / "none" / "m.json", "m.json does not exist"),
        (tmp_path, "is a directory"),
        (fifo, "pipe is no regular file"),
        (tmp_path / "nul\0.json", "cannot be read"),
        (tmp_path / ("x" * 5000), "cannot be read"),
    ):
        with pytest.raises(ImportFileError, match=complaint):
            read_graph_file(path)


@pytest.mark.parametrize("error", [PermissionError(13, "denied"), OSError(5, "broken disk")])
def test_a_file_that_cannot_be_read_is_named(monkeypatch, tmp_path, error):
    file = tmp_path / "m.json"
    file.write_bytes(JSON)

    def fail(*_arguments):
        raise error

    monkeypatch.setattr(type(file), "open", fail)
    with pytest.raises(ImportFileError, match=r"m.json (may not|cannot) be read"):
        read_graph_file(file)


def test_names_with_control_characters_stay_on_one_line(tmp_path):
    with pytest.raises(ImportFileError) as caught:
        load_graph(b"text", "two\nlines\x1b[31m")
    assert str(caught.value).isprintable()
    with pytest.raises(ImportFileError) as caught:
        read_graph_file(tmp_path / "two\nlines")
    assert str(caught.value).isprintable()


@given(st.binary(max_size=60), st.sampled_from(["m.json", "m"]))
@example(b"{", "m")
@example(b"\xef\xbb\xbf", "m.json")
def test_any_bytes_give_one_line(data, name):
    if IMPORTERS["ONNX"].recognises(data or b" ", name):
        return
    with pytest.raises(PaseError) as caught:
        load_graph(data, name)
    assert str(caught.value).isprintable()
