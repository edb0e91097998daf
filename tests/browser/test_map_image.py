"""The image saved from a map equals what it shows: tiles, layers in order and clipped, the scale."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from playwright.sync_api import Download, Page, expect

from dashboard.datasets.models import Dataset
from dashboard.landmarks.models import LandmarkSet
from dashboard.releases.models import Release
from tests.browser.conftest import PageMonitor
from tests.browser.fixtures import HOST, PRECISE, released
from tests.browser.rendering import compare, painted
from tests.browser.test_basemap import choose, open_map, open_panel, wait_for_tiles
from tests.browser.test_modes import divider, drag
from tests.patience import patience
from tests.pmtiles import streets

EDGE, HEAD = 16, 80  # pixels of the page: beside the map of an image, and above what is surely map alone
RATIO = 2
# Of the map in a saved image: how many pixels there are of each of some colours, left and right of a share of its width
COUNT = """async ([base64, colours, at, near, [edge, head]]) => {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const sheet = new OffscreenCanvas(bitmap.width, bitmap.height);
  const ctx = sheet.getContext("2d");
  ctx.drawImage(bitmap, 0, 0);
  const width = sheet.width - 2 * edge;
  const { data } = ctx.getImageData(edge, head, width, sheet.height - head);
  const like = (i, rgb) => rgb.every((value, k) => Math.abs(data[i + k] - value) < near);
  const found = colours.map(() => [0, 0]);
  for (let i = 0; i < data.length; i += 4) {
    const side = (i / 4) % width < at * width ? 0 : 1;
    colours.forEach((rgb, c) => (found[c][side] += like(i, rgb)));
  }
  return { width, height: sheet.height, found };
}"""
TRACK = [34, 32, 28]
BLOCK = [230, 226, 220]  # what the made-up city has between its streets, as pale as a base map is
BLUE = [38, 134, 189]  # Uniform's line, as pale as a release is


@pytest.fixture
def pair(stays: LandmarkSet) -> list[Release]:
    """Skip and Uniform of the taxi day."""
    return released(stays, "skip", "uniform", **PRECISE, seed=1)  # where a draw lies decides what covers what


def saved_file(page: Page, format: str = "PNG", *, published: bool = False, **options: str) -> Download:
    """What the first map's dialog saves in a format; further options by their labels."""
    page.get_by_role("button", name="Save the map", exact=True).first.click()
    dialog = page.get_by_role("dialog", name="Save the map")
    dialog.get_by_role("radio", name=format).check()
    if published:
        dialog.get_by_role("checkbox", name="Published positions only").check()
    for label, value in options.items():
        dialog.get_by_label(label).select_option(value)
    with page.expect_download(timeout=patience(60_000)) as waiting:
        dialog.get_by_role("button", name="Save", exact=True).click()
    expect(dialog).to_have_count(0)
    return waiting.value


def saved(page: Page, colours: list[list[int]], at: float = 0.5, near: int = 24) -> dict[str, Any]:
    """The pixels of the image that the first map's dialog saves."""
    file = saved_file(page)
    assert file.suggested_filename.endswith(".png")
    body = base64.b64encode(file.path().read_bytes()).decode()
    found = page.evaluate(COUNT, [body, colours, at, near, [RATIO * EDGE, RATIO * HEAD]])
    found["found"] = [[n / RATIO**2 for n in both] for both in found["found"]]  # as the page counts them
    return dict(found)


class TestSwipe:
    @pytest.mark.journey
    def test_is_cut_where_the_screen_is(self, page: Page, taxi: Dataset, pair: list[Release]) -> None:
        compare(page, taxi, f"?mode=swipe&left=original&right={str(pair[1].pk)[-8:]}&split=50&hide=landmarks")
        image = saved(page, [TRACK, BLUE])
        box = page.locator("[data-map]").bounding_box()
        assert box
        assert image["width"] == RATIO * round(box["width"])
        assert image["height"] > RATIO * round(box["height"])
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
        choose(page, "None")
        without = saved(page, [BLOCK], near=4)["found"][0]
        choose(page, "File")
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
        open_panel(page).get_by_role("radio", name="Tile server").check()
        page.get_by_role("button", name="Allow and reload the page").click()
        wait_for_tiles(page)
        page.wait_for_load_state("networkidle")
        [blocks, track] = map(sum, saved(page, [BLOCK, TRACK], near=4)["found"])
        expect(page.locator("#announcer")).to_contain_text("saved")
        assert blocks > 20_000 if allowed else blocks < 2000
        assert track > 200
        assert painted(page, "original") > 200

    def test_has_its_switch_on_every_map_side_by_side(
        self,
        page: Page,
        taxi: Dataset,
        pair: list[Release],
        served: None,
    ) -> None:
        compare(page, taxi, "?mode=grid")
        panes = page.locator(".pane:not([hidden])")
        buttons = panes.get_by_role("button", name="Base map:")
        expect(buttons).to_have_count(3)
        for i in range(3):
            expect(buttons.nth(i)).to_be_visible()
            expect(buttons.nth(i)).to_have_text("Base map: file")
        buttons.nth(1).click()
        panes.nth(1).get_by_role("radio", name="None").check()
        for i in range(3):
            expect(buttons.nth(i)).to_have_text("Base map: none")
