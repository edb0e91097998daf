"""Tasks of a person who sees Cairn for the first time: from a file to a comparison, by keyboard, by the first steps."""

import re
from pathlib import Path

import pytest
from django.core.management import call_command
from playwright.sync_api import expect

from dashboard.datasets.models import Dataset
from dashboard.landmarks.models import LandmarkSet
from dashboard.releases.models import Release
from tests.browser.actions import act_on, contains, downloaded, press
from tests.browser.conftest import DESKTOP
from tests.browser.jobs import run_jobs
from tests.browser.landmark_editor import edit, event_on_screen, marked
from tests.browser.rendering import cursors, expect_painted, layers, lines, wait_until_ready
from tests.browser.test_steps import only
from tests.patience import patience

TRIO = ["Skip", "Uniform", "Adaptive"]


def upload(page, file):
    page.goto("/")
    page.set_input_files("input[type=file]", file)
    expect(page.locator("tr", has_text="Ready")).to_be_visible(timeout=patience(20_000))
    return Dataset.objects.get()


def mark(page, dataset):
    """Stay points first, then one event more or less by a click on the map."""
    edit(page, dataset)
    found = marked(page)
    page.locator("[data-map]").focus()
    page.keyboard.press("ArrowRight")
    page.mouse.click(*event_on_screen(page))
    expect(page.get_by_role("button", name="Manual")).to_have_attribute("aria-pressed", "true")
    count = marked(page)
    assert abs(count - found) == 1
    page.get_by_label("Name").fill("Stays and one more")
    page.get_by_role("button", name="Save and release").click()
    page.wait_for_url("**/releases/new/**")
    landmark_set = LandmarkSet.objects.get()
    assert (landmark_set.count, landmark_set.method["name"]) == (count, "manual")
    return landmark_set


def release(page, landmark_set):
    wait_until_ready(page, "[data-form]")
    expect(page.get_by_label("Landmark set").locator("option:checked")).to_have_text("Stays and one more")
    only(page, *TRIO)
    page.get_by_label("Privacy level ε", exact=True).fill("2")
    page.get_by_label("Radius r, m", exact=True).fill("200")
    k = landmark_set.count
    share = "ε" if k == 0 else f"ε/{k + 1:,}" if k < landmark_set.points else f"ε/{k:,}"
    expect(page.locator("[data-forecast=landmark-uniform]")).to_contain_text(share)
    page.get_by_role("button", name="Create 3 releases").click()
    page.wait_for_url("**/compare/**")
    wait_until_ready(page)
    expect(page.locator("[data-bench][data-charts='1']")).to_be_visible()  # the best of them
    page.get_by_role("button", name="Show all layers").click()
    expect(page.locator("[data-bench][data-charts='3']")).to_be_visible(timeout=patience(20_000))


@pytest.mark.journey
def test_upload_mark_release_compare(page, worker, shared):
    dataset = upload(page, shared / "data" / "trajectories" / "plt" / "000_20081023025304.plt")
    n = dataset.points
    landmark_set = mark(page, dataset)
    release(page, landmark_set)
    assert list(Release.objects.values_list("state", flat=True)) == ["done"] * 3

    shown = layers(page)
    assert list(shown) == ["Original", *TRIO, "Landmarks"]
    expect_painted(page, "original", lambda pixels: pixels > 50)
    page.get_by_role("button", name="Fit the map").click()  # noise may lie far outside of what is seen first
    for title in TRIO:
        expect_painted(page, shown[title])
    for chart in lines(page):
        assert [(line["name"], line["points"]) for line in chart] == [(title, n) for title in TRIO]
    rows = page.locator("[data-summary] tr")
    expect(rows).to_have_count(3)
    for row in Release.objects.all():
        cells = page.locator(f"tr[data-release='{row.pk}']")
        contains(cells, "Done", "m")

    before = cursors(page)
    page.locator("[data-map]").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".timeline__text")).to_contain_text(f"event 2 of {n:,}")
    assert all(a != b for a, b in zip(before, cursors(page), strict=True))
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".timeline__text")).to_contain_text(f"event 1 of {n:,}")
    assert cursors(page) == before

    menu = act_on(page, Release.objects.earliest("created_at").title, "Privacy label")
    statement = "together leak at most ε = 2 per 200 m"
    expect(menu).to_contain_text(statement)
    menu.locator("summary", has_text="Download").press("Enter")
    assert statement in Path(downloaded(menu.locator("a[href*='format=csv']")).path()).read_text()


def test_from_a_sample_to_a_useful_release_with_the_keyboard_alone(page):
    page.goto("/")
    press(page, page.get_by_role("button", name=re.compile("^Try a sample")))
    page.wait_for_url("**/datasets/*/")
    press(page, page.get_by_role("link", name="Define landmarks").first)
    wait_until_ready(page, "[data-editor]")
    press(page, page.get_by_role("button", name="Save and release"))
    page.wait_for_url("**/releases/new/**")
    wait_until_ready(page, "[data-form]")
    press(page, page.locator("[data-submit]"))
    page.wait_for_url("**/compare/**")
    run_jobs()
    assert "usable" in {one.verdict.name for one in Release.objects.all()}


def strip(page):
    return page.get_by_role("navigation", name="First steps")


def test_first_steps_are_hidden_brought_back_and_followed(page):
    call_command("loadsamples", "owner", verbosity=0)  # as at the first start
    page.goto("/")
    strip(page).get_by_role("button", name="Hide the first steps").click()
    expect(strip(page)).to_have_count(0)
    page.goto("/")
    expect(strip(page)).to_have_count(0)
    page.locator("summary[aria-label='Account and appearance']").click()
    page.get_by_role("button", name="Show the first steps").click()
    for title, seen in (("View the trajectory", "Walk across Paris"), ("Define landmarks", "Define landmarks")):
        strip(page).get_by_role("link", name=title).click()
        expect(page.get_by_role("heading", level=1, name=seen)).to_be_visible()
        expect(strip(page).locator("[aria-current=step]")).to_contain_text(title)
    expect(strip(page).get_by_role("link", name="Done: View the trajectory")).to_be_visible()
    expect(strip(page).get_by_role("link", name="Done:")).to_have_count(1)
    page.wait_for_selector(".map")
    bench = page.locator(".bench").bounding_box()
    assert bench["y"] + bench["height"] <= DESKTOP["height"] + 1, "the editor still fits the window"
