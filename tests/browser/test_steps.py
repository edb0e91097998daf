"""Steps after the noise: requested with a release, added to a finished one, and saved in a file."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import Page, expect

from dashboard.accounts.models import User
from dashboard.datasets import ledger
from dashboard.datasets.models import BudgetEntry, Dataset
from dashboard.datasets.services import import_dataset
from dashboard.landmarks.models import LandmarkSet
from dashboard.releases.models import Release
from dashboard.releases.services import submit_release
from privacy_engine.samples import samples
from privacy_engine.spec import ReleaseSpec
from tests.browser.conftest import DEVICES, PageMonitor, check_page, run_jobs
from tests.browser.rendering import layers, lines, painted, wait_until_ready
from tests.patience import patience

NO_CONFIGURATIONS = [
    ("{", "This file is not JSON."),
    ("[]", "This file describes no releases"),
    ('{"mechanism": {"name": "magic", "epsilon": 1, "radius_m": 1}}', "Unknown mechanism or step “magic”."),
    (
        '{"mechanism": {"name": "event-level"}, "postprocess": [{"name": "magic"}]}',
        "Unknown mechanism or step “magic”.",
    ),
]


@pytest.fixture
def taxi(owner: User) -> Dataset:
    series = samples()[1].series
    rows = zip(series.time_s, series.lat, series.lon, strict=True)
    text = "time,lat,lon\n" + "".join(f"{t:.0f},{lat},{lon}\n" for t, lat, lon in rows)
    return import_dataset(owner=owner, upload=ContentFile(text.encode(), name="taxi.csv"), name="Taxi day")


@pytest.fixture
def uniform(owner: User, stays: LandmarkSet) -> Release:
    """A finished release with a mean error of 2.8 km."""
    spec = ReleaseSpec.parse({"mechanism": {"name": "landmark-uniform", "epsilon": 10.0, "radius_m": 200.0}})
    release = submit_release(owner=owner, dataset=stays.dataset, landmark_set=stays, spec=spec)
    run_jobs()
    return release


def form(page: Page, dataset: Dataset) -> None:
    page.goto(f"/datasets/{dataset.pk}/releases/new/")
    wait_until_ready(page, "[data-form]")


def only(page: Page, *titles: str) -> None:
    """Tick these mechanisms and no others."""
    for box in page.locator("[name=mechanism]").all():
        box.uncheck()
    for title in titles:
        page.get_by_role("checkbox", name=re.compile(f"^{title}")).check()


class TestWithARelease:
    @pytest.mark.journey
    def test_steps_follow_the_noise_in_their_order(self, page: Page, taxi: Dataset, stays: LandmarkSet) -> None:
        form(page, taxi)
        only(page, "Planned")
        page.get_by_role("button", name="Add Causal filter").click()
        page.get_by_role("button", name="Add Random-walk smoother").click()
        page.get_by_role("button", name="Earlier: Random-walk smoother").click()
        page.locator("[data-step=causal-filter]").get_by_label("Step variance q, m²", exact=True).fill("90000")
        aside = page.locator("[data-afterwards]")
        expect(aside).to_contain_text(
            "Then Random-walk smoother, then Causal filter, over each release; spends no budget."
        )
        expect(aside).to_contain_text("Not on live data")
        page.get_by_role("button", name="Remove Random-walk smoother").click()
        expect(aside).to_contain_text("Works on live data")
        page.get_by_role("button", name="Add Random-walk smoother").click()
        page.get_by_role("button", name="Create 1 release").click()
        page.wait_for_url("**/compare/**")
        run_jobs()
        wait_until_ready(page)
        made = Release.objects.get()
        assert made.spec["postprocess"] == [
            {"name": "causal-filter", "step_variance_m2": 90000.0},
            {"name": "random-walk-smoother", "step_variance_m2": None},
        ]
        assert list(layers(page)) == ["Original", "Planned + Causal filter + Random-walk smoother", "Landmarks"]
        assert painted(page, str(made.pk)) > 50
        assert BudgetEntry.objects.count() == 1

    def test_what_is_refused_is_shown_at_the_steps_own_field(
        self, page: Page, taxi: Dataset, stays: LandmarkSet
    ) -> None:
        form(page, taxi)
        only(page, "Planned")
        page.get_by_role("button", name="Add Causal filter").click()
        step = page.locator("[data-step=causal-filter]")
        step.get_by_label("Step variance q, m²", exact=True).fill("-5")
        expect(page.locator("[data-spending]")).to_contain_text("A value is missing or invalid")
        page.get_by_role("button", name="Create 1 release").click()
        expect(step.locator(".field__error").first).to_contain_text("Must be greater than 0, got -5")
        expect(page.locator("[data-mechanism=landmark-planned] .field__error").first).to_be_hidden()
        assert not Release.objects.exists()

    def test_the_forecast_follows_a_mechanisms_own_field(self, page: Page, taxi: Dataset, stays: LandmarkSet) -> None:
        form(page, taxi)
        only(page, "w-event", "Planned")
        page.get_by_label("Level ε", exact=True).fill("1")
        page.get_by_label("Radius r, m", exact=True).fill("50")
        found = page.locator("[data-forecast=w-event]")
        page.get_by_label("Window w, events", exact=True).fill("7")
        expect(found).to_contain_text(re.compile("mean 700\\sm"))
        page.get_by_label("Window w, events", exact=True).fill("2")
        expect(found).to_contain_text(re.compile("mean 200\\sm"))
        expect(found).to_contain_text("260ε/2")
        planned = page.locator("[data-forecast=landmark-planned]")
        q = page.locator("[data-mechanism=landmark-planned]").get_by_label("Step variance q, m²", exact=True)
        q.fill("100000000000")
        expect(planned).to_contain_text(f"Landmarks{stays.count}ε/")
        q.fill("1")
        expect(planned).to_contain_text(f"Landmarks1 of {stays.count}ε/")
        promises = page.locator("[data-promises]")
        expect(promises).to_contain_text(f"all {stays.count} landmarks together leak at most ε = 1 per 50 m")


class TestOnAFinishedOne:
    def smooth(self, page: Page, title: str, step: str) -> None:
        page.get_by_role("button", name=re.compile(f"^Smooth {title} · ε")).click()
        dialog = page.get_by_role("dialog", name=f"Smooth {title}")
        expect(dialog.get_by_role("button", name="Create release")).to_be_disabled()
        dialog.get_by_role("button", name=f"Add {step}").click()
        dialog.get_by_role("button", name="Create release").click()
        expect(dialog).to_be_hidden()

    def test_a_smoothed_one_joins_and_costs_nothing(
        self, page: Page, taxi: Dataset, uniform: Release, worker: None
    ) -> None:
        spent = ledger.spent(taxi)
        page.goto(f"/datasets/{taxi.pk}/compare/")
        wait_until_ready(page)
        self.smooth(page, "Uniform", "Ornstein-Uhlenbeck smoother")
        expect(page.locator("[data-bench][data-charts='2']")).to_be_visible(timeout=patience(15_000))
        made = Release.objects.exclude(pk=uniform.pk).get()
        assert (made.derived_from, ledger.spent(taxi)) == (uniform, spent)
        assert made.owner_view["mae_m"] < Release.objects.get(pk=uniform.pk).owner_view["mae_m"] / 1.5
        shown = layers(page)
        assert list(shown) == ["Original", "Uniform", "Uniform + OU smoother", "Landmarks"]
        assert all(painted(page, layer) > 50 for layer in shown.values())
        assert [line["name"] for line in lines(page)[0]] == ["Uniform", "Uniform + OU smoother"]
        cells = page.locator(f"tr[data-release='{made.pk}']")
        expect(cells).to_contain_text("Done")
        cells.get_by_text("Privacy label").click()
        expect(cells).to_contain_text(f"post-processing of release {uniform.pk}")

        page.reload()
        wait_until_ready(page)
        assert list(layers(page)) == ["Original", "Uniform", "Uniform + OU smoother", "Landmarks"]

    def test_what_is_refused_is_shown_in_the_dialog(
        self, page: Page, taxi: Dataset, uniform: Release, monitor: PageMonitor
    ) -> None:
        monitor.expect(400)
        page.goto(f"/datasets/{taxi.pk}/compare/")
        wait_until_ready(page)
        page.get_by_role("button", name="Smooth Uniform").click()
        dialog = page.get_by_role("dialog", name="Smooth Uniform")
        dialog.get_by_role("button", name="Add Causal filter").click()
        field = dialog.get_by_label("Step variance q, m²", exact=True)
        expect(field).to_be_focused()
        field.fill("")
        dialog.get_by_role("button", name="Create release").click()
        expect(dialog.locator(".step--on .field__error").first).to_contain_text("Give a number")
        dialog.get_by_role("button", name="Cancel").click()
        assert Release.objects.count() == 1

    @DEVICES
    def test_accessible_and_fits(
        self, open_page: Any, owner: User, taxi: Dataset, uniform: Release, colour: str, size: dict[str, int]
    ) -> None:
        page = open_page(owner, colour=colour, size=size)
        page.goto(f"/datasets/{taxi.pk}/compare/")
        wait_until_ready(page)
        page.get_by_role("button", name="Smooth Uniform").click()
        page.get_by_role("button", name="Add Causal filter").click()
        check_page(page, both_colours=True)


class TestAsAFile:
    def test_what_is_saved_can_be_loaded_and_is_the_specs(
        self, page: Page, taxi: Dataset, stays: LandmarkSet, tmp_path: Path
    ) -> None:
        form(page, taxi)
        only(page, "Planned", "Skip")
        page.get_by_label("Level ε", exact=True).fill("3")
        page.get_by_label("Landmarks before the first release").select_option("gap")
        page.get_by_role("button", name="Add Ornstein-Uhlenbeck smoother").click()
        with page.expect_download() as waiting:
            page.get_by_role("button", name="Save configuration").click()
        file = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(file)
        specs = [ReleaseSpec.parse(one) for one in json.loads(file.read_text())["releases"]]
        assert [spec.title for spec in specs] == ["Skip + OU smoother", "Planned + OU smoother"]
        assert specs[0].mechanism.leading == "gap"

        form(page, taxi)
        page.set_input_files("[data-load-file]", file)
        expect(page.get_by_label("Level ε", exact=True)).to_have_value("3")
        expect(page.get_by_role("checkbox", name=re.compile("^Uniform"))).not_to_be_checked()
        page.get_by_role("button", name="Create 2 releases").click()
        page.wait_for_url("**/compare/**")
        assert {row.spec_digest for row in Release.objects.all()} == {spec.digest for spec in specs}

    def test_a_release_of_the_api_is_a_configuration_too(
        self, page: Page, taxi: Dataset, uniform: Release, tmp_path: Path
    ) -> None:
        form(page, taxi)
        body = page.request.get(f"/api/v1/releases/{uniform.pk}/").text()
        page.set_input_files(
            "[data-load-file]", {"name": "r.json", "mimeType": "application/json", "buffer": body.encode()}
        )
        expect(page.get_by_role("button", name="Create 1 release")).to_be_enabled()
        expect(page.get_by_label("Level ε", exact=True)).to_have_value("10")

    def test_fail_no_configuration(
        self, page: Page, taxi: Dataset, stays: LandmarkSet, subtests: pytest.Subtests
    ) -> None:
        form(page, taxi)
        for i, (text, message) in enumerate(NO_CONFIGURATIONS):
            with subtests.test(text):
                file = {"name": f"c{i}.json", "mimeType": "application/json", "buffer": text.encode()}
                page.set_input_files("[data-load-file]", file)
                expect(page.locator("[data-problem]")).to_contain_text(f"c{i}.json: {message}")
                expect(page.get_by_role("button", name="Create 3 releases")).to_be_enabled()
