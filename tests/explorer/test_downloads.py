"""Tables as files: CSV that a spreadsheet may open, JSON with plain numbers, on every page."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

import explorer
from explorer import tables

APP = str(Path(explorer.__file__).with_name("app.py"))


def rows_of(text):
    return list(csv.reader(io.StringIO(text)))


@pytest.mark.parametrize("text", ["=1+1", "+cmd", "-x", "@sum", "\tx", "=HYPERLINK(1)", "-1+2"])
def test_text_that_would_be_a_formula_gets_a_quote(text):
    (title, *_), (cell, *_) = rows_of(tables.to_csv(pd.DataFrame({text: [text], "n": [1]})))
    assert title == cell == f"'{text}"


@pytest.mark.parametrize("value", [-1.5, "-2", "+3.5e-7", "b 8", "encoder/1", "a=b", ""])
def test_numbers_and_other_text_stay_as_they_are(value):
    _titles, (cell, *_) = rows_of(tables.to_csv(pd.DataFrame({"layer": [value], "n": [1]})))
    assert cell == str(value)


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0\r\n")), min_size=1))
def test_no_cell_of_any_text_begins_a_formula(texts):
    _titles, *rows = rows_of(tables.to_csv(pd.DataFrame({"n": 0, "layer": texts})))
    for (_n, cell), text in zip(rows, texts, strict=True):
        assert cell.removeprefix("'") == text.removeprefix("'")
        if cell.startswith(("=", "@")):
            pytest.fail(cell)
        if cell.startswith(("+", "-")):
            float(cell)


def test_json_has_plain_numbers_and_null_for_what_is_missing():
    table = pd.DataFrame({"devices": np.array([1, 2]), "proved": [True, None], "x": [0.5, np.nan]})
    data = json.loads(tables.to_json(table, {"unit": "FLOP"}))
    assert (data["schema"], data["unit"]) == ("pase.table/1", "FLOP")
    assert "modelled, not measured" in data["note"]
    assert data["rows"] == [
        {"devices": 1, "proved": True, "x": 0.5},
        {"devices": 2, "proved": None, "x": None},
    ]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({"page": "Overview"}, ["alexnet-8-layers"]),
        ({"page": "Layers"}, ["alexnet-8-layers"]),
        ({"page": "Compare"}, ["alexnet-8-strategies", "alexnet-differences"]),
        ({"page": "Learn", "lesson": "Why the ordering matters"}, ["orderings-8"]),
        (
            {"page": "Graph", "layer": "fc1"},
            ["fc1-dimensions", "fc1-costs", "fc1-tensors", "fc1-candidates"],
        ),
    ],
)
def test_every_table_of_a_page_is_offered_as_csv_and_json(query, names):
    app = AppTest.from_file(APP, default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    ids = " ".join(button.proto.id for button in app.get("download_button"))
    for name in names:
        assert f"{name}.csv" in ids
        assert f"{name}.json" in ids
