"""How the inner loops are compiled."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from typing import Any

import numba

# No table holds NaN, and saying so lets minima become vector instructions.
_FASTMATH = {"nnan", "nsz"}


def compiled(function: Callable[..., Any], *, caches: bool = True) -> Any:
    """Compile without the interpreter lock, with the disk cache if some folder can be written."""
    if caches:
        with contextlib.suppress(RuntimeError, OSError):
            return numba.njit(cache=True, nogil=True, fastmath=_FASTMATH)(function)
    return numba.njit(nogil=True, fastmath=_FASTMATH)(function)


def forget_disk_cache(module: dict[str, Any], names: Iterable[str]) -> None:
    """Replace loops of a module by ones that neither read nor write the cache on disk."""
    for name in names:
        loop = module[name]
        module[name] = compiled(getattr(loop, "py_func", loop), caches=False)
