"""The charts' views, scales, images and tables: what is drawn is what the server computed."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset
from dashboard.landmarks.models import LandmarkSet
from dashboard.releases.models import Release
from dashboard.releases.services import derive_release
from dashboard.storage import parquet
from dashboard.storage.data_files import read_data
from privacy_engine.analysis.simulation import simulate
from privacy_engine.data import LandmarkSet as Landmarks
from privacy_engine.mechanism import mechanisms
from privacy_engine.spec import parse_steps
from tests.browser.conftest import DEVICES, PageMonitor, check_page, faults_in_both_colours, run_jobs
from tests.browser.rendering import compare, pick, wait_until_ready

TITLED = [f"{name} · ε 1 / 200\u202fm (m)" for name in ("Skip", "Uniform")]
NAMES = ("landmark-skip", "landmark-uniform")
LINE = """([chart, name]) => { const found = document.querySelector(`[data-chart=${chart}] .js-plotly-plot`)?.data
  .find((one) => one.name?.split(" · ε")[0] === name);
  return found && { x: [...found.x], y: [...found.y], visible: found.visible } }"""


def line(page: Page, name: str, chart: str = "error") -> dict[str, Any]:
    """A line of the chart, once it is drawn."""
    page.wait_for_function(f"(line) => ({LINE})(line)", arg=[chart, name])
    return page.evaluate(LINE, [chart, name])


def errors_of(release: Release) -> np.ndarray:
    return parquet.read_columns(release.errors_path)["error_m"]


def saved(page: Page, title: str, label: str) -> Path:
    page.get_by_label(f"{title}: save or show numbers").click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name=label, exact=True).click()
    return Path(waiting.value.path())


def test_distribution_is_exact_and_apart(page: Page, taxi: Dataset, stays: LandmarkSet, pair: list[Release]) -> None:
    compare(page, taxi)
    pick(page.get_by_label("Distribution"))
    expect(page.get_by_role("heading", name="Error distribution")).to_be_visible()
    errors = np.sort(errors_of(pair[1]))
    drawn = line(page, "Uniform")
    assert drawn["x"] == errors.tolist()
    assert drawn["y"] == pytest.approx((np.arange(1, 261) / 260).tolist())
    page.get_by_label("Events counted").select_option("landmarks")
    page.wait_for_function(f"(line) => ({LINE})(line)?.x.length === {stays.count}", arg=["error", "Uniform"])
    assert line(page, "Uniform")["x"] == np.sort(errors_of(pair[1])[stays.mask]).tolist()
    expect(page.locator("[data-chart=error] .xtitle")).to_contain_text(f"landmarks, n = {stays.count}")
    assert "error=distribution&among=landmarks" in page.url
    page.reload()
    wait_until_ready(page)
    assert len(line(page, "Skip")["x"]) == stays.count


def test_distribution_shows_where_the_event_lies(page: Page, taxi: Dataset, pair: list[Release]) -> None:
    compare(page, taxi, "?error=distribution")
    dots = page.locator("[data-chart=error] .chart__dot")
    expect(dots).to_have_count(2)
    before = dots.evaluate_all("(all) => all.map((one) => one.style.transform)")
    data = page.evaluate("document.querySelector('[data-chart=error] .js-plotly-plot').data.length")
    page.get_by_role("slider", name="Event", exact=True).press("End")
    assert dots.evaluate_all("(all) => all.map((one) => one.style.transform)") != before
    page.get_by_role("checkbox", name="Uniform").uncheck()
    expect(dots).to_have_count(1)
    assert page.evaluate("document.querySelector('[data-chart=error] .js-plotly-plot').data.length") == data


@pytest.mark.journey
def test_running_mean_follows_the_cursor(page: Page, taxi: Dataset, pair: list[Release]) -> None:
    compare(page, taxi)
    pick(page.get_by_label("Mean", exact=True))
    expect(page.get_by_role("heading", name="Running mean error")).to_be_visible()
    errors = errors_of(pair[0])
    assert line(page, "Skip")["y"] == pytest.approx((np.cumsum(errors) / np.arange(1, 261)).tolist())
    expect(page.locator("[data-chart=error] .chart__cursor")).to_be_visible()


@pytest.mark.journey
def test_error_against_epsilon_is_the_simulation(
    page: Page, taxi: Dataset, stays: LandmarkSet, pair: list[Release]
) -> None:
    compare(page, taxi)
    pick(page.get_by_label("By ε"))
    drawn = line(page, "Uniform, simulated")
    levels = [mechanisms.parse(pair[1].spec["mechanism"] | {"epsilon": level}) for level in drawn["x"]]
    (truth,) = read_data("trajectory", taxi.points_path)
    expected = simulate(levels, truth, [Landmarks(stays.mask)], seed=0, repetitions=20).errors_m[:, 0]
    assert drawn["y"] == expected.mean(axis=1).tolist()
    mark = line(page, "Uniform")
    assert (mark["x"], mark["y"]) == ([1.0], [pytest.approx(errors_of(pair[1]).mean())])
    expect(page.locator(".chart__text")).to_contain_text("reads the original: for its owner")
    expect(page.locator("[data-chart=error] .chart__cursor")).to_be_hidden()
    page.get_by_role("checkbox", name="Uniform").uncheck()
    assert line(page, "Uniform, simulated")["visible"] is False
    assert line(page, "Uniform")["visible"] is False


def test_a_smoothed_release_is_a_mark_and_not_a_curve(page: Page, taxi: Dataset, pair: list[Release]) -> None:
    derive_release(source=pair[0], steps=parse_steps([{"name": "ou-smoother"}]))
    run_jobs()
    compare(page, taxi, "?error=epsilon")
    line(page, "Skip, simulated")
    names = page.evaluate(
        "document.querySelector('[data-chart=error] .js-plotly-plot').data.flatMap(({ name }) => name ?? [])"
    )
    assert sum("simulated" in name for name in names) == 2
    assert sum("this release" in name for name in names) == 3


def test_a_simulation_that_fails_is_reported_and_the_rest_stays(
    page: Page, taxi: Dataset, pair: list[Release], monitor: PageMonitor
) -> None:
    monitor.expect(503)
    compare(page, taxi)
    page.route("**/releases/curve/", lambda route: route.fulfill(status=503, json={}))
    pick(page.get_by_label("By ε"))
    expect(page.locator(".chart__text")).not_to_be_empty()
    page.unroute("**/releases/curve/")
    pick(page.get_by_label("Mean", exact=True))
    pick(page.get_by_label("By ε"))
    assert len(line(page, "Uniform, simulated")["x"]) == 9


@pytest.mark.parametrize(
    ("view", "title", "head"),
    [
        ("event", "Error per event", ["event_index", *TITLED]),
        ("distribution", "Error distribution", ["share", *TITLED]),
        ("mean", "Running mean error", ["event_index", *TITLED]),
        ("epsilon", "Error against ε", ["epsilon", "Skip, simulated (m)", "Skip, simulated, 5 % (m)"]),
    ],
)
def test_every_view_is_saved_and_read(
    page: Page, taxi: Dataset, pair: list[Release], view: str, title: str, head: list[str]
) -> None:
    compare(page, taxi, f"?error={view}")
    expect(page.get_by_role("heading", name=title)).to_be_visible()
    with saved(page, title, "CSV").open() as file:
        rows = list(csv.reader(file))
    assert rows[0][: len(head)] == head
    assert len(rows) == (10 if view == "epsilon" else 261)
    assert all(float(one) > 0 for one in rows[-1] if one)
    svg = saved(page, title, "SVG").read_text()
    assert title in svg
    assert "Uniform" in svg, "its legend"
    assert len(saved(page, title, "PNG").read_bytes()) > 20_000
    page.get_by_label(f"{title}: save or show numbers").click()
    page.get_by_role("button", name="Data table").press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog.locator("caption")).to_contain_text(f"{title}, m.")
    expect(dialog.locator("thead th").first).to_have_text(head[0].removesuffix("_index"))
    expect(dialog.locator("tbody tr")).to_have_count(min(200, len(rows) - 1))
    with page.expect_download() as waiting:
        dialog.get_by_role("button", name="Save all as CSV").click()
    assert len(Path(waiting.value.path()).read_text().splitlines()) == len(rows)
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


def test_lines_differ_in_grey_and_scales_change(
    page: Page, taxi: Dataset, pair: list[Release], subtests: pytest.Subtests
) -> None:
    compare(page, taxi)
    styles = page.evaluate(
        "document.querySelector('[data-chart=error] .js-plotly-plot').data.filter(({ name }) => name)"
        ".map(({ line, marker, mode }) => [line.dash, marker.symbol, mode])"
    )
    assert len({tuple(one) for one in styles}) == len({one[0] for one in styles}) == 2
    assert {one[2] for one in styles} == {"lines+markers"}
    for chart in ("error", "budget"):
        with subtests.test(chart):
            kind = f"document.querySelector('[data-chart={chart}] .js-plotly-plot')._fullLayout.yaxis.type"
            assert page.evaluate(kind) == "log"
            button = page.locator(f"[data-chart={chart}]").get_by_role("button", name=re.compile("logarithmic axis"))
            button.press("Enter")
            page.wait_for_function(f"() => {kind} === 'linear'")
            expect(button).to_have_attribute("aria-pressed", "false")


@DEVICES
def test_views_are_accessible(
    open_page: Any, owner: User, taxi: Dataset, pair: list[Release], colour: str, size: dict[str, int]
) -> None:
    page = open_page(owner, colour=colour, size=size)
    compare(page, taxi, "?error=distribution")
    assert not faults_in_both_colours(page)
    pick(page.get_by_label("By ε"))
    line(page, "Uniform, simulated")
    assert not faults_in_both_colours(page)
    page.get_by_label("Error against ε: save or show numbers").click()
    page.get_by_role("button", name="Data table").click()
    check_page(page, both_colours=True)
