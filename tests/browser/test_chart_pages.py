"""Every page with charts: titles of both axes, a large view by keyboard, an axis of time, medians, converted levels."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset
from dashboard.landmarks.models import LandmarkSet
from dashboard.releases.models import Release
from tests.browser.conftest import DESKTOP, PHONE, PageMonitor, accessibility_faults, assert_fits
from tests.browser.fixtures import released
from tests.browser.page_cases import CASES, visit
from tests.browser.rendering import compare
from tests.browser.sample_states import SampleStates

PAGES = ("compare", "landmark-report", "stream", "stream-compare", "live-stream", "experiment")
TITLES = """(plot) => [plot._fullLayout.xaxis.title.text ?? "", plot._fullLayout.yaxis.title.text ?? ""]"""
CUT = """(plot) => { const outer = plot.getBoundingClientRect();
  return [...plot.querySelectorAll(".main-svg text")].filter((text) => text.textContent).filter((text) => {
    const box = text.getBoundingClientRect();
    return box.left < outer.left - 1 || box.right > outer.right + 1 || box.bottom > outer.bottom + 1; })
    .map((text) => text.textContent) }"""
SMALL = """(all) => all.filter((one) => one.checkVisibility()).map((one) => [one, one.getBoundingClientRect()])
  .filter(([, { width, height }]) => width < 24 || height < 24).map(([one]) => one.outerHTML.slice(0, 120))"""
AXIS = "document.querySelector('[data-chart={}] .js-plotly-plot')._fullLayout.{}"
LINES = """() => Object.fromEntries(document.querySelector("[data-chart=budget] .js-plotly-plot").data
  .filter(({ name }) => name).map(({ name, y }) => [name, [...y]]))"""


@pytest.mark.timeout(600)
def test_every_chart_has_titles_and_a_large_view(
    open_page: Callable[..., Page], transactional_db: None, monitor: PageMonitor, subtests: pytest.Subtests
) -> None:
    stage = SampleStates()
    stage.add_every_state()
    cases = [case for case in CASES if case.name in PAGES]
    assert len(cases) == len(PAGES)
    for size, colour in ((DESKTOP, "light"), (PHONE, "dark")):
        phone = {"has_touch": True, "is_mobile": True} if size is PHONE else {}
        page = open_page(size=size, colour=colour, **phone)
        for case in cases:
            with subtests.test(case.name, width=size["width"]):
                visit(page, case, stage, monitor.origin)
                charts_are_complete(page)
                for button in page.locator(".chart__enlarge:visible").all()[:2]:
                    can_be_enlarged(page, button)
        page.locator(".chart__enlarge:visible").first.press("Enter")
        assert not accessibility_faults(page)


def charts_are_complete(page: Page) -> None:
    """Titles on both axes of every chart, nothing cut, and touch targets that are large enough."""
    for plot in page.locator(".js-plotly-plot:visible").all():
        assert all(plot.evaluate(TITLES))
        assert plot.evaluate(CUT) == []
    assert page.locator(":is(.chart, .multiple, .charts) button, .chart summary").evaluate_all(SMALL) == []
    assert_fits(page)


def can_be_enlarged(page: Page, button: Locator) -> None:
    """By keyboard: the large view opens, holds menu and controls, and closes by Escape; focus stays on the button."""
    button.press("Enter")
    dialog = page.locator(".chart__large[open]")
    expect(dialog).to_be_visible()
    expect(dialog.locator(":focus")).to_be_visible()
    expect(dialog.get_by_label("save or show numbers").first).to_be_visible()
    window = page.viewport_size or PHONE
    box = dialog.bounding_box()
    assert box
    assert box["width"] >= 0.9 * window["width"]
    assert_fits(page)
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(button).to_be_focused()
    expect(button).to_have_accessible_name(re.compile(": enlarge$"))


@pytest.mark.journey
def test_axis_and_medians_are_chosen_for_all_charts_and_remembered(
    page: Page, taxi: Dataset, pair: list[Release]
) -> None:
    compare(page, taxi)
    first = page.evaluate(AXIS.format("error", "xaxis.range"))
    assert first == [0, 259]
    page.get_by_role("button", name="By time").first.press("Enter")
    page.wait_for_function(f"() => {AXIS.format('loss', 'xaxis.title.text')}.startsWith('time (UTC), 2 Feb 2024')")
    start, end = page.evaluate(AXIS.format("budget", "xaxis.range"))
    assert end - start == pytest.approx(21 * 3600 + 35 * 60), "seconds from the first event to the last"
    page.get_by_role("button", name="Rolling median").first.press("Enter")
    expect(page.get_by_role("button", name="Median of 13 points").first).to_be_visible()
    assert "along=time" in page.url
    assert "median=1" in page.url
    page.reload()
    page.wait_for_selector("[data-bench][data-ready=all]")
    assert page.evaluate(AXIS.format("error", "xaxis.range")) == [start, end]
    drawn = page.evaluate(LINES)
    raw, smooth = (drawn[f"{pair[0].title}{more}"] for more in ("", ", rolling median of 13 points"))
    assert len(smooth) == len(raw) == 260
    assert np.median(raw[:7]) == pytest.approx(smooth[0])


def test_levels_of_another_radius_are_converted_and_named(
    page: Page, owner: User, taxi: Dataset, stays: LandmarkSet
) -> None:
    block = released(stays, "uniform", epsilon=1.0, radius_m=200.0)
    metre = released(stays, "skip", epsilon=0.01, radius_m=1.0)
    assert [one[0].spec["mechanism"]["radius_m"] for one in (block, metre)] == [200.0, 1.0]
    compare(page, taxi)
    assert page.evaluate(AXIS.format("budget", "yaxis.title.text")) == "ε within 200\u202fm, log"
    lines: dict[str, Any] = page.evaluate(LINES)
    name = next(one for one in lines if one.startswith("Skip"))
    assert name == "Skip · ε 2 within 200\u202fm (set as 0.01 within 1\u202fm)"
    assert max(lines[name]) == pytest.approx(2.0), "0.01 within 1 m is 2 within 200 m"
    assert max(lines[next(one for one in lines if one.startswith("Uniform"))]) == pytest.approx(1 / (stays.count + 1))
