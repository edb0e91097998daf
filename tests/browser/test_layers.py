"""The comparison's layers in time and style: played, drawn in part, with error lines, in another line style."""

from __future__ import annotations

import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import Page, expect

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset
from dashboard.datasets.services import import_dataset
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.services import mark_landmarks
from dashboard.releases.models import Release
from tests.browser.conftest import accessibility_faults, run_jobs
from tests.browser.fixtures import PRECISE, released
from tests.browser.rendering import compare, expect_painted, painted, pick, wait_until_ready
from tests.browser.test_modes import drag, sides

# The colour most of a layer's opaque pixels have
STYLE_OF = """(id) => {
  const canvas = document.querySelector(`canvas[data-layer="${id}"]`);
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const counts = new Map();
  for (let i = 0; i < data.length; i += 4) {
    if (data[i + 3] < 255) continue;
    const key = [data[i], data[i + 1], data[i + 2]].join();
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? "";
}"""


@pytest.fixture
def pair(stays: LandmarkSet) -> list[Release]:
    """Skip and Uniform of the taxi day."""
    return released(stays, "skip", "uniform", **PRECISE)


class TestPlayed:
    @pytest.mark.journey
    def test_within_the_range_that_is_drawn(self, page: Page, taxi: Dataset, pair: list[Release]) -> None:
        compare(page, taxi, "?range=60-120")
        page.get_by_label("Speed", exact=True).select_option("other speed")
        page.get_by_label("Speed, times real time").fill("40000")
        page.get_by_role("button", name="Play").click()
        expect(page.locator(".timeline__text")).to_contain_text("event 120 of 260")
        expect(page.get_by_role("button", name="Play")).to_be_visible()
        page.get_by_role("button", name="Play").click()  # again from the first that is drawn
        page.get_by_role("button", name="Pause").click()
        event = int(page.get_by_role("slider", name="Event", exact=True).get_attribute("aria-valuenow") or 0)
        assert 60 <= event <= 119

    def test_no_faster_than_the_speed_chosen(self, page: Page, taxi: Dataset, pair: list[Release]) -> None:
        compare(page, taxi)  # an event every five minutes: longer than two seconds of playing, and no silence
        page.get_by_label("Speed", exact=True).select_option("other speed")
        page.get_by_label("Speed, times real time").fill("0.001")
        strip = page.get_by_role("slider", name="Event", exact=True)
        strip.press("p")
        expect(page.get_by_role("button", name="Pause")).to_be_visible()
        page.wait_for_timeout(400)
        expect(strip).to_have_attribute("aria-valuenow", "0")
        strip.press("p")
        expect(page.get_by_role("button", name="Play")).to_be_visible()

    def test_the_range_moves_as_a_whole(self, page: Page, taxi: Dataset, pair: list[Release]) -> None:
        compare(page, taxi, "?range=60-120")
        start, end = (page.get_by_role("slider", name=f"{which} event shown") for which in ("First", "Last"))
        before = painted(page, "original")
        start.press("Shift+PageUp")
        expect(start).to_have_attribute("aria-valuenow", "73")
        expect(end).to_have_attribute("aria-valuenow", "132")
        bar = page.locator(".brush__bar").bounding_box()
        assert bar
        drag(page, bar, (2000, 0))
        expect(end).to_have_attribute("aria-valuenow", "259")
        expect(start).to_have_attribute("aria-valuenow", "200")
        expect_painted(page, "original", lambda pixels: 100 < pixels != before)


class TestErrorLines:
    @pytest.mark.journey
    def test_lead_from_each_event_to_its_release(self, page: Page, taxi: Dataset, pair: list[Release]) -> None:
        compare(page, taxi)
        skip, uniform = (f"errors-{one.pk}" for one in pair)
        page.get_by_label("Error lines, event to release").check()
        expect_painted(page, skip)
        far = expect_painted(page, uniform)
        page.get_by_role("checkbox", name="Uniform").uncheck()
        expect(page.locator(f"canvas[data-layer={uniform}]")).to_have_count(0)
        page.get_by_role("checkbox", name="Uniform").check()
        expect_painted(page, uniform, lambda pixels: pixels == far)
        page.get_by_role("slider", name="Last event shown").press("PageDown")
        expect_painted(page, uniform, lambda pixels: 0 < pixels < far)
        page.get_by_text("Swipe", exact=True).click()
        wait_until_ready(page)
        assert painted(page, uniform) > 0
        left, right = sides(page, uniform)
        assert (left > 0) != (right > 0)  # cut with its release

    def test_of_a_crowd_every_kth_has_one(self, page: Page, owner: User) -> None:
        rows = "".join(f"{48.8 + i % 97 / 1000:.4f},{2.3 + i % 101 / 1000:.4f}\n" for i in range(7000))
        upload = ContentFile(f"lat,lon\n{rows}".encode(), name="crowd.csv")
        crowd = import_dataset(owner=owner, upload=upload, name="Crowd")
        run_jobs()
        crowd.refresh_from_db()
        marks = mark_landmarks(owner=owner, dataset=crowd, method={"name": "manual", "events": [1, 2]})
        released(marks, "uniform", **PRECISE)
        compare(page, crowd, "?lines=1")
        expect(page.locator("[data-every]")).to_have_text("of every 4th visible event")


def test_a_layer_takes_another_line(page: Page, taxi: Dataset, pair: list[Release]) -> None:
    compare(page, taxi)
    layer = str(pair[1].pk)
    before = page.evaluate(STYLE_OF, layer)
    page.get_by_role("button", name="Line, opacity and order of Uniform").click()
    pick(page.get_by_role("group", name="Line of Uniform").get_by_label("pink, dash dot"))
    page.wait_for_function(f"() => ({STYLE_OF})('{layer}') !== '{before}'")
    pink = page.evaluate(STYLE_OF, layer)
    assert all(abs(int(a) - b) < 30 for a, b in zip(pink.split(","), (0xCB, 0x5E, 0xB7), strict=True))
    page.wait_for_function(f"() => location.search.includes('inks={layer[-8:]}:3')")
    page.reload()
    wait_until_ready(page)
    assert page.evaluate(STYLE_OF, layer) == pink
    assert not accessibility_faults(page)
