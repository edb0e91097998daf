"""Uploading, and what is said about it; the list; one dataset."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import Locator, Page, expect

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset
from dashboard.datasets.services import import_dataset
from dashboard.jobs import State
from dashboard.landmarks.services import mark_landmarks
from dashboard.releases.models import Release
from dashboard.releases.services import submit_release
from privacy_engine.spec import ReleaseSpec
from tests.browser.conftest import PHONE, Watch, accessibility_faults, widths, work_off

WALK = b"time,lat,lon\n" + b"".join(
    b"2024-05-14T07:%02d:00Z,48.%d,2.%d\n" % (minute, 8462 + 3 * minute, 3412 + 7 * minute) for minute in range(40)
)


def table(name: str, body: bytes) -> dict[str, Any]:
    return {"name": name, "mimeType": "text/csv", "buffer": body}


def choose(page: Page, *files: Any) -> None:
    page.set_input_files("input[type=file]", list(files))


def card(page: Page, name: str) -> Locator:
    return page.get_by_role("article", name=name)


@pytest.fixture
def walk(owner: User) -> Dataset:
    """Forty minutes in Paris."""
    return import_dataset(owner=owner, upload=ContentFile(WALK, name="walk.csv"), name="Walk")


@pytest.fixture
def released(owner: User, walk: Dataset) -> Release:
    """A finished release of it."""
    landmarks = mark_landmarks(owner=owner, dataset=walk, method={"name": "manual", "events": [1, 2, 3]}, name="Home")
    spec = ReleaseSpec.parse({"mechanism": {"name": "landmark-uniform", "epsilon": 1.0, "radius_m": 200.0}})
    release = submit_release(owner=owner, dataset=walk, landmark_set=landmarks, spec=spec)
    work_off()
    return release


class TestUpload:
    def test_by_the_button(self, page: Page) -> None:
        page.goto("/")
        expect(page.get_by_role("heading", name="No datasets yet")).to_be_visible()
        expect(page.get_by_text("Up to 50", exact=False)).to_be_visible()
        with page.expect_file_chooser() as chooser:
            page.get_by_role("button", name="Choose files").click()
        chooser.value.set_files([table("walk.csv", WALK)])
        expect(card(page, "walk.csv")).to_contain_text("CSV, 40 points kept in 1 series")
        expect(card(page, "walk.csv")).to_contain_text("14 May 2024, 07:00 to 07:39 UTC")
        expect(page.get_by_role("row", name=re.compile("walk.csv"))).to_contain_text("40")

    def test_by_dropping_it_anywhere(self, page: Page) -> None:
        page.goto("/")
        page.evaluate(
            """body => {
              const carried = new DataTransfer();
              carried.items.add(new File([body], "dropped.csv", { type: "text/csv" }));
              const drag = (name) => new DragEvent(name, { dataTransfer: carried, bubbles: true, cancelable: true });
              document.querySelector("h1").dispatchEvent(drag("dragenter"));
              window.seen = document.querySelector("[data-drop-veil]").checkVisibility();
              document.querySelector("h1").dispatchEvent(drag("drop"));
            }""",
            WALK.decode(),
        )
        assert page.evaluate("seen")
        expect(card(page, "dropped.csv")).to_contain_text("40 points kept")
        expect(page.locator("[data-drop-veil]")).to_be_hidden()

    def test_several_at_once_each_with_its_outcome(self, page: Page, watch: Watch) -> None:
        watch.expect(400)
        page.goto("/")
        choose(page, table("good.csv", WALK), table("empty.csv", b""), table("also.csv", WALK))
        expect(card(page, "good.csv")).to_contain_text("40 points")
        expect(card(page, "also.csv")).to_contain_text("40 points")
        expect(card(page, "empty.csv").get_by_role("alert")).to_contain_text("The file is empty.")
        expect(page.locator("#datasets tbody tr")).to_have_count(2)

    def test_says_which_rows_were_refused_and_why(self, page: Page) -> None:
        bad = WALK + b"2024-05-14T08:00:00Z,,\n2024-05-14T08:01:00Z,91,2\n2024-05-14T08:02:00Z,92,2\n"
        page.goto("/")
        choose(page, table("bad.csv", bad))
        expect(card(page, "bad.csv")).to_contain_text("3 lines refused of 43")
        expect(card(page, "bad.csv").get_by_text("The position is not on the globe.")).to_be_visible()
        expect(card(page, "bad.csv")).to_contain_text("lines 43 and 44")

    def test_a_hostile_file_is_refused_in_words_and_leaves_nothing(self, page: Page, watch: Watch) -> None:
        watch.expect(400)
        laughs = b'<?xml version="1.0"?><!DOCTYPE gpx [<!ENTITY a "ha">]><gpx>&a;</gpx>'
        page.goto("/")
        choose(page, table("laughs.gpx", laughs))
        expect(card(page, "laughs.gpx").get_by_role("alert")).to_contain_text("DOCTYPE")
        expect(card(page, "laughs.gpx")).to_contain_text("Nothing of this file was kept.")
        assert not Dataset.objects.exists()

    def test_markup_in_a_file_is_text(self, page: Page) -> None:
        body = b"id,time,lat,lon\n<img src=x onerror=alert(1)>,2024-05-14T07:00:00Z,48,2\n"
        page.goto("/")
        choose(page, table("<b>bold<b>.csv", body))
        expect(card(page, "<b>bold<b>.csv")).to_contain_text("1 point kept")
        page.get_by_role("link", name="Open <b>bold<b>.csv").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("<b>bold<b>.csv")

    def test_asks_and_reads_it_as_answered(self, page: Page, watch: Watch) -> None:
        watch.expect(422)
        days = b"when,lat,lon\n01/02/2024 10:00,48,2\n02/02/2024 10:00,48,2\n"
        page.goto("/")
        choose(page, table("days.csv", days))
        question = card(page, "days.csv").get_by_role("group")
        expect(question).to_contain_text("more than one order")
        expect(question.get_by_label("day, month, year", exact=False)).to_be_checked()
        assert not Dataset.objects.exists()
        question.get_by_label("month, day, year", exact=False).check()
        card(page, "days.csv").get_by_role("button", name="Read it so").click()
        expect(card(page, "days.csv")).to_contain_text("2 Jan 2024, 10:00 to 2 Feb 2024")

    def test_a_guess_can_be_changed(self, page: Page) -> None:
        local = b"when,lat,lon\n2024-02-13 10:00,48,2\n2024-02-14 10:00,48,2\n"
        page.goto("/")
        choose(page, table("local.csv", local))
        card(page, "local.csv").get_by_role("button", name=re.compile("^Change: .*zone")).click()
        expect(page.get_by_label("Time zone").last).to_have_value("UTC")
        page.get_by_label("Time zone").last.fill("Asia/Tokyo")
        page.keyboard.press("Enter")
        expect(card(page, "local.csv")).to_contain_text("13 Feb 2024, 01:00")

    def test_with_a_reading_option_set_before(self, page: Page) -> None:
        page.goto("/")
        page.get_by_text("How to read the file").click()
        page.get_by_label("First n points").fill("5")
        choose(page, table("walk.csv", WALK))
        expect(card(page, "walk.csv")).to_contain_text("5 of 40")

    def test_too_large_is_said_before_it_is_sent(self, page: Page, settings: Any) -> None:
        settings.CAIRN_UPLOAD_BYTES = 1000
        page.goto("/")
        choose(page, table("large.csv", b"x" * 1001))
        expect(card(page, "large.csv").get_by_role("alert")).to_contain_text("up to 1\u202fkB")
        assert not Dataset.objects.exists()

    def test_can_be_cancelled_while_it_is_sent(self, page: Page) -> None:
        page.goto("/")
        page.route("**/api/v1/datasets/", lambda route: None if route.request.method == "POST" else route.continue_())
        choose(page, table("slow.csv", WALK))
        page.get_by_role("button", name="Cancel slow.csv").click()
        expect(card(page, "slow.csv")).to_contain_text("Cancelled. Nothing of this file was kept.")

    def test_a_large_one_is_read_by_a_worker_while_the_page_tells(
        self, page: Page, worker: None, monkeypatch: Any
    ) -> None:
        monkeypatch.setattr("dashboard.datasets.services.NOW_PLAIN_BYTES", 10)
        page.goto("/")
        choose(page, table("walk.csv", WALK))
        expect(card(page, "walk.csv")).to_contain_text("40 points kept")
        expect(page.get_by_role("row", name=re.compile("walk.csv"))).to_contain_text("ready")

    def test_works_without_scripts(self, open_page: Callable[..., Page], owner: User, watch: Watch) -> None:
        watch.expect(400)
        page = open_page(owner, java_script_enabled=False)
        page.goto("/")
        page.get_by_label("Location files").set_input_files([table("walk.csv", WALK)])
        page.get_by_role("button", name="Upload").click()
        expect(page.get_by_role("row", name=re.compile("walk.csv"))).to_contain_text("40")
        page.get_by_label("Location files").set_input_files([table("empty.csv", b"")])
        page.get_by_role("button", name="Upload").click()
        expect(page.get_by_role("alert")).to_contain_text("The file is empty.")


class TestList:
    def test_rename(self, page: Page, walk: Dataset) -> None:
        page.goto("/")
        page.get_by_role("button", name="Rename Walk").click()
        page.get_by_label("Name", exact=True).fill("Along the Seine")
        page.keyboard.press("Enter")
        expect(page.get_by_role("link", name="Along the Seine")).to_be_visible()
        expect(page.get_by_role("dialog")).to_be_hidden()

    def test_delete_asks_first(self, page: Page, walk: Dataset) -> None:
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
        for _ in range(12):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.getAttribute('aria-label')") == "Rename Walk":
                break
        page.keyboard.press("Enter")
        page.keyboard.press("ControlOrMeta+A")
        page.keyboard.type("Stroll")
        page.keyboard.press("Enter")
        expect(page.get_by_role("link", name="Stroll")).to_be_visible()
        expect(page.get_by_role("button", name="Rename Stroll")).to_be_focused()

    def test_another_owners_datasets_are_not_there(
        self, open_page: Callable[..., Page], walk: Dataset, watch: Watch
    ) -> None:
        watch.expect(404)
        page = open_page(User.objects.create_user("stranger"))
        page.goto("/")
        expect(page.get_by_role("heading", name="No datasets yet")).to_be_visible()
        page.goto(f"/datasets/{walk.pk}/")
        expect(page.get_by_role("heading", name="Nothing here")).to_be_visible()


class TestDataset:
    def test_tells_the_facts(self, page: Page, walk: Dataset) -> None:
        page.goto(f"/datasets/{walk.pk}/")
        about = page.get_by_role("complementary", name="About this dataset")
        expect(about).to_contain_text("40")
        expect(about.locator("[data-fact=step]")).to_have_text(re.compile("^1.min, "))
        expect(about.locator("[data-fact=silence]")).to_have_text("none")
        expect(about).to_contain_text("CSV, 40 points kept in 1 series")
        expect(page.get_by_role("region", name="Map of Walk")).to_be_visible()
        expect(page.get_by_role("link", name="Mark landmarks")).to_have_class(re.compile("primary"))

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
        page.get_by_text("Read it in another way").click()
        page.get_by_label("First n points").fill("7")
        page.get_by_role("button", name="Read it again").click()
        expect(page.get_by_role("complementary", name="About this dataset")).to_contain_text("7 of 40")

    def test_sets_a_limit_to_the_budget(self, page: Page, released: Release, watch: Watch) -> None:
        watch.expect(409)
        page.goto(f"/datasets/{released.dataset_id}/")
        page.get_by_text("Set a limit").click()
        page.get_by_label("Level ε").fill("0.5")
        page.get_by_role("button", name="Set", exact=True).click()
        expect(page.locator("[data-budget]").get_by_role("alert")).to_contain_text("has been spent already")
        page.get_by_label("Level ε").fill("4")
        page.get_by_role("button", name="Set", exact=True).click()
        expect(page.locator("#budget")).to_contain_text("1 of ε = 4 within 200")
        expect(page.get_by_role("banner")).to_contain_text("1 of 4 ε spent")

    def test_shows_a_release_that_runs_until_it_is_done(self, page: Page, walk: Dataset, owner: User) -> None:
        landmarks = mark_landmarks(owner=owner, dataset=walk, method={"name": "manual", "events": [1]})
        spec = ReleaseSpec.parse({"mechanism": {"name": "landmark-skip", "epsilon": 1.0, "radius_m": 200.0}})
        submit_release(owner=owner, dataset=walk, landmark_set=landmarks, spec=spec)
        page.goto(f"/datasets/{walk.pk}/")
        expect(page.locator("#releases")).to_contain_text("waiting for a worker")
        expect(page.get_by_role("button", name="1 job waiting")).to_be_visible()
        work_off()
        expect(page.locator("#releases tbody")).to_contain_text("done")
        expect(page.get_by_role("button", name="Jobs")).to_be_visible()

    def test_a_waiting_release_can_be_cancelled_from_the_drawer(self, page: Page, walk: Dataset, owner: User) -> None:
        landmarks = mark_landmarks(owner=owner, dataset=walk, method={"name": "manual", "events": [1]})
        spec = ReleaseSpec.parse({"mechanism": {"name": "landmark-skip", "epsilon": 1.0, "radius_m": 200.0}})
        release = submit_release(owner=owner, dataset=walk, landmark_set=landmarks, spec=spec)
        page.goto("/")
        page.get_by_role("button", name="1 job waiting").click()
        page.get_by_role("region", name="Jobs").get_by_role("button", name=re.compile("^Cancel")).click()
        expect(page.get_by_text("Nothing is running.", exact=False)).to_be_visible()
        release.refresh_from_db()
        assert release.state == State.CANCELLED

    def test_that_is_still_read_shows_itself_when_it_is_ready(self, page: Page, owner: User, monkeypatch: Any) -> None:
        monkeypatch.setattr("dashboard.datasets.services.NOW_PLAIN_BYTES", 10)
        dataset = import_dataset(owner=owner, upload=ContentFile(WALK, name="walk.csv"))
        page.goto(f"/datasets/{dataset.pk}/")
        expect(page.get_by_role("heading", name="The file is being read")).to_be_visible()
        work_off()
        expect(page.get_by_role("region", name="Map of walk.csv")).to_be_visible()

    def test_that_could_not_be_read_asks(self, page: Page, owner: User, monkeypatch: Any) -> None:
        monkeypatch.setattr("dashboard.datasets.services.NOW_PLAIN_BYTES", 10)
        days = b"when,lat,lon\n01/02/2024 10:00,48,2\n02/02/2024 10:00,48,2\n"
        dataset = import_dataset(owner=owner, upload=ContentFile(days, name="days.csv"))
        work_off()
        page.goto(f"/datasets/{dataset.pk}/")
        expect(page.get_by_role("group", name=re.compile("more than one order"))).to_be_visible()
        page.get_by_role("button", name="Read it so").click()
        expect(page.get_by_role("heading", name="The file is being read")).to_be_visible()
        work_off()
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
        page.get_by_label("Series", exact=True).select_option("1")
        expect(page.locator("[data-fact=step]")).to_have_text(re.compile("^2.min"))


PLACES = ["/", "/datasets/{}/"]


@pytest.mark.parametrize("colour", ["light", "dark"])
@pytest.mark.parametrize("place", PLACES)
def test_everybody_can_use_it(
    open_page: Callable[..., Page], owner: User, released: Release, watch: Watch, place: str, colour: str
) -> None:
    watch.expect(400, 422)
    page = open_page(owner, colour=colour)
    page.goto(place.format(released.dataset_id))
    page.wait_for_load_state("networkidle")
    if place == "/":
        page.get_by_text("How to read the file").click()
        days = b"when,lat,lon\n01/02/2024 10:00,48,2\n02/02/2024 10:00,48,2\n"
        choose(page, table("good.csv", WALK + b",,\n"), table("empty.csv", b""), table("days.csv", days))
        expect(card(page, "good.csv")).to_contain_text("refused")
        expect(card(page, "days.csv").get_by_role("group")).to_be_visible()
    page.get_by_role("button", name="Jobs").click()
    assert accessibility_faults(page) == []


@pytest.mark.parametrize("place", PLACES)
def test_fits_a_phone(phone: Page, released: Release, place: str) -> None:
    phone.goto(place.format(released.dataset_id))
    phone.wait_for_load_state("networkidle")
    document, window = widths(phone)
    assert document <= window == PHONE["width"]
