"""The process behind a scaling study: `python -m explorer.worker`. No streamlit here.

Standard input: one line of JSON (`scenario`, `devices`, `n_bytes`), then the content of the
upload. It stays open as long as the server lives; when it closes, this process ends. Standard
output: one line of JSON per message, either `working` ([devices, share done]) or `points`.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from explorer.points import (
    Point,
    point_to_json,
    points_of,
    scenario_from_json,
    scenario_to_json,
)
from explorer.scenario import Scenario
from pase_core.errors import PaseError
from pase_core.solve import Problem, compare

_PROGRESS_SECONDS = 0.1
"""Least time between two messages about progress."""

Send = Callable[[str, object], None]


def request(scenario: Scenario, devices: Iterable[int]) -> Iterator[bytes]:
    """What to write to a worker's standard input."""
    content = scenario.upload.data if scenario.upload else b""
    header = {
        "scenario": scenario_to_json(scenario),
        "devices": list(devices),
        "n_bytes": len(content),
    }
    yield json.dumps(header).encode() + b"\n"
    yield content


def solve_all(scenario: Scenario, devices: Iterable[int], send: Send) -> None:
    """Solve a scenario for each number of devices; an error becomes a point with a message."""
    try:
        problem = scenario.problem()
    except PaseError as error:
        for n_devices in devices:
            send("points", [point_to_json(Point(n_devices, message=str(error)))])
        return
    for n_devices in devices:
        send("working", [n_devices, 0.0])
        points = _solve_one(problem, n_devices, send)
        send("points", [point_to_json(point) for point in points])


def _solve_one(problem: Problem, n_devices: int, send: Send) -> tuple[Point, ...]:
    sent_at = time.monotonic()

    def progress(share: float) -> None:
        nonlocal sent_at
        if time.monotonic() - sent_at > _PROGRESS_SECONDS:
            sent_at = time.monotonic()
            send("working", [n_devices, share])

    cluster = problem.cluster.with_devices(n_devices)
    try:
        return points_of(compare(replace(problem, cluster=cluster), progress))
    except PaseError as error:
        return (Point(n_devices, message=str(error)),)
    except MemoryError:
        return (Point(n_devices, message="this machine's memory does not suffice"),)


def _end_with_server() -> None:
    """End this process at once when the server closes its end of the pipe."""
    while os.read(sys.stdin.fileno(), 1):
        pass
    os._exit(1)


def _read_request() -> tuple[dict[str, Any], bytes]:
    """The header and the upload's content; unbuffered, so that nothing else holds the pipe."""
    received = bytearray()

    def receive() -> None:
        part = os.read(sys.stdin.fileno(), 2**20)
        if not part:
            sys.exit("the server has gone")
        received.extend(part)

    while b"\n" not in received:
        receive()
    line, _, content = bytes(received).partition(b"\n")
    header: dict[str, Any] = json.loads(line)
    received[:] = content
    while len(received) < header["n_bytes"]:
        receive()
    return header, bytes(received)


def main() -> None:
    """Read a request, answer it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, whose end ends us
    header, content = _read_request()
    threading.Thread(target=_end_with_server, daemon=True).start()
    answers = sys.stdout
    sys.stdout = sys.stderr  # nothing but messages may go to the pipe

    def send(kind: str, message: object) -> None:
        answers.write(json.dumps({kind: message}) + "\n")
        answers.flush()

    solve_all(scenario_from_json(header["scenario"], content), header["devices"], send)
    os._exit(0)  # not held up by the thread that waits for the server's end


if __name__ == "__main__":
    main()
