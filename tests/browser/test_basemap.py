"""The base map in a browser: which requests go to which server, and none before consent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset
from tests.browser.conftest import DEVICES, PageMonitor, faults_in_both_colours
from tests.browser.fixtures import HOST
from tests.pmtiles import streets

SENTENCE = "The tile server tiles.example.org sees which area you view."


@pytest.fixture
def requested(page: Page, monitor: PageMonitor) -> list[dict[str, str]]:
    """The headers of every request to the tile server, which answers them all."""
    found: list[dict[str, str]] = []

    def answer(route: Route) -> None:
        found.append(route.request.all_headers())
        route.fulfill(content_type="image/png", body=streets(13, 0, 0))

    monitor.others = (HOST,)
    page.context.route(f"{HOST}/**", answer)
    return found


def open_map(page: Page, walk: Dataset) -> Locator:
    page.goto(f"/datasets/{walk.pk}/")
    page.wait_for_selector(".map canvas[data-drawn]")
    page.wait_for_load_state("networkidle")
    return page.locator(".map-note")


def loaded(page: Page) -> int:
    """How many tiles are shown."""
    return page.evaluate(
        "[...document.querySelectorAll('.base-tiles img')].filter((one) => one.naturalWidth === 256).length"
    )


def wait_for_tiles(page: Page) -> None:
    expect(page.locator(".base-tiles img.leaflet-tile-loaded").first).to_be_attached()


def height(page: Page, selector: str) -> int:
    """How far above the ground a pane of the map lies."""
    return int(page.eval_on_selector(selector, "(pane) => getComputedStyle(pane).zIndex"))


class TestNone:
    def test_is_the_default(self, page: Page, walk: Dataset, monitor: PageMonitor) -> None:
        note = open_map(page, walk)
        expect(note).to_have_text("No base map: no tile server sees which area you view.")
        expect(page.get_by_role("checkbox", name="Base map")).to_have_count(0)
        assert [url for url in monitor.requests if "tiles" in url] == []


class TestOfThisServer:
    @pytest.mark.journey
    def test_shown_below_everything_and_turned_off_for_good(self, page: Page, walk: Dataset, served: None) -> None:
        note = open_map(page, walk)
        expect(note).to_contain_text("Streets made up")
        wait_for_tiles(page)
        assert loaded(page) > 0
        assert height(page, ".leaflet-tile-pane") < height(page, ".leaflet-overlay-pane")
        expect(page.locator(".leaflet-tile-pane .base-tiles")).to_have_count(1)
        page.get_by_role("checkbox", name="Base map").uncheck()
        expect(page.locator(".base-tiles")).to_have_count(0)
        open_map(page, walk)
        expect(page.get_by_role("checkbox", name="Base map")).not_to_be_checked()
        expect(page.locator(".base-tiles")).to_have_count(0)
        page.get_by_role("checkbox", name="Base map").check()
        wait_for_tiles(page)

    def test_requests_nothing_beyond_the_files_bounds_and_zooms(
        self, page: Page, walk: Dataset, served: None, monitor: PageMonitor
    ) -> None:
        open_map(page, walk)
        page.locator(".map").focus()
        for _ in range(8):
            page.get_by_role("button", name="Zoom out").click()
        page.wait_for_timeout(500)
        zooms = {url.split("/tiles/")[1].split("/")[0] for url in monitor.requests if "/tiles/" in url}
        assert zooms <= {"12", "13"}
        assert zooms


class TestOfAnotherServer:
    @pytest.mark.journey
    def test_no_request_without_consent(self, page: Page, walk: Dataset, elsewhere: None, requested: list[Any]) -> None:
        note = open_map(page, walk)
        expect(note).to_contain_text("Off: no tile server sees which area you view.")
        page.get_by_role("checkbox", name="Base map").click()
        expect(note.get_by_text(SENTENCE)).to_be_visible()
        expect(page.get_by_role("button", name="Show base map")).to_be_focused()
        page.get_by_role("button", name="Leave off").click()
        expect(page.get_by_role("checkbox", name="Base map")).not_to_be_checked()
        expect(page.get_by_role("checkbox", name="Base map")).to_be_focused()
        page.wait_for_timeout(300)
        assert requested == []

    def test_consent_holds_in_this_browser_until_it_is_taken_back(
        self, page: Page, walk: Dataset, elsewhere: None, requested: list[dict[str, str]]
    ) -> None:
        open_map(page, walk)
        page.get_by_role("checkbox", name="Base map").click()
        page.get_by_role("button", name="Show base map").click()
        wait_for_tiles(page)
        assert loaded(page) > 0
        assert [headers for headers in requested if "referer" in headers or "cookie" in headers] == []
        note = open_map(page, walk)
        expect(note).to_contain_text("Streets of another server")
        wait_for_tiles(page)
        page.get_by_role("checkbox", name="Base map").uncheck()
        before = len(requested)
        open_map(page, walk)
        page.get_by_role("button", name="Zoom in").click()
        page.wait_for_timeout(300)
        assert len(requested) == before

    def test_consent_to_one_host_is_none_to_another(
        self, page: Page, walk: Dataset, elsewhere: None, requested: list[Any]
    ) -> None:
        page.add_init_script("localStorage.setItem('base-map', 'other.example.org')")
        open_map(page, walk)
        expect(page.get_by_role("checkbox", name="Base map")).not_to_be_checked()
        assert requested == []


@DEVICES
def test_the_question_is_accessible(
    open_page: Callable[..., Page], owner: User, walk: Dataset, elsewhere: None, colour: str, size: dict[str, int]
) -> None:
    page = open_page(owner, colour=colour, size=size)
    open_map(page, walk)
    page.get_by_role("checkbox", name="Base map").click()
    expect(page.get_by_role("button", name="Show base map")).to_have_accessible_description(SENTENCE)
    assert faults_in_both_colours(page) == []
