"""What is printed: names as they stand, numbers that add up, nothing cut in a pipe."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pase_core import cli_options
from pase_core.axes import parse_axes
from pase_core.cli import BAD_INPUT, main
from pase_core.cluster import preset
from pase_core.graph import Graph
from pase_core.importers.json_graph import graph_to_json
from pase_core.layers import Access, Dimension, Layer, Tensor, Work
from pase_core.report import print_check, print_comparison, print_solution
from pase_core.search.result import SearchResult
from pase_core.solve import Problem, compare, solve
from pase_core.sources import sample_graph
from pase_core.wording import describe_proof
from tests.core.test_units import read

ODD_NAMES = ["a[/b]", "blk[conv]x", "[bold]", "x[/]", ":smile:", "end\\", "[link=x]", "x" * 300]


def named_graph(name: str) -> Graph:
    """One layer; the graph, the layer and its operation have the same name."""
    layer = Layer(
        name,
        name,
        (Dimension("b", 8), Dimension("n", 4)),
        outputs=(Access("y", parse_axes("b n")),),
        work=(Work(("b", "n"), 1),),
    )
    return Graph(name, (layer,), (Tensor("y", (8, 4)),))


@pytest.mark.parametrize("name", ODD_NAMES)
def test_names_are_printed_as_they_stand(capsys, name):
    graph = named_graph(name)
    comparison = compare(Problem(graph, preset("gtx-1080-ti", 2)))
    for show, result, n_times in (
        (print_solution, comparison.solution, 3),
        (print_comparison, comparison, 1),
        (print_check, graph, 2),
    ):
        show(result)
        assert capsys.readouterr().out.count(name) == n_times


def test_odd_names_in_a_file_are_no_crash(capsys, tmp_path):
    file = tmp_path / "odd.json"
    file.write_text(graph_to_json(named_graph("a[/b]")))
    for verb in ("solve", "compare", "check"):
        assert main([verb, str(file)]) == 0
        assert "a[/b]" in capsys.readouterr().out


def test_a_line_in_a_pipe_is_as_long_as_it_must_be(capsys):
    layer = named_graph("wide").layers[0]
    names = [f"dimension_{i:02}_" + "x" * 40 for i in range(20)]
    wide = replace(
        layer, dimensions=(*layer.dimensions, *(Dimension(name, 3) for name in names[2:]))
    )
    graph = replace(named_graph("wide"), layers=(wide,))
    print_solution(solve(Problem(graph, preset("gtx-1080-ti", 2))))
    (row,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("wide  "))
    assert len(row) > 900
    assert all(f"{name}=3" in row for name in names[2:])


@pytest.mark.parametrize("name", ["alexnet", "inception_v3"])
def test_the_two_costs_of_the_layers_add_up_to_the_step_cost(capsys, name):
    solution = solve(Problem(sample_graph(name), preset("gtx-1080-ti", 32)))
    print_solution(solution)
    titles, *lines = capsys.readouterr().out.splitlines()[1:]
    assert titles.endswith(" layer [FLOP]  transfers in [FLOP]  memory [B]")
    rows = lines[: len(solution.problem.graph.layers) + 1]
    costs = [[cell_value(cell) for cell in row.split("  ") if cell.strip()][-3:] for row in rows]
    *layers, (own, incoming, held) = costs
    assert rows[-1].startswith("sum ")
    assert own == pytest.approx(sum(row[0] for row in layers), rel=5e-3)
    assert incoming == pytest.approx(sum(row[1] for row in layers), rel=5e-3)
    assert own + incoming == pytest.approx(solution.found.total, rel=5e-3)
    assert held == pytest.approx(sum(row[2] for row in layers), rel=5e-3)
    assert held == pytest.approx(solution.memory.total, rel=5e-3)


def cell_value(cell: str) -> float:
    """A number with a prefix; 0 for what is none."""
    try:
        return read(cell.strip(), "")[1]
    except (ValueError, KeyError):
        return 0.0


def test_compare_shows_communication_and_weights(capsys):
    assert main(["compare", "alexnet"]) == 0
    _setup, titles, found, *_others = capsys.readouterr().out.splitlines()
    assert "communication" in titles
    assert "memory per device" in titles
    assert " % " in found
    assert " MB " in found


def test_numbers_of_things_have_no_prefix(capsys):
    assert main(["solve", "transformer"]) == 0
    out = capsys.readouterr().out
    assert "k entries" not in out
    assert "kentries" not in out
    print_check(sample_graph("transformer"))
    assert "204 layers, 280 transfers, 121 million parameters" in capsys.readouterr().out


# What is proved

NOT_PROVED = {"proved_optimal": False, "lower_bound": 0.0}
SEARCH = SearchResult((), 0.0, "elimination", True, 0, 0)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({}, "proved optimal"),
        ({"proved_optimal": False, "cost": 1.0}, "not proved optimal"),
        (
            {"proved_optimal": False, "cost": 3.0, "lower_bound": 2.0},
            "at most 50 % above the optimum",
        ),
        ({"n_pinned": 1}, "best with 1 layer held"),
        ({"n_pinned": 12}, "best with 12 layers held"),
        ({"n_pinned": 12, "proved_optimal": False, "cost": 1.0}, "not proved optimal"),
    ],
)
def test_what_a_search_has_proved(changes, text):
    assert describe_proof(replace(SEARCH, **changes)) == text


def test_solve_says_what_is_proved(capsys):
    problem = Problem(sample_graph("alexnet"), preset("gtx-1080-ti", 8))
    solution = solve(problem)
    print_solution(replace(solution, search=replace(solution.search, **NOT_PROVED)))
    assert ": not proved optimal;" in capsys.readouterr().out
    print_solution(solve(replace(problem, pins=(("fc1", (8, 1, 1)),))))
    assert ": best with 1 layer held;" in capsys.readouterr().out


# Data parallelism that splits nothing


@pytest.mark.parametrize("verb", ["solve", "compare"])
def test_a_batch_that_cannot_be_split_is_told(capsys, verb):
    remark = "The batch of 1 cannot be split; set a batch size."
    assert main([verb, "alexnet", "--batch", "1"]) == 0
    assert remark in capsys.readouterr().out
    for words in (("--batch", "8"), ("--batch", "1", "-p", "1")):
        assert main([verb, "alexnet", *words]) == 0
        assert "cannot be split" not in capsys.readouterr().out


# The last resort


@pytest.mark.parametrize("error", [MemoryError, RecursionError, OverflowError])
@pytest.mark.parametrize("message", ["", "two\nlines"])
def test_errors_that_nobody_foresaw_are_one_line(capsys, monkeypatch, error, message):
    def fail(*_arguments, **_more):
        raise error(message)

    monkeypatch.setattr(cli_options, "load_source", fail)
    assert main(["solve", "alexnet"]) == BAD_INPUT
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("pase: ")
    assert err.count("\n") == 1
