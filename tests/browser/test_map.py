"""Large tracks on the map: drawn as all of their steps, after a preview image; three hundred people."""

import re
import time

import numpy as np
import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import Route, expect

from dashboard.datasets.models import Dataset
from dashboard.datasets.services import import_dataset
from dashboard.landmarks.services import mark_landmarks
from dashboard.storage.series_cache import line
from tests.browser.conftest import PHONE, check_page, run_jobs
from tests.browser.fixtures import released
from tests.browser.rendering import COLOURS, expect_painted, wait_until_ready
from tests.patience import patience

POINTS = 110_000  # so many that an image is shown first, not dashed, and crowds are put down as pixels
PEOPLE, EVENTS = 300, 1000
OPENS_S = 2.0
BUSY = 2.5
"""How many times as long a machine may take that runs other tests at the same time."""
MOVES = ("Right", "Down", "Down", "Left", "Up", "Left", "Left")
# A place on the map where a pixel of the layer is opaque, in the middle of its neighbours
_SPOT = """(id) => {
  const canvas = document.querySelector(`canvas[data-layer="${id}"]`);
  const { data, width, height } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const box = canvas.getBoundingClientRect();
  for (let y = Math.round(height / 2); y < height; y++)
    for (let x = Math.round(width / 2); x < width * 0.8; x++)
      if (data[4 * (y * width + x) + 3] === 255)
        return { x: box.left + (x * box.width) / width, y: box.top + (y * box.height) / height };
}"""
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


def walk():
    """Weeks of walks through a city: dense at the fit, sparse close up."""
    rng = np.random.default_rng(4)
    heading = np.cumsum(rng.normal(0, 0.2, POINTS))
    steps = np.stack([np.sin(heading) / 0.66, np.cos(heading)]) * rng.gamma(2, 10, POINTS) / 111_320
    wander = steps.cumsum(axis=1)
    return np.array([[2.35], [48.85]]) + 0.2 * np.sin(wander / 0.2)


@pytest.fixture
def city(owner):
    rows = "".join(f"{1_700_000_000 + 10 * i},{lat:.7f},{lon:.7f}\n" for i, (lon, lat) in enumerate(walk().T))
    upload = ContentFile(f"time,lat,lon\n{rows}".encode(), name="city.csv")
    made = import_dataset(owner=owner, upload=upload, name="City")
    run_jobs()
    made.refresh_from_db()
    assert made.points == POINTS
    return made


def drawn(page, dataset, keys):
    """What is painted after these keys; with reduced motion a key's image is there in the next frame."""
    if "/datasets/" not in page.url:
        page.goto(f"/datasets/{dataset.pk}/")
        page.wait_for_load_state("networkidle")
    request = {"url": f"/api/v1/datasets/{dataset.pk}/track/", "keys": keys, "fade": False}
    return page.evaluate(_DRAWN, request)


def assert_same(found):
    """As many painted pixels but for the faintest of soft edges, and next to none that only one of them has."""
    assert found["all"] > 1000, "there is something to see"
    assert abs(found["ours"] - found["all"]) <= 0.05 * found["all"], found
    assert max(found["missing"], found["added"]) <= 0.002 * found["all"], found


def usual_step(dataset):
    """The median step, m, of what is stored."""
    stored = line(dataset.points_path, 0)
    lon, lat = stored.lon / 1e7, stored.lat / 1e7
    x = np.radians(np.diff(lon)) * np.cos(np.radians((lat[1:] + lat[:-1]) / 2))
    return float(np.median(np.hypot(x, np.radians(np.diff(lat)))) * 6_371_000)


def test_a_large_track_is_drawn_after_an_image_as_all_of_its_steps(open_page, owner, city):
    mark_landmarks(owner=owner, dataset=city, method={"name": "manual", "events": list(range(500, 900))})
    page, sharp = (open_page(owner, device_scale_factor=scale, reduced_motion="reduce") for scale in (1, 2))
    held: list[Route] = []
    free = False

    def hold(route):
        """Whole tracks wait; preview images do not."""
        return route.continue_() if free or "west=" in route.request.url else held.append(route)

    page.context.route("**/track/?*", hold)
    for place in ("landmarks/new/", ""):
        free = False
        page.goto(f"/datasets/{city.pk}/{place}")
        early = expect_painted(page, "early-original", timeout_s=30)
        expect(page.locator("canvas[data-layer=original]")).to_have_count(0)
        assert early > 500
        free = True
        while held:
            held.pop().continue_()
        whole = expect_painted(page, "original", timeout_s=30)
        expect(page.locator("canvas[data-layer=early-original]")).to_have_count(0)
        assert whole == pytest.approx(early, rel=0.15)
        expect_painted(page, "landmarks")
    expect(page.locator('[data-fact="step"]')).to_have_text(re.compile(rf"^10\ss, {usual_step(city):.0f}\sm$"))

    zooms = {}
    for closer in (["-", "-"], [], ["+"], ["+"] * 3, ["+"] * 6):
        found = drawn(page, city, closer)
        zooms[found["zoom"]] = found["ours"]
        assert_same(found)
    assert len(zooms) == 5
    assert_same(drawn(page, city, ["+", *(f"Arrow{way}" for way in MOVES)]))
    found = drawn(sharp, city, ["+"])
    assert found["ours"] > 2.2 * zooms[found["zoom"]], "twice as many pixels each way, on lines as wide"


@pytest.fixture
def crowd(owner):
    """Days of three hundred people around places of their own."""
    rng = np.random.default_rng(8)
    rows = ["id,time,lat,lon\n"]
    for k in range(PEOPLE):
        heading = np.cumsum(rng.normal(0, 0.3, EVENTS))
        steps = np.stack([np.sin(heading) / 0.66, np.cos(heading)]) * 60 / 111_320
        lon, lat = np.array([[2.35], [48.85]]) + rng.normal(0, 0.06, (2, 1)) + steps.cumsum(axis=1)
        day = enumerate(zip(lon, lat, strict=True))
        rows += [f"person {k:03},{1_700_000_000 + 60 * i},{b:.7f},{a:.7f}\n" for i, (a, b) in day]
    upload = ContentFile("".join(rows).encode(), name="crowd.csv")
    made = import_dataset(owner=owner, upload=upload, name="Three hundred people")
    run_jobs()
    return Dataset.objects.get(pk=made.pk)


def open_in_time(page, address, complete):
    """Open a page twice; ``complete`` is there and all people are drawn in time, the first or the second time."""
    taken = []
    for _ in range(2):
        began = time.monotonic()
        page.goto(address)
        page.wait_for_selector(complete, timeout=patience(30_000))
        page.wait_for_selector("canvas[data-layer=original][data-drawn]", timeout=patience(30_000))
        taken.append(time.monotonic() - began)
    print(f"{PEOPLE} people of {EVENTS} events: {address} opened in {taken[0]:.2f} s, then in {taken[1]:.2f} s")
    assert min(taken) < patience(BUSY * OPENS_S)
    expect_painted(page, "original", lambda pixels: pixels > 3000)
    expect_painted(page, "landmarks")
    counts = page.evaluate(COLOURS, "original")
    assert sum(count > 200 for _, count in counts) >= 8
    check_page(page)


def find(page):
    """Those found by a part of their name; the second one has the focus."""
    page.get_by_label("Find a person").fill("person 27")
    people = page.locator(".people__one")
    expect(people).to_have_count(10)
    people.first.focus()
    page.keyboard.press("ArrowDown")
    expect(people.nth(1)).to_be_focused()
    return people


@pytest.mark.journey
def test_three_hundred_people_are_shown_named_and_chosen(open_page, owner, crowd):
    zone = {"type": "Circle", "center": [2.35, 48.85], "radius_m": 800.0}
    landmarks = mark_landmarks(owner=owner, dataset=crowd, method={"name": "zones", "zones": [zone]})
    (release,) = released(landmarks, "skip")
    page = open_page(owner)
    open_in_time(page, f"/datasets/{crowd.pk}/compare/?series=all", "[data-bench][data-ready=all]")
    expect_painted(page, str(release.pk))
    spot = page.evaluate(_SPOT, "original")
    page.mouse.move(spot["x"], spot["y"])
    expect(page.locator(".person-tag")).to_contain_text("person ")
    expect_painted(page, "person")
    find(page)
    expect_painted(page, "person")
    page.keyboard.press("Enter")
    field = page.get_by_role("combobox", name="Person")
    expect(field).to_have_value("person 271")
    wait_until_ready(page)
    expect(page.get_by_role("slider", name="Event", exact=True)).to_be_visible()
    page.wait_for_function("() => location.search.includes('series=271')")
    field.click()
    field.fill("all 300")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="All 300 people")).to_be_visible()
    page.get_by_text("By release", exact=True).click()
    page.wait_for_function("() => location.search.includes('colour=release')")
    expect_painted(page, "original")

    phone = open_page(owner, colour="dark", size=PHONE)
    open_in_time(phone, f"/datasets/{crowd.pk}/", "[data-fact=silence]:text-is('none')")
    people = find(phone)
    phone.keyboard.press("Enter")
    expect_painted(phone, "series")
    expect(phone.locator("canvas[data-layer=original]")).to_have_count(0)
    expect(people.nth(1)).to_have_attribute("aria-current", "true")
    expect(phone.get_by_role("heading", name="1 of 300 people")).to_be_visible()
    people.nth(1).press("Enter")
    expect_painted(phone, "original")
    expect(phone.locator("canvas[data-layer=series]")).to_have_count(0)
    expect(phone.get_by_role("heading", name="All 300 people")).to_be_visible()
    expect(phone.get_by_role("button", name="Show all", exact=True)).to_be_hidden()
