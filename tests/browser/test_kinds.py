"""Count streams and check-ins: uploaded, counted from positions or found as stays, released, downloaded; their box."""

import re

import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import expect

from dashboard.datasets.public_areas import AREAS, SAMPLE
from dashboard.datasets.services import import_dataset
from dashboard.releases.models import Release
from privacy_engine.data.grid import Grid
from privacy_engine.experiments.generated import CITY
from privacy_engine.verify import verify
from tests.browser.actions import downloaded
from tests.browser.conftest import DESKTOP, PHONE, accessibility_faults, assert_fits, check_page, open_upload
from tests.browser.test_release_form import settled
from tests.browser.test_steps import only
from tests.dashboard import kinds, test_aggregation, test_stays
from tests.patience import patience

TYPE = "(input, value) => { input.value = value; input.dispatchEvent(new Event('input', { bubbles: true })); }"
JOURNEYS = {
    "stream": (
        kinds.wide(kinds.counts()),
        "40 timestamps",
        "Sample",
        {},
        (".chart .js-plotly-plot", "[data-streams][data-ready=all] .heat"),
        ("CSV", "Parquet"),
    ),
    "checkins": (
        kinds.checkins(kinds.checkin_rows()),
        "200 check-ins",
        "Popularity",
        {"east": "2.4", "west": "2.2", "north": "48.9", "south": "48.8"},
        ("[data-cells-rows] tr", "[data-recommend][data-ready=all] [data-rows] button"),
        ("CSV", "JSON"),
    ),
}


@pytest.mark.journey
@pytest.mark.usefixtures("worker")
@pytest.mark.parametrize(("kind", "size"), [("stream", DESKTOP), ("checkins", PHONE)])
def test_from_the_upload_to_the_download(open_page, owner, kind, size):
    body, facts, mechanism, fields, shown, formats = JOURNEYS[kind]
    page = open_page(owner, size=size)
    open_upload(page, "data.csv", body)
    expect(page.locator("header, .title").filter(has_text=facts).first).to_be_visible()
    expect(page.locator(shown[0]).first).to_be_visible(timeout=patience(30_000))
    if kind == "checkins":  # the table of places is in the page, not over the map
        expect(page.locator("[data-places]")).to_have_css("position", "static")

    page.get_by_role("link", name="New release").first.click()
    settled(page)
    only(page, mechanism)
    for name, value in fields.items():
        page.locator(f"#{name}").evaluate(TYPE, value)
    settled(page)
    submit = page.get_by_role("button", name="Create 1")
    expect(submit).to_be_enabled()
    expect(page.locator("[data-promises]")).to_contain_text("by at most a factor of" if kind == "stream" else "whole")

    submit.click()
    page.wait_for_url("**/compare/**")
    expect(page.locator("#releases")).to_contain_text("done", timeout=patience(30_000))
    page.goto(page.url.split("?")[0])
    expect(page.locator(shown[1]).first).to_be_visible(timeout=patience(30_000))
    for name in formats:
        file = downloaded(page.locator("#releases").get_by_role("link", name=name, exact=False).first)
        assert verify(file.path().read_bytes(), file.suggested_filename).holds


@pytest.mark.usefixtures("worker")
def test_from_positions_to_a_release_of_their_counts(phone, monitor):
    many = len(test_aggregation.ROWS)
    open_upload(phone, "events.csv", kinds.checkins(test_aggregation.ROWS, test_aggregation.HEADER))
    phone.locator("summary[aria-label=More]").first.click()
    phone.get_by_role("link", name="Count on a grid").click()

    expected, problem = phone.locator("[data-expected]"), phone.locator("[data-problem]")
    expect(expected).to_contain_text("Not covered: the box of the grid, which was taken from the data.")
    phone.get_by_label("West").fill("2.2")
    expect(expected).to_contain_text("Give all four sides of the box, or none.")
    for label, value in {"South": "48.8", "East": "2.21", "North": "48.83"}.items():
        phone.get_by_label(label).fill(value)
    phone.get_by_role("textbox", name="Cells counted").fill("2")
    expect(expected).to_contain_text("Sensitivity 2: a person counts in at most 2 cells of a timestamp.")
    expect(expected).not_to_contain_text("the box of the grid")
    expect(expected).to_contain_text("1 event outside the box or the steps")
    bar = phone.locator("[data-submit-bar]")
    expect(bar).to_contain_text(f"{many - 1} of {many} events")
    phone.get_by_label("North").fill("48.801")
    expect(bar).to_contain_text("No event is in the box and the steps.")
    phone.get_by_label("North").fill("48.83")

    monitor.expect(400)
    phone.get_by_role("textbox", name="Cell size").fill("1")
    expect(phone.locator("[data-field=cell_m] .field__error")).to_contain_text("at most 20,000 cells")
    phone.get_by_label("What counts once").select_option("event")
    expect(phone.get_by_label("Which cells")).to_be_hidden()
    phone.get_by_label("What counts once").select_option("person")
    phone.get_by_role("textbox", name="Cell size").fill("1112")
    submit = phone.get_by_role("button", name="Count the events")
    expect(submit).to_be_enabled()
    expect(problem).to_be_hidden()
    submit.click()

    phone.wait_for_url("**/datasets/*/")
    expect(phone.locator(".chart .js-plotly-plot").first).to_be_visible(timeout=patience(30_000))
    expect(phone.locator("#reading")).to_contain_text("one person in at most 2 cells")
    phone.get_by_role("link", name="New release").first.click()
    settled(phone)
    only(phone, "Uniform")
    phone.get_by_role("button", name="What this means").click()
    promise = "which covers all events of one person at these timestamps"
    expect(phone.locator("[data-statements]")).to_contain_text(promise)
    expect(phone.get_by_label("One person changes at most Δ")).to_have_value("2")


@pytest.mark.usefixtures("worker")
def test_from_trajectories_to_check_ins_of_users(page):
    open_upload(page, "events.csv", kinds.checkins(test_stays.ROWS, test_stays.HEADER))
    page.locator("summary[aria-label=More]").first.click()
    page.get_by_role("link", name="Stays as check-ins").click()
    duration, submit = page.get_by_role("textbox", name="Duration"), page.get_by_role("button", name="Detect the stays")
    duration.fill("-1")
    submit.click()
    expect(page.locator("[data-field=duration_s] .field__error")).to_be_visible()
    duration.fill("600")
    assert not accessibility_faults(page)
    submit.click()

    page.wait_for_url("**/datasets/*/")
    expect(page.locator("[data-cells-rows] tr")).to_have_count(3, timeout=patience(30_000))
    expect(page.locator("#reading")).to_contain_text("A user is one person of the trajectories.")
    check_page(page)
    page.get_by_role("link", name="New release").first.click()
    expect(page.locator("tr[data-mechanism] [data-field=privacy_unit] option").first).to_have_text("each user")
    settled(page)
    only(page, "Popularity")
    page.get_by_role("button", name="What this means").click()
    expect(page.locator("[data-statements]")).to_contain_text("which covers all events of one person")


SIDES = ("west", "south", "east", "north")


def sides(page):
    """What the four fields hold."""
    return {name: float(page.locator(f"#{name}").input_value()) for name in SIDES}


def box_of(name):
    return dict(zip(SIDES, AREAS[name], strict=True))


def test_public_areas_are_boxes():
    assert AREAS[SAMPLE] == CITY
    for name, sides in AREAS.items():
        assert len(Grid(*sides, 2, 2)) == 4, name


def test_the_first_box_is_that_of_the_check_ins_and_stated_so_until_another_is_chosen_without_them(open_page, owner):
    upload = ContentFile(kinds.checkins(kinds.checkin_rows()), name="data.csv")
    dataset = import_dataset(owner=owner, upload=upload)
    page = open_page(owner, size=PHONE)
    cells = []
    page.on("request", lambda request: cells.append(request.url) if "/cells/" in request.url else None)
    page.goto(f"/datasets/{dataset.pk}/releases/new/")
    page.get_by_role("button", name="Public grid").click()
    handles, lines = page.locator(".map-handle"), page.locator("canvas[data-layer=box]")
    expect(handles).to_have_count(5)
    expect(lines).to_be_visible()
    page.get_by_text("Box in degrees").click()
    area, note = page.get_by_label("Places"), page.locator("[data-uploaded-note]")
    looked = page.get_by_label("The box or the number of cells was chosen with knowledge")
    west, south, east, north = dataset.summary["bounds"]
    first = sides(page)  # the extent of the upload: it is stated so
    assert first["west"] <= west <= east <= first["east"] < first["west"] + 1
    assert first["south"] <= south <= north <= first["north"] < first["south"] + 1
    expect(looked).to_be_checked()
    uncovered = page.locator("[data-uncovered-list]")
    expect(uncovered).to_contain_text("chosen with knowledge of the uploaded check-ins")

    looked.uncheck()
    expect(uncovered).not_to_contain_text("chosen with knowledge of the uploaded check-ins")
    area.select_option(label="Paris")
    assert sides(page) == box_of("Paris")
    page.get_by_role("button", name="Lower left corner of the box").focus()
    page.keyboard.press("Shift+ArrowLeft")
    moved = sides(page)
    assert moved["west"] < 2.22
    assert {**moved, "west": 2.22} == box_of("Paris")
    expect(area.locator("option:checked")).to_have_text("as typed or drawn")
    settled(page)
    only(page, "Popularity")
    settled(page)
    expect(page.get_by_role("button", name="Create 1 model")).to_be_enabled()
    page.get_by_label("East, °").fill("1")
    expect(handles).to_have_count(0)
    page.get_by_label("East, °").fill("2.47")
    expect(handles).to_have_count(5)
    page.get_by_role("button", name="Use the map’s view").click()
    seen = sides(page)
    assert seen["west"] < moved["west"]
    assert seen["east"] > moved["east"]

    expect(looked).not_to_be_checked()
    expect(note).to_be_hidden()
    assert cells == []
    page.get_by_role("button", name="Show the uploaded check-ins").click()
    expect(note).to_contain_text(re.compile("is not covered by the guarantee"))
    expect(page.locator("canvas[data-layer=uploaded]")).to_be_visible()
    assert sides(page) == seen  # nothing is chosen for the analyst
    expect(looked).to_be_checked()
    expect(looked).to_be_disabled()  # what was seen stays seen
    expect(uncovered).to_contain_text("chosen with knowledge of the uploaded check-ins")
    assert_fits(page)
    with page.expect_response(lambda answer: answer.request.method == "POST" and answer.url.endswith("/releases/")):
        page.get_by_role("button", name="Create 1 model").click()
    assert Release.objects.get().spec["box_from_data"] is True
