"""Numbers as they are typed, in every form: kept, a comma read as a decimal point, and none sent that is refused.

How a text is read is tested without a browser, in tests/js/core/number_text.test.mjs.
"""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from dashboard.datasets.models import Dataset
from dashboard.experiments.models import Experiment
from dashboard.releases.models import Release
from tests.browser.conftest import PHONE, check_page
from tests.browser.fixtures import PRECISE, released
from tests.browser.landmark_editor import edit, save
from tests.browser.page_checks import UNFOLD
from tests.browser.rendering import compare, wait_until_ready
from tests.browser.test_release_attacks import open_dialog
from tests.browser.test_steps import form, only

NO_NUMBERS = ["1,000", "abc", "0", ""]
PATH = re.compile(r"[a-z]_[a-z]|[a-z]\.[a-z]")


def typed(field, text):
    """Type as a person does, key by key."""
    field.fill("")
    field.press_sequentially(text)


def error_of(field):
    """The place of a field's error, as assistive technology finds it."""
    described = (field.get_attribute("aria-describedby") or "").split()
    return field.page.locator(f"[id='{described[-1]}']")


def refused(field, text):
    """Expect an error message beside the field, which keeps what was typed."""
    expect(field, text).to_have_attribute("aria-invalid", "true")
    expect(error_of(field), text).to_be_visible()
    message = error_of(field).inner_text()
    assert not PATH.search(message.replace(text, "")), message
    expect(field).to_have_value(text)


def accepted(field, text):
    typed(field, text)
    expect(field).not_to_have_attribute("aria-invalid", "true")
    expect(error_of(field)).to_be_hidden()
    expect(field).to_have_value(text)


def refuses(field, press, *texts):
    """Each text is refused beside the field; pressed all the same, nothing is sent and the field is focused."""
    field.page.wait_for_timeout(400)  # longer than any delay before a quote is requested
    sent: list[Any] = []

    def record(request):
        if request.method != "GET":
            sent.append(request.post_data)

    field.page.on("request", record)
    for text in texts or NO_NUMBERS:
        field.fill(text)
        if text:
            refused(field, text)
        if press:
            press.click()
            refused(field, text)
            expect(field).to_be_focused()
    field.page.wait_for_timeout(400)
    field.page.remove_listener("request", record)
    assert sent == []


def test_release_form(page, taxi, stays):
    form(page, taxi)
    level, create = page.get_by_label("Level ε", exact=True), page.locator("[data-submit]")
    expect(error_of(level)).to_be_hidden()
    expect(page.locator("[data-field=epsilon]").first).to_contain_text("A number from 0.000001 to 10000.")
    refuses(level, create, *NO_NUMBERS, "\u22121", "999999")
    expect(page.locator("[data-spending]")).to_contain_text("see the marked fields")
    check_page(page)
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
    accepted(level, "1")
    window = page.get_by_role("checkbox", name="w-event", exact=True)
    window.check()
    refuses(page.get_by_label("Window w, events", exact=True), create, *NO_NUMBERS, "2.5")
    window.uncheck()  # a field of a mechanism not chosen does not block
    page.get_by_role("radio", name="Seeded simulation").check()
    refuses(page.get_by_label("Seed", exact=True), create, "-1", "1.5", "", "1e17")
    page.get_by_role("radio", name="Publishable release").check()

    only(page, "Planned")
    own = page.locator("[data-mechanism=landmark-planned]")
    own.get_by_text("q from speed").click()
    speed, q = own.get_by_label("Typical speed, km/h"), own.get_by_label("Step variance q, m²", exact=True)
    typed(speed, "3,6")
    typed(own.get_by_label("Between two events, s"), "60")
    expect(q).to_have_value("1800")
    refuses(speed, None, "1,000", "abc", "-1")
    expect(q).to_have_value("1800")
    only(page, "Uniform")
    accepted(level, "0,5")
    accepted(page.get_by_label("Radius r, m", exact=True), "1,5e2")
    expect(page.locator("[data-odds]")).to_contain_text("150")
    expect(page.locator("[data-spending]")).to_contain_text("ε = 0.5 per 150")
    page.get_by_role("button", name="Create 1 release").click()
    page.wait_for_url("**/compare/**")
    made = Release.objects.get().spec["mechanism"]
    assert (made["epsilon"], made["radius_m"]) == (0.5, 150.0), "a decimal comma does not weaken the level"


@pytest.mark.journey
def test_budget_and_cleaning(page, taxi):
    page.goto(f"/datasets/{taxi.pk}/")
    page.get_by_text("Set a limit").click()
    level, radius = page.get_by_label("Level ε"), page.get_by_label("Radius r, m")
    limit = page.get_by_role("button", name="Set", exact=True)
    refuses(level, limit)
    typed(level, "0,5")
    refuses(radius, limit, *NO_NUMBERS, "3e7")
    typed(radius, "200")
    limit.click()
    expect(page.locator("#budget")).to_contain_text("of ε = 0.5 within 200")

    page.locator("#reread-fold > summary").click()
    page.get_by_label("Step to add").select_option("drop-jumps")
    page.get_by_role("button", name="Add step").click()
    speed = page.get_by_label("Highest speed, km/h", exact=True)
    again = page.get_by_role("button", name="Import again")
    refuses(speed, again)
    typed(speed, "999,5")
    with page.expect_navigation():
        again.click()
    assert Dataset.objects.get().cleaning == [{"name": "drop-jumps", "highest_km_h": 999.5}]


def test_landmark_report(page, stays):
    page.goto(f"/landmark-sets/{stays.pk}/report/")
    wait_until_ready(page, "[data-report]")
    level, text = page.locator("#epsilon"), page.locator("[data-table-text]")
    with page.expect_request(lambda one: "epsilon=0.5&" in one.url):
        typed(level, "0,5")
    expect(text).to_contain_text("at ε = 0.5")
    refuses(level, None)
    expect(text).to_contain_text("at ε = 0.5")
    refuses(page.locator("#alpha"), None)
    check_page(page)
    with page.expect_request(lambda one: (one.post_data_json or {}).get("alpha") == 0.25):
        typed(page.locator("#alpha"), "0,25")
    page.get_by_role("button", name="Estimated").click()
    dialog = page.get_by_role("dialog")
    refuses(dialog.get_by_label("Cell, m"), dialog.get_by_role("button", name="Apply"))


def test_experiment_form(page, taxi):
    page.set_viewport_size(PHONE)
    page.goto("/experiments/new/")
    wait_until_ready(page, "[data-form]")
    page.evaluate(UNFOLD)
    levels, repetitions = page.get_by_label("Levels ε"), page.get_by_label("Repetitions", exact=True)
    run = page.get_by_role("button", name="Run the experiment")
    refuses(levels, run, *NO_NUMBERS, "1,5", "0.1, 0", "999999")  # a list is never read in two ways
    check_page(page)
    accepted(levels, "0,5; 1,5")
    refuses(repetitions, run, *NO_NUMBERS, "1.5")
    typed(repetitions, "2")
    run.click()
    page.wait_for_url(re.compile(r"/experiments/[0-9a-f-]{36}/"))
    made = Experiment.objects.get().spec
    assert made["grid"]["release.mechanism.epsilon"] == [0.5, 1.5]
    assert made["repetitions"] == 2


def test_landmarks_zones_and_dummies(page, taxi):
    edit(page, taxi)
    distance = page.get_by_label("Distance, m", exact=True)
    store = page.get_by_role("button", name="Save", exact=True)
    refuses(distance, store, "-1", "", "1,000", "abc")
    accepted(distance, "205,5")
    expect(page.locator("[data-busy]")).to_be_hidden()
    stays = save(page, taxi)
    assert stays.method["distance_m"] == 205.5

    edit(page, taxi)
    page.get_by_role("button", name="Zones", exact=True).click()
    around, add = page.get_by_label(re.compile("Circle around event")), page.get_by_role("button", name="Add circle")
    refuses(around, add)
    typed(around, "250,5")
    add.click()
    radius = page.get_by_label("Radius, m", exact=True)
    expect(radius).to_have_value("250.5")
    refuses(radius, store, "1,000")
    typed(radius, "300,25")
    assert save(page, taxi).method["zones"][0]["radius_m"] == 300.25

    page.goto(f"/landmark-sets/{stays.pk}/dummies/")
    wait_until_ready(page, "[data-form]")
    draw = page.locator("[data-draw]")
    level = page.locator("[data-method=dummies-one-sided]").get_by_label("Level of the selection ε", exact=True)
    refuses(level, draw, "0", "", "21", "abc")
    with page.expect_request(lambda one: '"epsilon":0.5' in (one.post_data or "")):
        typed(level, "0,5")
    page.get_by_text("Seeded simulation: a repeatable selection").click()
    refuses(page.get_by_label("Seed", exact=True), draw, "-1", "1,5", "1,000")


def test_attack_and_speed(page, taxi, stays):
    released(stays, "uniform", **PRECISE)
    compare(page, taxi)
    dialog = open_dialog(page)
    within = dialog.locator("[data-field=within_m] input[data-number]")
    refuses(within, dialog.get_by_role("button", name="Run the attack"), "-3", "", "1,000", "abc")
    dialog.get_by_role("button", name="Cancel").click()
    page.get_by_label("Speed", exact=True).select_option("other speed")
    refuses(page.get_by_label("Speed, times real time"), None)
