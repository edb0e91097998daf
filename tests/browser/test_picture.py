"""The picture a map gives away is what it shows: tiles, layers as they lie and are cut, the scale."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset
from dashboard.datasets.services import import_dataset
from dashboard.landmarks.services import mark_landmarks
from dashboard.releases.models import Release
from privacy_engine.samples import samples
from tests.browser.test_compare import table
from tests.browser.test_modes import compare, divider, drag, released

# Pixels of a saved picture: how many there are of each of some colours, left and right of a share of its width
COUNT = """async ([bytes, colours, at]) => {
  const bitmap = await createImageBitmap(new Blob([new Uint8Array(bytes)], { type: "image/png" }));
  const sheet = new OffscreenCanvas(bitmap.width, bitmap.height);
  const ctx = sheet.getContext("2d");
  ctx.drawImage(bitmap, 0, 0);
  const { data } = ctx.getImageData(0, 0, sheet.width, sheet.height);
  const like = (i, rgb) => rgb.every((value, k) => Math.abs(data[i + k] - value) < 24);
  const found = colours.map(() => [0, 0]);
  for (let i = 0; i < data.length; i += 4) {
    const side = (i / 4) % sheet.width < at * sheet.width ? 0 : 1;
    colours.forEach((rgb, c) => (found[c][side] += like(i, rgb)));
  }
  return { width: sheet.width, height: sheet.height, found };
}"""
INK, PAPER = [34, 32, 28], [241, 238, 232]
BLUE = [38, 134, 189]  # Uniform's line, as pale as a release is


@pytest.fixture
def taxi(owner: User) -> Dataset:
    return import_dataset(owner=owner, upload=table(("taxi", samples()[1].series)), name="Taxi")


@pytest.fixture
def pair(owner: User, taxi: Dataset) -> list[Release]:
    """Skip and Uniform of the taxi day."""
    return released(owner, mark_landmarks(owner=owner, dataset=taxi, method=samples()[1].landmarks), "skip", "uniform")


def saved(page: Page, colours: list[list[int]], at: float = 0.5) -> dict[str, Any]:
    """What is in the picture that the first map's button saves."""
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save the map as PNG").first.click()
    assert waiting.value.suggested_filename.endswith(".png")
    body = waiting.value.path().read_bytes()
    return page.evaluate(COUNT, [list(body), colours, at])


class TestSwipe:
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
