"""The budget panel of uploads that share most of their events, and the decision that they are of other people."""

from __future__ import annotations

import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import Page, expect

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset, LineageEntry
from dashboard.datasets.services import import_dataset
from dashboard.landmarks.services import mark_landmarks
from dashboard.releases.services import submit_release
from privacy_engine.cleaning import parse_cleaning
from privacy_engine.spec import ReleaseSpec
from tests.browser.conftest import WALK, accessibility_faults, assert_fits, run_jobs
from tests.browser.rendering import wait_until_ready
from tests.browser.test_steps import only
from tests.patience import patience


@pytest.mark.journey
def test_shows_the_other_upload_and_takes_the_decision(page: Page, owner: User, walk: Dataset) -> None:
    landmarks = mark_landmarks(owner=owner, dataset=walk, method={"name": "manual", "events": [1]})
    spec = ReleaseSpec.parse({"mechanism": {"name": "landmark-uniform", "epsilon": 1.0, "radius_m": 200.0}})
    submit_release(owner=owner, dataset=walk, landmark_set=landmarks, spec=spec)
    run_jobs()
    shorter = b"\n".join(WALK.splitlines()[:-1])
    part = import_dataset(owner=owner, upload=ContentFile(shorter, name="walk.csv"), name="Shorter walk")
    page.goto(f"/datasets/{walk.pk}/")
    expect(page.locator("#reading")).to_contain_text("it belongs to the uploaded file")  # which releases use

    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"/datasets/{part.pk}/")
    expect(page.locator("[data-lineage]")).to_be_visible()
    assert_fits(page)
    panel = page.locator("#budget")
    expect(panel).to_contain_text("ε = 1 within 200")
    expect(panel).to_contain_text("1 other upload shares events, and with them the limit")
    expect(panel.get_by_role("link", name="Walk")).to_have_attribute("href", f"/datasets/{walk.pk}/")
    expect(panel).to_contain_text("Not recognised: positions rounded to 2 decimals")
    different = panel.get_by_role("button", name="They are different people")
    different.click()
    dialog = page.get_by_role("dialog", name="Are they different people?")
    expect(dialog).to_contain_text("separate from the other upload")
    assert accessibility_faults(page) == []
    dialog.get_by_role("button", name="Keep one budget").click()
    expect(dialog).to_be_hidden()
    assert not LineageEntry.objects.filter(fact="other-people").exists()

    different.click()
    dialog.get_by_role("button", name="They are different people").click()
    expect(dialog).to_be_hidden()
    expect(panel).to_contain_text("Nothing spent")
    expect(panel).to_contain_text("this upload and another one are of different people")
    expect(different).to_have_count(0)
    assert LineageEntry.objects.filter(fact="other-people").count() == 1


def test_the_release_form_states_how_often_it_is_charged(page: Page, owner: User) -> None:
    steps = parse_cleaning([{"name": "resample", "every_s": 20}])
    upload = ContentFile(WALK, name="walk.csv")
    dataset = import_dataset(owner=owner, upload=upload, name="Every 20 s", cleaning=steps)
    mark_landmarks(owner=owner, dataset=dataset, method={"name": "manual", "events": [1]})
    page.goto(f"/datasets/{dataset.pk}/")
    expect(page.locator("#budget")).to_contain_text("up to 5 events depend on one uploaded record")
    page.goto(f"/datasets/{dataset.pk}/releases/new/")
    wait_until_ready(page, "[data-form]")
    only(page, "Uniform")
    expect(page.locator("[data-spending]")).to_contain_text("a release is charged 5 × ε", timeout=patience(30_000))
