"""Terms of the glossary: shown on hover, focus and tap, and hidden again."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from dashboard.accounts.models import User
from dashboard.core.templatetags.glossary import GLOSSARY
from dashboard.datasets.models import Dataset
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.services import mark_landmarks
from dashboard.releases.services import submit_release
from privacy_engine.spec import ReleaseSpec
from tests.browser.conftest import DEVICES, PHONE, assert_fits, check_page, faults_in_both_colours, run_jobs


@pytest.fixture
def landmarks(owner: User, walk: Dataset) -> LandmarkSet:
    return mark_landmarks(owner=owner, dataset=walk, method={"name": "manual", "events": [1, 2, 3]}, name="Home")


@pytest.fixture
def composer(landmarks: LandmarkSet) -> str:
    return f"/datasets/{landmarks.dataset_id}/releases/new/"


def term(page: Page, name: str) -> Locator:
    return page.locator(f".term[popovertarget=term-{name}]")


def note(page: Page, name: str) -> Locator:
    return page.locator(f"#term-{name}")


def moved_by(page: Page, act: Callable[[], Any]) -> float:
    """How far the layout shifted while acting, as the browser counts it (user input or not)."""
    page.evaluate(
        """() => {
          window.shifted = 0;
          new PerformanceObserver((list) => list.getEntries().forEach((one) => (window.shifted += one.value)))
            .observe({ type: "layout-shift", buffered: false });
        }"""
    )
    act()
    page.wait_for_timeout(200)
    return page.evaluate("window.shifted")


class TestSentence:
    @pytest.mark.journey
    def test_hover_shows_it_and_leaving_hides_it(self, page: Page, composer: str) -> None:
        page.goto(composer)
        term(page, "fresh-noise").hover()
        expect(note(page, "fresh-noise")).to_be_visible()
        expect(note(page, "fresh-noise")).to_contain_text(GLOSSARY["fresh-noise"].meaning)
        note(page, "fresh-noise").hover()
        page.wait_for_timeout(300)  # longer than the grace for the way there
        expect(note(page, "fresh-noise")).to_be_visible()
        page.mouse.move(5, 5)
        expect(note(page, "fresh-noise")).to_be_hidden()

    def test_focus_shows_it_escape_hides_it_and_enter_brings_it_back(self, page: Page, composer: str) -> None:
        page.goto(composer)
        term(page, "epsilon").focus()
        expect(note(page, "epsilon")).to_be_visible()
        page.keyboard.press("Tab")
        expect(note(page, "epsilon")).to_be_hidden()
        expect(note(page, "radius")).to_be_visible()
        page.keyboard.press("Escape")
        expect(note(page, "radius")).to_be_hidden()
        expect(term(page, "radius")).to_be_focused()
        page.keyboard.press("Enter")
        expect(note(page, "radius")).to_be_visible()

    def test_tap_shows_it_and_a_tap_elsewhere_hides_it(self, phone: Page, composer: str) -> None:
        phone.goto(composer)
        term(phone, "w-event").tap()
        expect(note(phone, "w-event")).to_be_visible()
        box, width = note(phone, "w-event").bounding_box(), PHONE["width"]
        assert box["x"] >= 12
        assert box["x"] + box["width"] <= width - 12
        term(phone, "w-event").tap()
        expect(note(phone, "w-event")).to_be_visible()
        phone.get_by_role("heading", name="Mechanisms").tap()
        expect(note(phone, "w-event")).to_be_hidden()

    def test_nothing_moves(self, page: Page, composer: str) -> None:
        page.goto(composer)
        page.wait_for_selector("[data-form][data-ready=all]")
        assert moved_by(page, lambda: term(page, "epsilon").hover()) == 0
        expect(note(page, "epsilon")).to_be_visible()
        assert_fits(page)

    def test_is_the_accessible_description(self, page: Page, composer: str) -> None:
        page.goto(composer)
        expect(page.get_by_role("button", name="level", exact=True)).to_have_accessible_description(
            f"Level {GLOSSARY['level'].meaning}"
        )
        title = re.compile(r"^Privacy parameters \( ?ε ?, ?radius r ?\)$")  # browsers may put spaces around its buttons
        expect(page.get_by_role("heading", name=title)).to_be_visible()

    @pytest.mark.journey
    def test_works_without_scripts(self, open_page: Callable[..., Page], owner: User) -> None:
        page = open_page(owner, java_script_enabled=False)
        page.goto("/")
        term(page, "release").click()
        expect(note(page, "release")).to_be_visible()


class TestTermsOfScripts:
    def test_a_regular_event_in_the_editor(self, page: Page, landmarks: LandmarkSet) -> None:
        page.goto(f"/datasets/{landmarks.dataset_id}/landmarks/new/?from={landmarks.pk}")
        term(page, "regular-event").hover()
        expect(note(page, "regular-event")).to_contain_text("not a landmark")

    def test_the_level_of_a_guarantee(self, page: Page, owner: User, landmarks: LandmarkSet) -> None:
        spec = ReleaseSpec.parse({"mechanism": {"name": "w-event", "epsilon": 1.0, "radius_m": 200.0, "window": 3}})
        submit_release(owner=owner, dataset=landmarks.dataset, landmark_set=landmarks, spec=spec)
        run_jobs()
        page.goto(f"/datasets/{landmarks.dataset_id}/compare/")
        term(page, "w-event").focus()
        expect(note(page, "w-event")).to_be_visible()
        expect(page.locator("[data-guarantee] h3")).to_contain_text("w-event privacy, 200")


@DEVICES
def test_pages_with_a_sentence_open_are_accessible(
    open_page: Callable[..., Page], owner: User, composer: str, colour: str, size: dict[str, int]
) -> None:
    more = {"has_touch": True, "is_mobile": True} if size is PHONE else {}
    page = open_page(owner, colour=colour, size=size, **more)
    page.goto(composer)
    page.wait_for_selector("[data-form][data-ready=all]")
    term(page, "epsilon").focus()
    expect(note(page, "epsilon")).to_be_visible()
    assert faults_in_both_colours(page) == []
    page.goto("/glossary/")
    check_page(page, both_colours=True)
