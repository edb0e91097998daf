"""The main path, from an uploaded file to compared releases, in the browser with a worker."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from dashboard.datasets.models import Dataset
from dashboard.landmarks.models import LandmarkSet
from dashboard.releases.models import Release
from privacy_engine.samples import samples
from tests.browser.actions import contains, downloaded
from tests.browser.landmark_editor import edit, event_on_screen, marked
from tests.browser.rendering import (
    at_rest,
    cursors,
    expect_painted,
    layers,
    lines,
    painted,
    wait_until_ready,
)
from tests.patience import patience

TRIO = ["Skip", "Uniform", "Adaptive"]


def sample_file(index: int, folder: Path) -> Path:
    """A generated sample as a CSV file."""
    series = samples()[index].series
    rows = zip(series.time_s, series.lat, series.lon, strict=True)
    path = folder / f"sample-{index}.csv"
    path.write_text("time,lat,lon\n" + "".join(f"{t:.0f},{lat},{lon}\n" for t, lat, lon in rows))
    return path


def upload(page: Page, file: Path) -> Dataset:
    page.goto("/")
    page.set_input_files("input[type=file]", file)
    expect(page.locator("tr", has_text="Ready")).to_be_visible(timeout=patience(20_000))
    return Dataset.objects.get()


def mark(page: Page, dataset: Dataset) -> LandmarkSet:
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


def release(page: Page, landmark_set: LandmarkSet) -> None:
    expect(page.get_by_role("radio", name=re.compile("Stays and one more"))).to_be_checked()
    for title in TRIO:
        expect(page.get_by_role("checkbox", name=re.compile(f"^{title}"))).to_be_checked()
    page.get_by_label("Level ε", exact=True).fill("2")
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
def test_upload_mark_release_compare(page: Page, worker: None, shared: Path) -> None:
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

    for title, layer in shown.items():
        page.get_by_role("checkbox", name=title).uncheck()
        assert painted(page, layer) == 0, title
    page.get_by_role("checkbox", name="Skip").check()
    at_rest(page)
    assert painted(page, shown["Skip"]) > 0

    for first, row in zip((True, False, False), Release.objects.order_by("created_at"), strict=True):
        cells = page.locator(f"tr[data-release='{row.pk}']")
        statement = "together leak at most ε = 2 per 200 m"
        cells.get_by_text("Privacy label").click()
        expect(cells).to_contain_text(statement)
        for suffix in ("csv", "geojson", "gpx", "parquet") if first else ("csv",):
            # more than ten files in a row, and the browser shows a prompt
            waiting = downloaded(cells.locator(f"a[href*='format={suffix}']"))
            text = Path(waiting.path()).read_text(errors="replace").replace("\\u03b5", "ε")
            assert statement in text, (row.mechanism, suffix)
            lines_of_events = [line for line in text.splitlines() if line and not line.startswith("#")]
            assert suffix != "csv" or len(lines_of_events) == n + 1
