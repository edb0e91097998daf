"""Numbers as they are typed, in every form: kept, a comma read as a decimal point, and none sent that is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset
from dashboard.experiments.models import Experiment
from dashboard.landmarks.models import LandmarkSet
from dashboard.releases.models import Release
from tests.browser.conftest import DESKTOP, PHONE, check_page
from tests.browser.page_checks import UNFOLD
from tests.browser.rendering import compare, wait_until_ready
from tests.browser.test_release_attacks import open_dialog, release  # noqa: F401
from tests.browser.test_steps import form, only

NO_NUMBERS = ["1,000", "1.000,5", "abc", "\u0663", "NaN", "1e400", "0x10", "1 2"]
NO_LEVELS = ["0", "\u22121", "-1", "", "999999", *NO_NUMBERS]
PATH = re.compile(r"[a-z]_[a-z]|[a-z]\.[a-z]")


def typed(field: Locator, text: str) -> None:
    """Type as a person does, key by key."""
    field.fill("")
    field.press_sequentially(text)


def error_of(field: Locator) -> Locator:
    """The place of a field's error, as assistive technology finds it."""
    described = (field.get_attribute("aria-describedby") or "").split()
    return field.page.locator(f"[id='{described[-1]}']")


def refused(field: Locator, text: str) -> None:
    """Expect an error message beside the field, which keeps what was typed."""
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(error_of(field)).to_be_visible()
    message = error_of(field).inner_text()
    assert not PATH.search(message.replace(text, "")), message
    expect(field).to_have_value(text)


def accepted(field: Locator) -> None:
    expect(field).not_to_have_attribute("aria-invalid", "true")
    expect(error_of(field)).to_be_hidden()


class Sent:
    """The requests of a page that are not GET."""

    def __init__(self, page: Page) -> None:
        self.bodies: list[Any] = []
        page.on("request", lambda one: one.method != "GET" and self.bodies.append(one.post_data))


def refuses(field: Locator, texts: list[str], press: Callable[[], None] | None) -> None:
    """Each of ``texts`` is refused beside the field; pressed all the same, nothing is sent and the field is focused."""
    field.page.wait_for_timeout(400)  # longer than any delay before a quote is requested
    sent = Sent(field.page)
    for text in texts:
        field.fill(text)
        if text:
            refused(field, text)
        if press:
            press()
            refused(field, text)
            expect(field).to_be_focused()
    field.page.wait_for_timeout(400)
    assert sent.bodies == []


class TestReleaseForm:
    @pytest.mark.journey
    def test_a_decimal_comma_does_not_weaken_the_level(self, page: Page, taxi: Dataset, stays: LandmarkSet) -> None:
        form(page, taxi)
        only(page, "Uniform")
        level = page.get_by_label("Level ε", exact=True)
        typed(level, "0,5")
        typed(page.get_by_label("Radius r, m", exact=True), "1,5e2")
        expect(level).to_have_value("0,5")
        accepted(level)
        expect(page.locator("[data-odds]")).to_contain_text("150")
        expect(page.locator("[data-spending]")).to_contain_text("ε = 0.5 per 150")
        page.get_by_role("button", name="Create 1 release").click()
        page.wait_for_url("**/compare/**")
        made = Release.objects.get().spec["mechanism"]
        assert (made["epsilon"], made["radius_m"]) == (0.5, 150.0)

    def test_what_is_no_level_is_refused_and_not_sent(self, page: Page, taxi: Dataset, stays: LandmarkSet) -> None:
        form(page, taxi)
        level = page.get_by_label("Level ε", exact=True)
        expect(error_of(level)).to_be_hidden()
        expect(page.locator("[data-field=epsilon]").first).to_contain_text("A number from 0.000001 to 10000.")
        refuses(level, NO_LEVELS, page.get_by_role("button", name="Create 3 releases").click)
        expect(page.locator("[data-spending]")).to_contain_text("see the marked fields")
        typed(level, "1")
        accepted(level)
        window = page.get_by_role("checkbox", name="w-event", exact=True)
        window.check()
        refuses(
            page.get_by_label("Window w, events", exact=True),
            ["0", "2.5", "1,000", ""],
            page.get_by_role("button", name="Create 4 releases").click,
        )
        window.uncheck()  # a field of a mechanism not chosen does not block
        page.get_by_role("radio", name="Seeded simulation").check()
        refuses(page.get_by_label("Seed", exact=True), ["-1", "1.5", "", "1e17"], page.locator("[data-submit]").click)
        assert not Release.objects.exists()

    def test_arrow_keys_slider_and_speed_set_the_value(self, page: Page, taxi: Dataset, stays: LandmarkSet) -> None:
        form(page, taxi)
        level = page.get_by_label("Level ε", exact=True)
        for start, key, end in (
            ("0,5", "ArrowUp", "1,5"),
            ("1.25", "ArrowDown", "0.25"),
            ("0.5", "ArrowDown", "0.5"),  # 0 and below are no levels
            ("10000", "ArrowUp", "10000"),
            ("abc", "ArrowUp", "abc"),
        ):
            typed(level, start)
            level.press(key)
            expect(level).to_have_value(end)
        page.get_by_label("Level, slider").press("Home")
        page.get_by_label("Level, slider").press("End")
        expect(level).to_have_value("100")
        accepted(level)
        only(page, "Planned")
        own = page.locator("[data-mechanism=landmark-planned]")
        own.get_by_text("q from speed").click()
        typed(own.get_by_label("Typical speed, km/h"), "3,6")
        typed(own.get_by_label("Between two events, s"), "60")
        expect(own.get_by_label("Step variance q, m²", exact=True)).to_have_value("1800")
        refuses(own.get_by_label("Typical speed, km/h"), ["1,000", "abc", "-1"], None)
        expect(own.get_by_label("Step variance q, m²", exact=True)).to_have_value("1800")


class TestBudget:
    @pytest.mark.journey
    def test_a_decimal_comma_does_not_raise_the_limit(self, page: Page, taxi: Dataset) -> None:
        page.goto(f"/datasets/{taxi.pk}/")
        page.get_by_text("Set a limit").click()
        level, radius = page.get_by_label("Level ε"), page.get_by_label("Radius r, m")
        refuses(level, NO_LEVELS, page.get_by_role("button", name="Set", exact=True).click)
        typed(level, "0,5")
        refuses(radius, ["0", "", "1,000", "3e7"], page.get_by_role("button", name="Set", exact=True).click)
        typed(radius, "200")
        page.get_by_role("button", name="Set", exact=True).click()
        expect(page.locator("#budget")).to_contain_text("of ε = 0.5 within 200")


class TestLandmarkReport:
    def test_losses_are_of_the_number_that_is_typed(self, page: Page, stays: LandmarkSet) -> None:
        page.goto(f"/landmark-sets/{stays.pk}/report/")
        wait_until_ready(page, "[data-report]")
        level = page.locator("#epsilon")
        with page.expect_request(lambda one: "epsilon=0.5&" in one.url):
            typed(level, "0,5")
        expect(page.locator("[data-table-text]")).to_contain_text("at ε = 0.5")
        refuses(level, NO_LEVELS, None)
        expect(page.locator("[data-table-text]")).to_contain_text("at ε = 0.5")
        refuses(page.locator("#alpha"), ["0", "", *NO_NUMBERS[:3]], None)
        with page.expect_request(lambda one: (one.post_data_json or {}).get("alpha") == 0.25):
            typed(page.locator("#alpha"), "0,25")
        page.get_by_role("button", name="Estimated").click()
        dialog = page.get_by_role("dialog")
        refuses(dialog.get_by_label("Cell, m"), ["0", "", "1,000"], dialog.get_by_role("button", name="Apply").click)

    def test_a_matrix_with_decimal_commas_is_refused_or_read(self, page: Page, stays: LandmarkSet) -> None:
        page.goto(f"/landmark-sets/{stays.pk}/report/")
        wait_until_ready(page, "[data-report]")
        page.get_by_role("button", name="Own matrix").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Forward").fill("0,1 0,9\n0,2 0,8")
        dialog.get_by_role("button", name="Apply").click()
        expect(dialog.get_by_role("alert")).to_contain_text("can be read as 0.1 or as 0 and 1")
        dialog.get_by_label("Forward").fill("0,1; 0,9\n0,2; 0,8")
        with page.expect_request(lambda one: "forward=%5B%5B0.1%2C0.9%5D%2C%5B0.2%2C0.8%5D%5D" in one.url):
            dialog.get_by_role("button", name="Apply").click()


class TestExperimentForm:
    def test_a_list_of_levels_is_never_read_in_two_ways(self, page: Page, taxi: Dataset) -> None:
        page.goto("/experiments/new/")
        wait_until_ready(page, "[data-form]")
        page.evaluate(UNFOLD)
        levels, repetitions = page.get_by_label("Levels ε"), page.get_by_label("Repetitions", exact=True)
        run = page.get_by_role("button", name="Run the experiment")
        refuses(levels, ["0", "1,5", "1,000", "0.1, 0", "", "abc", "999999"], run.click)
        typed(levels, "0,5; 1,5")
        accepted(levels)
        refuses(repetitions, ["0", "1.5", "", "1,000"], run.click)
        typed(repetitions, "2")
        run.click()
        page.wait_for_url(re.compile(r"/experiments/[0-9a-f-]{36}/"))
        made = Experiment.objects.get().spec
        assert made["grid"]["release.mechanism.epsilon"] == [0.5, 1.5]
        assert made["repetitions"] == 2


class TestLandmarks:
    def test_a_way_to_mark(self, page: Page, taxi: Dataset) -> None:
        page.goto(f"/datasets/{taxi.pk}/landmarks/new/")
        wait_until_ready(page, "[data-editor]")
        distance = page.get_by_label("Distance, m", exact=True)
        refuses(distance, ["-1", "", "1,000", "abc"], page.get_by_role("button", name="Save", exact=True).click)
        typed(distance, "205,5")
        accepted(distance)
        expect(page.locator("[data-busy]")).to_be_hidden()
        page.get_by_role("button", name="Save", exact=True).click()
        page.wait_for_url(f"**/datasets/{taxi.pk}/#landmark-sets")
        assert LandmarkSet.objects.get().method["distance_m"] == 205.5

    def test_the_radius_of_a_zone(self, page: Page, taxi: Dataset) -> None:
        page.goto(f"/datasets/{taxi.pk}/landmarks/new/")
        wait_until_ready(page, "[data-editor]")
        page.get_by_role("button", name="Zones", exact=True).click()
        around = page.get_by_label(re.compile("Circle around event"))
        refuses(around, ["0", "", "1,000", "abc"], page.get_by_role("button", name="Add circle").click)
        typed(around, "250,5")
        page.get_by_role("button", name="Add circle").click()
        radius = page.get_by_label("Radius, m", exact=True)
        expect(radius).to_have_value("250.5")
        typed(radius, "1,000")
        refused(radius, "1,000")
        page.get_by_role("button", name="Save", exact=True).click()
        expect(radius).to_be_focused()
        assert not LandmarkSet.objects.exists()
        typed(radius, "300,25")
        page.get_by_role("button", name="Save", exact=True).click()
        page.wait_for_url(f"**/datasets/{taxi.pk}/#landmark-sets")
        assert LandmarkSet.objects.get().method["zones"][0]["radius_m"] == 300.25

    def test_dummies(self, page: Page, stays: LandmarkSet) -> None:
        page.goto(f"/landmark-sets/{stays.pk}/dummies/")
        wait_until_ready(page, "[data-form]")
        level = page.locator("[data-method=dummies-one-sided]").get_by_label("Level of the selection ε", exact=True)
        refuses(level, ["0", "", "21", "1,000x", "abc"], page.locator("[data-draw]").click)
        with page.expect_request(lambda one: '"epsilon":0.5' in (one.post_data or "")):
            typed(level, "0,5")
        page.get_by_text("Seeded simulation: a repeatable selection").click()
        refuses(page.get_by_label("Seed", exact=True), ["-1", "1,5", "1,000"], page.locator("[data-draw]").click)


class TestOthers:
    def test_an_attack(self, page: Page, taxi: Dataset, release: Release) -> None:  # noqa: F811
        compare(page, taxi)
        dialog = open_dialog(page)
        within = dialog.locator("[data-field=within_m] input[data-number]")
        refuses(within, ["-3", "", "1,000", "abc"], dialog.get_by_role("button", name="Run the attack").click)
        dialog.get_by_role("button", name="Cancel").click()
        page.get_by_label("Speed", exact=True).select_option("other speed")
        speed = page.get_by_label("Speed, times real time")
        refuses(speed, ["0", "", "1,000", "abc"], None)

    def test_cleaning_and_reading_again(self, page: Page, taxi: Dataset) -> None:
        page.goto(f"/datasets/{taxi.pk}/")
        page.locator("#reread-fold > summary").click()
        page.get_by_label("Step to add").select_option("drop-jumps")
        page.get_by_role("button", name="Add step").click()
        speed = page.get_by_label("Highest speed, km/h", exact=True)
        again = page.get_by_role("button", name="Import again")
        refuses(speed, ["0", "", "1,000", "abc"], again.click)
        typed(speed, "999,5")
        with page.expect_navigation():
            again.click()
        assert Dataset.objects.get().cleaning == [{"name": "drop-jumps", "highest_km_h": 999.5}]


@pytest.mark.parametrize(("size", "colour"), [(DESKTOP, "light"), (PHONE, "dark")], ids=["desk", "phone"])
def test_what_is_refused_is_accessible(
    open_page: Callable[..., Page], owner: User, stays: LandmarkSet, size: dict[str, int], colour: str, tmp_path: Any
) -> None:
    page = open_page(owner, colour=colour, size=size)
    for address, ready, field in (
        (f"/datasets/{stays.dataset_id}/releases/new/", "[data-form]", "Level ε"),
        (f"/landmark-sets/{stays.pk}/report/", "[data-report]", "Level ε"),
        ("/experiments/new/", "[data-form]", "Levels ε"),
    ):
        page.goto(address)
        wait_until_ready(page, ready)
        page.evaluate(UNFOLD)
        level = page.get_by_label(field, exact=True)
        typed(level, "1,000")
        refused(level, "1,000")
        check_page(page)
