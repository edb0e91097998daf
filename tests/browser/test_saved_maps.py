"""Images and films of the comparison's map: what they contain, with and without the original, and that they play."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, expect

from dashboard.datasets.models import Dataset
from dashboard.landmarks.models import LandmarkSet
from dashboard.releases.models import Release
from tests.browser.conftest import check_page
from tests.browser.fixtures import PRECISE, released
from tests.browser.rendering import compare
from tests.browser.test_chart_logic import call
from tests.browser.test_map_image import saved_file

SVG = "{http://www.w3.org/2000/svg}"
EBML = b"\x1a\x45\xdf\xa3"
WARNING = "Contains the original: for you alone, not for publication."
ORIGINAL, BLUE = "#22201c", "#0054a5"  # the colours of the original's line and of Uniform's in light pages
# A video: its length and size, and how many pixels differ between the frames at some of its times
PLAY = """async ([base64, times]) => {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const video = Object.assign(document.createElement("video"), { muted: true });
  video.src = URL.createObjectURL(new Blob([bytes], { type: "video/webm" }));
  const event = (name) => new Promise((done, fail) => {
    video.addEventListener(name, done, { once: true });
    video.addEventListener("error", () => fail(new Error(video.error.message)), { once: true });
  });
  await event("loadeddata");
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
  const ctx = canvas.getContext("2d");
  const frames = [];
  for (const time of times) {
    const there = event("seeked");
    video.currentTime = time;
    await there;
    ctx.drawImage(video, 0, 0);
    frames.push(ctx.getImageData(0, 0, canvas.width, canvas.height).data);
  }
  const changed = frames.slice(1).map((data, k) => {
    let n = 0;
    for (let i = 0; i < data.length; i += 4) n += Math.abs(data[i] - frames[k][i]) > 60;
    return n;
  });
  return { duration: video.duration, width: video.videoWidth, height: video.videoHeight, changed };
}"""


@pytest.fixture
def uniform(stays: LandmarkSet) -> Release:
    """Uniform of the taxi day."""
    return released(stays, "uniform", **PRECISE, seed=1)[0]


def texts(svg: ElementTree.Element) -> list[str]:
    return [one.text or "" for one in svg.iter(f"{SVG}text")]


def strokes(svg: ElementTree.Element) -> set[str]:
    """The colours of long lines: tracks, not marks."""
    return {one.get("stroke", "") for one in svg.iter(f"{SVG}path") if len(one.get("d", "")) > 1000} - {""}


def play(page: Page, path: Path, times: list[float]) -> dict[str, Any]:
    """The video in a page of its own, which has no content security policy."""
    other = page.context.new_page()
    found: dict[str, Any] = other.evaluate(PLAY, [base64.b64encode(path.read_bytes()).decode(), times])
    other.close()
    return found


class TestSvg:
    def test_has_lines_and_text_and_leaves_the_original_out_on_request(
        self, page: Page, taxi: Dataset, uniform: Release
    ) -> None:
        compare(page, taxi, "")
        file = saved_file(page, "SVG")
        assert file.suggested_filename.endswith(f"map_landmark-uniform_eps{PRECISE['epsilon']:g}_D20m.svg")
        svg = ElementTree.fromstring(file.path().read_text())
        written = texts(svg)
        title = svg.findtext(f"{SVG}title") or ""
        assert taxi.name in title
        assert "Uniform · ε 10" in title
        assert {"Original", "Landmarks", "2 km", WARNING} <= set(written)
        assert strokes(svg) == {ORIGINAL, BLUE}
        assert list(svg.iter(f"{SVG}image")) == []
        published = ElementTree.fromstring(saved_file(page, "SVG", published=True).path().read_text())
        assert not {"Original", "Landmarks", "Selected event", WARNING} & set(texts(published))
        assert strokes(published) == {BLUE}
        assert len(list(published.iter(f"{SVG}g"))) < len(list(svg.iter(f"{SVG}g")))


class TestFilm:
    def test_plays_for_as_long_as_chosen_and_moves(self, page: Page, taxi: Dataset, uniform: Release) -> None:
        compare(page, taxi, "")
        file = saved_file(page, "WebM", Length="5")
        assert file.suggested_filename.endswith("playback_landmark-uniform_eps10_D20m.webm")
        assert file.path().read_bytes().startswith(EBML)
        found = play(page, file.path(), [0.5, 2.5, 4.9])
        assert found["duration"] == pytest.approx(5, abs=0.1)
        assert (found["width"], found["height"]) == (1280, 720)
        assert min(found["changed"]) > 200

    def test_can_be_cancelled_and_is_refused_where_a_browser_cannot_record(
        self, page: Page, taxi: Dataset, uniform: Release
    ) -> None:
        page.set_viewport_size({"width": 390, "height": 844})
        compare(page, taxi, "")
        button = page.get_by_role("button", name="Save the map", exact=True)
        button.focus()
        page.keyboard.press("Enter")
        dialog = page.get_by_role("dialog", name="Save the map")
        expect(dialog.get_by_role("status")).to_have_text(WARNING)
        dialog.get_by_role("radio", name="WebM").check()
        dialog.get_by_label("Length").select_option("30")
        check_page(page, both_colours=True)
        dialog.get_by_role("button", name="Save", exact=True).click()
        expect(dialog.get_by_role("progressbar", name="Recorded")).to_be_visible()
        dialog.get_by_role("button", name="Cancel").click()
        expect(page.locator("#announcer")).to_have_text("Nothing was saved.")
        page.evaluate("delete window.VideoEncoder")
        button.click()
        dialog.get_by_role("radio", name="WebM").check()
        expect(dialog.get_by_role("status")).to_contain_text("cannot record video")
        expect(dialog.get_by_role("button", name="Save", exact=True)).to_be_disabled()
        dialog.get_by_role("radio", name="PNG").check()
        expect(dialog.get_by_role("button", name="Save", exact=True)).to_be_enabled()


@pytest.mark.journey
def test_events_of_frames(page: Page) -> None:
    page.goto("/")
    untimed = {"time": None, "first": 0, "last": 4}
    even, part, timed, gap, same, one = call(
        page,
        "components/playback_schedule",
        "frameEvents",
        [untimed, 5],
        [untimed | {"first": 2}, 5],
        [untimed | {"time": [0, 1, 2, 3, 10]}, 6],
        [untimed | {"time": [0, 1, 2, 3, 1_000_003]}, 14],
        [{"time": [5, 5, 5], "first": 0, "last": 2}, 3],
        [{"time": [5], "first": 0, "last": 0}, 2],
    )
    assert even == [0, 1, 2, 3, 4]
    assert part == [2, 2, 3, 3, 4]
    assert timed == [0, 2, 3, 3, 3, 4]
    assert gap == [0, 1, 2, *[3] * 10, 4]  # a gap of a million seconds is as long as ten steps
    assert same == [2, 2, 2]
    assert one == [0, 0]
