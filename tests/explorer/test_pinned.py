"""The line about pinned layers, and figures given in place of the cluster's, on every page."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import explorer
from explorer.labels import PAGES

APP = str(Path(explorer.__file__).with_name("app.py"))
WORKERS = {"Scaling", "Searches"}
"""Pages whose worker processes other tests try."""


def open_page(**query):
    app = AppTest.from_file(APP, default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    return app.run()


def infos(app):
    return " ".join(element.value for element in app.info)


@pytest.mark.parametrize("page", [page for page in PAGES if page not in WORKERS])
def test_every_page_says_what_pins_cost_and_removes_them(page):
    app = open_page(page=page, network="alexnet", pins="fc1:8.1.1|fc2:8.1.1")
    assert not app.exception
    text = infos(app)
    assert "2 layers pinned" in text
    assert "more than the best of all" in text
    app.button(key="remove pins").click().run()
    assert "pinned (" not in infos(app)
    assert not app.exception


def test_without_pins_nothing_is_said():
    assert "pinned" not in infos(open_page(network="alexnet"))


def test_given_figures_are_said_and_taken_back():
    app = open_page(network="alexnet", giga_bytes="37.5")
    assert any("with links of 37.5 GB/s" in m.value.replace("\\", "") for m in app.markdown)
    assert any("links of 37.5 GB/s" in caption.value.replace("\\", "") for caption in app.caption)
    (back,) = [b for b in app.button if b.label == "Back to the cluster's figures"]
    back.click().run()
    assert not any("with links of" in m.value for m in app.markdown)
