"""The compiled loops, loaded once, in the background if wanted.

Loading takes from 0.5 s (cached on disk) to a few seconds (first compilation). Small problems
are solved faster without; they use the loops only once they are there.
"""

from __future__ import annotations

import importlib
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from types import ModuleType

_lock = threading.Lock()
_ready = threading.Event()


@lru_cache(maxsize=1)
def _load() -> ModuleType:
    kernels = importlib.import_module("pase_core.search.kernels")
    kernels.compile_all()
    _ready.set()
    return kernels


def load_kernels() -> ModuleType:
    """Load the compiled loops, waiting for them; `pase_core.search.kernels`."""
    with _lock:
        return _load()


def kernels_are_ready() -> bool:
    """True once the compiled loops can be used without waiting."""
    return _ready.is_set()


def kernels_are_loading() -> bool:
    """True while another thread loads the compiled loops."""
    return _lock.locked()


def load_kernels_in_background() -> threading.Thread:
    """Start loading the compiled loops in a thread of its own."""
    thread = threading.Thread(target=load_kernels, name="compile search loops", daemon=True)
    thread.start()
    return thread


def n_threads() -> int:
    """Threads for one search: the processors that this process may use, 8 at most."""
    available = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    return max(1, min(available, 8))


@lru_cache(maxsize=1)
def thread_pool() -> ThreadPoolExecutor:
    """Threads shared by all searches of this process."""
    return ThreadPoolExecutor(n_threads(), thread_name_prefix="search")
