"""Studies that run beside the pages: one worker process each, few at a time.

A run outlives the page that began it: whoever has its key, or the same scenario, finds it again.
No streamlit here; everything is safe to call from several threads.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from explorer.scenario import Scenario
from explorer.snapshots import Snapshot, State
from explorer.studies import KINDS, SCALING, Item, Result
from explorer.worker import request

MAX_LIVE = 2
MAX_KEPT = 16

PATIENCE_SECONDS = 10.0
"""A run that nobody has looked at for so long makes room for one that waits."""

_STOP_SECONDS = 0.5
"""How long a process may take to end before it is killed."""


def run_key(scenario: Scenario, kind: str = SCALING) -> str:
    """Name of a scenario's run: a hash of all of its content that matters to the kind."""
    counted = scenario if KINDS[kind].takes_devices else replace(scenario, n_devices=1)
    digest = hashlib.sha256(repr((kind, replace(counted, upload=None))).encode())
    if scenario.upload is not None:
        digest.update(repr((scenario.upload.name, scenario.upload.bindings)).encode())
        digest.update(scenario.upload.data)
    return digest.hexdigest()[:16]


def _without_content(scenario: Scenario) -> Scenario:
    upload = scenario.upload and replace(scenario.upload, data=b"")
    return replace(scenario, upload=upload)


class Run:
    """A worker process and what it has sent."""

    def __init__(self, scenario: Scenario, waiting: Snapshot) -> None:
        self._lock = threading.Lock()
        self._scenario = scenario
        self._process: subprocess.Popen[bytes] | None = None
        self._now = waiting
        self.seen_at = time.monotonic()

    def snapshot(self) -> Snapshot:
        """The run as it is now."""
        with self._lock:
            return self._now

    @property
    def process_id(self) -> int | None:
        """Number of the worker process, once there is one."""
        process = self._process
        return process.pid if process else None

    def start(self, on_end: Callable[[], None]) -> None:
        """Start the worker, unless the run was stopped before; `on_end` is called at its end."""
        with self._lock:
            if self._now.state is not State.WAITING:
                return
            self._now = replace(self._now, state=State.RUNNING)
            try:
                process = self._process = subprocess.Popen(
                    [sys.executable, "-m", "explorer.worker"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                )
            except OSError as error:
                message = f"no worker process could be started: {error}"
                self._now = replace(self._now, state=State.FAILED, message=message)
                return
        arguments = (process, on_end)
        threading.Thread(target=self._follow, args=arguments, name="run", daemon=True).start()

    def stop(self, state: State = State.STOPPED) -> None:
        """End the worker, within a second; does nothing once the run is over."""
        with self._lock:
            if not self._now.is_alive:
                return
            self._now = replace(self._now, state=state)
            self._scenario = self._now.scenario
            process = self._process
        if process is not None:
            process.terminate()
            try:
                process.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()

    def _follow(self, process: subprocess.Popen[bytes], on_end: Callable[[], None]) -> None:
        """Feed the worker, take its messages, and note its end."""
        assert process.stdin is not None and process.stdout is not None
        solved = set(self._now.solved)
        missing = [item for item in self._now.items if item not in solved]
        try:
            for part in request(self._now.kind, self._scenario, missing):
                process.stdin.write(part)
            process.stdin.flush()
            for line in process.stdout:
                self._take(json.loads(line))
        except (OSError, ValueError):  # it was ended in the middle of something
            process.kill()
        code = process.wait()
        process.stdout.close()
        try:
            process.stdin.close()
        except OSError:  # what it had not read is lost with it
            pass
        self._end(code)
        on_end()

    def _take(self, message: dict[str, Any]) -> None:
        kind = KINDS[self._now.kind]
        with self._lock:
            if "working" in message:
                item, share = message["working"]
                working_on = (kind.read_item(item), float(share))
                self._now = replace(self._now, working_on=working_on)
            else:
                results = [*self._now.results, *map(kind.from_json, message["results"])]
                results.sort(key=lambda result: self._now.items.index(kind.item_of(result)))
                self._now = replace(self._now, results=tuple(results), working_on=(None, 0.0))

    def _end(self, code: int) -> None:
        with self._lock:
            self._scenario = self._now.scenario
            if self._now.state is not State.RUNNING:
                return
            if set(self._now.items) <= set(self._now.solved):
                self._now = replace(self._now, state=State.DONE)
            else:
                message = f"the worker process ended unexpectedly (exit code {code})"
                self._now = replace(self._now, state=State.FAILED, message=message)


class Registry:
    """All runs of a server, by their keys."""

    def __init__(
        self,
        max_live: int = MAX_LIVE,
        max_kept: int = MAX_KEPT,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> None:
        self._lock = threading.RLock()
        self._runs: dict[str, Run] = {}
        self._max_live = max_live
        self._max_kept = max_kept
        self._patience_seconds = patience_seconds

    def ensure(
        self,
        scenario: Scenario,
        items: Sequence[Item],
        *,
        kind: str = SCALING,
        is_restart: bool = False,
    ) -> str:
        """Begin a scenario's run, or find it; returns its key.

        What an earlier run has solved is kept. A run that was stopped or failed stays so, unless
        more is asked for.

        Args:
            scenario: what to study.
            items: what to do of it.
            kind: a name of `studies.KINDS`.
            is_restart: whether to go on with a run that was stopped or failed.
        """
        key = run_key(scenario, kind)
        wanted = set(items)
        results: tuple[Result, ...] = ()
        with self._lock:
            run = self._runs.get(key)
            if run is not None:
                run.seen_at = time.monotonic()
                now = run.snapshot()
                is_ended = now.state in (State.STOPPED, State.FAILED)
                goes_on = now.state is State.DROPPED or (is_restart and is_ended)
                if wanted <= set(now.items) and not goes_on:
                    self._schedule()
                    return key
                run.stop(State.DROPPED)
                now = run.snapshot()  # with what came in until it stopped
                wanted |= set(now.items if KINDS[kind].keeps_items else now.solved)
                results = now.results
            in_order = tuple(sorted(wanted))
            waiting = Snapshot(
                key, kind, _without_content(scenario), in_order, results, State.WAITING
            )
            self._runs[key] = Run(scenario, waiting)
            self._forget()
            self._schedule()
        return key

    def snapshot(self, key: str) -> Snapshot | None:
        """A run as it is now, if it is known; counts as looking at it."""
        with self._lock:
            run = self._runs.get(key)
            if run is None:
                return None
            run.seen_at = time.monotonic()
            self._schedule()
            return run.snapshot()

    def stop(self, key: str) -> None:
        """Stop a run for good."""
        with self._lock:
            run = self._runs.get(key)
        if run is not None:
            run.stop()
            self._schedule()

    def stop_all(self) -> None:
        """Stop every run for good."""
        for key in list(self._runs):
            self.stop(key)

    def process_id(self, key: str) -> int | None:
        """Number of a run's worker process, once there is one."""
        with self._lock:
            run = self._runs.get(key)
        return run.process_id if run else None

    def __len__(self) -> int:
        return len(self._runs)

    def _in_state(self, state: State) -> list[Run]:
        return [run for run in self._runs.values() if run.snapshot().state is state]

    def _forget(self) -> None:
        """Drop the runs least looked at, so that few are kept."""
        by_age = sorted(self._runs.items(), key=lambda item: item[1].seen_at)
        for key, run in by_age[: max(0, len(by_age) - self._max_kept)]:
            run.stop(State.DROPPED)
            del self._runs[key]

    def _schedule(self) -> None:
        """Start runs that wait as far as there is room, and make room of what nobody watches."""
        with self._lock:
            unwatched = time.monotonic() - self._patience_seconds
            for run in self._in_state(State.WAITING):
                if run.seen_at < unwatched:
                    run.stop(State.DROPPED)
            waiting = self._in_state(State.WAITING)
            live = self._in_state(State.RUNNING)
            for run in live:
                if len(live) >= self._max_live and waiting and run.seen_at < unwatched:
                    run.stop(State.DROPPED)
            n_free = self._max_live - len(self._in_state(State.RUNNING))
            for run in waiting[: max(0, n_free)]:
                run.start(self._schedule)
