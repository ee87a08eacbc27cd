"""The graph page in a real Chromium: clicks, colours, modules, pins, links, pictures."""

CANVAS = "canvas[data-boxes]"


def open_graph(page, query=""):
    page.goto(f"{page.address}/?page=Graph{query}")
    page.locator(CANVAS).wait_for(timeout=30_000)
    return page.locator(CANVAS)


def state_of(canvas):
    return canvas.evaluate("canvas => ({...canvas.dataset})")


def click_box(page, canvas, name):
    """Find a box through the search field and press Enter, as a user of the keyboard would."""
    field = page.get_by_label("Find a layer")
    field.fill(name)
    field.press("Enter")
    page.wait_for_function(
        "name => document.querySelector('*') && [...document.querySelectorAll('*')].some(e => "
        "e.shadowRoot?.querySelector('canvas')?.dataset.selected === name)",
        arg=name,
    )


def test_a_selected_box_opens_its_panel(page):
    canvas = open_graph(page, "&devices=32")
    click_box(page, canvas, "fc1")
    page.get_by_text("Why not another split?").wait_for(timeout=10_000)
    assert "layer=fc1" in page.url
    assert page.complaints == []


def test_recolouring_keeps_zoom_and_selection(page):
    canvas = open_graph(page, "&network=inception_v3&layer=e1")
    page.get_by_title("Zoom in").click()
    before = state_of(canvas)
    page.get_by_text("Kind of split", exact=True).click()
    page.wait_for_function(
        "() => [...document.querySelectorAll('*')].some(e => e.shadowRoot?.querySelector("
        "'canvas')?.dataset.colouring.startsWith('split'))"
    )
    after = state_of(canvas)
    assert (after["scale"], after["offset"], after["selected"]) == (
        before["scale"], before["offset"], "e1",
    )  # fmt: skip
    assert after["colouring"] != before["colouring"]
    assert "colouring=Kind" in page.url
    page.reload()
    page.locator(CANVAS).wait_for(timeout=30_000)
    assert state_of(canvas)["colouring"] == after["colouring"]


def test_a_module_opens_and_the_link_keeps_it_open(page):
    canvas = open_graph(page, "&network=inception_v3&layer=e1")
    page.get_by_role("button", name="Open the module").click()
    page.locator("canvas[data-boxes='33']").wait_for(timeout=10_000)
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    page.locator("canvas[data-boxes='33']").wait_for(timeout=30_000)
    assert state_of(canvas)["boxes"] == "33"
    assert page.complaints == []


def test_arrow_keys_walk(page):
    canvas = open_graph(page, "&layer=conv1")
    canvas.focus()
    canvas.press("ArrowRight")
    page.get_by_text("max pooling").first.wait_for(timeout=10_000)
    assert state_of(canvas)["selected"] == "pool1"


def test_a_layer_can_be_pinned_and_freed_again(page):
    open_graph(page, "&layer=fc1&pins=fc1:8.1.1")
    page.get_by_text("Pinned layers").wait_for(timeout=10_000)
    page.get_by_role("button", name="✕").click()
    page.get_by_text("Pinned layers").wait_for(state="detached", timeout=10_000)
    page.get_by_role("button", name="Undo the last change of pins").click()
    page.get_by_text("Pinned layers").wait_for(timeout=10_000)
    assert "pins=fc1" in page.url
    assert page.complaints == []


def test_the_picture_can_be_saved(page):
    open_graph(page)
    for kind, start in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with page.expect_download() as waiting:
            page.get_by_role("button", name=kind).click()
        with open(waiting.value.path(), "rb") as file:  # noqa: PTH123
            assert file.read(4) == start
