"""The landmark editor's zones: drawn, moved, typed, imported; what is shown is what the engine marks."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from dashboard.datasets.models import Dataset
from dashboard.landmarks.services import preview_landmarks
from tests.browser.conftest import PageMonitor, run_cases
from tests.browser.landmark_editor import (
    SQUARE,
    counted,
    drag,
    draw_circle,
    draw_polygon,
    edit,
    expect_marked,
    handle,
    marked,
    place,
    save,
    tool,
    undo_all,
)
from tests.browser.rendering import at_rest, painted


@pytest.fixture
def editor(page: Page, taxi: Dataset) -> Page:
    edit(page, taxi)
    return page


class TestDrawing:
    @pytest.mark.journey
    def test_a_polygon_marks_what_the_engine_finds_inside(self, editor: Page, taxi: Dataset) -> None:
        assert painted(editor, "zones") == 0
        draw_polygon(editor)
        expect(editor.get_by_role("button", name="Zones", exact=True)).to_have_attribute("aria-pressed", "true")
        expect(editor.locator(".zone")).to_have_count(1)
        assert painted(editor, "zones") > 20_000
        editor.get_by_label("Label", exact=True).fill("Clinic")
        expect(editor.locator(".zone__name")).to_have_text("Clinic")
        made = save(editor, taxi)
        (zone,) = made.method["zones"]
        assert (zone["type"], zone["label"], len(zone["coordinates"][0])) == ("Polygon", "Clinic", 5)
        (west, north), (east, south) = zone["coordinates"][0][0], zone["coordinates"][0][2]
        series = preview_landmarks(dataset=taxi, method={"name": "zones", "zones": [zone]})
        assert np.array_equal(made.mask, np.concatenate([one.mask for one in series]))
        assert 0 < made.count < made.points
        assert west < east
        assert south < north

    @pytest.mark.journey
    def test_a_circle_is_pressed_and_dragged(self, editor: Page, taxi: Dataset) -> None:
        draw_circle(editor)
        expect(editor.locator(".zone__head")).to_contain_text("radius")
        assert painted(editor, "zones") > 5_000
        (zone,) = save(editor, taxi).method["zones"]
        assert zone["type"] == "Circle"
        assert zone["radius_m"] > 0

    def test_a_circle_takes_a_typed_radius(self, editor: Page, taxi: Dataset) -> None:
        tool(editor, "Circle")
        editor.mouse.click(*place(editor, 0.5, 0.5))
        editor.get_by_label("Radius, m", exact=True).fill("750")
        editor.keyboard.press("Enter")
        expect(editor.locator(".zone__head")).to_contain_text("750")
        assert save(editor, taxi).method["zones"][0]["radius_m"] == 750


class TestKeyboard:
    @pytest.mark.journey
    def test_a_circle_around_the_selected_event(self, editor: Page, taxi: Dataset) -> None:
        editor.get_by_role("button", name="Zones", exact=True).press("Enter")
        expect_marked(editor, 0)
        editor.get_by_role("slider", name="Event").press("ArrowRight")
        radius = editor.get_by_label("Circle around event 2, radius in m")
        radius.fill("400")
        radius.press("Enter")
        expect(editor.locator(".zone__head")).to_contain_text("400")
        editor.locator("[data-handle=centre]").press("ArrowRight")
        editor.locator("[data-handle=centre]").press("Shift+ArrowUp")
        editor.locator("[data-handle=radius]").press("Shift+ArrowRight")
        expect(editor.locator(".zone__head")).not_to_contain_text("400")
        made = save(editor, taxi)
        assert made.count > 0
        assert made.method["zones"][0]["radius_m"] > 400


class TestFiles:
    @pytest.mark.journey
    def test_zones_come_back_as_they_were_downloaded(self, editor: Page, tmp_path: Path) -> None:
        draw_polygon(editor)
        editor.get_by_label("Label", exact=True).fill("Clinic")
        draw_circle(editor)
        with editor.expect_download() as download:
            editor.get_by_role("button", name="Download zones").click()
        file = tmp_path / download.value.suggested_filename
        download.value.save_as(file)
        features = json.loads(file.read_text())["features"]
        assert [one["geometry"]["type"] for one in features] == ["Polygon", "Point"]
        assert features[0]["properties"]["label"] == "Clinic"
        editor.locator("#zones-file").set_input_files(file)
        expect(editor.locator(".zone")).to_have_count(4)
        assert counted(editor, 0) == counted(editor, 2)
        assert counted(editor, 1) == counted(editor, 3)
        editor.locator("[data-undo]").click()
        expect(editor.locator(".zone")).to_have_count(2)


def the_count_in_the_list_is_the_engines(editor: Page) -> None:
    before = marked(editor)
    draw_polygon(editor)
    expect(editor.locator("[data-count]")).not_to_have_text(str(before))
    assert f"{marked(editor)} events" in counted(editor)


def expect_polygon(editor: Page, corners: int) -> None:
    expect(editor.locator(".zone")).to_have_count(1)
    expect(editor.locator("[data-handle^=corner]")).to_have_count(corners)


def first_corner_closes(editor: Page) -> None:
    draw_polygon(editor, SQUARE, close=None)
    editor.mouse.click(*place(editor, *SQUARE[0]))
    expect_polygon(editor, 4)


def double_click_closes(editor: Page) -> None:
    draw_polygon(editor, SQUARE, close=None)
    editor.mouse.dblclick(*place(editor, 0.15, 0.5))
    expect_polygon(editor, 5)


def button_closes(editor: Page) -> None:
    draw_polygon(editor, SQUARE, close=None)
    editor.get_by_role("button", name="Finish").click()
    expect_polygon(editor, 4)


def escape_cancels_and_backspace_takes_a_corner_back(editor: Page) -> None:
    draw_polygon(editor, SQUARE, close="Backspace")
    assert painted(editor, "sketch") > 100
    editor.keyboard.press("Enter")
    expect(editor.locator("[data-handle^=corner]")).to_have_count(3)
    draw_polygon(editor, SQUARE, close="Escape")
    expect(editor.locator(".zone")).to_have_count(1)
    at_rest(editor)
    assert painted(editor, "sketch") == 0


def a_corner_is_dragged_and_put_back(editor: Page) -> None:
    draw_polygon(editor)
    before, area = marked(editor), counted(editor)
    x, y = handle(editor, "corner-2")
    drag(editor, (x, y), (x - 200, y - 80))
    expect(editor.locator(".zone__head .muted")).not_to_have_text(area)
    moved = handle(editor, "corner-2")
    assert abs(moved[0] - x + 200) < 3
    assert abs(moved[1] - y + 80) < 3
    editor.keyboard.press("Control+z")
    expect(editor.locator(".zone__head .muted")).to_have_text(area)
    expect_marked(editor, before)
    editor.get_by_role("button", name="Redo").click()
    expect(editor.locator(".zone__head .muted")).not_to_have_text(area)


def a_handle_between_two_corners_makes_a_third(editor: Page) -> None:
    draw_polygon(editor)
    x, y = handle(editor, "between-0")
    drag(editor, (x, y), (x, y - 60))
    expect(editor.locator("[data-handle^=corner]")).to_have_count(5)
    expect(editor.get_by_label("Corner", exact=True)).to_contain_text("Corner 5 of 5")


def the_radius_and_the_whole_zone_are_dragged(editor: Page) -> None:
    draw_circle(editor)
    size = counted(editor)
    x, y = handle(editor, "radius")
    drag(editor, (x, y), (x + 60, y))
    expect(editor.locator(".zone__head .muted")).not_to_have_text(size)
    radius = editor.get_by_label("Radius, m", exact=True).input_value()
    x, y = handle(editor, "centre")
    drag(editor, (x, y), (x + 100, y + 50))
    assert editor.get_by_label("Radius, m", exact=True).input_value() == radius
    assert abs(handle(editor, "centre")[0] - x - 100) < 3


def deleting_can_be_undone(editor: Page) -> None:
    draw_polygon(editor)
    draw_circle(editor)
    editor.get_by_role("button", name="Delete zone").click()
    expect(editor.locator(".zone")).to_have_count(1)
    editor.locator("[data-undo]").click()
    expect(editor.locator(".zone")).to_have_count(2)


def a_click_chooses_the_smallest_zone(editor: Page) -> None:
    draw_polygon(editor)
    draw_circle(editor, (0.5, 0.5), (0.55, 0.5))
    editor.keyboard.press("Escape")
    expect(editor.locator("[data-handle]")).to_have_count(0)
    editor.mouse.click(*place(editor, 0.49, 0.5))
    expect(editor.locator(".zone__head[aria-expanded=true]")).to_contain_text("Circle 2")
    editor.mouse.click(*place(editor, 0.25, 0.35))
    expect(editor.locator(".zone__head[aria-expanded=true]")).to_contain_text("Polygon 1")


def undo_leads_back_through_marks_and_ways(editor: Page) -> None:
    found = marked(editor)
    draw_polygon(editor)
    inside = marked(editor)
    editor.keyboard.press("l")
    expect(editor.get_by_role("button", name="Manual")).to_have_attribute("aria-pressed", "true")
    assert abs(marked(editor) - inside) == 1
    editor.keyboard.press("Control+z")
    expect(editor.locator(".zone")).to_have_count(1)
    expect_marked(editor, inside)
    editor.keyboard.press("Control+z")
    expect(editor.get_by_role("button", name="Stay points")).to_have_attribute("aria-pressed", "true")
    expect_marked(editor, found)


def a_polygon_of_events(editor: Page) -> None:
    editor.get_by_role("group", name="Tools").get_by_role("button", name="Polygon").press("Enter")
    for _ in range(3):
        for _ in range(40):
            editor.keyboard.press("ArrowRight")
        editor.keyboard.press("Space")
    editor.keyboard.press("Enter")
    expect(editor.locator("[data-handle^=corner]")).to_have_count(3)


def delete_takes_a_corner_until_three_are_left(editor: Page) -> None:
    draw_polygon(editor)
    editor.locator("[data-handle=corner-1]").press("Delete")
    expect(editor.locator("[data-handle^=corner]")).to_have_count(3)
    expect(editor.get_by_role("button", name="Remove corner")).to_be_disabled()


def numbers_move_a_corner(editor: Page) -> None:
    draw_polygon(editor)
    area = counted(editor)
    editor.get_by_label("Corner", exact=True).select_option("2")
    latitude = editor.get_by_label("Latitude, °")
    latitude.fill(str(float(latitude.input_value()) - 0.01))
    expect(editor.locator(".zone__head .muted")).not_to_have_text(area)


DRAWING = (
    the_count_in_the_list_is_the_engines,
    first_corner_closes,
    double_click_closes,
    button_closes,
    escape_cancels_and_backspace_takes_a_corner_back,
)
CHANGING = (
    a_corner_is_dragged_and_put_back,
    a_handle_between_two_corners_makes_a_third,
    the_radius_and_the_whole_zone_are_dragged,
    deleting_can_be_undone,
    a_click_chooses_the_smallest_zone,
    undo_leads_back_through_marks_and_ways,
    a_polygon_of_events,
    delete_takes_a_corner_until_three_are_left,
    numbers_move_a_corner,
)
BAD_FILES = [
    ("{", "not JSON"),
    ('{"type": "Feature", "geometry": {"type": "LineString", "coordinates": []}}', "Feature 1 is a LineString"),
    ('{"type": "Polygon", "coordinates": [[[2, 48], [3, 48]]]}', "must"),
    ('{"type": "Polygon", "coordinates": [[[2, 48], [3, 48], [3, 148], [2, 48]]]}', "must be at most 90"),
]


@pytest.mark.parametrize("cases", [DRAWING, CHANGING], ids=["drawing", "changing"])
def test_one_editor_after_undo(
    editor: Page, subtests: pytest.Subtests, cases: tuple[Callable[[Page], None], ...]
) -> None:
    count = marked(editor)
    run_cases(subtests, cases, editor, before=lambda: undo_all(editor, count))


def test_what_is_refused(editor: Page, monitor: PageMonitor, subtests: pytest.Subtests) -> None:
    monitor.expect(400)
    editor.get_by_role("button", name="Zones", exact=True).click()
    for i, (text, message) in enumerate(BAD_FILES):
        with subtests.test(text):
            file = {"name": f"z{i}.geojson", "mimeType": "application/geo+json", "buffer": text.encode()}
            editor.locator("#zones-file").set_input_files(file)
            expect(editor.locator("[data-problem]")).to_contain_text(f"z{i}.geojson was not imported")
            expect(editor.locator("[data-problem]")).to_contain_text(message)
            expect(editor.locator(".zone")).to_have_count(0)
    with subtests.test("a crossed polygon"):
        draw_polygon(editor, [SQUARE[0], SQUARE[2], SQUARE[1], SQUARE[3]])
        expect(editor.locator(".zone > .field__error")).to_contain_text("Must")
