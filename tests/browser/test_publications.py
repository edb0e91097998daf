"""Public links in a browser: made, read without an account, listed where their dataset is deleted, revoked."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from dashboard.landmarks.models import LandmarkSet
from dashboard.publications.models import Publication
from dashboard.publications.services import publish_release
from dashboard.releases.models import Release
from tests.browser.conftest import PageMonitor
from tests.browser.fixtures import released
from tests.browser.rendering import painted, wait_until_ready

READY = "[data-public]"


@pytest.fixture
def release(stays: LandmarkSet) -> Release:
    """Skip of the taxi day."""
    return released(stays, "skip", radius_m=200.0)[0]


@pytest.mark.journey
def test_a_link_is_made_read_by_anyone_and_revoked(
    page: Page, release: Release, open_page: Callable[..., Page], monitor: PageMonitor
) -> None:
    page.goto(f"/datasets/{release.dataset_id}/")
    page.get_by_role("link", name="Publish").first.click()
    page.get_by_label("Public title").fill("A day of a taxi")
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_text("A day of a taxi is published")).to_be_visible()
    link = page.get_by_label("Public link of A day of a taxi").input_value()
    before = len(monitor.requests)
    reader = open_page()
    reader.goto(link)
    wait_until_ready(reader, READY)
    assert painted(reader, "published") > 300
    assert not [url for url in monitor.requests[before:] if "/api/" in url or "/datasets/" in url]
    expect(reader.get_by_role("heading", name="A day of a taxi")).to_be_visible()
    circle = reader.locator("[data-circle=half]")
    small = circle.get_attribute("r") or ""
    reader.get_by_role("button", name="Zoom in").click()
    expect(circle).not_to_have_attribute("r", small)
    assert float(circle.get_attribute("r") or "0") > float(small) > 0
    with reader.expect_download() as download:
        reader.get_by_role("link", name="CSV table").click()
    assert download.value.suggested_filename == "A-day-of-a-taxi.csv"
    page.get_by_role("button", name="Revoke the link of A day of a taxi").click()
    expect(page.get_by_text("is revoked")).to_be_visible()
    monitor.expected = {404}
    reader.goto(link)
    expect(reader.get_by_role("heading", name="Nothing is published here")).to_be_visible()


@pytest.mark.parametrize("revoke", [True, False], ids=["revoked", "kept"])
def test_it_is_named_where_its_dataset_is_deleted(page: Page, release: Release, revoke: bool) -> None:
    page.goto(f"/datasets/{release.dataset_id}/compare/")
    expect(page.locator(f"a[href='/releases/{release.pk}/publish/']").first).to_be_attached()
    publish_release(release=release, title="A day of a taxi")
    page.goto("/")
    page.get_by_role("button", name="Delete").last.click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator("[data-links-list]")).to_have_text("A day of a taxi")
    if revoke:
        dialog.get_by_label("Also revoke these public links").check()
    dialog.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", name="No datasets yet")).to_be_visible()
    assert Publication.objects.exists() is not revoke
