"""A dataset's landmark sets: two actions at hand, the others in a menu; what is pressed is painted."""

from __future__ import annotations

import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import Locator, Page, expect

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset
from dashboard.datasets.services import import_dataset
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.services import mark_landmarks
from tests.browser.conftest import WALK
from tests.browser.drawn import expect_painted


@pytest.fixture
def walk(owner: User) -> Dataset:
    return import_dataset(owner=owner, upload=ContentFile(WALK, name="walk.csv"), name="Walk")


@pytest.fixture
def home(owner: User, walk: Dataset) -> LandmarkSet:
    return mark_landmarks(owner=owner, dataset=walk, method={"name": "manual", "events": [1, 2, 3]}, name="Home")


def open_dataset(page: Page, walk: Dataset) -> None:
    page.goto(f"/datasets/{walk.pk}/")
    expect_painted(page, "landmarks")


def row(page: Page, landmark_set: LandmarkSet) -> Locator:
    return page.locator(f"#set-{landmark_set.pk}")


def more(page: Page, name: str) -> Locator:
    return page.get_by_label(f"More for {name}", exact=True)


class TestNames:
    def test_renamed_where_it_stands(self, page: Page, walk: Dataset, home: LandmarkSet) -> None:
        open_dataset(page, walk)
        more(page, "Home").click()
        page.get_by_role("button", name="Rename", exact=True).last.click()
        page.get_by_label("Name", exact=True).fill("Home and work")
        page.keyboard.press("Enter")
        expect(row(page, home).get_by_role("rowheader")).to_have_text("Home and work")
        expect(more(page, "Home and work")).to_be_focused()
        assert LandmarkSet.objects.get().name == "Home and work"

    def test_duplicated_and_renamed_again_and_deleted(self, page: Page, walk: Dataset, home: LandmarkSet) -> None:
        open_dataset(page, walk)
        more(page, "Home").click()
        page.get_by_role("button", name="Duplicate").click()
        expect(page.get_by_role("rowheader", name="Home, copy")).to_be_visible()
        copy = LandmarkSet.objects.exclude(pk=home.pk).get()
        assert (copy.mask == home.mask).all()
        shown = row(page, home).get_by_role("button", name="Show Home on the map")
        expect(shown).to_have_attribute("aria-pressed", "true")  # as the map has it, though the copy is listed first
        more(page, "Home, copy").click()
        row(page, copy).get_by_role("button", name="Delete").click()
        page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        expect(page.get_by_role("rowheader", name="Home, copy")).to_have_count(0)
        assert LandmarkSet.objects.get() == home
