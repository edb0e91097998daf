"""Much on the map: a large track after a preview image, three hundred people, releases far away from the original."""

import re
import time

import numpy as np
import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import expect

from dashboard.datasets.models import Dataset
from dashboard.datasets.services import import_dataset
from dashboard.landmarks.services import mark_landmarks
from tests.browser.conftest import PHONE, check_page, run_jobs
from tests.browser.fixtures import released
from tests.browser.rendering import COLOURS, compare, expect_painted, wait_until_ready
from tests.patience import patience

POINTS = 110_000  # so many that an image is shown first, not dashed, and crowds are put down as pixels
PEOPLE, EVENTS = 300, 1000
OPENS_S = 2.0
BUSY = 2.5
"""How many times as long a machine may take that runs other tests at the same time."""
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
# All layers of the map on one image, and which of its pixels have the original's colour
_OF_ORIGINAL = """async (before) => {
  const layers = [...document.querySelectorAll("[data-map] canvas.map-canvas")];
  layers.sort((a, b) => a.style.zIndex - b.style.zIndex);
  const canvas = new OffscreenCanvas(layers[0].width, layers[0].height);
  const ctx = canvas.getContext("2d");
  ctx.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--map");
  ctx.fillRect(0, 0, canvas.width, canvas.height);
  for (const layer of layers) {
    ctx.globalAlpha = Number(layer.style.opacity || 1);
    ctx.drawImage(layer, 0, 0);
  }
  const { data } = ctx.getImageData(0, 0, canvas.width, canvas.height);
  const [r, g, b] = getComputedStyle(document.body).color.match(/\\d+/g).map(Number);
  const is = (i) => Math.max(Math.abs(data[i] - r), Math.abs(data[i + 1] - g), Math.abs(data[i + 2] - b)) <= 16;
  if (!before) {
    window.original = [];
    for (let i = 0; i < data.length; i += 4) if (is(i)) window.original.push(i);
    return window.original.length;
  }
  return window.original.filter(is).length;
}"""


@pytest.fixture
def city(owner):
    """Weeks of walks through a city."""
    rng = np.random.default_rng(4)
    heading = np.cumsum(rng.normal(0, 0.2, POINTS))
    steps = np.stack([np.sin(heading) / 0.66, np.cos(heading)]) * rng.gamma(2, 10, POINTS) / 111_320
    places = np.array([[2.35], [48.85]]) + 0.2 * np.sin(steps.cumsum(axis=1) / 0.2)
    rows = "".join(f"{1_700_000_000 + 10 * i},{lat:.7f},{lon:.7f}\n" for i, (lon, lat) in enumerate(places.T))
    upload = ContentFile(f"time,lat,lon\n{rows}".encode(), name="city.csv")
    made = import_dataset(owner=owner, upload=upload, name="City")
    run_jobs()
    return Dataset.objects.get(pk=made.pk)


def test_a_large_track_is_drawn_after_an_image(open_page, owner, city):
    mark_landmarks(owner=owner, dataset=city, method={"name": "manual", "events": list(range(500, 900))})
    page, held, free = open_page(owner, reduced_motion="reduce"), [], False

    def hold(route):
        """Whole tracks wait; preview images do not."""
        return route.continue_() if free or "west=" in route.request.url else held.append(route)

    page.route("**/track/?*", hold)
    page.goto(f"/datasets/{city.pk}/")
    early = expect_painted(page, "early-original", timeout_s=30)
    expect(page.locator("canvas[data-layer=original]")).to_have_count(0)
    assert early > 500
    free = True
    for route in held:
        route.continue_()
    whole = expect_painted(page, "original", timeout_s=30)
    expect(page.locator("canvas[data-layer=early-original]")).to_have_count(0)
    assert whole == pytest.approx(early, rel=0.15)
    expect_painted(page, "landmarks")
    expect(page.locator('[data-fact="step"]')).to_have_text(re.compile("^10\\s*s, "))


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


def opened(page, address, complete):
    """Open a page; how long it takes until ``complete`` is there and all people are drawn."""
    began = time.monotonic()
    page.goto(address)
    page.wait_for_selector(complete, timeout=patience(30_000))
    page.wait_for_selector("canvas[data-layer=original][data-drawn]", timeout=patience(30_000))
    taken = time.monotonic() - began
    expect_painted(page, "original", lambda pixels: pixels > 3000)
    expect_painted(page, "landmarks")
    counts = page.evaluate(COLOURS, "original")
    assert sum(count > 200 for _, count in counts) >= 8
    return taken


def find(page):
    """Those found by a part of their name; the second one has the focus."""
    page.get_by_label("Find a person").fill("person 27")
    people = page.locator(".people__one")
    expect(people).to_have_count(10)
    people.first.focus()
    page.keyboard.press("ArrowDown")
    expect(people.nth(1)).to_be_focused()
    return people


def test_three_hundred_people_are_shown_named_and_chosen(open_page, owner, crowd):
    zone = {"type": "Circle", "center": [2.35, 48.85], "radius_m": 800.0}
    landmarks = mark_landmarks(owner=owner, dataset=crowd, method={"name": "zones", "zones": [zone]})
    (release,) = released(landmarks, "skip")
    page = open_page(owner)
    address = f"/datasets/{crowd.pk}/compare/?series=all"
    taken = [opened(page, address, "[data-bench][data-ready=all]") for _ in range(2)]
    assert min(taken) < patience(BUSY * OPENS_S), taken
    check_page(page)
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
    opened(phone, f"/datasets/{crowd.pk}/", "[data-fact=silence]:text-is('none')")
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


def visible_share(page, dataset, releases):
    """What share of the original's pixels is still its colour once the releases are drawn."""
    hide = ",".join(str(one.pk)[-8:] for one in releases)
    compare(page, dataset, f"?hide={hide},landmarks")
    page.wait_for_function("() => document.querySelector('canvas[data-layer=original]')?.dataset.drawn")
    alone = page.evaluate(_OF_ORIGINAL, False)
    assert alone > 1000
    for one in releases:
        page.locator(f'.layer[data-layer="{one.pk}"] input[type=checkbox]').check()
    for one in releases:
        page.wait_for_function(f"() => document.querySelector('canvas[data-layer=\"{one.pk}\"]')?.dataset.drawn")
    return float(page.evaluate(_OF_ORIGINAL, True) / alone)


def test_the_original_stays_visible_under_five_kilometres_of_noise(page, taxi, stays):
    releases = released(stays, "uniform", "skip", epsilon=3.0)
    assert max(one.owner_view["mae_m"] for one in releases) > 5000
    assert visible_share(page, taxi, releases) >= 0.95
    legend = page.locator(".layer", has_text="Uniform")
    expect(legend).to_contain_text("drawn as points")
    legend.get_by_role("button", name="Line, opacity and order of Uniform").click()
    choice = legend.get_by_role("combobox")
    expect(choice.locator("option:checked")).to_have_text("Automatic: points")
    choice.select_option("density")
    expect(legend).to_contain_text("events per cell 1 · ")
    page.wait_for_function("() => location.search.includes('draw=')")
    page.reload()
    wait_until_ready(page)
    expect(page.locator(".layer", has_text="Uniform")).to_contain_text("drawn as density")
