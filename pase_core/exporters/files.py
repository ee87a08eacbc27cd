"""Write result files: regular ones whole or not at all, pipes and devices directly."""

from __future__ import annotations

import errno
import os
import secrets
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pase_core.errors import OptionError

STANDARD_OUTPUT = "-"


def check_target(target: str) -> None:
    """Check that `write_text` can write to a target, as far as that can be told beforehand.

    Nothing is left behind, and what exists is not touched.

    Raises:
        OptionError: if it cannot.
    """
    if target == STANDARD_OUTPUT:
        return
    with _complaints_about(target):
        mode = _mode(Path(target))
        if mode is not None and stat.S_ISDIR(mode):
            raise _os_error(errno.EISDIR)
        if mode is not None and not os.access(target, os.W_OK):
            raise _os_error(errno.EACCES)
        if mode is None or stat.S_ISREG(mode):
            tempfile.TemporaryFile(dir=Path(target).resolve().parent).close()


def write_text(target: str, text: str) -> None:
    """Write text to a file, or to standard output if the target is `-`.

    A regular file is replaced when the new one is complete, and keeps its permissions; a symbolic
    link stays, and what it points to is replaced. Pipes and devices are written to.

    Raises:
        OptionError: if the target cannot be written.
    """
    if target == STANDARD_OUTPUT:
        sys.stdout.write(text)
        return
    with _complaints_about(target):
        mode = _mode(Path(target))
        if mode is None or stat.S_ISREG(mode):
            _replace(Path(target).resolve(), text, mode)
        else:
            Path(target).write_text(text, encoding="utf-8")


def _replace(path: Path, text: str, mode: int | None) -> None:
    """Write a file of another name, then rename it; `mode` is None if there is no file yet."""
    fresh = path.with_name(f".pase-{secrets.token_hex(8)}")
    try:
        with fresh.open("x", encoding="utf-8") as file:
            file.write(text)
        if mode is not None:
            fresh.chmod(stat.S_IMODE(mode))
        fresh.replace(path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise


def _mode(path: Path) -> int | None:
    """Kind and permissions of what a path leads to; None if there is nothing yet."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _os_error(number: int) -> OSError:
    return OSError(number, os.strerror(number))


@contextmanager
def _complaints_about(target: str) -> Iterator[None]:
    """Turn the system's errors into one line that names the target."""
    try:
        yield
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise OptionError(f"cannot write {target!r}: {reason}; name another file") from None
