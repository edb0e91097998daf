"""Ways to compare: swipe, side by side, layers in order, range, time and style; a link repeats each."""

import pytest
from playwright.sync_api import expect

from dashboard.landmarks.services import add_dummies
from tests.browser import rendering as drawn
from tests.browser.actions import in_address
from tests.browser.fixtures import PRECISE, released

# Pixels a layer's canvas shows left and right of a vertical line of the window, as far as its clip-path lets them
SIDES = """([id, line]) => {
  const canvas = document.querySelector(`canvas[data-layer="${id}"]`);
  if (!canvas) return [0, 0];
  const box = canvas.getBoundingClientRect();
  const path = canvas.style.clipPath || "inset(0px)";
  const lengths = path.slice(6, -1).split(" ").map(parseFloat); // top right bottom left
  const wide = canvas.offsetWidth;
  const [from, to] = [lengths[3] ?? lengths[1] ?? lengths[0], wide - (lengths[1] ?? lengths[0])];
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const sides = [0, 0];
  for (let i = 3; i < data.length; i += 4) {
    if (!data[i]) continue;
    const x = ((((i - 3) / 4) % canvas.width) * wide) / canvas.width;
    if (x < from || x > to) continue;
    const off = box.left + (x * box.width) / wide - line;
    if (Math.abs(off) > 1) sides[off < 0 ? 0 : 1] += 1; // what the line itself covers is on neither
  }
  return sides;
}"""
VIEWS = """() => [...document.querySelectorAll(".pane:not([hidden]) .map")].map((map) =>
  [...map.querySelectorAll(".map-scale")].map((one) => one.textContent + one.lastChild.style.width).join())"""
# What is painted of a layer in each map, and where the middle of it lies in its pane
MIDDLES = """(id) => [...document.querySelectorAll(".pane:not([hidden]) .map")].map((map) => {
  const canvas = map.querySelector(`canvas[data-layer="${id}"]`);
  const [n, x, y] = middleOf(canvas);
  const [a, b] = [canvas.getBoundingClientRect(), map.getBoundingClientRect()];
  return [n, x + a.left - b.left, y + a.top - b.top];
})""".replace("middleOf", drawn.MIDDLE)
# The colour most of a layer's opaque pixels have
STYLE_OF = f"""(id) => ({drawn.COLOURS})(id).sort((a, b) => b[1] - a[1])[0]?.[0] ?? "" """
STACKED = """() => [...document.querySelectorAll("canvas[data-layer]")].map((one) =>
  [one.dataset.layer, one.style.zIndex, Number(one.style.opacity || 1).toFixed(3)]).sort()"""
DRAWN = """() => [...document.querySelectorAll(".pane:not([hidden])")].map((pane) =>
  [...pane.querySelectorAll("canvas")].map((one) => one.dataset.layer)
    .filter((id) => id === "original" || id.length === 36).sort())"""


def sides(page, layer):
    """Visible pixels of a layer left and right of the divider."""
    box = divider(page).bounding_box()
    return page.evaluate(SIDES, [layer, box["x"] + box["width"] / 2])


def divider(page):
    return page.get_by_role("separator", name="Divider")


def drag(page, box, to):
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + to[0] / 2, y + to[1] / 2, steps=4)
    page.mouse.move(x + to[0], y + to[1], steps=4)
    page.wait_for_timeout(300)  # no inertia
    page.mouse.up()
    drawn.at_rest(page)


def shows_its_side(page, left, right):
    """Each of two layers is seen on its side of the divider and nowhere else."""
    drawn.at_rest(page)
    a, b = sides(page, left), sides(page, right)
    assert [a[0] > 300, a[1]] == [True, 0], (a, b)
    assert [b[1] > 300, b[0]] == [True, 0], (a, b)


def test_a_swipe_shows_each_sides_layer_and_maps_side_by_side_move_as_one(page, taxi, seeded_pair):
    drawn.compare(page, taxi)
    whole = drawn.painted(page, "original")
    page.get_by_text("Swipe", exact=True).click()
    best = min(seeded_pair, key=lambda one: one.owner_view["mae_m"])
    chosen, other = str(best.pk), str(next(one.pk for one in seeded_pair if one is not best))
    left, right = (page.get_by_label(f"{side} of the divider") for side in ("Left", "Right"))
    expect(right).to_have_value(chosen)
    expect(left).to_have_value("original")
    shows_its_side(page, "original", chosen)
    assert drawn.painted(page, "original") > 0.5 * whole, "the canvas is whole, what is seen of it is not"
    ground = page.locator("[data-map]").bounding_box()
    drag(page, {**ground, "width": ground["width"] / 2}, (90, 40))
    shows_its_side(page, "original", chosen)
    page.get_by_role("button", name="Fit the map").click()
    right.select_option(other)
    shows_its_side(page, "original", other)
    assert drawn.painted(page, chosen) == 0

    line = divider(page)
    expect(line).to_have_attribute("aria-valuenow", "50")
    drag(page, line.bounding_box(), (-80, 0))
    now = int(line.get_attribute("aria-valuenow") or "")
    assert 35 < now < 45
    shows_its_side(page, "original", other)
    line.press("ArrowRight")
    expect(line).to_have_attribute("aria-valuenow", str(now + 2))
    line.press("End")
    drawn.at_rest(page)
    assert sides(page, "original")[0] > 300
    assert sum(sides(page, other)) == 0
    line.press("Home")
    drawn.at_rest(page)
    assert sum(sides(page, "original")) == 0
    expect(line).to_have_attribute("aria-valuenow", "0")
    expect(page.locator(".timeline__text")).to_contain_text("event 1 of")
    for _ in range(4):
        line.press("PageUp")
    left.select_option(chosen)
    in_address(page, "split=40")
    in_address(page, f"left={chosen[-8:]}")
    page.reload()
    drawn.wait_until_ready(page)
    expect(line).to_have_attribute("aria-valuenow", "40")
    expect(left).to_have_value(chosen)
    assert page.url.count("release=") == 2, "the link names its releases"
    page.get_by_text("Overlay", exact=True).click()
    drawn.at_rest(page)
    cuts = page.evaluate("() => [...document.querySelectorAll('.map-canvas')].map((one) => one.style.clipPath)")
    assert set(cuts) == {""}
    assert all(drawn.painted(page, str(release.pk)) > 300 for release in seeded_pair)

    drawn.compare(page, taxi, "?mode=grid")
    panes = page.locator(".pane:visible")
    expect(panes).to_have_count(3)
    first, *rest = page.evaluate(DRAWN)
    assert first == ["original"]
    assert [len(one) for one in rest] == [2, 2]
    faint = "document.querySelectorAll('.pane')[1].querySelector('[data-layer=original]').style.opacity"
    assert float(page.evaluate(faint)) < 0.5
    page.get_by_label("Original in the background").uncheck()
    drawn.at_rest(page)
    assert [len(one) for one in page.evaluate(DRAWN)] == [1, 1, 1]

    page.get_by_role("slider", name="Event", exact=True).press("PageUp")
    drawn.at_rest(page)
    assert [one[0] > 50 for one in page.evaluate(MIDDLES, "selection")] == [True] * 3
    box = panes.nth(1).bounding_box()
    page.mouse.move(box["x"] + 150, box["y"] + 150)
    page.mouse.move(box["x"] + 160, box["y"] + 150)
    expect(page.locator(".pane__pointer:visible")).to_have_count(2)
    spot, ground = panes.nth(0).locator(".pane__pointer").bounding_box(), panes.nth(0).bounding_box()
    assert spot["x"] + 7 - ground["x"] == pytest.approx(160, abs=2)

    def alike():
        drawn.at_rest(page)
        one, other = page.evaluate(MIDDLES, "landmarks")
        assert len(set(page.evaluate(VIEWS))) == 1
        assert one[1:] == pytest.approx(other[1:], abs=1.5)
        return one

    page.get_by_text("2 maps", exact=True).click()
    begun = alike()
    assert begun[0] > 100
    drag(page, panes.nth(1).bounding_box(), (-20, 45))
    moved = alike()
    assert moved[1:] == pytest.approx([begun[1] - 20, begun[2] + 45], abs=2)
    panes.nth(0).get_by_role("button", name="Zoom in").click()
    assert alike()[1:] != pytest.approx(moved[1:], abs=2)
    panes.nth(1).get_by_role("button", name="Fit the map").click()
    alike()


def test_a_range_is_drawn_moved_and_played_and_layers_have_order_opacity_lines_and_errors(page, taxi, seeded_pair):
    drawn.compare(page, taxi)
    ids = ["original", str(seeded_pair[1].pk), "landmarks"]
    whole = [drawn.painted(page, one) for one in ids]
    start, end = (page.get_by_role("slider", name=f"{which} event shown") for which in ("First", "Last"))
    event = page.get_by_role("slider", name="Event", exact=True)
    strip = page.locator(".timeline__strip").bounding_box()
    page.keyboard.down("Shift")
    drag(page, {**strip, "width": strip["width"] / 2}, (100, 0))
    page.keyboard.up("Shift")
    first, last = (int(grip.get_attribute("aria-valuenow") or "") for grip in (start, end))
    assert 0 < first < last < 259
    part = [drawn.painted(page, one) for one in ids]
    assert all(0 <= a < 0.7 * b for a, b in zip(part, whole, strict=True))
    assert min(part[:2]) > 0
    in_address(page, f"range={first}-{last + 1}")
    page.reload()
    drawn.wait_until_ready(page)
    assert [drawn.painted(page, one) for one in ids] == part
    event.press("Escape")
    for one, pixels in zip(ids, whole, strict=True):
        drawn.expect_painted(page, one, pixels.__eq__)
    in_address(page, "range=", False)
    start.press("PageUp")
    expect(start).to_have_attribute("aria-valuenow", "13")
    end.press("ArrowLeft")
    expect(end).to_have_attribute("aria-valuenow", "258")
    start.press("End")
    expect(start).to_have_attribute("aria-valuenow", "258")  # not beyond the other
    page.get_by_role("button", name="Show all", exact=True).click()
    expect(start).to_have_attribute("aria-valuenow", "0")
    expect(start).to_be_focused()

    play, pause = (page.get_by_role("button", name=name) for name in ("Play", "Pause"))
    page.get_by_label("Speed", exact=True).select_option("other speed")
    page.get_by_label("Speed, times real time").fill("0.001")  # an event every five minutes
    event.press("p")
    expect(pause).to_be_visible()
    page.wait_for_timeout(400)
    expect(event).to_have_attribute("aria-valuenow", "0")
    event.press("p")
    expect(play).to_be_visible()

    drawn.compare(page, taxi, "?range=60-120")
    start.press("Shift+PageUp")
    expect(start).to_have_attribute("aria-valuenow", "73")
    expect(end).to_have_attribute("aria-valuenow", "132")

    drawn.compare(page, taxi)
    assert list(drawn.layers(page)) == ["Original", "Skip", "Uniform", "Landmarks"]
    skip, uniform = (str(one.pk) for one in seeded_pair)
    before = page.evaluate(STYLE_OF, uniform)
    page.get_by_role("button", name="Line, opacity and order of Uniform").press("Enter")
    drawn.pick(page.get_by_role("group", name="Line of Uniform").get_by_label("pink, dash dot"))
    page.wait_for_function(f"([id, before]) => ({STYLE_OF})(id) !== before", arg=[uniform, before])
    pink = page.evaluate(STYLE_OF, uniform)
    assert all(abs(int(a) - b) < 30 for a, b in zip(pink.split(","), (0xCB, 0x5E, 0xB7), strict=True))
    in_address(page, "inks=" + uniform[-8:] + ":3")
    raised = page.get_by_role("button", name="Raise Uniform")
    for _ in range(3):  # the third time it lies on top already
        raised.press("Enter")
        expect(raised).to_be_focused()
    assert list(drawn.layers(page)) == ["Uniform", "Original", "Skip", "Landmarks"]
    slider = page.get_by_role("slider", name="Opacity of Uniform")
    slider.press("Home")
    for _ in range(5):
        slider.press("ArrowRight")
    in_address(page, "order=")
    drawn.at_rest(page)
    stack = page.evaluate(STACKED)
    above = {layer: int(z) for layer, z, _ in stack}
    assert above[uniform] > above["original"] > above[skip]
    page.reload()
    drawn.wait_until_ready(page)
    assert page.evaluate(STACKED) == stack
    assert page.evaluate(STYLE_OF, uniform) == pink
    assert list(drawn.layers(page)) == ["Uniform", "Original", "Skip", "Landmarks"]

    page.get_by_label("Error lines, event to release").check()
    drawn.expect_painted(page, f"errors-{skip}")
    far = drawn.expect_painted(page, f"errors-{uniform}")
    page.get_by_role("checkbox", name="Uniform").uncheck()
    expect(page.locator(f"canvas[data-layer=errors-{uniform}]")).to_have_count(0)
    page.get_by_role("checkbox", name="Uniform").check()
    drawn.expect_painted(page, f"errors-{uniform}", lambda pixels: pixels == far)


@pytest.mark.journey
def test_dummies_are_a_layer(page, owner, taxi, stays):
    more = add_dummies(owner=owner, landmark_set=stays, method={"name": "dummies-one-sided", "epsilon": 0.5})
    released(more, "uniform", **PRECISE)
    drawn.compare(page, taxi, f"?landmark_set={more.pk}")
    assert list(drawn.layers(page)) == ["Original", "Uniform", "Landmarks", "Dummy landmarks"]
    counts = page.locator(".layer--owner .layer__error").all_inner_texts()
    assert counts == ["", str(stays.count), str(more.count - stays.count)]
    assert drawn.painted(page, "dummies") > 50
    page.get_by_role("checkbox", name="Dummy landmarks").uncheck()
    drawn.at_rest(page)
    assert drawn.painted(page, "dummies") == 0
    assert drawn.painted(page, "landmarks") > 50
