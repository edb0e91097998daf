"""The preview of an upload: columns are assigned their roles, and the file is read with them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import Locator, Page, expect

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset
from dashboard.datasets.services import import_dataset
from dashboard.jobs.models import State
from tests.browser.conftest import DEVICES, PageMonitor, card, check_page, choose, run_jobs, table
from tests.engine.format_samples import GPX

UNHELPFUL = b"a;b;c;d\n" + b"".join(
    b"2024-06-15T10:%02d:00Z;48,5%02d;2,4%02d;u%d\n" % (i, i, i, i % 2) for i in range(30)
)


@pytest.fixture
def odd(owner: User, monkeypatch: Any) -> Dataset:
    """A dataset that could not be read, since its columns have no known names."""
    monkeypatch.setattr("dashboard.datasets.services.NOW_PLAIN_BYTES", 10)
    dataset = import_dataset(owner=owner, upload=ContentFile(UNHELPFUL, name="odd.csv"))
    run_jobs()
    return dataset


def preview(page: Page) -> Locator:
    return page.get_by_role("region", name="Preview of the first rows")


def role_of(page: Page, column: str) -> Locator:
    return preview(page).get_by_label(f"{column}, read as")


def opened(page: Page, dataset: Dataset) -> None:
    page.goto(f"/datasets/{dataset.pk}/")
    page.get_by_text("Import settings").click()
    expect(preview(page).get_by_role("columnheader").first).to_be_visible()


def test_a_refused_upload_leads_to_its_columns(page: Page, owner: User, monitor: PageMonitor) -> None:
    monitor.expect(400)
    page.goto("/")
    choose(page, table("odd.csv", UNHELPFUL))
    refused = card(page, "odd.csv")
    expect(refused).to_contain_text("Nothing of this file was stored.")
    assert not Dataset.objects.exists()
    refused.get_by_role("button", name="Choose columns").click()
    expect(preview(page)).to_contain_text("No latitude column was found")
    for column, role in (("b", "Latitude"), ("c", "Longitude"), ("a", "Time"), ("d", "Series")):
        role_of(page, column).select_option(role)
    page.get_by_role("button", name="Import as shown").click()
    expect(page.get_by_role("complementary", name="About this dataset")).to_contain_text("15 Jun 2024")
    assert Dataset.objects.get().state == State.READY


class TestUnhelpfulHeaders:
    @pytest.mark.journey
    def test_are_named_in_the_preview_and_points_appear(self, page: Page, odd: Dataset) -> None:
        page.goto(f"/datasets/{odd.pk}/")
        expect(preview(page)).to_contain_text("No latitude column was found")
        expect(preview(page).get_by_role("row")).to_have_count(9)
        for column, role in (("b", "Latitude"), ("c", "Longitude"), ("a", "Time"), ("d", "Series")):
            role_of(page, column).select_option(role)
        expect(preview(page)).to_contain_text("decimal comma")
        expect(preview(page).get_by_role("status")).to_have_count(0)
        expect(page.get_by_label("Latitude column")).to_have_value("#2")
        page.get_by_role("button", name="Import as shown").click()
        expect(page.get_by_role("heading", name="Importing the file")).to_be_visible()
        run_jobs()
        expect(page.get_by_role("complementary", name="About this dataset")).to_contain_text(
            "30 events read in 2 series"
        )
        odd.refresh_from_db()
        assert (odd.state, odd.points) == (State.READY, 30)

    def test_can_be_named_by_keyboard_alone(self, page: Page, odd: Dataset) -> None:
        page.goto(f"/datasets/{odd.pk}/")
        expect(role_of(page, "a")).to_be_visible()
        role_of(page, "a").focus()
        page.keyboard.press("Tab")
        expect(role_of(page, "b")).to_be_focused()
        page.keyboard.type("Lat")
        expect(preview(page)).to_contain_text("No longitude column was found")
        expect(role_of(page, "b")).to_be_focused()
        page.keyboard.press("Tab")
        page.keyboard.type("Lon")
        expect(preview(page).get_by_role("status")).to_have_count(0)
        expect(role_of(page, "b")).to_have_value("lat")
        expect(role_of(page, "c")).to_have_value("lon")
        rows = page.get_by_role("region", name="First rows of the file")
        rows.focus()
        expect(rows).to_be_focused()


class TestMapping:
    def test_is_that_of_the_reading_and_only_a_position_needs_both(self, page: Page, walk: Dataset) -> None:
        opened(page, walk)
        for column, role in (("time", "time"), ("lat", "lat"), ("lon", "lon")):
            expect(role_of(page, column)).to_have_value(role)
        expect(preview(page)).to_contain_text("2024-05-14T07:00:00Z")
        role_of(page, "time").select_option("not read")
        expect(page.get_by_label("Time column")).to_have_value("#0")
        expect(role_of(page, "time")).to_have_value("")
        expect(role_of(page, "lat").get_by_role("option", name="not read")).to_be_disabled()

    @pytest.mark.journey
    def test_two_columns_change_places_at_once(self, page: Page, walk: Dataset) -> None:
        opened(page, walk)
        role_of(page, "lat").select_option("Longitude")
        expect(role_of(page, "lon")).to_have_value("lat")
        expect(role_of(page, "lat")).to_have_value("lon")
        with page.expect_response("**/read/"):
            page.get_by_role("button", name="Import again").click()
        walk.refresh_from_db()
        west, south, _, _ = walk.summary["bounds"]
        assert (int(west), int(south)) == (48, 2)

    def test_follows_the_fields_below_it(self, page: Page, walk: Dataset, monitor: PageMonitor) -> None:
        monitor.expect(400)
        opened(page, walk)
        page.get_by_label("Separator", exact=True).select_option("semicolon")
        expect(preview(page).get_by_role("status")).to_be_visible()
        page.get_by_label("Separator", exact=True).select_option("detect")
        expect(preview(page).get_by_role("status")).to_have_count(0)
        page.get_by_label("Time zone").fill("Mars")
        expect(preview(page).get_by_role("status")).to_contain_text("time zone")

    def test_of_a_format_without_columns_states_so(self, page: Page, owner: User) -> None:
        gpx = import_dataset(owner=owner, upload=ContentFile(GPX, name="run.gpx"))
        page.goto(f"/datasets/{gpx.pk}/")
        page.get_by_text("Import settings").click()
        expect(preview(page)).to_contain_text("GPX has no columns to choose from")


@DEVICES
def test_accessible_and_fits(
    open_page: Callable[..., Page], owner: User, odd: Dataset, size: dict[str, int], colour: str
) -> None:
    page = open_page(owner, colour=colour, size=size)
    page.goto(f"/datasets/{odd.pk}/")
    role_of(page, "b").select_option("Latitude")
    expect(preview(page)).to_contain_text(re.compile("No longitude column"))
    check_page(page, both_colours=True)


def test_nothing_below_moves_when_the_rows_come(page: Page, walk: Dataset) -> None:
    page.goto(f"/datasets/{walk.pk}/")
    page.evaluate(
        """() => {
          window.shifts = 0;
          new PerformanceObserver((list) => list.getEntries().forEach((one) => (window.shifts += one.value)))
            .observe({ type: "layout-shift" });
        }"""
    )
    page.get_by_text("Import settings").click()
    expect(preview(page).get_by_role("columnheader").first).to_be_visible()
    role_of(page, "time").select_option("not read")
    expect(role_of(page, "time")).to_have_value("")
    assert page.evaluate("window.shifts") < 0.1
