"""The README's commands run, and it names every option of the command line."""

import argparse
import re
import shlex
from pathlib import Path

import pytest

from pase_core.cli import main, make_parser
from pase_core.cluster import preset
from pase_core.importers import load_graph
from pase_core.solve import Problem, solve

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = [
    line.removeprefix("$ ")
    for block in re.findall(r"```console\n(.*?)```", README, re.S)
    for line in block.splitlines()
    if line.startswith("$ ")
]
SERVES_UNTIL_STOPPED = ("make", "pase explore")
"""Commands that are tried elsewhere: by CI, and by the browser tests."""


def options(parser):
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                yield name
                yield from options(command)
        else:
            yield from action.option_strings


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    """A folder with the files that the README's commands name."""
    from pase_core.importers.json_graph import graph_to_json
    from sample_graphs import SAMPLES

    (tmp_path / "model.json").write_text(graph_to_json(SAMPLES["rnnlm"].build(8)))
    (tmp_path / "model.onnx").write_bytes(small_onnx_model())
    (tmp_path / "mine.csv").write_text("layer,dimension,split\nfc1,n,8\nfc2,c,8\n")
    monkeypatch.chdir(tmp_path)


def small_onnx_model():
    """A convolution and a fully connected layer, with an open batch and image width."""
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper

    weight = numpy_helper.from_array(np.zeros((16, 3, 3, 3), np.float32), "weight")
    image = helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", 3, "side", "side"])
    out = helper.make_tensor_value_info("out", TensorProto.FLOAT, None)
    nodes = [
        helper.make_node("Conv", ["image", "weight"], ["features"], name="conv"),
        helper.make_node("Relu", ["features"], ["out"], name="relu"),
    ]
    graph = helper.make_graph(nodes, "small", [image], [out], [weight])
    return helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8
    ).SerializeToString()


def test_the_readme_shows_commands():
    assert len(COMMANDS) > 8


@pytest.mark.parametrize("command", COMMANDS)
def test_command_runs(command, workspace, capsys):
    if command.startswith(SERVES_UNTIL_STOPPED):
        return
    program, *words = shlex.split(command)
    assert program == "pase"
    assert main(words) == 0
    assert capsys.readouterr().out


def test_the_example_of_a_graph_can_be_solved():
    (example,) = re.findall(r"```json\n(.*?)```", README, re.S)
    graph = load_graph(example.encode(), "example.json")
    solution = solve(Problem(graph, preset("gtx-1080-ti", 8)))
    assert solution.found.components["compute"] > 0
    assert len(graph.transfers) == 1


def test_the_example_in_python_runs(capsys):
    (example,) = re.findall(r"```python\n(.*?)```", README, re.S)
    exec(compile(example.replace("n_devices=64", "n_devices=8"), "README", "exec"), {})
    total, speedup = map(float, capsys.readouterr().out.split())
    assert total > 0
    assert speedup >= 1


def test_make_targets_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = [command.split()[1] for command in COMMANDS if command.startswith("make ")]
    assert {"explore", "test"} <= set(targets)
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.M)


@pytest.mark.parametrize("option", sorted(set(options(make_parser()))))
def test_readme_names_every_command_and_option(option):
    assert f"`{option}" in README or f"pase {option}" in README


def test_pictures_and_links_in_the_readme_exist():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert target.startswith("https://") or (ROOT / target).exists()
