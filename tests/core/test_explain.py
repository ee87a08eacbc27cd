"""The cost audit: explained terms are the cost model's numbers, and their texts say so."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest

from pase_core.components import LAYER_COMPONENTS
from pase_core.configurations import configurations
from pase_core.costs.explain import explain_layer, explain_transfer
from pase_core.costs.formulas import show_number, sum_by_component
from pase_core.costs.paper import PaperCostModel
from pase_core.graph import Graph
from pase_core.layers import Dimension, Layer
from pase_core.messages import AllReduce, Exchange, Halo, Relayout, Window
from sample_graphs import SAMPLES
from sample_graphs.toys import branches, three_layers
from tests.core.reference_data import MODEL, sample
from tests.samples import DISTINCT

PRECISE = PaperCostModel(11.3e12, 12.5e9, 4.0, 2.0)
N_CONFIGURATIONS = 6


def every_graph() -> list[Graph]:
    return [
        *(sample(name, SAMPLES[name].batch) for name in DISTINCT),
        three_layers(),
        branches(),
    ]


def some_rows(layer: Layer, n_devices: int, chance: random.Random) -> np.ndarray:
    rows = configurations(layer, n_devices)
    return rows[chance.sample(range(len(rows)), min(N_CONFIGURATIONS, len(rows)))]


def distinct(layers: tuple[Layer, ...]) -> list[Layer]:
    seen: dict[object, Layer] = {}
    for layer in layers:
        seen.setdefault((layer.dimensions, layer.work, layer.messages, layer.operation), layer)
    return list(seen.values())


@pytest.mark.parametrize("model", [MODEL, PRECISE])
@pytest.mark.parametrize("graph", every_graph(), ids=lambda graph: graph.name)
def test_terms_of_every_layer_add_up_to_the_models_components(graph, model):
    chance = random.Random(graph.name)
    for layer in graph.layers:
        rows = some_rows(layer, chance.choice([4, 8, 64]), chance)
        costs = model.layer_costs(layer, rows)
        for column, row in enumerate(rows):
            sums = sum_by_component(explain_layer(layer, tuple(map(int, row)), model))
            ours = [sums.pop(component, 0.0) for component in LAYER_COMPONENTS]
            assert ours == costs[:, column].tolist(), (layer.name, row)
            assert not sums


@pytest.mark.parametrize("model", [MODEL, PRECISE])
@pytest.mark.parametrize("graph", every_graph(), ids=lambda graph: graph.name)
def test_the_term_of_every_transfer_is_the_models_number(graph, model):
    chance = random.Random(graph.name)
    for transfer in graph.transfers:
        producer, consumer = (graph.layers[v] for v in (transfer.producer, transfer.consumer))
        n_devices = chance.choice([4, 8, 64])
        held, needed = (some_rows(each, n_devices, chance) for each in (producer, consumer))
        costs = model.transfer_costs(
            np.array(transfer.tensor.sizes, dtype=float),
            cuts(producer, transfer.written, held),
            cuts(consumer, transfer.read, needed),
        )
        for i, first in enumerate(held):
            for j, second in enumerate(needed):
                pair = (tuple(map(int, first)), tuple(map(int, second)))
                term = explain_transfer(graph, transfer, pair, model)
                assert term.component == "redistribution"
                assert term.value == costs[i, j]


def cuts(layer, access, rows):
    return np.array(
        [
            [np.prod(row[layer.columns(axis.dimensions)], dtype=float) for axis in access.axes]
            for row in rows
        ]
    ).reshape(len(rows), len(access.axes))


def evaluate(text: str) -> float:
    plain = text.replace(",", "").replace("max(0 ", "max(0, ")
    for shown, meant in (("×", "*"), ("−", "-")):
        plain = plain.replace(shown, meant)
    return float(eval(plain, {"__builtins__": {}}, {"max": max}))


def every_term(graph):
    chance = random.Random(graph.name)
    for layer in distinct(graph.layers):
        for row in some_rows(layer, 16, chance):
            yield from explain_layer(layer, tuple(map(int, row)), PRECISE)
    for transfer in graph.transfers[:40]:
        ends = (graph.layers[v] for v in (transfer.producer, transfer.consumer))
        first, second = (tuple(map(int, some_rows(end, 16, chance)[0])) for end in ends)
        yield explain_transfer(graph, transfer, (first, second), PRECISE)


@pytest.mark.parametrize("graph", every_graph(), ids=lambda graph: graph.name)
def test_formulas_with_their_numbers_give_the_value(graph):
    for term in every_term(graph):
        # Numbers that are not whole are shown with six digits.
        assert evaluate(term.case) == pytest.approx(term.value, rel=1e-4), term.case


@pytest.mark.parametrize("graph", every_graph(), ids=lambda graph: graph.name)
def test_workings_give_the_quantities(graph):
    for term in every_term(graph):
        for quantity in term.quantities:
            working = re.sub(r"\b[a-z]\w* (?=\d)", "", quantity.working)
            if not working or "none" in working or "FLOP" in working:
                continue
            working = working.replace("min", "").replace("×", "*")
            if "(" in working and "," in working:
                continue  # min(a, b): checked by the terms themselves
            # Factors that are not whole, as those of DLRM's tables, are shown with six digits.
            precision = 1e-5 if re.search(r"\b0\.\d", working) else 1e-12
            assert eval(working) == pytest.approx(quantity.value, rel=precision), str(quantity)


def test_every_kind_of_message_is_explained():
    layer = Layer(
        "odd",
        "odd",
        (Dimension("b", 12), Dimension("h", 6), Dimension("d", 8), Dimension("e", 8)),
        messages=(
            AllReduce(("b", "d"), ("h",), 3.0),
            Exchange(("b", "h"), ("d",), 2.0),
            Halo(("b",), (Window("h", 13, 3), Window("d", 8, 2)), "output"),
            Relayout(("h",), ("b", "e"), ("b", "d")),
        ),
    )
    rows = configurations(layer, 16)
    costs = PRECISE.layer_costs(layer, rows)
    for column, row in enumerate(rows):
        sums = sum_by_component(explain_layer(layer, tuple(map(int, row)), PRECISE))
        ours = [sums.get(component, 0.0) for component in LAYER_COMPONENTS]
        assert ours == pytest.approx(costs[:, column].tolist(), rel=1e-12)


def test_an_all_reduce_is_told_with_its_inputs():
    graph = three_layers()
    model = PaperCostModel(1e11, 4e9)
    terms = explain_layer(graph.layers[1], (4, 1, 1), model)
    (weights,) = (term for term in terms if term.component == "parameter_gradient")
    assert weights.law == "W × 2 × w × (q − 1) / q"
    assert weights.case == "100 × 2 × 32,768 × (4 − 1) / 4"
    assert weights.value == 100 * 2 * 32768 * 3 / 4
    assert [str(quantity) for quantity in weights.quantities[1:]] == [
        "w = c 128 × n 256 = 32,768 words",
        "q = b 4 = 4 devices",
    ]
    assert weights.case_in_latex == (
        r"100 \cdot \dfrac{2 \cdot 32{,}768 \cdot (4 - 1)}{4}"
    )  # fmt: skip


def test_a_transfer_that_nothing_overlaps_says_why():
    graph = three_layers()
    term = explain_transfer(graph, graph.transfers[0], ((1, 1, 1), (4, 1, 1)), PRECISE)
    overlap = term.quantities[-1]
    assert overlap.value == 0
    assert "4 parts are needed and 1 held" in overlap.working


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (65536, "65,536"), (0.5, "0.5"), (1e15, "1e+15"), (1234567.25, "1234567.25")],
)
def test_numbers_are_shown_in_full(value, text):
    assert show_number(value) == text
