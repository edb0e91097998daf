"""The picture a map gives away is what it shows: tiles, layers as they lie and are cut, the scale."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset
from dashboard.landmarks.services import mark_landmarks
from dashboard.releases.models import Release
from privacy_engine.samples import samples
from tests.browser.conftest import Watch
from tests.browser.drawn import painted
from tests.browser.given import HOST
from tests.browser.test_basemap import open_map, wait_for_tiles
from tests.browser.test_modes import compare, divider, drag, released
from tests.pmtiles import streets

# Pixels of a saved picture: how many there are of each of some colours, left and right of a share of its width
COUNT = """async ([bytes, colours, at, near]) => {
  const bitmap = await createImageBitmap(new Blob([new Uint8Array(bytes)], { type: "image/png" }));
  const sheet = new OffscreenCanvas(bitmap.width, bitmap.height);
  const ctx = sheet.getContext("2d");
  ctx.drawImage(bitmap, 0, 0);
  const { data } = ctx.getImageData(0, 0, sheet.width, sheet.height);
  const like = (i, rgb) => rgb.every((value, k) => Math.abs(data[i + k] - value) < near);
  const found = colours.map(() => [0, 0]);
  for (let i = 0; i < data.length; i += 4) {
    const side = (i / 4) % sheet.width < at * sheet.width ? 0 : 1;
    colours.forEach((rgb, c) => (found[c][side] += like(i, rgb)));
  }
  return { width: sheet.width, height: sheet.height, found };
}"""
INK = [34, 32, 28]
HOUSE = [230, 226, 220]  # what the made-up city has between its streets, as pale as a base map is
BLUE = [38, 134, 189]  # Uniform's line, as pale as a release is


@pytest.fixture
def pair(owner: User, taxi: Dataset) -> list[Release]:
    """Skip and Uniform of the taxi day."""
    stays = mark_landmarks(owner=owner, dataset=taxi, method=samples()[1].landmarks)
    return released(owner, stays, "skip", "uniform", seed=1)  # where a draw lies decides what covers what


def saved(page: Page, colours: list[list[int]], at: float = 0.5, near: int = 24) -> dict[str, Any]:
    """What is in the picture that the first map's button saves."""
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save the map as PNG").first.click()
    assert waiting.value.suggested_filename.endswith(".png")
    body = waiting.value.path().read_bytes()
    return page.evaluate(COUNT, [list(body), colours, at, near])


class TestSwipe:
    @pytest.mark.journey
    def test_is_cut_where_the_screen_is(self, page: Page, taxi: Dataset, pair: list[Release]) -> None:
        compare(page, taxi, f"?mode=swipe&left=original&right={str(pair[1].pk)[-8:]}&split=50&hide=landmarks")
        picture = saved(page, [INK, BLUE])
        box = page.locator("[data-map]").bounding_box()
        assert box
        assert (picture["width"], picture["height"]) == (round(box["width"]), round(box["height"]))
        [ink_left, ink_right], [blue_left, blue_right] = picture["found"]
        assert ink_left > 1000
        assert blue_left < 30  # of the line none; the rim of the chosen event's dot is there on both sides
        assert blue_right > 200
        line = divider(page).bounding_box()
        assert line
        drag(page, line, (box["width"] / 4, 0))
        [moved_left, _], [still_none, fewer] = saved(page, [INK, BLUE], 0.75)["found"]
        assert moved_left > ink_left
        assert still_none < 30
        assert fewer < blue_right
        assert ink_right < ink_left  # words, the scale, the circles of the noise


class TestBaseMap:
    def test_of_this_server_is_in_it(self, page: Page, walk: Dataset, served: None) -> None:
        open_map(page, walk)
        page.get_by_role("checkbox", name="Base map").uncheck()
        without = saved(page, [HOUSE], near=4)["found"][0]
        page.get_by_role("checkbox", name="Base map").check()
        wait_for_tiles(page)
        page.wait_for_load_state("networkidle")
        houses, ink = saved(page, [HOUSE, INK], near=4)["found"]
        assert sum(without) < 2000
        assert sum(houses) > 20_000
        assert sum(ink) > 200  # and the track over it

    @pytest.mark.parametrize("allowed", [True, False], ids=["may-be-copied", "may-not"])
    def test_of_another_server_where_that_allows_it(
        self,
        page: Page,
        walk: Dataset,
        elsewhere: None,
        watch: Watch,
        allowed: bool,
    ) -> None:
        watch.others = (HOST,)
        # without one Playwright writes a header that allows it
        headers = {"Access-Control-Allow-Origin": "*" if allowed else "https://elsewhere.example"}
        page.context.route(
            f"{HOST}/**", lambda route: route.fulfill(content_type="image/png", body=streets(13, 0, 0), headers=headers)
        )
        open_map(page, walk)
        page.get_by_role("checkbox", name="Base map").click()  # is checked only with consent
        page.get_by_role("button", name="Show base map").click()
        wait_for_tiles(page)
        page.wait_for_load_state("networkidle")
        [houses, ink] = map(sum, saved(page, [HOUSE, INK], near=4)["found"])
        expect(page.locator("#announcer")).to_contain_text("saved")
        assert houses > 20_000 if allowed else houses < 2000
        assert ink > 200
        assert painted(page, "series-0") > 200

    def test_has_its_switch_on_every_map_side_by_side(
        self,
        page: Page,
        taxi: Dataset,
        pair: list[Release],
        served: None,
    ) -> None:
        compare(page, taxi, "?mode=grid")
        boxes = page.locator(".pane:not([hidden])").get_by_role("checkbox", name="Base map")
        expect(boxes).to_have_count(3)
        for i in range(3):
            expect(boxes.nth(i)).to_be_visible()
            expect(boxes.nth(i)).to_be_checked()
        boxes.nth(1).uncheck()
        for i in range(3):
            expect(boxes.nth(i)).not_to_be_checked()
