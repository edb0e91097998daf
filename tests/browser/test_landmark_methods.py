"""The landmark editor's other ways: rectangles and fingers, random, the column of the file, a second set beside."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import Page, expect

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset
from dashboard.datasets.services import import_dataset
from dashboard.landmarks.models import LandmarkSet
from tests.browser.conftest import DEVICES, check_page
from tests.browser.landmark_editor import (
    drag,
    draw_circle,
    edit,
    expect_marked,
    marked,
    place,
    save,
    tool,
)


@pytest.fixture
def editor(page: Page, taxi: Dataset) -> Page:
    edit(page, taxi)
    return page


class TestPicking:
    @pytest.mark.journey
    def test_shift_drag_marks_a_rectangle_and_takes_it_back(self, editor: Page) -> None:
        editor.get_by_role("button", name="Manual").click()
        before = marked(editor)
        for _ in range(2):
            editor.keyboard.down("Shift")
            drag(editor, place(editor, 0.1, 0.2), place(editor, 0.9, 0.9))
            editor.keyboard.up("Shift")
            if marked(editor) != 260:
                break
            assert marked(editor) == 260 > before
        assert marked(editor) < 260

    def test_the_select_tool_and_a_polygon_need_no_keyboard(self, phone: Page, taxi: Dataset) -> None:
        edit(phone, taxi)
        tool(phone, "Select")
        before = marked(phone)
        drag(phone, place(phone, 0.1, 0.2), place(phone, 0.9, 0.75))
        assert marked(phone) > before
        phone.get_by_role("button", name="Done").tap()
        expect(phone.locator("[data-hint]")).to_be_hidden()
        tool(phone, "Polygon")
        for corner in [(0.2, 0.3), (0.7, 0.3), (0.7, 0.6)]:
            phone.touchscreen.tap(*place(phone, *corner))
        phone.touchscreen.tap(*place(phone, 0.21, 0.31))
        expect(phone.locator("[data-handle^=corner]")).to_have_count(3)


class TestOtherMethods:
    @pytest.mark.journey
    def test_random_marks_its_share_and_draws_again(self, editor: Page, taxi: Dataset) -> None:
        editor.get_by_role("button", name="Random").click()
        editor.get_by_label("Share", exact=True).fill("0.1")
        expect_marked(editor, 26)
        first = editor.locator("[data-stays]").inner_text()
        editor.get_by_role("button", name="Sample again").click()
        expect(editor.locator("[data-stays]")).not_to_have_text(first, use_inner_text=True)
        made = save(editor, taxi)
        assert (made.count, made.method["name"], made.method["seed"]) == (26, "synthetic", 2)

    @pytest.mark.journey
    def test_the_column_of_the_file_is_one_click(self, page: Page, owner: User) -> None:
        rows = b"".join(b"2024-05-14T07:%02d:00Z,48.%d,2.3,%d\n" % (i, 8462 + i, i % 3 == 0) for i in range(30))
        upload = ContentFile(b"time,lat,lon,landmark\n" + rows, name="marked.csv")
        dataset = import_dataset(owner=owner, upload=upload)
        edit(page, dataset)
        page.get_by_role("button", name="Landmark column").click()
        expect_marked(page, 10)
        made = save(page, dataset)
        assert (made.method, made.count) == ({"name": "column"}, 10)

    def test_the_average_distance_and_the_reason_without_a_column_are_shown(self, editor: Page) -> None:
        expect(editor.get_by_role("button", name="Landmark column")).to_be_disabled()
        expect(editor.locator("[data-why]")).to_contain_text("needs a landmark column")
        facts = editor.locator("[data-more-facts]")
        expect(facts).to_contain_text("from a regular event to the nearest landmark")
        editor.get_by_role("button", name="Manual").click()
        editor.get_by_role("slider", name="Event").press("l")
        expect(facts).to_contain_text("from a regular event to the nearest landmark")

    def test_two_sets_are_compared(self, page: Page, taxi: Dataset, stays: LandmarkSet) -> None:
        edit(page, taxi)
        page.get_by_role("button", name="Manual").click()
        page.get_by_label("Compare with").select_option(str(stays.pk))
        facts = page.locator("[data-overlap]")
        expect(facts).to_contain_text(f"In both{stays.count} events")
        page.get_by_role("slider", name="Event").press("l")
        changed = 0 if stays.mask[0] else 1
        expect(facts).to_contain_text(f"Only here{changed} event")
        expect(facts).to_contain_text(f"In both{stays.count - 1 + changed} events")

    def test_a_copy_of_zones_is_zones(self, page: Page, taxi: Dataset) -> None:
        edit(page, taxi)
        draw_circle(page)
        made = save(page, taxi)
        edit(page, taxi, f"?from={made.pk}")
        expect(page.locator(".zone")).to_have_count(1)
        expect_marked(page, made.count)


@DEVICES
def test_accessible_and_fits(
    open_page: Any,
    owner: User,
    taxi: Dataset,
    stays: LandmarkSet,
    colour: str,
    size: dict[str, int],
) -> None:
    page = open_page(owner, colour=colour, size=size)
    edit(page, taxi)
    draw_circle(page, (0.5, 0.5), (0.6, 0.55))
    page.get_by_label("Compare with").select_option(str(stays.pk))
    tool(page, "Polygon")
    check_page(page, both_colours=True)
