"""The landmark editor: found, picked, drawn at random, scheduled, from a column; what its promises cover."""

import re

import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import expect

from dashboard.datasets.services import import_dataset
from dashboard.landmarks.dummy_landmarks import add_dummies
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.services import mark_landmarks
from tests.browser.actions import box_of, contains
from tests.browser.conftest import check_page
from tests.browser.landmark_editor import (
    drag,
    edit,
    event_on_screen,
    expect_marked,
    marked,
    place,
    save,
    tool,
    undo_all,
)
from tests.browser.rendering import expect_painted, painted

WEEK = ["mon", "tue", "wed", "thu", "fri"]
STAYS = {"name": "stay-points", "distance_m": 200.0, "duration_s": 1200.0}
NIGHTS = {
    "name": "schedule",
    "windows": [{"days": WEEK, "start": "22:00", "end": "06:00"}],
    "time_zone": "Europe/Paris",
}


@pytest.mark.journey
def test_stays_are_set_undone_and_saved(page, owner, taxi, stays):
    method = {"name": "stay-points", "distance_m": 300.0, "duration_s": 1200.0}
    expected = mark_landmarks(owner=owner, dataset=taxi, method=method)
    edit(page, taxi)
    found, drawn = marked(page), painted(page, "landmarks")
    expect(page.get_by_role("button", name="Landmark column")).to_be_disabled()
    expect(page.locator("[data-why]")).to_contain_text("needs a landmark column")
    expect(page.locator("[data-more-facts]")).to_contain_text("from a regular event to the nearest landmark")
    coverage = page.locator("[data-coverage]")
    expect(coverage).to_contain_text("Not covered by the promise of a release: which events are landmarks, found in")
    page.locator(".stay").nth(1).click()
    expect(page.locator(".timeline__text")).to_contain_text("landmark")

    distance, gap = page.get_by_label("Distance, m", exact=True), page.get_by_label("Gap limit, s", exact=True)
    undo, redo = (page.get_by_role("button", name=name) for name in ("Undo", "Redo"))
    usual = distance.input_value()
    page.get_by_label("Distance, slider").press("Home")
    expect(distance).to_have_value("2")
    expect_marked(page, 0)
    gap.fill("60")
    undo.click()
    expect(gap).to_have_value("")
    page.keyboard.press("Control+z")
    expect(distance).to_have_value(usual)
    expect_marked(page, found)
    expect_painted(page, "landmarks", lambda pixels: pixels == drawn)
    expect(undo).to_be_disabled()
    page.keyboard.press("Control+Shift+z")
    expect(distance).to_have_value("2")
    expect_marked(page, 0)
    redo.click()
    expect(gap).to_have_value("60")
    undo_all(page, found)

    distance.fill("-5")
    expect(page.locator("[data-field=distance_m] .field__error")).to_contain_text("Must be at least 0, got -5")
    distance.fill("300")
    page.get_by_label("Duration, s", exact=True).fill("1200")
    expect_marked(page, expected.count)
    expect(page.locator("[data-share]")).to_contain_text(f"of 260 events · {100 * expected.share:.1f}")
    assert painted(page, "landmarks") > 100
    made = save(page, taxi)
    assert (made.count, made.method["name"], made.name) == (expected.count, "stay-points", expected.name)
    assert made.pk != expected.pk


@pytest.mark.journey
def test_events_are_picked_by_keyboard_and_pointer(page, taxi, stays):
    edit(page, taxi)
    found = marked(page)
    text, ghost = page.locator(".timeline__text"), page.locator(".timeline__ghost")
    slider = page.get_by_role("slider", name="Event")
    strip = box_of(slider)
    page.mouse.move(strip["x"] + strip["width"] / 2, strip["y"] + 20)
    expect(ghost).to_be_visible()
    expect(text).not_to_contain_text("event 1 of")
    page.mouse.move(5, 5)
    expect(ghost).to_be_hidden()
    expect(text).to_contain_text("event 1 of")
    slider.press("End")
    at = event_on_screen(page)
    slider.press("Home")
    page.mouse.move(at[0] + 2, at[1] + 2)
    expect(ghost).to_be_visible()
    expect(text).not_to_contain_text("event 1 of")

    slider.press("ArrowRight")
    page.keyboard.press("l")
    expect_marked(page, found + 1)
    expect(text).to_contain_text("event 2 of 260 · landmark")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    expect_marked(page, found + 2)
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    expect_marked(page, found)
    page.get_by_role("button", name="Redo").click()
    expect_marked(page, found + 1)
    undo_all(page, found)

    page.get_by_role("button", name="Manual").click()
    expect_marked(page, found)
    page.get_by_label("Compare with").select_option(str(stays.pk))
    facts = page.locator("[data-overlap]")
    expect(facts).to_contain_text(f"In both{stays.count} events")
    slider.press("Home")
    slider.press("l")
    changed = 0 if stays.mask[0] else 1
    contains(facts, f"Only here{changed} event", f"In both{stays.count - 1 + changed} events")
    expect(page.locator("[data-more-facts]")).to_contain_text("from a regular event to the nearest landmark")
    with_shift(page, (strip["x"] + 10, strip["y"] + 20), (strip["x"] + 60, strip["y"] + 20))
    assert marked(page) > found + 3
    for _ in range(2):  # a rectangle marks what it holds, and unmarks it where all of it is marked
        with_shift(page, place(page, 0.1, 0.2), place(page, 0.9, 0.9))
        if marked(page) < 260:
            break
    assert marked(page) < 260


def with_shift(page, start, end):
    page.keyboard.down("Shift")
    drag(page, start, end)
    page.keyboard.up("Shift")


def test_random_events_are_copied_and_a_column_is_one_click(page, owner, taxi):
    edit(page, taxi)
    page.get_by_role("button", name="Random").click()
    page.get_by_label("Share", exact=True).fill("0.1")
    expect_marked(page, 26)
    first = page.locator("[data-stays]").inner_text()
    page.get_by_role("button", name="Sample again").click()
    expect(page.locator("[data-stays]")).not_to_have_text(first, use_inner_text=True)
    made = save(page, taxi)
    assert (made.count, made.method["name"], made.method["seed"]) == (26, "synthetic", 2)

    edit(page, taxi, f"?from={made.pk}")
    expect_marked(page, 26)
    page.get_by_role("slider", name="Event").press("l")
    copy = save(page, taxi)
    assert copy.method["name"] == "manual"
    assert copy.mask.tolist() == [not made.mask[0], *made.mask.tolist()[1:]]

    rows = b"".join(b"2024-05-14T07:%02d:00Z,48.%d,2.3,%d\n" % (i, 8462 + i, i % 3 == 0) for i in range(30))
    upload = ContentFile(b"time,lat,lon,landmark\n" + rows, name="marked.csv")
    dataset = import_dataset(owner=owner, upload=upload)
    edit(page, dataset)
    page.get_by_role("button", name="Landmark column").click()
    expect_marked(page, 10)
    column = save(page, dataset)
    assert (column.method, column.count) == ({"name": "column"}, 10)


def test_by_touch_without_a_keyboard(open_page, owner, taxi, stays):
    more = {"has_touch": True, "is_mobile": True, "size": {"width": 390, "height": 844}}
    page = open_page(owner, colour="dark", **more)
    edit(page, taxi)
    tool(page, "Select")
    before = marked(page)
    drag(page, place(page, 0.1, 0.2), place(page, 0.9, 0.75))
    assert marked(page) > before
    page.get_by_role("button", name="Done").tap()
    expect(page.locator("[data-hint]")).to_be_hidden()
    tool(page, "Polygon")
    for corner in [(0.2, 0.3), (0.7, 0.3), (0.7, 0.6), (0.21, 0.31)]:
        page.touchscreen.tap(*place(page, *corner))
    expect(page.locator("[data-handle^=corner]")).to_have_count(3)
    page.get_by_label("Compare with").select_option(str(stays.pk))
    tool(page, "Circle")
    check_page(page, both_colours=True)
    schedule(page)
    page.get_by_role("button", name="Add a window").click()
    check_page(page)


def schedule(page):
    page.get_by_role("button", name="Schedule", exact=True).click()
    page.get_by_label("Time zone").fill("Europe/Paris")


def press_days(window, *days):
    for day in days:
        window.get_by_role("button", name=day).click()


def test_a_schedule_is_corrected_counted_saved_and_copied(page, owner, taxi, monitor):
    windows = [
        {"days": WEEK, "start": "08:15", "end": "12:00"},
        {"days": ["sat", "sun"], "start": "00:00", "end": "24:00"},
        {"days": ["mon"], "start": "23:00", "end": "03:00"},
    ]
    method = {"name": "schedule", "windows": windows, "time_zone": "Europe/Paris"}
    expected = mark_landmarks(owner=owner, dataset=taxi, method=method)
    edit(page, taxi)
    monitor.expect(400)
    schedule(page)
    coverage = page.locator("[data-coverage]")
    expect(coverage).to_contain_text("Covered by the promise of a release, provided that the schedule was chosen")
    page.get_by_label("Time zone").fill("Mars/Olympus")
    error = page.locator("[data-field=time_zone] .field__error")
    expect(error).to_contain_text("Must be the name of a time zone")
    expect(page.get_by_label("Time zone")).to_have_attribute("aria-invalid", "true")
    page.get_by_label("Time zone").fill("Europe/Paris")
    expect(error).to_be_hidden()
    error = page.locator("[data-field=windows] > .field__error")
    page.get_by_label("From").fill("06:00")
    expect(error).to_contain_text("Must have an end other than its start")
    page.get_by_label("From").fill("")
    expect(error).to_contain_text("Must be a time of day")

    first, second, third = (page.get_by_role("group", name=f"Window {i}") for i in (1, 2, 3))
    press_days(first, "Saturday", "Sunday")
    first.get_by_label("From").fill("08:15")
    first.get_by_label("To").fill("12:00")
    page.get_by_role("button", name="Add a window").click()
    press_days(second, "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
    second.get_by_label("All day").check()
    page.get_by_role("button", name="Add a window").click()
    press_days(third, "Monday", "Saturday", "Sunday")
    third.get_by_label("All day").uncheck()
    third.get_by_label("From").fill("23:00")
    third.get_by_label("To").fill("03:00")
    expect(third).to_contain_text("next day")
    expect_marked(page, expected.count)
    made = save(page, taxi)
    assert made.method == method | {"first_date": None, "last_date": None}
    assert (made.mask == expected.mask).all()
    assert made.pk != expected.pk

    sundays = {"windows": [{"days": ["mon", "sun"], "start": "07:00", "end": "24:00"}], "time_zone": "Asia/Tokyo"}
    dates = {"first_date": "2000-01-01", "last_date": None}
    source = mark_landmarks(owner=owner, dataset=taxi, method={"name": "schedule"} | sundays | dates)
    edit(page, taxi, f"?from={source.pk}")
    expect(page.get_by_label("Time zone")).to_have_value("Asia/Tokyo")
    expect(page.get_by_label("First date")).to_have_value("2000-01-01")
    page.get_by_role("button", name="Add a window").click()
    page.get_by_role("button", name="Remove window 1").click()
    expect(second).to_have_count(0)
    for windows_shown in (1, 0):
        page.get_by_role("button", name="Undo").click()
        expect(second).to_have_count(windows_shown)
    assert save(page, taxi).method == source.method
    assert LandmarkSet.objects.filter(dataset=taxi).count() == 4


def there_and_back():
    """An hour at home, an hour at work three kilometres away, an hour at home; a fix every minute."""
    way = [48.85 + i / 740 for i in range(20)]
    lat = [48.85] * 60 + way + [48.877] * 60 + way[::-1] + [48.85] * 60
    rows = "".join(f"{1_714_550_400 + 60 * i},{y:.6f},2.35\n" for i, y in enumerate(lat))
    return ContentFile(f"time,lat,lon\n{rows}".encode(), name="there.csv")


def test_stays_at_one_place_stand_together_and_need_times(page, owner):
    edit(page, import_dataset(owner=owner, upload=there_and_back(), name="There and back"))
    places = page.locator(".place")
    stays = page.locator(".stay").count()
    expect(page.locator("[data-stays-title]")).to_have_text(f"{places.count()} places, {stays} segments")
    assert (places.count(), stays) == (2, 3)
    head = places.first.locator(".place__head")
    expect(head).to_contain_text(re.compile(r"^\d+\.\d{4}° N, \d+\.\d{4}° E"))
    events = places.locator(".place__head .muted").all_inner_texts()
    assert sum(int(one.split(" event")[0].replace(",", "")) for one in events) == marked(page)

    upload = ContentFile(b"lat,lon\n48.85,2.35\n48.86,2.36\n48.87,2.35\n", name="bare.csv")
    edit(page, import_dataset(owner=owner, upload=upload))
    expect(page.get_by_role("button", name="Stay points")).to_be_disabled()
    expect(page.locator("[data-why]")).to_contain_text("needs times")


def test_what_promises_leave_uncovered_is_stated(page, monitor, owner, taxi):
    stays, nights = (
        mark_landmarks(owner=owner, dataset=taxi, method=method, name=name)
        for name, method in (("Stays", STAYS), ("Nights", NIGHTS))
    )
    for made, text in ((stays, "not covered: which events are landmarks"), (nights, "provided that the schedule")):
        page.goto(f"/landmark-sets/{made.pk}/report/")
        expect(page.locator("[data-coverage]")).to_contain_text(text)

    page.goto(f"/datasets/{taxi.pk}/releases/new/?landmark_set={stays.pk}")
    promises, spending = page.locator("[data-promises]"), page.locator("[data-spending]")
    number = r"leak at most ε = \S+ per \S+ m, with the same"
    uncovered = re.compile(rf"{number} landmarks and times; not covered: which events are landmarks")
    contains(promises, uncovered, f"all {stays.count} landmarks")
    expect(spending).to_contain_text(re.compile(r"may leak ε = \S+ per \S+ m; not covered: which events are landmarks"))
    page.get_by_label("Nights").check()
    expect(promises).to_contain_text(re.compile(f"{number} times, provided that"))
    for stated in (promises, spending):
        expect(stated).not_to_contain_text("which events are landmarks")

    monitor.expect(409)
    coins = {"name": "dummies-one-sided", "epsilon": 2.0}
    seeded = add_dummies(owner=owner, landmark_set=stays, method=coins, seed=4)
    page.goto(f"/datasets/{taxi.pk}/releases/new/?landmark_set={seeded.pk}")
    expect(promises).to_contain_text("which of the marked events are dummies, drawn from a seed")
    page.get_by_role("button", name=re.compile("Create .* release")).click()
    expect(page.locator("[data-problem]")).to_contain_text("Draw the dummies again without a seed")
