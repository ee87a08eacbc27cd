"""A cluster in words: its figures with units, and which of them the user gave."""

from __future__ import annotations

from pase_core.cluster_data import GIVEN, Cluster
from pase_core.cluster_fields import FIELDS, LINKS, PEAKS
from pase_core.units import count, percent, with_prefix

ABSENT = "-"
"""Stands for a figure that a device does not have."""

MOST_NAMED = 2
"""Given figures that a cluster's name says; of more it says how many."""

_ALL_PEAKS = tuple(field for field in FIELDS if field.startswith(PEAKS))
_BANDWIDTHS = tuple(f"{link}.bytes_per_second" for link in LINKS)


def figure_text(cluster: Cluster, field: str) -> str:
    """A figure with its unit, or ABSENT.

    Example:
        >>> from pase_core.cluster import preset
        >>> figure_text(preset("h100-sxm"), "intra_node.latency_seconds")
        '3.40 µs'
    """
    figure = cluster.figure(field)
    if figure is None:
        return ABSENT
    unit = FIELDS[field].unit
    if unit:
        return with_prefix(figure, unit)
    return count(int(figure)) if FIELDS[field].is_count else percent(figure)


def given_texts(cluster: Cluster) -> tuple[str, ...]:
    """Each of the figures that the user gave, in words; equal ones of a kind are one text.

    Example:
        >>> from pase_core.cluster import preset
        >>> given_texts(preset("h100-sxm").with_overrides(bytes_per_second=25e9))
        ('links of 25.0 GB/s',)
    """
    sources = dict(cluster.sources)
    given = [field for field in FIELDS if sources.get(field) == GIVEN]
    texts = []
    for fields, text in ((_ALL_PEAKS, "a peak of {}"), (_BANDWIDTHS, "links of {}")):
        if set(fields) <= set(given) and len({cluster.figure(field) for field in fields}) == 1:
            texts.append(text.format(figure_text(cluster, fields[0])))
            given = [field for field in given if field not in fields]
    texts += [f"{figure_text(cluster, field)} {_lower(FIELDS[field].label)}" for field in given]
    return tuple(texts)


def _lower(label: str) -> str:
    return label[:1].lower() + label[1:]


def given_clause(cluster: Cluster) -> str:
    """What is to be said beside a cluster's name: ` with ...`, or nothing if all is its own.

    Example:
        >>> from pase_core.cluster import preset
        >>> given_clause(preset("h100-sxm").with_figures({"memory_bytes": 40e9}))
        ' with 40.0 GB memory per device'
    """
    texts = given_texts(cluster)
    if len(texts) > MOST_NAMED:
        return f" with {len(texts)} given figures"
    return f" with {' and '.join(texts)}" if texts else ""


def cluster_name(cluster: Cluster) -> str:
    """The cluster's name, and which figures are not its own."""
    return cluster.name + given_clause(cluster)
