"""Exact minimisation on any graph by an integer program, solved by HiGHS.

The program is that of `pase_core.search.program`; see there for its variables and rows. Its size
is that of the cost tables, whatever the graph, where elimination's grows with the dependent sets.
How long it takes cannot be told beforehand: it can be stopped at any time, and then returns the
best choices found with a proved lower bound.

HiGHS: Q. Huangfu and J. A. J. Hall, Parallelizing the dual revised simplex method, 2018.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import highspy
import numpy as np

from pase_core.cost_tables import Array, CostTables
from pase_core.errors import BudgetError
from pase_core.search.budget import gigabytes
from pase_core.search.options import DEFAULT_OPTIONS, SearchOptions
from pase_core.search.program import Program, build_program
from pase_core.search.relaxation import Relaxation, relax, tolerance
from pase_core.search.result import SearchResult
from pase_core.search.sweep import Progress, no_progress

NAME = "integer program"

BYTES_PER_ENTRY = 2000
"""Memory that HiGHS 1.16 takes per entry of the matrix, at most, as measured on cost tables."""


def integer_program(
    tables: CostTables,
    options: SearchOptions = DEFAULT_OPTIONS,
    progress: Progress = no_progress,
    start: Relaxation | None = None,
) -> SearchResult:
    """Find the choices of least total cost, or the best by the time limit and a lower bound.

    Args:
        tables: the costs.
        options: time limit and memory budget.
        progress: called with the share of the gap that is closed; may raise to stop.
        start: a relaxation of these tables; None begins with a short one.

    Raises:
        BudgetError: if the program does not fit the memory budget.
    """
    known = relax(tables, n_sweeps=1) if start is None else start
    most = known.cost + tolerance(known.cost, known.rounding)
    most_entries = max(options.memory_budget_bytes - tables.n_bytes, 0.0) / BYTES_PER_ENTRY
    try:
        program = build_program(tables, known.messages, most, most_entries)
    except BudgetError as error:
        raise BudgetError(
            f"{error}, each of about {BYTES_PER_ENTRY} B, and the memory budget is "
            f"{gigabytes(options.memory_budget_bytes)}: raise it (--memory-budget), use fewer "
            "devices or a larger smallest part (--min-part)"
        ) from None
    n_bytes = tables.n_bytes + BYTES_PER_ENTRY * len(program.columns)
    run = Run(program, known, progress)
    choices, bound = run.solve(options.time_limit_seconds)
    cost = tables.total(choices)
    if cost > known.cost:
        choices, cost = known.choices, known.cost
    bound = max(bound, known.bound)
    is_proved = bound >= cost - tolerance(cost, known.rounding)
    return SearchResult(
        choices=choices,
        cost=cost,
        lower_bound=cost if is_proved else bound,
        method=NAME,
        proved_optimal=is_proved,
        largest_table=len(program.costs),
        peak_bytes=n_bytes,
    )


def relaxed_optimum(tables: CostTables) -> float:
    """The least cost where every variable may be a fraction: the best bound of a relaxation."""
    known = relax(tables, n_sweeps=0)
    program = build_program(tables, known.messages, math.inf)
    highs = _load(program, 1.0, is_integer=False)
    highs.run()
    return program.constant + highs.getInfo().objective_function_value


class _Quiet(highspy.Highs):
    """HiGHS that prints nothing: its own switch comes too late for the line with its version."""

    def enableCallbacks(self) -> None:  # noqa: N802  (the name that HiGHS gives it)
        """Silence first; the constructor calls this."""
        self.silent()
        super().enableCallbacks()  # type: ignore[no-untyped-call]


@dataclass(slots=True)
class Run:
    """One run of HiGHS, in units of the gap that is left to close.

    Attributes:
        program: what is solved.
        known: choices and bound to start from.
        progress: told the share of the gap that is closed.
        error: what `progress` raised, to be raised again outside of HiGHS.
    """

    program: Program
    known: Relaxation
    progress: Progress
    error: BaseException | None = field(default=None)

    def solve(self, time_limit_seconds: float) -> tuple[tuple[int, ...], float]:
        """Best choices and a lower bound."""
        program, cost = self.program, self.known.cost
        slack = tolerance(cost, self.known.rounding)
        unit = max(cost - program.constant, slack) or 1.0
        highs = _load(program, unit, is_integer=True)
        highs.setOptionValue("time_limit", float(max(time_limit_seconds, 0.0)))
        highs.setOptionValue("mip_rel_gap", 0.0)
        highs.setOptionValue("mip_abs_gap", max(1e-9, 0.1 * slack / unit))
        highs.cbMipInterrupt.subscribe(self._watch)
        highs.HandleKeyboardInterrupt = True
        highs.solve()
        if self.error is not None:
            raise self.error
        if highs.getModelStatus() == highspy.HighsModelStatus.kInfeasible:
            return self.known.choices, cost  # nothing is as good as what was known
        info = highs.getInfo()
        bound = program.constant + unit * max(info.mip_dual_bound, 0.0)
        values = np.array(highs.getSolution().col_value)
        if len(values) == 0 or not math.isfinite(info.objective_function_value):
            return self.known.choices, bound
        return self._choices(values), bound

    def _choices(self, values: Array) -> tuple[int, ...]:
        """The choices whose variables are 1."""
        program = self.program
        chosen = np.array(self.known.choices)
        is_one = values[: len(program.vertices)] > 0.5
        chosen[program.vertices[is_one]] = program.choices[is_one]
        return tuple(map(int, chosen))

    def _watch(self, event: highspy.HighsCallbackEvent) -> None:
        """Report how it goes; an exception stops HiGHS and is kept."""
        best, bound = event.data_out.mip_primal_bound, event.data_out.mip_dual_bound
        left = best - max(bound, 0.0)
        try:
            self.progress(min(max(1.0 - left, 0.0), 1.0) if math.isfinite(left) else 0.0)
        except BaseException as error:
            self.error = error
            event.interrupt()


def _load(program: Program, unit: float, *, is_integer: bool) -> highspy.Highs:
    """Hand a program to HiGHS, with costs in some unit."""
    n_columns, n_rows = len(program.costs), len(program.sides)
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = n_columns, n_rows
    model.col_cost_ = program.costs / unit
    model.col_lower_, model.col_upper_ = np.zeros(n_columns), np.ones(n_columns)
    model.row_lower_ = model.row_upper_ = program.sides
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_ = program.row_starts.astype(np.int32)
    model.a_matrix_.index_ = program.columns.astype(np.int32)
    model.a_matrix_.value_ = program.values
    if is_integer:
        n_binary = len(program.vertices)
        kinds = [highspy.HighsVarType.kInteger] * n_binary
        kinds += [highspy.HighsVarType.kContinuous] * (n_columns - n_binary)
        model.integrality_ = kinds
    highs = _Quiet()  # type: ignore[no-untyped-call]
    highs.setOptionValue("primal_feasibility_tolerance", 1e-9)
    highs.setOptionValue("dual_feasibility_tolerance", 1e-9)
    highs.setOptionValue("mip_feasibility_tolerance", 1e-9)
    highs.passModel(model)
    return highs
