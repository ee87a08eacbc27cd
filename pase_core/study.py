"""A solution with what else has been asked about it."""

from __future__ import annotations

from dataclasses import dataclass

from pase_core.alternatives import Ranking, Regrets, best_strategies, regrets
from pase_core.errors import BudgetError
from pase_core.fit import Remedy, remedies
from pase_core.problem import check_no_limit
from pase_core.search.k_best import check_k
from pase_core.search.sweep import Progress, no_progress
from pase_core.solve import Problem, Solution, solve


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """A solution and its alternatives.

    Attributes:
        solution: the best strategy.
        regrets: of every configuration of every layer, if asked for.
        ranking: the best strategies, if more than one is asked for.
        remedies: what would make it fit, if nothing keeps to the memory limit.
        remark: why what was asked for is not there; empty if it is.
    """

    solution: Solution
    regrets: Regrets | None = None
    ranking: Ranking | None = None
    remedies: tuple[Remedy, ...] = ()
    remark: str = ""


def study(
    problem: Problem,
    progress: Progress = no_progress,
    *,
    with_regrets: bool = False,
    k: int = 1,
) -> Study:
    """Solve a problem, and price the alternatives that are asked for.

    Args:
        problem: network, devices and options.
        progress: called with the share of the search that is done.
        with_regrets: whether to price every configuration of every layer.
        k: how many of the best strategies to find.

    Raises:
        PaseError: if k or an option is out of range or the solution does not fit the memory
            budget. Alternatives that do not fit are left out, with a remark.
    """
    check_k(k)
    if k > 1 or with_regrets:
        check_no_limit(problem, "alternatives")
    solution = solve(problem, progress)
    if not solution.fits:
        return Study(solution, remedies=remedies(problem))
    try:
        return Study(
            solution,
            regrets(problem, progress) if with_regrets else None,
            best_strategies(problem, k) if k > 1 else None,
        )
    except BudgetError as error:
        return Study(solution, remark=f"the alternatives cannot be priced: {error}")
