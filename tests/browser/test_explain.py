"""The explanation of a release: one page of paper, light whatever the theme; its options work without scripts."""

import re
from xml.etree import ElementTree

import pytest
from playwright.sync_api import expect

from dashboard.datasets.models import Dataset
from tests.browser.actions import downloaded
from tests.browser.conftest import PHONE, widths
from tests.browser.jobs import run_jobs
from tests.browser.stream_pages import compared
from tests.dashboard import kinds
from tests.dashboard.api_helpers import described
from tests.dashboard.release_runs import submitted

PAGES = re.compile(rb"/Type\s*/Page\b")
NAMES = ("landmark-skip", "landmark-uniform", "landmark-joint", "event-level", "user-level", "w-event")
WEEKLY = {"name": "stream-shrink", "epsilon": 1.0, "window": 52}
CITY = {"name": "checkin-blend", "epsilon": 1.0} | kinds.CITY_BOX


@pytest.fixture
def several(owner, stays):
    """A finished release of each of several mechanisms of every kind, and a simulation."""
    rows = [submitted(stays, described(name, epsilon=1.0, radius_m=200.0)) for name in NAMES]
    rows.append(submitted(stays, described(NAMES[0], epsilon=1.0, radius_m=200.0), 7))
    run_jobs()
    datasets = [
        compared(owner, kinds.clinic_visits(), WEEKLY, name="Clinic visits.csv"),
        compared(owner, kinds.city(), CITY, name="City.csv"),
    ]
    return [*rows, *(dataset.releases.get() for dataset in datasets)]


@pytest.mark.journey
def test_every_one_is_one_page_of_paper(page, several):
    for row in several:
        for reader in ("board", "colleague"):
            page.goto(f"/releases/{row.pk}/explain/?reader={reader}&image=yes&numbers=yes")
            expect(page.get_by_role("button", name="Print or save as PDF")).to_be_visible()
            assert len(PAGES.findall(page.pdf(prefer_css_page_size=True))) == 1, (row.title, reader)


def test_paper_is_light_and_has_the_sheet_alone(open_page, owner, several):
    page = open_page(owner, colour="dark")
    page.goto(f"/releases/{several[0].pk}/explain/")
    sheet, circle = page.locator(".explain__sheet"), page.locator(".explain__map .public__most")
    assert sheet.evaluate("(one) => getComputedStyle(one).backgroundColor") == "rgb(30, 28, 26)"
    width = page.locator(".explain__map").bounding_box()["width"]
    assert circle.bounding_box()["width"] / width == pytest.approx(2 * float(circle.get_attribute("r")) / 680, rel=0.1)
    page.emulate_media(media="print", color_scheme="dark")
    for name, colour in (("backgroundColor", "rgb(255, 255, 255)"), ("color", "rgb(34, 32, 28)")):
        assert page.evaluate(f"getComputedStyle(document.body).{name}") == colour
    for hidden in (".header", ".title", ".explain__side"):
        expect(page.locator(hidden)).to_be_hidden()
    expect(sheet).to_be_visible()


def test_on_a_phone_nothing_is_wider_than_it(open_page, owner, several):
    Dataset.objects.update(name="W" * 200)
    page = open_page(owner, size=PHONE)
    for row in several[-3:]:
        page.goto(f"/releases/{row.pk}/explain/")
        wide, window = widths(page)
        assert wide <= window


def test_options_and_figures_need_no_script(open_page, owner, several):
    page = open_page(owner, java_script_enabled=False)
    page.goto(f"/releases/{several[0].pk}/report/")
    page.get_by_role("link", name="Explain").click()
    expect(page.get_by_role("button", name="Print or save as PDF")).to_be_hidden()
    page.get_by_label("Written for").select_option("colleague")
    page.get_by_label("Image of the release").uncheck()
    page.get_by_label("Title").fill("For the board")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("heading", name="For the board")).to_be_visible()
    expect(page.locator(".explain__sheet figure")).to_have_count(0)
    expect(page.get_by_role("heading", name="How it was made")).to_be_visible()
    found = downloaded(page.get_by_role("link", name="SVG"))
    assert found.suggested_filename.endswith("_figure.svg")
    assert ElementTree.parse(found.path()).getroot().tag.endswith("svg")


def test_a_choice_is_shown_at_once(page, several):
    page.goto(f"/releases/{several[0].pk}/explain/")
    page.get_by_label("Written for").select_option("colleague")
    expect(page.get_by_role("heading", name="How it was made")).to_be_visible()
    expect(page.locator(".explain__sheet figure")).to_be_visible()
    page.get_by_label("Image of the release").uncheck()
    expect(page.locator(".explain__sheet figure")).to_have_count(0)
    page.evaluate("window.print = () => { document.body.dataset.printed = 'yes' }")
    page.get_by_role("button", name="Print or save as PDF").click()
    expect(page.locator("body")).to_have_attribute("data-printed", "yes")
