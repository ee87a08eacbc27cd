"""The compiled loops, loaded once, in the background if wanted.

Loading takes from 0.5 s (cached on disk) to a few seconds (first compilation). Small problems
are solved faster without; they use the loops only once they are there. Where they cannot be
loaded, with or without the cache on disk, NumPy does all the work.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from types import ModuleType

from pase_core.errors import OptionError

_lock = threading.Lock()
_ready = threading.Event()

ELIMINATION_LOOPS = "pase_core.search.kernels"
FLAT_LOOPS = "pase_core.search.flat_kernels"

_MAX_REASON = 200
"""Characters of an error that are passed on."""


@lru_cache(maxsize=2)
def _load(name: str) -> ModuleType | str:
    """Compiled loops, or what keeps them from being loaded; found out once per process."""
    try:
        kernels = importlib.import_module(name)
        try:
            kernels.compile_all()
        except Exception:  # a damaged file of the disk cache, say, or a full disk
            kernels.forget_disk_cache()
            kernels.compile_all()
    except Exception as error:  # whatever a broken installation comes up with: NumPy will do
        return " ".join(f"{type(error).__name__}: {error}".split())[:_MAX_REASON]
    if name == ELIMINATION_LOOPS:
        _ready.set()
    return kernels


def load_kernels(name: str = ELIMINATION_LOOPS) -> ModuleType:
    """Load compiled loops, waiting for them.

    Args:
        name: of their module.

    Raises:
        OptionError: if they cannot be loaded; for those of elimination, NumPy takes their place,
            more slowly.
    """
    with _lock:
        kernels = _load(name)
    if isinstance(kernels, str):
        raise OptionError(
            f"the compiled loops cannot be loaded ({kernels}); search with engine='numpy', or "
            "reinstall numba"
        )
    return kernels


def kernels_are_ready() -> bool:
    """True once the loops of elimination can be used without waiting."""
    return _ready.is_set()


def kernels_are_loading() -> bool:
    """True while another thread loads the compiled loops."""
    return _lock.locked()


def _load_quietly() -> None:
    with contextlib.suppress(OptionError):  # those who ask for the loops are told
        load_kernels()


def load_kernels_in_background() -> threading.Thread:
    """Start loading the compiled loops in a thread of its own."""
    thread = threading.Thread(target=_load_quietly, name="compile search loops", daemon=True)
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
