"""A large track: a preview image is shown until the track is loaded."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import Page, Route, expect

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset
from dashboard.datasets.services import import_dataset
from dashboard.landmarks.services import mark_landmarks
from dashboard.storage.series_cache import line
from tests.browser.conftest import run_jobs
from tests.browser.rendering import expect_painted

POINTS = 120_000


def usual_step(dataset: Dataset) -> float:
    """The median step, m, of what is stored."""
    stored = line(dataset.points_path, 0)
    lon, lat = (np.round(column / 1e7, 6) for column in (stored.lon, stored.lat))
    x = np.radians(np.diff(lon)) * np.cos(np.radians((lat[1:] + lat[:-1]) / 2))
    return float(np.median(np.hypot(x, np.radians(np.diff(lat)))) * 6_371_000)


def test_a_preview_image_is_shown_first_and_facts_of_every_step_at_last(page: Page, owner: User) -> None:
    rng = np.random.default_rng(5)
    lon, lat = (at + np.cumsum(rng.normal(0, 2e-5, POINTS)) for at in (2.35, 48.85))
    rows = "".join(f"{x:.6f},{y:.6f}\n" for x, y in zip(lon, lat, strict=True))
    large = import_dataset(owner=owner, upload=ContentFile(f"lon,lat\n{rows}".encode(), name="a.csv"), name="Large")
    run_jobs()
    large.refresh_from_db()
    mark_landmarks(owner=owner, dataset=large, method={"name": "manual", "events": list(range(500, 900))})
    held: list[Route] = []

    def hold(route: Route) -> Any:
        """Whole tracks wait; preview images do not."""
        return route.continue_() if "west=" in route.request.url else held.append(route)

    page.context.route("**/track/?*", hold)
    for place in ("", "landmarks/new/"):
        page.goto(f"/datasets/{large.pk}/{place}")
        early = expect_painted(page, "early-original", timeout_s=30)
        expect(page.locator("canvas[data-layer=original]")).to_have_count(0)
        assert early > 500
        page.context.unroute("**/track/?*")
        for route in held:
            route.continue_()
        whole = expect_painted(page, "original", timeout_s=30)
        expect(page.locator("canvas[data-layer=early-original]")).to_have_count(0)
        assert whole == pytest.approx(early, rel=0.15)
        expect_painted(page, "landmarks")
        if not place:
            expect(page.locator('[data-fact="step"]')).to_have_text(f"{usual_step(large):.1f}\u202fm")
        held.clear()
        page.context.route("**/track/?*", hold)
