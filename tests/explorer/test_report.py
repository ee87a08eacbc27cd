"""The report: complete, self-contained, and harmless whatever a file's names are."""

import re
from dataclasses import replace
from html import escape, unescape
from html.parser import HTMLParser

import pytest
from plotly.offline import get_plotlyjs

from explorer import tables
from explorer.labels import MODELLED
from explorer.report import excuse, report
from explorer.scenario import Scenario, Upload
from pase_core.importers.json_graph import graph_to_json
from pase_core.solve import compare
from pase_core.units import with_prefix
from sample_graphs import SAMPLES

ADDRESS = "http://localhost:8501/?network=rnnlm&page=<b>"
HOSTILE = "</script><script>alert(1)</script><img src=http://example.com/b.png onerror='x()'> & \""


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def without_plotly(text):
    assert text.count(get_plotlyjs()) == 1
    return text.replace(get_plotlyjs(), "")


@pytest.fixture(scope="module", params=["alexnet", "rnnlm", "transformer"])
def comparison(request):
    return compare(Scenario(network=request.param).problem())


@pytest.fixture(scope="module")
def text(comparison):
    return without_plotly(report(comparison, ADDRESS, "1.2.3"))


@pytest.fixture(scope="module")
def hostile():
    graph = SAMPLES["rnnlm"].build(8)
    layers = tuple(replace(layer, name=f"{HOSTILE} {layer.name}") for layer in graph.layers)
    data = graph_to_json(replace(graph, name=HOSTILE, note=HOSTILE, layers=layers)).encode()
    return compare(Scenario("upload", Upload("mine.json", data), batch=8).problem())


def test_nothing_is_fetched(text):
    for tag, attributes in Tags(text).found:
        assert tag not in {"link", "img", "iframe", "object", "embed", "base", "a"}
        assert not {"src", "href", "srcset", "data", "action"} & set(attributes)
    assert not re.search(r"url\(|@import|fetch\(|XMLHttpRequest|WebSocket", text)
    assert "default-src 'none'" in text


def test_all_that_is_promised_is_inside(comparison, text):
    solution = comparison.solution
    words = unescape(re.sub(r"<[^>]*>", "", text)).replace("\xa0", " ")
    assert tables.headline(comparison).replace("**", "") in words
    assert with_prefix(solution.found.total, solution.unit) in words
    for value, remark in tables.tiles(comparison).values():
        assert value in words
        assert remark in words
    for layer in solution.problem.graph.layers:
        assert f"<td>{escape(layer.name)}</td>".replace(" ", "&nbsp;") in text.replace(
            " ", "&nbsp;"
        )
    for row in tables.strategy_table(comparison).to_dict("records"):
        assert row["strategy"] in words
        assert row["note"] in words
    for row in tables.layer_table(comparison).to_dict("records"):
        assert row["split"] in words
    assert words.count(MODELLED) == 2
    assert "1.2.3" in words
    assert ADDRESS in words
    assert solution.problem.cluster.title in words


def test_two_figures_share_one_plotly(text):
    charts = [a["id"] for _tag, a in Tags(text).found if a.get("class") == "plotly-graph-div"]
    assert charts == ["chart-costs", "chart-strip"]
    assert text.count("Plotly.newPlot(") == 2


def test_the_same_result_gives_the_same_report(comparison):
    assert report(comparison, ADDRESS, "1") == report(comparison, ADDRESS, "1")


def test_hostile_names_stay_text(hostile):
    text = without_plotly(report(hostile, f"http://x/?layer={HOSTILE}", HOSTILE))
    plain = without_plotly(report(compare(Scenario("rnnlm", batch=8).problem()), "", ""))
    assert [tag for tag, _ in Tags(text).found] == [tag for tag, _ in Tags(plain).found]
    assert "<img" not in text
    assert "alert(1)</script>" not in text
    assert escape(HOSTILE) in text.replace("&nbsp;", " ")


def test_pinned_layers_are_said():
    scenario = Scenario("alexnet", pins=(("fc1", (1, 8, 1)),))
    text = report(compare(scenario.problem()), ADDRESS, "1")
    assert "Held:&nbsp;fc1" in text


def test_without_a_result_the_reason_is_said():
    text = excuse(HOSTILE, ADDRESS)
    assert escape(HOSTILE) in text
    assert {tag for tag, _ in Tags(text).found}.isdisjoint({"img", "a"})
