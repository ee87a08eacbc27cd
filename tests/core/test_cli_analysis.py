"""The command line's answers beyond the best strategy: regrets, the best few, phases, searches."""

import json

import pytest

from pase_core.cli import BAD_INPUT, main
from pase_core.report_analysis import describe_regret
from pase_core.search.rivals import RIVALS
from pase_core.wording import percent_above


def run(*words):
    try:
        return main(words)
    except SystemExit as leave:
        return int(leave.code or 0)


def run_json(capsys, *words):
    assert run(*words, "--json", "-") == 0
    out, err = capsys.readouterr()
    assert err == ""
    return json.loads(out, parse_constant=lambda text: pytest.fail(f"{text} is no JSON"))


def test_regrets_are_printed_and_written(capsys):
    assert run("solve", "rnnlm", "-p", "8", "--regret") == 0
    out = capsys.readouterr().out
    assert "regrets: what the best whole strategy costs above the optimum" in out
    assert "modelled, not measured" in out
    data = run_json(capsys, "solve", "rnnlm", "-p", "8", "--regret")
    assert data["schema"] == "pase.solution/1"
    rows = {row["layer"]: row for row in data["regrets"]}
    optimum = data["cost"]["total"]
    for chosen in data["strategy"]:
        row = rows[chosen["layer"]]
        costs = [each["cost"] for each in row["configurations"]]
        assert min(costs) == pytest.approx(optimum, rel=1e-12)
        for name, parts in chosen["configuration"].items():
            regret = row["split" if parts > 1 else "whole"][name]
            assert regret == pytest.approx(0.0, abs=1e-9)


def test_the_best_strategies_are_printed_and_written(capsys):
    assert run("solve", "alexnet", "-p", "4", "--best", "3") == 0
    assert "the 3 best strategies" in capsys.readouterr().out
    data = run_json(capsys, "solve", "alexnet", "-p", "4", "--best", "3")
    assert [each["rank"] for each in data["best"]] == [1, 2, 3]
    assert data["best"][0]["cost"] == pytest.approx(data["cost"]["total"])
    assert data["best"][0]["differences"] == {}
    assert data["best"][1]["differences"]


def test_without_asking_there_is_neither(capsys):
    data = run_json(capsys, "solve", "alexnet", "-p", "4")
    assert not {"best", "regrets"} & set(data)


def test_phases_are_printed_and_written(capsys):
    assert run("balance", "alexnet", "-p", "8") == 0
    out = capsys.readouterr().out
    assert "here" in out
    assert "h100-sxm" in out
    assert "every breakpoint exact" in out
    data = run_json(capsys, "balance", "alexnet", "-p", "8")
    assert data["schema"] == "pase.balance/1"
    phases = data["phases"]
    assert phases[0]["start_flop_per_byte"] == 0.0
    assert phases[-1]["stop_flop_per_byte"] is None
    (here,) = [
        phase
        for phase in phases
        if phase["start_flop_per_byte"] <= data["flop_per_byte"]
        and (phase["stop_flop_per_byte"] or 1e99) > data["flop_per_byte"]
    ]
    solved = run_json(capsys, "solve", "alexnet", "-p", "8")
    total = here["flop"] + data["flop_per_byte"] * here["bytes"]
    assert total == pytest.approx(solved["cost"]["total"], rel=1e-9)


def test_searches_are_printed_and_written(capsys):
    words = ("searches", "alexnet", "-p", "8", "--seeds", "2", "--evaluations", "20000")
    assert run(*words) == 0
    out = capsys.readouterr().out
    for rival in RIVALS.values():
        assert rival.title in out
    assert "proved the optimum" in out
    data = run_json(capsys, *words, "--search", "annealing", "--search", "elimination")
    assert data["schema"] == "pase.searches/1"
    assert [(each["search"], each["seed"]) for each in data["runs"]] == [
        ("annealing", 0),
        ("annealing", 1),
        ("elimination", 0),
    ]
    assert data["proved_optimal"] is True
    assert data["runs"][2]["gap"] == 0.0
    for each in data["runs"]:
        assert each["points"][0] == [0.0, 0, data["start"]]
        assert each["cost"] >= data["lower_bound"]


def test_what_does_not_fit_is_told_with_its_reason(capsys):
    words = ("searches", "inception_v3", "-p", "16", "--search", "breadth-first")
    assert run(*words) == 0
    out = capsys.readouterr().out
    assert "does not fit" in out
    assert "exact search would visit" in out
    assert "proved the optimum" in out  # by bounds, as nothing else proved one


def test_a_dense_network_is_solved_by_another_method(capsys):
    data = run_json(capsys, "solve", "densenet121", "-p", "8")
    assert data["search"]["method"] == "bounds"
    assert data["search"]["proved_optimal"] is True
    assert data["search"]["lower_bound"] == pytest.approx(data["cost"]["total"], rel=1e-9)
    for method in ("integer-program", "bounds"):
        again = run_json(capsys, "solve", "densenet121", "-p", "8", "--method", method)
        assert again["cost"]["total"] == pytest.approx(data["cost"]["total"], rel=1e-9)


def test_a_solution_is_not_lost_with_its_alternatives(capsys):
    assert run("solve", "densenet121", "-p", "4", "--regret") == 0
    out = capsys.readouterr().out
    assert "proved optimal" in out
    assert "the alternatives cannot be priced: exact search does not fit" in out
    data = run_json(capsys, "solve", "densenet121", "-p", "4", "--regret", "--best", "3")
    assert "cannot be priced" in data["remark"]
    assert not {"best", "regrets"} & set(data)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("solve alexnet --best 0", "0 best strategies: must be an integer from 1 to"),
        ("solve alexnet --best many", "argument --best: invalid int value"),
        ("solve alexnet --method luck", "argument --method: invalid choice: 'luck'"),
        ("solve densenet121 --method elimination", "exact search does not fit"),
        ("solve alexnet --time-limit -1", "time limit of -1 s: must be a number from 0 on"),
        ("solve alexnet --time-limit nan", "time limit of nan s: must be a number from 0 on"),
        ("searches alexnet --seconds nan", "time limit of nan s: must be a number from 0 on"),
        ("searches alexnet --evaluations -5", "-5 evaluations: must be from 1 to"),
        ("searches alexnet --seeds 0", "0 seeds: must be an integer from 1 to 100"),
        ("searches alexnet --search luck", "argument --search: invalid choice: 'luck'"),
    ],
)
def test_bad_input_is_one_line(capsys, words, message):
    assert run(*words.split()) == BAD_INPUT
    err = capsys.readouterr().err
    assert message in err
    assert len(err.splitlines()) == 1


def test_the_version_is_told(capsys):
    assert run("--version") == 0
    assert capsys.readouterr().out.startswith("pase 0")


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "0"),
        (1e-13, "0"),
        (1e-5, "<0.01 %"),
        (0.0031, "+0.31 %"),
        (2.4, "+240.0 %"),
        (11, "×12"),
    ],
)
def test_regrets_in_words(share, text):
    assert describe_regret(share) == text


@pytest.mark.parametrize("share", [1e-9, 1e-6, 3.3e-5, 0.00412, 0.099, 0.12345, 1.0, 37.0])
def test_what_is_promised_is_not_less_than_the_gap(share):
    shown = float(percent_above(share).removesuffix(" %")) / 100
    assert share <= shown * (1 + 1e-9)
    assert shown <= 1.2 * share + 1e-5
