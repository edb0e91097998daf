"""Large files over a bad connection, and cleaning, in a browser."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset, Upload
from dashboard.datasets.services import import_dataset
from tests.browser.conftest import WALK, PageMonitor, accessibility_faults, card, choose, table
from tests.dashboard.conftest import upload
from tests.patience import patience

ROWS = 50_000
HEAD = b"time,lat,lon\n"
LEAP = WALK + b"2024-05-14T07:40:00Z,10.0,2.0\n"


@pytest.fixture(scope="module")
def large() -> bytes:
    """Some 10 MB of positions: two pieces."""
    rows = (f"{1_700_000_000 + i},{48 + i * 1e-6:.6f},2.35{' ' * 175}\n" for i in range(ROWS))
    return HEAD + "".join(rows).encode()


class TestLargeFile:
    @pytest.mark.journey
    def test_goes_on_after_the_connection_broke(
        self, page: Page, monitor: PageMonitor, worker: None, large: bytes, tmp_path: Any
    ) -> None:
        (tmp_path / "large.csv").write_bytes(large)
        monitor.expect(0, 502)
        requested: list[tuple[str, str]] = []

        def wire(route: Route) -> None:
            requested.append((route.request.method, route.request.headers.get("upload-offset", "")))
            pieces = sum(method == "PATCH" for method, _ in requested)
            if route.request.method == "PATCH" and pieces == 2:
                route.abort("connectionreset")
            elif route.request.method == "PATCH" and pieces == 3:
                route.fulfill(status=502, body="a proxy's page")
            else:
                route.continue_()

        page.route("**/api/v1/uploads/**", wire)
        page.goto("/")
        page.set_input_files("input[type=file]", tmp_path / "large.csv")
        expect(card(page, "large.csv")).to_contain_text(f"{ROWS:,} events read in 1 series", timeout=patience(60_000))
        assert [method for method, _ in requested] == ["POST", "PATCH", "PATCH", "HEAD", "PATCH", "HEAD", "PATCH"]
        assert [offset for method, offset in requested if method == "PATCH"] == ["0", "8000000", "8000000", "8000000"]
        assert Dataset.objects.get().original_path.read_bytes() == large
        assert page.evaluate("localStorage.length") == 0

    def test_goes_on_after_the_page_was_left(
        self, page: Page, monitor: PageMonitor, large: bytes, tmp_path: Any
    ) -> None:
        self._lose_it(page, monitor, large, tmp_path)
        page.unroute("**/api/v1/uploads/**")
        page.goto("/glossary/")
        offsets: list[str] = []
        page.on("request", lambda one: one.method == "PATCH" and offsets.append(one.headers["upload-offset"]))
        page.goto("/")
        unfinished = page.get_by_role("article", name="large.csv, unfinished")
        expect(unfinished).to_contain_text("Choose the file again to continue from there.")
        with page.expect_file_chooser() as chooser:
            unfinished.get_by_role("button", name="Choose").click()
        chooser.value.set_files(tmp_path / "large.csv")
        expect(unfinished).to_have_count(0)
        expect(card(page, "large.csv")).to_contain_text("Waiting for a worker", timeout=patience(30_000))
        assert offsets == ["8000000"]
        assert Upload.objects.get().dataset == Dataset.objects.get()

    def test_unfinished_it_can_be_discarded(
        self, page: Page, monitor: PageMonitor, large: bytes, tmp_path: Any
    ) -> None:
        self._lose_it(page, monitor, large, tmp_path)
        page.unroute("**/api/v1/uploads/**")
        page.goto("/")
        with page.expect_response(lambda answer: answer.request.method == "DELETE"):
            page.get_by_role("button", name="Discard large.csv").click()
        expect(page.locator(".outcome")).to_have_count(0)
        assert not Upload.objects.exists()
        assert page.evaluate("localStorage.length") == 0

    def test_cancelled_it_is_forgotten(self, page: Page, monitor: PageMonitor, large: bytes, tmp_path: Any) -> None:
        self._lose_it(page, monitor, large, tmp_path)
        with page.expect_response(lambda answer: answer.request.method == "DELETE"):
            page.get_by_role("button", name="Cancel large.csv").click()
        expect(card(page, "large.csv")).to_contain_text("Cancelled. Nothing of this file was stored.")
        assert not Upload.objects.exists()
        assert page.evaluate("localStorage.length") == 0

    def _lose_it(self, page: Page, monitor: PageMonitor, large: bytes, tmp_path: Any) -> None:
        """Send the file over a connection that lets one piece through."""
        (tmp_path / "large.csv").write_bytes(large)
        monitor.expect(0)
        page.route("**/api/v1/uploads/**", self._one_piece)
        page.goto("/")
        page.set_input_files("input[type=file]", tmp_path / "large.csv")
        expect(card(page, "large.csv")).to_contain_text("Connection lost; retrying")

    @staticmethod
    def _one_piece(route: Route) -> None:
        if route.request.method == "PATCH" and route.request.headers["upload-offset"] != "0":
            route.abort("connectionreset")
        else:
            route.continue_()


class TestCleaning:
    @pytest.mark.journey
    def test_chosen_before_the_upload(self, page: Page) -> None:
        page.goto("/")
        page.get_by_text("Import settings").click()
        page.get_by_label("Step to add").select_option("drop-jumps")
        page.get_by_role("button", name="Add step").click()
        page.get_by_label("Highest speed, km/h", exact=True).fill("150")
        assert accessibility_faults(page) == []
        choose(page, table("walk.csv", LEAP))
        expect(card(page, "walk.csv")).to_contain_text("1 event faster than 150 km/h left out.")
        row = Dataset.objects.get()
        assert (row.points, row.cleaning) == (40, [{"name": "drop-jumps", "highest_km_h": 150.0}])

    def test_changed_and_undone_on_the_datasets_page(self, page: Page, owner: User, monitor: PageMonitor) -> None:
        row = import_dataset(owner=owner, upload=upload(LEAP))
        self._open(page, row)
        page.get_by_label("Step to add").select_option("only-series")
        page.get_by_role("button", name="Add step").click()
        page.get_by_label("Series", exact=True).last.fill("none")
        monitor.expect(400)
        page.get_by_role("button", name="Import again").click()
        expect(page.get_by_role("alert")).to_contain_text("Must be numbers of series")
        page.get_by_role("button", name="Remove Only some series").click()
        for step in ("drop-jumps", "first-events"):
            page.get_by_label("Step to add").select_option(step)
            page.get_by_role("button", name="Add step").click()
        page.get_by_role("textbox", name="Events", exact=True).fill("12")
        page.get_by_role("button", name="Earlier: First events").click()
        assert accessibility_faults(page) == []
        with page.expect_navigation():
            page.get_by_role("button", name="Import again").click()
        expect(page.locator("[data-report]")).to_contain_text("Cleaning")
        row.refresh_from_db()
        assert row.points == 12
        assert [step["name"] for step in row.cleaning] == ["first-events", "drop-jumps"]
        self._open(page, row)
        expect(page.locator("[data-chosen-steps] > li")).to_have_count(2)
        for title in ("First events", "Drop impossible speeds"):
            page.get_by_role("button", name=f"Remove {title}").click()
        with page.expect_navigation():
            page.get_by_role("button", name="Import again").click()
        row.refresh_from_db()
        assert (row.points, json.dumps(row.cleaning)) == (41, "[]")

    @staticmethod
    def _open(page: Page, row: Dataset) -> None:
        page.goto(f"/datasets/{row.pk}/")
        page.get_by_text("Import settings").click()
        expect(page.get_by_role("button", name="Import again")).to_be_enabled()
