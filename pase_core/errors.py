"""The errors this package raises on purpose.

    PaseError
    |-- GraphError          a graph, a layer or a tensor is not what it must be
    |   `-- ImportFileError   a file could not be read as a graph
    |       `-- OpenDimensions  a file leaves sizes open that the user must give
    |-- ClusterError        a cluster that cannot be
    |-- StrategyError       a strategy that does not fit its graph
    |   `-- StrategyFileError   a file could not be read as a strategy of the graph
    |-- OptionError         an option outside its range
    `-- BudgetError         the exact search does not fit the memory budget or the limit on work

Every message says what came, what is allowed and what to do about it, in one line.
"""

from __future__ import annotations

from collections.abc import Sequence


class PaseError(Exception):
    """Base class of all errors meant for the user."""


class GraphError(PaseError):
    """A graph, layer or tensor that breaks a rule of the data model."""


class ImportFileError(GraphError):
    """A file that cannot be read as a graph."""


class OpenDimensions(ImportFileError):
    """A file whose sizes are partly open.

    Attributes:
        names: the open dimensions, in the order in which they appear in the file.
    """

    def __init__(self, message: str, names: Sequence[str]) -> None:
        super().__init__(message)
        self.names = tuple(names)


class ClusterError(PaseError):
    """A cluster with impossible figures, or an unknown one."""


class StrategyError(PaseError):
    """A strategy that does not fit the graph or the devices."""


class StrategyFileError(StrategyError):
    """A file that cannot be read as a strategy of the graph at hand."""


class OptionError(PaseError):
    """An option outside its range."""


class BudgetError(PaseError):
    """The exact search needs more memory, or visits more entries, than it was given."""
