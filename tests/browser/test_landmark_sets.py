"""A dataset's landmark sets: two actions at hand, the others in a menu; what is pressed is painted."""

import re

import pytest
from playwright.sync_api import expect

from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.services import mark_landmarks
from tests.browser.rendering import expect_painted, painted

ZONE = {"type": "Circle", "center": [2.352, 48.851], "radius_m": 300.0, "label": "Clinic"}


@pytest.fixture
def home(owner, walk):
    return mark_landmarks(owner=owner, dataset=walk, method={"name": "manual", "events": [1, 2, 3]}, name="Home")


@pytest.fixture
def clinic(owner, walk, home):
    return mark_landmarks(owner=owner, dataset=walk, method={"name": "zones", "zones": [ZONE]}, name="Clinic")


def open_dataset(page, walk):
    page.goto(f"/datasets/{walk.pk}/")
    expect_painted(page, "landmarks")


def row(page, landmark_set):
    return page.locator(f"#set-{landmark_set.pk}")


def more(page, name):
    return page.get_by_label(f"More for {name}", exact=True)


@pytest.mark.journey
def test_a_set_is_duplicated_deleted_and_renamed(page, walk, home):
    open_dataset(page, walk)
    panel = row(page, home).locator(".menu__panel")
    more(page, "Home").click()
    expect(panel).to_be_visible()
    page.get_by_role("heading", name="Walk", exact=True).click()
    expect(panel).to_be_hidden()
    more(page, "Home").focus()
    page.keyboard.press("Enter")
    expect(panel).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(panel.get_by_role("link", name="Compare its releases")).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(panel.get_by_role("button", name="Delete")).to_be_focused()
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(more(page, "Home")).to_be_focused()

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

    more(page, "Home").click()
    page.get_by_role("button", name="Rename", exact=True).last.click()
    page.get_by_label("Name", exact=True).fill("Home and work")
    page.keyboard.press("Enter")
    expect(row(page, home).get_by_role("rowheader")).to_have_text("Home and work")
    expect(more(page, "Home and work")).to_be_focused()
    assert LandmarkSet.objects.get().name == "Home and work"


def test_a_press_paints_a_set_and_another_one_is_compared(page, walk, clinic):
    open_dataset(page, walk)
    expect_painted(page, "zones")
    zoned = painted(page, "landmarks")
    show = page.get_by_role("button", name="Show Home on the map")
    show.click()
    expect(page.locator("canvas[data-layer=zones]")).to_have_count(0)
    expect_painted(page, "landmarks", lambda pixels: 100 < pixels != zoned)
    show.click()
    expect(page.locator("canvas[data-layer=landmarks]")).to_have_count(0)
    more(page, "Clinic").click()
    row(page, clinic).get_by_role("link", name="Compare with another set").click()
    page.wait_for_url(re.compile(r"/landmarks/new/\?from=.*&against="))
    expect(page.get_by_label("Compare with")).to_have_value(str(LandmarkSet.objects.get(name="Home").pk))
    expect(page.locator("[data-overlap]")).to_contain_text("Only in Home")
    expect_painted(page, "other")
