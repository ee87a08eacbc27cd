import json
import os
import subprocess
import sys
import time
from dataclasses import replace

import psutil
import pytest

from explorer.points import (
    PAPER_DEVICES,
    Point,
    devices_up_to,
    point_from_json,
    point_to_json,
    points_of,
    scenario_from_json,
    scenario_to_json,
)
from explorer.runs import Registry, run_key
from explorer.scenario import OWN_CLUSTER, Scenario, Upload
from explorer.snapshots import State, progress_of
from pase_core.cluster import preset
from pase_core.importers.json_graph import graph_to_json
from pase_core.solve import compare
from sample_graphs import SAMPLES

LONG = Scenario(network="transformer")
LONG_DEVICES = (1024,)


@pytest.fixture
def make_registry():
    """Makes registries whose runs are over when the test is."""
    made = []

    def make(*arguments):
        made.append(Registry(*arguments))
        return made[-1]

    yield make
    for registry in made:
        registry.stop_all()


@pytest.fixture
def registry(make_registry):
    return make_registry()


def wait(registry, key, is_reached=lambda now: not now.is_alive):
    for _ in range(600):
        now = registry.snapshot(key)
        if is_reached(now):
            return now
        time.sleep(0.05)
    pytest.fail(f"the run is still {now.state} after 30 s")


def is_running(now):
    return now.state is State.RUNNING and now.working_on[0] is not None


def has_ended(process_id, seconds):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not psutil.pid_exists(process_id):
            return True
        if psutil.Process(process_id).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.02)
    return False


def timeless(points):
    return [replace(point, search_seconds=0.0) for point in points]


def test_a_run_gives_the_numbers_of_compare(registry):
    scenario = Scenario(network="rnnlm")
    now = wait(registry, registry.ensure(scenario, (1, 4, 8)))
    assert now.state is State.DONE
    assert now.share == 1.0
    expected = [
        point
        for n in (1, 4, 8)
        for point in points_of(compare(replace(scenario, n_devices=n).problem()))
    ]
    assert timeless(now.results) == timeless(expected)
    for point in now.results:
        assert sum(cost for _name, cost in point.components) == pytest.approx(point.cost)
        assert point.weights_bytes > 0 and point.unit == "FLOP"
        assert point.is_proved == (point.kind == "found")


def test_an_uploaded_file_reaches_the_worker(registry):
    data = graph_to_json(SAMPLES["rnnlm"].build(8)).encode()
    scenario = Scenario(network="upload", upload=Upload("mine.json", data))
    now = wait(registry, registry.ensure(scenario, (2,)))
    found = compare(replace(scenario, n_devices=2).problem()).solution.found
    assert now.results[0].cost == found.total
    assert now.scenario.upload == Upload("mine.json", b"")


def test_stop_ends_the_process(registry):
    key = registry.ensure(LONG, LONG_DEVICES)
    wait(registry, key, is_running)
    process_id = registry.process_id(key)
    start = time.monotonic()
    registry.stop(key)
    assert time.monotonic() - start < 1.0
    assert has_ended(process_id, 2.0)
    assert registry.snapshot(key).state is State.STOPPED


def test_a_stopped_run_stays_stopped_until_it_is_told_to_go_on(registry):
    scenario = Scenario(network="rnnlm")
    key = registry.ensure(scenario, (1, 2))
    registry.stop(key)
    assert registry.ensure(scenario, (1, 2)) == key
    assert registry.snapshot(key).state is State.STOPPED
    registry.ensure(scenario, (1, 2), is_restart=True)
    assert wait(registry, key).solved == (1, 2)


def test_an_error_for_one_number_of_devices_is_a_point(registry):
    scenario = Scenario(network="rnnlm", pins=(("embedding", (4, 1, 1, 1)),))
    now = wait(registry, registry.ensure(scenario, (2, 4)))
    assert now.state is State.DONE
    failed = [point for point in now.results if point.message]
    assert [point.n_devices for point in failed] == [2]
    assert "embedding" in failed[0].message
    assert {point.n_devices for point in now.results} == {2, 4}


def test_a_file_that_cannot_be_read_gives_messages(registry):
    scenario = Scenario(network="upload", upload=Upload("mine.json", b"{"))
    now = wait(registry, registry.ensure(scenario, (1, 2)))
    assert [point.n_devices for point in now.results] == [1, 2]
    assert all("mine.json" in point.message for point in now.results)


def test_a_process_that_dies_is_noticed(registry):
    key = registry.ensure(LONG, LONG_DEVICES)
    wait(registry, key, is_running)
    psutil.Process(registry.process_id(key)).kill()
    now = wait(registry, key)
    assert now.state is State.FAILED
    assert "unexpectedly" in progress_of([now])[1]


def test_the_same_scenario_is_the_same_run(registry):
    scenario = Scenario(network="rnnlm")
    key = registry.ensure(scenario, (1, 2))
    assert registry.ensure(replace(scenario, n_devices=64), (2,)) == key
    assert registry.ensure(replace(scenario, batch=32), (1,)) != key
    assert len(registry) == 2
    wait(registry, key)


def test_more_devices_keep_what_is_solved(registry):
    scenario = Scenario(network="rnnlm")
    key = registry.ensure(scenario, (1, 2))
    before = wait(registry, key).results
    registry.ensure(scenario, (2, 4))
    after = wait(registry, key)
    assert after.items == (1, 2, 4)
    assert after.results[: len(before)] == before
    assert after.solved == (1, 2, 4)


def test_keys_are_stable_between_processes_and_know_the_upload():
    upload = Upload("a.json", b"abc", (("N", 3),))
    scenario = Scenario(network="upload", upload=upload, tera_flops=1.5)
    code = (
        "from explorer.runs import run_key; from explorer.scenario import Scenario, Upload\n"
        f"print(run_key({scenario!r}))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == run_key(scenario)
    others = [replace(upload, data=b"abd"), replace(upload, bindings=(("N", 4),))]
    keys = {run_key(replace(scenario, upload=each)) for each in (upload, *others)}
    assert len(keys) == 3


def test_workers_get_the_users_own_cluster():
    own = preset("b200", 16).with_figures({"memory_bytes": 1e10})
    figures = (("intra_node.latency_seconds", 3.4e-6),)
    scenario = Scenario(cluster=OWN_CLUSTER, own_cluster=own, figures=figures)
    sent = json.loads(json.dumps(scenario_to_json(scenario)))
    assert scenario_from_json(sent, b"") == scenario
    keys = {run_key(each) for each in (scenario, replace(scenario, figures=()), Scenario())}
    assert len(keys) == 3


def test_few_runs_are_live_and_few_are_kept(make_registry):
    registry = make_registry(1, 2)
    first = registry.ensure(LONG, LONG_DEVICES)
    second = registry.ensure(Scenario(network="rnnlm"), (1,))
    assert registry.snapshot(second).state is State.WAITING
    assert "waiting" in progress_of([registry.snapshot(second)])[1]
    registry.stop(first)
    assert wait(registry, second).state is State.DONE
    third = registry.ensure(Scenario(network="alexnet"), (1,))
    assert len(registry) == 2
    assert registry.snapshot(first) is None
    wait(registry, third)


def test_a_run_that_nobody_watches_makes_room(make_registry):
    registry = make_registry(1, 4, 0.2)
    first = registry.ensure(LONG, LONG_DEVICES)
    second = registry.ensure(Scenario(network="rnnlm"), (1,))
    assert wait(registry, second).state is State.DONE
    assert registry.snapshot(first).state is State.DROPPED
    registry.ensure(LONG, LONG_DEVICES)  # somebody looks again
    assert registry.snapshot(first).is_alive


def test_the_worker_dies_with_its_server():
    code = (
        "import os, time\n"
        "from explorer.runs import Registry; from explorer.scenario import Scenario\n"
        "registry = Registry()\n"
        f"key = registry.ensure({LONG!r}, {LONG_DEVICES!r})\n"
        "while not registry.snapshot(key).working_on[0]: time.sleep(0.02)\n"
        "print(registry.process_id(key), flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as server:
        process_id = int(server.stdout.readline())
        assert psutil.pid_exists(process_id)
        server.kill()
        assert has_ended(process_id, 2.0)


def test_the_worker_loads_no_streamlit():
    code = "import explorer.worker, explorer.runs, sys; print('streamlit' in sys.modules)"
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ
    )
    assert shown.stdout.strip() == "False"


def test_scenarios_and_points_survive_json():
    upload = Upload("a.json", b"abc", (("N", 3),))
    pins = (("fc", (1, 2)),)
    for scenario in (Scenario(), Scenario(network="upload", upload=upload, pins=pins, batch=4)):
        assert scenario_from_json(scenario_to_json(scenario), b"abc") == scenario
    point = Point(8, components=(("compute", 1.0), ("redistribution", 0.5)), message="no")
    assert point_from_json(point_to_json(point)) == point


def test_the_papers_devices_are_always_solved():
    assert set(PAPER_DEVICES) <= set(devices_up_to(1))
    assert devices_up_to(48)[-1] == 64
    assert devices_up_to(200)[-1] == 128
    assert devices_up_to(1024)[-1] == 1024
