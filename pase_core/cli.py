"""The command line: the public verbs from a terminal; no logic of its own."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import NoReturn, TypeVar

from pase_core.balance import balance
from pase_core.cli_options import (
    add_graph_options,
    add_problem_options,
    read_bindings,
    read_problem,
)
from pase_core.console import progress_bar
from pase_core.errors import OpenDimensions, PaseError
from pase_core.exporters.analysis_json import (
    balance_to_dict,
    searches_to_dict,
    study_to_dict,
    trade_off_to_dict,
)
from pase_core.exporters.files import STANDARD_OUTPUT, check_target, write_text
from pase_core.exporters.solution_json import Json, comparison_to_dict, to_text
from pase_core.importers import read_graph_file
from pase_core.listings import print_cluster, print_clusters, print_graphs
from pase_core.pricing import compare_with_files
from pase_core.report import print_check, print_comparison
from pase_core.report_analysis import print_balance, print_searches, print_study
from pase_core.report_memory import print_trade_off
from pase_core.search.rivals import RIVALS
from pase_core.search.sweep import Progress
from pase_core.search.trajectory import TrialOptions
from pase_core.searches import Searches, run_searches
from pase_core.solve import Problem
from pase_core.study import study
from pase_core.trade_off import TradeOff, trade_off

BAD_INPUT, OPEN_DIMENSIONS = 2, 3
"""Exit codes beside 0."""

_LIMITS = TrialOptions()
"""Of one run of a search, unless others are given."""

Result = TypeVar("Result")


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Print the message alone and leave with BAD_INPUT."""
        self.exit(BAD_INPUT, f"{self.prog}: {message} (see {self.prog} --help)\n")


def make_parser() -> argparse.ArgumentParser:
    """Parser of all commands; their docs are its help texts."""
    parser = _Parser(
        prog="pase",
        description="Find the best way to split every layer of a network over many devices. "
        "All costs are modelled, not measured.",
    )
    parser.add_argument("--version", action="version", version=f"pase {version('pase-explorer')}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_solve(commands.add_parser("solve", help="find the best strategy of a network"))
    comparing = commands.add_parser(
        "compare", help="the best strategy beside data parallelism, experts' and your own"
    )
    comparing.set_defaults(run=_compare)
    add_problem_options(comparing)
    comparing.add_argument(
        "--strategy",
        action="append",
        default=[],
        metavar="FILE",
        help="a strategy as CSV or JSON, as one more row; may be repeated",
    )
    balancing = commands.add_parser(
        "balance", help="how the best strategy changes with FLOP per byte of the machine"
    )
    balancing.set_defaults(run=partial(_answer, balance, balance_to_dict, print_balance))
    add_problem_options(balancing)
    _add_frontier(commands.add_parser("frontier", help="the whole trade-off of time and memory"))
    _add_searches(commands.add_parser("searches", help="other searches on the same problem"))
    _add_listings(commands)
    return parser


def _add_listings(commands: argparse._SubParsersAction[_Parser]) -> None:
    """Commands that solve nothing."""
    graphs = commands.add_parser("graphs", help="list the sample graphs")
    graphs.set_defaults(run=lambda _arguments: print_graphs())
    clusters = commands.add_parser(
        "clusters", help="list the clusters that come along, or every figure of one"
    )
    clusters.set_defaults(run=_clusters)
    clusters.add_argument(
        "name", metavar="NAME|FILE", nargs="?", help="a cluster; shows all its figures"
    )
    check = commands.add_parser("check", help="check a graph file and say what is in it")
    check.set_defaults(run=_check)
    check.add_argument("file", metavar="FILE", help="a graph as JSON or ONNX")
    add_graph_options(check)
    explore = commands.add_parser("explore", help="open the explorer in a browser")
    explore.set_defaults(run=_explore)
    explore.add_argument("--port", type=int, default=8501, help="port to serve on (%(default)s)")
    explore.add_argument("--no-browser", action="store_true", help="do not open a browser")


def _add_solve(command: argparse.ArgumentParser) -> None:
    """Options of `pase solve`."""
    command.set_defaults(run=_solve)
    add_problem_options(command)
    command.add_argument(
        "--regret",
        action="store_true",
        help="also: what every dimension of every layer costs at least if it is split, or not",
    )
    command.add_argument(
        "--best", type=int, default=1, metavar="K", help="also: the K best strategies, in order"
    )


def _add_frontier(command: argparse.ArgumentParser) -> None:
    """Options of `pase frontier`."""
    command.set_defaults(run=_frontier)
    add_problem_options(command)
    command.add_argument(
        "--epsilon",
        type=float,
        default=0.0,
        metavar="SHARE",
        help="share by which time and memory of points may be missed (%(default)g)",
    )


def _add_searches(command: argparse.ArgumentParser) -> None:
    """Options of `pase searches`."""
    command.set_defaults(run=_searches)
    add_problem_options(command)
    add = command.add_argument
    add(
        "--search",
        action="append",
        choices=list(RIVALS),
        help="which; may be repeated (default: all)",
    )
    add("--seeds", type=int, default=5, metavar="N", help="runs of the random ones (%(default)s)")
    add(
        "--seconds",
        type=float,
        default=_LIMITS.time_limit_seconds,
        help="time limit of each run (%(default)g)",
    )
    add(
        "--evaluations",
        type=int,
        default=_LIMITS.max_evaluations,
        metavar="N",
        help="strategies that a run may price (%(default)s)",
    )


def _answer(
    verb: Callable[[Problem, Progress], Result],
    to_dict: Callable[[Result], Json],
    show: Callable[[Result], None],
    arguments: argparse.Namespace,
) -> None:
    """Run a verb of `pase_core.solve`; write its result as JSON or print it, or both."""
    problem = read_problem(arguments)
    if arguments.json is not None:
        check_target(arguments.json)
    with progress_bar("searching") as progress:
        result = verb(problem, progress)
    if arguments.json is not None:
        write_text(arguments.json, to_text(to_dict(result)))
    if arguments.json != STANDARD_OUTPUT:
        show(result)


def _solve(arguments: argparse.Namespace) -> None:
    verb = partial(study, with_regrets=arguments.regret, k=arguments.best)
    _answer(verb, study_to_dict, print_study, arguments)


def _frontier(arguments: argparse.Namespace) -> None:
    def verb(problem: Problem, progress: Progress) -> TradeOff:
        return trade_off(problem, arguments.epsilon, progress)

    _answer(verb, trade_off_to_dict, print_trade_off, arguments)


def _searches(arguments: argparse.Namespace) -> None:
    def verb(problem: Problem, progress: Progress) -> Searches:
        limits = TrialOptions(
            time_limit_seconds=arguments.seconds,
            max_evaluations=arguments.evaluations,
            memory_budget_bytes=problem.search.memory_budget_bytes,
        )
        names = arguments.search or tuple(RIVALS)
        return run_searches(problem, names, arguments.seeds, limits, progress)

    _answer(verb, searches_to_dict, print_searches, arguments)


def _compare(arguments: argparse.Namespace) -> None:
    verb = partial(compare_with_files, files=arguments.strategy)
    _answer(verb, comparison_to_dict, print_comparison, arguments)


def _check(arguments: argparse.Namespace) -> None:
    file, bindings = Path(arguments.file), read_bindings(arguments.bind)
    print_check(read_graph_file(file, batch=arguments.batch, bindings=bindings))


def _clusters(arguments: argparse.Namespace) -> None:
    if arguments.name is None:
        print_clusters()
    else:
        print_cluster(arguments.name)


def _explore(arguments: argparse.Namespace) -> None:
    from explorer.start import start

    start(port=arguments.port, opens_browser=not arguments.no_browser)


def _last_resort(error: Exception) -> str:
    """One line about an error that no check foresaw."""
    what = "memory ran out" if isinstance(error, MemoryError) else "this is too large to compute"
    reason = " ".join(str(error).split())[:200]
    shown = f" ({reason})" if reason else ""
    return f"{what}{shown}; use a smaller network, fewer devices or a larger --min-part"


def main(words: Sequence[str] | None = None) -> int:
    """Run a command; return the exit code: 0, BAD_INPUT or OPEN_DIMENSIONS."""
    arguments = make_parser().parse_args(words)
    try:
        arguments.run(arguments)
    except OpenDimensions as error:
        print(f"pase: {error}", file=sys.stderr)
        return OPEN_DIMENSIONS
    except PaseError as error:
        print(f"pase: {error}", file=sys.stderr)
        return BAD_INPUT
    except (MemoryError, RecursionError, OverflowError) as error:
        print(f"pase: {_last_resort(error)}", file=sys.stderr)
        return BAD_INPUT
    except BrokenPipeError:
        sys.stderr.close()  # the reader has gone; say nothing about it
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
