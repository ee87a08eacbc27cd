"""The process behind a study: `python -m explorer.worker`. No streamlit here.

Standard input: one line of JSON (`kind`, `scenario`, `items`, `n_bytes`), then the content of the
upload. It stays open as long as the server lives; when it closes, this process ends. Standard
output: one line of JSON per message, either `working` ([item, share done]) or `results`.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from explorer.points import scenario_from_json, scenario_to_json
from explorer.scenario import Scenario
from explorer.studies import KINDS, Item, Kind, Result, Solve
from pase_core.errors import PaseError

_PROGRESS_SECONDS = 0.1
"""Least time between two messages about progress."""

Send = Callable[[str, object], None]


def request(kind: str, scenario: Scenario, items: Iterable[Item]) -> Iterator[bytes]:
    """What to write to a worker's standard input."""
    content = scenario.upload.data if scenario.upload else b""
    header = {
        "kind": kind,
        "scenario": scenario_to_json(scenario),
        "items": list(items),
        "n_bytes": len(content),
    }
    yield json.dumps(header).encode() + b"\n"
    yield content


def solve_all(kind: Kind, scenario: Scenario, items: Iterable[Item], send: Send) -> None:
    """Solve every item; an error becomes a result with a message."""
    try:
        solve = kind.begin(scenario.problem())
    except PaseError as error:
        for item in items:
            send("results", [kind.to_json(kind.fail(item, str(error)))])
        return
    for item in items:
        send("working", [item, 0.0])
        results = _solve_one(kind, solve, item, send)
        send("results", [kind.to_json(result) for result in results])


def _solve_one(kind: Kind, solve: Solve, item: Item, send: Send) -> tuple[Result, ...]:
    sent_at = time.monotonic()

    def progress(share: float) -> None:
        nonlocal sent_at
        if time.monotonic() - sent_at > _PROGRESS_SECONDS:
            sent_at = time.monotonic()
            send("working", [item, share])

    try:
        return solve(item, progress)
    except PaseError as error:
        return (kind.fail(item, str(error)),)
    except MemoryError:
        return (kind.fail(item, "this machine's memory does not suffice"),)


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

    kind = KINDS[header["kind"]]
    items = [kind.read_item(item) for item in header["items"]]
    solve_all(kind, scenario_from_json(header["scenario"], content), items, send)
    os._exit(0)  # not held up by the thread that waits for the server's end


if __name__ == "__main__":
    main()
