"""The Learn page in a real Chromium: steps, play, clicks on the picture, the toy; no complaints."""

import pytest

SECTIONS = {
    "steps": "The method step by step",
    "orderings": "Why the ordering matters",
    "toy": "A toy to play with",
}


def open_page(page, section="steps", query=""):
    page.goto(f"{page.address}/?page=Learn&lesson={SECTIONS[section].replace(' ', '+')}{query}")
    wait = {"steps": "Step 1 of", "orderings": "breadth-first needs", "toy": "The bill"}[section]
    page.get_by_text(wait).first.wait_for(timeout=30_000)
    return page


def step_text(page, number):
    page.get_by_text(f"Step {number} of").wait_for(timeout=10_000)


def picture(page):
    canvas = page.locator("canvas[data-boxes]")
    canvas.wait_for(timeout=10_000)
    return canvas


def test_steps_move_by_button_and_in_the_address(page):
    open_page(page)
    assert picture(page).get_attribute("data-selected") == "conv1"
    page.get_by_role("button", name="Next").click()
    step_text(page, 2)
    page.wait_for_function("document.URL.includes('step=2')")
    page.locator("canvas[data-selected=pool1]").wait_for(timeout=10_000)
    page.get_by_role("button", name="Previous").click()
    step_text(page, 1)
    assert page.complaints == []


def test_play_goes_to_the_last_step_and_stops(page):
    open_page(page, query="&network=rnnlm")
    page.get_by_role("button", name="Play").click()
    step_text(page, 4)
    page.get_by_text("the cost of the best strategy").wait_for(timeout=10_000)
    page.get_by_role("button", name="Play").wait_for(timeout=10_000)
    page.wait_for_timeout(2500)
    assert page.get_by_text("Step 4 of 4").is_visible()
    assert page.complaints == []


def click_box(page, x, y):
    """Click a point given in the picture's own pixels."""
    canvas = picture(page)
    box = canvas.bounding_box()
    scale = float(canvas.get_attribute("data-scale"))
    left, top = map(float, canvas.get_attribute("data-offset").split())
    page.mouse.click(box["x"] + left + x * scale, box["y"] + top + y * scale)


def test_a_click_on_a_layer_goes_to_its_step(page):
    open_page(page)
    click_box(page, 2 * 214, 32)  # the third layer of the first lane
    step_text(page, 3)
    page.get_by_role("button", name="Next").click()
    step_text(page, 4)
    assert page.complaints == []


def test_zoom_survives_the_steps(page):
    open_page(page)
    box = picture(page).bounding_box()
    page.mouse.move(box["x"] + 200, box["y"] + 200)
    page.mouse.wheel(0, -300)
    page.wait_for_timeout(300)
    scale = picture(page).get_attribute("data-scale")
    page.get_by_role("button", name="Next").click()
    step_text(page, 2)
    assert picture(page).get_attribute("data-scale") == scale
    assert page.complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_orderings_are_compared(page, scheme):
    page.emulate_media(color_scheme=scheme)
    open_page(page, "orderings", "&network=inception_v3")
    page.locator(".js-plotly-plot").wait_for(timeout=30_000)
    page.get_by_text("All sample networks on 8 devices").wait_for(timeout=30_000)
    assert page.complaints == []


def tile(page, number):
    return page.get_by_test_id("stMetricValue").nth(number)


def test_the_toy_reacts_and_the_solver_button_reaches_the_optimum(page):
    open_page(page, "toy")
    assert tile(page, 2).inner_text() == "1.98× the optimum"
    page.get_by_label("fc1:").first.click()
    page.get_by_role("option", name="n 4", exact=True).click()
    page.wait_for_function("document.URL.includes('toy_2=n+4')")
    page.get_by_text("redistribution: fc1.out").wait_for(timeout=10_000)
    page.get_by_role("button", name="Let the solver do it").click()
    page.get_by_text("the optimum", exact=True).first.wait_for(timeout=10_000)
    assert tile(page, 0).inner_text() == tile(page, 1).inner_text()
    assert page.locator(".katex").count() >= 6
    assert page.complaints == []


def test_a_link_gives_the_same_splits(page):
    open_page(page, "toy", "&toy_1=v+4&toy_2=n+4&toy_3=c+4")
    page.get_by_text("the optimum", exact=True).first.wait_for(timeout=10_000)
    assert page.complaints == []
