"""What a reader sees, when marking and before releasing, of what promises leave uncovered."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset
from dashboard.landmarks.dummy_landmarks import add_dummies
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.services import mark_landmarks
from dashboard.releases.services import submit_release
from privacy_engine.spec import ReleaseSpec
from tests.browser.conftest import PageMonitor, run_jobs
from tests.browser.landmark_editor import draw_polygon, edit, save

STAYS = {"name": "stay-points", "distance_m": 200.0, "duration_s": 1200.0}
NIGHTS = {
    "name": "schedule",
    "windows": [{"days": ["mon", "tue", "wed", "thu", "fri"], "start": "22:00", "end": "06:00"}],
    "time_zone": "Europe/Paris",
}


@pytest.mark.journey
def test_the_editor_states_for_each_method_whether_promises_cover_it(page: Page, taxi: Dataset) -> None:
    edit(page, taxi)
    coverage = page.locator("[data-coverage]")
    expect(coverage).to_contain_text("Not covered by the promise of a release: which events are landmarks, found in")
    page.get_by_role("button", name="Schedule", exact=True).click()
    expect(coverage).to_contain_text("Covered by the promise of a release, provided that the schedule was chosen")


def test_the_release_form_states_the_sentence_of_the_set_chosen(page: Page, owner: User, taxi: Dataset) -> None:
    sets = {
        name: mark_landmarks(owner=owner, dataset=taxi, method=way, name=name)
        for name, way in (("Stays", STAYS), ("Nights", NIGHTS))
    }
    page.goto(f"/datasets/{taxi.pk}/releases/new/?landmark_set={sets['Stays'].pk}")
    promises, spending = page.locator("[data-promises]"), page.locator("[data-spending]")
    number = (
        r"leak at most ε = \S+ per \S+ m, with the same landmarks and times; not covered: which events are landmarks"
    )
    expect(promises).to_contain_text(re.compile(number))
    expect(promises).to_contain_text(f"all {sets['Stays'].count} landmarks")
    expect(spending).to_contain_text(re.compile(r"may leak ε = \S+ per \S+ m; not covered: which events are landmarks"))
    page.get_by_label("Nights").check()
    expect(promises).to_contain_text(re.compile(r"leak at most ε = \S+ per \S+ m, with the same times, provided that"))
    expect(promises).not_to_contain_text("not covered")
    expect(spending).not_to_contain_text("not covered")


def test_the_report_of_a_set_states_it_too(page: Page, owner: User, taxi: Dataset) -> None:
    for way, text in ((STAYS, "not covered: which events are landmarks"), (NIGHTS, "provided that the schedule")):
        found = mark_landmarks(owner=owner, dataset=taxi, method=way)
        page.goto(f"/landmark-sets/{found.pk}/report/")
        expect(page.locator("[data-coverage]")).to_contain_text(text)


def test_fail_a_release_over_dummies_of_a_seed(page: Page, monitor: PageMonitor, owner: User, taxi: Dataset) -> None:
    monitor.expect(409)
    source = mark_landmarks(owner=owner, dataset=taxi, method=STAYS)
    coins = {"name": "dummies-one-sided", "epsilon": 2.0}
    seeded = add_dummies(owner=owner, landmark_set=source, method=coins, seed=4)
    page.goto(f"/datasets/{taxi.pk}/releases/new/?landmark_set={seeded.pk}")
    expect(page.locator("[data-promises]")).to_contain_text("which of the marked events are dummies, drawn from a seed")
    page.get_by_role("button", name=re.compile("Create .* release")).click()
    expect(page.locator("[data-problem]")).to_contain_text("Draw the dummies again without a seed")


def test_zones_apply_to_an_earlier_release(page: Page, owner: User, taxi: Dataset, stays: LandmarkSet) -> None:
    spec = ReleaseSpec.parse({"mechanism": {"name": "event-level", "epsilon": 1.0, "radius_m": 20.0}})
    earlier = submit_release(owner=owner, dataset=taxi, landmark_set=stays, spec=spec, name="First try")
    run_jobs()
    edit(page, taxi)
    page.get_by_role("button", name="Zones", exact=True).click()
    draw_polygon(page)
    expect(page.locator("[data-coverage]")).to_contain_text("Not covered by the promise")
    page.get_by_label("Zones apply to").select_option(str(earlier.pk))
    expect(page.locator("[data-coverage]")).to_contain_text(
        "Covered by the promise of a release, provided that the zones"
    )
    made = save(page, taxi)
    assert made.method["name"] == "released-zones"
    assert made.method["release"] == str(earlier.pk)
    assert made.earlier is not None
    edit(page, taxi, f"?from={made.pk}")
    expect(page.get_by_label("Zones apply to")).to_have_value(str(earlier.pk))
