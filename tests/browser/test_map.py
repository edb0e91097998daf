"""A large track on the map: simplified, drawn as pixels or cached, it is drawn as all of its steps would be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import Page

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset
from dashboard.datasets.services import import_dataset
from tests.browser.conftest import run_jobs

POINTS = 80_000  # more than are dashed, so that crowds are put down as pixels
# A map of its own on the dataset's page, and all steps of the track stroked by the canvas at the same place
_DRAWN = """async ({ url, keys, fade }) => {
  const { fetchTrack } = await import("/static/js/trajectory/track.js");
  const { createMap } = await import("/static/js/map/map.js");
  const track = await fetchTrack(url);
  const host = document.createElement("div");
  Object.assign(host.style, { position: "fixed", inset: "0 auto auto 0", width: "700px", height: "500px", zIndex: 99 });
  document.body.append(host);
  const map = createMap(host, { bounds: [2, 48.6, 2.7, 49.1], keyboard: false });
  map.addTrack({ id: "large", track, colour: "--foreground", width: 1.8, dots: false, fade });
  const frames = async () => { for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame); };
  await frames();
  for (const key of keys) {
    host.dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey: key.startsWith("Arrow"), bubbles: true }));
    await frames();
  }
  const canvas = host.querySelector("canvas[data-layer=large]");
  const { west, north, zoom } = map.view();
  const scale = 256 * 2 ** zoom;
  const up = (lat) => Math.log(Math.tan(Math.PI / 4 + (lat * Math.PI) / 360)) / (2 * Math.PI);
  const sheet = document.createElement("canvas");
  [sheet.width, sheet.height] = [canvas.width, canvas.height];
  const ctx = sheet.getContext("2d");
  [ctx.lineWidth, ctx.lineJoin, ctx.lineCap] = [1.8, "round", "round"];
  for (let first = 0; first < track.n - 1; first += 2000) {
    ctx.beginPath();
    for (let k = first; k <= Math.min(first + 2000, track.n - 1); k++) {
      ctx.lineTo(((track.lonAt(k) - west) * scale) / 360, (up(north) - up(track.latAt(k))) * scale);
    }
    ctx.stroke();
  }
  const [ours, all] = [canvas, sheet].map((one) => one.getContext("2d").getImageData(0, 0, one.width, one.height).data);
  const found = { zoom, ours: 0, all: 0, missing: 0, added: 0 };
  for (let i = 3; i < all.length; i += 4) {
    found.ours += ours[i] > 0;
    found.all += all[i] > 0;
    found.missing += all[i] > 200 && ours[i] < 55;
    found.added += ours[i] > 200 && all[i] < 55;
  }
  host.remove();
  return found;
}"""


def walk() -> np.ndarray:
    """Weeks of walks through a city: dense at the fit, sparse close up."""
    rng = np.random.default_rng(4)
    heading = np.cumsum(rng.normal(0, 0.2, POINTS))
    steps = np.stack([np.sin(heading) / 0.66, np.cos(heading)]) * rng.gamma(2, 10, POINTS) / 111_320
    wander = steps.cumsum(axis=1)
    return np.array([[2.35], [48.85]]) + 0.2 * np.sin(wander / 0.2)


@pytest.fixture
def page(open_page: Any, owner: User) -> Page:
    """The owner, with reduced motion: a key's image is there in the next frame."""
    return open_page(owner, reduced_motion="reduce")


@pytest.fixture
def city(owner: User) -> Dataset:
    rows = "".join(f"{1_700_000_000 + 10 * i},{lat:.7f},{lon:.7f}\n" for i, (lon, lat) in enumerate(walk().T))
    upload = ContentFile(f"time,lat,lon\n{rows}".encode(), name="city.csv")
    made = import_dataset(owner=owner, upload=upload, name="City")
    run_jobs()
    made.refresh_from_db()
    assert made.points == POINTS
    return made


def drawn(page: Page, dataset: Dataset, keys: list[str], **more: Any) -> dict[str, float]:
    if "/datasets/" not in page.url:
        page.goto(f"/datasets/{dataset.pk}/")
        page.wait_for_load_state("networkidle")
    request = {"url": f"/api/v1/datasets/{dataset.pk}/track/", "keys": keys, "fade": False, **more}
    return page.evaluate(_DRAWN, request)


def same(found: dict[str, float]) -> bool:
    """As many painted pixels but for the faintest of soft edges, and next to none that only one of them has."""
    assert found["all"] > 1000, "there is something to see"
    return (
        abs(found["ours"] - found["all"]) <= 0.05 * found["all"]
        and found["missing"] <= 0.002 * found["all"]
        and found["added"] <= 0.002 * found["all"]
    )


def test_every_zoom_equals_all_steps_drawn(page: Page, city: Dataset) -> None:
    zooms = set()
    for closer in (["-", "-"], [], ["+"], ["+"] * 3, ["+"] * 6):
        found = drawn(page, city, closer)
        zooms.add(found["zoom"])
        assert same(found), found
    assert len(zooms) == 5


def test_a_moved_map_equals_a_new_one(page: Page, city: Dataset) -> None:
    moves = ["+", "ArrowRight", "ArrowDown", "ArrowDown", "ArrowLeft", "ArrowUp", "ArrowLeft", "ArrowLeft"]
    found = drawn(page, city, moves)
    assert same(found), found


def test_sharp_screens_are_drawn_sharp(open_page: Any, owner: User, page: Page, city: Dataset) -> None:
    sharp = open_page(owner, device_scale_factor=2, reduced_motion="reduce")
    found, once = (drawn(one, city, ["+"]) for one in (sharp, page))
    assert found["ours"] > 2.2 * once["ours"], "twice as many pixels each way, on lines as wide"


@pytest.mark.journey
def test_the_nearest_point_is_the_one_an_exhaustive_search_finds(page: Page, city: Dataset) -> None:
    page.goto(f"/datasets/{city.pk}/")
    found = page.evaluate(
        """async (url) => {
          const { fetchTrack } = await import("/static/js/trajectory/track.js");
          const { frameOf, nearestPoint, pointsWithin, positionsOf } = await import("/static/js/map/positions.js");
          const track = await fetchTrack(url);
          const positions = positionsOf(track, 2.35);
          const scale = 256 * 2 ** 11.25;
          const view = { width: 700, height: 500, zoom: 11.25, scale, left: 0.5 * scale, top: 0.34 * scale };
          const frame = frameOf(view, positions.middle);
          const place = (i) => [positions.d(i) * frame.across + frame.left, positions.y[i] * frame.down + frame.top];
          const [cx, cy] = place(40000);
          const wrong = [];
          for (let k = 0; k < 60; k++) {
            const at = { x: cx + 40 * Math.sin(k * 7), y: cy + 40 * Math.cos(k * 11) };
            let [best, expected, inside] = [14 * 14, -1, 0];
            for (let i = 0; i < track.n; i++) {
              const [x, y] = place(i);
              const far = (x - at.x) ** 2 + (y - at.y) ** 2;
              if (far < best) [best, expected] = [far, i];
              inside += x >= at.x && x <= at.x + 30 && y >= at.y && y <= at.y + 20;
            }
            const box = { x: at.x, y: at.y, width: 30, height: 20 };
            const [near, within] = [nearestPoint(view, positions, at, 14), pointsWithin(view, positions, box)];
            if (near !== expected || within.length !== inside) wrong.push([k, near, expected, within.length, inside]);
          }
          return [wrong, nearestPoint(view, positions, { x: cx, y: cy }, 14) >= 0];
        }""",
        f"/api/v1/datasets/{city.pk}/track/",
    )
    assert found == [[], True]
