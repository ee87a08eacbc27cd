"""The method as tables and words: eliminations step by step, orderings side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from explorer.amounts import amount, amount_of_bytes
from pase_core.search.growth import GrowthStep
from pase_core.skeleton import Skeleton
from sample_graphs import SAMPLES

ENTRY_BYTES = 8
"""Bytes of one entry of a table."""

STATES = {
    "waiting": "#C9D2DC",
    "dependent set": "#E69F00",
    "eliminated now": "#0072B2",
    "folded in": "#8CC4E8",
    "done": "#7A828C",
}
"""States of a layer during elimination, with the colour of each."""

MAX_NAMES = 4
"""More names than this are counted instead."""

Steps = Sequence[GrowthStep]


def states(steps: Steps, current: int) -> list[str]:
    """State of each layer at one step, by position: keys of STATES."""
    found = ["waiting"] * len(steps)
    for step in steps[:current]:
        found[step.vertex] = "done"
    now = steps[current]
    for vertex in now.connected:
        found[vertex] = "folded in"
    for vertex in now.dependents:
        found[vertex] = "dependent set"
    found[now.vertex] = "eliminated now"
    return found


def growth_table(shape: Skeleton, steps: Steps) -> pd.DataFrame:
    """One row per step of an elimination.

    Columns: step (from 1), layer, dependents (how many), joint (entries of the joint table), kept
    (entries of the table of minima), and the pretty texts depends_on, joint_text, kept_text.
    """
    return pd.DataFrame(
        {
            "step": range(1, len(steps) + 1),
            "layer": [shape.names[step.vertex] for step in steps],
            "dependents": [len(step.dependents) for step in steps],
            # As floats: whole numbers beyond 2**63 would make a column of objects.
            "joint": [float(step.n_joint) for step in steps],
            "kept": [float(step.n_kept) for step in steps],
            "depends_on": [
                _listed([shape.names[v] for v in step.dependents]) or "nothing" for step in steps
            ],
            "joint_text": [amount(step.n_joint) for step in steps],
            "kept_text": [amount(step.n_kept) for step in steps],
        }
    )


def _listed(names: Sequence[str]) -> str:
    """Names with commas and an `and`, a few of them."""
    if len(names) > MAX_NAMES:
        return f"{', '.join(names[: MAX_NAMES - 1])} and {len(names) - MAX_NAMES + 1} others"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def step_words(shape: Skeleton, steps: Steps, current: int, names: Sequence[str]) -> list[str]:
    """One step of an elimination in sentences.

    Args:
        shape: the layers.
        steps: of the elimination.
        current: number of the step, from 0.
        names: what to call each layer.
    """
    step = steps[current]
    name = names[step.vertex]
    n_own = shape.n_choices[step.vertex]
    head = f"Step {current + 1} of {len(steps)}: {name} is eliminated."
    if not step.dependents:
        return [head, *_last_words(step, name, n_own, is_last=current + 1 == len(steps))]
    depends = _listed([f"{names[v]} ({_configurations(shape, v)})" for v in step.dependents])
    product = " × ".join(amount(shape.n_choices[v]) for v in (step.vertex, *step.dependents))
    each = "each choice" if len(step.dependents) == 1 else "every combination of choices"
    around = _listed([names[v] for v in step.dependents])
    words = [
        head,
        f"It has {_configurations(shape, step.vertex)} and depends on {depends}.",
        f"Table: {product} = {amount(step.n_joint)} entries; for {each} of {around} the best "
        f"choice of {name} is kept ({amount(step.n_kept)} "
        f"{'number' if step.n_kept == 1 else 'numbers'}).",
    ]
    if step.connected:
        words.append(f"Folded in: {_folded(step, names)}, eliminated before.")
    return words


def _configurations(shape: Skeleton, vertex: int) -> str:
    n = shape.n_choices[vertex]
    return f"{amount(n)} configuration{'s' if n > 1 else ''}"


def _folded(step: GrowthStep, names: Sequence[str]) -> str:
    plural = "s" if len(step.connected) > 1 else ""
    return f"the table{plural} of {_listed([names[v] for v in step.connected])}"


def _last_words(step: GrowthStep, name: str, n_own: int, *, is_last: bool) -> list[str]:
    """What is left when nothing depends on a layer any more."""
    words = [
        f"It depends on nothing: of its {amount(n_own)} choices the best is kept, one number.",
    ]
    if step.connected and is_last:
        words.append(
            "That number is the cost of the best strategy. Now the way back: in reverse order, "
            f"from {name} on, every layer takes the choice that was kept for those of its "
            "dependent set."
        )
    return words


def largest_joint(steps: Steps) -> int:
    """Entries of the largest joint table."""
    return max(step.n_joint for step in steps)


def largest_dependent_set(steps: Steps) -> int:
    """Layers in the largest dependent set."""
    return max(len(step.dependents) for step in steps)


def kept_bytes(steps: Steps) -> int:
    """Bytes of all tables of minima together, without sharing between equal blocks."""
    return ENTRY_BYTES * sum(step.n_kept for step in steps)


def ordering_sentence(title: str, n_devices: int, naive: Steps, clever: Steps) -> str:
    """What two orderings of one network need, in a sentence."""
    first, second = largest_joint(naive), largest_joint(clever)
    start = f"{title} on {n_devices} device{'s' if n_devices > 1 else ''}: "
    if first <= second:
        return f"{start}both orderings get by with a table of {amount(second)} entries."
    return (
        f"{start}breadth-first needs a table of {amount(first)} entries = "
        f"{amount_of_bytes(ENTRY_BYTES * first)}, GENERATESEQ {amount(second)} = "
        f"{amount_of_bytes(ENTRY_BYTES * second)}."
    )


def sample_growth_table(
    growths: Mapping[str, Mapping[str, Steps]],
    orderings: Mapping[str, str],
    budget_bytes: float,
) -> pd.DataFrame:
    """One row per sample and ordering, as numbers: largest dependent set and table, what to keep.

    Columns: network, layers, ordering, set, table (entries), kept (bytes), fits (yes or no). The
    numbers can be far too large for 64 bits.

    Args:
        growths: steps by sample and ordering.
        orderings: titles of the orderings.
        budget_bytes: memory for the tables.
    """
    return pd.DataFrame(
        [
            {
                "network": SAMPLES[name].title,
                "layers": len(steps),
                "ordering": orderings[ordering],
                "set": largest_dependent_set(steps),
                "table": largest_joint(steps),
                "kept": kept_bytes(steps),
                "fits": "yes" if kept_bytes(steps) <= budget_bytes else "no",
            }
            for name, of_ordering in growths.items()
            for ordering, steps in of_ordering.items()
        ]
    )


def shown_sample_growth(table: pd.DataFrame) -> pd.DataFrame:
    """The same for people, amounts in words."""
    return table.assign(
        table=[amount(entries) for entries in table["table"]],
        kept=[amount_of_bytes(n_bytes) for n_bytes in table["kept"]],
    )
