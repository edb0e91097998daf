"""A dataset's landmark sets: two actions at hand, the others in a menu; what is pressed is painted; added dummies."""

import re

import pytest
from playwright.sync_api import expect

from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.services import mark_landmarks
from tests.browser.rendering import expect_painted, painted, wait_until_ready
from tests.browser.test_steps import only

ZONE = {"type": "Circle", "center": [2.352, 48.851], "radius_m": 300.0, "label": "Clinic"}


@pytest.fixture
def home(owner, walk):
    return mark_landmarks(owner=owner, dataset=walk, method={"name": "manual", "events": [1, 2, 3]}, name="Home")


@pytest.fixture
def clinic(owner, walk, home):
    return mark_landmarks(owner=owner, dataset=walk, method={"name": "zones", "zones": [ZONE]}, name="Clinic")


def open_dataset(page, walk):
    page.goto(f"/datasets/{walk.pk}/")
    expect_painted(page, "landmarks")


def row(page, landmark_set):
    return page.locator(f"#set-{landmark_set.pk}")


def more(page, name):
    return page.get_by_label(f"More for {name}", exact=True)


def test_a_set_is_duplicated_deleted_and_renamed(page, walk, home):
    open_dataset(page, walk)
    panel = row(page, home).locator(".menu__panel")
    more(page, "Home").click()
    expect(panel).to_be_visible()
    page.get_by_role("heading", name="Walk", exact=True).click()
    expect(panel).to_be_hidden()
    more(page, "Home").focus()
    page.keyboard.press("Enter")
    expect(panel).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(panel.get_by_role("link", name="Compare its releases")).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(panel.get_by_role("button", name="Delete")).to_be_focused()
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(more(page, "Home")).to_be_focused()

    more(page, "Home").click()
    page.get_by_role("button", name="Duplicate").click()
    expect(page.get_by_role("rowheader", name="Home, copy")).to_be_visible()
    copy = LandmarkSet.objects.exclude(pk=home.pk).get()
    assert (copy.mask == home.mask).all()
    shown = row(page, home).get_by_role("button", name="Show Home on the map")
    expect(shown).to_have_attribute("aria-pressed", "true")  # as the map has it, though the copy is listed first
    more(page, "Home, copy").click()
    row(page, copy).get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("rowheader", name="Home, copy")).to_have_count(0)
    assert LandmarkSet.objects.get() == home

    more(page, "Home").click()
    page.get_by_role("button", name="Rename", exact=True).last.click()
    page.get_by_label("Name", exact=True).fill("Home and work")
    page.keyboard.press("Enter")
    expect(row(page, home).get_by_role("rowheader")).to_have_text("Home and work")
    expect(more(page, "Home and work")).to_be_focused()
    assert LandmarkSet.objects.get().name == "Home and work"


@pytest.mark.journey
def test_a_press_paints_a_set_and_another_one_is_compared(page, walk, clinic):
    open_dataset(page, walk)
    expect_painted(page, "zones")
    zoned = painted(page, "landmarks")
    show = page.get_by_role("button", name="Show Home on the map")
    show.click()
    expect(page.locator("canvas[data-layer=zones]")).to_have_count(0)
    expect_painted(page, "landmarks", lambda pixels: 100 < pixels != zoned)
    show.click()
    expect(page.locator("canvas[data-layer=landmarks]")).to_have_count(0)
    more(page, "Clinic").click()
    row(page, clinic).get_by_role("link", name="Compare with another set").click()
    page.wait_for_url(re.compile(r"/landmarks/new/\?from=.*&against="))
    expect(page.get_by_label("Compare with")).to_have_value(str(LandmarkSet.objects.get(name="Home").pk))
    expect(page.locator("[data-overlap]")).to_contain_text("Only in Home")
    expect_painted(page, "other")


def visit(page, landmark_set):
    page.goto(f"/landmark-sets/{landmark_set.pk}/dummies/")
    wait_until_ready(page, "[data-form]")


def test_dummies_are_estimated_refused_drawn_and_released(page, stays, monitor):
    visit(page, stays)
    coins = page.locator("[data-method=dummies-one-sided]")
    expect(coins).to_contain_text("one-sided ε-differential privacy for each event")
    expect(page.get_by_text("Not differentially private for the landmarks.")).to_have_count(1)
    for name in ("optimal", "heuristic", "partitioned"):
        expect(page.locator(f"[data-method=dummies-{name}]")).to_contain_text("not private")
    coins.get_by_text("What it does not cover").click()
    expect(coins).to_contain_text("Cost: of the events that are no landmarks, the share e−ε is marked")

    others, level = stays.points - stays.count, coins.get_by_label("Level of the selection ε", exact=True)
    level.fill("2")
    mean = others * 0.1353352832366127
    expect(page.locator("[data-expected]")).to_have_text(
        f"About {mean:.0f} of the {others} other events beside the {stays.count} landmarks."
    )
    rows = page.get_by_role("table", name="Probability of each number of dummies").locator("tbody tr")
    assert 2 <= rows.count() <= 16
    texts = rows.locator("td:last-child").all_inner_texts()
    assert 98 < sum(float(text.rstrip("% \u202f")) for text in texts if "<" not in text) < 102
    expect(page.locator("[data-price]")).to_contain_text(f"instead of ε/{stays.count + 1},")

    monitor.expect(400)  # of the optimal way alone
    draw, error = page.locator("[data-draw]"), coins.locator("[data-field=epsilon] .field__error")
    level.fill("-1")
    expect(error).to_contain_text("Must be greater than 0, got -1")
    draw.click()
    expect(level).to_be_focused()
    level.fill("1")
    expect(error).to_be_hidden()
    expect(draw).to_be_enabled()
    page.get_by_role("radio", name="Optimal").check()
    expect(page.locator("[data-method=dummies-optimal]")).to_contain_text("at most 16 regular events")
    assert not stays.with_dummies.exists()
    page.get_by_role("radio", name="One-sided coins").check()
    page.get_by_label("Name").fill("Cover")
    page.get_by_role("button", name="Sample dummies").click()
    expect(page.locator("[data-drawn]")).to_be_focused()
    drawn = stays.with_dummies.get()
    assert drawn.name == "Cover"
    expect(page.locator("[data-drawn]")).to_contain_text(f"{drawn.selection['dummies']} dummies sampled")
    expect(page.locator("[data-draws]")).to_contain_text("1 earlier selection from these landmarks, ε = 1 in total.")
    page.get_by_role("link", name="Release on L′").click()
    wait_until_ready(page, "[data-form]")
    expect(page.get_by_label("Landmark set").locator("option:checked")).to_have_text("Cover")
    only(page, "Uniform")
    expect(page.locator("[data-forecast=landmark-uniform]")).to_contain_text(f"ε/{drawn.count + 1}")

    visit(page, stays)
    page.get_by_text("Seeded simulation: a repeatable selection").click()
    page.get_by_label("Seed", exact=True).fill("7")
    expect(page.locator("[data-not-private]")).to_contain_text("NOT PRIVATE.")
    page.get_by_role("radio", name="One-sided coins").focus()
    for name in ("optimal", "heuristic", "partitioned"):
        page.keyboard.press("ArrowDown")
        expect(page.locator(f"[value=dummies-{name}]")).to_be_checked()
    page.get_by_role("button", name="Sample and release").click()
    page.wait_for_url("**/releases/new/**")
    wait_until_ready(page, "[data-form]")
    drawn = stays.with_dummies.latest("created_at")
    assert (drawn.method["name"], drawn.selection["seed"]) == ("dummies-partitioned", 7)
    assert page.locator("[name=landmark_set]").input_value() == str(drawn.pk)
