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
MOVES = ("Right", "Down", "Down", "Left", "Up", "Left", "Left")
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
def city(owner: User) -> Dataset:
    rows = "".join(f"{1_700_000_000 + 10 * i},{lat:.7f},{lon:.7f}\n" for i, (lon, lat) in enumerate(walk().T))
    upload = ContentFile(f"time,lat,lon\n{rows}".encode(), name="city.csv")
    made = import_dataset(owner=owner, upload=upload, name="City")
    run_jobs()
    made.refresh_from_db()
    assert made.points == POINTS
    return made


def drawn(page: Page, dataset: Dataset, keys: list[str]) -> dict[str, float]:
    """What is painted after these keys; with reduced motion a key's image is there in the next frame."""
    if "/datasets/" not in page.url:
        page.goto(f"/datasets/{dataset.pk}/")
        page.wait_for_load_state("networkidle")
    request = {"url": f"/api/v1/datasets/{dataset.pk}/track/", "keys": keys, "fade": False}
    return page.evaluate(_DRAWN, request)


def assert_same(found: dict[str, float]) -> None:
    """As many painted pixels but for the faintest of soft edges, and next to none that only one of them has."""
    assert found["all"] > 1000, "there is something to see"
    assert abs(found["ours"] - found["all"]) <= 0.05 * found["all"], found
    assert max(found["missing"], found["added"]) <= 0.002 * found["all"], found


def test_every_zoom_a_moved_map_and_a_sharp_screen(open_page: Any, owner: User, city: Dataset) -> None:
    page, sharp = (open_page(owner, device_scale_factor=scale, reduced_motion="reduce") for scale in (1, 2))
    zooms = {}
    for closer in (["-", "-"], [], ["+"], ["+"] * 3, ["+"] * 6):
        found = drawn(page, city, closer)
        zooms[found["zoom"]] = found["ours"]
        assert_same(found)
    assert len(zooms) == 5
    assert_same(drawn(page, city, ["+", *(f"Arrow{way}" for way in MOVES)]))
    found = drawn(sharp, city, ["+"])
    assert found["ours"] > 2.2 * zooms[found["zoom"]], "twice as many pixels each way, on lines as wide"
