"""The landmark editor and the release form."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import Page, expect

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset
from dashboard.datasets.services import import_dataset, set_budget
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.services import mark_landmarks
from dashboard.releases.models import Release
from tests.browser.conftest import DEVICES, PageMonitor, check_page, run_cases
from tests.browser.landmark_editor import edit, expect_marked, marked, undo_all
from tests.browser.rendering import MIDDLE, expect_painted, painted, wait_until_ready

# Where the middle of what is painted of the event chosen lies, once it is another one
EVENT_ON_SCREEN = """async (event) => {
  const canvas = document.querySelector("canvas[data-layer=selection]");
  const strip = document.querySelector(".timeline__strip");
  const frames = async () => { for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame); };
  const step = (key) => strip.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  for (let i = 0; i < event; i++) step("ArrowRight");
  await new Promise((resolve) => setTimeout(resolve, 300)); // the map may move there
  await frames();
  const [, x, y] = middleOf(canvas);
  const box = canvas.getBoundingClientRect();
  step("Home");
  await frames();
  return [box.left + x, box.top + y];
}""".replace("middleOf", MIDDLE)


def there_and_back() -> ContentFile[bytes]:
    """An hour at home, an hour at work three kilometres away, an hour at home; a fix every minute."""
    way = [48.85 + i / 740 for i in range(20)]
    lat = [48.85] * 60 + way + [48.877] * 60 + way[::-1] + [48.85] * 60
    rows = "".join(f"{1_714_550_400 + 60 * i},{y:.6f},2.35\n" for i, y in enumerate(lat))
    return ContentFile(f"time,lat,lon\n{rows}".encode(), name="there.csv")


class TestStayPoints:
    @pytest.mark.journey
    def test_the_count_is_what_is_saved(self, page: Page, owner: User, taxi: Dataset) -> None:
        expected = mark_landmarks(
            owner=owner, dataset=taxi, method={"name": "stay-points", "distance_m": 300.0, "duration_s": 1200.0}
        )
        edit(page, taxi)
        page.get_by_label("Distance, m", exact=True).fill("300")
        page.get_by_label("Duration, s", exact=True).fill("1200")
        expect_marked(page, expected.count)
        expect(page.locator("[data-share]")).to_contain_text(f"of 260 events · {100 * expected.share:.1f}")
        assert painted(page, "landmarks") > 100
        page.get_by_role("button", name="Save", exact=True).click()
        page.wait_for_url(f"**/datasets/{taxi.pk}/#landmark-sets")
        made = LandmarkSet.objects.exclude(pk=expected.pk).get()
        assert (made.count, made.method["name"], made.name) == (expected.count, "stay-points", expected.name)

    def test_stays_at_one_place_stand_together(self, page: Page, owner: User) -> None:
        edit(page, import_dataset(owner=owner, upload=there_and_back(), name="There and back"))
        places = page.locator(".place")
        stays = page.locator(".stay").count()
        expect(page.locator("[data-stays-title]")).to_have_text(f"{places.count()} places, {stays} segments")
        assert (places.count(), stays) == (2, 3)
        head = places.first.locator(".place__head")
        expect(head).to_contain_text(re.compile(r"^\d+\.\d{4}° N, \d+\.\d{4}° E"))
        events = places.locator(".place__head .muted").all_inner_texts()
        assert sum(int(one.split(" event")[0].replace(",", "")) for one in events) == marked(page)

    def test_without_times_the_reason_is_given(self, page: Page, owner: User) -> None:
        upload = ContentFile(b"lat,lon\n48.85,2.35\n48.86,2.36\n48.87,2.35\n", name="bare.csv")
        bare = import_dataset(owner=owner, upload=upload)
        edit(page, bare)
        expect(page.get_by_role("button", name="Stay points")).to_be_disabled()
        expect(page.locator("[data-why]")).to_contain_text("needs times")


class TestByHand:
    @pytest.mark.journey
    def test_keyboard_marks_and_undoes(self, page: Page, taxi: Dataset) -> None:
        edit(page, taxi)
        found = marked(page)
        page.get_by_role("slider", name="Event").focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("l")
        expect_marked(page, found + 1)
        expect(page.locator(".timeline__text")).to_contain_text("event 2 of 260 · landmark")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Space")
        expect_marked(page, found + 2)
        page.keyboard.press("Control+z")
        page.keyboard.press("Control+z")
        expect_marked(page, found)
        page.get_by_role("button", name="Redo").click()
        expect_marked(page, found + 1)

    def test_a_copy_is_saved_as_picked_events(self, page: Page, taxi: Dataset, stays: LandmarkSet) -> None:
        edit(page, taxi, f"?from={stays.pk}")
        expect_marked(page, stays.count)
        page.get_by_role("slider", name="Event").press("l")
        page.get_by_role("button", name="Save", exact=True).click()
        page.wait_for_url(f"**/datasets/{taxi.pk}/#landmark-sets")
        made = LandmarkSet.objects.exclude(pk=stays.pk).get()
        assert made.method["name"] == "manual"
        assert made.mask.tolist() == [True, *stays.mask.tolist()[1:]]


class TestReleaseForm:
    def open(self, page: Page, dataset: Dataset) -> None:
        page.goto(f"/datasets/{dataset.pk}/releases/new/")
        wait_until_ready(page, "[data-form]")

    def test_the_level_in_metres_or_an_error_at_its_field(self, page: Page, taxi: Dataset, stays: LandmarkSet) -> None:
        self.open(page, taxi)
        page.get_by_label("Level ε", exact=True).fill("2")
        page.get_by_label("Radius r, m", exact=True).fill("100")
        page.get_by_role("checkbox", name=re.compile("^Event level")).check()
        expect(page.locator("[data-forecast=event-level]")).to_contain_text(re.compile("84\\sm237\\sm"))
        uniform = page.locator("[data-forecast=landmark-uniform]")
        expect(uniform).to_contain_text(f"260ε/{stays.count + 1}")
        half, most = (f"{50 * q * (stays.count + 1) / 1000:.3g}" for q in (1.67835, 4.74386))
        expect(uniform).to_contain_text(re.compile(f"{half}\\skm{most}\\skm"))
        expect(page.locator("[data-forecast=landmark-adaptive]")).to_contain_text("depends on the run")
        page.get_by_role("checkbox", name=re.compile("^Event level")).uncheck()
        page.get_by_label("Level ε", exact=True).fill("20000")
        page.get_by_role("button", name="Create 3 releases").click()
        error = page.locator("[data-field=epsilon] .field__error")
        expect(error).to_contain_text("Must be at most 10000, got 20000")
        assert Release.objects.count() == 0

    @pytest.mark.journey
    def test_one_release_for_each_mechanism_ticked(self, page: Page, taxi: Dataset, stays: LandmarkSet) -> None:
        self.open(page, taxi)
        page.get_by_role("checkbox", name=re.compile("^Uniform")).uncheck()
        page.get_by_label("Change threshold").select_option("literal")
        page.get_by_role("button", name="Create 2 releases").click()
        page.wait_for_url("**/compare/**")
        specs = {row.mechanism: row.spec["mechanism"] for row in Release.objects.all()}
        assert set(specs) == {"landmark-skip", "landmark-adaptive"}
        assert specs["landmark-adaptive"]["reading"] == "literal"

    @pytest.mark.journey
    def test_a_seed_ends_privacy_and_the_form_states_so(self, page: Page, taxi: Dataset, stays: LandmarkSet) -> None:
        self.open(page, taxi)
        page.get_by_role("radio", name="Seeded simulation").check()
        page.get_by_label("Seed", exact=True).fill("42")
        expect(page.locator("[data-not-private]")).to_contain_text("NOT PRIVATE")
        page.get_by_role("button", name="Run 3 simulations, not private").click()
        page.wait_for_url("**/compare/**")
        assert set(Release.objects.values_list("seeded", flat=True)) == {True}

    def test_the_budget_is_kept(self, page: Page, taxi: Dataset, stays: LandmarkSet, monitor: PageMonitor) -> None:
        monitor.expect(409)
        set_budget(dataset=taxi, epsilon=1.0, radius_m=100.0)
        self.open(page, taxi)
        page.get_by_label("Radius r, m", exact=True).fill("100")
        expect(page.locator("[data-spending]")).to_contain_text("more than the budget")
        expect(page.locator("[data-submit-bar]")).to_contain_text("Needs 3, 1 is left. Lower ε to 0.333")
        expect(page.get_by_role("button", name="Create 3 releases")).to_be_disabled()
        page.get_by_role("button", name="Use ε 0.333").click()
        expect(page.get_by_role("button", name="Create 3 releases")).to_be_enabled()
        set_budget(dataset=taxi, epsilon=0.5, radius_m=100.0)  # in another tab
        page.get_by_role("button", name="Create 3 releases").click()
        expect(page.locator("[data-form]")).to_contain_text("1 release before it was submitted")
        assert Release.objects.count() == 1

    def test_without_landmarks_it_names_the_next_step(self, page: Page, taxi: Dataset) -> None:
        page.goto(f"/datasets/{taxi.pk}/releases/new/")
        expect(page.get_by_role("link", name="Define landmarks")).to_be_visible()


def the_slider_moves_the_number(page: Page) -> None:
    page.get_by_label("Distance, slider").press("Home")
    expect(page.get_by_label("Distance, m", exact=True)).to_have_value("2")
    expect_marked(page, 0)


def what_is_refused_is_shown_at_the_field(page: Page) -> None:
    page.get_by_label("Distance, m", exact=True).fill("-5")
    expect(page.locator("[data-field=distance_m] .field__error")).to_contain_text("Must be at least 0, got -5")


def a_stay_in_the_list_leads_there(page: Page) -> None:
    page.locator(".stay").nth(1).click()
    expect(page.locator(".timeline__text")).to_contain_text("landmark")


def settings_are_undone_and_done_again(page: Page) -> None:
    before = marked(page)
    painted_before = painted(page, "landmarks")
    distance, gap = page.get_by_label("Distance, m", exact=True), page.get_by_label("Gap limit, s", exact=True)
    usual = distance.input_value()
    distance.fill("2")
    expect_marked(page, 0)
    gap.fill("60")
    page.get_by_role("button", name="Undo").click()
    expect(gap).to_have_value("")
    page.keyboard.press("Control+z")
    expect(distance).to_have_value(usual)
    expect_marked(page, before)
    expect_painted(page, "landmarks", lambda pixels: pixels == painted_before)
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()
    page.keyboard.press("Control+Shift+z")
    expect(distance).to_have_value("2")
    expect_marked(page, 0)
    page.get_by_role("button", name="Redo").click()
    expect(gap).to_have_value("60")


def what_the_pointer_is_over_shows_on_map_and_strip(page: Page) -> None:
    text, ghost = page.locator(".timeline__text"), page.locator(".timeline__ghost")
    strip = page.locator(".timeline__strip").bounding_box()
    assert strip
    page.mouse.move(strip["x"] + strip["width"] / 2, strip["y"] + 20)
    expect(ghost).to_be_visible()
    expect(text).not_to_contain_text("event 1 of")
    page.mouse.move(5, 5)
    expect(ghost).to_be_hidden()
    expect(text).to_contain_text("event 1 of")
    place = page.evaluate(EVENT_ON_SCREEN, 130)
    page.mouse.move(place[0] + 2, place[1] + 2)
    expect(ghost).to_be_visible()
    expect(text).to_contain_text(re.compile(r"event (?!0 )\d+ of"))


def starts_from_what_was_found(page: Page) -> None:
    found = marked(page)
    page.get_by_role("button", name="Manual").click()
    expect_marked(page, found)


def shift_drag_marks_a_range(page: Page) -> None:
    page.get_by_role("button", name="Manual").click()
    before = marked(page)
    strip = page.get_by_role("slider", name="Event").bounding_box()
    page.keyboard.down("Shift")
    page.mouse.move(strip["x"] + 10, strip["y"] + 20)
    page.mouse.down()
    page.mouse.move(strip["x"] + 60, strip["y"] + 20, steps=4)
    page.mouse.up()
    page.keyboard.up("Shift")
    assert marked(page) > before + 3


ONE_EDITOR = (
    the_slider_moves_the_number,
    a_stay_in_the_list_leads_there,
    settings_are_undone_and_done_again,
    starts_from_what_was_found,
    shift_drag_marks_a_range,
    what_is_refused_is_shown_at_the_field,
    what_the_pointer_is_over_shows_on_map_and_strip,
)


def test_one_editor_after_undo(page: Page, taxi: Dataset, subtests: pytest.Subtests) -> None:
    edit(page, taxi)
    count = marked(page)

    def restore() -> None:
        undo_all(page, count)
        page.get_by_role("slider", name="Event").press("Home")

    run_cases(subtests, ONE_EDITOR, page, before=restore)


@DEVICES
def test_accessible_and_fits(
    open_page: Any, owner: User, taxi: Dataset, stays: LandmarkSet, colour: str, size: dict[str, int]
) -> None:
    page = open_page(owner, colour=colour, size=size)
    for path, ready in (("landmarks/new/", "[data-editor]"), ("releases/new/", "[data-form]")):
        page.goto(f"/datasets/{taxi.pk}/{path}")
        wait_until_ready(page, ready)
        check_page(page, both_colours=True)
