"""Write result files whole or not at all."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from pase_core.errors import OptionError


def write_text(target: str, text: str) -> None:
    """Write text to a file, or to standard output if the target is `-`.

    An existing file is replaced only when the new one is complete.

    Raises:
        OptionError: if the file cannot be written.
    """
    if target == "-":
        sys.stdout.write(text)
        return
    path = Path(target)
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            Path(name).chmod(0o644)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise OptionError(f"cannot write {target!r}: {reason}; name another file") from None
