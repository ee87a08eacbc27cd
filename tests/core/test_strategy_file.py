"""Strategies as files: what is written is read again, and every refusal names its place."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pase_core.cluster import preset
from pase_core.errors import PaseError, StrategyError
from pase_core.exporters.solution_json import comparison_to_dict, solution_to_dict, to_text
from pase_core.exporters.strategy_file import (
    MAX_FILE_BYTES,
    StrategyFileError,
    read_strategy_file,
    strategy_from_file,
    strategy_to_csv,
    strategy_to_dict,
)
from pase_core.graph import Graph
from pase_core.layers import Dimension, Layer
from pase_core.pricing import compare_with_files, price_strategies, unique_names, with_strategies
from pase_core.solve import Problem, compare, price_tables
from pase_core.strategy import Strategy, price_choices, strategy_of_choices
from tests.core.reference_data import sample


@cache
def solved(name: str):
    """A comparison on 8 devices, and its cost tables."""
    problem = Problem(sample(name, 64), preset("gtx-1080-ti", 8))
    return compare(problem), price_tables(problem)


def alexnet() -> Graph:
    return solved("alexnet")[0].solution.problem.graph


def read(text: str, name: str = "mine.csv", graph: Graph | None = None) -> Strategy:
    return strategy_from_file(graph or alexnet(), text.encode(), name)


@given(st.sampled_from(["alexnet", "rnnlm", "transformer"]), st.integers(0, 2**32 - 1))
def test_every_strategy_survives_both_formats(name, seed):
    comparison, costs = solved(name)
    graph = comparison.solution.problem.graph
    random = np.random.default_rng(seed)
    choices = tuple(int(random.integers(n)) for n in costs.tables.n_choices)
    strategy = strategy_of_choices("random", costs, choices, "Thrown with dice.")
    read_back = read(strategy_to_csv(graph, strategy), "random.csv", graph)
    n_whole = sum(set(row) == {1} for row in strategy.configurations)
    assert read_back.configurations == strategy.configurations
    assert read_back.note.startswith("Read from random.csv.")
    assert (f"{n_whole} of {len(graph.layers)} layers" in read_back.note) == (n_whole > 0)
    priced = price_choices(costs, strategy, choices)
    text = to_text(strategy_to_dict(comparison.solution, priced))
    assert read(text, "other.json", graph) == strategy
    (again,) = price_strategies(comparison.solution.problem, [strategy], costs)
    assert (again.choices, again.total) == (choices, priced.total)


NAMES = st.text(st.characters(blacklist_categories=["C", "Z"]), min_size=1, max_size=12)


@given(st.lists(NAMES, min_size=1, max_size=6, unique=True), st.data())
def test_layer_names_may_have_commas_quotes_and_any_letters(names, data):
    layers = tuple(Layer(name, "dot", (Dimension("b", 8), Dimension("n", 6))) for name in names)
    graph = Graph("odd", layers, ())
    splits = st.tuples(st.sampled_from([1, 2, 4, 8]), st.sampled_from([1, 2, 3, 6]))
    strategy = Strategy("odd", tuple(data.draw(splits) for _ in names))
    assert read(strategy_to_csv(graph, strategy), "odd", graph).configurations == (
        strategy.configurations
    )


def test_a_solution_as_the_command_line_writes_it_is_read():
    solution = solved("alexnet")[0].solution
    strategy = read(to_text(solution_to_dict(solution)), "alexnet-8.json")
    assert strategy.configurations == solution.found.strategy.configurations
    assert strategy.name == "alexnet-8"


def test_spreadsheets_may_add_a_mark_blank_lines_spaces_and_another_order():
    text = '\ufeffSplit, Layer ,dimension\r\n\r\n 4 ,fc1, n\r\n,,\r\n"2","fc2",n\r\n'
    by_layer = dict(
        zip((layer.name for layer in alexnet().layers), read(text).configurations, strict=True)
    )
    assert by_layer["fc1"] == (1, 4, 1)
    assert by_layer["fc2"] == (1, 2, 1)
    assert by_layer["conv1"] == (1,) * 7


def test_a_header_alone_splits_nothing():
    configurations = read("layer,dimension,split\n").configurations
    assert {q for configuration in configurations for q in configuration} == {1}


HEADER = "layer,dimension,split\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["mine.csv is empty"]),
        (" \n\r\n", ["mine.csv is empty"]),
        (HEADER + "fc1,n,4\nfc11,n,2\n", ["line 3", "unknown layer 'fc11'", "mean 'fc1'"]),
        (HEADER + "fc1,m,4\n", ["line 2", "'fc1' has no dimension 'm'", "b n c"]),
        (HEADER + "fc1,n,2.5\n", ["line 2", "'2.5'", "integer"]),
        (HEADER + "fc1,n,\n", ["line 2", "integer"]),
        (HEADER + "fc1,n,-2\n", ["line 2", "integer"]),
        (HEADER + "fc1,n,0\n", ["line 2", "integer"]),
        (HEADER + "fc1,n,²\n", ["line 2", "integer"]),
        (HEADER + f"fc1,n,{'9' * 5000}\n", ["line 2", "integer"]),
        (HEADER + "fc1,n,3\n", ["line 2", "3 does not divide", "4096"]),
        (HEADER + "fc1,n,2\n\nfc1,n,2\n", ["line 4", "line 2 already"]),
        (HEADER + "fc1,n\n", ["line 2", "2 cells", "3"]),
        (HEADER + "fc1,n,2,\n", ["line 2", "4 cells"]),
        (HEADER + 'fc1,"n,2\n', ["line 2", "not CSV"]),
        ("fc1,n,2\n", ["line 1", "lacks", "layer, dimension, split"]),
        ("layer;dimension;split\nfc1;n;2\n", ["line 1", "with commas"]),
        ("layer,dimension\nfc1,n\n", ["line 1", "lacks the column split"]),
        ("layer,dimension,split,note\n", ["line 1", "unknown column 'note'"]),
        ("layer,dimension,split,split\n", ["line 1", "column twice"]),
        (HEADER + "\x00,n,2\n", ["line 2", r"'\x00'"]),
    ],
)
def test_a_bad_csv_is_refused_with_its_line(text, words):
    check_refusal(text.encode(), "mine.csv", words)


def check_refusal(data: bytes, name: str, words: list[str]) -> None:
    with pytest.raises(StrategyFileError) as caught:
        strategy_from_file(alexnet(), data, name)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 1000
    assert message.startswith(name)
    for word in words:
        assert word in message


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (HEADER.encode() + b"fc\xff,n,2\n", ["not UTF-8 (byte 24)"]),
        (HEADER.encode("utf-16"), ["not UTF-8"]),
        (b"x" * (MAX_FILE_BYTES + 1), ["too large", "5 MB"]),
        (b"PK\x03\x04\xff\xff", ["not UTF-8"]),
    ],
)
def test_contents_that_are_no_text_are_refused(data, words):
    check_refusal(data, "mine.csv", words)


def change(*path: str | int, to: object = None):
    """A change of the JSON: a value replaced, or dropped if `to` is None."""

    def apply(data: dict) -> None:
        place = data
        for key in path[:-1]:
            place = place[key]
        if to is None:
            del place[path[-1]]
        else:
            place[path[-1]] = to

    return apply


@pytest.mark.parametrize(
    ("apply", "words"),
    [
        (change("schema"), ["lacks 'schema'"]),
        (change("schema", to="pase.comparison/1"), ["schema", "pase.strategy/1"]),
        (change("graph"), ["lacks 'graph'"]),
        (change("graph", "name", to="rnnlm"), ["graph.name", "'rnnlm'", "'alexnet'"]),
        (change("graph", "layers", to=13), ["graph.layers", "13", "14"]),
        (change("strategy"), ["lacks 'strategy'"]),
        (change("strategy", to={}), ["strategy", "a list"]),
        (change("strategy", 0), ["strategy", "lacks 1 of the 14 layers, such as 'conv1'"]),
        (change("strategy", 10, "layer", to="fc11"), ["strategy[10].layer", "mean 'fc1'"]),
        (change("strategy", 10, "layer", to="fc2"), ["strategy[11].layer", "twice"]),
        (change("strategy", 10, "configuration"), ["strategy[10]", "lacks configuration"]),
        (change("strategy", 10, "split", to=2), ["strategy[10]", "unknown key 'split'"]),
        (change("strategy", 10, "configuration", "n"), ["configuration lacks n"]),
        (change("strategy", 10, "configuration", "m", to=2), ["unknown key 'm'"]),
        (change("strategy", 10, "configuration", "n", to=2.5), ["configuration.n", "integer"]),
        (change("strategy", 10, "configuration", "n", to=True), ["configuration.n", "integer"]),
        (change("strategy", 10, "configuration", "n", to=3), ["configuration.n", "not divide"]),
        (change("name", to=7), ["name", "string"]),
    ],
)
def test_a_bad_json_is_refused_with_its_place(apply, words):
    comparison, _costs = solved("alexnet")
    data = json.loads(to_text(strategy_to_dict(comparison.solution, comparison.data_parallel)))
    apply(data)
    check_refusal(json.dumps(data).encode(), "mine.json", words)


@pytest.mark.parametrize("data", [b"{", b"[]", b"{}", b"null", b'{"a": NaN}', b"[" * 100_000])
def test_json_that_is_no_strategy_is_refused(data):
    check_refusal(data, "mine.json", [])


def test_a_comparison_is_refused_by_its_schema():
    comparison, _costs = solved("alexnet")
    data = to_text(comparison_to_dict(comparison)).encode()
    check_refusal(data, "mine.json", ["schema", "pase.comparison/1"])


@given(st.binary(max_size=300), st.sampled_from(["a.csv", "a.json", "a"]))
def test_nothing_but_strategy_errors_comes_from_any_bytes(data, name):
    try:
        strategy_from_file(alexnet(), data, name)
    except StrategyError as error:
        assert "\n" not in str(error)


def test_a_strategy_for_more_devices_is_refused_when_priced():
    strategy = read(HEADER + "fc1,n,16\n")
    with pytest.raises(StrategyError, match=r"strategy 'mine': layer 'fc1': .* at most 8"):
        price_strategies(solved("alexnet")[0].solution.problem, [strategy])


def test_files_become_rows_of_a_comparison(tmp_path):
    comparison, _costs = solved("alexnet")
    problem = comparison.solution.problem
    file = tmp_path / "Found.csv"
    file.write_text(strategy_to_csv(problem.graph, comparison.data_parallel.strategy))
    more = compare_with_files(problem, files=[str(file), str(file)])
    assert [priced.strategy.name for priced in more.all_strategies[-2:]] == ["Found 2", "Found 3"]
    assert more.all_strategies[-1].total == comparison.data_parallel.total
    assert len(more.all_strategies) == len(comparison.all_strategies) + 2
    assert with_strategies(comparison, []).all_strategies == comparison.all_strategies


def test_a_missing_file_is_said_to_be_missing(tmp_path):
    for path in (tmp_path / "none.csv", tmp_path, tmp_path / "a\0b"):
        with pytest.raises(PaseError, match=r"is no file|cannot be read"):
            read_strategy_file(alexnet(), str(path))


def test_names_become_unique_whatever_their_letters():
    assert unique_names(["Found"], ["found", "a", "A", "a"]) == ["found 2", "a", "A 2", "a 3"]


def test_pins_do_not_bind_strategies_from_files():
    comparison, costs = solved("alexnet")
    problem = replace(comparison.solution.problem, pins=(("fc1", (8, 1, 1)),))
    (priced,) = price_strategies(problem, [read(HEADER + "fc1,n,8\n")], costs)
    assert priced.strategy.configurations[10] == (1, 8, 1)
