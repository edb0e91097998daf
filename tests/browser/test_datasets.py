"""The list of datasets, and one dataset."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import Page, expect

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset
from dashboard.datasets.services import import_dataset
from dashboard.jobs import queue
from dashboard.jobs.models import State, now
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.services import mark_landmarks
from dashboard.releases.models import Release
from dashboard.releases.services import submit_release
from privacy_engine.spec import ReleaseSpec
from tests.browser import fixtures
from tests.browser.conftest import WALK, PageMonitor, card, choose, faults_in_both_colours, run_jobs, table
from tests.browser.rendering import expect_painted, wait_until_ready


@pytest.fixture
def released(owner: User, walk: Dataset) -> Release:
    """A finished release of it."""
    landmarks = mark_landmarks(owner=owner, dataset=walk, method={"name": "manual", "events": [1, 2, 3]}, name="Home")
    spec = ReleaseSpec.parse({"mechanism": {"name": "landmark-uniform", "epsilon": 1.0, "radius_m": 200.0}})
    release = submit_release(owner=owner, dataset=walk, landmark_set=landmarks, spec=spec)
    run_jobs()
    return release


class TestList:
    @pytest.mark.journey
    def test_rename(self, page: Page, walk: Dataset) -> None:
        page.goto("/")
        page.get_by_role("button", name="Rename Walk").click()
        page.get_by_label("Name", exact=True).fill("Along the Seine")
        page.keyboard.press("Enter")
        expect(page.get_by_role("link", name="Along the Seine")).to_be_visible()
        expect(page.get_by_role("dialog")).to_be_hidden()

    def test_delete_is_confirmed_first(self, page: Page, walk: Dataset) -> None:
        page.goto("/")
        page.get_by_role("button", name="Delete Walk").click()
        page.get_by_role("button", name="Keep it").click()
        expect(page.get_by_role("link", name="Walk")).to_be_visible()
        page.get_by_role("button", name="Delete Walk").click()
        page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        expect(page.get_by_role("heading", name="No datasets yet")).to_be_visible()
        assert not Dataset.objects.exists()

    def test_by_keyboard_alone(self, page: Page, walk: Dataset) -> None:
        page.goto("/")
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
        page.keyboard.press("Enter")
        for _ in range(20):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.getAttribute('aria-label')") == "Rename Walk":
                break
        page.keyboard.press("Enter")
        page.keyboard.press("ControlOrMeta+A")
        page.keyboard.type("Stroll")
        page.keyboard.press("Enter")
        expect(page.get_by_role("link", name="Stroll")).to_be_visible()
        expect(page.get_by_role("button", name="Rename Stroll")).to_be_focused()

    @pytest.mark.journey
    def test_tagged_found_and_deleted_together(self, page: Page, owner: User, walk: Dataset) -> None:
        for name in ("Pilot one.csv", "Pilot two.csv"):
            import_dataset(owner=owner, upload=ContentFile(WALK, name=name))
        page.goto("/")
        page.get_by_role("button", name="Rename Walk").click()
        page.get_by_role("textbox", name="Tags").fill("reference, 2024")
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_role("link", name="Datasets with tag reference")).to_be_visible()
        names = page.locator(".datasets__name")
        page.get_by_label("Search datasets").fill("pilot")
        expect(names).to_have_text(["Pilot two.csv", "Pilot one.csv"])
        assert "search=pilot" in page.url
        page.locator("[name=ordering]").select_option("name")
        expect(names).to_have_text(["Pilot one.csv", "Pilot two.csv"])
        page.get_by_label("Select all shown").check()
        bulk = page.locator("[data-bulk]")
        expect(bulk).to_contain_text("2 datasets selected")
        bulk.get_by_role("button", name="Delete").click()
        page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        expect(page.get_by_role("heading", name="No dataset matches")).to_be_visible()
        page.get_by_role("link", name="Show all").click()
        expect(names).to_have_text(["Walk"])
        assert Dataset.objects.get().tags == ["reference", "2024"]

    def test_what_is_no_longer_shown_is_not_selected(self, page: Page, owner: User, walk: Dataset) -> None:
        import_dataset(owner=owner, upload=ContentFile(WALK, name="Pilot.csv"))
        page.goto("/")
        page.get_by_label("Select all shown").check()
        page.get_by_label("Search datasets").fill("pilot")
        bulk = page.locator("[data-bulk]")
        expect(bulk).to_contain_text("1 dataset selected")
        page.get_by_label("Select Pilot.csv").uncheck()
        expect(bulk).to_be_hidden()

    def test_try_a_sample(self, page: Page, owner: User) -> None:
        page.goto("/")
        page.get_by_role("button", name="Try a sample").click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("A day in Paris")
        assert owner.datasets.filter(sample=True).count() == 3

    def test_another_owners_datasets_are_not_there(
        self, open_page: Callable[..., Page], walk: Dataset, monitor: PageMonitor
    ) -> None:
        monitor.expect(404)
        page = open_page(User.objects.create_user("stranger"))
        page.goto("/")
        expect(page.get_by_role("heading", name="No datasets yet")).to_be_visible()
        page.goto(f"/datasets/{walk.pk}/")
        expect(page.get_by_role("heading", name="Page not found")).to_be_visible()


class TestDataset:
    @pytest.mark.journey
    def test_shows_the_facts(self, page: Page, walk: Dataset) -> None:
        page.goto(f"/datasets/{walk.pk}/")
        about = page.get_by_role("complementary", name="About this dataset")
        expect(about).to_contain_text("40")
        expect(about.locator("[data-fact=step]")).to_have_text(re.compile("^1.min, "))
        expect(about.locator("[data-fact=silence]")).to_have_text("none")
        expect(about).to_contain_text("CSV or TSV table, 40 events read in 1 series")
        expect(page.get_by_role("region", name="Map of Walk")).to_be_visible()
        expect(page.get_by_role("link", name="Define landmarks")).to_have_class(re.compile("primary"))

    @pytest.mark.journey
    def test_leads_on_from_its_landmark_sets_and_releases(self, page: Page, released: Release) -> None:
        page.goto(f"/datasets/{released.dataset_id}/")
        expect(page.get_by_role("link", name="New release", exact=True)).to_have_class(re.compile("primary"))
        expect(page.locator("#landmark-sets tbody tr")).to_contain_text("3")
        row = page.locator("#releases tbody tr")
        expect(row).to_contain_text("ε = 1 per 200")
        with page.expect_download() as download:
            row.get_by_role("link", name=re.compile("^CSV")).click()
        assert download.value.suggested_filename.endswith(".csv")

    def test_reads_the_upload_in_another_way(self, page: Page, walk: Dataset) -> None:
        page.goto(f"/datasets/{walk.pk}/")
        page.get_by_text("Import settings").click()
        page.get_by_label("First n points").fill("7")
        page.get_by_role("button", name="Import again").click()
        expect(page.get_by_role("complementary", name="About this dataset")).to_contain_text("7 of 40")

    @pytest.mark.journey
    def test_sets_a_limit_to_the_budget(self, page: Page, released: Release, monitor: PageMonitor) -> None:
        monitor.expect(409)
        page.goto(f"/datasets/{released.dataset_id}/")
        page.get_by_text("Set a limit").click()
        page.get_by_label("Level ε").fill("0.5")
        page.get_by_role("button", name="Set", exact=True).click()
        expect(page.locator("[data-budget]").get_by_role("alert")).to_contain_text("has been spent already")
        page.get_by_label("Level ε").fill("4")
        page.get_by_role("button", name="Set", exact=True).click()
        expect(page.locator("#budget")).to_contain_text("1 of ε = 4 within 200")
        expect(page.get_by_role("banner")).to_contain_text("1 of 4 ε / 200\u202fm spent")

    @pytest.mark.journey
    def test_shows_a_release_that_runs_until_it_is_done(self, page: Page, walk: Dataset, owner: User) -> None:
        landmarks = mark_landmarks(owner=owner, dataset=walk, method={"name": "manual", "events": [1]})
        spec = ReleaseSpec.parse({"mechanism": {"name": "landmark-skip", "epsilon": 1.0, "radius_m": 200.0}})
        submit_release(owner=owner, dataset=walk, landmark_set=landmarks, spec=spec)
        page.goto(f"/datasets/{walk.pk}/")
        expect(page.locator("#releases")).to_contain_text("waiting for a worker")
        expect(page.get_by_role("button", name="1 job waiting")).to_be_visible()
        run_jobs()
        expect(page.locator("#releases tbody")).to_contain_text("done")
        expect(page.get_by_role("button", name="Jobs")).to_be_visible()

    def test_a_waiting_release_can_be_cancelled_from_the_drawer(self, page: Page, walk: Dataset, owner: User) -> None:
        landmarks = mark_landmarks(owner=owner, dataset=walk, method={"name": "manual", "events": [1]})
        spec = ReleaseSpec.parse({"mechanism": {"name": "landmark-skip", "epsilon": 1.0, "radius_m": 200.0}})
        release = submit_release(owner=owner, dataset=walk, landmark_set=landmarks, spec=spec)
        page.goto("/")
        page.get_by_role("button", name="1 job waiting").click()
        page.get_by_role("region", name="Jobs").get_by_role("button", name=re.compile("^Cancel")).click()
        expect(page.get_by_text("No jobs are waiting or running.", exact=False)).to_be_visible()
        release.refresh_from_db()
        assert release.state == State.CANCELLED

    def test_that_is_still_read_shows_itself_when_it_is_ready(self, page: Page, owner: User, monkeypatch: Any) -> None:
        monkeypatch.setattr("dashboard.datasets.services.NOW_PLAIN_BYTES", 10)
        dataset = import_dataset(owner=owner, upload=ContentFile(WALK, name="walk.csv"))
        page.goto(f"/datasets/{dataset.pk}/")
        expect(page.get_by_role("heading", name="Importing the file")).to_be_visible()
        run_jobs()
        expect(page.get_by_role("region", name="Map of walk.csv")).to_be_visible()

    def test_whose_reading_was_cancelled_is_read_after_all(self, page: Page, owner: User, monkeypatch: Any) -> None:
        monkeypatch.setattr("dashboard.datasets.services.NOW_PLAIN_BYTES", -1)
        dataset = import_dataset(owner=owner, upload=ContentFile(WALK, name="walk.csv"))
        queue.request_cancel(dataset)
        page.goto(f"/datasets/{dataset.pk}/")
        expect(page.get_by_text("The import was cancelled. The file is stored.")).to_be_visible()
        page.get_by_role("button", name="Retry").click()
        expect(page.locator("#unready").get_by_text("waiting for a worker")).to_be_visible()
        run_jobs()
        expect(page.get_by_role("link", name="Define landmarks").first).to_be_visible()

    @pytest.mark.journey
    def test_that_could_not_be_read_offers_settings(self, page: Page, owner: User, monkeypatch: Any) -> None:
        monkeypatch.setattr("dashboard.datasets.services.NOW_PLAIN_BYTES", 10)
        days = b"when,lat,lon\n01/02/2024 10:00,48,2\n02/02/2024 10:00,48,2\n"
        dataset = import_dataset(owner=owner, upload=ContentFile(days, name="days.csv"))
        run_jobs()
        page.goto(f"/datasets/{dataset.pk}/")
        expect(page.get_by_role("group", name=re.compile("more than one order"))).to_be_visible()
        page.get_by_role("button", name="Apply").click()
        expect(page.get_by_role("heading", name="Importing the file")).to_be_visible()
        run_jobs()
        expect(page.get_by_role("complementary", name="About this dataset")).to_contain_text("1 Feb 2024, 10:00")

    def test_crosses_the_antimeridian_without_going_round_the_world(
        self, page: Page, shared: Path, owner: User
    ) -> None:
        body = (shared / "hostile" / "34_antimeridian.csv").read_bytes()
        dataset = import_dataset(owner=owner, upload=ContentFile(body, name="34.csv"))
        page.goto(f"/datasets/{dataset.pk}/")
        expect(page.locator("[data-fact=step]")).to_have_text(re.compile(r"1\.0\d.km$"))

    def test_several_series_can_be_looked_at_one_by_one(self, page: Page, owner: User) -> None:
        lines = WALK.decode().splitlines()
        two = "\n".join([f"id,{lines[0]}", *(f"{'ab'[i % 2]},{line}" for i, line in enumerate(lines[1:]))])
        dataset = import_dataset(owner=owner, upload=ContentFile(two.encode(), name="two.csv"))
        page.goto(f"/datasets/{dataset.pk}/")
        page.locator(".people__one", has_text="b").click()
        expect_painted(page, "series")
        expect(page.locator("[data-fact=step]")).to_have_text(re.compile("^2.min"))
        expect(page.get_by_role("heading", name="1 of 2 people")).to_be_visible()
        page.get_by_role("button", name="Show all", exact=True).click()
        expect(page.get_by_role("heading", name="All 2 people")).to_be_visible()
        expect_painted(page, "original")

    def test_releases_are_listed_by_batch_and_a_batch_is_compared(
        self, page: Page, stays: LandmarkSet, pair: list[Release]
    ) -> None:
        Release.objects.update(created_at=now() - timedelta(hours=1))
        later = fixtures.released(stays, "skip")
        page.goto(f"/datasets/{stays.dataset_id}/")
        batch = page.locator("#releases [data-batch]")
        expect(batch).to_have_count(1)
        expect(batch.locator("tr")).to_have_count(1 + len(pair))
        expect(page.locator("#releases tbody")).to_have_count(1 + len(later))
        batch.get_by_role("checkbox").first.check()
        expect(page.locator("#releases [data-picked]")).to_have_text("2 releases chosen")
        batch.get_by_role("link", name=re.compile("^Compare this batch: 2 releases")).click()
        wait_until_ready(page)
        chosen = parse_qs(urlsplit(page.url).query)["release"]
        assert sorted(chosen) == sorted(str(one.pk) for one in pair)


@pytest.mark.parametrize(("place", "colour"), [("/", "dark"), ("/datasets/{}/", "light")])
def test_accessible_and_fits(
    open_page: Callable[..., Page], owner: User, released: Release, monitor: PageMonitor, place: str, colour: str
) -> None:
    monitor.expect(400, 422)
    page = open_page(owner, colour=colour)
    page.goto(place.format(released.dataset_id))
    page.wait_for_load_state("networkidle")
    if place == "/":
        page.get_by_text("Import settings").click()
        days = b"when,lat,lon\n01/02/2024 10:00,48,2\n02/02/2024 10:00,48,2\n"
        choose(page, table("good.csv", WALK + b",,\n"), table("empty.csv", b""), table("days.csv", days))
        expect(card(page, "good.csv")).to_contain_text("refused")
        expect(card(page, "days.csv").get_by_role("group")).to_be_visible()
    page.get_by_role("button", name="Jobs").click()
    assert faults_in_both_colours(page) == []
