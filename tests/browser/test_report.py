"""The printed report: it is drawn, prints on a few pages, and the public one requests nothing private."""

import re
import zipfile

import pytest
from playwright.sync_api import expect

from tests.browser.actions import downloaded
from tests.browser.conftest import DESKTOP, PHONE
from tests.browser.fixtures import released
from tests.browser.rendering import compare, lines, painted, wait_until_ready

BOXES = """() => [...document.querySelectorAll('.plate')].map((plate) => {
  const { width, height } = plate.getBoundingClientRect();
  return [Math.round(width), Math.round(height)];
})"""
PAGES = re.compile(rb"/Type\s*/Page\b")


@pytest.fixture
def pair(stays):
    """Skip and Uniform of the taxi day."""
    return released(stays, "skip", "uniform", radius_m=2.0)


def report(page, release, query=""):
    page.goto(f"/releases/{release.pk}/report/{query}")
    wait_until_ready(page, "[data-sheet]")


@pytest.mark.journey
def test_the_public_one_requests_nothing_private_and_the_owners_is_a_form_away(page, pair, monitor, taxi):
    report(page, pair[0])
    assert painted(page, str(pair[0].pk)) > 1000
    assert painted(page, "original") == painted(page, "landmarks") == 0
    assert lines(page) == [[{"name": "Skip", "points": 260, "visible": True}]] * 3
    assert not [url for url in monitor.requests if "/datasets/" in url or "/series/" in url]
    assert page.title() == "Privacy report"
    width = page.evaluate("document.querySelector('canvas.map-canvas').width")
    assert width / (672 / 96) >= 250  # dots in an inch of paper
    for paper in ("A4", "Letter"):
        assert 2 <= len(PAGES.findall(page.pdf(format=paper))) <= 4, paper
    tools = page.get_by_role("button", name="Print or save as PDF")
    page.evaluate("window.print = () => { document.body.dataset.printed = 'yes' }")
    tools.click()
    expect(page.locator("body")).to_have_attribute("data-printed", "yes")
    page.emulate_media(media="print", color_scheme="dark")
    for size in (page.viewport_size, PHONE):
        page.set_viewport_size(size)
        page.wait_for_function(f"() => JSON.stringify(({BOXES})()) === '[[672,360],[672,160],[672,160],[672,160]]'")
    expect(tools).to_be_hidden()
    expect(page.locator(".tools")).to_be_hidden()
    for name, colour in (("backgroundColor", "rgb(255, 255, 255)"), ("color", "rgb(34, 32, 28)")):
        assert page.evaluate(f"getComputedStyle(document.body).{name}") == colour
    assert page.locator(".leaflet-control-zoom").is_hidden()

    page.emulate_media(media="screen", color_scheme="light")
    page.set_viewport_size(DESKTOP)
    report(page, pair[0])
    heading = page.get_by_role("heading", level=1)
    page.get_by_label("Title").fill("Spring survey")
    page.get_by_label("Title").press("Enter")
    expect(heading).to_have_text("Spring survey")
    wait_until_ready(page, "[data-sheet]")
    page.get_by_label("Owner’s").focus()
    page.keyboard.press("Space")
    expect(page.get_by_text("Contains the original: do not publish")).to_be_visible()
    expect(heading).to_have_text("Spring survey")
    wait_until_ready(page, "[data-sheet]")
    assert painted(page, "original") > 1000
    assert painted(page, "landmarks") > 100
    assert len(lines(page)) == 4
    page.emulate_media(media="print")
    mark = page.locator(".sheet__mark")
    assert mark.evaluate("(mark) => getComputedStyle(mark).display") == "table-header-group"
    page.emulate_media(media="screen")
    compare(page, taxi)
    started = downloaded(page.get_by_role("link", name="Download all as ZIP"))
    assert started.suggested_filename == "Taxi-day_2-releases.zip"
    archive = zipfile.ZipFile(started.path())
    assert archive.testzip() is None
    assert len(archive.namelist()) == 2 + 2 * 7
    page.get_by_role("link", name="Report", exact=True).click()
    wait_until_ready(page, "[data-sheet]")
    for release in pair:
        assert painted(page, str(release.pk)) > 1000
    assert [[line["name"] for line in chart] for chart in lines(page)] == [["Skip", "Uniform"]] * 3
