"""The compiled loops load once, in the background if wanted, and without a cache on disk."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from types import ModuleType

import pytest

from pase_core.errors import OptionError
from pase_core.search import elimination, engine
from pase_core.search.elimination import eliminate
from pase_core.search.engine import (
    kernels_are_ready,
    load_kernels,
    load_kernels_in_background,
    n_threads,
    thread_pool,
)
from pase_core.search.marginals import marginals
from pase_core.search.options import SearchOptions
from tests.core.search.random_tables import complete_problem, least_cost

ROOT = Path(__file__).parents[3]


def run_python(script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a script in a process of its own, warnings as errors."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA")}
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        cwd=ROOT,
        env=kept | environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


SOLVE_BOTH_WAYS = """
from tests.core.search.random_tables import complete_problem, least_cost
from pase_core.search.elimination import eliminate
from pase_core.search.options import SearchOptions
tables = complete_problem(4, 5, seed=1)
for removes in (False, True):
    ours = eliminate(tables, SearchOptions(engine="compiled", remove_dominated=removes))
    slow = eliminate(tables, SearchOptions(engine="numpy", remove_dominated=removes))
    assert ours == slow and abs(ours.cost - least_cost(tables)) < 1e-12
print("agree")
"""


def test_the_loops_work_where_no_cache_can_be_written():
    # Tests may run as root, whom no folder stops: take numba's places for a cache away instead.
    script = """
import numba, numba.core.caching as caching
caching.CacheImpl._locator_classes = []
try:
    numba.njit(cache=True)(lambda x: x)
except RuntimeError as error:
    assert "no locator available" in str(error)
else:
    raise SystemExit("numba still finds a place for its cache")
"""
    done = run_python(script + SOLVE_BOTH_WAYS, HOME="/nonexistent", XDG_CACHE_HOME="/nonexistent")
    assert (done.returncode, done.stdout, done.stderr) == (0, "agree\n", "")


def test_the_cache_is_used_where_it_can_be_written(tmp_path):
    script = f"import numba; numba.config.CACHE_DIR = {str(tmp_path)!r}\n" + SOLVE_BOTH_WAYS
    done = run_python(script)
    assert (done.returncode, done.stdout, done.stderr) == (0, "agree\n", "")
    cached = [file.name for file in tmp_path.rglob("*.nbi")]
    for loop in ("min_plus", "min_plus_wide", "mark_dominated"):
        assert any(name.startswith(f"kernels.{loop}-") for name in cached), cached


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
@pytest.mark.parametrize("content", [b"", b"no pickle", bytes(range(128, 256))])
def test_a_damaged_cache_is_passed_over(tmp_path, suffix, content):
    script = f"import numba; numba.config.CACHE_DIR = {str(tmp_path)!r}\n" + SOLVE_BOTH_WAYS
    assert run_python(script).returncode == 0
    files = list(tmp_path.rglob(f"*.{suffix}"))
    assert files
    for file in files:
        file.write_bytes(content)
    done = run_python(script)
    assert (done.returncode, done.stdout, done.stderr) == (0, "agree\n", "")


def test_a_file_in_place_of_the_cache_is_passed_over(tmp_path):
    (tmp_path / "file").write_text("")
    script = f"import numba; numba.config.CACHE_DIR = {str(tmp_path / 'file')!r}\n"
    done = run_python(script + SOLVE_BOTH_WAYS)
    assert (done.returncode, done.stdout, done.stderr) == (0, "agree\n", "")


@pytest.fixture
def fresh_engine(monkeypatch):
    """An engine that has loaded nothing yet."""
    monkeypatch.setattr(engine, "_load", lru_cache(maxsize=1)(engine._load.__wrapped__))
    monkeypatch.setattr(engine, "_ready", threading.Event())
    return engine


class Kernels(ModuleType):
    """Compiled loops that fail to compile some times."""

    def __init__(self, *errors: Exception) -> None:
        super().__init__("kernels")
        self.errors = list(errors)
        self.calls: list[str] = []

    def compile_all(self) -> None:
        self.calls.append("compile")
        if self.errors:
            raise self.errors.pop(0)

    def forget_disk_cache(self) -> None:
        self.calls.append("forget")


ERRORS = [
    pickle.UnpicklingError("invalid load key"),
    EOFError("Ran out of input"),
    OSError(28, "No space left on device"),
    ImportError("numba is\nbroken"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_one_failure_makes_the_loops_forget_the_cache(fresh_engine, monkeypatch, error):
    kernels = Kernels(error)
    monkeypatch.setattr(engine.importlib, "import_module", lambda _name: kernels)
    assert load_kernels() is kernels
    assert kernels.calls == ["compile", "forget", "compile"]
    assert kernels_are_ready()


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_without_loops_numpy_does_the_work(fresh_engine, monkeypatch, error):
    kernels = Kernels(error, error)
    monkeypatch.setattr(engine.importlib, "import_module", lambda _name: kernels)
    monkeypatch.setattr(elimination, "_COMPILE_ENTRIES", 0)
    tables = complete_problem(4, 5, seed=1)
    for removes in (False, True):
        slow = SearchOptions(engine="numpy", remove_dominated=removes)
        assert eliminate(tables, replace(slow, engine="auto")) == eliminate(tables, slow)
        with pytest.raises(OptionError, match="the compiled loops cannot be loaded") as caught:
            eliminate(tables, replace(slow, engine="compiled"))
        assert type(error).__name__ in str(caught.value)
        assert "\n" not in str(caught.value)
    assert marginals(tables).optimum == pytest.approx(least_cost(tables), rel=1e-12)
    assert kernels.calls == ["compile", "forget", "compile"]  # tried once, not at every search
    assert not kernels_are_ready()


def test_a_module_that_cannot_be_imported_is_no_traceback(fresh_engine, monkeypatch, capfd):
    def fail(_name):
        raise ImportError("no module named numba")

    monkeypatch.setattr(engine.importlib, "import_module", fail)
    thread = load_kernels_in_background()
    thread.join()
    assert not kernels_are_ready()
    with pytest.raises(OptionError, match="no module named numba"):
        load_kernels()
    assert capfd.readouterr() == ("", "")


def test_numba_is_not_loaded_until_the_loops_are_wanted():
    script = """
import sys
from pase_core.search.elimination import eliminate
from pase_core.search.options import SearchOptions
from tests.core.search.random_tables import complete_problem
eliminate(complete_problem(4, 5, seed=1))
assert "numba" not in sys.modules
"""
    done = run_python(script)
    assert (done.returncode, done.stderr) == (0, "")


def test_loading_in_the_background_makes_the_loops_ready():
    script = """
from pase_core.search.engine import kernels_are_ready, load_kernels, load_kernels_in_background
assert not kernels_are_ready()
thread = load_kernels_in_background()
assert load_kernels() is load_kernels()
thread.join(60)
assert kernels_are_ready() and not thread.is_alive()
"""
    done = run_python(script)
    assert (done.returncode, done.stderr) == (0, "")


def test_many_threads_get_the_same_loops():
    found = []
    threads = [threading.Thread(target=lambda: found.append(load_kernels())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [load_kernels()] * 4
    assert kernels_are_ready()


def test_a_background_thread_does_not_keep_the_process_alive():
    thread = load_kernels_in_background()
    assert thread.daemon
    thread.join()


@pytest.mark.parametrize(("available", "used"), [(1, 1), (2, 2), (8, 8), (64, 8)])
def test_threads_are_the_processors_that_may_be_used(monkeypatch, available, used):
    monkeypatch.setattr(engine.os, "sched_getaffinity", lambda _p: range(available), raising=False)
    assert n_threads() == used


def test_threads_can_be_counted_on_systems_without_affinity(monkeypatch):
    monkeypatch.delattr(engine.os, "sched_getaffinity", raising=False)
    for count, used in ((3, 3), (None, 1)):
        monkeypatch.setattr(engine.os, "cpu_count", lambda count=count: count)
        assert n_threads() == used


def test_there_is_one_pool_of_threads():
    assert thread_pool() is thread_pool()
