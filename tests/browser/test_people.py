"""Three hundred people on the maps of comparison and dataset: in their colours, found by name, chosen by a press."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import Page, expect

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset
from dashboard.datasets.services import import_dataset
from dashboard.landmarks.services import mark_landmarks
from dashboard.releases.models import Release
from tests.browser.conftest import DESKTOP, DEVICES, check_page, run_jobs
from tests.browser.fixtures import released
from tests.browser.rendering import expect_painted, wait_until_ready
from tests.patience import patience

PEOPLE, EVENTS = 300, 1000
OPENS_S = 2.0
BUSY = 2.5
"""How many times as long a machine may take that runs other tests at the same time."""
_CASES = """async () => {
  const { COLOURS, allText, coloursText, peopleOf, runsOfPoints, seriesAt, seriesPart } =
    await import("/static/js/trajectory/people.js");
  const { runsOfSeries } = await import("/static/js/trajectory/dataset_map.js");
  const { gapsText, stepText } = await import("/static/js/trajectory/step_statistics.js");
  const { byColour, nearestStep } = await import("/static/js/map/people_layer.js");
  const { matching } = await import("/static/js/components/search_select.js");
  const { Positions } = await import("/static/js/map/positions.js");
  const { Track } = await import("/static/js/trajectory/track.js");
  const one = (index, name, person) => ({ index, name, person, points: 5 });
  const named = (...series) => peopleOf(series).map(({ name, number }) => [name, number]);
  const column = (...values) => Int32Array.from(values);
  const track = new Track({
    lonE7: column(0, 1e7, 2e7, 0, 1e7), latE7: column(0, 0, 0, 5e7, 5e7), y: column(0, 0, 0, 1e8, 1e8),
    event: column(0, 4, 9, 10, 19), ends: column(3, 3, 5),
  });
  const view = { width: 360, height: 360, zoom: 0, scale: 360, left: 0, top: 0 }; // a pixel to a degree
  const positions = new Positions(track, 0);
  const nearest = (x, y) => nearestStep(view, positions, { x, y }, 3);
  const luminance = (hex) => {
    const [r, g, b] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const texts = ["Ben", "Anna", "Johanna"].map((text) => ({ text }));
  return {
    people: named(one(0, "a", "a"), one(1, "b", "b"), one(2, "b2", "b"), one(3, "", "c")),
    alone: named(one(0, "x", "p"), one(1, "y", "p")),
    eleventh: peopleOf(Array.from({ length: 11 }, (_, i) => one(i, `n${i}`, `n${i}`))).at(-1).number,
    all: [allText([one(0, "a", "a"), one(1, "b", "b")]), allText([one(0, "a", "a"), one(1, "b", "a")])],
    meaning: [2, 11].map((n) => coloursText(Array.from({ length: n }, (_, i) => one(i, `n${i}`, `n${i}`))))
      .concat(coloursText([one(0, "a", "x"), one(1, "b", "x")])),
    ofSeries: runsOfSeries([[0, 2], [4, 9], [9, 12]], [3, 5, 4], 1),
    steps: [[60, 1200, 600, 0.25], [0, null, null, null], [null, null, null, null], [5, 1, 10, 0]].map(
      ([median_m, median_s, gap_s, gap_share]) => [stepText({ median_m, median_s }), gapsText({ gap_s, gap_share })]),
    series: [0, 2, 3, 4].map((i) => seriesAt(track, i)),
    parts: [0, 1, 2].map((k) => seriesPart(track, k).n),
    runs: runsOfPoints(track, [[4, 10], [5, 7], [10, 20], [0, 1]]),
    near: [nearest(181.5, 181), nearest(180.5, 180 + 1e8 / 2 ** 32 * 360), nearest(181, 184.2)],
    colours: byColour(["x", "y", "x"], 3),
    found: matching(texts, " an").map(({ text }) => text),
    contrast: Math.min(...COLOURS.flatMap((one) => [contrast(one.light, "#f1eee8"), contrast(one.dark, "#1a1917")])),
  };
}"""
# How many colours the opaque pixels of a layer have
_COLOURS = """(id) => {
  const canvas = document.querySelector(`canvas[data-layer="${id}"]`);
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const seen = new Map();
  for (let i = 0; i < data.length; i += 4) {
    if (data[i + 3] < 255) continue;
    const key = [data[i], data[i + 1], data[i + 2]].join();
    seen.set(key, (seen.get(key) ?? 0) + 1);
  }
  return [...seen.values()].filter((count) => count > 200).length;
}"""
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


@pytest.mark.journey
def test_names_colours_and_places_of_people(page: Page) -> None:
    page.goto("/")
    found = page.evaluate(_CASES)
    assert found["people"] == [["a", 0], ["b", 1], ["b · b2", 1], ["c · Series 4", 2]]
    assert found["alone"] == [["x", 0], ["y", 1]], "series of one person have colours of their own"
    assert found["eleventh"] == 0
    assert found["all"] == ["All 2 people", "All 2 series"]
    assert found["meaning"] == [
        "Each colour is a person.",
        "Each colour is a person; colours repeat after 10 people.",
        "Each colour is a series.",
    ]
    assert found["ofSeries"] == [[1, 5]]
    assert [[one.replace("\u202f", " ") for one in pair] for pair in found["steps"]] == [
        ["20 min, 60 m", "25 % of the time, in steps over 10 min"],
        ["0 m", "–"],
        ["one event, no step", "–"],
        ["1 s, 5 m", "none"],
    ]
    assert (found["series"], found["parts"]) == ([0, 0, 2, 2], [3, 0, 2])
    assert found["runs"] == [[1, 3], [1, 2], [3, 5], [0, 1]], "where no event of a run is left, the point before it"
    assert found["near"] == [2, 4, -1], "no step leads from one person to the next"
    assert found["colours"] == [["x", [0, 2]], ["y", [1]]]
    assert found["found"] == ["Anna", "Johanna"]
    assert found["contrast"] >= 3


@pytest.fixture
def crowd(owner: User) -> Dataset:
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


@pytest.fixture
def releases(owner: User, crowd: Dataset) -> list[Release]:
    zone = {"type": "Circle", "center": [2.35, 48.85], "radius_m": 800.0}
    landmarks = mark_landmarks(owner=owner, dataset=crowd, method={"name": "zones", "zones": [zone]})
    return released(landmarks, "skip")


def seconds_to_open(page: Page, address: str, complete: str) -> float:
    """Open a page twice; the seconds until ``complete`` is there and all people are drawn, of the faster time."""
    taken = []
    for _ in range(2):
        began = time.monotonic()
        page.goto(address)
        page.wait_for_selector(complete, timeout=patience(30_000))
        page.wait_for_selector("canvas[data-layer=original][data-drawn]", timeout=patience(30_000))
        taken.append(time.monotonic() - began)
    print(f"{PEOPLE} people of {EVENTS} events: {address} opened in {taken[0]:.2f} s, then in {taken[1]:.2f} s")
    return min(taken)


def assert_coloured_and_named(page: Page, size: Any) -> None:
    """Each person has a colour, the page has no fault, and a pointer over a line shows whose it is."""
    assert page.evaluate(_COLOURS, "original") >= 8
    check_page(page, both_colours=True)
    if size is DESKTOP:
        spot = page.evaluate(_SPOT, "original")
        page.mouse.move(spot["x"], spot["y"])
        expect(page.locator(".person-tag")).to_contain_text("person ")
        expect_painted(page, "person")


@DEVICES
def test_all_people_are_shown_named_and_chosen(
    open_page: Any, owner: User, crowd: Dataset, releases: list[Release], size: Any, colour: str
) -> None:
    page = open_page(owner, colour=colour, size=size)
    address = f"/datasets/{crowd.pk}/compare/?series=all"
    assert seconds_to_open(page, address, "[data-bench][data-ready=all]") < patience(BUSY * OPENS_S)
    expect_painted(page, "original", lambda pixels: pixels > 3000)
    expect_painted(page, "landmarks")
    expect_painted(page, str(releases[0].pk))
    assert_coloured_and_named(page, size)
    find = page.get_by_label("Find a person")
    find.fill("person 27")
    people = page.locator(".people__one")
    expect(people).to_have_count(10)
    people.first.focus()
    page.keyboard.press("ArrowDown")
    expect(people.nth(1)).to_be_focused()
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


@DEVICES
def test_the_map_of_a_dataset_shows_all_people_or_one(
    open_page: Any, owner: User, crowd: Dataset, releases: list[Release], size: Any, colour: str
) -> None:
    page = open_page(owner, colour=colour, size=size)
    complete = "[data-fact=silence]:text-is('none')"
    assert seconds_to_open(page, f"/datasets/{crowd.pk}/", complete) < patience(BUSY * OPENS_S)
    expect_painted(page, "original", lambda pixels: pixels > 3000)
    expect_painted(page, "landmarks")
    assert_coloured_and_named(page, size)
    page.get_by_label("Find a person").fill("person 27")
    people = page.locator(".people__one")
    expect(people).to_have_count(10)
    people.first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect_painted(page, "series")
    expect(page.locator("canvas[data-layer=original]")).to_have_count(0)
    expect(people.nth(1)).to_have_attribute("aria-current", "true")
    expect(page.get_by_role("heading", name="1 of 300 people")).to_be_visible()
    people.nth(1).press("Enter")
    expect_painted(page, "original")
    expect(page.locator("canvas[data-layer=series]")).to_have_count(0)
    expect(page.get_by_role("heading", name="All 300 people")).to_be_visible()
    expect(page.get_by_role("button", name="Show all", exact=True)).to_be_hidden()
