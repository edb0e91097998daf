"""Uploads: their cards, refusals and questions; large files over a bad connection."""

import re

import pytest
from playwright.sync_api import expect

from dashboard.datasets.models import Dataset, Upload
from tests.browser.conftest import WALK, assert_fits, card, choose, table
from tests.patience import patience

ROWS = 50_000
LAUGHS = b'<?xml version="1.0"?><!DOCTYPE gpx [<!ENTITY a "ha">]><gpx>&a;</gpx>'
MARKUP = b"id,time,lat,lon\n<img src=x onerror=alert(1)>,2024-05-14T07:00:00Z,48,2\n"
DROP = """body => {
  const carried = new DataTransfer();
  carried.items.add(new File([body], "dropped.csv", { type: "text/csv" }));
  const drag = (name) => new DragEvent(name, { dataTransfer: carried, bubbles: true, cancelable: true });
  document.querySelector("h1").dispatchEvent(drag("dragenter"));
  const veiled = document.querySelector("[data-drop-veil]").checkVisibility();
  document.querySelector("h1").dispatchEvent(drag("drop"));
  return veiled;
}"""


def test_files_by_the_button_refused_or_after_a_question(page, monitor):
    monitor.expect(400, 422)
    page.goto("/")
    expect(page.get_by_role("heading", name="No datasets yet")).to_be_visible()
    expect(page.get_by_text("Up to 2.5 GB per file", exact=False)).to_be_visible()
    choose(page, table("laughs.gpx", LAUGHS))
    expect(card(page, "laughs.gpx").get_by_role("alert")).to_contain_text("DOCTYPE")
    expect(card(page, "laughs.gpx")).to_contain_text("Nothing of this file was stored.")
    assert not Dataset.objects.exists()

    days = b"when,lat,lon\n01/02/2024 10:00,48,2\n02/02/2024 10:00,48,2\n"
    choose(page, table("days.csv", days))
    question = card(page, "days.csv").get_by_role("group")
    expect(question).to_contain_text("more than one order")
    expect(question.get_by_label("day, month, year", exact=False)).to_be_checked()
    assert not Dataset.objects.exists()
    question.get_by_label("month, day, year", exact=False).check()
    card(page, "days.csv").get_by_role("button", name="Apply").click()
    expect(card(page, "days.csv")).to_contain_text("2 Jan 2024, 10:00 to 2 Feb 2024")

    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose files").click()
    chooser.value.set_files([table("walk.csv", WALK)])
    expect(card(page, "walk.csv")).to_contain_text("CSV or TSV table, 40 events read in 1 series")
    expect(card(page, "walk.csv")).to_contain_text("14 May 2024, 07:00 to 07:39 UTC")
    expect(page.get_by_role("row", name=re.compile("walk.csv"))).to_contain_text("40")


def test_many_files_are_one_line_each_and_dismissed_together(page, monitor):
    monitor.expect(400)
    page.goto("/")
    choose(page, *[table(f"{i}.csv", WALK if i % 2 else b"") for i in range(8)])
    summary = page.locator(".uploads")
    expect(summary).to_contain_text("8 files: 4 ready, 4 refused")
    expect(card(page, "1.csv")).to_contain_text("ready")
    refused = card(page, "0.csv")
    expect(refused.locator("summary")).to_have_text("The file is empty.")
    expect(refused.get_by_role("alert")).to_be_hidden()
    refused.locator("summary").click()
    expect(refused.get_by_role("alert")).to_be_visible()
    assert_fits(page)
    summary.get_by_role("button", name="Retry refused").click()
    expect(summary).to_contain_text("8 files: 4 ready, 4 refused")
    summary.get_by_role("button", name="Dismiss ended").click()
    expect(page.locator(".outcome")).to_have_count(0)
    expect(summary).to_be_hidden()
    expect(page.locator("#datasets tbody tr")).to_have_count(4)


@pytest.mark.journey
def test_dropped_guessed_refused_in_part_cancelled_and_too_large(page, settings):
    page.goto("/")
    assert page.evaluate(DROP, WALK.decode()), "a veil shows where files can be dropped"
    expect(card(page, "dropped.csv")).to_contain_text("40 events read")
    expect(page.locator("[data-drop-veil]")).to_be_hidden()
    choose(page, table("local.csv", b"when,lat,lon\n2024-02-13 10:00,48,2\n2024-02-14 10:00,48,2\n"))
    card(page, "local.csv").get_by_role("button", name=re.compile("^Change: .*zone")).click()
    zone = page.get_by_label("Time zone").last
    expect(zone).to_have_value("UTC")
    zone.fill("Asia/Tokyo")
    page.keyboard.press("Enter")
    expect(card(page, "local.csv")).to_contain_text("13 Feb 2024, 01:00")

    choose(page, table("<b>bold<b>.csv", MARKUP))
    expect(card(page, "<b>bold<b>.csv")).to_contain_text("1 event read")
    page.get_by_role("link", name="Open <b>bold<b>.csv").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("<b>bold<b>.csv")

    settings.CAIRN_UPLOAD_BYTES = 1000
    page.goto("/")
    many = Dataset.objects.count()
    choose(page, table("large.csv", b"x" * 1001))
    expect(card(page, "large.csv").get_by_role("alert")).to_contain_text("up to 1\u202fkB")
    page.route("**/api/v1/datasets/", lambda route: None if route.request.method == "POST" else route.continue_())
    choose(page, table("slow.csv", WALK[:200]))
    page.get_by_role("button", name="Cancel slow.csv").click()
    expect(card(page, "slow.csv")).to_contain_text("Cancelled. Nothing of this file was stored.")
    assert Dataset.objects.count() == many


def test_offline_it_waits_and_then_a_worker_reads_it(page, worker, monitor, monkeypatch):
    monkeypatch.setattr("dashboard.datasets.services.NOW_PLAIN_BYTES", 10)
    page.goto("/")
    page.get_by_text("Import settings").click()
    page.get_by_label("First n points").fill("5")
    monitor.expect(0)
    page.context.set_offline(True)
    choose(page, table("walk.csv", WALK))
    expect(card(page, "walk.csv")).to_contain_text("This device is offline")
    page.context.set_offline(False)
    expect(card(page, "walk.csv")).to_contain_text("5 of 40")
    expect(page.get_by_role("row", name=re.compile("walk.csv"))).to_contain_text("ready")


@pytest.mark.journey
def test_works_without_scripts(open_page, owner, monitor):
    monitor.expect(400)
    page = open_page(owner, java_script_enabled=False)
    page.goto("/")
    for name, body in (("walk.csv", WALK), ("empty.csv", b"")):
        page.get_by_label("Location files").set_input_files([table(name, body)])
        page.get_by_role("button", name="Upload").click()
    expect(page.get_by_role("alert")).to_contain_text("The file is empty.")
    expect(page.get_by_role("row", name=re.compile("walk.csv"))).to_contain_text("40")


class TestLargeFile:
    @pytest.fixture
    def large(self, tmp_path):
        """Some 10 MB of positions: two pieces."""
        rows = (f"{1_700_000_000 + i},{48 + i * 1e-6:.6f},2.35{' ' * 175}\n" for i in range(ROWS))
        path = tmp_path / "large.csv"
        path.write_text("time,lat,lon\n" + "".join(rows))
        return path

    def test_goes_on_after_the_connection_broke(self, page, monitor, worker, large):
        monitor.expect(0, 502)
        requested = []

        def wire(route):
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
        page.set_input_files("input[type=file]", large)
        expect(card(page, "large.csv")).to_contain_text(f"{ROWS:,} events read in 1 series", timeout=patience(60_000))
        assert [method for method, _ in requested] == ["POST", "PATCH", "PATCH", "HEAD", "PATCH", "HEAD", "PATCH"]
        assert [offset for method, offset in requested if method == "PATCH"] == ["0", "8000000", "8000000", "8000000"]
        assert Dataset.objects.get().original_path.read_bytes() == large.read_bytes()
        assert page.evaluate("localStorage.length") == 0

    def test_is_cancelled_discarded_or_goes_on_after_the_page_was_left(self, page, monitor, large):
        def one_piece(route):
            """A connection that lets one piece through."""
            if route.request.method == "PATCH" and route.request.headers["upload-offset"] != "0":
                route.abort("connectionreset")
            else:
                route.continue_()

        def lose_it():
            page.goto("/")
            page.set_input_files("input[type=file]", large)
            expect(card(page, "large.csv")).to_contain_text("Connection lost; retrying")

        monitor.expect(0)
        page.route("**/api/v1/uploads/**", one_piece)
        lose_it()
        page.goto("/")
        with page.expect_response(lambda answer: answer.request.method == "DELETE"):
            page.get_by_role("button", name="Discard large.csv").click()
        expect(page.locator(".outcome")).to_have_count(0)
        assert not Upload.objects.exists()
        assert page.evaluate("localStorage.length") == 0

        lose_it()
        page.unroute("**/api/v1/uploads/**")
        page.goto("/glossary/")
        offsets = []
        page.on("request", lambda one: one.method == "PATCH" and offsets.append(one.headers["upload-offset"]))
        page.goto("/")
        unfinished = page.get_by_role("article", name="large.csv, unfinished")
        expect(unfinished).to_contain_text("Choose the file again to continue from there.")
        with page.expect_file_chooser() as chooser:
            unfinished.get_by_role("button", name="Choose").click()
        chooser.value.set_files(large)
        expect(unfinished).to_have_count(0)
        expect(card(page, "large.csv")).to_contain_text("Waiting for a worker", timeout=patience(30_000))
        assert offsets == ["8000000"]
        assert Upload.objects.get().dataset == Dataset.objects.get()
