"""Costs with the formulas that they come from: an item of a bill, and the audit of one layer."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

import streamlit as st

from explorer.labels import COMPONENT_COLOURS, component_title
from explorer.tables.audit import SHARED, AuditedComponent, shared_quantity
from pase_core.costs.bill import Item
from pase_core.costs.formulas import Quantity, Term, show_number
from pase_core.units import with_prefix

_SPREAD = "display: flex; justify-content: space-between; gap: 1rem"


def show_item(item: Item, note: str, unit: str, *, is_full: bool) -> None:
    """One item of a bill with its terms, across the page.

    Args:
        item: a layer or a transfer.
        note: beside its title.
        unit: of costs.
        is_full: with the terms that are 0.
    """
    shown = [term for term in item.terms if is_full or term.value]
    with st.container(border=True):
        title, total = st.columns([6, 1.4])
        title.html(f"<b>{escape(item.title)}</b> &nbsp; {escape(note)}")
        total.html(_right(f"<b>{escape(with_prefix(item.total, unit))}</b>"))
        for term in shown:
            _show_term(term, unit)


def _right(text: str) -> str:
    return f"<div style='text-align: right; white-space: nowrap'>{text}</div>"


def _faint(text: str) -> str:
    return f"<small style='opacity: 0.75'>{escape(text)}</small>"


def _component(name: str) -> str:
    """A component's title behind a square of its colour."""
    return f"<span style='color: {COMPONENT_COLOURS[name]}'>■</span> {component_title(name)}"


def _own(term: Term) -> list[Quantity]:
    """What goes into a term and is not the same in all of them."""
    return [quantity for quantity in term.quantities if quantity.symbol != SHARED]


def _show_term(term: Term, unit: str) -> None:
    """What a term pays for, its formula with symbols and with numbers, its value."""
    what, formula, value = st.columns([2.2, 3.8, 1.4], vertical_alignment="center")
    what.html(f"{_component(term.component)}<br>{_faint(term.title)}")
    with formula:
        st.markdown(f"${term.law_in_latex} = {term.case_in_latex}$")
        st.html(_faint(", ".join(map(str, _own(term)))))
    value.html(_right(escape(with_prefix(term.value, unit))))


def audit_html(audited: tuple[AuditedComponent, ...], unit: str) -> str:
    """The audit of a layer for a narrow column, as one piece of HTML: it comes quickly.

    Args:
        audited: the layer's components with their terms.
        unit: of costs.
    """
    parts = [_component_html(component, unit) for component in audited if component.total]
    shared = shared_quantity(audited)
    if shared is not None:
        parts.append(f"<p>{_faint(f'{shared}: {shared.meaning}')}</p>")
    free = [(title, t) for each in audited for title, t in each.terms if not t.value]
    if free:
        count = "1 term is" if len(free) == 1 else f"{len(free)} terms are"
        inner = "".join(_term_html(title, term, unit) for title, term in free)
        parts.append(f"<details><summary>{count} 0</summary>{inner}</details>")
    return "".join(parts)


def _component_html(component: AuditedComponent, unit: str) -> str:
    total = escape(with_prefix(component.total, unit))
    head = f"<b>{_component(component.name)}</b><b style='white-space: nowrap'>{total}</b>"
    terms = "".join(_term_html(title, term, unit) for title, term in component.terms if term.value)
    return f"<div style='{_SPREAD}'>{head}</div>{terms}"


def _term_html(title: str, term: Term, unit: str) -> str:
    """What a term pays for, formula, numbers and value, and what goes in, one below the other."""
    where = f" ({title})" if term.component == "redistribution" else ""
    value = f"{show_number(term.value)} {unit}"
    lines = [
        _faint(term.title + where),
        f"<i>{escape(term.law)}</i>",
        escape(f"= {term.case}"),
        f"= <b>{escape(value)}</b>",
        *_inputs(_own(term)),
    ]
    return (
        "<div style='margin: 0.3rem 0 0.8rem 1rem; overflow-wrap: anywhere'>"
        + "<br>".join(lines)
        + "</div>"
    )


def _inputs(quantities: Iterable[Quantity]) -> list[str]:
    return [_faint(f"{quantity}: {quantity.meaning}") for quantity in quantities]
