"""The comparison of a count stream: heat map, keys, brush, list, lines, plots, downloads; OnlineRetail at once."""

import csv
import re
from datetime import UTC, datetime, timedelta
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from django.urls import reverse
from playwright.sync_api import expect

from dashboard.releases.models import Release
from dashboard.storage.data_files import cached_release
from tests.browser.actions import box_of, contains, downloaded
from tests.browser.conftest import DESKTOP, PHONE, accessibility_faults, assert_fits
from tests.browser.stream_pages import COUNTS, compared, opened
from tests.dashboard import kinds
from tests.patience import patience

LARGE = COUNTS * 246_913 + 7
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
RECORD = """(() => {
  const { prototype } = HTMLCanvasElement;
  const width = Object.getOwnPropertyDescriptor(prototype, "width");
  Object.defineProperty(prototype, "width", { ...width, set(value) { this.texts = []; width.set.call(this, value); } });
  const { prototype: context } = CanvasRenderingContext2D;
  const fillText = context.fillText;
  context.fillText = function (text, x, y) {
    fillText.call(this, text, x, y);
    if (this.getTransform().b) return; // upright
    const { actualBoundingBoxLeft: left, actualBoundingBoxRight: right } = this.measureText(text);
    const { actualBoundingBoxAscent: up, actualBoundingBoxDescent: down } = this.measureText(text);
    this.canvas.texts?.push({ text, left: x - left, right: x + right, top: y - up, bottom: y + down });
  };
})()"""
"""Every canvas has the texts that were drawn since it was cleared, with their boxes, px."""
TEXTS = """(selector) => [...document.querySelectorAll(`${selector} canvas`)].map((canvas) =>
  ({ texts: canvas.texts, width: canvas.clientWidth, height: canvas.clientHeight }))"""


def names_in_list(page):
    return page.locator(".dimensions tbody .dimensions__name").all_text_contents()


def levels(*names, window=100):
    return [{"name": f"stream-{name}", "epsilon": 1.0, "window": window} for name in names]


def shade(page):
    found: list[int] = page.evaluate(SHADES)
    assert found[1] > 20, "the heat map is painted"
    return found[0]


def saved(page, menu, label):
    """What the menu of a plot saves."""
    page.locator(f"{menu} summary, {menu} button").first.click()
    return downloaded(page.locator(menu).get_by_role("button", name=label)).path().read_bytes()


def rows_of(page, menu):
    return list(csv.reader(saved(page, menu, "CSV").decode().splitlines()))


@pytest.mark.journey
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
    assert not accessibility_faults(page)


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

    row = page.locator("[data-release-rows] tr[data-row]")
    assert "zeros" in [one.get_attribute("data-row") for one in row.all()]
    for place, name in ((3, "MAE"), (4, "RMSE")):
        for descending in (False, True):
            page.get_by_role("button", name=f"Sort by {name}").click()
            cells = page.locator(f"[data-release-rows] tr[data-row] td:nth-child({place})").all_text_contents()
            numbers = [float(cell.split()[0].replace(",", "")) for cell in cells]
            assert numbers == sorted(numbers, reverse=descending)
    assert page.locator("tr[data-row=zeros] td").last.text_content() == "–"

    chosen = page.get_by_label("Release in the heat map").input_value()
    release = Release.objects.get(pk=chosen)
    published = np.asarray(cached_release(release.kind, release.data_path).counts)
    order = [int(one.get_attribute("data-dimension") or "") for one in page.locator(".dimensions tbody tr").all()]
    truth = LARGE[:, [kinds.NAMES.index(name) for name in names_in_list(page)]]
    last, values = published[-1, order[0]], page.locator("[data-values]")
    difference = f"{last - truth[-1, 0]:+,.0f}".replace("-", "−") if last != truth[-1, 0] else "0"
    contains(values, f"truth {truth[-1, 0]:,}", f" {last:,.0f}", f"difference {difference}")
    head, *body = rows_of(page, "[data-heat-menu]")
    assert head == ["dimension", *map(kinds.day, range(kinds.DAYS))]
    assert [one[0] for one in body] == names_in_list(page)
    assert [[float(value) for value in one[1:]] for one in body] == published[:, order].T.tolist()
    pinned = np.array([[float(value) for value in one[1:]] for one in rows_of(page, "[data-pinned-menu]")[1:]])
    assert pinned[:, :: pinned.shape[1] // 3].tolist() == truth.tolist()
    assert saved(page, "[data-heat-menu]", "PNG").startswith(b"\x89PNG")
    page.get_by_label("Counts of all dimensions: save or show numbers").click()
    page.locator("[data-heat-menu]").get_by_role("button", name="Data table").click()
    expect(page.locator("dialog[open] tbody tr")).to_have_count(3)
    expect(page.locator("dialog[open] tbody")).to_contain_text(f"{truth[-1, 0]:,}")
    assert not accessibility_faults(page)


def test_the_largest_of_the_shared_data_is_interactive_at_once(open_page, owner, shared):
    """374 timestamps of 1,298 dimensions."""
    body = (shared / "data" / "streams" / "online_retail.csv.gz").read_bytes()
    retail = compared(owner, body, *levels("uniform"), name="online_retail.csv.gz")
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
    page.get_by_role("button", name="Show all 1,298 dimensions").click()
    expect(page.locator(".dimensions tbody tr")).to_have_count(1298)
    page.set_viewport_size(PHONE)
    assert_fits(page)


def test_many_releases_are_whole_and_nothing_moves_with_the_pointer(open_page, owner, shared):
    body = (shared / "data" / "streams" / "stateflu.csv").read_bytes()
    mechanisms = levels("uniform", "sample", "adapub", "hieradapub", "kalman") + levels("adapub", window=50)
    dataset, page = compared(owner, body, *mechanisms), open_page(owner)
    for size in (DESKTOP, PHONE):
        page.set_viewport_size(size)
        opened(page, dataset)
        for box in page.locator("[data-release-rows] [data-line]").all():
            box.check()
        values = page.locator("[data-values]")
        expect(values.locator(":scope > *")).to_have_count(4 + len(mechanisms))
        expect(values.locator(":scope > *").first).to_have_text("New York City")
        assert page.evaluate(CLIPPED, "[data-values], [data-values] > *") == []
        if size is DESKTOP:  # on a phone they scroll
            assert page.evaluate(CLIPPED, ".streams-bench__releases .table-scroll, .release-errors td") == []
        label = re.compile("clusters: (Hier)?AdaPub.*, group size: (Hier)?AdaPub")
        expect(page.locator("[data-lanes] canvas")).to_have_attribute("aria-label", label)
        heat = box_of(page.locator(".heat"))
        heights = set()
        for share in (0.3, 0.5, 0.7, 0.9):
            page.mouse.move(heat["x"] + heat["width"] * share, heat["y"] + heat["height"] * share)
            heights.add(values.evaluate("(box) => box.getBoundingClientRect().height"))
        assert len(heights) == 1
        page.goto(reverse("datasets:detail", args=[dataset.pk]))
        expect(page.locator("[data-report]")).to_contain_text("dimensions")
        assert page.evaluate(CLIPPED, "#releases .table-scroll") == []
        assert_fits(page)


def texts_of(page, selector):
    """The canvases of a plot: their sizes and texts, which lie apart."""
    found: list[dict[str, Any]] = page.evaluate(TEXTS, selector)
    assert found
    for canvas in found:
        for one, other in combinations(canvas["texts"], 2):
            beside = one["right"] <= other["left"] or other["right"] <= one["left"]
            assert beside or one["bottom"] <= other["top"] or other["bottom"] <= one["top"], (one, other)
    return found


def test_labels_of_hours_and_budgets_are_apart_and_pins_have_a_limit(open_page, owner):
    names, start = [f"cell {i}" for i in range(14)], datetime(2024, 2, 2, tzinfo=UTC)
    table = np.random.default_rng(3).integers(10, 50, (30, 14))
    rows = [f"{start + timedelta(hours=i):%Y-%m-%dT%H:%M:%SZ},{','.join(map(str, row))}" for i, row in enumerate(table)]
    body = "\n".join([",".join(["time", *names]), *rows, ""]).encode()
    budgets = [{"epsilon": 2.0, "window": 20}, {"epsilon": 50.0, "window": 10}]
    dataset, page = compared(owner, body, *(kinds.STREAM | one for one in budgets)), open_page(owner)
    page.add_init_script(RECORD)
    for size in (DESKTOP, PHONE):
        page.set_viewport_size(size)
        opened(page, dataset)
        for plot in ("[data-axis]", "[data-multiples]"):
            for canvas in texts_of(page, plot):
                ticks = [one for one in canvas["texts"] if "Feb" in one["text"]]
                assert len({one["text"] for one in ticks}) == len(ticks) >= 2
                assert all(one["left"] >= -1 and one["right"] <= canvas["width"] + 1 for one in ticks)
        shown = page.get_by_label("Release in the heat map")
        for epsilon in (50, 2):
            shown.select_option(label=shown.locator("option", has_text=f"ε {epsilon} ").inner_text())
            canvas = page.locator("[data-budget] canvas")
            expect(canvas).to_have_attribute("aria-label", re.compile(f"limit ε = {epsilon}\\."))
            expect(page.locator("[data-budget-title]")).to_have_text("Budget spent in each release’s window, ε")
            note = f"Uniform · ε {epsilon} .*: never above ε = {epsilon}"
            expect(page.locator("[data-budget-note]")).to_have_text(re.compile(note))
            (budget,) = texts_of(page, "[data-budget]")
            tops = {one["text"]: one["top"] for one in budget["texts"]}
            assert tops[f"ε = {epsilon}"] < tops.get("0", budget["height"])
            assert all(one["top"] >= 0 and one["bottom"] <= budget["height"] for one in budget["texts"])
    page.get_by_role("checkbox", name="ε 50").uncheck()
    expect(page.locator("[data-budget-title]")).to_have_text("Budget spent in the last 20 timestamps, ε")
    page.set_viewport_size(DESKTOP)
    opened(page, dataset)

    limit, pinned = page.locator("[data-pin-limit]"), page.locator("[data-pinned-count]")
    boxes = page.locator("[data-dimension-list]").get_by_role("checkbox")
    expect(boxes).to_have_count(14)
    for i in range(6, 12):
        boxes.nth(i).check()
    expect(pinned).to_have_text("12 of 14 pinned")
    expect(limit).to_be_hidden()
    boxes.nth(12).click()
    expect(boxes.nth(12)).not_to_be_checked()
    expect(limit).to_be_in_viewport()
    expect(limit).to_contain_text("At most 12 dimensions")
    boxes.nth(3).uncheck()
    expect(limit).to_be_hidden()
    boxes.nth(12).check()
    expect(pinned).to_have_text("12 of 14 pinned")
