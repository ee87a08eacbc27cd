"""The command line: every option, the JSON it writes, and one line for each kind of bad input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from pase_core.cli import BAD_INPUT, OPEN_DIMENSIONS, main
from pase_core.cluster import FIELDS, cluster_to_json, preset, preset_names
from pase_core.components import FETCHED, LAYER_COMPONENTS, MEMORY_COMPONENTS, REDISTRIBUTION
from pase_core.costs.step import StepOptions
from pase_core.exporters import files
from pase_core.importers.json_graph import graph_to_json
from pase_core.units import with_prefix
from sample_graphs import SAMPLES
from tests.core.reference_data import TOTALS, sample, sample_and_devices
from tests.samples import PAPER

ROOT = Path(__file__).parents[2]
PROTOTYPE = (
    "--cost-model paper --flops 10e12 --bandwidth 16e9 --word-bytes 8 --flop-per-multiply-add 1"
).split()


def run(*words: str) -> int:
    """Run a command in this process; argparse leaves by SystemExit."""
    try:
        return main(words)
    except SystemExit as leave:
        return int(leave.code or 0)


def run_json(capsys, *words: str) -> dict:
    assert run(*words, "--json", "-") == 0
    out, err = capsys.readouterr()
    assert err == ""
    return json.loads(out, parse_constant=lambda text: pytest.fail(f"{text} is no JSON"))


def pase(*words: str, **options) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "pase_core.cli", *words],
        capture_output=True,
        text=True,
        timeout=120,
        **options,
    )


# The judged command


@pytest.mark.parametrize("case", TOTALS)
def test_solve_gives_the_prototypes_optimum(capsys, case):
    name, n_devices = sample_and_devices(case)
    wanted = TOTALS[case]
    solved = run_json(
        capsys,
        *("solve", name, "-p", str(n_devices), *PROTOTYPE),
        *("--min-part", str(wanted["min_part_size"]), "--batch", str(wanted["batch"])),
    )
    assert solved["cost"]["total"] == pytest.approx(wanted["optimum"], rel=1e-9)
    assert solved["cost"]["unit"] == "FLOP"
    assert solved["search"]["proved_optimal"] is True


@pytest.mark.parametrize("case", ["alexnet/p32", "rnnlm/p16", "transformer/p8"])
def test_solve_in_a_process_of_its_own_gives_it_too(case):
    name, n_devices = sample_and_devices(case)
    wanted = TOTALS[case]
    done = pase(
        *("solve", name, "-p", str(n_devices), *PROTOTYPE, "--json", "-"),
        *("--min-part", str(wanted["min_part_size"]), "--batch", str(wanted["batch"])),
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["cost"]["total"] == pytest.approx(wanted["optimum"], rel=1e-9)


# The form of the JSON

NUMBER, TEXT, NONE = (int, float), str, type(None)
COST = {
    "total": NUMBER,
    "unit": TEXT,
    "seconds": NUMBER,
    "components": dict.fromkeys((*LAYER_COMPONENTS, REDISTRIBUTION), NUMBER),
}
ROW = {
    "layer": TEXT,
    "operation": TEXT,
    "dimensions": {str: int},
    "configuration": {str: int},
    "cost": NUMBER,
    "transfers_in": NUMBER,
}
FIGURES = {
    "cost": COST,
    "communication_share": NUMBER,
    "memory_bytes_per_device": {
        "total": NUMBER,
        "components": dict.fromkeys((*MEMORY_COMPONENTS, FETCHED), NUMBER),
    },
    "parameter_bytes_per_device": NUMBER,
}
SETUP = {
    "schema": TEXT,
    "graph": {"name": TEXT, "layers": int, "transfers": int},
    "cluster": {
        "name": TEXT,
        "devices": int,
        "devices_per_node": int,
        "flop_per_second": NUMBER,
        "bytes_per_second": NUMBER,
    },
    "options": {
        "cost_model": TEXT,
        "word_bytes": NUMBER,
        "flop_per_multiply_add": NUMBER,
        "min_part": int,
        "memory_limit_bytes": NONE,
        "element_type": TEXT,
        "optimizer": TEXT,
        "zero_stage": int,
        "recompute": bool,
        "overlap": bool,
        "reduce": TEXT,
        "use_all_devices": bool,
        "batch_inside": bool,
    },
}
SOLUTION = {
    **SETUP,
    **FIGURES,
    "search": {
        "method": TEXT,
        "ordering": TEXT,
        "proved_optimal": bool,
        "lower_bound": NUMBER,
        "pinned_layers": int,
        "keeps_memory_limit": bool,
        "seconds": {"tables": NUMBER, "search": NUMBER},
        "loading_seconds": NUMBER,
        "configurations": int,
        "joint_entries": int,
        "largest_table": int,
        "peak_bytes": int,
    },
    "strategy": [ROW],
    "transfers": [{"producer": TEXT, "consumer": TEXT, "cost": NUMBER}],
}
COMPARISON = SETUP | {
    "strategies": [
        {
            "name": TEXT,
            "note": TEXT,
            "best_variant": bool,
            **FIGURES,
            "speedup_over_data_parallel": NUMBER,
            "above_lower_bound": NUMBER,
            "strategy": [ROW],
        }
    ]
}


def check_form(data, form, place: str = "$") -> None:
    """Check that data have exactly the keys and types of a form."""
    if isinstance(form, list):
        assert isinstance(data, list), place
        for i, item in enumerate(data):
            check_form(item, form[0], f"{place}[{i}]")
    elif isinstance(form, dict) and str in form:
        assert isinstance(data, dict), place
        for key, value in data.items():
            check_form(value, form[str], f"{place}.{key}")
    elif isinstance(form, dict):
        assert list(data) == list(form), place
        for key, value in data.items():
            check_form(value, form[key], f"{place}.{key}")
    else:
        assert isinstance(data, form), place
        assert form is bool or not isinstance(data, bool), place


@pytest.mark.parametrize("name", SAMPLES)
def test_the_json_of_a_solution(capsys, name):
    solved = run_json(capsys, "solve", name, "-p", "4")
    check_form(solved, SOLUTION)
    graph = sample(name, SAMPLES[name].batch)
    assert solved["schema"] == "pase.solution/1"
    assert solved["graph"] == {
        "name": name,
        "layers": len(graph.layers),
        "transfers": len(graph.transfers),
    }
    for row, layer in zip(solved["strategy"], graph.layers, strict=True):
        assert row["layer"] == layer.name
        assert tuple(row["dimensions"].items()) == tuple(
            zip(layer.dimension_names, layer.sizes, strict=True)
        )
        assert list(row["configuration"]) == list(layer.dimension_names)
    parts = sum(row["cost"] for row in solved["strategy"])
    moved = sum(transfer["cost"] for transfer in solved["transfers"])
    assert sum(row["transfers_in"] for row in solved["strategy"]) == pytest.approx(moved, rel=1e-12)
    assert parts + moved == pytest.approx(solved["cost"]["total"], rel=1e-12)
    assert moved == pytest.approx(solved["cost"]["components"][REDISTRIBUTION], rel=1e-12)
    total = sum(solved["cost"]["components"].values())
    assert total == pytest.approx(solved["cost"]["total"], rel=1e-12)


@pytest.mark.parametrize("name", SAMPLES)
def test_the_json_of_a_comparison(capsys, name):
    compared = run_json(capsys, "compare", name, "-p", "4")
    check_form(compared, COMPARISON)
    assert compared["schema"] == "pase.comparison/1"
    found, data_parallel, *experts = compared["strategies"]
    assert (found["name"], data_parallel["name"]) == ("found", "data parallel")
    assert data_parallel["speedup_over_data_parallel"] == 1.0
    assert data_parallel["above_lower_bound"] > 0.0
    assert len(experts) >= (name in PAPER)  # elsewhere a recipe may not apply
    for strategy in compared["strategies"]:
        assert strategy["cost"]["total"] >= found["cost"]["total"] * (1 - 1e-12)
        assert strategy["speedup_over_data_parallel"] == pytest.approx(
            data_parallel["cost"]["total"] / strategy["cost"]["total"]
        )


# Every option

OPTIONS = [
    ("-p 16", "cluster", "devices", 16),
    ("--devices 16", "cluster", "devices", 16),
    ("--cluster v100-sxm2", "cluster", "name", "v100-sxm2"),
    ("--flops 3e12", "cluster", "flop_per_second", 3e12),
    ("--bandwidth 5e9", "cluster", "bytes_per_second", 5e9),
    ("--cost-model paper", "options", "cost_model", "paper"),
    ("--word-bytes 2.5", "options", "word_bytes", 2.5),
    ("--flop-per-multiply-add 1", "options", "flop_per_multiply_add", 1),
    ("--min-part 4", "options", "min_part", 4),
]


@pytest.mark.parametrize("verb", ["solve", "compare"])
@pytest.mark.parametrize(("words", "group", "key", "value"), OPTIONS)
def test_options_are_reported_back(capsys, verb, words, group, key, value):
    assert run_json(capsys, verb, "alexnet", *words.split())[group][key] == value


@pytest.mark.parametrize("verb", ["solve", "compare"])
def test_the_defaults_are_those_that_are_documented(capsys, verb):
    made = run_json(capsys, verb, "alexnet")
    cluster = preset("gtx-1080-ti", 8)
    assert made["cluster"] == {
        "name": "gtx-1080-ti",
        "devices": 8,
        "devices_per_node": 8,
        "flop_per_second": cluster.flop_per_second("float32"),
        "bytes_per_second": cluster.bytes_per_second,
    }
    assert made["options"] == {
        "cost_model": "paper",
        "word_bytes": 4,
        "flop_per_multiply_add": 2.0,
        "min_part": 4,  # AlexNet's own
        "memory_limit_bytes": None,
        **asdict(StepOptions()),
        "element_type": "float32",
    }


def test_the_smallest_part_is_the_samples_own_and_1_for_files(capsys, graph_file):
    for source, wanted in [
        *((name, entry.min_part) for name, entry in SAMPLES.items()),
        (str(graph_file), 1),
    ]:
        assert run_json(capsys, "solve", source, "-p", "2")["options"]["min_part"] == wanted
        given = run_json(capsys, "solve", source, "-p", "2", "--min-part", "2")
        assert given["options"]["min_part"] == 2


@pytest.mark.parametrize("verb", ["solve", "compare"])
def test_the_batch_is_set(capsys, verb):
    made = run_json(capsys, verb, "alexnet", "--batch", "24")
    rows = made["strategy"] if verb == "solve" else made["strategies"][0]["strategy"]
    assert rows[0]["dimensions"]["b"] == 24


@pytest.mark.parametrize("ordering", ["generateseq", "weighted-min-degree", "breadth-first"])
def test_the_ordering_is_set(capsys, ordering):
    solved = run_json(capsys, "solve", "alexnet", "--ordering", ordering)
    assert solved["search"]["ordering"] == ordering
    assert run("compare", "alexnet", "--ordering", ordering) == 0


def test_the_automatic_ordering_names_the_one_it_took(capsys):
    solved = run_json(capsys, "solve", "alexnet", "--ordering", "auto")
    assert solved["search"]["ordering"] in ("generateseq", "weighted-min-degree")


@pytest.mark.parametrize("verb", ["solve", "compare"])
def test_the_memory_budget_is_kept_to(capsys, verb):
    # The tables come first, then the messages of the search.
    need = run_json(capsys, "solve", "alexnet")["search"]["peak_bytes"]
    assert run(verb, "alexnet", "--memory-budget", str(need)) == 0
    for budget, complaint in (("1kB", "cost tables need"), (str(need - 1), "exact search")):
        capsys.readouterr()
        assert run(verb, "alexnet", "--memory-budget", budget) == BAD_INPUT
        assert complaint in capsys.readouterr().err


# What people see


def test_solve_prints_every_layer_and_the_total(capsys):
    assert run("solve", "alexnet", "-p", "32", *PROTOTYPE, "--min-part", "4") == 0
    out = capsys.readouterr().out
    assert "alexnet on 32 devices" in out
    assert "step cost 53.1 GFLOP per device" in out
    assert "modelled, not measured" in out
    assert "proved optimal" in out
    (fc1,) = (line for line in out.splitlines() if line.startswith("fc1 "))
    assert "b=128 n=4096 c=9216" in fc1
    assert "n 4 · c 8" in fc1


def test_compare_prints_every_strategy(capsys):
    assert run("compare", "transformer") == 0
    out = capsys.readouterr().out
    for title in (
        "found",
        "data parallel",
        "Mesh-TensorFlow 8 x 1",
        "Megatron-LM 2 x 4",
        "context parallel 4 x 2",
        "speed-up",
        "weight gradients",
    ):
        assert title in out
    assert out.count("(best)") == 4  # of each recipe
    assert "1.00×" in out
    assert "modelled, not measured" in out


def test_graphs_lists_the_samples(capsys):
    assert run("graphs") == 0
    out = capsys.readouterr().out
    assert all(name in out and entry.title in out for name, entry in SAMPLES.items())


def test_clusters_lists_the_presets(capsys):
    assert run("clusters") == 0
    out = capsys.readouterr().out
    assert all(name in out for name in preset_names())
    assert "devices" not in out.splitlines()[0]


def test_clusters_shows_no_speed_that_a_device_does_not_have(capsys):
    assert run("clusters") == 0
    titles, *rows = capsys.readouterr().out.splitlines()
    column = titles.index("bfloat16")
    for row in rows:
        has = "bfloat16" in dict(preset(row.split()[0]).peak_flop_per_second)
        assert row[column:].startswith(" " * 7 + "-") is not has


@pytest.mark.parametrize("name", preset_names())
def test_clusters_shows_every_figure_of_one_with_its_source(capsys, name):
    assert run("clusters", name) == 0
    out = capsys.readouterr().out
    cluster = preset(name)
    assert cluster.title in out
    assert cluster.device in out
    for field, source in cluster.sources:
        (line,) = (line for line in out.splitlines() if line.startswith(f"{field} "))
        assert line.rstrip().endswith(source)
    for _element_type, peak in cluster.peak_flop_per_second:
        assert with_prefix(peak, "FLOP/s") in out
    for link in (cluster.intra_node, cluster.inter_node):
        assert with_prefix(link.bytes_per_second, "B/s") in out
        assert with_prefix(link.latency_seconds, "s") in out


def test_help_of_every_command(capsys):
    for words in ([], ["solve"], ["compare"], ["graphs"], ["clusters"], ["check"], ["explore"]):
        assert run(*words, "--help") == 0
        out, err = capsys.readouterr()
        assert out.startswith("usage: pase")
        assert err == ""


# Files


@pytest.fixture
def graph_file(tmp_path) -> Path:
    path = tmp_path / "model.json"
    path.write_text(graph_to_json(SAMPLES["rnnlm"].build(8)))
    return path


def test_a_file_is_solved_like_the_sample(capsys, graph_file):
    ours = run_json(capsys, "solve", str(graph_file), "-p", "4")
    wanted = run_json(capsys, "solve", "rnnlm", "-p", "4", "--batch", "8")
    assert ours["strategy"] == wanted["strategy"]
    assert ours["cost"] == wanted["cost"]


def test_check_says_what_is_in_a_file(capsys, graph_file):
    assert run("check", str(graph_file)) == 0
    out = capsys.readouterr().out
    assert "rnnlm: 4 layers, 3 transfers" in out
    assert "LSTM" in out


def test_the_batch_of_a_file_can_be_changed(capsys, graph_file):
    solved = run_json(capsys, "solve", str(graph_file), "--batch", "16")
    assert solved["strategy"][0]["dimensions"]["b"] == 16
    assert run("check", str(graph_file), "--batch", "16") == 0


@pytest.fixture
def open_file(tmp_path) -> Path:
    """A convolution whose batch and image size are left open."""
    from onnx import TensorProto, helper, numpy_helper

    weight = numpy_helper.from_array(np.zeros((16, 3, 3, 3), np.float32), "weight")
    image = helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", 3, "side", "side"])
    out = helper.make_tensor_value_info("out", TensorProto.FLOAT, None)
    node = helper.make_node("Conv", ["image", "weight"], ["out"], name="conv")
    graph = helper.make_graph([node], "small", [image], [out], [weight])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path = tmp_path / "model.onnx"
    path.write_bytes(model.SerializeToString())
    return path


@pytest.mark.parametrize("verb", ["solve", "compare", "check"])
def test_open_dimensions_are_bound(capsys, open_file, verb):
    words = (verb, str(open_file), "--batch", "32")
    assert run(*words) == OPEN_DIMENSIONS == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert "side" in err
    assert err.count("\n") == 1
    assert run(*words, "--bind", "side=64") == 0
    assert "small" in capsys.readouterr().out


def test_bound_dimensions_have_the_sizes_given(capsys, open_file):
    bindings = ("--bind", "side=64", "--bind", "batch=32")
    (row,) = run_json(capsys, "solve", str(open_file), *bindings)["strategy"]
    sizes = {"b": 32, "c": 3, "h": 62, "w": 62, "n": 16, "r": 3, "s": 3}
    assert row["dimensions"] == sizes


def test_json_is_written_beside_the_tables(capsys, tmp_path):
    for verb, form in (("solve", SOLUTION), ("compare", COMPARISON)):
        target = tmp_path / f"{verb}.json"
        assert run(verb, "alexnet", "--json", str(target)) == 0
        assert "alexnet on 8 devices" in capsys.readouterr().out
        check_form(json.loads(target.read_text()), form)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["compare.json", "solve.json"]


def test_an_existing_file_is_replaced_whole(tmp_path):
    target = tmp_path / "solution.json"
    target.write_text("x" * 1_000_000)
    assert run("solve", "alexnet", "--json", str(target)) == 0
    check_form(json.loads(target.read_text()), SOLUTION)
    assert list(tmp_path.iterdir()) == [target]


def test_a_file_keeps_its_contents_until_the_new_ones_are_complete(capsys, tmp_path, monkeypatch):
    target = tmp_path / "solution.json"
    target.write_text("precious")
    seen = []

    def full_disk(self, other):
        seen.append((self.read_text(), Path(other).read_text()))
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.Path, "replace", full_disk)
    assert run("solve", "alexnet", "--json", str(target)) == BAD_INPUT
    ((new, old),) = seen
    check_form(json.loads(new), SOLUTION)
    assert old == target.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [target]
    assert capsys.readouterr().err == (
        f"pase: cannot write {str(target)!r}: No space left on device; name another file\n"
    )


def test_a_failed_search_leaves_an_existing_file_alone(tmp_path):
    target = tmp_path / "solution.json"
    target.write_text("precious")
    words = ("solve", "alexnet", "--memory-budget", "1kB", "--json", str(target))
    assert run(*words) == BAD_INPUT
    assert target.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [target]


def test_a_missing_folder_is_not_made(capsys, tmp_path):
    target = tmp_path / "missing" / "solution.json"
    assert run("solve", "alexnet", "--json", str(target)) == BAD_INPUT
    out, err = capsys.readouterr()
    assert out == ""
    assert err == (
        f"pase: cannot write {str(target)!r}: No such file or directory; name another file\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_not_overwritten(capsys, tmp_path):
    target = tmp_path / "folder"
    target.mkdir()
    assert run("solve", "alexnet", "--json", str(target)) == BAD_INPUT
    assert "Is a directory" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [target]
    assert list(target.iterdir()) == []


def test_a_cluster_may_come_from_a_file(tmp_path, capsys):
    own = preset("h100-sxm", 4).with_figures({"inter_node.bytes_per_second": 123e9})
    (tmp_path / "mine.json").write_text(cluster_to_json(own))
    path = str(tmp_path / "mine.json")
    assert run("clusters", path) == 0
    assert "123 GB/s" in capsys.readouterr().out
    made = []
    for words in ([], ["-p", "16"]):
        assert run("solve", "alexnet", "--cluster", path, *words, "--json", "-") == 0
        made.append(json.loads(capsys.readouterr().out)["cluster"])
    assert [each["devices"] for each in made] == [4, 16]
    assert [each["bytes_per_second"] for each in made] == [450e9, 123e9]


def test_clusters_explains_every_figure(capsys):
    assert run("clusters", "b200") == 0
    out = capsys.readouterr().out
    assert all(f"{name}: {field.meaning}" in out for name, field in FIELDS.items())


# Bad input: exit code 2, one line, nothing else

BAD = {
    "no command": "",
    "an unknown command": "solv alexnet",
    "an unknown option": "solve alexnet --fast",
    "no source": "solve",
    "an unknown sample": "solve alexnett",
    "a missing file": "solve missing/model.json",
    "a folder": "solve .",
    "no devices": "solve alexnet -p 0",
    "fewer than no devices": "solve alexnet -p -8",
    "too many devices": "solve alexnet -p 1000001",
    "half a device": "solve alexnet -p 1.5",
    "a huge number of devices": "solve alexnet -p 99999999999999999999999",
    "no batch": "solve alexnet --batch 0",
    "a huge batch": "solve alexnet --batch 99999999999999999999",
    "a batch in words": "solve alexnet --batch many",
    "an unknown cluster": "solve alexnet --cluster abacus",
    "an unknown cluster to show": "clusters abacus",
    "a cluster's file that is missing": "solve alexnet --cluster missing.json",
    "a cluster's file that is a folder": "solve alexnet --cluster ./",
    "a cluster's file that is none": f"solve alexnet --cluster {__file__}",
    "no speed": "solve alexnet --flops 0",
    "a speed that is no number": "solve alexnet --flops nan",
    "an infinite speed": "solve alexnet --flops inf",
    "a negative bandwidth": "solve alexnet --bandwidth -1",
    "a bandwidth that is no number": "solve alexnet --bandwidth nan",
    "an unknown cost model": "solve alexnet --cost-model guess",
    "no word": "solve alexnet --word-bytes 0",
    "a negative word": "solve alexnet --word-bytes -4",
    "a word that is no number": "solve alexnet --word-bytes nan",
    "an enormous word": "solve alexnet --word-bytes 1e300",
    "a free multiply-add": "solve alexnet --flop-per-multiply-add 0",
    "an infinite multiply-add": "solve alexnet --flop-per-multiply-add inf",
    "no smallest part": "solve alexnet --min-part 0",
    "an unknown ordering": "solve alexnet --ordering best",
    "an unreadable budget": "solve alexnet --memory-budget lots",
    "no budget": "solve alexnet --memory-budget 0",
    "a budget too small for the tables": "solve alexnet --memory-budget 1kB",
    "a budget too small for the search": "solve inception_v3 --ordering breadth-first "
    "--method elimination",
    "a binding without a size": "solve alexnet --bind seq",
    "a binding without a name": "solve alexnet --bind =4",
    "a binding that is no number": "solve alexnet --bind seq=long",
    "a binding of a sample": "solve alexnet --bind seq=4",
    "a binding of thousands of digits": f"solve alexnet --bind seq={'9' * 5000}",
    "a batch of thousands of digits": f"solve alexnet --batch {'9' * 5000}",
    "a source that no file can be named": f"solve {'a' * 300}",
    "a source with a suffix that no file can be named": f"solve {'a' * 300}.json",
    "a source that looks like a sample but is a file": "solve ./alexnet",
    "a check of a sample": "check alexnet",
    "a check of a file that is named like a sample": "check ./alexnet",
    "a folder that is missing": "solve alexnet --json missing/solution.json",
    "a check of nothing": "check",
    "a check of a missing file": "check missing.json",
    "a port in words": "explore --port http",
    "a port that does not exist": "explore --port 70000 --no-browser",
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_input_is_one_line_and_exit_code_2(capsys, tmp_path, monkeypatch, kind):
    monkeypatch.chdir(tmp_path)
    code = run(*BAD[kind].split())
    out, err = capsys.readouterr()
    assert code == BAD_INPUT == 2
    assert out == ""
    assert err.startswith("pase")
    assert err.count("\n") == 1
    assert err.endswith("\n")
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", [kind for kind in BAD if BAD[kind].startswith("solve ")])
def test_bad_input_of_compare_is_refused_alike(capsys, tmp_path, monkeypatch, kind):
    monkeypatch.chdir(tmp_path)
    said = []
    for verb in ("solve", "compare"):
        assert run(*BAD[kind].replace("solve ", f"{verb} ", 1).split()) == BAD_INPUT
        said.append(capsys.readouterr().err.replace("pase compare", "pase solve"))
    assert said[0].replace("solve", "") == said[1].replace("compare", "").replace("solve", "")


@pytest.mark.parametrize(
    "kind", ["an unknown option", "an unknown sample", "no devices", "a folder that is missing"]
)
def test_bad_input_in_a_process_of_its_own(tmp_path, kind):
    done = pase(*BAD[kind].split(), cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "contents",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"{}",
        b"\xff\xfe\x00",
        b"\x08",
        b"hello",
        b'{"schema": "x"}',
        b"<!DOCTYPE html>",
        b"\x89PNG\r\n",
        b"PK\x03\x04",
    ],
)
@pytest.mark.parametrize("suffix", [".json", ".onnx", ".txt", ""])
def test_files_that_are_no_graph_are_refused(capsys, tmp_path, contents, suffix):
    path = tmp_path / f"model{suffix}"
    path.write_bytes(contents)
    for verb in ("check", "solve"):
        assert run(verb, str(path)) == BAD_INPUT
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("pase: ")
        assert err.count("\n") == 1


def test_a_reader_that_leaves_early_is_no_error():
    # `pase solve ... --json - | head -1`
    done = subprocess.run(
        [
            "bash",
            "-c",
            '"$PYTHON" -m pase_core.cli solve transformer --json - | head -c 1; '
            'echo " ${PIPESTATUS[0]}"',
        ],
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | {"PYTHON": sys.executable},
    )
    assert (done.stdout, done.stderr) == ("{ 0\n", "")


def test_nothing_but_json_is_printed_to_a_pipe():
    done = pase("compare", "alexnet", "--json", "-", cwd=ROOT)
    assert done.returncode == 0
    check_form(json.loads(done.stdout), COMPARISON)
    assert done.stderr == ""


def test_tables_are_not_cut_in_a_pipe():
    done = pase("solve", "transformer", cwd=ROOT)
    assert done.returncode == 0
    assert "…" not in done.stdout
    assert "decoder/6/feed_forward/shrink" in done.stdout
