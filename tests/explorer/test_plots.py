import pandas as pd

from explorer.plots.bars import stacked_costs
from explorer.plots.strip import MAX_LABELS, module_strip


def component_rows():
    rows = [
        ("Found", "Compute", 3e9), ("Found", "Redistribution", 1e9), ("Found", "Other", 0.0),
        ("Data parallel", "Compute", 3e9), ("Data parallel", "Redistribution", 5e9),
        ("Data parallel", "Other", 0.0),
    ]  # fmt: skip
    table = pd.DataFrame(rows, columns=["strategy", "component", "cost"])
    table["total"] = table.groupby("strategy")["cost"].transform("sum")
    table["cost_text"] = table["share_text"] = table["end_text"] = "text"
    return table


COLOURS = {"Compute": "#111111", "Redistribution": "#222222", "Other": "#333333"}


def test_bars_stack_each_component_in_its_colour_and_unit():
    figure = stacked_costs(component_rows(), COLOURS, 1e9, "GFLOP")
    bars = [trace for trace in figure.data if trace.type == "bar"]
    assert [(bar.name, bar.marker.color) for bar in bars] == [
        ("Compute", "#111111"),
        ("Redistribution", "#222222"),
    ]
    assert list(bars[1].x) == [1.0, 5.0]
    assert figure.layout.barmode == "stack"
    assert "GFLOP" in figure.layout.xaxis.title.text


def test_bars_do_not_change_their_table():
    table = component_rows()
    before = table.copy()
    stacked_costs(table, COLOURS, 1e9, "GFLOP")
    pd.testing.assert_frame_equal(table, before)


def module_rows(savings):
    return pd.DataFrame(
        {
            "module": [f"m{i}" for i in range(len(savings))],
            "dearest": [f"m{i}" for i in range(len(savings))],
            "saving": savings,
            "hover": "text",
        }
    )


SCALE = ((0.0, "#ff0000"), (0.5, "#888888"), (1.0, "#0000ff"))


def test_strip_keeps_zero_in_the_middle_of_the_colours():
    figure = module_strip(module_rows([-2e9, 0.0, 6e9]), SCALE, 1e9, "GFLOP")
    marker = figure.data[0].marker
    assert (marker.cmin, marker.cmax) == (-6.0, 6.0)
    assert list(marker.color) == [-2.0, 0.0, 6.0]
    assert "GFLOP" in marker.colorbar.title.text


def test_strip_of_a_network_without_savings_has_a_scale_all_the_same():
    marker = module_strip(module_rows([0.0, 0.0]), SCALE, 1.0, "FLOP").data[0].marker
    assert marker.cmin < 0 < marker.cmax


def test_strip_names_modules_only_while_they_can_be_read():
    few = module_strip(module_rows([1.0] * MAX_LABELS), SCALE, 1.0, "FLOP")
    many = module_strip(module_rows([1.0] * (MAX_LABELS + 1)), SCALE, 1.0, "FLOP")
    assert len(few.layout.xaxis.ticktext) == MAX_LABELS
    assert len(many.layout.xaxis.tickvals) == 0


def test_strip_marks_the_selected_module_and_gives_its_dearest_layer():
    figure = module_strip(module_rows([1.0, 2.0]), SCALE, 1.0, "FLOP", marked="m1", ink="#123456")
    assert [names[0] for names in figure.data[0].customdata] == ["m0", "m1"]
    assert list(figure.data[0].marker.line.width) == [0, 3]
    assert "▶ m1" in figure.layout.xaxis.ticktext[1]
