"""Landmarks by schedule in the editor: windows, time zone and dates, counted and saved."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.services import mark_landmarks
from tests.browser.conftest import DEVICES, PHONE, PageMonitor, check_page
from tests.browser.landmark_editor import edit, expect_marked, save

ZONE = "Europe/Paris"


def choose(page: Page) -> None:
    page.get_by_role("button", name="Schedule", exact=True).click()
    page.get_by_label("Time zone").fill(ZONE)


@pytest.mark.journey
def test_what_is_counted_is_what_is_saved(page: Page, owner: User, taxi: Dataset) -> None:
    windows = [
        {"days": ["mon", "tue", "wed", "thu", "fri"], "start": "08:15", "end": "12:00"},
        {"days": ["sat", "sun"], "start": "00:00", "end": "24:00"},
        {"days": ["mon"], "start": "23:00", "end": "03:00"},
    ]
    method = {"name": "schedule", "windows": windows, "time_zone": ZONE}
    expected = mark_landmarks(owner=owner, dataset=taxi, method=method)
    edit(page, taxi)
    choose(page)
    first = page.get_by_role("group", name="Window 1")
    for day in ("Saturday", "Sunday"):
        first.get_by_role("button", name=day).click()
    first.get_by_label("From").fill("08:15")
    first.get_by_label("To").fill("12:00")
    page.get_by_role("button", name="Add a window").click()
    second = page.get_by_role("group", name="Window 2")
    for day in ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"):
        second.get_by_role("button", name=day).click()
    second.get_by_label("All day").check()
    page.get_by_role("button", name="Add a window").click()
    third = page.get_by_role("group", name="Window 3")
    for day in ("Monday", "Saturday", "Sunday"):
        third.get_by_role("button", name=day).click()
    third.get_by_label("All day").uncheck()
    third.get_by_label("From").fill("23:00")
    third.get_by_label("To").fill("03:00")
    expect(third).to_contain_text("next day")
    expect_marked(page, expected.count)
    made = save(page, taxi)
    assert made.method == method | {"first_date": None, "last_date": None}
    assert (made.mask == expected.mask).all()
    assert made.pk != expected.pk


def test_a_copy_begins_as_it_was_saved_and_undo_brings_windows_back(page: Page, owner: User, taxi: Dataset) -> None:
    method = {
        "name": "schedule",
        "windows": [{"days": ["mon", "sun"], "start": "07:00", "end": "24:00"}],
        "time_zone": "Asia/Tokyo",
        "first_date": "2000-01-01",
        "last_date": None,
    }
    source = mark_landmarks(owner=owner, dataset=taxi, method=method)
    edit(page, taxi, f"?from={source.pk}")
    expect(page.get_by_label("Time zone")).to_have_value("Asia/Tokyo")
    expect(page.get_by_label("First date")).to_have_value("2000-01-01")
    page.get_by_role("button", name="Add a window").click()
    page.get_by_role("button", name="Remove window 1").click()
    expect(page.get_by_role("group", name="Window 2")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("group", name="Window 2")).to_have_count(1)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("group", name="Window 2")).to_have_count(0)
    assert save(page, taxi).method == method
    assert LandmarkSet.objects.filter(dataset=taxi).count() == 2


def test_fail_an_unknown_zone_and_a_window_without_an_end_or_a_time(
    page: Page, monitor: PageMonitor, taxi: Dataset
) -> None:
    monitor.expect(400)
    edit(page, taxi)
    choose(page)
    page.get_by_label("Time zone").fill("Mars/Olympus")
    error = page.locator("[data-field=time_zone] .field__error")
    expect(error).to_contain_text("Must be the name of a time zone")
    expect(page.get_by_label("Time zone")).to_have_attribute("aria-invalid", "true")
    page.get_by_label("Time zone").fill(ZONE)
    expect(error).to_be_hidden()
    error = page.locator("[data-field=windows] > .field__error")
    page.get_by_label("From").fill("06:00")
    expect(error).to_contain_text("Must have an end other than its start")
    page.get_by_label("From").fill("")
    expect(error).to_contain_text("Must be a time of day")


@DEVICES
def test_the_form_is_accessible_and_fits(
    open_page: Any, owner: User, taxi: Dataset, size: dict[str, int], colour: str
) -> None:
    more = {"has_touch": True, "is_mobile": True} if size is PHONE else {}
    page = open_page(owner, colour=colour, size=size, **more)
    edit(page, taxi)
    choose(page)
    page.get_by_role("button", name="Add a window").click()
    check_page(page, both_colours=True)
