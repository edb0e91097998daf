"""How a file is read: the preview whose columns are assigned their roles, and cleaning."""

import json
import re

import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import expect

from dashboard.datasets.models import Dataset
from dashboard.datasets.services import import_dataset
from dashboard.jobs.models import State
from tests.browser.conftest import PHONE, WALK, accessibility_faults, card, check_page, choose, run_jobs, table
from tests.cases import refreshed
from tests.engine.format_samples import GPX

UNHELPFUL = b"a;b;c;d\n" + b"".join(
    b"2024-06-15T10:%02d:00Z;48,5%02d;2,4%02d;u%d\n" % (i, i, i, i % 2) for i in range(30)
)
LEAP = WALK + b"2024-05-14T07:40:00Z,10.0,2.0\n"
COLUMNS = (("b", "Latitude"), ("c", "Longitude"), ("a", "Time"), ("d", "Series"))


@pytest.fixture
def odd(owner, monkeypatch):
    """A dataset that could not be read, since its columns have no known names."""
    monkeypatch.setattr("dashboard.datasets.services.NOW_PLAIN_BYTES", 10)
    dataset = import_dataset(owner=owner, upload=ContentFile(UNHELPFUL, name="odd.csv"))
    run_jobs()
    return dataset


def preview(page):
    return page.locator("[data-preview]")


def role_of(page, column):
    return preview(page).get_by_label(f"{column}, read as")


def import_button(page):
    return page.locator("[data-submit-bar]").get_by_role("button", name="Import")


def open_settings(page, dataset):
    page.goto(f"/datasets/{dataset.pk}/import/")
    expect(page.locator("form[data-ready]")).to_be_attached()
    expect(page.locator("[aria-busy]")).to_have_count(0)


def more_options(page):
    page.get_by_text("More options").click()


def add_step(page, name):
    page.get_by_label("Step to add").select_option(name)
    page.get_by_role("button", name="Add step").click()


@pytest.mark.journey
def test_a_refused_upload_leads_to_its_columns(page, owner, monitor):
    monitor.expect(400)
    page.goto("/")
    choose(page, table("odd.csv", UNHELPFUL))
    refused = card(page, "odd.csv")
    expect(refused).to_contain_text("Nothing of this file was stored.")
    assert not Dataset.objects.exists()
    refused.get_by_role("button", name="Choose columns").click()
    expect(preview(page)).to_contain_text("No latitude column was found")
    for column, role in COLUMNS:
        role_of(page, column).select_option(role)
    import_button(page).click()
    expect(page.get_by_role("complementary", name="About this dataset")).to_contain_text("15 Jun 2024")
    assert Dataset.objects.get().state == State.READY


def test_unhelpful_headers_are_named_and_points_appear(page, odd):
    page.goto(f"/datasets/{odd.pk}/")
    page.get_by_role("link", name="Import settings").click()
    expect(preview(page)).to_contain_text("No latitude column was found")
    expect(preview(page).get_by_role("row")).to_have_count(8)
    role_of(page, "a").focus()
    page.keyboard.press("Tab")
    expect(role_of(page, "b")).to_be_focused()
    page.keyboard.type("Lat")
    expect(preview(page)).to_contain_text("No longitude column was found")
    expect(role_of(page, "b")).to_be_focused()
    check_page(page)
    role_of(page, "b").focus()
    page.keyboard.press("Tab")
    page.keyboard.type("Lon")
    expect(preview(page).get_by_role("status")).to_have_count(0)
    expect(role_of(page, "b")).to_have_value("lat")
    expect(role_of(page, "c")).to_have_value("lon")
    for column, role in COLUMNS:
        role_of(page, column).select_option(role)
    expect(page.locator("[data-preview-facts]")).to_contain_text("decimal comma")
    expect(import_button(page)).to_have_text("Import 30 events in 2 series")
    more_options(page)
    expect(preview(page).get_by_role("status")).to_have_count(0)
    expect(page.get_by_label("Latitude column")).to_have_value("#2")
    import_button(page).click()
    expect(page.get_by_role("heading", name="Importing the file")).to_be_visible()
    run_jobs()
    expect(page.get_by_role("complementary", name="About this dataset")).to_contain_text("30 events read in 2 series")
    read = refreshed(odd)
    assert (read.state, read.points) == (State.READY, 30)


def test_columns_change_places_and_follow_the_fields_below(page, owner, walk, monitor):
    monitor.expect(400)
    page.goto(f"/datasets/{walk.pk}/")
    page.get_by_role("link", name="Import settings").click()
    more_options(page)
    for column in ("time", "lat", "lon"):
        expect(role_of(page, column)).to_have_value(column)
    expect(preview(page)).to_contain_text("2024-05-14T07:00:00Z")
    role_of(page, "time").select_option("Not used")
    expect(page.get_by_label("Time column")).to_have_value("#0")
    expect(role_of(page, "time")).to_have_value("")
    expect(role_of(page, "lat").get_by_role("option", name="Not used")).to_be_disabled()
    role_of(page, "time").select_option("Time")

    problem = preview(page).get_by_role("status")
    page.get_by_label("Separator", exact=True).select_option("semicolon")
    expect(problem).to_be_visible()
    page.get_by_label("Separator", exact=True).select_option("detect")
    expect(problem).to_have_count(0)

    role_of(page, "lat").select_option("Longitude")
    expect(role_of(page, "lon")).to_have_value("lat")
    expect(role_of(page, "lat")).to_have_value("lon")
    with page.expect_navigation():
        import_button(page).click()
    west, south, _, _ = refreshed(walk).summary["bounds"]
    assert (int(west), int(south)) == (48, 2)
    open_settings(page, import_dataset(owner=owner, upload=ContentFile(GPX, name="run.gpx")))
    expect(preview(page)).to_contain_text("GPX has no columns to choose from")


def test_cleaning_is_chosen_before_the_upload_changed_and_undone(page, monitor):
    page.goto("/")
    page.get_by_text("Import settings").click()
    add_step(page, "drop-jumps")
    page.get_by_label("Highest speed, km/h", exact=True).fill("150")
    choose(page, table("walk.csv", LEAP))
    expect(card(page, "walk.csv")).to_contain_text("1 event faster than 150 km/h left out.")
    row = Dataset.objects.get()
    assert (row.points, row.cleaning) == (40, [{"name": "drop-jumps", "highest_km_h": 150.0}])

    open_settings(page, row)
    more_options(page)
    add_step(page, "only-series")
    page.get_by_label("Series", exact=True).last.fill("none")
    monitor.expect(400)
    again = import_button(page)
    again.click()
    expect(page.get_by_text("Must be numbers of series")).to_be_visible()
    page.get_by_role("button", name="Remove Only some series").click()
    add_step(page, "first-events")
    page.get_by_role("textbox", name="Events", exact=True).fill("12")
    page.get_by_role("button", name="Earlier: First events").click()
    assert accessibility_faults(page) == []
    with page.expect_navigation():
        again.click()
    expect(page.locator("[data-report]")).to_contain_text("Cleaning")
    row.refresh_from_db()
    assert row.points == 12
    assert [step["name"] for step in row.cleaning] == ["first-events", "drop-jumps"]

    open_settings(page, row)
    more_options(page)
    expect(page.locator("[data-chosen-steps] > li")).to_have_count(2)
    for title in ("First events", "Drop impossible speeds"):
        page.get_by_role("button", name=re.compile(f"Remove {title}")).click()
    with page.expect_navigation():
        again.click()
    row.refresh_from_db()
    assert (row.points, json.dumps(row.cleaning)) == (41, "[]")


def test_steps_that_leave_out_are_chosen_on_the_page(page, owner):
    row = import_dataset(owner=owner, upload=ContentFile(LEAP, name="walk.csv"))
    open_settings(page, row)
    more_options(page)
    for name, label, value in (
        ("leave-out-zone", "Zone", "48.85, 2.35, 1"),
        ("trim-time", "Time at each end, s", "60"),
        ("trim-distance", "Distance at each end, m", "1"),
        ("only-hours", "Time zone", "Europe/Paris"),
    ):
        add_step(page, name)
        page.get_by_label(label, exact=True).last.fill(value)
    assert accessibility_faults(page) == []
    with page.expect_navigation():
        page.get_by_role("button", name="Import").click()
    row.refresh_from_db()
    assert [step["name"] for step in row.cleaning] == ["leave-out-zone", "trim-time", "trim-distance", "only-hours"]
    assert (row.stability, row.cleaning[-1]["first_date"]) == (1, None)
    open_settings(page, row)
    for label in ("First date", "Last date"):
        expect(page.get_by_label(label, exact=True)).to_have_value("")
    expect(page.get_by_label("Hours", exact=True)).to_have_value("daily:00:00-24:00")


def test_check_ins_from_their_own_page_keep_their_kind(page, owner, monitor):
    """Refused, with their columns chosen in the preview, and read: as check-ins at every step."""
    monitor.expect(400)
    rows = b"".join(b"u%d,p%d,2024-06-%02d\n" % (i % 4, i % 5, i % 28 + 1) for i in range(40))
    page.goto("/recommend/")
    page.get_by_role("link", name="Upload check-ins").first.click()
    expect(page.locator("[data-upload-kind]")).to_contain_text("Read as check-ins")
    page.wait_for_load_state()
    choose(page, table("visits.csv", b"who,where,seen\n" + rows))
    refused = card(page, "visits.csv")
    expect(refused).to_contain_text("Check-ins need a column of the user")
    refused.get_by_role("button", name="Choose columns").click()
    expect(preview(page)).to_contain_text("Check-ins need a column of the user")
    kind = page.get_by_role("group", name="Kind of data")
    expect(kind.get_by_label("Check-ins")).to_be_checked()
    kind.get_by_text("Trajectories").click()
    expect(preview(page)).to_contain_text("No latitude column was found")
    expect(role_of(page, "where").get_by_role("option", name="Place")).to_have_count(0)
    kind.get_by_text("Check-ins").click()
    for column, role in (("who", "User"), ("where", "Place"), ("seen", "Time")):
        role_of(page, column).select_option(role)
    expect(preview(page).get_by_role("status")).to_have_count(0)
    check_page(page)
    import_button(page).click()
    expect(page.get_by_role("complementary", name="About this dataset")).to_contain_text("Check-ins")
    read = Dataset.objects.get()
    assert (read.state, read.kind, read.points) == (State.READY, "checkins", 40)


SPANISH = "n;fecha;hora;longitud;latitud;conductor;velocidad;hora_envio;notas\n" + "".join(
    f"{i + 1};03/06/2024;7:{i:02d}:11;-3,70{i:03d};40,41{i:03d};M. Ruiz;{i},5;07:{i:02d};\n" for i in range(30)
)
TOTAL = "TOTAL;;;;;;412,6;;\n"


@pytest.mark.journey
def test_a_table_with_spanish_names_is_read_as_its_owner_reads_it(page, owner):
    """Dates and times of day are one time; their order is a question, the zone a doubt, the total row left out."""
    upload = ContentFile((SPANISH + TOTAL).encode(), name="reparto.csv")
    open_settings(page, import_dataset(owner=owner, upload=upload, keep=True))
    look = page.locator(".import__look")
    look.get_by_label("day, month, year").check()
    look.get_by_role("button", name="Apply").click()
    first = preview(page).get_by_role("row").nth(2)
    expect(first).to_contain_text("3 Jun 2024, 07:00:11 UTC")
    expect(first).to_contain_text("3.70000° W")
    expect(preview(page)).to_contain_text("hora_envio: Resembles a time; not used.")
    expect(preview(page)).to_contain_text("n, conductor, velocidad, notas are not stored.")
    expect(preview(page)).to_contain_text("Left out: A value is empty")
    expect(page.locator("[data-bar-names]")).to_have_text("30 of 31 lines are read, 1 left out.")
    expect(look).to_contain_text("The times name no zone")
    check_page(page)
    look.get_by_label("Time zone").fill("Europe/Madrid")
    look.get_by_role("button", name="Read in this zone").click()
    expect(first).to_contain_text("3 Jun 2024, 07:00:11 +02:00")
    expect(look).to_have_count(0)
    role_of(page, "conductor").select_option("Series")
    expect(first.get_by_text("M. Ruiz")).to_have_count(2)
    page.set_viewport_size(PHONE)
    page.get_by_role("button", name="Row after").click()
    expect(preview(page).get_by_text("line 3", exact=True)).to_be_visible()
    expect(preview(page).get_by_text("07:01:11")).to_be_visible()
    expect(preview(page).get_by_text("07:00:11")).to_be_hidden()
    check_page(page)
    import_button(page).click()
    report = page.locator("[data-report]")
    expect(report).to_contain_text("Line 2: 3 Jun 2024, 05:00:11 UTC · 3.70000° W · 40.41000° N · M. Ruiz")
    expect(report).to_contain_text("hora_envio")
    dataset = Dataset.objects.get()
    assert (dataset.points, dataset.options["time_zone"], dataset.options["date_order"]) == (30, "Europe/Madrid", "dmy")


def test_what_cannot_be_meant_is_mended_by_one_button(page, owner):
    """Without its times of day every position is at midnight: stated before the file is imported so again."""
    rows = "".join(f"2024-06-03,7:{i:02d},2.{i:03d},48.{i:03d}\n" for i in range(30))
    upload = ContentFile(f"day,odd,hm,lon,lat\n{rows.replace(',7', ',x,7')}".encode(), name="d.csv")
    open_settings(page, import_dataset(owner=owner, upload=upload, options={"clock": "#0"}))
    look = page.locator(".import__look")
    expect(look).to_contain_text("Every time is at midnight")
    expect(look.get_by_label("Column")).to_have_value("#3")
    look.get_by_role("button", name="Use as the time of day").click()
    expect(preview(page).get_by_role("row").nth(2)).to_contain_text("07:00")
    expect(look).not_to_contain_text("midnight")
    look.get_by_role("button", name="Keep as they are").click()
    expect(look).to_have_count(0)


def test_what_was_chosen_stays_for_another_kind_and_comes_back_with_the_first(page, owner, monitor):
    """A role that check-ins have not is not sent, so that they are not refused; the zone holds for both."""
    dataset = import_dataset(owner=owner, upload=ContentFile(SPANISH.encode(), name="r.csv"), keep=True)
    open_settings(page, dataset)
    page.locator(".import__look").get_by_role("button", name="Apply").click()
    date_and_time = role_of(page, "fecha + hora")
    page.locator(".preview__zone input").fill("Europe/Madrid")
    page.keyboard.press("Enter")
    first = preview(page).get_by_role("row").nth(2)
    expect(first).to_contain_text("+02:00")
    expect(page.locator(".preview__zone input")).to_be_focused()
    role_of(page, "conductor").select_option("Person")
    expect(first.get_by_text("M. Ruiz")).to_have_count(2)
    kind = page.get_by_role("group", name="Kind of data")
    expect(kind.get_by_label("Trajectories")).to_be_checked()
    kind.get_by_text("Check-ins").click()
    expect(preview(page)).to_contain_text("Check-ins need a column of the user")
    role_of(page, "conductor").select_option("User")
    expect(first).to_contain_text("3 Jun 2024, 07:00:11 +02:00")
    kind.get_by_text("Trajectories").click()
    expect(role_of(page, "conductor")).to_have_value("id")  # as which it was chosen since
    date_and_time.select_option("Without hora")
    expect(first).to_contain_text("00:00:00")
    role_of(page, "hora").select_option("Time of day")
    expect(first).to_contain_text("07:00:11")
    expect(date_and_time).to_be_visible()
    import_button(page).click()
    expect(page.get_by_role("complementary", name="About this dataset")).to_contain_text("30 events")
    read = refreshed(dataset)
    options = {name: read.options[name] for name in ("time_zone", "date_order", "person", "clock")}
    assert options == {"time_zone": "Europe/Madrid", "date_order": "dmy", "person": "column:#6", "clock": "#3"}
