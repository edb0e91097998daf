"""The comparison of a count stream and the pages around it: nothing is clipped, and nothing moves with the pointer."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from dashboard.accounts.models import User
from dashboard.streams.services import open_stream, publish_events
from privacy_engine.spec import ReleaseSpec
from tests.browser.conftest import DESKTOP, PHONE, assert_fits
from tests.browser.test_stream_compare import COUNTS, compared, opened
from tests.dashboard import kinds

CLIPPED = """(selector) => [...document.querySelectorAll(selector)]
  .filter((one) => one.scrollWidth > one.clientWidth && getComputedStyle(one).display !== "inline")
  .map((one) => `${one.className}: ${one.textContent}`)"""
HEIGHT = "document.querySelector('[data-values]').getBoundingClientRect().height"
GAPS = """() => [...document.querySelectorAll(".dimensions tbody tr")].map((row) => {
  const text = (cell) => { const range = document.createRange(); range.selectNodeContents(cell);
    return range.getBoundingClientRect() };
  const [box, name, total, error] = row.cells;
  return [text(name).left - box.querySelector("input").getBoundingClientRect().right,
    text(error).left - text(total).right, row.getBoundingClientRect().right - text(error).right] })"""


def levels(*names: str, window: int = 100) -> list[dict[str, Any]]:
    return [{"name": f"stream-{name}", "epsilon": 1.0, "window": window} for name in names]


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_values_of_many_releases_are_whole_and_stay(
    open_page: Callable[..., Page], owner: User, shared: Path, size: dict[str, int]
) -> None:
    body = (shared / "data" / "streams" / "stateflu.csv").read_bytes()
    mechanisms = levels("uniform", "sample", "adapub", "hieradapub", "kalman") + levels("adapub", window=50)
    page = opened(open_page(owner, size=size), compared(owner, body, *mechanisms))
    for box in page.locator("[data-release-rows] [data-line]").all():
        box.check()
    values = page.locator("[data-values]")
    expect(values.locator(":scope > *")).to_have_count(4 + len(mechanisms))
    expect(values.locator(":scope > *").first).to_have_text("New York City")
    assert page.evaluate(CLIPPED, "[data-values], [data-values] > *") == []
    heat = page.locator(".heat").bounding_box()
    assert heat is not None
    heights = set()
    for share in (0.3, 0.5, 0.7, 0.9):
        page.mouse.move(heat["x"] + heat["width"] * share, heat["y"] + heat["height"] * share)
        heights.add(page.evaluate(HEIGHT))
    assert len(heights) == 1


def test_the_table_of_errors_and_lanes_are_whole(open_page: Callable[..., Page], owner: User) -> None:
    mechanisms = levels("uniform", "sample", "adapub", "hieradapub")
    page = opened(open_page(owner), compared(owner, kinds.wide(COUNTS), *mechanisms))
    assert page.evaluate(CLIPPED, ".streams-bench__releases .table-scroll, .release-errors td") == []
    for box in page.locator("[data-release-rows] [data-line]").all():
        box.check()
    lanes = page.locator("[data-lanes] canvas")
    expect(lanes).to_have_attribute("aria-label", re.compile("clusters: (Hier)?AdaPub, group size: (Hier)?AdaPub"))


def test_numbers_and_boxes_of_the_list_are_apart(open_page: Callable[..., Page], owner: User) -> None:
    page = opened(open_page(owner), compared(owner, kinds.wide(COUNTS * 20_000), *levels("uniform")))
    gaps = page.evaluate(GAPS)
    assert len(gaps) == len(kinds.NAMES)
    assert min(min(row[:2]) for row in gaps) >= 4
    assert min(row[2] for row in gaps) >= 0
    assert page.evaluate(CLIPPED, ".dimensions td, .dimensions thead th") == []


def test_a_dimension_without_a_name_has_its_number(open_page: Callable[..., Page], owner: User) -> None:
    dataset = compared(owner, kinds.wide(COUNTS, ("north", "south", "")), *levels("uniform"))
    page = opened(open_page(owner), dataset)
    number = [one["name"] for one in dataset.summary["dimensions"]].index("") + 1
    page.get_by_role("button", name=f"dimension {number}", exact=True).first.click()
    expect(page.locator("[data-lanes-title]")).to_have_text(f"dimension {number}: when values change")
    expect(page.locator("[data-values]")).to_contain_text(f"dimension {number}")


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_page_of_a_dataset_is_whole(open_page: Callable[..., Page], owner: User, size: dict[str, int]) -> None:
    dataset = compared(owner, kinds.wide(COUNTS), *levels("uniform", "adapub"))
    page = open_page(owner, size=size)
    page.goto(reverse("datasets:detail", args=[dataset.pk]))
    expect(page.locator("[data-report]")).to_contain_text("40 timestamps of 3 dimensions")
    assert page.evaluate(CLIPPED, "#releases .table-scroll") == []
    assert_fits(page)


@pytest.mark.journey
def test_a_live_stream_fits_a_phone(open_page: Callable[..., Page], owner: User) -> None:
    spec = ReleaseSpec.parse({"mechanism": kinds.STREAM})
    live, _ = open_stream(owner=owner, name="Visitors", dimensions=list(kinds.NAMES), spec=spec)
    publish_events(stream=live, events=[{"time": kinds.day(0), "counts": COUNTS[0].tolist()}])
    page = open_page(owner, size=PHONE)
    page.goto(reverse("streams:detail", args=[live.pk]))
    expect(page.locator(".js-plotly-plot")).to_have_count(2)
    expect(page.locator(".chart__unit").first).to_have_text("1 timestamp")
    assert_fits(page)
