"""The command line: the public verbs from a terminal; no logic of its own."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NoReturn, TypeVar

from pase_core.cluster import Cluster, preset, preset_names
from pase_core.console import progress_bar
from pase_core.errors import OpenDimensions, OptionError, PaseError
from pase_core.exporters.files import STANDARD_OUTPUT, check_target, write_text
from pase_core.exporters.solution_json import Json, comparison_to_dict, solution_to_dict, to_text
from pase_core.importers import read_graph_file
from pase_core.listings import print_cluster, print_clusters, print_graphs
from pase_core.pricing import compare_with_files
from pase_core.report import print_check, print_comparison, print_solution
from pase_core.search.elimination import ORDERING_NAMES
from pase_core.search.methods import METHOD_NAMES
from pase_core.search.options import (
    AUTOMATIC,
    DEFAULT_MEMORY_BUDGET_BYTES,
    DEFAULT_OPTIONS,
    SearchOptions,
)
from pase_core.search.sweep import Progress
from pase_core.solve import COST_MODELS, CostOptions, Problem, solve
from pase_core.sources import default_min_part, load_source
from pase_core.units import parse_bytes

DEFAULT_CLUSTER = "gtx-1080-ti"
"""The paper's first system."""

BAD_INPUT, OPEN_DIMENSIONS = 2, 3
"""Exit codes beside 0."""

_MOST_DIGITS = 20
"""Of a size on the command line; what it may be is checked later."""

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
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    solving = commands.add_parser("solve", help="find the best strategy of a network")
    solving.set_defaults(run=partial(_answer, solve, solution_to_dict, print_solution))
    _add_problem_options(solving)
    comparing = commands.add_parser(
        "compare", help="the best strategy beside data parallelism, experts' and your own"
    )
    comparing.set_defaults(run=_compare)
    _add_problem_options(comparing)
    comparing.add_argument(
        "--strategy",
        action="append",
        default=[],
        metavar="FILE",
        help="a strategy as CSV or JSON, as one more row; may be repeated",
    )
    graphs = commands.add_parser("graphs", help="list the sample graphs")
    graphs.set_defaults(run=lambda _arguments: print_graphs())
    clusters = commands.add_parser(
        "clusters", help="list the clusters that come along, or every figure of one"
    )
    clusters.set_defaults(run=_clusters)
    clusters.add_argument(
        "name", metavar="NAME", nargs="?", help="a cluster; shows its figures and their sources"
    )
    check = commands.add_parser("check", help="check a graph file and say what is in it")
    check.set_defaults(run=_check)
    check.add_argument("file", metavar="FILE", help="a graph as JSON or ONNX")
    _add_graph_options(check)
    explore = commands.add_parser("explore", help="open the explorer in a browser")
    explore.set_defaults(run=_explore)
    explore.add_argument("--port", type=int, default=8501, help="port to serve on (%(default)s)")
    explore.add_argument("--no-browser", action="store_true", help="do not open a browser")
    return parser


def _add_graph_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--batch", type=int, help="batch size; default: the graph's own")
    command.add_argument(
        "--bind",
        action="append",
        default=[],
        metavar="NAME=SIZE",
        help="size of a dimension that the file leaves open; may be repeated",
    )


def _add_problem_options(command: argparse.ArgumentParser) -> None:
    """Options of solve and compare."""
    command.add_argument("source", metavar="SOURCE", help="a sample's name, or a JSON or ONNX file")
    _add_graph_options(command)
    add = command.add_argument
    add("-p", "--devices", type=int, default=8, help="number of devices (%(default)s)")
    add(
        "--cluster",
        default=DEFAULT_CLUSTER,
        metavar="NAME",
        help=f"one of the clusters that come along (%(default)s): {', '.join(preset_names())}",
    )
    add(
        "--flops",
        type=float,
        metavar="F",
        help="peak FLOP/s of a device, in place of the cluster's",
    )
    add("--bandwidth", type=float, metavar="B", help="bytes/s of a link, in place of the cluster's")
    _add_model_options(command)
    add("--json", metavar="FILE", help="write the result as JSON; - for standard output")


def _add_model_options(command: argparse.ArgumentParser) -> None:
    """How to price and how to search."""
    add = command.add_argument
    add(
        "--cost-model",
        default="paper",
        choices=list(COST_MODELS),
        help="how to price a strategy (%(default)s)",
    )
    add("--word-bytes", type=float, help="bytes of a word; default: the graph's element type")
    add(
        "--flop-per-multiply-add",
        type=float,
        default=2.0,
        metavar="N",
        help="FLOP that a multiply-add counts (%(default)s; the paper's prototype: 1)",
    )
    add(
        "--min-part",
        type=int,
        help="smallest part of a split dimension; default: the sample's own, else 1",
    )
    add(
        "--method",
        default=AUTOMATIC,
        choices=METHOD_NAMES,
        help="how to search (%(default)s: elimination, or bounds where its tables do not fit)",
    )
    add(
        "--time-limit",
        type=float,
        default=DEFAULT_OPTIONS.time_limit_seconds,
        metavar="SECONDS",
        help="for methods other than elimination (%(default)g); they then return the best found",
    )
    add(
        "--ordering",
        default=AUTOMATIC,
        choices=ORDERING_NAMES,
        help="order in which layers are eliminated (%(default)s: the cheaper of two)",
    )
    add(
        "--memory-budget",
        default=f"{DEFAULT_MEMORY_BUDGET_BYTES / 1e9:g}GB",
        metavar="SIZE",
        help="memory for tables (%(default)s)",
    )


def _bindings(texts: Sequence[str]) -> dict[str, int]:
    """Read NAME=SIZE pairs."""
    bindings = {}
    for text in texts:
        name, _, size = text.rpartition("=")
        if not name or not size.isdecimal() or len(size) > _MOST_DIGITS:
            shown = text if len(text) <= 60 else f"{text[:60]}..."
            raise OptionError(f"--bind {shown!r} cannot be read; write NAME=SIZE, such as seq=128")
        if name in bindings:
            raise OptionError(f"--bind gives {name!r} twice; give it once")
        bindings[name] = int(size)
    return bindings


def _cluster(arguments: argparse.Namespace) -> Cluster:
    return preset(arguments.cluster, arguments.devices).with_overrides(
        flop_per_second=arguments.flops, bytes_per_second=arguments.bandwidth
    )


def _problem(arguments: argparse.Namespace) -> Problem:
    min_part = arguments.min_part
    return Problem(
        graph=load_source(arguments.source, arguments.batch, _bindings(arguments.bind)),
        cluster=_cluster(arguments),
        cost=CostOptions(
            model=arguments.cost_model,
            word_bytes=arguments.word_bytes,
            flop_per_multiply_add=arguments.flop_per_multiply_add,
            min_part=default_min_part(arguments.source) if min_part is None else min_part,
        ),
        search=SearchOptions(
            method=arguments.method,
            time_limit_seconds=arguments.time_limit,
            ordering=arguments.ordering,
            memory_budget_bytes=parse_bytes(arguments.memory_budget),
        ),
    )


def _answer(
    verb: Callable[[Problem, Progress], Result],
    to_dict: Callable[[Result], Json],
    show: Callable[[Result], None],
    arguments: argparse.Namespace,
) -> None:
    """Run a verb of `pase_core.solve`; write its result as JSON or print it, or both."""
    problem = _problem(arguments)
    if arguments.json is not None:
        check_target(arguments.json)
    with progress_bar("searching") as progress:
        result = verb(problem, progress)
    if arguments.json is not None:
        write_text(arguments.json, to_text(to_dict(result)))
    if arguments.json != STANDARD_OUTPUT:
        show(result)


def _compare(arguments: argparse.Namespace) -> None:
    verb = partial(compare_with_files, files=arguments.strategy)
    _answer(verb, comparison_to_dict, print_comparison, arguments)


def _check(arguments: argparse.Namespace) -> None:
    file, bindings = Path(arguments.file), _bindings(arguments.bind)
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
