"""Charts, time strip and map look at the same events: a range chosen on one is that of all, and in the address."""

from __future__ import annotations

import csv
import re
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset
from dashboard.datasets.services import import_dataset
from dashboard.landmarks.dummy_landmarks import add_dummies
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.services import mark_landmarks
from dashboard.releases.models import Release
from privacy_engine.data import Trajectory
from tests.browser.fixtures import released, table
from tests.browser.rendering import compare, pick, wait_until_ready
from tests.browser.test_charts import saved

PLOT = "[data-chart={}] .js-plotly-plot"
AXES = """() => [...document.querySelectorAll(".js-plotly-plot")].map(({ _fullLayout: { xaxis, yaxis } }) =>
  [...xaxis.range, yaxis._offset + yaxis._length])"""
FIT = """(chart) => { const { data, _fullLayout: { xaxis, yaxis } } =
  document.querySelector(`[data-chart=${chart}] .js-plotly-plot`); return { x: xaxis.range, y: yaxis.range,
  highest: Math.log10(Math.max(...data.filter(({ name }) => name).flatMap(({ x, y }) =>
    y.filter((_, i) => x[i] >= xaxis.range[0] && x[i] <= xaxis.range[1])))) } }"""
MARKED = """(name) => document.querySelector("[data-chart=error] .js-plotly-plot").data
  .find(({ meta }) => meta === name).x.filter((x) => x !== null)"""


def spans(page: Page) -> list[str | None]:
    return page.locator(".chart__plot").evaluate_all("(all) => all.map((one) => one.dataset.span)")


def banded(page: Page, name: str, *, corners: int) -> np.ndarray:
    """Which of the taxi day's events lie in the bands of that name."""
    found = np.zeros(260, dtype=np.bool_)
    for outline in (np.array(page.evaluate(MARKED, name)).reshape(-1, corners) + 0.5).astype(int):
        found[outline[0] : outline[2]] = True
    return found


def drag(page: Page, chart: str, start: float, end: float) -> None:
    """Press Shift and drag over a chart, from and to a share of its width."""
    box = page.locator(PLOT.format(chart)).bounding_box()
    assert box
    page.keyboard.down("Shift")
    page.mouse.move(box["x"] + start * box["width"], box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + end * box["width"], box["y"] + 60, steps=4)
    expect(page.locator(f"[data-chart={chart}] .chart__range")).to_be_visible()
    page.mouse.up()
    page.keyboard.up("Shift")


def ends(page: Page) -> tuple[int, int]:
    """The events the brush is at."""
    first, last = (page.get_by_role("slider", name=f"{one} event shown") for one in ("First", "Last"))
    return int(first.get_attribute("aria-valuenow") or -1), int(last.get_attribute("aria-valuenow") or -1)


@pytest.mark.journey
def test_the_brush_is_the_charts_range(page: Page, taxi: Dataset, pair: list[Release]) -> None:
    compare(page, taxi, "?range=100-151")
    assert spans(page) == ["100-150"] * 3
    assert {tuple(one[:2]) for one in page.evaluate(AXES)} == {(100, 150)}
    page.get_by_role("slider", name="Last event shown").press("ArrowLeft")
    page.wait_for_function("() => document.querySelector('.chart__plot').dataset.span === '100-149'")
    fit = page.evaluate(FIT, "error")
    assert fit["y"][1] - 1.6 <= fit["highest"] <= fit["y"][1], "as high as what is shown, in whole decades"
    page.wait_for_url("**range=100-150**")
    page.get_by_role("button", name="Show all", exact=True).click()
    page.wait_for_function("() => document.querySelector('.chart__plot').dataset.span === '0-259'")


def test_a_range_of_a_chart_moves_the_brush(
    page: Page, taxi: Dataset, pair: list[Release], subtests: pytest.Subtests
) -> None:
    compare(page, taxi)
    for chart in ("error", "loss"):
        with subtests.test(chart):
            a_range_moves_the_brush(page, chart)


def a_range_moves_the_brush(page: Page, chart: str) -> None:
    at = page.get_by_role("slider", name="Event", exact=True).get_attribute("aria-valuenow")
    drag(page, chart, 0.4, 0.7)
    first, last = ends(page)
    assert 60 < first < 110 < 150 < last < 200
    page.wait_for_url(f"**range={first}-{last + 1}**")
    assert spans(page) == [f"{first}-{last}"] * 3
    assert page.get_by_role("slider", name="Event", exact=True).get_attribute("aria-valuenow") == at, "none was chosen"
    drag(page, chart, 0.4, 0.7)
    inner = ends(page)
    assert first < inner[0] < inner[1] < last, "closer"
    page.wait_for_url(f"**range={inner[0]}-{inner[1] + 1}**")
    page.reload()
    wait_until_ready(page)
    assert (ends(page), spans(page)) == (inner, [f"{inner[0]}-{inner[1]}"] * 3)
    page.locator(PLOT.format(chart)).dblclick()
    assert ends(page) == (0, 259)
    expect(page.locator(".chart__plot").first).to_have_attribute("data-span", "0-259")


def test_every_chart_has_a_way_back(page: Page, taxi: Dataset, pair: list[Release]) -> None:
    compare(page, taxi, "?range=100-151")
    back = page.get_by_role("button", name="Budget per event: show all events")
    back.press("Enter")
    assert ends(page) == (0, 259)
    expect(back).to_be_hidden()
    page.wait_for_url(lambda url: "range=" not in url)


@pytest.mark.journey
def test_the_table_is_of_what_is_shown_and_the_file_of_all(
    page: Page,
    taxi: Dataset,
    stays: LandmarkSet,
    pair: list[Release],
) -> None:
    compare(page, taxi, "?range=100-111")
    with saved(page, "Error per event", "CSV").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 260
    assert [row["kind"] == "landmark" for row in rows] == stays.mask.tolist()
    page.get_by_label("Error per event: save or show numbers").click()
    page.get_by_role("button", name="Data table").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator("tbody tr")).to_have_count(11)
    expect(dialog.locator("caption")).to_contain_text("11 rows of events 101 to 111.")


def test_the_event_under_the_pointer_is_shown_on_all_charts_and_the_map(
    page: Page,
    taxi: Dataset,
    pair: list[Release],
) -> None:
    compare(page, taxi)
    before = page.evaluate("document.querySelector('canvas[data-layer=selection]')?.toDataURL() ?? ''")
    box = page.locator(PLOT.format("error")).bounding_box()
    assert box
    page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 70)
    readouts = page.locator(".chart__plot .tooltip")
    for chart in range(3):
        expect(readouts.nth(chart)).to_be_visible()
    texts = readouts.locator("p:first-child").all_text_contents()
    assert len(set(texts)) == 1
    assert re.fullmatch(r"event \d+ · 2 Feb 2024, \d\d:\d\d:\d\d( · landmark)?", texts[0])
    event = int(texts[0].split(" ")[1])
    shown = readouts.nth(1).locator("li", has_text="Uniform").locator("b").text_content() or ""
    assert float(shown.removeprefix("ε\u202f")) == pytest.approx(1 / (pair[1].landmark_set.count + 1), rel=0.01)
    assert page.get_by_role("slider", name="Event", exact=True).get_attribute("aria-valuenow") == "0", (
        "looked at, not chosen"
    )
    assert event > 100
    page.wait_for_function(
        "(before) => (document.querySelector('canvas[data-layer=selection]')?.toDataURL() ?? 'none') !== before",
        arg=before,
    )
    page.mouse.move(5, 5)  # not over the map, where the pointer might be near to an event
    expect(readouts.first).to_be_hidden()


def test_dummies_are_distinguishable(page: Page, owner: User, stays: LandmarkSet, taxi: Dataset) -> None:
    method = {"name": "dummies-one-sided", "epsilon": 0.5}
    made = add_dummies(owner=owner, landmark_set=stays, method=method, name="With dummies")
    assert np.count_nonzero(made.mask & ~stays.mask) > 3
    released(made, "uniform")
    compare(page, taxi)
    hollow = banded(page, "Dummy landmarks", corners=5)
    assert np.array_equal(hollow, made.mask & ~stays.mask), "outlined: the dummies alone"
    assert np.array_equal(banded(page, "Landmarks", corners=4), stays.mask), "filled: the landmarks alone"
    with saved(page, "Error per event", "CSV").open() as file:
        kinds = [row["kind"] for row in csv.DictReader(file)]
    assert [kind == "dummy landmark" for kind in kinds] == (made.mask & ~stays.mask).tolist()
    svg = saved(page, "Error per event", "SVG").read_text()
    assert "Dummy landmarks" in svg


def test_a_long_series_is_read_closer(page: Page, owner: User) -> None:
    n = 9_000
    walk = Trajectory(2.3 + np.arange(n) * 1e-5, 48.8 + np.sin(np.arange(n) / 50) * 1e-3, 1.7e9 + np.arange(n) * 60.0)
    dataset = import_dataset(owner=owner, upload=table(("long", walk)), name="Long")
    chosen = mark_landmarks(owner=owner, dataset=dataset, method={"name": "manual", "events": [5, 700, 8000]})
    released(chosen, "uniform", radius_m=50.0)
    compare(page, dataset)
    count: Any = """(chart) => document.querySelector(`[data-chart=${chart}] .js-plotly-plot`).data
      .find(({ name }) => name?.startsWith("Uniform · ε")).x.length"""
    assert page.evaluate(count, "error") <= 4000
    drag(page, "error", 0.3, 0.5)
    first, last = ends(page)
    page.wait_for_function(f"(chart) => ({count})(chart) === {last - first + 1}", arg="error")
    pick(page.get_by_label("Sum", exact=True))
    page.wait_for_function(f"(chart) => ({count})(chart) === {last - first + 1}", arg="error")
