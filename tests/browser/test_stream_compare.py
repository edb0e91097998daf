"""The comparison of a count stream: heat map, keys, brush, list, lines, plots, downloads; OnlineRetail at once."""

import csv

import numpy as np
import pytest
from django.urls import reverse
from playwright.sync_api import expect

from dashboard.releases.common.release_data import read_release
from tests.browser.actions import contains, downloaded
from tests.browser.conftest import PHONE, accessibility_faults, assert_fits
from tests.browser.stream_pages import COUNTS, compared, opened
from tests.dashboard import kinds
from tests.patience import patience

SHADES = """() => { const canvas = document.querySelector(".heat__canvas");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let hash = 0; const found = new Set();
  for (let i = 0; i < data.length; i += 4) {
    const colour = (data[i] << 16) | (data[i + 1] << 8) | data[i + 2];
    found.add(colour); hash = (hash * 31 + colour) | 0;
  }
  return [hash, found.size] }"""
SMALL = """() => [...document.querySelectorAll("[data-multiples] canvas")].map((canvas) => canvas.toDataURL())"""
CLIPPED = """(selector) => [...document.querySelectorAll(selector)]
  .filter((one) => one.scrollWidth > one.clientWidth && getComputedStyle(one).display !== "inline")
  .map((one) => `${one.className}: ${one.textContent}`)"""
GAPS = """() => [...document.querySelectorAll(".dimensions tbody tr")].map((row) => {
  const text = (cell) => { const range = document.createRange(); range.selectNodeContents(cell);
    return range.getBoundingClientRect() };
  const [box, name, total, error] = row.cells;
  return [text(name).left - box.querySelector("input").getBoundingClientRect().right,
    text(error).left - text(total).right, row.getBoundingClientRect().right - text(error).right] })"""
LARGE = COUNTS * 246_913 + 7


def names_in_list(page):
    return page.locator(".dimensions tbody .dimensions__name").all_text_contents()


def shade(page):
    found = page.evaluate(SHADES)
    assert found[1] > 20, "the heat map is painted"
    return found[0]


def saved(page, menu, label):
    """What the menu of a plot saves."""
    page.locator(f"{menu} summary, {menu} button").first.click()
    return downloaded(page.locator(menu).get_by_role("button", name=label)).path().read_bytes()


def test_cells_dimensions_and_ranges_are_chosen(open_page, owner):
    adapub = kinds.STREAM | {"name": "stream-adapub"}
    page = opened(open_page(owner), compared(owner, kinds.wide(LARGE), kinds.STREAM, adapub))
    order = [kinds.NAMES[k] for k in (-LARGE.sum(axis=0)).argsort()]
    assert names_in_list(page) == order
    gaps = page.evaluate(GAPS)
    assert len(gaps) == len(order)
    assert min(min(row[:2]) for row in gaps) >= 4, "numbers and boxes of the list are apart"
    assert min(row[2] for row in gaps) >= 0
    assert page.evaluate(CLIPPED, ".dimensions td, .dimensions thead th") == []

    values, truth = page.locator("[data-values]"), LARGE[:, [kinds.NAMES.index(name) for name in order]]
    contains(values, f"{order[0]}{kinds.day(39)}", f"truth {truth[39, 0]:,}")
    page.locator(".heat").focus()
    for key, at in (("ArrowLeft", (38, 0)), ("Home", (0, 0)), ("ArrowDown", (0, 1))):
        page.keyboard.press(key)
        expect(values).to_contain_text(f"truth {truth[at]:,}")
    expect(page.locator(".dimensions tr[aria-current]")).to_contain_text(order[1])
    expect(page.locator("[data-lanes-title]")).to_contain_text(order[1])

    seen, rows = {shade(page)}, page.locator(".dimensions tbody tr")
    for descending in (False, True):
        page.get_by_role("button", name="Name", exact=True).click()
        assert names_in_list(page) == sorted(order, reverse=descending)
        seen.add(shade(page))
    assert len(seen) == 3 - (order in (sorted(order), sorted(order, reverse=True)))
    assert rows.first.get_attribute("data-dimension") == page.locator(".heat").get_attribute("data-first")
    search = page.get_by_label("Search 3 dimensions")
    search.fill("EA")
    expect(rows).to_have_count(1)
    expect(page.locator(".heat")).to_have_attribute("data-rows", "1")
    expect(page.locator("[data-heat-title]")).to_have_text("1 dimension of 3")
    search.fill("")
    expect(rows).to_have_count(3)

    small, before = page.locator("[data-multiples]"), page.evaluate(SMALL)
    page.get_by_role("slider", name="First timestamp shown").focus()
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    expect(small).to_have_attribute("data-range", "10-40")
    expect(page.locator("[data-pinned-range]")).to_have_text(f"{kinds.day(10)} to {kinds.day(39)}")
    after = page.evaluate(SMALL)
    assert len(after) == 3
    assert all(one != other for one, other in zip(before, after, strict=True))
    page.get_by_role("button", name="Show all", exact=True).click()
    expect(small).to_have_attribute("data-range", "0-40")
    heat = page.locator(".heat").bounding_box()
    heights = set()
    for share in (0.3, 0.5, 0.7, 0.9):
        page.mouse.move(heat["x"] + heat["width"] * share, heat["y"] + heat["height"] * share)
        heights.add(values.evaluate("(box) => box.getBoundingClientRect().height"))
    assert len(heights) == 1, "nothing moves with the pointer"


@pytest.mark.journey
def test_views_lanes_errors_and_exact_files(open_page, owner):
    noisy = kinds.STREAM | {"epsilon": 0.001}  # noise that is seen beside large counts
    dataset = compared(owner, kinds.wide(LARGE), noisy, noisy | {"name": "stream-adapub"})
    page = opened(open_page(owner), dataset)
    seen = {shade(page)}
    for view in ("Truth", "Difference"):
        page.get_by_role("button", name=view, exact=True).click()
        seen.add(shade(page))
    assert len(seen) == 3
    page.get_by_role("button", name="Release", exact=True).click()
    for visible, lanes in ((False, "1"), (True, "3")):  # ε, clusters, group sizes
        page.get_by_role("checkbox", name="AdaPub").set_checked(visible)
        expect(page.locator("[data-lanes]")).to_have_attribute("data-lanes", lanes)
    expect(page.locator("[data-budget-note]")).to_have_text("never above ε = 0.001")

    head, *body = csv.reader(saved(page, "[data-heat-menu]", "CSV").decode().splitlines())
    assert head == ["dimension", *map(kinds.day, range(kinds.DAYS))]
    assert [one[0] for one in body] == names_in_list(page)
    assert saved(page, "[data-heat-menu]", "PNG").startswith(b"\x89PNG")
    page.get_by_label("Counts of all dimensions: save or show numbers").click()
    page.locator("[data-heat-menu]").get_by_role("button", name="Data table").click()
    expect(page.locator("dialog[open] tbody tr")).to_have_count(3)
    assert not accessibility_faults(page)


def test_the_largest_of_the_shared_data_is_interactive_at_once(open_page, owner, shared):
    """374 timestamps of 1,298 dimensions."""
    body = (shared / "data" / "streams" / "online_retail.csv.gz").read_bytes()
    weekly = {"name": "stream-uniform", "epsilon": 1.0, "window": 100}
    retail = compared(owner, body, weekly, name="online_retail.csv.gz")
    page = open_page(owner)
    page.goto(reverse("datasets:detail", args=[retail.pk]))  # the code is loaded, the data are not
    opened(page, retail)
    interactive = page.evaluate("performance.getEntriesByName('cairn:interactive')[0].startTime") / 1000
    print(f"interactive after {interactive:.2f} s")
    assert interactive < patience(10)
    shade(page)
    expect(page.locator("[data-columns]")).to_contain_text("the largest count of at most")
    search = page.get_by_label("Search 1,298 dimensions")
    search.fill("retrospot cake")
    expect(page.locator("[data-heat-title]")).to_contain_text("of 1,298")
    assert all("RETROSPOT CAKE" in name for name in names_in_list(page))
    assert not accessibility_faults(page)
    search.fill("")
    limit, boxes = page.locator("[data-pin-limit]"), page.locator("[data-dimension-list]").get_by_role("checkbox")
    for i in range(6, 12):
        boxes.nth(i).check()
    expect(limit).to_be_hidden()
    boxes.nth(12).click()
    expect(boxes.nth(12)).not_to_be_checked()
    expect(limit).to_contain_text("At most 12 dimensions")
    boxes.nth(3).uncheck()
    expect(limit).to_be_hidden()
    page.get_by_role("button", name="Show all 1,298 dimensions").click()
    expect(page.locator(".dimensions tbody tr")).to_have_count(1298)
    page.set_viewport_size(PHONE)
    assert_fits(page)


def test_the_answer_is_the_best_release_as_measured_beside_publishing_zeros(open_page, owner):
    """The verdict of the form, on the errors that were made: nothing has to be looked up in the table."""
    dataset = compared(owner, kinds.wide(LARGE), kinds.STREAM, kinds.STREAM | {"epsilon": 0.05})
    page = opened(open_page(owner), dataset)
    best = min(dataset.releases.all(), key=lambda row: row.owner_view["stream-relative-error"])
    card = page.locator("[data-answer]")
    expect(card.get_by_role("heading")).to_have_text("Uniform")
    contains(card, "best of 2", "usable", "half of the counts within", "zeros ")
    off = abs(read_release(best).counts - LARGE)
    for name, share in (("typical_error", 0.5), ("p95_error", 0.95)):
        figure = card.locator(f"[data-quantity='{name}:{best.pk}']")
        size = np.quantile(off, share)
        expect(figure).to_have_text(f"{size:.1f}" if size < 10 else f"{size:,.0f}")
    text = f"{best.owner_view['stream-relative-error']:.3f}".removeprefix("0")
    expect(card.locator(f"[data-quantity='are:{best.pk}']")).to_have_text(text)
    expect(page.locator(f"[data-row='{best.pk}']")).to_contain_text(text)
    expect(page.locator(".streams-bench__releases")).to_contain_text("here 0.4 × its mean count")
    card.get_by_role("link", name="Publish Uniform").click()
    page.wait_for_url(f"**/releases/{best.pk}/**")
