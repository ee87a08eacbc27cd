"""The paper's Figure 6: speed-ups that it measured, and the modelled ones beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import resources

import pandas as pd

from explorer.points import DATA_PARALLEL, EXPERT, FOUND, Point
from explorer.scenario import Scenario
from explorer.tables.scaling import capital
from pase_core.cluster import preset
from pase_core.experts import PAPER_EXPERTS

CLUSTERS = {"1080Ti": "gtx-1080-ti", "2080Ti": "rtx-2080-ti"}
"""The paper's systems, by the names in the file, and the presets that describe them."""

MEASURED = "measured (the paper's)"
MODELLED_SPEEDUP = "modelled (ours)"

_NETWORKS = {
    "alexnet": "AlexNet",
    "inception_v3": "InceptionV3",
    "rnnlm": "RNNLM",
    "transformer": "Transformer",
}


def figure6_scenarios(scenario: Scenario) -> dict[str, Scenario]:
    """The scenario on each of the paper's systems with the paper's batch, by the preset's name.

    Empty for a network that the paper did not measure.
    """
    if scenario.upload is not None or scenario.network not in _NETWORKS:
        return {}
    like_paper = replace(scenario, batch=None, pins=())
    return {cluster: replace(like_paper, cluster=cluster) for cluster in CLUSTERS.values()}


def figure6_titles() -> dict[str, str]:
    """Title of each system's panel, by the preset's name."""
    return {cluster: preset(cluster).device for cluster in CLUSTERS.values()}


def measured_speedups(network: str) -> pd.DataFrame:
    """What the paper measured of a network.

    Columns: cluster (preset), devices, source (MEASURED), kind, strategy, speedup.
    """
    with resources.files("explorer").joinpath("data/fig6_measured.csv").open("rb") as file:
        wide = pd.read_csv(file, comment="#")
    wide = wide[wide["model"] == _NETWORKS[network]]
    table = wide.melt(
        ["gpu", "devices"], ["pase", "expert", "flexflow"], "strategy", "speedup"
    ).dropna()
    titles = {"pase": "PaSE", "expert": "Expert", "flexflow": "FlexFlow"}
    return pd.DataFrame(
        {
            "cluster": table["gpu"].map(CLUSTERS),
            "devices": table["devices"],
            "source": MEASURED,
            "kind": table["strategy"].replace("pase", FOUND),
            "strategy": table["strategy"].map(titles),
            "speedup": table["speedup"],
        }
    )


def modelled_speedups(points_by_cluster: Mapping[str, Sequence[Point]]) -> pd.DataFrame:
    """What the model says of the strategies that the paper measured, in the same columns.

    Data parallelism is left out, as it is what the others are set against.
    """
    rows = []
    for cluster, points in points_by_cluster.items():
        baselines = {p.n_devices: p.seconds for p in points if p.kind == DATA_PARALLEL}
        rows += [
            {
                "cluster": cluster,
                "devices": point.n_devices,
                "source": MODELLED_SPEEDUP,
                "kind": point.kind,
                "strategy": capital(point.strategy),
                "speedup": baselines[point.n_devices] / point.seconds,
            }
            for point in points
            if _is_measured(point) and not point.message and point.seconds
        ]
    columns = ["cluster", "devices", "source", "kind", "strategy", "speedup"]
    return pd.DataFrame(rows, columns=columns)


def _is_measured(point: Point) -> bool:
    return point.kind == FOUND or (point.kind == EXPERT and point.strategy in PAPER_EXPERTS)


def figure6_table(network: str, points_by_cluster: Mapping[str, Sequence[Point]]) -> pd.DataFrame:
    """Measured and modelled speed-ups for the numbers of devices that the paper measured."""
    measured, modelled = measured_speedups(network), modelled_speedups(points_by_cluster)
    modelled = modelled[modelled["devices"].isin(measured["devices"])]
    return pd.concat([measured, modelled], ignore_index=True)


def shown_figure6(table: pd.DataFrame) -> pd.DataFrame:
    """One row per system and number of devices, one column per line of the figure."""
    lines = table["strategy"] + ", " + table["source"]
    systems = table["cluster"].map(figure6_titles())
    wide = table.assign(line=lines, system=systems).pivot(
        index=["system", "devices"], columns="line", values="speedup"
    )
    return wide[list(dict.fromkeys(lines))].round(2).reset_index()
