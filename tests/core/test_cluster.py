from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import pytest

from pase_core.cluster import FIELDS, GIVEN, Cluster, Link, preset
from pase_core.errors import ClusterError
from pase_core.graph import ELEMENT_BYTES

FAST, SLOW = Link("bus", 10e9, 1e-6), Link("network", 1e9, 2e-6)


def cluster(**changes) -> Cluster:
    values = {
        "name": "toy",
        "title": "Toy",
        "device": "Toy device",
        "n_devices": 4,
        "devices_per_node": 4,
        "peak_flop_per_second": (("float32", 1e12),),
        "memory_bytes": 1e9,
        "memory_bytes_per_second": 1e11,
        "intra_node": FAST,
        "inter_node": SLOW,
    }
    return Cluster(**(values | changes))


# The data


def test_a_cluster_is_frozen_and_hashable():
    assert hash(cluster()) == hash(cluster())
    assert cluster() == cluster() != cluster(n_devices=5)
    with pytest.raises(FrozenInstanceError):
        cluster().n_devices = 5


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"name": " "}, "the cluster's name"),
        ({"title": "two\nlines"}, "the cluster's title"),
        ({"device": 7}, "the cluster's device"),
        ({"n_devices": 0}, "n_devices is 0; it must be an integer from 1 to 1000000"),
        ({"n_devices": 1_000_001}, "n_devices is 1000001"),
        ({"n_devices": 8.0}, "n_devices is 8.0"),
        ({"n_devices": True}, "n_devices is True"),
        ({"devices_per_node": 0}, "devices_per_node is 0"),
        ({"memory_bytes": 0}, r"memory_bytes is 0; it must be from 1 to 1e\+18"),
        ({"memory_bytes": float("inf")}, "memory_bytes is inf"),
        ({"memory_bytes": float("nan")}, "memory_bytes is nan"),
        ({"memory_bytes": "80 GB"}, "memory_bytes is '80 GB'; it must be a number"),
        ({"achievable_fraction": 0}, "achievable_fraction is 0; it must be from 1e-06 to 1"),
        ({"achievable_fraction": 1.5}, "achievable_fraction is 1.5"),
        ({"memory_bytes_per_second": -1}, "memory_bytes_per_second is -1"),
        ({"peak_flop_per_second": ()}, "give at least one"),
        ({"peak_flop_per_second": (("int8", 1e12),)}, "'int8'"),
        ({"peak_flop_per_second": (("float32", 1e12),) * 2}, "each once"),
        ({"peak_flop_per_second": (("float32", 0),)}, "peak_flop_per_second of float32 is 0"),
        ({"peak_flop_per_second": (("float32", 1e25),)}, "1e\\+25"),
        ({"sources": (("speed", "a book"),)}, "'speed' is for an unknown field"),
        ({"sources": (("memory_bytes", "a book"),) * 2}, "given twice"),
        ({"sources": (("memory_bytes", " "),)}, "must be a text"),
        ({"sources": (("memory_bytes", "x" * 1001),)}, "1 to 1000 characters"),
    ],
)
def test_impossible_clusters_are_refused(changes, complaint):
    with pytest.raises(ClusterError, match=complaint):
        cluster(**changes)


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        (("", 1e9), "a link"),
        (("bus", 0), "bytes_per_second of 'bus' is 0"),
        (("bus", 2e18), "from 1 to 1e\\+18"),
        (("bus", 10**400), "bytes_per_second of 'bus'"),
        (("bus", True), "must be a number"),
        (("bus", 1e9, -1e-9), "latency_seconds of 'bus'"),
        (("bus", 1e9, 11), "from 0 to 10"),
        (("bus", 1e9, float("nan")), "latency_seconds of 'bus' is nan"),
    ],
)
def test_impossible_links_are_refused(values, complaint):
    with pytest.raises(ClusterError, match=complaint):
        Link(*values)


def test_the_edges_of_the_ranges_are_allowed():
    assert cluster(n_devices=1, devices_per_node=1_000_000).n_nodes == 1
    assert cluster(n_devices=1_000_000, devices_per_node=1).n_nodes == 1_000_000
    cluster(memory_bytes=1, memory_bytes_per_second=1e18, peak_flop_per_second=(("float8", 1e24),))
    Link("bus", 1, 0)
    Link("bus", 1e18, 10)


@pytest.mark.parametrize(("n_devices", "n_nodes"), [(1, 1), (4, 1), (5, 2), (8, 2), (9, 3)])
def test_nodes_are_rounded_up(n_devices, n_nodes):
    assert cluster(n_devices=n_devices).n_nodes == n_nodes


# The weakest link


def test_a_group_within_a_node_uses_the_intra_node_link_and_a_larger_one_the_slower():
    toy = cluster()
    assert [toy.link_of_group(n) for n in (1, 4, 5)] == [FAST, FAST, SLOW]
    assert toy.link == FAST
    assert toy.with_devices(5).bytes_per_second == 1e9
    slow_inside = cluster(intra_node=SLOW, inter_node=FAST, n_devices=5)
    assert slow_inside.link == SLOW


def test_of_two_equal_links_the_network_counts():
    equal = Link("network", FAST.bytes_per_second, 5e-6)
    assert cluster(inter_node=equal, n_devices=5).link == equal


def test_8_and_16_devices_of_the_paper_use_different_links():
    inside, across = preset("gtx-1080-ti", 8), preset("gtx-1080-ti", 16)
    assert inside.link.name.startswith("PCIe")
    assert across.link.name == "InfiniBand"
    assert inside.bytes_per_second > across.bytes_per_second


# FLOP/s by element type


@pytest.mark.parametrize(
    ("has", "wanted", "stand_in"),
    [
        (("float32", "float16"), "float16", "float16"),
        (("float32", "bfloat16"), "float16", "bfloat16"),
        (("float32", "float16"), "bfloat16", "float16"),
        (("float64", "float32"), "float16", "float32"),
        (("float64",), "bfloat16", "float64"),
        (("float64",), "float32", "float64"),
        (("float32", "float16", "bfloat16"), "float8", "bfloat16"),
        (("float32", "float16"), "float8", "float16"),
        (("float64", "float32"), "float8", "float32"),
        (("float8", "float32"), "float8", "float8"),
        (("float8", "float32"), "float16", "float32"),
    ],
)
def test_a_missing_type_takes_the_next_type_at_least_as_wide(has, wanted, stand_in):
    peaks = tuple((name, 1e12 + i) for i, name in enumerate(has))
    assert cluster(peak_flop_per_second=peaks).flop_per_second(wanted) == dict(peaks)[stand_in]
    assert ELEMENT_BYTES[stand_in] >= ELEMENT_BYTES[wanted]


def test_a_type_wider_than_all_the_device_has_is_an_error():
    with pytest.raises(ClusterError, match="Google TPU v4 has no float64 arithmetic, only float32"):
        preset("tpu-v4").flop_per_second("float64")


def test_an_unknown_type_is_an_error():
    with pytest.raises(ClusterError, match="did you mean 'float16'"):
        cluster().flop_per_second("float17")


# The user's figures


def test_overrides_replace_every_peak_and_both_links_and_say_so():
    original = preset("h100-sxm", 16)
    changed = original.with_overrides(flop_per_second=5e12, bytes_per_second=2e9)
    assert {changed.flop_per_second(name) for name in ELEMENT_BYTES} == {5e12}
    assert changed.intra_node == replace(original.intra_node, bytes_per_second=2e9)
    assert changed.inter_node == replace(original.inter_node, bytes_per_second=2e9)
    given = {field for field, text in changed.sources if text == GIVEN}
    wanted = ("peak_flop_per_second.", "intra_node.bytes", "inter_node.bytes")
    assert given == {field for field in FIELDS if field.startswith(wanted)}
    assert changed.n_devices == 16
    assert dict(changed.sources)["memory_bytes"] == dict(original.sources)["memory_bytes"]


def test_one_override_leaves_the_other_figures():
    original = preset("h100-sxm")
    assert original.with_overrides() == original
    slower = original.with_overrides(bytes_per_second=1e9)
    assert slower.peak_flop_per_second == original.peak_flop_per_second
    assert slower.with_overrides(bytes_per_second=1e9) == slower
    faster = original.with_overrides(flop_per_second=1e15)
    assert (faster.intra_node, faster.inter_node) == (original.intra_node, original.inter_node)


@pytest.mark.parametrize("figure", ["flop_per_second", "bytes_per_second"])
@pytest.mark.parametrize("value", [0, -1.0, float("nan"), float("inf")])
def test_impossible_overrides_are_refused(figure, value):
    with pytest.raises(ClusterError, match=figure):
        cluster().with_overrides(**{figure: value})
