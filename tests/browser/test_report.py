"""The printed report: it is drawn, prints on a few pages, and the public one requests nothing private."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset
from dashboard.landmarks.models import LandmarkSet
from dashboard.releases.models import Release
from tests.browser.conftest import DESKTOP, PHONE, PageMonitor
from tests.browser.fixtures import released
from tests.browser.rendering import compare, lines, painted, wait_until_ready

BOXES = """() => [...document.querySelectorAll('.plate')].map((plate) => {
  const { width, height } = plate.getBoundingClientRect();
  return [Math.round(width), Math.round(height)];
})"""
PAGES = re.compile(rb"/Type\s*/Page\b")


@pytest.fixture
def pair(stays: LandmarkSet) -> list[Release]:
    """Skip and Uniform of the taxi day."""
    return released(stays, "skip", "uniform", radius_m=2.0)


def report(page: Page, release: Release, query: str = "") -> None:
    page.goto(f"/releases/{release.pk}/report/{query}")
    wait_until_ready(page, "[data-sheet]")


def pages_of(page: Page, **paper: str) -> int:
    return len(PAGES.findall(page.pdf(**paper)))


class TestDrawings:
    @pytest.mark.journey
    def test_the_public_one_draws_release_and_charts_and_requests_nothing_private(
        self, page: Page, pair: list[Release], monitor: PageMonitor
    ) -> None:
        report(page, pair[0])
        assert painted(page, str(pair[0].pk)) > 1000
        assert painted(page, "original") == painted(page, "landmarks") == 0
        assert lines(page) == [[{"name": "Skip", "points": 260, "visible": True}]] * 3
        assert not [url for url in monitor.requests if "/datasets/" in url or "/series/" in url]
        assert page.title() == "Privacy report"

    def test_a_comparison_draws_every_release_on_two_to_four_pages(
        self, page: Page, taxi: Dataset, pair: list[Release]
    ) -> None:
        page.goto(f"/datasets/{taxi.pk}/compare/report/")
        wait_until_ready(page, "[data-sheet]")
        for release in pair:
            assert painted(page, str(release.pk)) > 1000
        assert [[line["name"] for line in chart] for chart in lines(page)] == [["Skip", "Uniform"]] * 3
        assert 2 <= pages_of(page, format="A4") <= 4


class TestPaper:
    def test_the_public_one_is_sharp_and_has_two_to_four_pages(self, page: Page, pair: list[Release]) -> None:
        report(page, pair[0])
        width = page.evaluate("document.querySelector('canvas.map-canvas').width")
        assert width / (672 / 96) >= 250  # dots in an inch of paper
        for paper in ("A4", "Letter"):
            assert 2 <= pages_of(page, format=paper) <= 4
        page.evaluate("window.print = () => { document.body.dataset.printed = 'yes' }")
        page.get_by_role("button", name="Print or save as PDF").click()
        assert page.locator("body").get_attribute("data-printed") == "yes"

    def test_the_owners_draws_the_original_and_has_its_warning_on_two_to_four_pages(
        self, page: Page, pair: list[Release]
    ) -> None:
        report(page, pair[0], "?for=owner")
        assert painted(page, "original") > 1000
        assert painted(page, "landmarks") > 100
        assert len(lines(page)) == 4
        expect(page.get_by_text("Contains the original: do not publish")).to_be_visible()
        for paper in ("A4", "Letter"):
            assert 2 <= pages_of(page, format=paper) <= 4
        page.emulate_media(media="print")
        mark = page.locator(".sheet__mark")
        assert mark.evaluate("(mark) => getComputedStyle(mark).display") == "table-header-group"

    @pytest.mark.parametrize("size", [DESKTOP, pytest.param(PHONE, marks=pytest.mark.slow)], ids=["desk", "phone"])
    @pytest.mark.journey
    def test_on_paper_drawings_have_one_size_and_tools_are_gone(
        self, open_page: Callable[..., Page], owner: User, pair: list[Release], size: dict[str, int]
    ) -> None:
        page = open_page(owner, size=size, colour="dark")
        report(page, pair[0])
        page.emulate_media(media="print")
        assert page.evaluate(BOXES) == [[672, 360], [672, 160], [672, 160], [672, 160]]
        expect(page.get_by_role("button", name="Print or save as PDF")).to_be_hidden()
        expect(page.locator(".tools")).to_be_hidden()
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert page.evaluate("getComputedStyle(document.body).color") == "rgb(34, 32, 28)"
        assert page.locator(".leaflet-control-zoom").is_hidden()


class TestAccessibility:
    def test_another_reader_and_a_title_are_a_form_away(self, page: Page, pair: list[Release]) -> None:
        report(page, pair[0])
        page.get_by_label("Title").fill("Spring survey")
        page.get_by_label("Title").press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("Spring survey")
        wait_until_ready(page, "[data-sheet]")
        page.get_by_label("Owner’s").focus()
        page.keyboard.press("Space")
        page.get_by_text("Contains the original: do not publish").wait_for()
        expect(page.get_by_role("heading", level=1)).to_have_text("Spring survey")

    def test_back_leads_to_the_comparison(self, page: Page, taxi: Dataset, pair: list[Release]) -> None:
        report(page, pair[0])
        page.get_by_role("link", name="Back").click()
        wait_until_ready(page)
        assert f"/datasets/{taxi.pk}/compare/?" in page.url
        assert str(pair[0].pk) in page.url


class TestWaysThere:
    def test_from_the_comparisons_menu_and_rows(self, page: Page, taxi: Dataset, pair: list[Release]) -> None:
        compare(page, taxi)
        assert page.locator("[data-summary] a", has_text="Report").count() == 2
        page.locator("summary", has_text="Download").click()
        page.get_by_role("link", name="Report to print").click()
        wait_until_ready(page, "[data-sheet]")
        assert [line["name"] for line in lines(page)[0]] == ["Skip", "Uniform"]

    @pytest.mark.journey
    def test_all_as_one_zip(self, page: Page, taxi: Dataset, pair: list[Release]) -> None:
        compare(page, taxi)
        page.locator("summary", has_text="Download").click()
        with page.expect_download() as started:
            page.get_by_role("link", name="All as ZIP").click()
        archive = zipfile.ZipFile(io.BytesIO(Path(started.value.path()).read_bytes()))
        assert started.value.suggested_filename == "Taxi-day_2-releases.zip"
        assert archive.testzip() is None
        assert len(archive.namelist()) == 2 + 2 * 7

    def test_from_the_datasets_page_and_the_configuration_comes_back_into_the_form(
        self, page: Page, taxi: Dataset, pair: list[Release], tmp_path: Path
    ) -> None:
        page.goto(f"/datasets/{taxi.pk}/")
        with page.expect_download() as started:
            page.get_by_role("link", name=re.compile("^ZIP of Skip .* with label and configuration")).click()
        archive = zipfile.ZipFile(io.BytesIO(Path(started.value.path()).read_bytes()))
        (name,) = (one for one in archive.namelist() if one.endswith("configuration.json"))
        page.goto(f"/datasets/{taxi.pk}/releases/new/")
        expect(page.get_by_role("button", name="Load configuration")).to_be_enabled()
        page.set_input_files("[data-load-file]", {"name": "c.json", "mimeType": "", "buffer": archive.read(name)})
        page.get_by_role("button", name="Create 1 release").click()  # one: the form has read the file
        page.wait_for_url("**/compare/**")
        made = Release.objects.exclude(pk__in=[one.pk for one in pair]).get()
        assert made.spec_digest == pair[0].spec_digest
