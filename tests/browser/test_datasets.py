"""The list of datasets, and one dataset."""

import re
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import expect

from dashboard.datasets.models import Dataset
from dashboard.datasets.services import import_dataset
from dashboard.jobs import queue
from dashboard.jobs.models import State, now
from dashboard.releases.models import Release
from tests.browser.actions import downloaded, tab_to
from tests.browser.conftest import PHONE, WALK, run_jobs
from tests.browser.fixtures import released
from tests.browser.rendering import wait_until_ready
from tests.dashboard.api_helpers import UNIFORM
from tests.dashboard.release_runs import submitted

GUESS = {"what": "0, 0", "value": "none", "message": "The position 0, 0 stands for none.", "option": "zeros"}


@pytest.mark.journey
def test_datasets_are_renamed_tagged_found_and_deleted(page, owner, walk):
    for name in ("Pilot one.csv", "Pilot two.csv"):
        import_dataset(owner=owner, upload=ContentFile(WALK, name=name))
    page.goto("/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    tab_to(page, page.get_by_role("button", name="Rename Walk"))
    page.keyboard.press("Enter")
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("Stroll")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Stroll")).to_be_visible()
    expect(page.get_by_role("dialog")).to_be_hidden()
    rename = page.get_by_role("button", name="Rename Stroll")
    expect(rename).to_be_focused()
    rename.click()
    page.get_by_role("textbox", name="Tags").fill("reference, 2024")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("link", name="Datasets with tag reference")).to_be_visible()

    names, bulk = page.locator(".datasets__name"), page.locator("[data-bulk]")
    page.get_by_label("Select all shown").check()
    expect(bulk).to_contain_text("3 datasets selected")
    page.get_by_label("Search datasets").fill("pilot")
    expect(names).to_have_text(["Pilot two.csv", "Pilot one.csv"])
    expect(bulk).to_contain_text("2 datasets selected")  # what is no longer shown is not selected
    assert "search=pilot" in page.url
    page.locator("[name=ordering]").select_option("name")
    expect(names).to_have_text(["Pilot one.csv", "Pilot two.csv"])
    for name in ("one", "two"):
        page.get_by_label(f"Select Pilot {name}.csv").uncheck()
    expect(bulk).to_be_hidden()
    page.get_by_label("Select all shown").check()
    bulk.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", name="No dataset matches")).to_be_visible()
    page.get_by_role("link", name="Show all").click()
    expect(names).to_have_text(["Stroll"])
    assert Dataset.objects.get().tags == ["reference", "2024"]

    page.wait_for_load_state()  # a click before the scripts are there is lost
    delete = page.get_by_role("button", name="Delete Stroll")
    delete.click()
    page.get_by_role("button", name="Keep it").click()
    expect(names).to_have_text(["Stroll"])
    delete.click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", name="No datasets yet")).to_be_visible()
    assert not Dataset.objects.exists()


@pytest.mark.journey
def test_a_dataset_shows_its_facts_and_is_read_in_another_way(open_page, owner, walk):
    Dataset.objects.update(report={**(walk.report or {}), "guesses": [GUESS]})
    page = open_page(owner, size=PHONE)
    page.goto(f"/datasets/{walk.pk}/")
    about = page.get_by_role("complementary", name="About this dataset")
    expect(about).to_contain_text("40")
    expect(about.locator("[data-fact=step]")).to_have_text(re.compile("^1.min, "))
    expect(about.locator("[data-fact=silence]")).to_have_text("none")
    expect(about).to_contain_text("CSV or TSV table, 40 events read in 1 series")
    expect(page.get_by_role("region", name="Map of Walk")).to_be_visible()
    expect(page.get_by_role("link", name="Define landmarks")).to_have_class(re.compile("primary"))

    decided = page.locator("[data-decided]")
    expect(decided.locator("dl")).to_be_hidden()
    decided.locator("summary").click()
    expect(decided.locator("dl")).to_contain_text("Separator")
    page.get_by_role("button", name=f"Change: {GUESS['message']}").click()
    expect(page.get_by_label("Position 0, 0", exact=True)).to_be_focused()
    expect(page.get_by_text("everything else is decided again from the data")).to_be_visible()
    page.get_by_label("First n points").fill("7")
    page.locator("[data-submit-bar]").get_by_role("button", name="Import").click()
    expect(about).to_contain_text("7 of 40")


def test_datasets_that_wait_were_cancelled_or_could_not_be_read(page, owner, monkeypatch):
    monkeypatch.setattr("dashboard.datasets.services.NOW_PLAIN_BYTES", -1)

    def imported(body, name):
        return import_dataset(owner=owner, upload=ContentFile(body, name=name))

    page.goto(f"/datasets/{imported(WALK, 'walk.csv').pk}/")
    expect(page.get_by_role("heading", name="Importing the file")).to_be_visible()
    run_jobs()
    expect(page.get_by_role("region", name="Map of walk.csv")).to_be_visible()

    dataset = imported(WALK, "walk.csv")
    queue.request_cancel(dataset)
    page.goto(f"/datasets/{dataset.pk}/")
    expect(page.get_by_text("The import was cancelled. The file is stored.")).to_be_visible()
    page.get_by_role("button", name="Retry").click()
    expect(page.locator("#unready").get_by_text("waiting for a worker")).to_be_visible()
    run_jobs()
    expect(page.get_by_role("link", name="Define landmarks").first).to_be_visible()


def test_its_releases_are_listed_limited_downloaded_and_compared_by_batch(page, stays, pair, monitor):
    Release.objects.update(created_at=now() - timedelta(hours=1))
    released(stays, "skip")
    submitted(stays, UNIFORM | {"name": "landmark-skip"})
    Release.objects.filter(state=State.QUEUED).update(created_at=now() + timedelta(hours=1))
    page.goto(f"/datasets/{stays.dataset_id}/")
    expect(page.get_by_role("link", name="New release", exact=True)).to_have_class(re.compile("primary"))
    expect(page.locator("#landmark-sets tbody tr")).to_contain_text(str(stays.count))
    releases = page.locator("#releases")
    expect(releases).to_contain_text("waiting for a worker")
    expect(page.get_by_role("button", name="1 job waiting")).to_be_visible()
    page.get_by_text("Set a limit").click()
    level, limit = page.get_by_label("Level ε"), page.get_by_role("button", name="Set", exact=True)
    level.fill("0.5")
    run_jobs()
    expect(releases).not_to_contain_text("waiting for a worker")
    expect(page.get_by_role("button", name="Jobs")).to_be_visible()
    expect(level).to_have_value("0.5")  # the budget was drawn again meanwhile
    row = releases.locator("tr", has_text="Uniform")
    expect(row).to_contain_text("ε = 1 per 200")
    assert downloaded(row.get_by_role("link", name=re.compile("^CSV"))).suggested_filename.endswith(".csv")

    monitor.expect(409)
    limit.click()
    expect(page.locator("[data-budget]").get_by_role("alert")).to_contain_text("has been spent already")
    level.fill("8")
    limit.click()
    expect(page.locator("#budget")).to_contain_text("4 of ε = 8 within 200")
    expect(page.get_by_role("banner")).to_contain_text("4 of 8 ε / 200\u202fm spent")

    batch = releases.locator("[data-batch]")
    expect(batch).to_have_count(1)
    expect(batch.locator("tr")).to_have_count(1 + len(pair))
    expect(releases.locator("tbody")).to_have_count(3)
    batch.get_by_role("checkbox").first.check()
    expect(releases.locator("[data-picked]")).to_have_text("2 releases chosen")
    batch.get_by_role("link", name=re.compile("^Compare this batch: 2 releases")).click()
    wait_until_ready(page)
    found = parse_qs(urlsplit(page.url).query)["release"]
    assert sorted(found) == sorted(str(one.pk) for one in pair)
