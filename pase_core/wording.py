"""Results in words: one wording for pages, reports and files."""

from __future__ import annotations

from pase_core.search.result import SearchResult
from pase_core.units import count


def describe_proof(search: SearchResult) -> str:
    """What a search has proved of its answer, in a few words."""
    if not search.proved_optimal:
        return "not proved optimal"
    if search.n_pinned:
        return f"best with {count(search.n_pinned, 'layer')} held"
    return "proved optimal"
