"""Every figure of a cluster is explained once, and its words are used."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pase_core.cluster import FIELDS, GIVEN, cluster_from_json, cluster_to_json, preset
from pase_core.cluster import preset_names as names
from pase_core.cluster_words import (
    ABSENT,
    cluster_name,
    figure_text,
    given_clause,
    given_texts,
)
from pase_core.errors import ClusterError
from pase_core.graph import ELEMENT_BYTES
from tests.core.cluster_edits import edits, figures_of

H100 = preset("h100-sxm")


# The fields


@pytest.mark.parametrize("name", FIELDS)
def test_every_field_is_explained(name):
    field = FIELDS[name]
    assert field.meaning.endswith(".")
    assert field.meaning[0].isupper()
    assert field.label not in [other.label for key, other in FIELDS.items() if key != name]
    assert field.least < field.most
    assert bool(field.unit or field.shown_unit) is not field.is_count
    assert field.title.endswith(f"[{field.shown_unit}]") or field.is_count


def test_every_element_type_and_both_links_have_fields():
    assert {f"peak_flop_per_second.{name}" for name in ELEMENT_BYTES} <= set(FIELDS)
    for link in ("intra_node", "inter_node"):
        assert {f"{link}.bytes_per_second", f"{link}.latency_seconds"} <= set(FIELDS)
    assert H100.figure("intra_node.latency_seconds") == H100.intra_node.latency_seconds


@pytest.mark.parametrize("name", FIELDS)
@given(data=st.data())
def test_a_figure_in_the_unit_for_people_can_be_had_back(name, data):
    field = FIELDS[name]
    figure = data.draw(figures_of(field))
    assert math.isclose(field.from_shown(field.to_shown(figure)), figure, rel_tol=1e-15)
    assert math.isclose(field.to_shown(figure), figure / 10**field.power, rel_tol=1e-14)


def test_decimals_stay_as_they_were_typed():
    latency = FIELDS["intra_node.latency_seconds"]
    assert latency.from_shown(3.4) == 3.4e-6
    assert latency.to_shown(3.4e-6) == 3.4
    assert FIELDS["achievable_fraction"].to_shown(0.57) == 57


# Other figures in place of a cluster's own


@given(name=st.sampled_from(names()), figures=edits)
def test_a_changed_cluster_is_written_and_read_back(name, figures):
    original = preset(name, 24)
    changed = original.with_figures(figures)
    assert cluster_from_json(cluster_to_json(changed), "memory") == changed
    assert {field for field, text in changed.sources if text == GIVEN} == set(figures)
    for field in FIELDS:
        assert changed.figure(field) == figures.get(field, original.figure(field))
    assert changed.n_devices == 24


@given(figures=edits)
def test_figures_can_be_changed_one_by_one(figures):
    one_by_one = H100
    for field, figure in figures.items():
        one_by_one = one_by_one.with_figures({field: figure})
    assert one_by_one == H100.with_figures(figures)
    assert H100 == preset("h100-sxm")


@pytest.mark.parametrize(
    ("figures", "complaint"),
    [
        ({"memory": 1e9}, "unknown figure 'memory'.*did you mean 'memory_bytes'"),
        ({"memory_bytes": 0}, "memory_bytes is 0"),
        ({"devices_per_node": 2.5}, "devices_per_node is 2.5; it must be an integer"),
        ({"achievable_fraction": 1.01}, "achievable_fraction is 1.01; it must be from 1e-06 to 1"),
        ({"achievable_fraction": 0}, "achievable_fraction is 0"),
        ({"inter_node.latency_seconds": -1}, "latency_seconds of 'InfiniBand NDR' is -1"),
        ({"peak_flop_per_second.float8": math.nan}, "peak_flop_per_second of float8 is nan"),
    ],
)
def test_impossible_figures_are_refused(figures, complaint):
    with pytest.raises(ClusterError, match=complaint):
        H100.with_figures(figures)


def test_a_whole_number_may_come_as_a_float():
    assert H100.with_figures({"devices_per_node": 4.0}).devices_per_node == 4


# Words


def test_figures_have_units():
    assert figure_text(H100, "memory_bytes") == "80.0 GB"
    assert figure_text(H100, "devices_per_node") == "8"
    assert figure_text(H100, "achievable_fraction") == "75.0 %"
    assert figure_text(preset("tpu-v4"), "peak_flop_per_second.float64") == ABSENT


@pytest.mark.parametrize(
    ("figures", "clause"),
    [
        ({}, ""),
        ({"inter_node.bytes_per_second": 1e11}, " with 100 GB/s bandwidth between nodes"),
        ({"devices_per_node": 4}, " with 4 devices per node"),
        (
            {"memory_bytes": 4e10, "inter_node.latency_seconds": 1e-6},
            " with 40.0 GB memory per device and 1.00 µs latency between nodes",
        ),
        (
            {"memory_bytes": 4e10, "inter_node.latency_seconds": 1e-6, "devices_per_node": 4},
            " with 3 given figures",
        ),
    ],
)
def test_given_figures_are_said_beside_the_name(figures, clause):
    changed = H100.with_figures(figures)
    assert given_clause(changed) == clause
    assert cluster_name(changed) == f"h100-sxm{clause}"


def test_equal_figures_of_a_kind_are_said_once():
    changed = H100.with_overrides(flop_per_second=2e13, bytes_per_second=25e9)
    assert given_texts(changed) == ("a peak of 20.0 TFLOP/s", "links of 25.0 GB/s")
    apart = changed.with_figures({"intra_node.bytes_per_second": 5e10})
    assert len(given_texts(apart)) == 3
