"""Strategies that bear a change of machine: what each loses at worst over a range."""

from __future__ import annotations

import pandas as pd

from explorer.regret_scale import percent_text
from explorer.tables.balance import Range, number_text
from pase_core.balance import Balance
from pase_core.search.balance import worst_loss
from pase_core.units import count
from pase_core.wording import percent_above

MOST_BARS = 8
"""Phases that are drawn; the others lose more."""

NOTHING = 1e-9
"""Share of the best cost that counts as no loss."""

GRID = (
    *(float(f"{step}e{power}") for power in range(-2, 6) for step in (1, 1.5, 2, 3, 5, 7)),
    1e6,
)
"""The ends that a range may have, FLOP per byte, evenly on a logarithmic scale."""


def preset_range(presets: pd.DataFrame) -> Range:
    """The least range with ends on the grid that holds all of today's clusters."""
    if presets.empty:
        return GRID[0], GRID[-1]
    low = max((at for at in GRID if at <= presets["balance"].min()), default=GRID[0])
    high = min((at for at in GRID if at >= presets["balance"].max()), default=GRID[-1])
    return low, max(low, high)


def loss_text(share: float) -> str:
    """A loss in per cent, a small one rounded upwards: what is promised must hold."""
    if share <= NOTHING:
        return "0 %"
    return percent_above(share) if share < 1 else percent_text(share)


def loss_table(balance: Balance, chosen: Range) -> pd.DataFrame:
    """What each strategy costs above the best at worst over a range; the least loss first.

    Columns: strategy, kind (`phase`, `here`, `data parallel` or `expert`), phase (0 if none), loss
    (share of the best), rules (somewhere in the range), text.
    """
    rows = [
        {
            "strategy": f"Phase {i + 1}" + (" (here)" if i == balance.phase_here else ""),
            "kind": "here" if i == balance.phase_here else "phase",
            "phase": i + 1,
            "loss": loss,
            "rules": phase.start < chosen[1] and phase.stop > chosen[0],
        }
        for i, (phase, loss) in enumerate(
            zip(balance.phases, balance.worst_losses(*chosen), strict=True)
        )
    ]
    rows += [
        {
            "strategy": name,
            "kind": "expert" if i else "data parallel",
            "phase": 0,
            "loss": worst_loss(line, balance.phases, *chosen),
            "rules": False,
        }
        for i, (name, line) in enumerate(balance.baselines)
    ]
    table = pd.DataFrame(rows)
    table["text"] = [loss_text(loss) for loss in table["loss"]]
    return table.sort_values("loss", kind="stable", ignore_index=True)


def drawn_losses(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of a loss table to draw: the best phases, the one here, and the baselines."""
    is_phase = table["phase"] > 0
    best = table[is_phase].head(MOST_BARS).index
    return table[~is_phase | table.index.isin(best) | (table["kind"] == "here")]


def undrawn_text(table: pd.DataFrame) -> str:
    """How much the phases lose that are not drawn; empty if all are."""
    rest = table.drop(drawn_losses(table).index)
    if rest.empty:
        return ""
    least, most = rest["loss"].min(), rest["loss"].max()
    losses = loss_text(least) if least == most else f"{loss_text(least)} to {loss_text(most)}"
    verb = "loses" if len(rest) == 1 else "lose"
    return f"{count(len(rest), 'further phase')} {verb} {losses} at worst."


def robust_sentence(balance: Balance, table: pd.DataFrame, chosen: Range) -> str:
    """The most robust strategy of a range, in a sentence, beside the one here and a baseline."""
    ends = f"{number_text(chosen[0])} and {number_text(chosen[1])} FLOP per byte"
    phases = table[table["phase"] > 0]
    best = phases.iloc[0]
    here = phases[phases["phase"] == balance.phase_here + 1].iloc[0]
    baseline = table[table["kind"] == "data parallel"].iloc[0]
    name = f"**phase {best['phase']}**"
    if best["phase"] == here["phase"]:
        name += ", the best here,"
    if best["loss"] <= NOTHING:
        text = f"Between {ends} the strategy of {name} is the best on every machine"
    else:
        text = (
            f"Between {ends} the most robust of these strategies is that of {name.rstrip(',')}: "
            f"never more than **{best['text']}** above the best"
        )
    others = [] if best["phase"] == here["phase"] else [("the best here", here["loss"])]
    others.append(("data parallelism", baseline["loss"]))
    told = [
        f"{who} is so, too" if loss <= NOTHING else f"{who} costs up to {loss_text(loss)} more"
        for who, loss in others
    ]
    return f"{text}; {', '.join(told)}.".replace(" %", "\N{NO-BREAK SPACE}%")


def loss_titles(table: pd.DataFrame) -> pd.DataFrame:
    """A loss table for a file: units in the titles, without pretty texts."""
    return pd.DataFrame(
        {
            "strategy": table["strategy"],
            "phase": table["phase"].where(table["phase"] > 0),
            "worst loss [share of the best]": table["loss"],
            "rules in the range": table["rules"],
        }
    )
