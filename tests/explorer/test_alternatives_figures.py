"""Tables and figures of the Alternatives page: what they hold is what the core says."""

import math
from dataclasses import replace

import numpy as np
import pytest

from explorer import regret_scale, tables
from explorer.labels import SPLIT_COLOURS
from explorer.plots.choices import choice_dots
from explorer.plots.freedom import freedom_bars
from explorer.plots.ranking import excess_steps
from explorer.plots.ranks import rank_range, rank_ticks
from explorer.plots.regret import regret_grid
from explorer.scenario import Scenario
from explorer.tables.freedom import freedom_sentence, freedom_table
from explorer.tables.ranking import pins_of, ranking_file, ranking_sentence, ranking_table
from explorer.tables.regret import (
    READINGS,
    choice_sentence,
    choice_table,
    dearest_position,
    module_to_open,
    regret_cells,
    regret_rows,
    rows_note,
)
from pase_core.alternatives import best_strategies, regrets
from pase_core.outline import outline
from pase_core.solve import compare
from pase_core.strategy import describe_splits

NETWORKS = ("alexnet", "inception_v3", "transformer", "rnnlm", "resnet101")


class Case:
    """A solved network with its regrets."""

    def __init__(self, network, n_devices=8, **options):
        self.problem = Scenario(network=network, n_devices=n_devices, **options).problem()
        self.comparison = compare(self.problem)
        self.regrets = regrets(self.problem)
        self.found = self.comparison.solution.found
        self.layers = tables.layer_table(self.comparison)

    def map(self, *, is_split=True, opened=(), **options):
        boxes = outline(self.problem.graph, opened)
        rows = regret_rows(self.layers, boxes)
        dimensions = tables.grid_dimensions(self.comparison, rows)
        cells = regret_cells(self.regrets, self.found, rows, dimensions, is_split=is_split)
        figure = regret_grid(cells, [row.title for row in rows], dimensions, **options)
        return boxes, rows, dimensions, cells, figure


@pytest.fixture(scope="module", params=NETWORKS)
def case(request):
    return Case(request.param)


@pytest.fixture(scope="module")
def alexnet():
    return Case("alexnet")


@pytest.fixture(scope="module")
def pinned():
    pins = (("fc2", (8, 1, 1)), ("conv1", (8, 1, 1, 1, 1, 1, 1)))
    return Case("alexnet", pins=pins)


@pytest.mark.parametrize("reading", READINGS)
def test_cells_hold_the_least_regret_of_each_dimension_that_leaves_a_choice(case, reading):
    is_split = READINGS[reading]
    _, rows, dimensions, cells, figure = case.map(is_split=is_split)
    by_place = {(cell["row"], cell["column"]): cell for cell in cells.to_dict("records")}
    graph = case.problem.graph
    assert len(by_place) == len(cells)
    for i, row in enumerate(rows):
        both = case.regrets.split_regrets(row.layer), case.regrets.whole_regrets(row.layer)
        for axis, name in enumerate(graph.layers[row.layer].dimension_names):
            cell = by_place[i, dimensions.index(name)]
            assert cell["layer"] == graph.layers[row.layer].name
            if np.isfinite([shares[axis] for shares in both]).all():
                assert cell["share"] == both[0 if is_split else 1][axis]
                assert "best whole strategy: " in cell["hover"]
            else:
                assert math.isnan(cell["share"])
                assert "no choice" in cell["hover"]
    shown = figure.data[1]
    assert list(shown.marker.color) == list(cells["level"].dropna())
    assert shown.marker.colorbar.title.text == "regret, % of the optimum"
    assert figure.layout.xaxis.title.text == "dimension"
    assert len(figure.data[0].x) + len(shown.x) == len(cells)


def test_one_of_both_readings_costs_nothing(case):
    *_, split, _ = case.map(is_split=True)
    *_, whole, _ = case.map(is_split=False)
    least = np.fmin(split["share"], whole["share"]).dropna()
    assert (least <= regret_scale.NOTHING).all()


def test_rows_stand_for_every_layer_once(case):
    _, rows, *_ = case.map()
    stood_for = sorted(position for row in rows for position in row.stands_for)
    assert stood_for == list(range(len(case.problem.graph.layers)))
    assert len(rows) <= tables.grid.MOST_LAYERS


def test_equal_modules_are_shown_once_layer_by_layer():
    case = Case("transformer")
    boxes, rows, *_ = case.map()
    titles = [row.title for row in rows]
    assert "encoder/1/attention/qkv × 6" in titles
    names = [case.problem.graph.layers[i].name for i in rows[titles.index(titles[2])].stands_for]
    assert len(names) == 6 and len({name.split("/", 2)[2] for name in names}) == 1
    assert rows_note(rows, boxes) == "One row per layer, equal modules once."
    chosen = [rows[2].stands_for[3]]
    assert module_to_open(rows, boxes, chosen) == "encoder/1"
    assert module_to_open(rows, boxes, []) is None


def test_a_hidden_module_can_be_opened():
    case = Case("inception_v3")
    boxes, closed, *_ = case.map()
    assert rows_note(closed, boxes) == "One row per module: its dearest layer."
    _, opened, *_ = case.map(opened=["head"])
    assert len(opened) > len(closed)


def test_the_map_marks_the_selected_row(alexnet):
    *_, figure = alexnet.map(marked={"fc2"})
    (frame,) = figure.layout.shapes
    assert "<b>▶ fc2</b>" in figure.layout.yaxis.ticktext
    assert frame.y0 < list(figure.layout.yaxis.ticktext).index("<b>▶ fc2</b>") < frame.y1


def test_pinned_layers_leave_no_choice(pinned):
    *_, cells, _ = pinned.map()
    of_pinned = cells[cells["layer"].isin(["fc2", "conv1"])]
    assert of_pinned["share"].isna().all()
    assert of_pinned["hover"].str.contains("pinned").all()
    table = freedom_table(pinned.regrets, 0.01)
    assert set(table["layer"][table["is_pinned"]]) == {"fc2", "conv1"}
    assert "of 12" in freedom_sentence(table, 0.01)
    position = list(table["layer"]).index("fc2")
    assert list(choice_table(pinned.regrets, pinned.found, position)["is_found"]) == [True]


def test_configurations_are_sorted_by_regret_with_the_found_one_first(case):
    for position, layer in enumerate(case.problem.graph.layers):
        table = choice_table(case.regrets, case.found, position)
        assert len(table) == len(case.regrets.configurations[position])
        assert table["share"].is_monotonic_increasing
        assert list(table["is_found"]) == [True] + [False] * (len(table) - 1)
        found = case.found.strategy.configurations[position]
        assert table["split"].iloc[0] == describe_splits(layer, found)
        assert table["share"].iloc[0] == 0.0


def test_the_dots_of_a_layer_are_its_configurations(alexnet):
    position = list(alexnet.layers["layer"]).index("fc2")
    table = choice_table(alexnet.regrets, alexnet.found, position)
    figure = choice_dots(table, 0.01, SPLIT_COLOURS)
    *kinds, ring = figure.data
    assert sum(len(trace.x) for trace in kinds) == len(table)
    heights = {x: y for trace in kinds for x, y in zip(trace.x, trace.y, strict=True)}
    for rank, share in zip(table["rank"], table["share"], strict=True):
        assert 10 ** heights[rank] == pytest.approx(share) or share == 0.0
    assert list(ring.x) == [1]
    assert "regret [% of the optimum]" == figure.layout.yaxis.title.text
    assert figure.layout.xaxis.title.text == "configurations, the cheapest first"
    (line,) = figure.layout.annotations
    assert line.text == f"within 1 %: {alexnet.regrets.freedom(0.01)[position]} of {len(table)}"
    assert "20 configurations; the second best" in choice_sentence(table)


def test_a_layer_without_a_choice_is_drawn_all_the_same():
    case = Case("alexnet", n_devices=1)
    table = choice_table(case.regrets, case.found, 0)
    assert choice_sentence(table) == "One configuration, so there is no choice."
    choice_dots(table, 0.0, SPLIT_COLOURS)
    case.map()
    freedom = freedom_table(case.regrets, 0.01)
    assert "no choice" in freedom_sentence(freedom, 0.01)
    freedom_bars(freedom, "within 1 %")
    ranking = ranking_table(best_strategies(case.problem, 5))
    assert ranking_sentence(ranking) == "There is one strategy only."
    excess_steps(ranking)


@pytest.mark.parametrize("share", [0.0, 0.01, 10.0])
def test_bars_say_how_many_configurations_are_near(case, share):
    table = freedom_table(case.regrets, share)
    assert tuple(table["near"]) == case.regrets.freedom(share)
    figure = freedom_bars(table, "near", marked={table["layer"].iloc[1]})
    free, fixed, every = figure.data
    tops = {x: bar.base + y for bar in (free, fixed) for x, y in zip(bar.x, bar.y, strict=True)}
    assert [tops[n] for n in range(1, len(table) + 1)] == pytest.approx(list(table["near"]))
    assert all(tops[x] == 1 for x in fixed.x)
    assert list(every.y) == [len(each) for each in case.regrets.configurations]
    assert figure.layout.xaxis.title.text == "layers in the graph's order"
    assert figure.layout.yaxis.title.text == "configurations"
    (frame,) = figure.layout.shapes
    assert frame.x0 < 2 < frame.x1


def test_the_sentence_counts_layers_without_another_choice(alexnet):
    table = freedom_table(alexnet.regrets, 0.01)
    assert freedom_sentence(table, 0.01) == (
        "Within **1 %** of the optimum a layer can be split in **1 to 10** ways; "
        "**8 of 14** have no other choice."
    )
    assert freedom_sentence(table, 0.0).startswith("At the optimum itself")


def test_a_ranking_says_what_differs_from_the_best(case):
    ranking = best_strategies(case.problem, 10)
    table = ranking_table(ranking)
    names = [layer.name for layer in case.problem.graph.layers]
    assert list(table["rank"]) == list(range(1, len(table) + 1))
    assert table["share"].is_monotonic_increasing
    assert table["cost"].iloc[0] == pytest.approx(case.regrets.optimum, rel=1e-12)
    for rank, row in enumerate(table.to_dict("records")):
        positions = ranking.differences(rank)
        assert row["n_layers"] == len(positions)
        assert row["first"] == (names[positions[0]] if positions else "")
        assert row["differs"].count(" → ") == len(positions)
        assert [name for name, _ in pins_of(ranking, rank)] == [names[i] for i in positions]
    file = ranking_file(table, ranking.unit)
    assert f"step cost [{ranking.unit}]" in file and "above the best [%]" in file
    assert list(file["above the best [%]"]) == pytest.approx(list(100 * table["share"]))


def test_ranks_are_drawn_in_per_cent_or_in_millionths(alexnet):
    table = ranking_table(best_strategies(alexnet.problem, 10))
    figure = excess_steps(table, chosen=3)
    points, ring = figure.data
    assert list(points.y) == pytest.approx(list(100 * table["share"]))
    assert list(ring.x) == [3]
    assert figure.layout.yaxis.title.text == "above the optimum [%]"
    tiny = excess_steps(table.assign(share=table["share"] * 1e-4))
    assert tiny.layout.yaxis.title.text == "above the optimum [ppm]"
    assert list(tiny.data[0].y) == pytest.approx(list(100 * table["share"]))
    assert figure.layout.xaxis.title.text == "rank"


def test_names_from_files_are_text_not_markup(alexnet):
    name = "<b>bold</b> & <a href='x'>link</a>"
    graph = alexnet.problem.graph
    layers = (replace(graph.layers[0], name=name), *graph.layers[1:])
    problem = replace(alexnet.problem, graph=replace(graph, layers=layers))
    case = Case.__new__(Case)
    case.problem, case.comparison, case.regrets = problem, compare(problem), regrets(problem)
    case.found = case.comparison.solution.found
    case.layers = tables.layer_table(case.comparison)
    *_, cells, figure = case.map()
    freedom = freedom_table(case.regrets, 0.01)
    ticks = freedom_bars(freedom, "near").layout.xaxis.ticktext
    texts = (*cells["hover"], *figure.layout.yaxis.ticktext, *freedom["hover"], *ticks)
    assert all("<a" not in text for text in texts)


def test_the_dearest_layer_stands_in_for_several(alexnet):
    costs = alexnet.layers["cost"]
    assert dearest_position(alexnet.layers, ()) == costs.argmax()
    assert dearest_position(alexnet.layers, (0, 3)) == max((0, 3), key=costs.__getitem__)


@pytest.mark.parametrize("n", [1, 2, 8, 9, 100, 566])
def test_ranks_have_few_round_ticks_from_one(n):
    ticks = rank_ticks(n)
    assert ticks[0] == 1 and ticks[-1] <= n and len(ticks) <= 9
    assert rank_range(n)[0] < 1 <= n < rank_range(n)[1]


def test_the_scale_has_its_ends_and_a_place_for_nothing():
    assert regret_scale.level(0.0) == regret_scale.AT_NOTHING
    assert regret_scale.level(1e-9) == regret_scale.LOWEST
    assert regret_scale.level(1e9) == regret_scale.HIGHEST
    assert regret_scale.level(0.01) == -2
    assert regret_scale.shade(0.0) == 0.0
    assert regret_scale.shade(10.0) == 1.0
    assert [share for share, _ in regret_scale.COLOURS] == sorted(
        share for share, _ in regret_scale.COLOURS
    )
