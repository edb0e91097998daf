"""Uploads: their cards, refusals and questions."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset
from tests.browser.conftest import WALK, PageMonitor, assert_fits, card, choose, run_cases, table


class TestUpload:
    @pytest.mark.journey
    def test_by_the_button(self, page: Page) -> None:
        page.goto("/")
        expect(page.get_by_role("heading", name="No datasets yet")).to_be_visible()
        expect(page.get_by_text("Up to 2.5 GB per file", exact=False)).to_be_visible()
        with page.expect_file_chooser() as chooser:
            page.get_by_role("button", name="Choose files").click()
        chooser.value.set_files([table("walk.csv", WALK)])
        expect(card(page, "walk.csv")).to_contain_text("CSV or TSV table, 40 events read in 1 series")
        expect(card(page, "walk.csv")).to_contain_text("14 May 2024, 07:00 to 07:39 UTC")
        expect(page.get_by_role("row", name=re.compile("walk.csv"))).to_contain_text("40")

    @pytest.mark.journey
    def test_several_at_once_each_with_its_outcome(self, page: Page, monitor: PageMonitor) -> None:
        monitor.expect(400)
        page.goto("/")
        choose(page, table("good.csv", WALK), table("empty.csv", b""), table("also.csv", WALK))
        expect(card(page, "good.csv")).to_contain_text("40 events")
        expect(card(page, "also.csv")).to_contain_text("40 events")
        expect(card(page, "empty.csv").get_by_role("alert")).to_contain_text("The file is empty.")
        expect(page.locator("#datasets tbody tr")).to_have_count(2)

    @pytest.mark.journey
    def test_a_hostile_file_is_refused_with_a_message_and_leaves_nothing(
        self, page: Page, monitor: PageMonitor
    ) -> None:
        monitor.expect(400)
        laughs = b'<?xml version="1.0"?><!DOCTYPE gpx [<!ENTITY a "ha">]><gpx>&a;</gpx>'
        page.goto("/")
        choose(page, table("laughs.gpx", laughs))
        expect(card(page, "laughs.gpx").get_by_role("alert")).to_contain_text("DOCTYPE")
        expect(card(page, "laughs.gpx")).to_contain_text("Nothing of this file was stored.")
        assert not Dataset.objects.exists()

    def test_markup_in_a_file_is_text(self, page: Page) -> None:
        body = b"id,time,lat,lon\n<img src=x onerror=alert(1)>,2024-05-14T07:00:00Z,48,2\n"
        page.goto("/")
        choose(page, table("<b>bold<b>.csv", body))
        expect(card(page, "<b>bold<b>.csv")).to_contain_text("1 event read")
        page.get_by_role("link", name="Open <b>bold<b>.csv").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("<b>bold<b>.csv")

    @pytest.mark.journey
    def test_a_question_is_answered_and_applied(self, page: Page, monitor: PageMonitor) -> None:
        monitor.expect(422)
        days = b"when,lat,lon\n01/02/2024 10:00,48,2\n02/02/2024 10:00,48,2\n"
        page.goto("/")
        choose(page, table("days.csv", days))
        question = card(page, "days.csv").get_by_role("group")
        expect(question).to_contain_text("more than one order")
        expect(question.get_by_label("day, month, year", exact=False)).to_be_checked()
        assert not Dataset.objects.exists()
        question.get_by_label("month, day, year", exact=False).check()
        card(page, "days.csv").get_by_role("button", name="Apply").click()
        expect(card(page, "days.csv")).to_contain_text("2 Jan 2024, 10:00 to 2 Feb 2024")

    def test_with_a_reading_option_set_before(self, page: Page) -> None:
        page.goto("/")
        page.get_by_text("Import settings").click()
        page.get_by_label("First n points").fill("5")
        choose(page, table("walk.csv", WALK))
        expect(card(page, "walk.csv")).to_contain_text("5 of 40")

    def test_too_large_is_refused_before_it_is_sent(self, page: Page, settings: Any) -> None:
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
        expect(card(page, "slow.csv")).to_contain_text("Cancelled. Nothing of this file was stored.")

    def test_a_large_one_is_read_by_a_worker_while_the_page_shows_it(
        self, page: Page, worker: None, monkeypatch: Any
    ) -> None:
        monkeypatch.setattr("dashboard.datasets.services.NOW_PLAIN_BYTES", 10)
        page.goto("/")
        choose(page, table("walk.csv", WALK))
        expect(card(page, "walk.csv")).to_contain_text("40 events read")
        expect(page.get_by_role("row", name=re.compile("walk.csv"))).to_contain_text("ready")

    @pytest.mark.journey
    def test_works_without_scripts(self, open_page: Callable[..., Page], owner: User, monitor: PageMonitor) -> None:
        monitor.expect(400)
        page = open_page(owner, java_script_enabled=False)
        page.goto("/")
        page.get_by_label("Location files").set_input_files([table("walk.csv", WALK)])
        page.get_by_role("button", name="Upload").click()
        expect(page.get_by_role("row", name=re.compile("walk.csv"))).to_contain_text("40")
        page.get_by_label("Location files").set_input_files([table("empty.csv", b"")])
        page.get_by_role("button", name="Upload").click()
        expect(page.get_by_role("alert")).to_contain_text("The file is empty.")


def dropped_anywhere(page: Page) -> None:
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
    expect(card(page, "dropped.csv")).to_contain_text("40 events read")
    expect(page.locator("[data-drop-veil]")).to_be_hidden()


def refused_rows_are_shown_with_their_reason(page: Page) -> None:
    bad = WALK + b"2024-05-14T08:00:00Z,,\n2024-05-14T08:01:00Z,91,2\n2024-05-14T08:02:00Z,92,2\n"
    choose(page, table("bad.csv", bad))
    expect(card(page, "bad.csv")).to_contain_text("3 lines refused of 43")
    expect(card(page, "bad.csv").get_by_text("The position is not on the globe.")).to_be_visible()
    expect(card(page, "bad.csv")).to_contain_text("lines 43 and 44")


def a_guess_can_be_changed(page: Page) -> None:
    local = b"when,lat,lon\n2024-02-13 10:00,48,2\n2024-02-14 10:00,48,2\n"
    choose(page, table("local.csv", local))
    card(page, "local.csv").get_by_role("button", name=re.compile("^Change: .*zone")).click()
    expect(page.get_by_label("Time zone").last).to_have_value("UTC")
    page.get_by_label("Time zone").last.fill("Asia/Tokyo")
    page.keyboard.press("Enter")
    expect(card(page, "local.csv")).to_contain_text("13 Feb 2024, 01:00")


@pytest.mark.journey
def test_many_files_are_one_line_each_and_dismissed_together(page: Page, monitor: PageMonitor) -> None:
    monitor.expect(400)
    page.goto("/")
    files = [table(f"{i}.csv", WALK if i % 2 else b"") for i in range(8)]
    choose(page, *files)
    summary = page.locator(".uploads")
    expect(summary).to_contain_text("8 files: 4 ready, 4 refused")
    expect(card(page, "1.csv")).to_contain_text("ready")
    expect(card(page, "0.csv").locator("summary")).to_have_text("The file is empty.")
    expect(card(page, "0.csv").get_by_role("alert")).to_be_hidden()
    card(page, "0.csv").locator("summary").click()
    expect(card(page, "0.csv").get_by_role("alert")).to_be_visible()
    assert_fits(page)
    summary.get_by_role("button", name="Retry refused").click()
    expect(summary).to_contain_text("8 files: 4 ready, 4 refused")
    summary.get_by_role("button", name="Dismiss ended").click()
    expect(page.locator(".outcome")).to_have_count(0)
    expect(summary).to_be_hidden()
    expect(page.locator("#datasets tbody tr")).to_have_count(4)


def test_offline_it_waits_and_goes_on_automatically(page: Page, monitor: PageMonitor) -> None:
    page.goto("/")
    monitor.expect(0)
    page.context.set_offline(True)
    choose(page, table("walk.csv", WALK))
    expect(card(page, "walk.csv")).to_contain_text("This device is offline")
    page.context.set_offline(False)
    expect(card(page, "walk.csv")).to_contain_text("40 events read")


def test_one_list_of_many_uploads(page: Page, subtests: pytest.Subtests) -> None:
    page.goto("/")
    run_cases(subtests, (dropped_anywhere, refused_rows_are_shown_with_their_reason, a_guess_can_be_changed), page)
