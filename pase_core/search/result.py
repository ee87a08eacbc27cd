"""What every search returns."""

from __future__ import annotations

from dataclasses import dataclass, field

from pase_core.units import share_above


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One choice per vertex, and how it was found.

    Attributes:
        choices: the choice of each vertex.
        cost: what they cost together, recomputed from the cost tables.
        method: name of the search.
        proved_optimal: True if no other choices cost less, among those that keep the pinned ones.
        largest_table: entries of the largest joint table that was visited.
        peak_bytes: bytes of all arrays at the worst moment, by count: the distinct cost tables and
            the parts of the costs, messages, scratch, and the full tables while others are
            searched. Scratch depends on engine and threads.
        ordering: name of the ordering, if the search has one.
        order: the vertices as they were eliminated.
        dependent_sets: the dependent set of each, in that order.
        n_joint: entries of all joint tables.
        n_joint_distinct: entries that had to be visited; equal blocks count once.
        n_pinned: vertices whose choice was given; what is proved, is proved of the choices
            that keep them.
        lower_bound: no choices cost less, among those that keep the pinned ones.
        keeps_limit: False if nothing keeps to the limit that was given for a second sum; the
            choices are then those of the least second sum, and of these the cheapest.
        loading_seconds: time that this search waited for the compiled loops to be loaded.
    """

    choices: tuple[int, ...]
    cost: float
    method: str
    proved_optimal: bool
    largest_table: int
    peak_bytes: int = field(compare=False)
    ordering: str = ""
    order: tuple[int, ...] = ()
    dependent_sets: tuple[tuple[int, ...], ...] = ()
    n_joint: int = 0
    n_joint_distinct: int = 0
    n_pinned: int = 0
    lower_bound: float = 0.0
    keeps_limit: bool = True
    loading_seconds: float = field(default=0.0, compare=False)

    @property
    def gap(self) -> float:
        """By how much the cost may exceed the least one, as a share of the lower bound."""
        return 0.0 if self.proved_optimal else share_above(self.cost, self.lower_bound)
