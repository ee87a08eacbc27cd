"""The terminal: where tables are printed, and how wide.

Names of networks and layers come from files; they are printed as they stand, never read as markup.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress as Bar
from rich.table import Table

from pase_core.search.sweep import Progress

_UNLIMITED = 1_000_000
"""Columns of a pipe or file, which has no width: tables get as wide as their contents."""


def make_console() -> Console:
    """Standard output."""
    width = None if sys.stdout.isatty() else _UNLIMITED
    return Console(width=width, markup=False, emoji=False, highlight=False)


def make_table(*titles: str, numbers: Sequence[str] = (), texts: Sequence[str] = ()) -> Table:
    """A table with columns of text, then of numbers, then again of text."""
    table = Table(*titles, box=None, pad_edge=False)
    for title in numbers:
        table.add_column(title, justify="right")
    for title in texts:
        table.add_column(title)
    return table


@contextmanager
def progress_bar(text: str) -> Iterator[Progress]:
    """A progress bar on standard error, if that is a terminal."""
    with Bar(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task(text, total=1.0)
        yield lambda share: bar.update(task, completed=share)
