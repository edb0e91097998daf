"""The main path, from an uploaded file to compared releases, in the browser with a worker."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pyarrow.parquet as pq
import pytest
from playwright.sync_api import Page, expect

from dashboard.datasets.models import Dataset
from dashboard.landmarks.models import LandmarkSet
from dashboard.releases.models import Release
from privacy_engine.samples import samples
from tests.browser.fixtures import released
from tests.browser.rendering import (
    at_rest,
    compare,
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


@pytest.fixture(
    params=[
        pytest.param("plt/000_20081023025304.plt", id="geolife", marks=pytest.mark.journey),
        pytest.param("tdrive/1.txt", id="tdrive"),
        *(pytest.param(i, id=name) for i, name in enumerate(["walk", "taxi"])),
        pytest.param(2, id="paris"),
    ],
)
def location_file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if isinstance(request.param, int):
        return sample_file(request.param, tmp_path)
    return request.getfixturevalue("shared") / "data" / "trajectories" / request.param


def upload(page: Page, file: Path) -> Dataset:
    page.goto("/")
    page.set_input_files("input[type=file]", file)
    expect(page.locator("tr", has_text="Ready")).to_be_visible(timeout=patience(20_000))
    return Dataset.objects.get()


def mark(page: Page, dataset: Dataset) -> LandmarkSet:
    """Stay points first, then one event more or less by a click on the map."""
    page.goto(f"/datasets/{dataset.pk}/landmarks/new/")
    wait_until_ready(page, "[data-editor]")
    found = int(page.locator("[data-count]").inner_text().replace(",", ""))
    page.locator("[data-map]").focus()
    page.keyboard.press("ArrowRight")
    box = page.locator("[data-map]").bounding_box()
    at = chosen_event(page)
    page.mouse.click(box["x"] + at["x"], box["y"] + at["y"])
    expect(page.get_by_role("button", name="Manual")).to_have_attribute("aria-pressed", "true")
    marked = int(page.locator("[data-count]").inner_text().replace(",", ""))
    assert abs(marked - found) == 1
    page.get_by_label("Name").fill("Stays and one more")
    page.get_by_role("button", name="Save and release").click()
    page.wait_for_url("**/releases/new/**")
    landmark_set = LandmarkSet.objects.get()
    assert (landmark_set.count, landmark_set.method["name"]) == (marked, "manual")
    return landmark_set


def chosen_event(page: Page) -> dict[str, float]:
    """Where the selected event is painted: the middle of the selection's pixels."""
    at_rest(page)
    return page.evaluate(
        """() => {
          const canvas = document.querySelector('canvas[data-layer="selection"]');
          const { width, height } = canvas;
          const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
          let [x, y, n] = [0, 0, 0];
          for (let i = 0; i < width * height; i++) {
            if (data[4 * i + 3] <= 200) continue;
            [x, y, n] = [x + i % width, y + Math.floor(i / width), n + 1];
          }
          const ratio = width / canvas.clientWidth;
          return { x: x / n / ratio, y: y / n / ratio };
        }"""
    )


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


def test_upload_mark_release_compare(page: Page, worker: None, location_file: Path) -> None:
    dataset = upload(page, location_file)
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
        expect(cells).to_contain_text("Done")
        expect(cells).to_contain_text("m")

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


READERS: dict[str, Any] = {
    "csv": lambda body: sum(1 for line in body.decode().splitlines() if line and not line.startswith("#")) - 1,
    "geojson": lambda body: len(positions(json.loads(body))),
    "gpx": lambda body: len(ElementTree.fromstring(body).findall(".//{*}trkpt")),
    "parquet": lambda body: pq.read_table(io.BytesIO(body)).num_rows,
}


def positions(geojson: dict[str, Any]) -> list[Any]:
    found: list[Any] = []
    for feature in geojson["features"]:
        coordinates = feature["geometry"]["coordinates"]
        found += (
            [coordinates] if feature["geometry"]["type"] == "Point" else list(np.asarray(coordinates).reshape(-1, 2))
        )
    return found


@pytest.mark.journey
def test_downloads_have_all_points_and_the_label(page: Page, stays: LandmarkSet) -> None:
    dataset, made = stays.dataset, released(stays, "skip", "uniform", "adaptive", epsilon=2.0)
    compare(page, dataset)
    for first, row in zip((True, False, False), made, strict=True):
        cells = page.locator(f"tr[data-release='{row.pk}']")
        statement = "together leak at most ε = 2 per 200 m"
        cells.get_by_text("Privacy label").click()
        expect(cells).to_contain_text(statement)
        for suffix, read in READERS.items():
            if not first and suffix != "csv":
                continue  # the browser shows a prompt before it saves more than ten files in a row
            with page.expect_download() as waiting:
                cells.locator(f"a[href*='format={suffix}']").click()
            body = Path(waiting.value.path()).read_bytes()
            assert read(body) == dataset.points, (row.mechanism, suffix)
            text = body.decode("utf-8", errors="replace").replace("\\u03b5", "ε")
            assert statement in text, (row.mechanism, suffix)
