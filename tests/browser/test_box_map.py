"""The box of a public grid on the map: typed, chosen and dragged; no data on it until they are requested."""

import re

import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import expect

from dashboard.datasets.public_areas import AREAS
from dashboard.datasets.services import import_dataset
from dashboard.releases.models import Release
from privacy_engine.grid import Grid
from tests.browser.conftest import PHONE, assert_fits
from tests.dashboard import kinds

SIDES = ("west", "south", "east", "north")


def sides(page):
    """What the four fields hold."""
    return {name: float(page.locator(f"[data-field={name}] input").last.input_value()) for name in SIDES}


def box_of(name):
    return dict(zip(SIDES, AREAS[name], strict=True))


def test_public_areas_are_boxes():
    for name, sides in AREAS.items():
        assert len(Grid(*sides, 2, 2)) == 4, name


@pytest.mark.journey
def test_a_box_is_chosen_without_the_check_ins(open_page, owner):
    upload = ContentFile(kinds.checkins(kinds.checkin_rows()), name="data.csv")
    dataset = import_dataset(owner=owner, upload=upload)
    page = open_page(owner, size=PHONE)
    cells: list[str] = []
    page.on("request", lambda request: cells.append(request.url) if "/cells/" in request.url else None)
    page.goto(f"/datasets/{dataset.pk}/releases/new/")
    handles, lines = page.locator(".map-handle"), page.locator("canvas[data-layer=box]")
    expect(handles).to_have_count(5)
    expect(lines).to_be_visible()
    area, note = page.get_by_label("Public area"), page.locator("[data-uploaded-note]")
    assert sides(page) == box_of("New York, Manhattan")  # the examples of the fields, not the extent of the upload
    expect(area.locator("option:checked")).to_have_text("New York, Manhattan")

    area.select_option(label="Paris")
    assert sides(page) == box_of("Paris")
    page.get_by_role("button", name="Lower left corner of the box").focus()
    page.keyboard.press("Shift+ArrowLeft")
    moved = sides(page)
    assert moved["west"] < 2.22
    assert {**moved, "west": 2.22} == box_of("Paris")
    expect(area.locator("option:checked")).to_have_text("as typed or drawn")
    expect(page.get_by_role("button", name="Create 1 release")).to_be_enabled()
    page.get_by_label("East").fill("1")
    expect(handles).to_have_count(0)
    page.get_by_label("East").fill("2.47")
    expect(handles).to_have_count(5)
    page.get_by_role("button", name="Use the map’s view").click()
    seen = sides(page)
    assert seen["west"] < moved["west"]
    assert seen["east"] > moved["east"]

    looked = page.get_by_label("The box or the number of cells was chosen with knowledge")
    expect(looked).not_to_be_checked()
    expect(note).to_be_hidden()
    assert cells == []
    page.get_by_role("button", name="Show the uploaded check-ins").click()
    expect(note).to_contain_text(re.compile("is not covered by the guarantee"))
    expect(page.locator("canvas[data-layer=uploaded]")).to_be_visible()
    assert sides(page) == seen  # nothing is chosen for the analyst
    expect(looked).to_be_checked()
    expect(looked).to_be_disabled()  # what was seen stays seen
    expect(page.locator("[data-promise]")).to_contain_text("chosen with knowledge of the uploaded check-ins")
    assert_fits(page)
    with page.expect_response(lambda answer: answer.request.method == "POST" and answer.url.endswith("/releases/")):
        page.get_by_role("button", name="Create 1 release").click()
    assert Release.objects.get().spec["box_from_data"] is True
