"""Tables and plots of the Balance page."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from explorer.labels import AMOUNT_COLOURS
from explorer.plots.balance import balance_curves, lanes_of, sides_of
from explorer.plots.phase_diagram import phase_cells
from explorer.plots.robust import worst_losses
from explorer.scenario import Scenario
from explorer.tables.balance import (
    BEST,
    KEPT,
    at_home,
    balance_headline,
    band_table,
    beyond_text,
    curve_table,
    preset_table,
    visible_range,
)
from explorer.tables.balance_changes import (
    change_table,
    change_text,
    change_title,
    phase_table,
    shown_changes,
    shown_phases,
    telling_digits,
)
from explorer.tables.phase_diagram import (
    COLOURINGS,
    GAIN,
    cell_shading,
    cell_table,
    cell_titles,
    diagram_devices,
    link_for,
    machine_table,
)
from explorer.tables.robust import (
    GRID,
    drawn_losses,
    loss_table,
    loss_titles,
    preset_range,
    robust_sentence,
    undrawn_text,
)
from pase_core.balance import balance
from pase_core.solve import compare

SCENARIO = Scenario(network="alexnet")


@pytest.fixture(scope="module")
def comparison():
    return compare(SCENARIO.problem())


@pytest.fixture(scope="module")
def found(comparison):
    anywhere = replace(SCENARIO, tera_flops=1.0, giga_bytes=1.0)
    return at_home(balance(anywhere.problem()), comparison)


@pytest.fixture(scope="module")
def rows():
    return [balance(replace(SCENARIO, n_devices=n).problem()) for n in (2, 8, 16)]


def moved(found, here):
    return replace(found, here=here)


def test_phases_found_for_any_speeds_are_those_of_the_scenario(found):
    own = balance(SCENARIO.problem())
    assert found.here == own.here
    assert [phase.start for phase in found.phases] == pytest.approx(
        [phase.start for phase in own.phases]
    )
    for (_, line), (_, expected) in zip(found.baselines, own.baselines, strict=True):
        assert line.fixed == pytest.approx(expected.fixed)
        assert line.scaled == pytest.approx(expected.scaled)


def test_the_headline_tells_the_way_out_of_every_phase(found):
    assert "in **phase 5**, which rules 1.51 to 3,050" in balance_headline(found)
    assert "4.25 times slower would change the strategy, one 474 times faster" in (
        balance_headline(found)
    )
    first, last = moved(found, 0.01), moved(found, 1e6)
    assert "phase 1" in balance_headline(first)
    assert "2.22 times slower would change the strategy, a faster one never" in (
        balance_headline(first)
    )
    assert balance_headline(last).endswith(
        "41.3 times faster would change the strategy, a slower one never"
    )
    close = moved(found, 3000.0)
    assert "only 1.7 % slower" in balance_headline(close)
    single = replace(found, phases=found.phases[:1])
    assert "whatever its links" in balance_headline(single)


def test_clusters_are_those_of_as_many_devices_and_equal_ones_are_one_mark(found):
    presets = preset_table(found)
    assert presets["balance"].is_monotonic_increasing
    assert presets.loc[presets["is_own"], "cluster"].tolist() == ["gtx-1080-ti"]
    assert "h100-sxm, h200-sxm" in set(presets["cluster"])
    more = preset_table(replace(found, problem=replace(SCENARIO, n_devices=64).problem()))
    assert more["balance"].max() > presets["balance"].max()


def test_the_range_holds_the_clusters_and_the_machine(found):
    presets = preset_table(found)
    low, high = visible_range(found, presets)
    assert low == pytest.approx(presets["balance"].min() / 100)
    assert high == pytest.approx(presets["balance"].max() * 100)
    far = moved(found, 1e9)
    assert visible_range(far, presets)[1] == pytest.approx(3e9)
    assert visible_range(far, presets[:0])[0] == pytest.approx(1e9 / 3)


def test_bands_fill_the_range_and_the_rest_is_told(found):
    shown = visible_range(found, preset_table(found))
    bands = band_table(found, shown)
    assert bands["start"].iloc[0] == shown[0] and bands["stop"].iloc[-1] == shown[1]
    assert list(bands["stop"][:-1]) == list(bands["start"][1:])
    n_beyond = len(found.phases) - len(bands)
    assert beyond_text(found, shown).startswith(f"{n_beyond} phases below 0.65")
    assert beyond_text(found, (1e-9, 1e9)) == ""
    assert beyond_text(found, (1.0, 4000.0)).startswith("3 phases below 1 and 2 above 4,000 FLOP")


def test_curves_lie_on_or_above_the_envelope(found):
    curves = curve_table(found, (0.5, 1e5))
    best = curves[curves["strategy"] == BEST]
    expected = [min(p.line.at(r) for p in found.phases) for r in best["balance"]]
    assert list(best["cost"]) == pytest.approx(expected)
    assert (curves["ratio"] >= 1).all()
    assert (best["ratio"] == 1).all()
    kept = curves[(curves["strategy"] == KEPT) & (curves["balance"] == found.here)]
    assert kept["ratio"].iloc[0] == pytest.approx(1.0)


def test_phases_are_told_with_every_layer_that_changes(found):
    table = phase_table(found)
    assert table["here"].sum() == 1 and table["to [FLOP/B]"].isna().tolist()[-1]
    for i in range(1, len(table)):
        changes = change_table(found, i)
        assert len(changes) == table["layers that change"][i] == len(found.changes(i))
        assert (changes["before"] != changes["now"]).all()
        assert table["changes"][i] == change_text(changes)
    assert change_table(found, 0).empty
    titles = ["Layer", "Split in phase 4", "Split in phase 5"]
    assert list(shown_changes(change_table(found, 4), 4).columns) == titles
    shown = shown_phases(found)
    assert "more layer" in " ".join(shown["What changes from the phase before"])
    assert shown.columns[3] == "Compute [GFLOP]" and shown.columns[4] == "Sent [MB]"
    assert "nothing comes before" in change_title(found, 0)
    assert "1 layer changes from phase 4" in change_title(found, 4)


def test_ends_of_narrow_phases_differ_as_shown(found):
    assert telling_digits(found) == 4
    first = found.phases[0]
    narrow = replace(found, phases=(replace(first, start=1.93933, stop=1.93934),))
    assert telling_digits(narrow) == 6


def test_losses_are_sorted_and_the_best_is_named(found):
    table = loss_table(found, (1.0, 1e4))
    assert table["loss"].is_monotonic_increasing
    by_phase = table[table["phase"] > 0].sort_values("phase")["loss"]
    assert list(by_phase) == pytest.approx(list(found.worst_losses(1.0, 1e4)))
    best = table[table["phase"] > 0].iloc[0]
    assert f"**phase {best['phase']}**" in robust_sentence(found, table, (1.0, 1e4))
    inside = loss_table(found, (100.0, 1000.0))
    text = robust_sentence(found, inside, (100.0, 1000.0))
    assert "is the best on every machine; data parallelism costs up to" in text
    assert list(loss_titles(table).columns)[2] == "worst loss [share of the best]"


def test_many_phases_are_drawn_in_part_and_the_rest_is_told(found):
    table = loss_table(found, (1.0, 1e4))
    assert len(drawn_losses(table)) == len(table) and undrawn_text(table) == ""
    extra = table[table["phase"] > 0].iloc[-1:].assign(phase=99, kind="phase", loss=50.0)
    longer = pd.concat([table, extra, extra], ignore_index=True)
    assert undrawn_text(longer) == "2 further phases lose 5,000 % at worst."


def test_the_first_range_holds_all_clusters_and_has_ends_on_the_grid(found):
    presets = preset_table(found)
    low, high = preset_range(presets)
    assert low in GRID and high in GRID
    assert low <= presets["balance"].min() and presets["balance"].max() <= high
    assert preset_range(presets[:0]) == (GRID[0], GRID[-1])


def test_rows_of_the_diagram():
    assert diagram_devices(8) == (2, 4, 8, 16, 32, 64)
    assert diagram_devices(1)[0] == 1
    assert 1024 not in diagram_devices(1024) and diagram_devices(1024)[-1] == 256


def test_a_link_leads_into_its_cell(rows):
    cluster = SCENARIO.problem().cluster
    cells = cell_table(rows, cluster)
    flop_per_second = cluster.flop_per_second("float32")
    for cell in cells.itertuples():
        assert cell.start < flop_per_second / (cell.giga_bytes * 1e9) < cell.stop
    assert math.isnan(link_for(1e12, 1e12, 1e13))
    assert link_for(10e12, 1.93933, 1.93934) == pytest.approx(10e3 / 1.939335, rel=1e-5)


def test_cells_fill_every_row_and_are_comparable(rows):
    cells = cell_table(rows, SCENARIO.problem().cluster)
    for _, row in cells.groupby("row"):
        assert list(row["stop"][:-1]) == list(row["start"][1:])
    assert cells["otherwise"].between(0, 1).all()
    assert cells["communication"].between(0, 1).all()
    assert (cells["gain"] >= 1).all()
    assert "hover" not in cell_titles(cells)
    for name in COLOURINGS:
        shading = cell_shading(cells, name, AMOUNT_COLOURS)
        assert len(shading.values) == len(shading.texts) == len(shading.inks) == len(cells)
        assert max(shading.values) <= shading.most
    values = cell_shading(cells, GAIN, AMOUNT_COLOURS).values
    assert list(values) == pytest.approx(list(np.log2(cells["gain"])))


def test_curves_are_drawn_on_logarithmic_axes_with_units(found):
    clusters = preset_table(found)
    shown = visible_range(found, clusters)
    curves = curve_table(found, shown)
    before = curves.copy()
    figure = balance_curves(curves, band_table(found, shown), clusters, found.here, "#000000")
    titles = figure.layout
    assert titles.xaxis3.title.text == "machine balance r [FLOP per byte sent]"
    assert titles.yaxis.title.text == "cost per step [FLOP]"
    assert titles.xaxis.type == titles.yaxis.type == titles.yaxis2.type == "log"
    by_name = {trace.name: trace for trace in figure.data if trace.showlegend}
    assert list(by_name) == ["Data parallel", "One weird trick", KEPT, BEST]
    assert by_name[BEST].line.width == max(trace.line.width for trace in by_name.values())
    texts = [each.text for each in figure.layout.annotations]
    assert "<b>here: 717 FLOP per byte, phase 5</b>" in texts
    pd.testing.assert_frame_equal(curves, before)


def test_names_of_clusters_do_not_meet(found):
    clusters = pd.DataFrame(
        {"cluster": ["aaaaaaaa", "bbbbbbbb", "c"], "balance": [100.0, 101.0, 9e4]}
    ).assign(is_own=False)
    sides = sides_of(clusters, 1e3)
    assert sides == ["left", "left", "right"]
    assert lanes_of(clusters, sides, 1.0, 1e5) == [0, 1, 0]


def test_bars_of_losses_have_their_unit_and_long_ones_are_cut(found):
    table = drawn_losses(loss_table(found, (50.0, 3000.0)))
    (bar,) = (figure := worst_losses(table)).data
    assert list(bar.y) == list(table["strategy"])
    assert max(bar.x) < 100 * table["loss"].max()
    assert "[%]; longer bars are cut off" in figure.layout.xaxis.title.text
    assert bar.text[-1].endswith("▸") and not bar.text[0].endswith("▸")
    close = worst_losses(table[table["loss"] < 0.5])
    assert max(close.data[0].x) == 100 * table.loc[table["loss"] < 0.5, "loss"].max()
    assert "cut off" not in close.layout.xaxis.title.text


def test_cells_are_bars_that_carry_what_a_click_loads(rows):
    cluster = SCENARIO.problem().cluster
    cells = cell_table(rows, cluster)
    shading = cell_shading(cells, GAIN, AMOUNT_COLOURS)
    machine = machine_table(rows, cluster)
    figure = phase_cells(cells, machine, shading, AMOUNT_COLOURS, 8, ("#000000", "#FFFFFF"))
    bars, path = figure.data
    assert bars.type == "bar" and len(bars.x) == len(cells)
    assert list(bars.base + bars.x) == pytest.approx(list(cells["stop"]))
    assert [row[0] for row in bars.customdata] == list(cells["devices"])
    assert list(path.x) == list(machine["balance"])
    assert list(path.marker.symbol) == ["circle", "diamond", "circle"]
    assert figure.layout.yaxis.ticktext == ("2", "8", "16")
    assert "FLOP per byte" in figure.layout.xaxis.title.text
