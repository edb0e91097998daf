"""A release of trajectories without a landmark set, from the form to the comparison; and with a set beside it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from dashboard.datasets.models import Dataset
from dashboard.experiments.models import Experiment
from dashboard.landmarks.models import LandmarkSet
from dashboard.releases.models import Release
from dashboard.releases.services import submit_release
from privacy_engine.mechanism import mechanisms
from privacy_engine.spec import ReleaseSpec
from tests.browser.conftest import DEVICES, check_page, run_jobs
from tests.browser.rendering import wait_until_ready
from tests.browser.test_steps import form, only

FREE = [cls.title for cls in mechanisms.of("trajectory") if not cls.reads_landmarks]


def fill(page: Page, epsilon: float = 1, radius_m: float = 200) -> None:
    page.get_by_label("Level ε", exact=True).fill(str(epsilon))
    page.get_by_label("Radius r, m", exact=True).fill(str(radius_m))


@pytest.mark.journey
def test_a_dataset_without_a_set_is_released_and_compared_by_keyboard(page: Page, taxi: Dataset) -> None:
    page.goto(f"/datasets/{taxi.pk}/")
    page.get_by_role("link", name="New release").focus()
    page.keyboard.press("Enter")
    wait_until_ready(page, "[data-form]")
    none = page.get_by_role("radio", name="No landmark set")
    expect(none).to_be_checked()
    expect(page.get_by_role("link", name="Define landmarks")).to_be_visible()
    for box in page.locator("[name=mechanism]").all():
        assert box.is_checked() == (box.get_attribute("value") in ("event-level", "user-level"))
    fill(page)
    expect(page.locator("[data-bar-note]")).to_have_text("No limit is set.")
    skip = page.get_by_role("checkbox", name=re.compile("^Skip"))
    skip.focus()
    page.keyboard.press("Space")
    expect(page.locator("[data-bar-note]")).to_have_text("Skip reads landmarks: choose a landmark set or define one.")
    expect(page.locator("[data-submit-bar] [type=submit]")).to_be_disabled()
    page.keyboard.press("Space")
    expect(page.locator("[data-bar-note]")).to_have_text("No limit is set.")
    expect(page.locator("[data-errors-table] tbody tr[data-errors]")).to_have_count(len(FREE))
    submit = page.locator("[data-submit-bar] [type=submit]")
    expect(submit).to_be_enabled()
    submit.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/compare/**")
    assert "landmark_set" not in page.url
    rows = Release.objects.all()
    assert {(row.mechanism, row.landmark_set) for row in rows} == {("event-level", None), ("user-level", None)}
    run_jobs()
    wait_until_ready(page, "[data-bench]")
    expect(page.locator("[data-summary] tr")).to_have_count(2)
    expect(page.locator("[data-layers]")).not_to_contain_text("Landmarks")
    expect(page.locator("[data-problem]").first).to_be_hidden()


@DEVICES
def test_the_pages_fit(page: Page, taxi: Dataset, size: dict[str, int], colour: str) -> None:
    page.set_viewport_size(size)
    page.emulate_media(color_scheme=colour)
    form(page, taxi)
    fill(page)
    expect(page.locator("[data-bar-note]")).to_have_text("No limit is set.")
    check_page(page)


@pytest.mark.journey
def test_it_joins_the_comparison_of_a_set(page: Page, taxi: Dataset, stays: LandmarkSet) -> None:
    form(page, taxi)
    only(page, "Event level")
    fill(page)
    page.get_by_role("radio", name="No landmark set").check()
    page.locator("[data-submit-bar] [type=submit]").click()
    page.wait_for_url("**/compare/**")
    run_jobs()
    wait_until_ready(page, "[data-bench]")
    row = Release.objects.get()
    assert row.landmark_set is None
    expect(page.locator("[data-layers]")).to_contain_text("Landmarks")
    expect(page.locator("[data-problem]").first).to_be_hidden()
    chart = page.locator("[data-chart=error]")
    expect(chart).to_be_visible()


def test_an_experiment_attacks_it(page: Page, taxi: Dataset) -> None:
    spec = ReleaseSpec.parse({"mechanism": {"name": "event-level", "epsilon": 1.0, "radius_m": 200.0}})
    submit_release(owner=taxi.owner, dataset=taxi, spec=spec)
    run_jobs()
    page.goto(f"/datasets/{taxi.pk}/")
    page.get_by_role("link", name="Attack Event level").click()
    page.wait_for_url("**/experiments/new/**")
    page.get_by_role("button", name=re.compile("^(Run|Submit|Start)")).last.click()
    page.wait_for_url(re.compile(r"/experiments/[0-9a-f-]{36}/"))
    row = Experiment.objects.get()
    assert row.spec["base"]["landmarks"] == {"name": "manual", "events": []}
    assert row.spec["base"]["release"]["mechanism"]["name"] == "event-level"
