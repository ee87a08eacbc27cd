"""How searches did, as tables. Costs appear as excess over what is proved."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from explorer.studies import Trial
from pase_core.search.rivals import RIVALS
from pase_core.search.trajectory import Trajectory
from pase_core.units import common_scale, percent, share_above, with_prefix
from pase_core.wording import percent_above

Runs = Sequence[tuple[Trial, Trajectory]]

NEAR = 0.01
"""Excess that counts as near: to within 1 %."""

_FLOOR = 1e-5
"""Seconds below which a clock tells nothing."""

N_TIMES = 60
"""Points of a line of medians."""


def run_table(runs: Runs, bound: float) -> pd.DataFrame:
    """One row per run, in the order of RIVALS.

    Args:
        runs: what came of them.
        bound: no strategy costs less; the optimum if it is proved.

    Returns:
        Columns search (key), title, seed, is_exact, is_proved, cost, gap (share above the bound;
        NaN if it failed), seconds, near_seconds (to within NEAR; infinite if never), evaluations,
        failure, ended.
    """
    order = {name: i for i, name in enumerate(RIVALS)}
    rows = [
        {
            "search": trial.search,
            "title": RIVALS[trial.search].title,
            "seed": trial.seed,
            "is_exact": RIVALS[trial.search].is_exact,
            "is_proved": not run.failure and run.lower_bound >= run.cost,
            "cost": run.cost,
            "gap": math.nan if run.failure else share_above(run.cost, bound),
            "seconds": run.seconds,
            "near_seconds": run.seconds_to((1.0 + NEAR) * bound),
            "evaluations": run.n_evaluations,
            "failure": run.failure,
            "ended": run.ended,
        }
        for trial, run in sorted(runs, key=lambda each: (order[each[0].search], each[0].seed))
    ]
    return pd.DataFrame(rows)


def progress_table(runs: Runs, bound: float) -> pd.DataFrame:
    """Excess over the bound against time and evaluations: median, least and greatest of all seeds.

    Args:
        runs: what came of them; failures are left out.
        bound: no strategy costs less.

    Returns:
        Columns search, title, is_exact, axis (`seconds` or `evaluations`), at, median, low, high,
        n_runs; all shares.
    """
    parts = []
    for name, rival in RIVALS.items():
        found = [run for trial, run in runs if trial.search == name and not run.failure]
        for axis in ("seconds", "evaluations") if found else ():
            part = _band(found, axis, bound)
            parts.append(part.assign(search=name, title=rival.title, is_exact=rival.is_exact))
    columns = ["search", "title", "is_exact", "axis", "at", "median", "low", "high", "n_runs"]
    return pd.concat(parts)[columns] if parts else pd.DataFrame(columns=columns)


def _band(runs: Sequence[Trajectory], axis: str, bound: float) -> pd.DataFrame:
    """Every run's best so far at the same places of an axis, summed up."""
    places = [[float(getattr(point, axis)) for point in run.points] for run in runs]
    floor = _FLOOR if axis == "seconds" else 1.0
    last = max(max(each) for each in places)
    at = np.geomspace(floor, max(last, 2 * floor), N_TIMES)
    marks = np.array([p for each in places for p in each if floor <= p <= last])
    at = np.unique(np.concatenate([at, marks[:: max(1, len(marks) // N_TIMES)]]))
    excess = [
        _step(at, np.array(each), [share_above(point.cost, bound) for point in run.points])
        for each, run in zip(places, runs, strict=True)
    ]
    return pd.DataFrame(
        {
            "axis": axis,
            "at": at,
            "median": np.median(excess, axis=0),
            "low": np.min(excess, axis=0),
            "high": np.max(excess, axis=0),
            "n_runs": len(runs),
        }
    )


def _step(at: np.ndarray, places: np.ndarray, values: Sequence[float]) -> np.ndarray:
    """Value of a step function that holds each value from its place on."""
    index: np.ndarray = np.searchsorted(places, at, side="right") - 1
    held: np.ndarray = np.array(values)[np.clip(index, 0, len(values) - 1)]
    return held


def shown_searches(table: pd.DataFrame, unit: str) -> pd.DataFrame:
    """One row per search for people: best and median of its runs, time, what keeps it from more."""
    scale, scaled = common_scale(float(table["cost"].max()), unit)
    rows = []
    for name, runs in table.groupby("search", sort=False):
        is_failed = runs["failure"] != ""
        rows.append(
            {
                "Search": RIVALS[str(name)].title,
                "Runs": len(runs),
                f"Best cost [{scaled}]": runs.loc[~is_failed, "cost"].min() / scale,
                "Best above": runs["gap"].min(),
                "Median above": runs["gap"].median(),
                "To 1 % [ms]": _finite(runs["near_seconds"].median() * 1e3),
                "Time [ms]": runs.loc[~is_failed, "seconds"].median() * 1e3,
                "Evaluations": runs.loc[~is_failed, "evaluations"].median(),
                "End": _end(runs),
            }
        )
    return pd.DataFrame(rows)


def _end(runs: pd.DataFrame) -> str:
    """How the runs of one search ended."""
    if (runs["failure"] != "").any():
        return "does not fit"
    return "proved" if runs["is_proved"].all() else ", ".join(sorted(set(runs["ended"])))


def _finite(value: float) -> float:
    return value if math.isfinite(value) else math.nan


def searches_headline(table: pd.DataFrame, bound: float, unit: str, *, is_proved: bool) -> str:
    """What the page says, in a sentence or two."""
    proof = "The optimum" if is_proved else "A proved lower bound"
    start = f"{proof} is {with_prefix(bound, unit, 4)} per step."
    exact = table[table["is_proved"]] if len(table) else table
    if len(exact):
        first = exact.sort_values("seconds").iloc[0]
        seconds = with_prefix(float(first["seconds"]), "s")
        start += f" {_capital(str(first['title']))} proves it in {seconds}."
    inexact = table[~table["is_exact"] & (table["failure"] == "")] if len(table) else table
    if not len(inexact):
        return start
    best = inexact.groupby("title")["gap"].median()
    return f"{start} Of the searches that prove nothing, {_range_in_words(best)}."


def _capital(text: str) -> str:
    """Text with a capital at its beginning, names inside as they are."""
    return text[:1].upper() + text[1:]


def _range_in_words(gaps: pd.Series) -> str:
    best, worst = gaps.idxmin(), gaps.idxmax()
    least, most = float(gaps.min()), float(gaps.max())
    if least <= 1e-9 and most <= 1e-9:
        return "all found it"
    found = "finds it" if least <= 1e-9 else f"ends {percent_above(least)} above"
    text = f"{best} {found}"
    return text if best == worst else f"{text} and {worst} {percent(most)} above"


def failures_of(table: pd.DataFrame) -> list[tuple[str, str]]:
    """Searches that came to nothing, with the reason."""
    failed = table[table["failure"] != ""] if len(table) else table
    return [(str(row["title"]), str(row["failure"])) for _i, row in failed.iterrows()]
