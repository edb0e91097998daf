"""Attacks from the comparison: started by a click, followed, described, drawn on the map, for the owner alone."""

import json

import pytest
from playwright.sync_api import expect

from dashboard.attacks.models import Attack
from dashboard.jobs.models import State
from dashboard.releases.models import Release
from dashboard.releases.services import derive_release
from privacy_engine.postprocess import postprocesses
from tests.browser.actions import act_on, contains, downloaded
from tests.browser.conftest import run_jobs
from tests.browser.fixtures import PRECISE, released
from tests.browser.rendering import at_rest, compare, expect_painted, layers, painted, wait_until_ready

WARNING = "This reads the original; do not publish it."
FETCH = "(url) => fetch(url).then((one) => one.json())"


def open_dialog(page, title="Uniform"):
    """The dialog, opened from the table."""
    act_on(page, title, "Attack")
    dialog = page.get_by_role("dialog", name=f"Attack {title}")
    expect(dialog).to_be_visible()
    return dialog


def run(dialog, attack, **fields):
    dialog.get_by_role("radio", name=attack).check()
    for name, value in fields.items():
        dialog.locator(f"[data-field={name}] input[data-number]").first.fill(str(value))
    dialog.get_by_role("button", name="Run the attack").click()
    expect(dialog).to_be_hidden()


def hide(page, title, layer):
    page.get_by_role("checkbox", name=title).uncheck()
    at_rest(page)
    assert painted(page, layer) == 0


def download(page, name):
    waiting = downloaded(page.locator("[data-attack]").get_by_role("link", name=name))
    return waiting.path().read_text()


@pytest.mark.journey
def test_from_a_click_to_places_on_the_map(page, taxi, stays):
    (release,) = released(stays, "uniform", **PRECISE)
    compare(page, taxi)
    panel, dialog = page.locator("[data-attack]"), open_dialog(page)
    contains(dialog, WARNING, "not a bound", "People sleep at home and work by day")
    within = dialog.locator("[data-field=within_m] input[data-number]")
    within.fill("-3")
    dialog.get_by_role("button", name="Run the attack").click()
    expect(within).to_have_attribute("aria-invalid", "true")
    expect(within).to_be_focused()
    assert not Attack.objects.exists()
    run(dialog, "Home and work", within_m=500)
    expect(panel).to_be_focused()
    attack = Attack.objects.get()
    contains(panel, attack.summary["sentence"], WARNING, "not a bound on what another could find")
    expect(panel.get_by_text("Home found", exact=True)).to_be_visible()
    expect_painted(page, "guesses", lambda pixels: pixels > 200)
    assert "Guessed places" in layers(page)
    hide(page, "Guessed places", "guesses")
    body = json.loads(download(page, "as JSON"))
    assert body == page.evaluate(FETCH, f"/api/v1/attacks/{attack.pk}/data/")
    assert (body["warning"], body["result"]["sentence"]) == (WARNING, attack.summary["sentence"])
    expect(panel.get_by_role("link", name="as CSV")).to_have_count(0)

    page.get_by_role("checkbox", name="Guessed places").check()
    panel.get_by_role("button", name="Close the attack").click()
    expect(panel).to_be_hidden()
    open_dialog(page).get_by_role("button", name="Show Home and work").click()
    expect_painted(page, "guesses")
    expect(panel).to_contain_text("Found within 500\u202fm")
    assert Attack.objects.count() == 1, "the same again is shown and not computed"
    panel.get_by_role("button", name="Delete").click()
    expect(panel).to_be_hidden()
    assert not Attack.objects.exists()

    run(open_dialog(page), "Localisation", step_variance_m2=900_000)
    expect(panel).to_contain_text("Waiting for a worker")
    assert painted(page, "guessed") == 0
    panel.get_by_role("button", name="Cancel").click()
    expect(panel).to_contain_text("Cancelled.")
    assert Attack.objects.get().state == State.CANCELLED
    panel.get_by_role("button", name="Try").click()
    expect(panel).to_contain_text("Waiting for a worker")
    run_jobs()
    expect(panel).to_contain_text("Who knows the area")
    expect_painted(page, "guessed", lambda pixels: pixels > 500)
    expect(panel).to_contain_text(Attack.objects.get().summary["sentence"])
    assert len(download(page, "as CSV").splitlines()) == 261
    hide(page, "Guessed path", "guessed")
    page.get_by_role("button", name="Jobs").click()
    page.locator("#jobs").get_by_role("link", name="Localisation on Uniform").click()
    wait_until_ready(page)
    expect(panel).to_contain_text("Who knows the area")
    expect_painted(page, "guessed")

    derive_release(source=release, steps=[postprocesses.parse({"name": "ou-smoother"})])
    run_jobs()
    compare(page, taxi)
    dialog = open_dialog(page, Release.objects.exclude(pk=release.pk).get().title)
    expect(dialog.get_by_role("radio", name="Localisation")).to_be_disabled()
    expect(dialog).to_contain_text("attack the release that this one was derived from")
    expect(dialog.get_by_role("radio", name="Home and work")).to_be_checked()
