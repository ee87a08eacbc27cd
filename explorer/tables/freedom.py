"""How many ways to split a layer are nearly as good as the best."""

from __future__ import annotations

from html import escape

import pandas as pd

from explorer.regret_scale import percent_text
from pase_core.alternatives import Regrets
from pase_core.modules import module_names
from pase_core.units import count


def freedom_table(regrets: Regrets, share: float) -> pd.DataFrame:
    """One row per layer: how many of its configurations stay within a share of the optimum.

    Args:
        regrets: of every configuration.
        share: of the optimum.

    Returns:
        Columns: layer, module, near, total, is_pinned, hover.
    """
    names = [layer.name for layer in regrets.problem.graph.layers]
    where = f"within {percent_text(share)} of the optimum" if share else "as good as the optimum"
    pinned = {name for name, _ in regrets.problem.pins}
    table = pd.DataFrame(
        {
            "layer": names,
            "module": module_names(names),
            "near": regrets.freedom(share),
            "total": [len(costs) for costs in regrets.costs],
            "is_pinned": [name in pinned for name in names],
        }
    )
    table["hover"] = [
        f"<b>{escape(name, quote=False)}</b>, number {number} of {len(names)}<br>"
        + ("pinned" if name in pinned else f"{near} of {count(total, 'configuration')} {where}")
        for number, (name, near, total) in enumerate(
            zip(names, table["near"], table["total"], strict=True), start=1
        )
    ]
    return table


def freedom_sentence(table: pd.DataFrame, share: float) -> str:
    """How free the choice is, in one sentence of Markdown.

    Args:
        table: as `freedom_table` makes it.
        share: as given to it.
    """
    free = table[~table["is_pinned"]]
    where = f"Within **{percent_text(share)}** of the optimum" if share else "At the optimum itself"
    if free.empty:
        return "All layers are pinned: there is nothing left to choose."
    least, most = int(free["near"].min()), int(free["near"].max())
    if most == 1:
        return f"{where} there is no choice: every layer can be split in **one way** only."
    ways = f"{least} to {most}" if least < most else str(most)
    n_fixed = int((free["near"] == 1).sum())
    verb = "has" if n_fixed == 1 else "have"
    rest = f"**{n_fixed} of {len(free)}** {verb}" if n_fixed else "**none** has"
    end = "no other choice" if n_fixed else "only one choice"
    return f"{where} a layer can be split in **{ways}** ways; {rest} {end}."
