"""What changes from phase to phase: one row per phase, and the layers of one of them."""

from __future__ import annotations

import math

import pandas as pd

from explorer.tables.balance import range_text
from pase_core.balance import Balance
from pase_core.strategy import describe_splits
from pase_core.units import common_scale, count

MOST_NAMES = 2
"""Layers that a row names; the others are counted."""


def change_table(balance: Balance, phase: int) -> pd.DataFrame:
    """The layers that split otherwise than in the phase before; columns layer, before, now."""
    rows = []
    for position in balance.changes(phase):
        layer = balance.problem.graph.layers[position]
        before, now = (
            describe_splits(layer, balance.strategies[i].configurations[position])
            for i in (phase - 1, phase)
        )
        rows.append({"layer": layer.name, "before": before, "now": now})
    return pd.DataFrame(rows, columns=["layer", "before", "now"])


def change_text(changes: pd.DataFrame, most: int | None = None) -> str:
    """Layers and how they change, in a line; of more than `most` the rest is counted."""
    texts = [f"{row.layer}: {row.before} → {row.now}" for row in changes[:most].itertuples()]
    n_more = len(changes) - len(texts)
    return "; ".join(texts) + (f" and {count(n_more, 'more layer')}" if n_more else "")


def shown_changes(changes: pd.DataFrame, phase: int) -> pd.DataFrame:
    """The rows of `change_table` for people; `phase` counts from 0."""
    titles = (f"Split in phase {phase}", f"Split in phase {phase + 1}")
    return changes.rename(columns=dict(zip(changes.columns, ("Layer", *titles), strict=True)))


def phase_table(balance: Balance) -> pd.DataFrame:
    """One row per phase, as a file has it: SI units in the titles, every layer named."""
    changes = [change_table(balance, i) for i in range(len(balance.phases))]
    return pd.DataFrame(
        {
            "phase": range(1, len(balance.phases) + 1),
            "here": [i == balance.phase_here for i in range(len(balance.phases))],
            "from [FLOP/B]": [phase.start for phase in balance.phases],
            "to [FLOP/B]": [
                None if math.isinf(phase.stop) else phase.stop for phase in balance.phases
            ],
            "compute [FLOP]": [phase.line.fixed for phase in balance.phases],
            "sent [B]": [phase.line.scaled for phase in balance.phases],
            "layers that change": list(map(len, changes)),
            "changes": list(map(change_text, changes)),
        }
    )


def shown_phases(balance: Balance) -> pd.DataFrame:
    """The rows of `phase_table` for people: scaled figures, few layers named."""
    table = phase_table(balance)
    changes = [change_table(balance, i) for i in range(len(table))]
    flop_scale, flop_unit = common_scale(float(table["compute [FLOP]"].min()), "FLOP")
    sent_scale, sent_unit = common_scale(float(table["sent [B]"].max()), "B")
    return pd.DataFrame(
        {
            "Phase": [
                f"{row.phase}  ◀ here" if row.here else str(row.phase) for row in table.itertuples()
            ],
            "From [FLOP/B]": table["from [FLOP/B]"],
            "To [FLOP/B]": table["to [FLOP/B]"],
            f"Compute [{flop_unit}]": table["compute [FLOP]"] / flop_scale,
            f"Sent [{sent_unit}]": table["sent [B]"] / sent_scale,
            "Layers": table["layers that change"],
            "What changes from the phase before": [
                change_text(each, MOST_NAMES) or "the strategy of links that cost nothing"
                for each in changes
            ],
        }
    )


def telling_digits(balance: Balance) -> int:
    """How many digits tell the two ends of every phase apart."""
    ends = [(phase.start, phase.stop) for phase in balance.phases]
    for digits in range(4, 12):
        if all(f"{start:.{digits}g}" != f"{stop:.{digits}g}" for start, stop in ends):
            break
    return digits


def change_title(balance: Balance, phase: int) -> str:
    """What the rows of `change_table` are, in a line."""
    ruled = range_text(balance.phases[phase].start, balance.phases[phase].stop)
    here = ", which is here" if phase == balance.phase_here else ""
    if phase == 0:
        return f"Phase 1{here}, rules {ruled}; nothing comes before it."
    layers = count(len(balance.changes(phase)), "layer")
    verb = "changes" if len(balance.changes(phase)) == 1 else "change"
    return f"Phase {phase + 1}{here}, rules {ruled}; {layers} {verb} from phase {phase}:"
