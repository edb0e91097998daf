"""The landmark editor: found, picked, drawn at random, scheduled, from a column; what its promises cover."""

import re

import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import expect

from dashboard.datasets.services import import_dataset
from dashboard.landmarks.services import add_dummies, mark_landmarks
from tests.browser import landmark_editor as ui
from tests.browser.actions import contains
from tests.browser.conftest import check_page
from tests.browser.rendering import painted, wait_until_ready

STAYS = {"name": "stay-points", "distance_m": 200.0, "duration_s": 1200.0}
NIGHTS = {
    "name": "schedule",
    "windows": [{"days": ["mon", "tue", "wed", "thu", "fri"], "start": "22:00", "end": "06:00"}],
    "time_zone": "Europe/Paris",
}


@pytest.mark.journey
def test_stays_are_set_undone_and_saved(page, owner, taxi, stays):
    method = {"name": "stay-points", "distance_m": 300.0, "duration_s": 1200.0}
    expected = mark_landmarks(owner=owner, dataset=taxi, method=method)
    ui.edit(page, taxi)
    found = ui.marked(page)
    expect(page.get_by_role("button", name="Landmark column")).to_be_disabled()
    expect(page.locator("[data-why]")).to_contain_text("needs a landmark column")
    expect(page.locator("[data-more-facts]")).to_contain_text("from a regular event to the nearest landmark")
    coverage = page.locator("[data-coverage]")
    expect(coverage).to_contain_text("Not covered by the promise of a release: which events are landmarks, found in")
    page.locator(".stay").nth(1).click()
    expect(page.locator(".timeline__text")).to_contain_text("landmark")

    distance, gap = page.get_by_label("Distance, m", exact=True), page.get_by_label("Gap limit, s", exact=True)
    usual = distance.input_value()
    page.get_by_label("Distance, slider").press("Home")
    expect(distance).to_have_value("2")
    ui.expect_marked(page, 0)
    gap.fill("60")
    page.get_by_role("button", name="Undo").click()
    expect(gap).to_have_value("")
    page.keyboard.press("Control+z")
    expect(distance).to_have_value(usual)
    ui.expect_marked(page, found)
    page.keyboard.press("Control+Shift+z")
    ui.expect_marked(page, 0)
    page.get_by_role("button", name="Redo").click()
    expect(gap).to_have_value("60")
    ui.undo_all(page, found)

    distance.fill("-5")
    expect(page.locator("[data-field=distance_m] .field__error")).to_contain_text("Must be at least 0, got -5")
    distance.fill("300")
    page.get_by_label("Duration, s", exact=True).fill("1200")
    ui.expect_marked(page, expected.count)
    expect(page.locator("[data-share]")).to_contain_text(f"of 260 events · {100 * expected.share:.1f}")
    assert painted(page, "landmarks") > 100
    made = ui.save(page, taxi)
    assert (made.count, made.method["name"], made.name) == (expected.count, "stay-points", expected.name)
    assert made.pk != expected.pk


def test_events_are_picked_by_keyboard_and_pointer(page, taxi, stays):
    ui.edit(page, taxi)
    found = ui.marked(page)
    text, ghost = page.locator(".timeline__text"), page.locator(".timeline__ghost")
    slider = page.get_by_role("slider", name="Event")
    strip = slider.bounding_box()
    page.mouse.move(strip["x"] + strip["width"] / 2, strip["y"] + 20)
    expect(ghost).to_be_visible()
    expect(text).not_to_contain_text("event 1 of")
    page.mouse.move(5, 5)
    expect(ghost).to_be_hidden()
    expect(text).to_contain_text("event 1 of")
    slider.press("End")
    at = ui.event_on_screen(page)
    slider.press("Home")
    page.mouse.move(at[0] + 2, at[1] + 2)
    expect(ghost).to_be_visible()
    expect(text).not_to_contain_text("event 1 of")

    slider.press("ArrowRight")
    page.keyboard.press("l")
    ui.expect_marked(page, found + 1)
    expect(text).to_contain_text("event 2 of 260 · landmark")
    ui.undo_all(page, found)

    page.get_by_role("button", name="Manual").click()
    ui.expect_marked(page, found)
    page.get_by_label("Compare with").select_option(str(stays.pk))
    facts = page.locator("[data-overlap]")
    expect(facts).to_contain_text(f"In both{stays.count} events")
    slider.press("Home")
    slider.press("l")
    changed = 0 if stays.mask[0] else 1
    contains(facts, f"Only here{changed} event", f"In both{stays.count - 1 + changed} events")
    expect(page.locator("[data-more-facts]")).to_contain_text("from a regular event to the nearest landmark")
    with_shift(page, (strip["x"] + 10, strip["y"] + 20), (strip["x"] + 60, strip["y"] + 20))
    assert ui.marked(page) > found + 3
    for _ in range(2):  # a rectangle marks what it holds, and unmarks it where all of it is marked
        with_shift(page, ui.place(page, 0.1, 0.2), ui.place(page, 0.9, 0.9))
        if ui.marked(page) < 260:
            break
    assert ui.marked(page) < 260


def with_shift(page, start, end):
    page.keyboard.down("Shift")
    ui.drag(page, start, end)
    page.keyboard.up("Shift")


def test_random_events_and_a_column_are_one_click_and_stays_need_times(page, owner, taxi):
    ui.edit(page, taxi)
    page.get_by_role("button", name="Random").click()
    page.get_by_label("Share", exact=True).fill("0.1")
    ui.expect_marked(page, 26)
    first = page.locator("[data-stays]").inner_text()
    page.get_by_role("button", name="Sample again").click()
    expect(page.locator("[data-stays]")).not_to_have_text(first, use_inner_text=True)
    made = ui.save(page, taxi)
    assert (made.count, made.method["name"], made.method["seed"]) == (26, "synthetic", 2)

    rows = b"".join(b"2024-05-14T07:%02d:00Z,48.%d,2.3,%d\n" % (i, 8462 + i, i % 3 == 0) for i in range(30))
    upload = ContentFile(b"time,lat,lon,landmark\n" + rows, name="marked.csv")
    dataset = import_dataset(owner=owner, upload=upload)
    ui.edit(page, dataset)
    page.get_by_role("button", name="Landmark column").click()
    ui.expect_marked(page, 10)
    column = ui.save(page, dataset)
    assert (column.method, column.count) == ({"name": "column"}, 10)
    upload = ContentFile(b"lat,lon\n48.85,2.35\n48.86,2.36\n48.87,2.35\n", name="bare.csv")
    ui.edit(page, import_dataset(owner=owner, upload=upload))
    expect(page.get_by_role("button", name="Stay points", exact=True)).to_be_disabled()
    expect(page.locator("[data-why]")).to_contain_text("needs times")


def test_by_touch_without_a_keyboard(open_page, owner, taxi, stays):
    more = {"has_touch": True, "is_mobile": True, "size": {"width": 390, "height": 844}}
    page = open_page(owner, colour="dark", **more)
    ui.edit(page, taxi)
    ui.tool(page, "Select")
    before = ui.marked(page)
    ui.drag(page, ui.place(page, 0.1, 0.2), ui.place(page, 0.9, 0.75))
    assert ui.marked(page) > before
    page.get_by_role("button", name="Done").tap()
    expect(page.locator("[data-hint]")).to_be_hidden()
    ui.tool(page, "Polygon")
    for corner in [(0.2, 0.3), (0.7, 0.3), (0.7, 0.6), (0.21, 0.31)]:
        page.touchscreen.tap(*ui.place(page, *corner))
    expect(page.locator("[data-handle^=corner]")).to_have_count(3)
    page.get_by_label("Compare with").select_option(str(stays.pk))
    ui.tool(page, "Circle")
    check_page(page, both_colours=True)


def press_days(window, *days):
    for day in days:
        window.get_by_role("button", name=day).click()


def test_a_schedule_is_corrected_counted_and_saved(page, owner, taxi, monitor):
    windows = [
        {"days": ["mon", "tue", "wed", "thu", "fri"], "start": "08:15", "end": "12:00"},
        {"days": ["mon"], "start": "23:00", "end": "03:00"},
    ]
    method = {"name": "schedule", "windows": windows, "time_zone": "Europe/Paris"}
    expected = mark_landmarks(owner=owner, dataset=taxi, method=method)
    ui.edit(page, taxi)
    monitor.expect(400)
    page.get_by_role("button", name="Schedule", exact=True).click()
    coverage = page.locator("[data-coverage]")
    expect(coverage).to_contain_text("Covered by the promise of a release, provided that the schedule was chosen")
    zone, error = page.get_by_label("Time zone"), page.locator("[data-field=time_zone] .field__error")
    zone.fill("Mars/Olympus")
    expect(error).to_contain_text("Must be the name of a time zone")
    expect(zone).to_have_attribute("aria-invalid", "true")
    zone.fill("Europe/Paris")
    expect(error).to_be_hidden()

    first, second = (page.get_by_role("group", name=f"Window {i}") for i in (1, 2))
    press_days(first, "Saturday", "Sunday")
    first.get_by_label("From").fill("08:15")
    first.get_by_label("To").fill("12:00")
    page.get_by_role("button", name="Add a window").click()
    press_days(second, "Tuesday", "Wednesday", "Thursday", "Friday")
    second.get_by_label("From").fill("23:00")
    second.get_by_label("To").fill("03:00")
    expect(second).to_contain_text("next day")
    ui.expect_marked(page, expected.count)
    made = ui.save(page, taxi)
    assert made.method == method | {"first_date": None, "last_date": None}
    assert (made.mask == expected.mask).all()
    ui.edit(page, taxi, f"?from={made.pk}")
    page.get_by_role("button", name="Remove window 1").click()
    expect(second).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(second).to_have_count(1)


def test_what_promises_leave_uncovered_is_stated(page, monitor, owner, taxi):
    stays = mark_landmarks(owner=owner, dataset=taxi, method=STAYS, name="Stays")
    mark_landmarks(owner=owner, dataset=taxi, method=NIGHTS, name="Nights")
    page.goto(f"/datasets/{taxi.pk}/releases/new/?landmark_set={stays.pk}")
    promises, spending = page.locator("[data-promises]"), page.locator("[data-spending]")
    uncovered = page.locator("[data-uncovered]")
    number = r"leak at most ε = \S+ per \S+ m, with the same"
    contains(promises, re.compile(f"{number} landmarks and times"), f"all {stays.count} landmarks")
    expect(uncovered).to_contain_text("Which events are landmarks, found in positions")
    expect(spending).to_contain_text(re.compile(r"may leak ε = \S+ per \S+ m; not covered: which events are landmarks"))
    page.get_by_label("Landmark set").select_option(label="Nights")
    expect(promises).to_contain_text(re.compile(f"{number} times, provided that"))
    for stated in (uncovered, spending):
        expect(stated).not_to_contain_text(re.compile("which events are landmarks, found", re.IGNORECASE))
    expect(page.locator("[data-set-text]")).to_contain_text("by times: covered")

    monitor.expect(409)
    coins = {"name": "dummies-one-sided", "epsilon": 2.0}
    seeded = add_dummies(owner=owner, landmark_set=stays, method=coins, seed=4)
    page.goto(f"/datasets/{taxi.pk}/releases/new/?landmark_set={seeded.pk}")
    expect(uncovered).to_contain_text("Which of the marked events are dummies, drawn from a seed")
    wait_until_ready(page, "[data-form]")
    page.get_by_role("button", name=re.compile("Create .* release")).click()
    expect(page.locator("[data-problem]")).to_contain_text("Draw the dummies again without a seed")


def proposal(page):
    return page.get_by_role("group", name="Proposal from the data")


def test_without_landmarks_stay_points_of_the_data_are_proposed(page, owner):
    """One click applies them; what they find is what was stated, also as a list of places."""
    east = [2.3] * 9 + [2.31, 2.32] + [2.35] * 9 + [2.36, 2.37] + [2.3] * 10 + [2.4 + i / 50 for i in range(60)]
    rows = [f"2024-05-14T{i // 60:02}:{i % 60:02}:00Z,{lon:.5f},48.85" for i, lon in enumerate(east)]
    short = import_dataset(owner=owner, upload=ContentFile("\n".join(["time,lon,lat", *rows]).encode(), name="a.csv"))
    ui.edit(page, short)
    ui.expect_marked(page, 0)
    part = proposal(page)
    contains(part, "No landmarks", "5 min and 200 m find 3 stays at 2 places: 28 landmarks.")
    expect(part.get_by_role("img")).to_have_attribute("aria-label", re.compile("200.m: 5.min 28, 10.min 0"))
    check_page(page)
    part.get_by_role("button", name="Use these stay points").click()
    ui.expect_marked(page, 28)
    expect(page.locator("[data-stays-title]")).to_have_text("2 places, 3 segments")
    expect(part).to_be_hidden()
    expect(page.get_by_label("Duration, s", exact=True)).to_have_value("300")
    page.get_by_role("button", name="Undo").click()
    expect(part).to_be_visible()
    page.get_by_role("button", name="Manual").click()
    ui.expect_marked(page, 0)
    part.get_by_role("button", name="Use these stay points").click()
    ui.expect_marked(page, 28)


def test_more_than_half_of_the_events_as_landmarks_is_stated_once_they_are_counted(page, owner, monitor):
    rows = [f"2024-05-14T{i // 60:02}:{i % 60:02}:00Z,{2.3 + (i > 70) * i / 50:.5f},48.85" for i in range(100)]
    resting = import_dataset(owner=owner, upload=ContentFile("\n".join(["time,lon,lat", *rows]).encode(), name="b.csv"))
    ui.edit(page, resting)
    ui.expect_marked(page, 71)
    part = proposal(page)
    contains(part, "71", "of the events are landmarks", "Stays are at least 71", "with 5 min and 50 m")
    expect(part.get_by_role("button", name="Use these stay points")).to_have_count(0)  # they are those that are marked
    expect(part.get_by_role("link")).to_have_attribute("href", f"/datasets/{resting.pk}/releases/new/")
    part.get_by_role("button", name="Draw zones").click()
    expect(page.get_by_role("button", name="Zones", exact=True)).to_have_attribute("aria-pressed", "true")
    part.get_by_role("button", name="Select events").click()
    ui.expect_marked(page, 0)
    check_page(page)
    east = [2.3] * 131 + [2.5 + i / 50 for i in range(15)] + [2.9] * 61  # a stay of two hours, and another of one
    rows = [f"2024-05-14T{i // 60:02}:{i % 60:02}:00Z,{lon:.5f},48.85" for i, lon in enumerate(east)]
    home = import_dataset(owner=owner, upload=ContentFile("\n".join(["time,lon,lat", *rows]).encode(), name="h.csv"))
    ui.edit(page, home)
    ui.expect_marked(page, 192)
    contains(part, "92.8", "Stays are at least 63.3", "1 h 30 min and 50 m")
    part.get_by_role("button", name="Use these stay points").click()
    ui.expect_marked(page, 131)
    timeless = import_dataset(owner=owner, upload=ContentFile(b"lon,lat\n1,2\n1,2\n1,3\n", name="c.csv"))
    ui.edit(page, timeless)
    page.get_by_role("button", name="Zones").click()
    contains(proposal(page), "No landmarks", "Without times no stays are found")
