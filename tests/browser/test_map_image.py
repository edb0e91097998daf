"""The image saved from a map equals what it shows: tiles, layers in order and clipped, the scale."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset
from dashboard.landmarks.services import mark_landmarks
from dashboard.releases.models import Release
from privacy_engine.samples import samples
from tests.browser.conftest import PageMonitor
from tests.browser.fixtures import HOST
from tests.browser.rendering import painted
from tests.browser.test_basemap import open_map, wait_for_tiles
from tests.browser.test_modes import compare, divider, drag, released
from tests.pmtiles import streets

# Pixels of a saved image: how many there are of each of some colours, left and right of a share of its width
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
TRACK = [34, 32, 28]
BLOCK = [230, 226, 220]  # what the made-up city has between its streets, as pale as a base map is
BLUE = [38, 134, 189]  # Uniform's line, as pale as a release is


@pytest.fixture
def pair(owner: User, taxi: Dataset) -> list[Release]:
    """Skip and Uniform of the taxi day."""
    stays = mark_landmarks(owner=owner, dataset=taxi, method=samples()[1].landmarks)
    return released(owner, stays, "skip", "uniform", seed=1)  # where a draw lies decides what covers what


def saved(page: Page, colours: list[list[int]], at: float = 0.5, near: int = 24) -> dict[str, Any]:
    """The image that the first map's button saves."""
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save the map as PNG").first.click()
    assert waiting.value.suggested_filename.endswith(".png")
    body = waiting.value.path().read_bytes()
    return page.evaluate(COUNT, [list(body), colours, at, near])


class TestSwipe:
    @pytest.mark.journey
    def test_is_cut_where_the_screen_is(self, page: Page, taxi: Dataset, pair: list[Release]) -> None:
        compare(page, taxi, f"?mode=swipe&left=original&right={str(pair[1].pk)[-8:]}&split=50&hide=landmarks")
        image = saved(page, [TRACK, BLUE])
        box = page.locator("[data-map]").bounding_box()
        assert box
        assert (image["width"], image["height"]) == (round(box["width"]), round(box["height"]))
        [track_left, track_right], [blue_left, blue_right] = image["found"]
        assert track_left > 1000
        assert blue_left < 30  # of the line none; the rim of the chosen event's dot is there on both sides
        assert blue_right > 200
        line = divider(page).bounding_box()
        assert line
        drag(page, line, (box["width"] / 4, 0))
        [moved_left, _], [still_none, fewer] = saved(page, [TRACK, BLUE], 0.75)["found"]
        assert moved_left > track_left
        assert still_none < 30
        assert fewer < blue_right
        assert track_right < track_left  # texts, the scale, the circles of the noise


class TestBaseMap:
    def test_of_this_server_is_in_it(self, page: Page, walk: Dataset, served: None) -> None:
        open_map(page, walk)
        page.get_by_role("checkbox", name="Base map").uncheck()
        without = saved(page, [BLOCK], near=4)["found"][0]
        page.get_by_role("checkbox", name="Base map").check()
        wait_for_tiles(page)
        page.wait_for_load_state("networkidle")
        blocks, track = saved(page, [BLOCK, TRACK], near=4)["found"]
        assert sum(without) < 2000
        assert sum(blocks) > 20_000
        assert sum(track) > 200  # and the track over it

    @pytest.mark.parametrize("allowed", [True, False], ids=["may-be-copied", "may-not"])
    def test_of_another_server_where_that_allows_it(
        self,
        page: Page,
        walk: Dataset,
        elsewhere: None,
        monitor: PageMonitor,
        allowed: bool,
    ) -> None:
        monitor.others = (HOST,)
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
        [blocks, track] = map(sum, saved(page, [BLOCK, TRACK], near=4)["found"])
        expect(page.locator("#announcer")).to_contain_text("saved")
        assert blocks > 20_000 if allowed else blocks < 2000
        assert track > 200
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
