"""The comparison of a count stream: heat map, keys, brush, list, lines, downloads; OnlineRetail within two seconds."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.urls import reverse
from playwright.sync_api import Page, expect

from dashboard.accounts.models import User
from dashboard.datasets.aggregation import aggregate_dataset
from dashboard.datasets.models import Dataset
from dashboard.datasets.services import import_dataset
from dashboard.releases.services import submit_release
from dashboard.streams.services import open_stream, publish_events
from privacy_engine.aggregation import AggregationSpec
from privacy_engine.spec import ReleaseSpec
from tests.browser.conftest import DESKTOP, PHONE, PageMonitor, accessibility_faults, assert_fits, run_cases, run_jobs
from tests.dashboard import kinds
from tests.patience import patience

READY = "[data-streams][data-ready=all]"
COUNTS = kinds.counts() // 2000
SHADES = """() => { const canvas = document.querySelector(".heat__canvas");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let hash = 0; const found = new Set();
  for (let i = 0; i < data.length; i += 4) {
    const colour = (data[i] << 16) | (data[i + 1] << 8) | data[i + 2];
    found.add(colour); hash = (hash * 31 + colour) | 0;
  }
  return [hash, found.size] }"""
SMALL = """() => [...document.querySelectorAll("[data-multiples] canvas")].map((canvas) => canvas.toDataURL())"""
PURE = """async () => {
  const raster = await import("/static/js/stream/raster.js");
  const { ticksOf, plotScale } = await import("/static/js/stream/plot_scale.js");
  const { ordered } = await import("/static/js/stream/dimension_list.js");
  const { sorted } = await import("/static/js/stream/release_table.js");
  const { moved } = await import("/static/js/stream/heat_map.js");
  const { budgetNote } = await import("/static/js/stream/comparison_text.js");
  const { Cells, decodeCells } = await import("/static/js/stream/cells.js");
  const cells = new Cells(4, 3, Float64Array.from([1, 2, 3, 4, 5, -9, 7, 8, 0, 0, 0, 6]));
  const values = (order, width, height, signed) =>
    [...raster.rasterise(cells, order, { width, height }, signed).values];
  const known = { names: ["b", "a10", "a9"], totals: [5, 5, 7], errors: [0.5, null, 0.1] };
  const by = (key, descending, text = "") => ordered(known, text, { key, descending });
  const rows = [["x", 2], ["zeros", 1], ["y", null], ["z", 3]].map(([id, are]) => ({ id, figures: { are } }));
  const day = 86400;
  const years = Array.from({ length: 1000 }, (_, i) => i * day);
  const axis = { labels: years.map(String), time_s: years };
  const scale = plotScale(10, 612);
  const ramp = raster.rampOf(["#000000", "#ffffff"]);
  const pixel = (value, signed) => raster.pixelsOf({ values: [value] }, 100, ramp, signed)[0];
  const failed = (buffer) => { try { decodeCells(buffer); return "" } catch (error) { return error.message } };
  return {
    whole: values([0, 1], 9, 9, false), reordered: values([1, 0], 9, 9, false),
    largest: values([0, 1, 2], 2, 1, false), farthest: values([0, 1, 2], 2, 1, true),
    total: by("total", true), name: by("name", false), worst: by("error", true), search: by("name", false, " A1 "),
    ascending: sorted(rows, "are", false).map(({ id }) => id),
    descending: sorted(rows, "are", true).map(({ id }) => id),
    years: ticksOf(axis, [0, 1000], 400), even: ticksOf({ labels: ["p", "q", "r"], time_s: null }, [0, 3], 170),
    columns: [scale.columnAt(0), scale.columnAt(scale.middleOf(3)), scale.columnAt(9999)],
    down: moved("ArrowDown", { dimension: 2, column: 3 }, [2, 0, 1], 4),
    end: moved("End", { dimension: 2, column: 0 }, [2, 0, 1], 4),
    stays: moved("ArrowUp", { dimension: 2, column: 0 }, [2, 0, 1], 4),
    other: moved("a", { dimension: 2, column: 0 }, [2], 4),
    shades: [0, -5, 100, 1e9].map((value) => pixel(value, false)),
    differences: [-100, 100, -1e9].map((value) => pixel(value, true)),
    rounded: [0, 1, 3, 70, 501].map(raster.roundUp), shared: [raster.perRow(1298, 262), raster.perRow(3, 262)],
    failed: failed(new ArrayBuffer(20)),
    notes: [[1, ""], [1.25, ""], [null, ""], [1, "nothing bounds it"]].map(([most, unsound]) => {
      const release = { id: "a", title: "A", epsilon: 1, unsound };
      return budgetNote({ comparisonOf: () => ({ most_spent: most }) }, release, [release]);
    }),
  };
}"""


def compared(owner: User, body: bytes, *releases: dict[str, Any], name: str = "Counts.csv") -> Dataset:
    """A count stream with finished releases."""
    dataset = import_dataset(owner=owner, upload=ContentFile(body, name=name))
    run_jobs()
    for mechanism in releases:
        submit_release(owner=owner, dataset=dataset, spec=ReleaseSpec.parse({"mechanism": mechanism}))
    run_jobs()
    return dataset


def opened(page: Page, dataset: Dataset) -> Page:
    page.goto(reverse("releases:compare", args=[dataset.pk]))
    expect(page.locator(READY)).to_be_visible(timeout=patience(30_000))
    return page


def names_in_list(page: Page) -> list[str]:
    return page.locator(".dimensions tbody .dimensions__name").all_text_contents()


def computes_as_specified(page: Page) -> None:
    found = page.evaluate(PURE)
    assert found["whole"] == [1, 2, 3, 4, 5, -9, 7, 8]
    assert found["reordered"] == [5, -9, 7, 8, 1, 2, 3, 4]
    assert (found["largest"], found["farthest"]) == ([5, 8], [-9, 8])
    assert (found["total"], found["name"], found["worst"], found["search"]) == ([2, 1, 0], [2, 1, 0], [0, 2, 1], [1])
    assert (found["ascending"], found["descending"]) == (["zeros", "x", "z", "y"], ["z", "x", "zeros", "y"])
    assert found["years"] == [[365, "1971"], [730, "1972"]]
    assert found["even"] == [[0, "p"], [1, "q"]]
    assert found["columns"] == [0, 3, 9]
    assert (found["down"], found["end"]) == ({"dimension": 0, "column": 3}, {"dimension": 2, "column": 3})
    assert (found["stays"], found["other"]) == ({"dimension": 2, "column": 0}, None)
    assert (found["shades"], found["differences"]) == ([0, 0, 255, 255], [0, 255, 0])
    assert (found["rounded"], found["shared"]) == ([1, 1, 5, 100, 1000], [5, 1])
    assert found["failed"] == "These are no counts."
    assert found["notes"] == [
        "never above ε = 1",
        "up to 1.25, above ε = 1",
        "no budgets are stored with A",
        "never above ε = 1 · A has no guarantee: what it spends is not what it leaks",
    ]


def shows_the_values_of_the_selected_cell(page: Page) -> None:
    name = names_in_list(page)[0]
    column = COUNTS[:, kinds.NAMES.index(name)]
    values = page.locator("[data-values]")
    expect(values).to_contain_text(f"{name}{kinds.day(39)}")
    expect(values).to_contain_text(f"truth {column[39]:,}")
    page.locator(".heat").focus()
    page.keyboard.press("ArrowLeft")
    expect(values).to_contain_text(f"truth {column[38]:,}")
    page.keyboard.press("Home")
    expect(values).to_contain_text(f"truth {column[0]:,}")
    page.keyboard.press("ArrowDown")
    second = names_in_list(page)[1]
    expect(values).to_contain_text(f"truth {COUNTS[0, kinds.NAMES.index(second)]:,}")
    expect(page.locator(".dimensions tr[aria-current]")).to_contain_text(second)
    expect(page.locator("[data-lanes-title]")).to_contain_text(second)


def sorting_and_searching_reorder_the_heat_map(page: Page) -> None:
    order = [kinds.NAMES[k] for k in (-COUNTS.sum(axis=0)).argsort()]
    assert names_in_list(page) == order
    before = page.evaluate(SHADES)
    assert before[1] > 20  # painted
    by_name = page.get_by_role("button", name="Name", exact=True)
    shades = set()
    for reverse_order in (False, True):
        by_name.click()
        assert names_in_list(page) == sorted(kinds.NAMES, reverse=reverse_order)
        shades.add(page.evaluate(SHADES)[0])
    assert len(shades) == 2
    first = page.locator(".heat").get_attribute("data-first")
    assert page.locator(".dimensions tbody tr").first.get_attribute("data-dimension") == first
    page.get_by_label("Search 3 dimensions").fill("EA")
    expect(page.locator(".dimensions tbody tr")).to_have_count(1)
    expect(page.locator(".heat")).to_have_attribute("data-rows", "1")
    expect(page.locator("[data-heat-title]")).to_have_text("1 dimension of 3")
    page.get_by_label("Search 3 dimensions").fill("")
    expect(page.locator(".dimensions tbody tr")).to_have_count(3)


def one_brush_sets_every_small_chart(page: Page) -> None:
    before = page.evaluate(SMALL)
    grip = page.get_by_role("slider", name="First timestamp shown")
    grip.focus()
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    expect(page.locator("[data-multiples]")).to_have_attribute("data-range", "10-40")
    expect(page.locator("[data-pinned-range]")).to_have_text(f"{kinds.day(10)} to {kinds.day(39)}")
    after = page.evaluate(SMALL)
    assert len(after) == 3
    assert all(one != other for one, other in zip(before, after, strict=True))
    page.get_by_role("button", name="Show all", exact=True).click()
    expect(page.locator("[data-multiples]")).to_have_attribute("data-range", "0-40")


def views_and_lanes_follow_what_is_chosen(page: Page) -> None:
    release = page.evaluate(SHADES)[0]
    shades = {release}
    for view in ("Truth", "Difference"):
        page.get_by_role("button", name=view, exact=True).click()
        shades.add(page.evaluate(SHADES)[0])
    assert len(shades) == 3
    page.get_by_role("button", name="Release", exact=True).click()
    for visible, lanes in ((False, "1"), (True, "3")):  # ε, clusters, group sizes
        page.get_by_role("checkbox", name="AdaPub").set_checked(visible)
        expect(page.locator("[data-lanes]")).to_have_attribute("data-lanes", lanes)
    expect(page.locator("[data-budget-note]")).to_have_text("never above ε = 1")


def zeros_are_in_the_order_of_the_table(page: Page) -> None:
    def rows() -> list[str]:
        found = page.locator("[data-release-rows] tr[data-row]")
        return [one.get_attribute("data-row") or "" for one in found.all()]

    def column(place: int) -> list[float]:
        cells = page.locator(f"[data-release-rows] tr[data-row] td:nth-child({place})").all_text_contents()
        return [float(cell.split()[0].replace(",", "")) for cell in cells]

    assert "zeros" in rows()
    for place, name in ((3, "MAE"), (4, "RMSE")):
        page.get_by_role("button", name=f"Sort by {name}").click()
        assert column(place) == sorted(column(place))
        page.get_by_role("button", name=f"Sort by {name}").click()
        assert column(place) == sorted(column(place), reverse=True)
    assert page.locator("tr[data-row=zeros] td").last.text_content() == "–"


def plots_are_saved_as_files(page: Page) -> None:
    menu = page.get_by_label("Counts of all dimensions: save or show numbers")
    menu.click()
    with page.expect_download() as started:
        page.locator("[data-heat-menu]").get_by_role("button", name="CSV").click()
    rows = list(csv.reader(Path(started.value.path()).read_text().splitlines()))
    assert rows[0] == ["dimension", *map(kinds.day, range(kinds.DAYS))]
    assert [row[0] for row in rows[1:]] == names_in_list(page)
    menu.click()
    with page.expect_download() as started:
        page.locator("[data-heat-menu]").get_by_role("button", name="PNG").click()
    assert Path(started.value.path()).read_bytes().startswith(b"\x89PNG")
    menu.click()
    page.locator("[data-heat-menu]").get_by_role("button", name="Data table").click()
    expect(page.locator("dialog[open] tbody tr")).to_have_count(3)
    page.keyboard.press("Escape")


CASES = (
    computes_as_specified,
    shows_the_values_of_the_selected_cell,
    sorting_and_searching_reorder_the_heat_map,
    one_brush_sets_every_small_chart,
    views_and_lanes_follow_what_is_chosen,
    zeros_are_in_the_order_of_the_table,
    plots_are_saved_as_files,
)


@pytest.mark.journey
def test_every_part_of_the_comparison(open_page: Callable[..., Page], owner: User, subtests: pytest.Subtests) -> None:
    adapub = kinds.STREAM | {"name": "stream-adapub"}
    page = opened(open_page(owner), compared(owner, kinds.wide(COUNTS), kinds.STREAM, adapub))
    run_cases(subtests, CASES, page)
    assert not accessibility_faults(page)


class TestOnlineRetail:
    """The largest of the shared data: 374 timestamps of 1,298 dimensions."""

    @pytest.fixture
    def retail(self, shared: Path, owner: User) -> Dataset:
        body = (shared / "data" / "streams" / "online_retail.csv.gz").read_bytes()
        level = {"epsilon": 1.0, "window": 100}
        mechanisms = [{"name": f"stream-{name}", **level} for name in ("uniform", "adapub")]
        return compared(owner, body, *mechanisms, name="online_retail.csv.gz")

    @pytest.mark.parametrize(
        "size", [DESKTOP, pytest.param(PHONE, marks=pytest.mark.thorough)], ids=["desktop", "phone"]
    )
    def test_is_interactive_within_two_seconds(
        self, open_page: Callable[..., Page], owner: User, retail: Dataset, size: dict[str, int]
    ) -> None:
        more = {"has_touch": True, "is_mobile": True} if size is PHONE else {}
        page = open_page(owner, size=size, **more)
        page.goto(reverse("datasets:detail", args=[retail.pk]))  # the code is loaded, the data are not
        opened(page, retail)
        interactive = page.evaluate("performance.getEntriesByName('cairn:interactive')[0].startTime") / 1000
        print(f"interactive after {interactive:.2f} s at {size['width']} px")
        assert interactive < patience(10)
        assert page.evaluate(SHADES)[1] > 20
        assert_fits(page)
        expect(page.locator("[data-columns]")).to_contain_text("the largest count of at most")
        page.get_by_label("Search 1,298 dimensions").fill("retrospot cake")
        expect(page.locator("[data-heat-title]")).to_contain_text("of 1,298")
        assert all("RETROSPOT CAKE" in name for name in names_in_list(page))
        page.get_by_label("Search 1,298 dimensions").fill("")
        page.get_by_role("button", name="Show all 1,298 dimensions").click()
        expect(page.locator(".dimensions tbody tr")).to_have_count(1298)
        assert not accessibility_faults(page)


def test_detection_compares_releases(open_page: Callable[..., Page], owner: User, monitor: PageMonitor) -> None:
    monitor.expected = {400}
    page = opened(open_page(owner), compared(owner, kinds.wide(COUNTS), kinds.STREAM, kinds.SAMPLE))
    page.get_by_text("Detection of jumps and low signals").click()
    rows = page.locator("[data-detection-table] tbody tr")
    expect(rows).to_have_count(2)
    expect(page.locator("[data-roc] .js-plotly-plot")).to_be_visible()
    page.get_by_label("Timestamps", exact=True).fill("2")
    page.get_by_label("Threshold").fill("20")
    page.get_by_role("button", name="Compare", exact=True).click()
    events = (abs(COUNTS[2:] - COUNTS[:-2]) >= 20).sum()
    expect(rows.first).to_contain_text(f"{events:,}")
    expect(rows.locator(".swatch")).to_have_count(2)
    chart = page.locator("[data-roc]")
    page.get_by_label("Timestamps", exact=True).fill("40")
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.locator("#detection-length-error")).to_contain_text("at most 39")
    expect(rows).to_have_count(0)
    expect(chart).to_be_hidden()
    page.get_by_label("Timestamps", exact=True).fill("2")
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(rows).to_have_count(2)
    expect(chart).to_be_visible()
    refusal = {"field": "threshold", "code": "invalid", "message": "threshold must be smaller"}
    page.route("**/detection/**", lambda route: route.fulfill(status=400, json={"errors": [refusal]}))
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.locator("#detection-threshold-error")).to_have_text("Must be smaller")
    expect(page.locator("[data-detection-problem]")).to_be_hidden()
    expect(rows).to_have_count(0)
    expect(chart).to_be_hidden()
    page.unroute("**/detection/**")
    for threshold, text in {"0": "every timestamp is such an event", "1e12": "no such event"}.items():
        page.get_by_label("Threshold").fill(threshold)
        page.get_by_role("button", name="Compare", exact=True).click()
        expect(rows.first).to_contain_text(text)
    assert not accessibility_faults(page)


def test_counted_cells_are_played_on_the_map(open_page: Callable[..., Page], owner: User) -> None:
    source = import_dataset(owner=owner, upload=ContentFile(kinds.checkins(kinds.checkin_rows()), name="Check-ins.csv"))
    run_jobs()
    source.refresh_from_db()
    box = [kinds.POPULARITY[side] for side in ("west", "south", "east", "north")]
    spec = AggregationSpec.parse({"cell_m": 2000.0, "step": "10min", "unit": "person", "most": 2, "box": box})
    counted = aggregate_dataset(dataset=source, spec=spec)
    run_jobs()
    counted.refresh_from_db()
    mechanism = kinds.STREAM | {"sensitivity": counted.counted.sensitivity}
    submit_release(owner=owner, dataset=counted, spec=ReleaseSpec.parse({"mechanism": mechanism}))
    run_jobs()
    page = opened(open_page(owner), counted)
    canvas = page.locator("canvas[data-layer=counts]")
    expect(canvas).to_have_attribute("data-drawn", re.compile(r"\d+"))
    at_last = page.locator("[data-map]").get_attribute("data-column")
    first = page.evaluate("document.querySelector('canvas[data-layer=counts]').toDataURL()")
    page.get_by_role("button", name="Play").click()
    expect(page.locator("[data-map]")).not_to_have_attribute("data-column", at_last or "")
    page.locator(".heat").focus()
    page.keyboard.press("p")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    page.keyboard.press("Home")
    expect(page.locator("[data-map]")).to_have_attribute("data-column", "0")
    page.wait_for_function(
        "(first) => document.querySelector('canvas[data-layer=counts]').toDataURL() !== first", arg=first
    )
    values = page.locator("[data-values]")
    before = values.text_content() or ""
    page.locator("[data-map]").click()  # in its middle
    expect(values).not_to_have_text(before)
    expect(page.locator("[data-promise]")).to_contain_text("exp(ε)")
    assert not accessibility_faults(page)

    page.goto(f"{reverse('releases:compare', args=[counted.pk])}?range=1-3")
    expect(page.locator(READY)).to_be_visible(timeout=patience(30_000))
    page.get_by_label("Speed", exact=True).select_option("86400")
    page.get_by_role("button", name="Play").press("P")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    expect(page.locator("[data-map]")).to_have_attribute("data-column", "2")


def test_the_live_stream_of_the_same_dimensions_is_paused_and_advances(
    open_page: Callable[..., Page], owner: User
) -> None:
    dataset = compared(owner, kinds.wide(COUNTS), kinds.STREAM)
    spec = ReleaseSpec.parse({"mechanism": kinds.STREAM})
    names = [one["name"] for one in dataset.summary["dimensions"]]
    live, _ = open_stream(owner=owner, name="Visitors now", dimensions=names, spec=spec)
    page = opened(open_page(owner), dataset)
    card = page.locator("[data-live-card]")
    expect(card).to_contain_text("no timestamp yet")
    publish_events(stream=live, events=[{"time": kinds.day(0), "counts": COUNTS[0].tolist()}])
    expect(card).to_contain_text(f"last timestamp {kinds.day(0)}")
    expect(card).to_contain_text("ε 0.25 of 1 spent")
    for button, state in (("Pause", "paused"), ("Resume", "open")):
        card.get_by_role("button", name=button).click()
        expect(card).to_have_attribute("data-state", state)
        live.refresh_from_db()
        assert live.state == state
