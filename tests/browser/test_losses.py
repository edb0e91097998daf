"""Temporal losses before the reader: on the comparison and on a landmark set's report."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset
from dashboard.landmarks.models import LandmarkSet
from dashboard.releases.models import Release
from privacy_engine.accounting.temporal import landmark_temporal_loss, smoothing_matrix, temporal_loss
from privacy_engine.analysis.forecast import simulated_budgets
from privacy_engine.mechanisms.landmark import Adaptive, Planned
from tests.browser.conftest import PageMonitor, accessibility_faults, run_cases
from tests.browser.rendering import compare, pick, wait_until_ready

LINES = """(chart) => Object.fromEntries(document.querySelector(`[data-chart=${chart}] .js-plotly-plot`).data
  .filter(({ name }) => name).map(({ name, y }) => [name.split(" · ε")[0], [...y]]))"""


MODERATE = (smoothing_matrix(2, 0.1),) * 2
FAR = 5.0
"""States 1,000 m apart, as the pages begin, at levels within 200 m."""


def report(page: Page, landmark_set: LandmarkSet, query: str = "") -> None:
    page.goto(f"/landmark-sets/{landmark_set.pk}/report/{query}")
    wait_until_ready(page, "[data-report]")


def query_of(page: Page) -> dict[str, list[str]]:
    found = parse_qs(urlsplit(page.url).query)
    return {name: values for name, values in found.items() if name != "show"}  # as the test opened the page


def loss_is(page: Page, name: str, expected: Any, chart: str = "loss") -> None:
    """Wait until the line ``name`` of the chart is ``expected``, to the precision of a chart."""
    page.wait_for_function(
        f"([chart, name, expected]) => {{ const y = ({LINES})(chart)[name];"
        " return y && y.length === expected.length && y.every((v, i) => Math.abs(v - expected[i]) < 1e-9 * (1 + v)) }",
        arg=[chart, name, list(map(float, expected))],
    )


def uniform(stays: LandmarkSet) -> Any:
    """Levels of Uniform at the distance of the states, ε = 1."""
    share = FAR / (stays.count + 1)
    return [share] * stays.points


class TestComparison:
    @pytest.mark.journey
    def test_shows_what_is_chosen_and_keeps_it_in_the_address(
        self, page: Page, taxi: Dataset, stays: LandmarkSet, pair: list[Release]
    ) -> None:
        compare(page, taxi)
        loss_is(page, "Uniform", temporal_loss(uniform(stays), *[smoothing_matrix(2, 0.1)] * 2).total)
        pick(page.get_by_label("Strong"))
        pick(page.get_by_label("Backward", exact=True))
        loss_is(page, "Uniform", temporal_loss(uniform(stays), *[smoothing_matrix(2, 0.01)] * 2).backward)
        pick(page.get_by_label("Landmarks and event"))
        case = uniform(stays), stays.mask, *[smoothing_matrix(2, 0.01)] * 2
        loss_is(page, "Uniform", landmark_temporal_loss(*case, bound="bridge"))
        expect(page.locator(".loss__text")).to_contain_text("An upper bound")
        pick(page.get_by_label("Published"))
        loss_is(page, "Uniform", landmark_temporal_loss(*case, bound="published"))
        expect(page.locator(".loss__text")).to_contain_text("not an upper bound")
        page.get_by_label("Log axis").uncheck()
        page.wait_for_function(
            "() => document.querySelector('[data-chart=loss] .js-plotly-plot')._fullLayout.yaxis.type === 'linear'"
        )
        assert query_of(page) == {
            "corr": ["strong"],
            "side": ["backward"],
            "view": ["landmarks"],
            "bound": ["published"],
            "axis": ["linear"],
        }
        page.reload()
        wait_until_ready(page)
        loss_is(page, "Uniform", landmark_temporal_loss(*case, bound="published"))
        expect(page.get_by_label("Published")).to_be_checked()

    def test_own_matrix(
        self, page: Page, taxi: Dataset, stays: LandmarkSet, pair: list[Release], monitor: PageMonitor
    ) -> None:
        monitor.expect(400)
        compare(page, taxi)
        page.get_by_role("button", name="Own matrix…").click()
        dialog = page.get_by_role("dialog", name="Own matrix")
        dialog.get_by_label("Forward: Pr(next | present)").fill("0.9 0.2\n0.1, 0.9")
        dialog.get_by_role("button", name="Apply").click()
        expect(dialog.get_by_role("alert")).to_contain_text("Forward must have rows that sum to 1")
        assert not accessibility_faults(page)
        dialog.get_by_label("Forward: Pr(next | present)").fill("0.9 0.1\n0.1, 0.9")
        dialog.get_by_role("button", name="Apply").click()
        expect(dialog).to_have_count(0)
        matrix = [[0.9, 0.1], [0.1, 0.9]]
        loss_is(page, "Uniform", temporal_loss(uniform(stays), matrix, matrix).total)
        expect(page.get_by_role("button", name="Own matrix…")).to_have_attribute("aria-pressed", "true")
        assert json.loads(query_of(page)["forward"][0]) == matrix
        assert query_of(page)["backward"] == ["reversal"]

    def test_own_matrix_both_ways_has_no_bridge_and_states_why(
        self, page: Page, taxi: Dataset, pair: list[Release]
    ) -> None:
        compare(page, taxi, "?view=landmarks")
        page.get_by_role("button", name="Own matrix…").click()
        dialog = page.get_by_role("dialog", name="Own matrix")
        dialog.get_by_label("Backward is its reversal").uncheck()
        dialog.get_by_label("Backward: Pr(previous | present)").fill("0.5 0.5\n0.1 0.9")
        dialog.get_by_role("button", name="Apply").click()
        expect(page.locator(".loss__text")).to_contain_text("There is no bridge here")

    def test_invalid_parameters_in_the_address_show_the_defaults(
        self, page: Page, taxi: Dataset, pair: list[Release], monitor: PageMonitor
    ) -> None:
        monitor.expect(400)
        compare(page, taxi, "?corr=own&forward=[[1,0]]&view=nonsense")
        expect(page.locator("[data-problem]")).to_contain_text("Forward must be a square matrix")
        expect(page.get_by_label("Moderate")).to_be_checked()
        expect(page.get_by_label("Each event")).to_be_checked()


class TestReport:
    @pytest.mark.journey
    def test_draws_without_a_release(self, page: Page, taxi: Dataset, stays: LandmarkSet) -> None:
        page.goto(f"/datasets/{taxi.pk}/")
        page.get_by_label(f"More for {stays.name}").click()
        page.get_by_role("link", name="Report", exact=True).click()
        wait_until_ready(page, "[data-report]")
        case = uniform(stays), stays.mask, *[smoothing_matrix(2, 0.1)] * 2
        expected = landmark_temporal_loss(*case, bound="bridge")
        loss_is(page, "Uniform", expected)
        expect(page.locator("main")).to_contain_text("no position is read")
        row = page.get_by_role("row", name=re.compile("^Uniform"))
        expect(row).to_contain_text(f"{expected.max():.3g}")
        expect(page.get_by_role("row", name="Adaptive")).to_contain_text("median of 20 simulated runs")
        expect(page.get_by_role("row", name="Adaptive")).to_contain_text("no run above")
        assert not Release.objects.exists()

    def test_follows_level_part_and_bound_and_names_what_it_refuses(self, page: Page, stays: LandmarkSet) -> None:
        report(page, stays)
        page.get_by_label("Level ε").fill("3")
        pick(page.get_by_label("Published"))
        case = [3 * one for one in uniform(stays)], stays.mask, *[smoothing_matrix(2, 0.1)] * 2
        loss_is(page, "Uniform", landmark_temporal_loss(*case, bound="published"))
        expect(page.locator("[data-table-text]")).to_contain_text("at ε = 3")
        pick(page.get_by_label("Own", exact=True))
        expect(page.locator("[data-table-text]")).to_contain_text("The worst event’s own part")
        wait_until_ready(page, "[data-report]")
        assert query_of(page) == {"epsilon": ["3"], "bound": ["published"], "part": ["own"]}
        page.get_by_label("Level ε").fill("-1")
        expect(page.locator("#epsilon-error")).to_contain_text("Must be greater than 0, got -1.")

    def test_follows_radius_and_parameters(self, page: Page, stays: LandmarkSet, monitor: PageMonitor) -> None:
        monitor.expect(400)
        report(page, stays)
        page.get_by_label("Radius r, m").fill("150")
        page.locator("summary", has_text="Mechanism parameters").click()
        planned = page.get_by_role("group", name="Planned: parameters")
        planned.get_by_label("Step variance q, m²", exact=True).fill("9000000")
        page.get_by_label("Budget of skipped landmarks").select_option("absorption")
        row = page.get_by_role("row", name="Planned")
        expect(row).to_contain_text("step variance 9,000,000 m², radius 150 m")
        how, far = Planned(epsilon=1.0, radius_m=150.0, step_variance_m2=9e6), 1000 / 150
        levels = far * how.budgets(stays.mask)
        loss_is(page, "Planned", landmark_temporal_loss(levels, stays.mask, *MODERATE, bound="bridge"))
        budgets = simulated_budgets(Adaptive(epsilon=1.0, radius_m=150.0, redistribution="absorption"), stays.mask, 20)
        runs = [landmark_temporal_loss(far * one, stays.mask, *MODERATE, bound="bridge") for one in budgets]
        loss_is(page, "Adaptive, simulated", np.median(runs, axis=0))
        wait_until_ready(page, "[data-report]")
        assert query_of(page)["radius_m"] == ["150"]
        page.reload()
        wait_until_ready(page, "[data-report]")
        loss_is(page, "Adaptive, simulated", np.median(runs, axis=0))
        planned.get_by_label("Step variance q, m²", exact=True).fill("-1")
        expect(planned.get_by_text("Must be greater than 0, got -1.")).to_be_visible()

    def test_a_range_of_one_chart_is_that_of_both(self, page: Page, stays: LandmarkSet) -> None:
        report(page, stays)
        plots = page.locator(".chart__plot")
        box = plots.first.bounding_box()
        assert box
        page.keyboard.down("Shift")
        page.mouse.move(box["x"] + 0.4 * box["width"], box["y"] + 60)
        page.mouse.down()
        page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 60, steps=3)
        page.mouse.up()
        page.keyboard.up("Shift")
        first, last = map(int, (plots.first.get_attribute("data-span") or "").split("-"))
        assert 80 < first < 120 < 160 < last < 200
        assert plots.nth(1).get_attribute("data-span") == f"{first}-{last}"
        assert query_of(page)["range"] == [f"{first}-{last + 1}"]
        page.reload()
        wait_until_ready(page, "[data-report]")
        assert plots.first.get_attribute("data-span") == f"{first}-{last}"
        page.get_by_role("button", name="Loss over time: show all events").click()
        assert plots.nth(1).get_attribute("data-span") == f"0-{stays.points - 1}"

    @pytest.mark.journey
    def test_downloads_every_event(self, page: Page, stays: LandmarkSet) -> None:
        report(page, stays, "?corr=strong")
        page.locator("summary", has_text="Download").click()
        with page.expect_download() as waiting:
            page.get_by_role("link", name="Every event as CSV").click()
        lines = Path(waiting.value.path()).read_text().splitlines()
        assert "s=0.01" in lines[0]
        assert "within 200 m, for states at most 1000 m apart" in lines[0]
        assert len([line for line in lines if not line.startswith("#")]) == stays.points + 1

    def test_estimated_is_a_column_with_its_warning(self, page: Page, stays: LandmarkSet) -> None:
        report(page, stays, "?corr=estimated&cell_m=3000&smoothing=1")
        expect(page.get_by_role("note")).to_contain_text("publish nothing")
        expect(page.get_by_role("columnheader", name="Estimated")).to_have_attribute("aria-current", "true")

    @pytest.mark.journey
    def test_budgets_for_a_target(self, page: Page, stays: LandmarkSet) -> None:
        report(page, stays)
        loss_is(page, "Total loss", [1.0] * stays.points, chart="plan")
        expect(page.locator("[data-budgets]")).to_contain_text("ε = 0.1095")  # 0.5474 at 1,000 m
        pick(page.get_by_label("By upper bound"))
        expect(page.locator("[data-budgets]")).not_to_contain_text("0.1095")
        page.get_by_label("Target α").fill("0")
        expect(page.locator("#alpha-error")).to_contain_text("Must be greater than 0, got 0.")
        page.get_by_label("Target α").fill("2")
        expect(page.locator("#alpha-error")).to_be_hidden()

    def test_a_stranger_sees_nothing(self, open_page: Any, stays: LandmarkSet, monitor: PageMonitor) -> None:
        monitor.expect(404)
        page = open_page(User.objects.create_user("stranger", password="another long password"))
        assert page.goto(f"/landmark-sets/{stays.pk}/report/").status == 404


def defaults(page: Page) -> None:
    """Choose what the comparison opens with."""
    pick(page.get_by_label("Moderate"))
    pick(page.get_by_label("Each event"))
    page.get_by_label("How far apart states lie at most, D, m").fill("1000")
    page.wait_for_function("() => [...new URLSearchParams(location.search).keys()].every((name) => name === 'show')")


def the_line_without_correlation_is_drawn(page: Page, stays: LandmarkSet) -> None:
    rules = page.evaluate(
        "document.querySelector('[data-chart=loss] .js-plotly-plot').layout.annotations.map(({ text }) => text)"
    )
    assert rules == ["ε = 5 at 1,000 m, no correlation"]


def cancelled_dialog_changes_nothing(page: Page, stays: LandmarkSet) -> None:
    page.get_by_role("button", name="Estimated from this dataset…").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    expect(page.get_by_label("Moderate")).to_be_checked()
    assert query_of(page) == {}


def nothing_moves_when_the_view_changes(page: Page, stays: LandmarkSet) -> None:
    below = page.locator(".meanings")
    page.locator(".bench__charts").evaluate("(rail) => rail.scrollTo(0, 0)")
    before = below.bounding_box()
    pick(page.get_by_label("Landmarks and event"))
    expect(page.locator(".loss__text")).to_contain_text("all landmarks together")
    page.locator(".bench__charts").evaluate("(rail) => rail.scrollTo(0, 0)")
    pick(page.get_by_label("Each event"))
    page.locator(".bench__charts").evaluate("(rail) => rail.scrollTo(0, 0)")
    assert below.bounding_box()["y"] == pytest.approx(before["y"], abs=1)


def a_click_after_typing_is_not_lost(page: Page, stays: LandmarkSet) -> None:
    """The field reports its change when the button is pressed: nothing may move before it is released."""
    rail = page.locator(".bench__charts")
    page.get_by_label("How far apart states lie at most, D, m").fill("500")
    rail.evaluate("(rail) => rail.scrollTo(0, rail.scrollHeight)")
    before = rail.evaluate("(rail) => rail.scrollTop")
    assert before > 0
    pick(page.get_by_label("Backward", exact=True))
    assert rail.evaluate("(rail) => rail.scrollTop") == before
    pick(page.get_by_label("Total", exact=True))


def is_worked_by_keyboard(page: Page, stays: LandmarkSet) -> None:
    page.get_by_label("Moderate").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_label("Strong")).to_be_checked()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Own matrix…")).to_be_focused()


def follows_how_far_apart_states_lie(page: Page, stays: LandmarkSet) -> None:
    text, bound = page.locator(".loss__text"), "An upper bound for an adversary with this matrix whose states lie"
    expect(text).to_contain_text(f"{bound} at most 1,000 m apart")
    apart = page.get_by_label("How far apart states lie at most, D, m")
    apart.fill("200")
    loss_is(page, "Uniform", temporal_loss(np.array(uniform(stays)) / FAR, *MODERATE).total)
    expect(text).to_contain_text(f"{bound} at most 200 m apart")
    assert query_of(page) == {"diameter_m": ["200"]}
    apart.fill("0")
    expect(page.get_by_text("Must be greater than 0, got 0.")).to_be_visible()
    expect(apart).to_have_attribute("aria-invalid", "true")
    assert not accessibility_faults(page)
    expect(text).to_contain_text(f"{bound} at most 200 m apart")


def an_estimate_warns_for_as_long_as_it_is_shown(page: Page, stays: LandmarkSet) -> None:
    page.get_by_role("button", name="Estimated from this dataset…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("publish nothing that depends on it")
    dialog.get_by_label("Cell, m").fill("3000")
    dialog.get_by_role("button", name="Apply").click()
    expect(page.get_by_role("note")).to_contain_text("this matrix is itself a disclosure")
    assert query_of(page)["cell_m"] == ["3000"]
    assert not accessibility_faults(page)
    pick(page.get_by_label("Weak"))
    expect(page.get_by_role("note")).to_have_count(0)
    assert query_of(page) == {"corr": ["weak"]}


ONE_COMPARISON = (
    the_line_without_correlation_is_drawn,
    cancelled_dialog_changes_nothing,
    nothing_moves_when_the_view_changes,
    a_click_after_typing_is_not_lost,
    is_worked_by_keyboard,
    follows_how_far_apart_states_lie,
    an_estimate_warns_for_as_long_as_it_is_shown,
)


def test_one_comparison_in_many_states(
    page: Page, stays: LandmarkSet, pair: list[Release], subtests: pytest.Subtests
) -> None:
    compare(page, stays.dataset)
    run_cases(subtests, ONE_COMPARISON, page, stays, before=lambda: defaults(page))
