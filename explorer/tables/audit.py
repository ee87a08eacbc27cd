"""The cost audit of one layer: every term behind the panel's numbers, by component."""

from __future__ import annotations

from dataclasses import dataclass

from pase_core.components import COMPONENTS
from pase_core.costs.bill import layer_bill
from pase_core.costs.formulas import Quantity, Term
from pase_core.costs.paper import PaperCostModel
from pase_core.solve import Comparison, cost_model

SHARED = "W"
"""Symbol of the quantity that is the same in all terms, and is told once."""


@dataclass(frozen=True, slots=True)
class AuditedComponent:
    """A component of a layer's cost with its terms.

    Attributes:
        name: a key of `pase_core.components.COMPONENTS`.
        terms: each with the title of its item (the layer, or both ends of a transfer).
        total: their sum, in the cost model's unit.
    """

    name: str
    terms: tuple[tuple[str, Term], ...]
    total: float


def audit(comparison: Comparison, position: int) -> tuple[AuditedComponent, ...]:
    """Every term of a layer's cost and of the transfers into it, as found, by component.

    The totals are those of `component_comparison`, in its order; components without terms are
    left out. Empty if the cost model has no formulas.
    """
    solution = comparison.solution
    model = cost_model(solution.problem)
    if not isinstance(model, PaperCostModel):
        return ()
    configurations = solution.found.strategy.configurations
    items = layer_bill(solution.problem.graph, position, configurations, model)
    terms = [(item.title, term) for item in items for term in item.terms]
    found = []
    for name in COMPONENTS:
        of_name = tuple((title, term) for title, term in terms if term.component == name)
        if of_name:
            found.append(AuditedComponent(name, of_name, sum(t.value for _, t in of_name)))
    return tuple(found)


def shared_quantity(audited: tuple[AuditedComponent, ...]) -> Quantity | None:
    """The price of a word, if a term has it."""
    quantities = (
        quantity
        for component in audited
        for _title, term in component.terms
        for quantity in term.quantities
        if quantity.symbol == SHARED
    )
    return next(quantities, None)
