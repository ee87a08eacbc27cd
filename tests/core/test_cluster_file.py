from __future__ import annotations

import json
import re
from importlib import resources

import jsonschema
import pytest

from pase_core.cluster import (
    FIELDS,
    Cluster,
    Link,
    cluster_from_json,
    cluster_to_json,
    load_cluster,
    preset,
    preset_names,
)
from pase_core.errors import ClusterError
from pase_core.graph import ELEMENT_BYTES

CORE = resources.files("pase_core")
SCHEMA = json.loads((CORE / "schemas" / "cluster.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
PRESETS = (
    "a100-sxm4-80gb",
    "b200",
    "gtx-1080-ti",
    "h100-sxm",
    "h200-sxm",
    "rtx-2080-ti",
    "tpu-v4",
    "tpu-v5p",
    "v100-sxm2",
)

TOY = Cluster(
    name="toy",
    title="Toy",
    device="Toy device",
    n_devices=4,
    devices_per_node=4,
    peak_flop_per_second=(("float32", 1e12),),
    memory_bytes=1e9,
    memory_bytes_per_second=1e11,
    intra_node=Link("bus", 10e9, 1e-6),
    inter_node=Link("network", 1e9, 2e-6),
)


def content(**changes) -> dict:
    """The toy cluster as parsed JSON, with top-level changes; None takes a key away."""
    value = json.loads(cluster_to_json(TOY)) | changes
    return {key: part for key, part in value.items() if part is not None}


def raw_preset(name: str) -> dict:
    return json.loads((CORE / "clusters" / f"{name}.json").read_text("utf-8"))


# JSON


@pytest.mark.parametrize("name", PRESETS)
def test_presets_survive_a_round_trip(name):
    original = preset(name, 48).with_overrides(bytes_per_second=1.5e9)
    text = cluster_to_json(original)
    assert cluster_from_json(text, "memory") == original
    VALIDATOR.validate(json.loads(text))


def test_bare_numbers_do_and_n_devices_is_8_unless_given():
    read = cluster_from_json(json.dumps(content(n_devices=None)), "toy.json")
    assert read == TOY.with_devices(8)
    assert read.sources == ()


def test_the_achievable_fraction_is_1_unless_given():
    assert cluster_from_json(json.dumps(content(achievable_fraction=None)), "toy.json") == TOY
    figure = {"value": 0.5, "source": "a book", "date": "2024"}
    changed = content(achievable_fraction=figure)
    read = cluster_from_json(json.dumps(changed), "toy.json")
    assert read.achievable_fraction == 0.5
    assert json.loads(cluster_to_json(read))["achievable_fraction"] == figure
    VALIDATOR.validate(changed)


def test_sources_are_kept_with_or_without_a_date():
    figures = content(
        memory_bytes={"value": 2e9, "source": "a book", "date": "2024-03"},
        devices_per_node={"value": 2, "source": "hearsay (old)"},
    )
    read = cluster_from_json(json.dumps(figures), "toy.json")
    assert read.sources == (
        ("devices_per_node", "hearsay (old)"),
        ("memory_bytes", "a book (2024-03)"),
    )
    written = json.loads(cluster_to_json(read))
    assert written["memory_bytes"] == figures["memory_bytes"]
    assert written["devices_per_node"] == figures["devices_per_node"]


LINK = {"name": "bus", "bytes_per_second": 1e9, "latency_seconds": 0}
SOURCED = {"value": 1e9, "source": "a book"}


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"schema": "pase.cluster/2"}, "toy.json: schema is 'pase.cluster/2'; it must be 'pase"),
        ({"achievable_fraction": 2}, "toy.json: achievable_fraction is 2"),
        ({"achievable_fraction": "half"}, "achievable_fraction is 'half'; it must be a number"),
        ({"schema": None}, "lacks 'schema'; a cluster has the schema pase.cluster/1"),
        ({"device": None}, "toy.json lacks device; required are schema, name"),
        ({"memory_byte": 1e9}, "unknown key 'memory_byte'.*did you mean 'memory_bytes'"),
        ({"name": 7}, "toy.json: name is 7; it must be a string"),
        ({"n_devices": 8.5}, "toy.json: n_devices is 8.5; it must be a whole number"),
        ({"n_devices": 0}, "toy.json: n_devices is 0"),
        ({"n_devices": True}, "n_devices is true; it must be a number"),
        ({"memory_bytes": "80 GB"}, "toy.json: memory_bytes is '80 GB'; it must be a number"),
        ({"memory_bytes": [1]}, "memory_bytes is a list"),
        ({"memory_bytes": {"value": 1e9}}, "toy.json: memory_bytes lacks source"),
        ({"memory_bytes": SOURCED | {"date": "May 2024"}}, "date is 'May 2024'.*2024-03"),
        ({"memory_bytes": SOURCED | {"unit": "GB"}}, "unknown key 'unit'"),
        ({"peak_flop_per_second": {"float99": 1}}, "unknown key 'float99'"),
        ({"peak_flop_per_second": {}}, "give at least one"),
        ({"peak_flop_per_second": 1e12}, "it must be an object"),
        ({"intra_node": {"name": "bus"}}, "intra_node lacks bytes_per_second, latency_seconds"),
        ({"intra_node": LINK | {"bytes_per_second": -1}}, "toy.json: bytes_per_second of 'bus'"),
    ],
)
def test_files_that_break_the_form_are_refused(changes, complaint):
    changed = content(**changes)
    with pytest.raises(ClusterError, match=complaint):
        cluster_from_json(json.dumps(changed), "toy.json")
    assert not VALIDATOR.is_valid(changed)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "toy.json is not JSON \\(line 1, column 1"),
        ("[]", "toy.json is a list; it must be an object"),
        ('{"memory_bytes": NaN}', "the number NaN"),
        ('{"memory_bytes": -Infinity}', "the number -Infinity"),
        ('{"name": "a", "name": "b"}', "the key 'name' twice"),
        ("[" * 100_000, "nested too deeply"),
        ("1" * 5000, "too many digits"),
        (" " * 1_000_001, "at most 1000000"),
        (json.dumps(content()).replace("1000000000,", "1e999,", 1), "it must be a finite number"),
        (json.dumps(content(memory_bytes=10**400)), "a very large number"),
    ],
)
def test_texts_that_are_no_proper_json_are_refused(text, complaint):
    with pytest.raises(ClusterError, match=complaint):
        cluster_from_json(text, "toy.json")


# The presets


def test_the_presets_are_these():
    assert preset_names() == PRESETS


@pytest.mark.parametrize("name", PRESETS)
def test_presets_follow_the_schema_and_are_named_like_their_file(name):
    VALIDATOR.validate(raw_preset(name))
    assert preset(name).name == name
    assert preset(name).n_devices == 8


def test_the_schema_is_itself_valid():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", PRESETS)
def test_every_figure_of_a_preset_has_a_source_and_a_date(name):
    setup = preset(name)
    peaks = {
        f"peak_flop_per_second.{element_type}" for element_type, _ in setup.peak_flop_per_second
    }
    others = {field for field in FIELDS if not field.startswith("peak")}
    sources = dict(setup.sources)
    assert set(sources) == peaks | others
    assert all(re.search(r"\(20\d\d(-\d\d)?\)$", text) for text in sources.values())


@pytest.mark.parametrize("name", PRESETS)
def test_figures_of_a_preset_are_plausible(name):
    setup = preset(name)
    peaks = dict(setup.peak_flop_per_second)
    by_width = sorted(peaks, key=lambda element_type: -ELEMENT_BYTES[element_type])
    assert [peaks[t] for t in by_width] == sorted(peaks.values()), "narrower types are no slower"
    assert setup.memory_bytes_per_second > setup.intra_node.bytes_per_second
    assert 1e-7 < setup.intra_node.latency_seconds < 1e-4
    assert 1e-7 < setup.inter_node.latency_seconds < 1e-4


@pytest.mark.parametrize("name", PRESETS)
def test_what_is_achieved_has_a_document_or_is_called_an_assumption(name):
    setup = preset(name)
    assert 0.5 < setup.achievable_fraction < 1
    source = dict(setup.sources)["achievable_fraction"]
    assert source.startswith("Assumption: ") or re.search(r"arXiv \d{4}\.\d{5}|IPDPSW", source)


def test_spot_figures():
    assert preset("gtx-1080-ti").flop_per_second("float32") == 11.3e12
    assert preset("gtx-1080-ti").flop_per_second("float16") == 11.3e12
    assert preset("rtx-2080-ti").flop_per_second("float32") == 13.4e12
    assert preset("a100-sxm4-80gb").flop_per_second("float8") == 312e12
    assert preset("h100-sxm").bytes_per_second == 450e9
    assert preset("h100-sxm", 16).bytes_per_second == 50e9
    assert preset("tpu-v5p").flop_per_second("float16") == 459e12
    staged, direct = preset("rtx-2080-ti").intra_node, preset("gtx-1080-ti").intra_node
    assert staged.bytes_per_second < direct.bytes_per_second / 2


@pytest.mark.parametrize("name", ["", "h100", "H100-SXM", "../cluster", "h100-sxm.json"])
def test_unknown_presets_are_refused(name):
    with pytest.raises(ClusterError, match=r"unknown cluster .*known: a100-sxm4-80gb, b200"):
        preset(name)


def test_a_mistyped_preset_gets_a_hint():
    with pytest.raises(ClusterError, match="did you mean 'h100-sxm'"):
        preset("h100-smx")


# By name or from a file


def test_a_name_gives_the_preset_and_a_path_the_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = cluster_to_json(TOY)
    for name in ("toy.json", "toy"):
        (tmp_path / name).write_text(text)
        assert load_cluster(name) == TOY
        assert load_cluster(name, 2) == TOY.with_devices(2)
    assert load_cluster(str(tmp_path / "toy.json")) == TOY
    (tmp_path / "b200").write_text(text)
    assert load_cluster("b200") == preset("b200")
    assert load_cluster("./b200") == TOY


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("h100-smx", "neither a file nor one of .*did you mean 'h100-sxm'"),
        ("missing.json", "cannot read the cluster 'missing.json': No such file"),
        ("./h100-sxm", "cannot read the cluster 'h100-sxm'"),
        (".", "neither a file nor one of"),
        ("/", "Is a directory"),
        ("a" * 300, "neither a file nor one of"),
        ("a" * 300 + ".json", "File name too long"),
        ("nul\0.json", "no file can have this name"),
        ("", "neither a file nor one of"),
    ],
)
def test_what_is_neither_gives_one_line(tmp_path, monkeypatch, name, complaint):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ClusterError, match=complaint) as caught:
        load_cluster(name)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_too_large_is_refused(tmp_path):
    (tmp_path / "large.json").write_bytes(b" " * 1_000_001)
    with pytest.raises(ClusterError, match=r"large.json has 1000001 bytes; .* at most 1000000"):
        load_cluster(str(tmp_path / "large.json"))


def test_presets_check_the_number_of_devices():
    with pytest.raises(ClusterError, match="n_devices is 0"):
        preset("b200", 0)
