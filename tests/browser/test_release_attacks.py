"""Attacks from the comparison: started by a click, followed, described, drawn on the map, for the owner alone."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from dashboard.accounts.models import User
from dashboard.attacks.models import Attack
from dashboard.datasets.models import Dataset
from dashboard.datasets.services import import_dataset
from dashboard.jobs.models import State
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.services import mark_landmarks
from dashboard.releases.models import Release
from dashboard.releases.services import derive_release
from privacy_engine.postprocess import postprocesses
from privacy_engine.samples import samples
from tests.browser.conftest import accessibility_faults, check_page, run_jobs
from tests.browser.fixtures import PRECISE, released, table
from tests.browser.rendering import at_rest, choose_series, compare, expect_painted, layers, painted, wait_until_ready

WARNING = "This reads the original; do not publish it."


@pytest.fixture
def release(stays: LandmarkSet) -> Release:
    """A finished release of the taxi day, little noise."""
    (made,) = released(stays, "uniform", **PRECISE)
    return made


def open_dialog(page: Page, title: str = "Uniform") -> Locator:
    """The dialog, opened from the table."""
    page.get_by_role("button", name=f"Attack {title}").click()
    dialog = page.get_by_role("dialog", name=f"Attack {title}")
    expect(dialog).to_be_visible()
    return dialog


def run(dialog: Locator, attack: str, **fields: float) -> None:
    dialog.get_by_role("radio", name=attack).check()
    for name, value in fields.items():
        dialog.locator(f"[data-field={name}] input[data-number]").first.fill(str(value))
    dialog.get_by_role("button", name="Run the attack").click()
    expect(dialog).to_be_hidden()


def panel(page: Page) -> Locator:
    return page.locator("[data-attack]")


class TestHomeAndWork:
    @pytest.mark.journey
    def test_from_a_click_to_places_on_the_map(self, page: Page, taxi: Dataset, release: Release) -> None:
        compare(page, taxi)
        dialog = open_dialog(page)
        expect(dialog).to_contain_text("This reads the original; do not publish it.")
        expect(dialog).to_contain_text("not a bound")
        expect(dialog).to_contain_text("People sleep at home and work by day")
        run(dialog, "Home and work", within_m=500)
        attack = Attack.objects.get()
        expect(panel(page)).to_contain_text(attack.summary["sentence"])
        expect(panel(page)).to_contain_text(WARNING)
        expect(panel(page)).to_contain_text("not a bound on what another could find")
        expect(panel(page).get_by_text("Home found", exact=True)).to_be_visible()
        expect_painted(page, "guesses", lambda pixels: pixels > 200)
        assert "Guessed places" in layers(page)
        page.get_by_role("checkbox", name="Guessed places").uncheck()
        at_rest(page)
        assert painted(page, "guesses") == 0
        assert not accessibility_faults(page)

    def test_the_download_is_the_apis(self, page: Page, taxi: Dataset, release: Release) -> None:
        compare(page, taxi)
        run(open_dialog(page), "Home and work", within_m=500)
        with page.expect_download() as waiting:
            panel(page).get_by_role("link", name="as JSON").click()
        body = json.loads(Path(waiting.value.path()).read_bytes())
        url = f"/api/v1/attacks/{Attack.objects.get().pk}/data/"
        fetched = page.evaluate("(url) => fetch(url).then((one) => one.json())", url)
        assert body == fetched
        assert body["warning"] == WARNING
        assert body["result"]["sentence"] == Attack.objects.get().summary["sentence"]
        assert panel(page).get_by_role("link", name="as CSV").count() == 0

    def test_the_same_again_is_shown_and_not_computed(self, page: Page, taxi: Dataset, release: Release) -> None:
        compare(page, taxi)
        run(open_dialog(page), "Home and work", within_m=500)
        expect(panel(page)).to_be_focused()
        panel(page).get_by_role("button", name="Close the attack").click()
        expect(panel(page)).to_be_hidden()
        assert painted(page, "guesses") == 0
        dialog = open_dialog(page)
        dialog.get_by_role("button", name="Show Home and work").click()
        expect_painted(page, "guesses")
        expect(panel(page)).to_contain_text("Found within 500\u202fm")
        assert Attack.objects.count() == 1
        panel(page).get_by_role("button", name="Delete").click()
        expect(panel(page)).to_be_hidden()
        assert not Attack.objects.exists()

    def test_an_invalid_parameter_is_refused_at_its_field(self, page: Page, taxi: Dataset, release: Release) -> None:
        compare(page, taxi)
        dialog = open_dialog(page)
        dialog.locator("[data-field=within_m] input[data-number]").fill("-3")
        dialog.get_by_role("button", name="Run the attack").click()
        expect(dialog.locator("[data-field=within_m] .field__error")).to_contain_text("Must be")


class TestLocalisation:
    def test_a_worker_does_it_and_its_path_is_a_layer(self, page: Page, taxi: Dataset, release: Release) -> None:
        compare(page, taxi)
        run(open_dialog(page), "Localisation", step_variance_m2=900_000)
        expect(panel(page)).to_contain_text("Waiting for a worker")
        assert painted(page, "guessed") == 0
        run_jobs()
        expect(panel(page)).to_contain_text("Who knows the area")
        expect_painted(page, "guessed", lambda pixels: pixels > 500)
        row = Attack.objects.get()
        expect(panel(page)).to_contain_text(row.summary["sentence"])
        with page.expect_download() as waiting:
            panel(page).get_by_role("link", name="as CSV").click()
        assert len(Path(waiting.value.path()).read_text().splitlines()) == 261
        page.get_by_role("checkbox", name="Guessed path").uncheck()
        at_rest(page)
        assert painted(page, "guessed") == 0

    def test_one_that_waits_is_cancelled_and_tried_again(self, page: Page, taxi: Dataset, release: Release) -> None:
        compare(page, taxi)
        run(open_dialog(page), "Localisation")
        panel(page).get_by_role("button", name="Cancel").click()
        expect(panel(page)).to_contain_text("Cancelled.")
        assert Attack.objects.get().state == State.CANCELLED
        panel(page).get_by_role("button", name="Try").click()
        expect(panel(page)).to_contain_text("Waiting for a worker")
        run_jobs()
        expect_painted(page, "guessed")

    def test_a_smoothed_release_states_why_not(self, page: Page, taxi: Dataset, release: Release) -> None:
        derive_release(source=Release.objects.get(), steps=[postprocesses.parse({"name": "ou-smoother"})])
        run_jobs()
        made = Release.objects.exclude(pk=release.pk).get()
        compare(page, taxi)
        dialog = open_dialog(page, made.title)
        expect(dialog.get_by_role("radio", name="Localisation")).to_be_disabled()
        expect(dialog).to_contain_text("attack the release that this one was derived from")
        expect(dialog.get_by_role("radio", name="Home and work")).to_be_checked()

    def test_a_link_leads_to_it(self, page: Page, taxi: Dataset, release: Release) -> None:
        compare(page, taxi)
        run(open_dialog(page), "Localisation")
        run_jobs()
        expect_painted(page, "guessed")
        page.get_by_role("button", name="Jobs").click()
        page.locator("#jobs").get_by_role("link", name="Localisation on Uniform").click()
        wait_until_ready(page)
        expect(panel(page)).to_contain_text("Who knows the area")
        expect_painted(page, "guessed")


SERIES = {"person": "series"}


def test_one_series_at_a_time_and_all_together(page: Page, owner: User) -> None:
    one, other = samples()[1].series, samples()[2].series
    both = import_dataset(owner=owner, upload=table(("taxi", one), ("walker", other)), name="Two", options=SERIES)
    marks = mark_landmarks(owner=owner, dataset=both, method={"name": "manual", "events": [0, 5, 262]})
    released(marks, "uniform", **PRECISE)
    compare(page, both)
    choose_series(page, "walker")
    expect(page.locator(".timeline__text")).to_contain_text("event 1 of 8")
    page.get_by_role("button", name=re.compile("^Attack Uniform")).click()
    dialog = page.get_by_role("dialog", name=re.compile("^Attack Uniform.*, walker"))
    run(dialog, "Localisation", cells=8, tile_m=1000)
    expect_painted(page, "guessed")
    assert Attack.objects.get().series == 1
    choose_series(page, "taxi")
    expect(page.locator(".timeline__text")).to_contain_text("of 260")
    wait_until_ready(page)
    assert "Guessed path" not in layers(page)
    page.get_by_role("button", name=re.compile("^Attack Uniform")).click()
    run(page.get_by_role("dialog", name=re.compile("^Attack Uniform.*, taxi")), "Re-identification")
    expect(panel(page)).to_contain_text("known points single out the right release of 2")
    assert not {"Guessed path", "Guessed places"} & layers(page).keys()


def test_by_keyboard_on_a_phone_in_the_dark(open_page: Any, owner: User, taxi: Dataset, release: Release) -> None:
    page = open_page(owner, colour="dark", size={"width": 390, "height": 844})
    compare(page, taxi)
    page.get_by_role("button", name=re.compile("^Attack Uniform")).focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name=re.compile("^Attack Uniform"))
    expect(dialog.get_by_role("radio", name="Home and work")).to_be_checked()
    check_page(page)
    dialog.get_by_label("Found within").last.focus()
    page.keyboard.press("Enter")
    expect(panel(page)).to_be_focused()
    expect_painted(page, "guesses")
    check_page(page)
