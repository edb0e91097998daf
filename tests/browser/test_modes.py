"""Ways to compare: a swipe shows each side's layer and no other, maps side by side move as one, a link repeats it."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset
from dashboard.landmarks.dummy_landmarks import add_dummies
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.services import mark_landmarks
from dashboard.releases.models import Release
from privacy_engine.samples import samples
from tests.browser.conftest import DEVICES, PHONE, assert_fits, check_page, run_cases
from tests.browser.fixtures import PRECISE, released
from tests.browser.rendering import MIDDLE, at_rest, compare, expect_painted, layers, painted, wait_until_ready

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
})""".replace("middleOf", MIDDLE)


@pytest.fixture
def pair(stays: LandmarkSet) -> list[Release]:
    """Skip and Uniform of the taxi day."""
    return released(stays, "skip", "uniform", **PRECISE)


def sides(page: Page, layer: str) -> list[int]:
    """Visible pixels of a layer left and right of the divider."""
    box = page.get_by_role("separator", name="Divider").bounding_box()
    return page.evaluate(SIDES, [layer, box["x"] + box["width"] / 2])


def divider(page: Page) -> Any:
    return page.get_by_role("separator", name="Divider")


def drag(page: Page, box: dict[str, float], to: tuple[float, float]) -> None:
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + to[0] / 2, y + to[1] / 2, steps=4)
    page.mouse.move(x + to[0], y + to[1], steps=4)
    page.wait_for_timeout(300)  # no inertia
    page.mouse.up()
    at_rest(page)


def shows_its_side(page: Page, left: str, right: str) -> None:
    """Each of two layers is seen on its side of the divider and nowhere else."""
    a, b = sides(page, left), sides(page, right)
    assert [a[0] > 300, a[1]] == [True, 0], (a, b)
    assert [b[1] > 300, b[0]] == [True, 0], (a, b)


class TestSwipe:
    @pytest.mark.journey
    def test_each_side_shows_its_layer_while_the_map_is_dragged_and_zoomed(
        self, page: Page, taxi: Dataset, pair: list[Release]
    ) -> None:
        compare(page, taxi)
        whole = painted(page, "original")
        page.get_by_text("Swipe", exact=True).click()
        at_rest(page)
        right = page.get_by_label("Right of the divider").input_value()
        assert page.get_by_label("Left of the divider").input_value() == "original"
        shows_its_side(page, "original", right)
        assert painted(page, "original") > 0.5 * whole, "the canvas is whole, what is seen of it is not"
        ground = page.locator("[data-map]").bounding_box()
        quarter = {**ground, "width": ground["width"] / 2}
        drag(page, quarter, (90, 40))
        shows_its_side(page, "original", right)
        page.get_by_role("button", name="Zoom in").click()
        page.wait_for_timeout(120)  # in the middle of the zoom
        line = divider(page).bounding_box()
        clip = page.evaluate(
            "(id) => { const c = document.querySelector(`canvas[data-layer='${id}']`), b = c.getBoundingClientRect();"
            " return b.left + b.width * parseFloat(c.style.clipPath.split(' ').at(-1)) / c.offsetWidth; }",
            right,
        )
        assert abs(clip - line["x"] - line["width"] / 2) < 12, "the cut stays at the line"
        at_rest(page)
        shows_its_side(page, "original", right)


class TestSideBySide:
    @pytest.mark.journey
    def test_maps_move_as_one(self, page: Page, taxi: Dataset, pair: list[Release]) -> None:
        compare(page, taxi, "?mode=grid&faint=0")
        panes = page.locator(".pane:visible")
        expect(panes).to_have_count(3)
        at_rest(page)

        def alike() -> list[Any]:
            found = page.evaluate(MIDDLES, "landmarks")
            assert len(set(page.evaluate(VIEWS))) == 1
            return found

        page.get_by_text("2 maps", exact=True).click()
        at_rest(page)
        one, other = alike()
        assert one[0] > 100
        assert one[1:] == pytest.approx(other[1:], abs=1.5)
        drag(page, panes.nth(1).bounding_box(), (-20, 45))
        moved, with_it = alike()
        assert moved[1:] == pytest.approx(with_it[1:], abs=1.5)
        assert moved[1] == pytest.approx(one[1] - 20, abs=2)
        assert moved[2] == pytest.approx(one[2] + 45, abs=2)
        panes.nth(0).get_by_role("button", name="Zoom in").click()
        at_rest(page)
        near, and_near = alike()
        assert near[1:] == pytest.approx(and_near[1:], abs=1.5)
        assert near[1:] != pytest.approx(moved[1:], abs=2)
        panes.nth(1).get_by_role("button", name="Fit the map").click()
        at_rest(page)
        fitted, and_fitted = alike()
        assert fitted[1:] == pytest.approx(and_fitted[1:], abs=1.5)

    def test_stacked_on_a_phone(self, phone: Page, taxi: Dataset, pair: list[Release]) -> None:
        compare(phone, taxi, "?mode=grid")
        boxes = [one.bounding_box() for one in phone.locator(".pane:visible").all()]
        assert len(boxes) == 2
        assert boxes[1]["y"] >= boxes[0]["y"] + boxes[0]["height"]
        assert all(box["width"] == PHONE["width"] for box in boxes)
        assert_fits(phone)


class TestLayers:
    def test_order_and_opacity_by_keyboard_and_in_the_link(
        self, page: Page, taxi: Dataset, pair: list[Release]
    ) -> None:
        compare(page, taxi)
        assert list(layers(page)) == ["Original", "Skip", "Uniform", "Landmarks"]
        page.get_by_role("button", name="Opacity and order of Uniform").press("Enter")
        page.get_by_role("button", name="Raise Uniform").press("Enter")
        page.get_by_role("button", name="Raise Uniform").press("Enter")
        expect(page.get_by_role("button", name="Raise Uniform")).to_be_focused()
        page.get_by_role("button", name="Raise Uniform").press("Enter")  # it lies on top already
        assert list(layers(page)) == ["Uniform", "Original", "Skip", "Landmarks"]
        slider = page.get_by_role("slider", name="Opacity of Uniform")
        slider.press("Home")
        for _ in range(5):
            slider.press("ArrowRight")
        page.wait_for_function("() => location.search.includes('order=')")
        at_rest(page)
        looked = """() => [...document.querySelectorAll("canvas[data-layer]")].map((one) =>
          [one.dataset.layer, one.style.zIndex, Number(one.style.opacity || 1).toFixed(3)]).sort()"""
        ids = layers(page)
        before = page.evaluate(looked)
        zs = {layer: int(z) for layer, z, _ in before}
        assert zs[ids["Uniform"]] > zs["original"] > zs[ids["Skip"]]
        page.reload()
        wait_until_ready(page)
        assert page.evaluate(looked) == before
        assert list(layers(page)) == ["Uniform", "Original", "Skip", "Landmarks"]

    def test_a_link_shows_the_same_swipe(self, page: Page, taxi: Dataset, pair: list[Release]) -> None:
        compare(page, taxi, "?mode=swipe")
        page.get_by_label("Left of the divider").select_option(str(pair[1].pk))
        divider(page).press("PageDown")
        page.wait_for_function("() => location.search.includes('split=40')")
        page.reload()
        wait_until_ready(page)
        expect(divider(page)).to_have_attribute("aria-valuenow", "40")
        expect(page.get_by_label("Left of the divider")).to_have_value(str(pair[1].pk))
        assert page.url.count("release=") == 2, "the link names its releases"

    def test_dummies_are_hollow_and_landmarks_apart(self, page: Page, owner: User, stays: LandmarkSet) -> None:
        method = {"name": "dummies-one-sided", "epsilon": 0.5}
        more = add_dummies(owner=owner, landmark_set=stays, method=method)
        released(more, "uniform", **PRECISE)
        compare(page, stays.dataset, f"?landmark_set={more.pk}")
        assert list(layers(page)) == ["Original", "Uniform", "Landmarks", "Dummy landmarks"]
        counts = page.locator(".layer--owner .layer__error").all_inner_texts()
        assert counts == ["", str(stays.count), str(more.count - stays.count)]
        assert painted(page, "dummies") > 50
        page.get_by_role("checkbox", name="Dummy landmarks").uncheck()
        assert painted(page, "dummies") == 0
        assert painted(page, "landmarks") > 50

    def test_zones_are_a_layer(self, page: Page, owner: User, taxi: Dataset) -> None:
        series = samples()[1].series
        circle = {"type": "Circle", "center": [float(series.lon[0]), float(series.lat[0])], "radius_m": 2000.0}
        zones = mark_landmarks(owner=owner, dataset=taxi, method={"name": "zones", "zones": [circle]})
        released(zones, "skip", **PRECISE)
        compare(page, taxi, f"?landmark_set={zones.pk}")
        assert painted(page, "zones") > 1000
        page.get_by_role("checkbox", name="Zones").uncheck()
        assert painted(page, "zones") == 0


class TestRange:
    def test_shift_and_a_drag_draw_a_range_and_escape_all(self, page: Page, taxi: Dataset, pair: list[Release]) -> None:
        compare(page, taxi)
        ids = ["original", str(pair[1].pk), "landmarks"]
        whole = [painted(page, one) for one in ids]
        strip = page.locator(".timeline__strip").bounding_box()
        page.keyboard.down("Shift")
        drag(page, {**strip, "width": strip["width"] / 2}, (100, 0))
        page.keyboard.up("Shift")
        first = int(page.get_by_role("slider", name="First event shown").get_attribute("aria-valuenow"))
        last = int(page.get_by_role("slider", name="Last event shown").get_attribute("aria-valuenow"))
        assert 0 < first < last < 259
        part = [painted(page, one) for one in ids]
        assert all(0 <= a < 0.7 * b for a, b in zip(part, whole, strict=True))
        assert part[0] > 0
        assert part[1] > 0
        page.wait_for_function(f"() => location.search.includes('range={first}-{last + 1}')")
        page.reload()
        wait_until_ready(page)
        assert [painted(page, one) for one in ids] == part
        page.get_by_role("slider", name="Event", exact=True).press("Escape")
        for one, pixels in zip(ids, whole, strict=True):
            expect_painted(page, one, pixels.__eq__)
        page.wait_for_function("() => !location.search.includes('range=')")

    def test_grips_by_keyboard(self, page: Page, taxi: Dataset, pair: list[Release]) -> None:
        compare(page, taxi)
        start, end = (page.get_by_role("slider", name=f"{which} event shown") for which in ("First", "Last"))
        start.press("PageUp")
        expect(start).to_have_attribute("aria-valuenow", "13")
        end.press("ArrowLeft")
        expect(end).to_have_attribute("aria-valuenow", "258")
        start.press("End")
        expect(start).to_have_attribute("aria-valuenow", "258")  # not beyond the other
        page.get_by_role("button", name="Show all", exact=True).click()
        expect(start).to_have_attribute("aria-valuenow", "0")
        expect(start).to_be_focused()


def the_best_release_is_on_the_right_and_another_can_be_chosen(page: Page, pair: list[Release]) -> None:
    best = min(pair, key=lambda one: Release.objects.get(pk=one.pk).owner_view["mae_m"])
    other = next(one for one in pair if one is not best)
    expect(page.get_by_label("Right of the divider")).to_have_value(str(best.pk))
    page.get_by_label("Right of the divider").select_option(str(other.pk))
    at_rest(page)
    shows_its_side(page, "original", str(other.pk))
    assert painted(page, str(best.pk)) == 0


def the_divider_is_dragged_and_moved_with_the_keys(page: Page, pair: list[Release]) -> None:
    line = divider(page)
    expect(line).to_have_attribute("aria-valuenow", "50")
    drag(page, line.bounding_box(), (-200, 0))
    now = int(line.get_attribute("aria-valuenow"))
    assert 20 < now < 30
    shows_its_side(page, "original", page.get_by_label("Right of the divider").input_value())
    line.focus()
    line.press("ArrowRight")
    expect(line).to_have_attribute("aria-valuenow", str(now + 2))
    line.press("End")
    at_rest(page)
    assert sides(page, "original")[0] > 300
    assert sum(sides(page, page.get_by_label("Right of the divider").input_value())) == 0
    line.press("Home")
    at_rest(page)
    assert sum(sides(page, "original")) == 0
    expect(line).to_have_attribute("aria-valuenow", "0")
    expect(page.locator(".timeline__text")).to_contain_text("event 1 of")


def overlay_heals_the_cut(page: Page, pair: list[Release]) -> None:
    page.get_by_text("Overlay", exact=True).click()
    at_rest(page)
    cuts = page.evaluate("() => [...document.querySelectorAll('.map-canvas')].map((one) => one.style.clipPath)")
    assert set(cuts) == {""}
    for release in pair:
        assert painted(page, str(release.pk)) > 300


def event_and_pointer_are_shown_in_all(page: Page, pair: list[Release]) -> None:
    page.get_by_role("slider", name="Event", exact=True).press("PageUp")
    at_rest(page)
    selections = page.evaluate(MIDDLES, "selection")
    assert len(selections) == 3
    assert all(one[0] > 50 for one in selections)
    box = page.locator(".pane:visible").nth(1).bounding_box()
    page.mouse.move(box["x"] + 150, box["y"] + 150)
    page.mouse.move(box["x"] + 160, box["y"] + 150)
    expect(page.locator(".pane__pointer:visible")).to_have_count(2)
    at = page.locator(".pane:visible").nth(0)
    spot, ground = at.locator(".pane__pointer").bounding_box(), at.bounding_box()
    assert spot["x"] + 7 - ground["x"] == pytest.approx(160, abs=2)


def one_layer_each_the_original_faint_below(page: Page, pair: list[Release]) -> None:
    drawn = """() => [...document.querySelectorAll(".pane:not([hidden])")].map((pane) =>
      [...pane.querySelectorAll("canvas")].map((one) => one.dataset.layer)
        .filter((id) => id === "original" || id.length === 36).sort())"""
    first, *rest = page.evaluate(drawn)
    assert first == ["original"]
    assert [len(one) for one in rest] == [2, 2]
    faint = "document.querySelectorAll('.pane')[1].querySelector('[data-layer=original]').style.opacity"
    assert float(page.evaluate(faint)) < 0.5
    page.get_by_label("Original in the background").uncheck()
    assert [len(one) for one in page.evaluate(drawn)] == [1, 1, 1]
    page.get_by_label("Layer of map 3").select_option("original")
    page.wait_for_timeout(150)
    assert page.evaluate(drawn)[2] == ["original"]


SWIPE = (
    the_best_release_is_on_the_right_and_another_can_be_chosen,
    the_divider_is_dragged_and_moved_with_the_keys,
    overlay_heals_the_cut,
)
SIDE_BY_SIDE = (
    event_and_pointer_are_shown_in_all,
    one_layer_each_the_original_faint_below,
)


def test_one_swipe(page: Page, taxi: Dataset, pair: list[Release], subtests: pytest.Subtests) -> None:
    compare(page, taxi, "?mode=swipe")
    run_cases(subtests, SWIPE, page, pair)


def test_one_side_by_side(page: Page, taxi: Dataset, pair: list[Release], subtests: pytest.Subtests) -> None:
    compare(page, taxi, "?mode=grid")
    run_cases(subtests, SIDE_BY_SIDE, page, pair)


@pytest.mark.parametrize("query", ["?mode=swipe&range=20-200", "?mode=grid"], ids=["swipe", "grid"])
@DEVICES
def test_accessible_and_fits(
    open_page: Any, owner: User, taxi: Dataset, pair: list[Release], size: Any, colour: str, query: str
) -> None:
    page = open_page(owner, colour=colour, size=size)
    compare(page, taxi, query)
    page.get_by_role("button", name="Opacity and order of Uniform").click()
    check_page(page, both_colours=True)
