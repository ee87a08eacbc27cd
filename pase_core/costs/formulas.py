"""Formulas as people write them, with the numbers that go in: text, LaTeX and value agree.

A formula is one template in which `<x>` stands for the quantity x. Filled with symbols it is the
law, filled with numbers the case. Below are those of the cost model `paper`; those of `cluster` are
in `pase_core.costs.explain_formulas`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

_PLACE = re.compile(r"<(\w+)>")
_INDICES = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")


@dataclass(frozen=True, slots=True)
class Quantity:
    """Something that goes into a formula.

    Attributes:
        symbol: a letter, or a word.
        value: in `unit`.
        unit: such as `words`; empty for a pure number.
        meaning: in a few words.
        working: how the value comes about, such as `b 128/8 × n 64`; empty if it is given.
    """

    symbol: str
    value: float
    unit: str
    meaning: str
    working: str = ""

    def __str__(self) -> str:
        """Return symbol, working and value, as in `w = b 128/8 × n 64 = 1,024 words`."""
        worked = f"{self.working} = " if self.working else ""
        return f"{self.symbol} = {worked}{show_number(self.value)} {self.unit}".rstrip()


@dataclass(frozen=True, slots=True)
class Formula:
    """A law of the cost model.

    Attributes:
        text: template in plain text.
        latex: the same in LaTeX.
        evaluate: the same as a function of the quantities in their order.
    """

    text: str
    latex: str
    evaluate: Callable[..., float]

    @property
    def symbols(self) -> tuple[str, ...]:
        """The quantities, in the order in which the text first has them."""
        return tuple(dict.fromkeys(_PLACE.findall(self.text)))


def show_number(value: float) -> str:
    """A number in full: `65,536`, or with an exponent from 1e15 on."""
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:,.6g}" if abs(value) < 1e6 else f"{value:.10g}"


def _number_in_latex(value: float) -> str:
    mantissa, _, exponent = show_number(value).replace(",", "{,}").partition("e")
    return rf"{mantissa}\cdot 10^{{{int(exponent)}}}" if exponent else mantissa


def _symbol_in_latex(symbol: str) -> str:
    letter, index = symbol[:1], symbol[1:].translate(_INDICES)
    if index.isascii() and index.isdigit():
        return f"{letter}_{{{index}}}"
    return symbol if len(symbol) == 1 else rf"\text{{{symbol}}}"


@dataclass(frozen=True, slots=True)
class Term:
    """One addend of a cost.

    Attributes:
        component: a key of `pase_core.components.COMPONENTS`.
        title: what it pays for.
        formula: the law.
        quantities: what goes in, in the order of `formula.evaluate`.
        value: the cost, in the cost model's unit.
    """

    component: str
    title: str
    formula: Formula
    quantities: tuple[Quantity, ...]
    value: float

    @property
    def law(self) -> str:
        """The formula with symbols, as plain text."""
        return self._fill(self.formula.text, lambda quantity: quantity.symbol)

    @property
    def case(self) -> str:
        """The formula with numbers, as plain text."""
        return self._fill(self.formula.text, lambda quantity: show_number(quantity.value))

    @property
    def law_in_latex(self) -> str:
        """The formula with symbols, as LaTeX; it holds no text from files."""
        return self._fill(self.formula.latex, lambda quantity: _symbol_in_latex(quantity.symbol))

    @property
    def case_in_latex(self) -> str:
        """The formula with numbers, as LaTeX."""
        return self._fill(self.formula.latex, lambda quantity: _number_in_latex(quantity.value))

    def _fill(self, template: str, show: Callable[[Quantity], str]) -> str:
        shown = {quantity.symbol: show(quantity) for quantity in self.quantities}
        return _PLACE.sub(lambda match: shown[match[1]], template)


def make_term(component: str, title: str, formula: Formula, *quantities: Quantity) -> Term:
    """Evaluate a formula."""
    value = float(formula.evaluate(*(quantity.value for quantity in quantities)))
    return Term(component, title, formula, quantities, value)


def repeated(term: Term, times: Quantity) -> Term:
    """The same term several times over, or a share of it."""
    once = term.formula
    formula = Formula(
        f"<{times.symbol}> × ({once.text})",
        rf"<{times.symbol}> \cdot \left({once.latex}\right)",
        lambda n, *values: n * once.evaluate(*values),
    )
    return make_term(term.component, term.title, formula, times, *term.quantities)


def sum_by_component(terms: Iterable[Term]) -> dict[str, float]:
    """Terms added up by component, in their order."""
    sums: dict[str, float] = {}
    for term in terms:
        sums[term.component] = sums.get(term.component, 0.0) + term.value
    return sums


MULTIPLY_ADDS = Formula(
    "<m> × <k> × <N>",
    r"<m> \cdot <k> \cdot <N>",
    lambda m, k, n: m * k * n,
)
FLOP = Formula("<k> × <N>", r"<k> \cdot <N>", lambda k, n: k * n)
ALL_REDUCE = Formula(
    "<W> × 2 × <w> × (<q> − 1) / <q>",
    r"<W> \cdot \dfrac{2 \cdot <w> \cdot (<q> - 1)}{<q>}",
    lambda flop, words, q: flop * (2.0 * words * (q - 1.0) / q),
)
EXCHANGE = Formula("<W> × <w>", r"<W> \cdot <w>", lambda flop, words: flop * words)
HALO = Formula(
    "<W> × <t> × (<outer> − <inner>)",
    r"<W> \cdot <t> \cdot (<outer> - <inner>)",
    lambda flop, tile, outer, inner: flop * (tile * (outer - inner)),
)
RELAYOUT = Formula(
    "<W> × <T> × max(0, <need> − <overlap>)",
    r"<W> \cdot <T> \cdot \max(0,\; <need> - <overlap>)",
    lambda flop, times, need, overlap: flop * (times * max(0.0, need - overlap)),
)
TRANSFER = Formula(
    "2 × <W> × max(0, <need> − <overlap>)",
    r"2 \cdot <W> \cdot \max(0,\; <need> - <overlap>)",
    lambda flop, need, overlap: 2.0 * flop * max(0.0, need - overlap),
)
