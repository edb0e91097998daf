"""A large track: a picture of it is seen before it is there, and gives way to it."""

from __future__ import annotations

import numpy as np
import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import Page, expect

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset
from dashboard.datasets.services import import_dataset
from dashboard.launcher import warm
from tests.browser.conftest import work_off

POINTS = 120_000


@pytest.fixture
def large(owner: User) -> Dataset:
    warm.pictures()  # as the web process has done when a page with a map was seen
    rng = np.random.default_rng(5)
    lon, lat = (at + np.cumsum(rng.normal(0, 2e-5, POINTS)) for at in (2.35, 48.85))
    rows = "".join(f"{x:.6f},{y:.6f}\n" for x, y in zip(lon, lat, strict=True))
    made = import_dataset(owner=owner, upload=ContentFile(f"lon,lat\n{rows}".encode(), name="a.csv"), name="Large")
    work_off()
    made.refresh_from_db()
    return made


def test_facts_of_every_step_are_told_afterwards(page: Page, large: Dataset) -> None:
    page.goto(f"/datasets/{large.pk}/")
    lon, lat = (np.round(large_column, 6) for large_column in columns(large))
    x = np.radians(np.diff(lon)) * np.cos(np.radians((lat[1:] + lat[:-1]) / 2))
    usual = np.median(np.hypot(x, np.radians(np.diff(lat)))) * 6_371_000
    expect(page.locator('[data-fact="step"]')).to_have_text(f"{usual:.1f}\u202fm")


def columns(dataset: Dataset) -> tuple[np.ndarray, np.ndarray]:
    from dashboard.lines import line

    stored = line(dataset.points_path, 0)
    return stored.lon / 1e7, stored.lat / 1e7
