"""Options of the command line that describe a problem: network, devices, prices, search."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import get_args

from pase_core.cluster import Cluster, load_cluster, preset_names
from pase_core.costs.step import MOMENTS, ZERO_STAGES, Reduce, StepOptions
from pase_core.errors import OptionError
from pase_core.graph import ELEMENT_BYTES
from pase_core.search.elimination import ORDERING_NAMES
from pase_core.search.methods import METHOD_NAMES
from pase_core.search.options import (
    AUTOMATIC,
    DEFAULT_MEMORY_BUDGET_BYTES,
    DEFAULT_OPTIONS,
    SearchOptions,
)
from pase_core.solve import COST_MODELS, CostOptions, Problem
from pase_core.sources import default_min_part, load_source
from pase_core.units import parse_bytes

DEFAULT_CLUSTER = "gtx-1080-ti"
"""The paper's first system."""

_MOST_DIGITS = 20
"""Of a size on the command line; what it may be is checked later."""


def add_graph_options(command: argparse.ArgumentParser) -> None:
    """Sizes that a network leaves open."""
    command.add_argument("--batch", type=int, help="batch size; default: the graph's own")
    command.add_argument(
        "--bind",
        action="append",
        default=[],
        metavar="NAME=SIZE",
        help="size of a dimension that the file leaves open; may be repeated",
    )


def add_problem_options(command: argparse.ArgumentParser) -> None:
    """Options of every command that poses a problem."""
    command.add_argument("source", metavar="SOURCE", help="a sample's name, or a JSON or ONNX file")
    add_graph_options(command)
    add = command.add_argument
    add("-p", "--devices", type=int, help="number of devices (8, or what the cluster's file says)")
    add(
        "--cluster",
        default=DEFAULT_CLUSTER,
        metavar="NAME|FILE",
        help="a JSON file, or one of the clusters that come along (%(default)s): "
        f"{', '.join(preset_names())}",
    )
    add(
        "--flops",
        type=float,
        metavar="F",
        help="peak FLOP/s of a device, in place of the cluster's",
    )
    add("--bandwidth", type=float, metavar="B", help="bytes/s of a link, in place of the cluster's")
    _add_model_options(command)
    _add_step_options(command)
    _add_search_options(command)
    add("--json", metavar="FILE", help="write the result as JSON; - for standard output")


def _add_model_options(command: argparse.ArgumentParser) -> None:
    """How to price."""
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


def _add_step_options(command: argparse.ArgumentParser) -> None:
    """How a training step is carried out."""
    add = command.add_argument
    default = StepOptions()
    add(
        "--element-type",
        choices=list(ELEMENT_BYTES),
        help="number format to train in; default: the graph's own",
    )
    add(
        "--optimizer",
        default=default.optimizer,
        choices=list(MOMENTS),
        help="decides the numbers kept per parameter (%(default)s)",
    )
    add(
        "--zero",
        type=int,
        default=default.zero_stage,
        choices=ZERO_STAGES,
        help="ZeRO stage: share out optimizer state (1), gradients (2), parameters (3)",
    )
    add("--recompute", action="store_true", help="make cheap activations anew, do not keep them")
    add("--overlap", action="store_true", help="hide weight gradients' reduction behind backward")
    add(
        "--reduce",
        default=default.reduce,
        choices=get_args(Reduce),
        help="reduce-scatter where a slice of a reduced tensor will do (%(default)s)",
    )
    add(
        "--memory-limit",
        metavar="SIZE",
        help="most that a strategy may hold per device, such as 11GB (solve, compare)",
    )
    add("--all-devices", action="store_true", help="only splits that keep every device busy")
    add("--batch-inside", action="store_true", help="parts of the batch share a node, not others")


def _read_step(arguments: argparse.Namespace) -> StepOptions:
    return StepOptions(
        element_type=arguments.element_type,
        optimizer=arguments.optimizer,
        zero_stage=arguments.zero,
        recompute=arguments.recompute,
        overlap=arguments.overlap,
        reduce=arguments.reduce,
        use_all_devices=arguments.all_devices,
        batch_inside=arguments.batch_inside,
    )


def _add_search_options(command: argparse.ArgumentParser) -> None:
    """How to search."""
    add = command.add_argument
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


def read_bindings(texts: Sequence[str]) -> dict[str, int]:
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
    return load_cluster(arguments.cluster, arguments.devices).with_overrides(
        flop_per_second=arguments.flops, bytes_per_second=arguments.bandwidth
    )


def read_problem(arguments: argparse.Namespace) -> Problem:
    """The problem that the options describe.

    Raises:
        PaseError: if one of them is out of range, or the source cannot be read.
    """
    min_part, limit = arguments.min_part, arguments.memory_limit
    return Problem(
        graph=load_source(arguments.source, arguments.batch, read_bindings(arguments.bind)),
        cluster=_cluster(arguments),
        cost=CostOptions(
            model=arguments.cost_model,
            word_bytes=arguments.word_bytes,
            flop_per_multiply_add=arguments.flop_per_multiply_add,
            min_part=default_min_part(arguments.source) if min_part is None else min_part,
            step=_read_step(arguments),
        ),
        search=SearchOptions(
            method=arguments.method,
            time_limit_seconds=arguments.time_limit,
            ordering=arguments.ordering,
            memory_budget_bytes=parse_bytes(arguments.memory_budget),
        ),
        memory_limit_bytes=None if limit is None else parse_bytes(limit),
    )
