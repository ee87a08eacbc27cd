"""Names from files as text in figures."""

from __future__ import annotations

from html import escape

LONGEST = 34


def label(name: str, longest: int = LONGEST) -> str:
    """A name as it is, not as markup, and not too long: the middle of a long one is left out."""
    if len(name) > longest:
        kept = longest - 1
        name = f"{name[: kept // 3]}…{name[-(kept - kept // 3) :]}"
    return escape(name, quote=False)


def row_label(name: str, *, is_marked: bool) -> str:
    """A name beside a row; the selected row's is bold behind an arrow head."""
    return f"<b>▶ {label(name)}</b>" if is_marked else label(name)
