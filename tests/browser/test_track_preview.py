"""A large track: a preview image is shown until the track is loaded."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import Page, Route, expect

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset
from dashboard.datasets.services import import_dataset
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.services import mark_landmarks
from tests.browser.conftest import run_jobs
from tests.browser.rendering import expect_painted

POINTS = 120_000


@pytest.fixture
def large(owner: User) -> Dataset:
    rng = np.random.default_rng(5)
    lon, lat = (at + np.cumsum(rng.normal(0, 2e-5, POINTS)) for at in (2.35, 48.85))
    rows = "".join(f"{x:.6f},{y:.6f}\n" for x, y in zip(lon, lat, strict=True))
    made = import_dataset(owner=owner, upload=ContentFile(f"lon,lat\n{rows}".encode(), name="a.csv"), name="Large")
    run_jobs()
    made.refresh_from_db()
    return made


@pytest.fixture
def marked(owner: User, large: Dataset) -> LandmarkSet:
    return mark_landmarks(owner=owner, dataset=large, method={"name": "manual", "events": list(range(500, 900))})


@pytest.fixture
def held(page: Page) -> Callable[[], Any]:
    """Whole tracks wait until this is called; preview images do not."""
    waiting: list[Route] = []
    lock = threading.Lock()
    free = False

    def hold(route: Route) -> None:
        with lock:
            if free or "west=" in route.request.url:
                route.continue_()
            else:
                waiting.append(route)

    def release() -> None:
        nonlocal free
        with lock:
            free = True
            for route in waiting:
                route.continue_()

    page.context.route("**/track/?*", hold)
    return release


@pytest.mark.parametrize(
    ("place", "layer"), [("", "original"), ("landmarks/new/", "original")], ids=["dataset", "editor"]
)
def test_a_preview_image_is_shown_first(
    page: Page, large: Dataset, marked: LandmarkSet, held: Callable[[], Any], place: str, layer: str
) -> None:
    page.goto(f"/datasets/{large.pk}/{place}")
    early = expect_painted(page, f"early-{layer}", timeout_s=30)
    expect(page.locator(f"canvas[data-layer={layer}]")).to_have_count(0)
    assert early > 500
    held()
    whole = expect_painted(page, layer, timeout_s=30)
    expect(page.locator(f"canvas[data-layer=early-{layer}]")).to_have_count(0)
    assert whole == pytest.approx(early, rel=0.15)
    expect_painted(page, "landmarks")


@pytest.mark.journey
def test_facts_of_every_step_are_shown_afterwards(page: Page, large: Dataset) -> None:
    page.goto(f"/datasets/{large.pk}/")
    lon, lat = (np.round(large_column, 6) for large_column in columns(large))
    x = np.radians(np.diff(lon)) * np.cos(np.radians((lat[1:] + lat[:-1]) / 2))
    usual = np.median(np.hypot(x, np.radians(np.diff(lat)))) * 6_371_000
    expect(page.locator('[data-fact="step"]')).to_have_text(f"{usual:.1f}\u202fm")


def columns(dataset: Dataset) -> tuple[np.ndarray, np.ndarray]:
    from dashboard.storage.series_cache import line

    stored = line(dataset.points_path, 0)
    return stored.lon / 1e7, stored.lat / 1e7
