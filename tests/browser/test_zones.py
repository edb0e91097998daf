"""The landmark editor's zones: drawn, moved, typed, imported; what is shown is what the engine marks."""

import json

import numpy as np
import pytest
from playwright.sync_api import expect

from dashboard.landmarks.services import preview_landmarks
from tests.browser import landmark_editor as ui
from tests.browser.actions import downloaded
from tests.browser.conftest import run_jobs
from tests.browser.rendering import at_rest, painted
from tests.dashboard.release_runs import submitted

BAD_FILES = [
    ("{", "not JSON"),
    ('{"type": "Feature", "geometry": {"type": "LineString", "coordinates": []}}', "Feature 1 is a LineString"),
    ('{"type": "Polygon", "coordinates": [[[2, 48], [3, 48]]]}', "must"),
    ('{"type": "Polygon", "coordinates": [[[2, 48], [3, 48], [3, 148], [2, 48]]]}', "must be at most 90"),
]


@pytest.fixture
def editor(page, taxi):
    ui.edit(page, taxi)
    return page


@pytest.mark.journey
def test_a_polygon_is_drawn_downloaded_imported_and_saved(editor, taxi, tmp_path):
    found = ui.marked(editor)
    assert painted(editor, "zones") == 0
    ui.draw_polygon(editor)
    expect(editor.get_by_role("button", name="Zones", exact=True)).to_have_attribute("aria-pressed", "true")
    expect(editor.locator(".zone")).to_have_count(1)
    expect(editor.locator("[data-count]")).not_to_have_text(str(found))
    assert f"{ui.marked(editor)} events" in ui.counted(editor)
    assert painted(editor, "zones") > 20_000
    editor.get_by_label("Label", exact=True).fill("Clinic")
    expect(editor.locator(".zone__name")).to_have_text("Clinic")

    ui.draw_circle(editor)
    expect(editor.locator(".zone__head").nth(1)).to_contain_text("radius")
    download = downloaded(editor.get_by_role("button", name="Download zones"))
    file = tmp_path / download.suggested_filename
    download.save_as(file)
    features = json.loads(file.read_text())["features"]
    assert [one["geometry"]["type"] for one in features] == ["Polygon", "Point"]
    assert features[0]["properties"]["label"] == "Clinic"
    editor.locator("#zones-file").set_input_files(file)
    expect(editor.locator(".zone")).to_have_count(4)
    assert (ui.counted(editor, 0), ui.counted(editor, 1)) == (ui.counted(editor, 2), ui.counted(editor, 3))
    editor.locator("[data-undo]").click()
    expect(editor.locator(".zone")).to_have_count(2)
    editor.locator("[data-undo]").click()  # the circle
    expect(editor.locator(".zone")).to_have_count(1)

    made = ui.save(editor, taxi)
    (zone,) = made.method["zones"]
    assert (zone["type"], zone["label"], len(zone["coordinates"][0])) == ("Polygon", "Clinic", 5)
    (west, north), (east, south) = zone["coordinates"][0][0], zone["coordinates"][0][2]
    series = preview_landmarks(dataset=taxi, method={"name": "zones", "zones": [zone]})
    assert np.array_equal(made.mask, np.concatenate([one.mask for one in series]))
    assert 0 < made.count < made.points
    assert west < east
    assert south < north
    ui.edit(editor, taxi, f"?from={made.pk}")
    expect(editor.locator(".zone")).to_have_count(1)
    ui.expect_marked(editor, made.count)


def test_by_keyboard_around_the_selected_event_and_by_number(editor, taxi):
    editor.get_by_role("group", name="Tools").get_by_role("button", name="Polygon").press("Enter")
    for _ in range(3):
        for _ in range(40):
            editor.keyboard.press("ArrowRight")
        editor.keyboard.press("Space")
    editor.keyboard.press("Enter")
    expect(editor.locator("[data-handle^=corner]")).to_have_count(3)
    editor.locator("[data-undo]").click()
    editor.get_by_role("slider", name="Event").press("Home")
    editor.get_by_role("button", name="Zones", exact=True).press("Enter")
    ui.expect_marked(editor, 0)
    editor.get_by_role("slider", name="Event").press("ArrowRight")
    radius = editor.get_by_label("Circle around event 2, radius in m")
    radius.fill("400")
    radius.press("Enter")
    head = editor.locator(".zone__head")
    expect(head).to_contain_text("400")
    editor.locator("[data-handle=centre]").press("ArrowRight")
    editor.locator("[data-handle=centre]").press("Shift+ArrowUp")
    editor.locator("[data-handle=radius]").press("Shift+ArrowRight")
    expect(head).not_to_contain_text("400")
    larger = float(editor.get_by_label("Radius, m", exact=True).input_value())
    assert larger > 400
    editor.get_by_label("Radius, m", exact=True).fill("750")
    editor.keyboard.press("Enter")
    expect(head).to_contain_text("750")
    made = ui.save(editor, taxi)
    (zone,) = made.method["zones"]
    assert made.count > 0
    assert (zone["type"], zone["radius_m"]) == ("Circle", 750)


def expect_polygon(editor, corners, count):
    """One polygon of so many corners, which is then undone."""
    expect(editor.locator(".zone")).to_have_count(1)
    expect(editor.locator("[data-handle^=corner]")).to_have_count(corners)
    ui.undo_all(editor, count)


def test_zones_are_refused_closed_changed_deleted_and_undone(editor, monitor):
    monitor.expect(400)
    found = ui.marked(editor)
    editor.get_by_role("button", name="Zones", exact=True).click()
    problem = editor.locator("[data-problem]")
    for i, (text, message) in enumerate(BAD_FILES):
        file = {"name": f"z{i}.geojson", "mimeType": "application/geo+json", "buffer": text.encode()}
        editor.locator("#zones-file").set_input_files(file)
        expect(problem, text).to_contain_text(f"z{i}.geojson was not imported")
        expect(problem, text).to_contain_text(message)
        expect(editor.locator(".zone"), text).to_have_count(0)
    ui.draw_polygon(editor, [ui.SQUARE[0], ui.SQUARE[2], ui.SQUARE[1], ui.SQUARE[3]])  # crossed
    expect(editor.locator(".zone > .field__error")).to_contain_text("Must")
    ui.undo_all(editor, found)
    ui.draw_polygon(editor, ui.SQUARE, close=None)
    editor.mouse.click(*ui.place(editor, *ui.SQUARE[0]))
    expect_polygon(editor, 4, found)
    ui.draw_polygon(editor, ui.SQUARE, close=None)
    editor.mouse.dblclick(*ui.place(editor, 0.15, 0.5))
    expect_polygon(editor, 5, found)
    ui.draw_polygon(editor, ui.SQUARE, close=None)
    editor.get_by_role("button", name="Finish").click()
    expect_polygon(editor, 4, found)
    ui.draw_polygon(editor, ui.SQUARE, close="Backspace")
    assert painted(editor, "sketch") > 100
    editor.keyboard.press("Enter")
    expect(editor.locator("[data-handle^=corner]")).to_have_count(3)
    ui.draw_polygon(editor, ui.SQUARE, close="Escape")
    expect(editor.locator(".zone")).to_have_count(1)
    at_rest(editor)
    assert painted(editor, "sketch") == 0
    ui.undo_all(editor, found)

    size = editor.locator(".zone__head .muted")
    ui.draw_polygon(editor)
    inside, area = ui.marked(editor), ui.counted(editor)
    x, y = ui.handle(editor, "corner-2")
    ui.drag(editor, (x, y), (x - 200, y - 80))
    expect(size).not_to_have_text(area)
    assert ui.handle(editor, "corner-2") == pytest.approx((x - 200, y - 80), abs=3)
    editor.keyboard.press("Control+z")
    expect(size).to_have_text(area)
    ui.expect_marked(editor, inside)
    editor.get_by_role("button", name="Redo").click()
    expect(size).not_to_have_text(area)
    editor.keyboard.press("Control+z")
    ui.expect_marked(editor, inside)
    editor.keyboard.press("Control+z")
    expect(editor.get_by_role("button", name="Stay points", exact=True)).to_have_attribute("aria-pressed", "true")
    ui.expect_marked(editor, found)

    ui.draw_polygon(editor)
    x, y = ui.handle(editor, "between-0")
    ui.drag(editor, (x, y), (x, y - 60))
    corners, corner = editor.locator("[data-handle^=corner]"), editor.get_by_label("Corner", exact=True)
    expect(corners).to_have_count(5)
    expect(corner).to_contain_text("Corner 5 of 5")
    area = ui.counted(editor)
    corner.select_option("2")
    latitude = editor.get_by_label("Latitude, °")
    latitude.fill(str(float(latitude.input_value()) - 0.01))
    expect(size).not_to_have_text(area)
    for left in (4, 3):
        editor.locator("[data-handle=corner-1]").press("Delete")
        expect(corners).to_have_count(left)
    expect(editor.get_by_role("button", name="Remove corner")).to_be_disabled()
    editor.get_by_role("button", name="Delete zone").click()
    expect(editor.locator(".zone")).to_have_count(0)
    ui.undo_all(editor, found)

    ui.draw_polygon(editor)
    ui.draw_circle(editor, (0.5, 0.5), (0.55, 0.5))
    editor.keyboard.press("Escape")
    expect(editor.locator("[data-handle]")).to_have_count(0)
    chosen = editor.locator(".zone__head[aria-expanded=true]")
    for at, name in (((0.25, 0.35), "Polygon 1"), ((0.49, 0.5), "Circle 2")):  # of two the smaller one
        editor.mouse.click(*ui.place(editor, *at))
        expect(chosen).to_contain_text(name)
        editor.keyboard.press("Escape")
    editor.mouse.click(*ui.place(editor, 0.49, 0.5))
    size, before = ui.counted(editor, 1), editor.get_by_label("Radius, m", exact=True).input_value()
    x, y = ui.handle(editor, "radius")
    ui.drag(editor, (x, y), (x + 60, y))
    expect(editor.locator(".zone__head .muted").nth(1)).not_to_have_text(size)
    radius = editor.get_by_label("Radius, m", exact=True).input_value()
    assert float(radius) > float(before)
    x, y = ui.handle(editor, "centre")
    ui.drag(editor, (x, y), (x + 100, y + 50))
    assert editor.get_by_label("Radius, m", exact=True).input_value() == radius
    assert ui.handle(editor, "centre") == pytest.approx((x + 100, y + 50), abs=3)


def test_zones_apply_to_an_earlier_release(page, taxi, stays):
    earlier = submitted(stays, {"name": "event-level", "epsilon": 1.0, "radius_m": 20.0})
    run_jobs()
    ui.edit(page, taxi)
    coverage, applied = page.locator("[data-coverage]"), page.get_by_label("Zones apply to")
    ui.tool(page, "Polygon")
    ui.draw_polygon(page)
    expect(coverage).to_contain_text("Not covered by the promise")
    applied.select_option(str(earlier.pk))
    expect(coverage).to_contain_text("Covered by the promise of a release, provided that the zones")
    made = ui.save(page, taxi)
    assert (made.method["name"], made.method["release"]) == ("released-zones", str(earlier.pk))
    assert made.earlier is not None
    ui.edit(page, taxi, f"?from={made.pk}")
    expect(applied).to_have_value(str(earlier.pk))
