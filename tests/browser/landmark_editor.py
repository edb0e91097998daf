"""The landmark editor as a reader works in it."""

from playwright.sync_api import expect

from dashboard.landmarks.models import LandmarkSet
from tests.browser.rendering import MIDDLE, at_rest, wait_until_ready

SQUARE = [(0.2, 0.3), (0.8, 0.3), (0.8, 0.7), (0.2, 0.7)]


def place(page, x, y):
    """A place on the map, given as shares of its width and height, on the screen."""
    box = page.locator("[data-map]").bounding_box()
    return box["x"] + x * box["width"], box["y"] + y * box["height"]


def tool(page, name):
    page.get_by_role("group", name="Tools").get_by_role("button", name=name).click()


def draw_polygon(page, corners=SQUARE, close="Enter"):
    tool(page, "Polygon")
    for corner in corners:
        page.mouse.click(*place(page, *corner))
    if close:
        page.keyboard.press(close)


def drag(page, start, end):
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    page.mouse.move(*end)
    page.mouse.up()


def draw_circle(page, centre=(0.5, 0.5), reach=(0.6, 0.6)):
    tool(page, "Circle")
    drag(page, place(page, *centre), place(page, *reach))


def handle(page, name):
    """Where the middle of a handle is on the screen."""
    box = page.locator(f"[data-handle={name}]").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def save(page, dataset):
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url(f"**/datasets/{dataset.pk}/#landmark-sets")
    return LandmarkSet.objects.filter(dataset=dataset).latest("created_at")


def counted(page, row=0):
    return page.locator(".zone__head .muted").nth(row).inner_text()


def edit(page, dataset, query=""):
    page.goto(f"/datasets/{dataset.pk}/landmarks/new/{query}")
    wait_until_ready(page, "[data-editor]")


def marked(page):
    """How many events are marked, once the server has counted what was changed last."""
    expect(page.locator("[data-busy]")).to_be_hidden()
    return int(page.locator("[data-count]").inner_text().replace(",", ""))


def expect_marked(page, count):
    expect(page.locator("[data-count]")).to_have_text(str(count))


def undo_all(page, count):
    """Undo every change, until the editor is as it was loaded, with ``count`` landmarks."""
    page.keyboard.press("Escape")
    undo = page.locator("[data-undo]")
    while undo.is_enabled():
        undo.click()
    expect_marked(page, count)


def event_on_screen(page):
    """Where the selected event is painted on the screen."""
    at_rest(page)
    x, y = page.locator("canvas[data-layer=selection]").evaluate(
        f"""(canvas) => {{
          const [, x, y] = {MIDDLE}(canvas), box = canvas.getBoundingClientRect();
          const ratio = canvas.width / canvas.clientWidth;
          return [box.left + x / ratio, box.top + y / ratio];
        }}"""
    )
    return x, y
