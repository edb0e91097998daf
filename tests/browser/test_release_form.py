"""The release form: a preview of the noise, what a level means, what would leak, what is extreme, its purpose."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from dashboard.accounts.models import User
from dashboard.datasets.models import BudgetEntry, Dataset
from dashboard.datasets.selectors import reference_radius_m
from dashboard.landmarks.models import LandmarkSet
from dashboard.releases.models import Release
from privacy_engine.accounting.temporal import smoothing_matrix, temporal_loss
from privacy_engine.analysis.forecast import noise_forecast
from privacy_engine.mechanism import mechanisms
from tests.browser.conftest import DEVICES, PageMonitor, check_page, run_cases, run_jobs
from tests.browser.rendering import wait_until_ready
from tests.browser.test_steps import form, only

_INKED = """() => {
  const canvas = document.querySelector("[data-noise-preview-canvas]");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let inked = 0;
  for (let i = 3; i < data.length; i += 4) inked += data[i] > 0;
  return inked;
}"""
_COLUMNS = """() => {
  const canvas = document.querySelector("[data-noise-preview-canvas]");
  const { width, height } = canvas;
  const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
  let [first, last] = [width, -1];
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) {
    const i = 4 * (y * width + x);
    const accent = data[i + 3] > 200 && data[i] > 150 && data[i + 1] < 90 && data[i + 2] < 60;
    if (accent) [first, last] = [Math.min(first, x), Math.max(last, x)];
  }
  return (last - first) / (width / canvas.clientWidth);
}"""
P95 = 4.743865
"""The 95 % radius of planar Laplace noise of rate 1 per metre, in metres."""


def level(page: Page, epsilon: float, radius_m: float) -> None:
    page.get_by_label("Level ε", exact=True).fill(str(epsilon))
    page.get_by_label("Radius r, m", exact=True).fill(str(radius_m))


def drawn(page: Page, mechanism: str | None = None) -> None:
    """Wait for the preview, of this mechanism."""
    expect(page.locator("[data-noise-preview][data-ready]")).to_be_attached()
    if mechanism:
        page.get_by_label("Noise of").select_option(mechanism)


def zoom(page: Page) -> float:
    return float(page.locator("[data-noise-preview]").get_attribute("data-zoom") or "nan")


def caption(page: Page) -> Any:
    return page.locator("[data-noise-preview-text]")


class TestNoisePreview:
    @pytest.mark.journey
    def test_the_circles_are_the_servers_numbers_at_the_scale_shown(
        self, page: Page, taxi: Dataset, stays: LandmarkSet
    ) -> None:
        form(page, taxi)
        page.get_by_role("checkbox", name=re.compile("^Optimal split")).check()
        level(page, 1, 20)
        mechanism = mechanisms.parse({"name": "landmark-optimal", "epsilon": 1.0, "radius_m": 20.0})
        expected = noise_forecast(mechanism, [stays.mask])
        assert expected
        assert expected.landmark.p95_m
        assert expected.regular.p95_m
        drawn(page, "landmark-optimal")
        landmark = rf"A landmark: 50\s% within .*, 95\s% within {expected.landmark.p95_m / 1000:.3g}\skm"
        expect(caption(page)).to_contain_text(re.compile(landmark))
        expect(caption(page)).to_contain_text(
            re.compile(rf"Another event: .*95\s% within {expected.regular.p95_m:.0f}\sm")
        )
        page.wait_for_timeout(200)
        assert page.evaluate(_INKED) > 2000
        assert zoom(page) >= 1

    def test_it_follows_the_slider_before_the_server_answers(
        self, page: Page, taxi: Dataset, stays: LandmarkSet
    ) -> None:
        form(page, taxi)
        only(page, "Uniform")
        level(page, 1, 20)
        drawn(page, "landmark-uniform")
        most = P95 * 20 * (stays.count + 1)
        expect(caption(page)).to_contain_text(re.compile(f"{most / 1000:.3g}\\skm"))
        page.route("**/forecast/", lambda route: None)
        page.get_by_label("Level ε", exact=True).fill("2")
        expect(caption(page)).to_contain_text(re.compile(f"{most / 2000:.3g}\\skm"))

    def test_without_the_track_the_numbers_stay(
        self, page: Page, taxi: Dataset, stays: LandmarkSet, monitor: PageMonitor
    ) -> None:
        monitor.expect(500)
        page.route("**/track/**", lambda route: route.fulfill(status=500))
        form(page, taxi)
        expect(caption(page)).to_contain_text("The events could not be loaded (500)")
        expect(page.locator("[data-forecast=landmark-uniform]")).to_contain_text("mean")


class TestLoss:
    def row(self, page: Page, mechanism: str) -> Any:
        return page.locator(f"[data-loss={mechanism}]")

    @pytest.mark.journey
    def test_it_is_the_engines_for_the_correlation_chosen(self, page: Page, taxi: Dataset, stays: LandmarkSet) -> None:
        form(page, taxi)
        level(page, 1, 200)
        for name, s in (("Moderate", 0.1), ("Strong", 0.01), ("Weak", 1.0)):
            page.get_by_text(name, exact=True).click()
            matrix = smoothing_matrix(2, s)
            share = 5 / (stays.count + 1)  # states 1,000 m apart, levels within 200 m
            worst = temporal_loss([share] * taxi.points, matrix, matrix).total.max()
            expect(self.row(page, "landmark-uniform")).to_contain_text(f"{share:.3g} → {worst:.3g}")
            expect(self.row(page, "landmark-uniform")).to_contain_text("5 → ")
        reference = reference_radius_m(taxi, None)
        both = f"the reference radius, {reference:g} m, is ε = {1000 / reference:g} at D = 1,000 m, without correlation"
        expect(page.locator("[data-leaks]")).to_contain_text(re.compile(both.replace("1,000", r"1[,\s]?000")))


class TestPurpose:
    @pytest.mark.journey
    def test_publishable_by_default(self, page: Page, taxi: Dataset, stays: LandmarkSet) -> None:
        form(page, taxi)
        expect(page.get_by_role("radio", name="Publishable release")).to_be_checked()
        expect(page.get_by_label("Seed", exact=True)).to_be_disabled()
        expect(page.locator("[data-kind]")).to_have_text("Publishable release")
        only(page, "Uniform")
        page.get_by_role("button", name="Create 1 release").click()
        page.wait_for_url("**/compare/**")
        assert (Release.objects.get().seeded, BudgetEntry.objects.count()) == (False, 1)

    def test_a_simulation_is_marked_everywhere_and_costs_nothing(
        self, page: Page, taxi: Dataset, stays: LandmarkSet
    ) -> None:
        form(page, taxi)
        only(page, "Uniform")
        page.get_by_role("radio", name="Seeded simulation").check()
        expect(page.locator("[data-kind]")).to_have_text("Seeded simulation: not private")
        expect(page.locator("[data-spending]")).to_contain_text("spend nothing")
        page.get_by_label("Seed", exact=True).fill("")
        page.get_by_role("button", name="Run 1 simulation, not private").click()
        expect(page.get_by_label("Seed", exact=True)).to_be_focused()
        expect(page.locator("#seed-error")).to_contain_text("Give a whole number from 0")
        page.get_by_label("Seed", exact=True).fill("7")
        page.get_by_role("button", name="Run 1 simulation, not private").click()
        page.wait_for_url("**/compare/**")
        run_jobs()
        wait_until_ready(page)
        expect(page.locator(".layer", has_text="Uniform")).to_contain_text("NOT PRIVATE: seeded")
        made = Release.objects.get()
        assert (made.seeded, made.spec["seed"], BudgetEntry.objects.count()) == (True, 7, 0)

    def test_a_file_holds_its_purpose(self, page: Page, taxi: Dataset, stays: LandmarkSet, tmp_path: Path) -> None:
        form(page, taxi)
        page.get_by_role("radio", name="Seeded simulation").check()
        page.get_by_label("Seed", exact=True).fill("42")
        with page.expect_download() as waiting:
            page.get_by_role("button", name="Save configuration").click()
        file = tmp_path / "experiment.json"
        waiting.value.save_as(file)
        assert {one["seed"] for one in json.loads(file.read_text())["releases"]} == {42}
        form(page, taxi)
        page.set_input_files("[data-load-file]", file)
        expect(page.get_by_role("radio", name="Seeded simulation")).to_be_checked()
        expect(page.get_by_label("Seed", exact=True)).to_have_value("42")


class TestCards:
    @pytest.mark.journey
    def test_no_card_moves_when_one_is_ticked(self, page: Page, taxi: Dataset, stays: LandmarkSet) -> None:
        form(page, taxi)
        places = """() => [...document.querySelectorAll("[data-card]")].map((card) => {
          const { x, y, width, height } = card.getBoundingClientRect();
          return [x, y + scrollY, width, height];
        })"""
        before = page.evaluate(places)
        for title in ("Planned", "Joint", "w-event"):
            page.get_by_role("checkbox", name=re.compile(f"^{title}")).check()
            assert page.evaluate(places) == before
        expect(page.locator("[data-own] [data-mechanism=w-event]")).to_be_visible()
        page.get_by_role("checkbox", name=re.compile("^w-event")).uncheck()
        expect(page.locator("[data-own] [data-mechanism=w-event]")).to_be_hidden()

    def test_q_from_speed(self, page: Page, taxi: Dataset, stays: LandmarkSet) -> None:
        form(page, taxi)
        only(page, "Planned")
        own = page.locator("[data-mechanism=landmark-planned]")
        own.get_by_text("q from speed").click()
        expect(own).to_contain_text("From public knowledge only")
        own.get_by_label("Typical speed, km/h").fill("36")
        own.get_by_label("Between two events, s").fill("60")
        expect(own).to_contain_text("q = (600 m)² / 2 = 180,000 m²")
        expect(own.get_by_label("Step variance q, m²", exact=True)).to_have_value("180000")
        page.get_by_role("button", name="Create 1 release").click()
        page.wait_for_url("**/compare/**")
        assert Release.objects.get().spec["mechanism"]["step_variance_m2"] == 180_000.0


def warnings(page: Page) -> Any:
    return page.locator("[data-warnings]")


def loss_row(page: Page, mechanism: str) -> Any:
    return page.locator(f"[data-loss={mechanism}]")


def restore(page: Page) -> None:
    """Choose what the form opens with, for levels that each case sets."""
    page.get_by_role("radio", name="Publishable release").check()
    only(page, "Skip", "Uniform", "Adaptive")
    level(page, 1, 200)


def noise_larger_than_the_dataset_zooms_out_and_states_so(page: Page, stays: LandmarkSet) -> None:
    only(page, "Uniform")
    level(page, 1, 20)
    drawn(page, "landmark-uniform")
    expect(caption(page)).not_to_contain_text("zoomed out")
    near = zoom(page)
    level(page, 1, 400)
    expect(caption(page)).to_contain_text(re.compile(r"the noise is larger, so the view is zoomed out \d+×"))
    assert zoom(page) > 5 * near
    level(page, 0.001, 20_000)
    expect(caption(page)).to_contain_text("reaches around the world")


def noise_too_small_to_see_is_shown_through_a_lens(page: Page, stays: LandmarkSet) -> None:
    only(page, "Skip")
    level(page, 1, 1)
    drawn(page, "landmark-skip")
    expect(caption(page)).to_contain_text("an inset enlarges it")
    assert zoom(page) == pytest.approx(1, abs=0.01)


def a_landmarks_circle_is_as_wide_as_the_scale(page: Page, stays: LandmarkSet) -> None:
    only(page, "Optimal split")
    level(page, 1, 400)
    drawn(page)
    page.wait_for_timeout(400)
    # zoomed out so far that the circle alone decides: it fills the height but for the margins
    height = page.locator("[data-noise-preview-canvas]").evaluate("(canvas) => canvas.clientHeight")
    assert page.evaluate(_COLUMNS) == pytest.approx(height - 36, abs=8)


def half_one_and_two_radii(page: Page, stays: LandmarkSet) -> None:
    level(page, 1, 200)
    rows = page.locator("[data-odds] tbody tr")
    for i, (places, odds, sure) in enumerate(
        [("100", "e0.5 = 1.65", "62.2"), ("200", "e1 = 2.72", "73.1"), ("400", "e2 = 7.39", "88.1")]
    ):
        expect(rows.nth(i)).to_contain_text(re.compile(rf"{places}\sm.*{re.escape(odds)}.*{sure}\s%"))
    level(page, 20, 200)
    expect(rows.nth(2)).to_contain_text(re.compile(r"400\sme40over 99.9\s%"))
    page.get_by_label("Level ε", exact=True).fill("")
    expect(page.locator("[data-odds]")).to_be_hidden()


def what_depends_on_the_run_is_marked(page: Page, stays: LandmarkSet) -> None:
    expect(loss_row(page, "landmark-adaptive")).to_contain_text("→")
    expect(page.locator("[data-leaks]")).to_contain_text("Adaptive: the median of 5 runs simulated")


def a_level_that_is_no_promise_and_one_that_is_too_strict(page: Page, stays: LandmarkSet) -> None:
    level(page, 15, 200)
    expect(warnings(page)).to_contain_text("ε = 15 is a very weak guarantee")
    level(page, 0.001, 200)
    expect(warnings(page)).to_contain_text(re.compile(r"even places 200\skm apart"))
    expect(warnings(page)).to_contain_text("the whole dataset is")
    level(page, 1, 50_000)
    expect(warnings(page)).to_contain_text(re.compile(r"A radius of 50\skm is larger than the dataset"))


def which_events_get_more_noise_is_stated(page: Page, stays: LandmarkSet) -> None:
    only(page, "Optimal split")
    expect(warnings(page)).to_contain_text("Landmarks get more noise than other events: Optimal split")
    expect(warnings(page)).to_contain_text("Landmarks are protected more and published less accurately.")
    only(page, "Adaptive")
    level(page, 1, 20)
    expect(warnings(page)).to_contain_text("Landmarks get less noise than other events: Adaptive")
    only(page, "Uniform")
    expect(warnings(page)).not_to_contain_text("other events")


def an_implausible_step_variance(page: Page, stays: LandmarkSet) -> None:
    only(page, "Planned", "Joint")
    level(page, 1, 20)
    planned = page.locator("[data-mechanism=landmark-planned]").get_by_label("Step variance q, m²", exact=True)
    joint = page.locator("[data-mechanism=landmark-joint]").get_by_label("Step variance q, m²", exact=True)
    expect(warnings(page)).not_to_contain_text("assumes a movement of")
    planned.fill("0.01")
    joint.fill("100000000000")
    expect(warnings(page)).to_contain_text(re.compile(r"Planned: q = 0.01 m² assumes a movement of about 0.1\sm"))
    expect(warnings(page)).to_contain_text(f"almost none. 1 of {stays.count} landmarks get fresh noise.")
    expect(warnings(page)).to_contain_text(re.compile(r"Joint: q = .* about 316\skm .* and the whole dataset is"))


def one_seed_is_one_sample(page: Page, stays: LandmarkSet) -> None:
    expect(warnings(page)).not_to_contain_text("One seed is one sample")
    page.get_by_role("radio", name="Seeded simulation").check()
    expect(warnings(page)).to_contain_text("One seed is one sample")


def an_invalid_seed_is_refused_at_its_field(page: Page, stays: LandmarkSet) -> None:
    page.get_by_role("radio", name="Seeded simulation").check()
    page.get_by_label("Seed", exact=True).fill("-1")
    page.get_by_role("button", name="Run 3 simulations").click()
    expect(page.locator("#seed-error")).to_contain_text("Must be at least 0, got -1")
    assert not Release.objects.exists()


def levels_stand_together_and_the_papers_trio_leads(page: Page, stays: LandmarkSet) -> None:
    first = page.get_by_role("region", name="Landmark level").locator("[data-card]")
    titles = [card.locator("label").inner_text() for card in first.all()]
    assert titles[:3] == ["Skip", "Uniform", "Adaptive"]
    assert {"Planned", "Joint", "Optimal split"} <= set(titles)
    others = page.get_by_role("region", name="Other levels").locator("[data-card]")
    assert {card.locator("label").inner_text() for card in others.all()} == {"Event level", "w-event", "User level"}


ONE_FORM = (
    noise_larger_than_the_dataset_zooms_out_and_states_so,
    noise_too_small_to_see_is_shown_through_a_lens,
    a_landmarks_circle_is_as_wide_as_the_scale,
    half_one_and_two_radii,
    what_depends_on_the_run_is_marked,
    a_level_that_is_no_promise_and_one_that_is_too_strict,
    which_events_get_more_noise_is_stated,
    an_implausible_step_variance,
    one_seed_is_one_sample,
    an_invalid_seed_is_refused_at_its_field,
    levels_stand_together_and_the_papers_trio_leads,
)


def test_one_form_in_many_states(page: Page, taxi: Dataset, stays: LandmarkSet, subtests: pytest.Subtests) -> None:
    form(page, taxi)
    run_cases(subtests, ONE_FORM, page, stays, before=lambda: restore(page))


@DEVICES
def test_accessible_and_fits(
    open_page: Any, owner: User, taxi: Dataset, stays: LandmarkSet, colour: str, size: dict[str, int]
) -> None:
    page = open_page(owner, colour=colour, size=size)
    form(page, taxi)
    drawn(page)
    page.get_by_role("checkbox", name=re.compile("^Planned")).check()
    page.get_by_role("radio", name="Seeded simulation").check()
    page.locator("[data-mechanism=landmark-planned]").get_by_text("q from speed").click()
    page.get_by_role("button", name="Add Causal filter").click()
    page.locator("[data-step=causal-filter]").get_by_text("q from speed").click()
    check_page(page, both_colours=True)
