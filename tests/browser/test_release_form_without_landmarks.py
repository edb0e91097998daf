"""The release form without landmarks: fewer rows, each of its own, up to the releases made and an attack on one."""

import re

from playwright.sync_api import expect

from dashboard.experiments.models import Experiment
from dashboard.landmarks.services import mark_landmarks
from dashboard.releases.models import Release
from privacy_engine.mechanisms.base.mechanism import mechanisms
from tests.browser.actions import contains
from tests.browser.conftest import run_jobs
from tests.browser.rendering import wait_until_ready
from tests.browser.test_release_form import level, settled, tick, ticked
from tests.browser.test_steps import row_of

FREE = {cls.title for cls in mechanisms.of("trajectory") if not cls.reads_landmarks}
PLACE = {"name": "manual", "events": [0, 1, 2]}


def test_a_set_without_landmarks_is_as_none_and_is_offered_once(page, owner, taxi):
    marked = mark_landmarks(owner=owner, dataset=taxi, method=PLACE, name="Three")
    none = mark_landmarks(owner=owner, dataset=taxi, method={**PLACE, "events": []}, name="None")
    page.goto(f"/datasets/{taxi.pk}/releases/new/?landmark_set={none.pk}")
    wait_until_ready(page, "[data-form]")
    sets, text = page.get_by_label("Landmark set"), page.locator("[data-set-text]")
    expect(text).to_have_text("0 of 260 events")
    rows = page.locator("tr[data-release]:visible th")
    for chosen in (str(none.pk), ""):
        sets.select_option(chosen)
        settled(page)
        titles = {one.split(" + ")[0] for one in (" ".join(row.split()) for row in rows.all_inner_texts())}
        assert titles == FREE
        contains(page.locator("[data-errors-table]"), "6 more mechanisms protect all landmarks together")
        contains(page.locator("[data-errors-answer]"), "without landmarks: Event level")
    tick(page, "User level").check()
    sets.select_option(str(marked.pk))
    settled(page)
    expect(tick(page, "User level")).to_be_checked()
    expect(tick(page, "Skip")).to_be_visible()
    expect(row_of(page, "Event level").locator(".verdict")).to_contain_text("landmarks exposed")


def test_without_a_landmark_set_by_keyboard(page, taxi):
    page.goto(f"/datasets/{taxi.pk}/")
    page.get_by_role("link", name="New release").focus()
    page.keyboard.press("Enter")
    wait_until_ready(page, "[data-form]")
    expect(page.get_by_label("Landmark set").locator("option:checked")).to_have_text("No landmarks")
    expect(page.get_by_role("link", name="Define landmarks")).to_be_visible()
    note, submit = page.locator("[data-bar-note]"), page.locator("[data-submit]")
    level(page, 1, 200)
    settled(page)
    expect(note).to_have_text("No limit is set.")
    (best,) = ticked(page)
    tick(page, best).focus()
    page.keyboard.press("Space")
    for title in ("Event level", "User level"):
        tick(page, title).focus()
        page.keyboard.press("Space")
    settled(page)
    submit.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/compare/**")
    assert "landmark_set" not in page.url
    rows = Release.objects.all()
    assert {(row.mechanism, row.landmark_set) for row in rows} == {("event-level", None), ("user-level", None)}
    run_jobs()
    wait_until_ready(page)
    expect(page.locator("[data-summary] tr")).to_have_count(2)
    expect(page.locator("[data-layers]")).not_to_contain_text("Landmarks")
    expect(page.locator("[data-problem]").first).to_be_hidden()

    page.goto(f"/datasets/{taxi.pk}/")
    page.get_by_role("link", name="Attack Event level").click()
    page.wait_for_url("**/experiments/new/**")
    page.get_by_role("button", name=re.compile("^(Run|Submit|Start)")).last.click()
    page.wait_for_url(re.compile(r"/experiments/[0-9a-f-]{36}/"))
    base = Experiment.objects.get().spec["base"]
    assert base["landmarks"] == {"name": "manual", "events": []}
    assert base["release"]["mechanism"]["name"] == "event-level"
