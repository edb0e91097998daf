"""The jobs drawer: what runs, what ended and why, and that it can be tried again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import Locator, Page, expect

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset
from dashboard.datasets.services import import_dataset
from dashboard.jobs import State, now
from dashboard.landmarks.services import mark_landmarks
from dashboard.releases.models import Release
from dashboard.releases.services import submit_release
from privacy_engine.spec import ReleaseSpec
from tests.browser.conftest import WALK, work_off

WHY = {"code": "memory", "message": "The job needed more memory than one job may use."}
TITLE = "Uniform, Walk"


@pytest.fixture
def walk(owner: User) -> Dataset:
    return import_dataset(owner=owner, upload=ContentFile(WALK, name="walk.csv"), name="Walk")


@pytest.fixture
def ask(owner: User, walk: Dataset) -> Callable[..., Release]:
    """``ask("uniform", state=…)``: a release of the walk in some state."""
    landmarks = mark_landmarks(owner=owner, dataset=walk, method={"name": "manual", "events": [1, 2, 3]}, name="Home")

    def submit(mechanism: str = "uniform", **columns: Any) -> Release:
        description = {"name": f"landmark-{mechanism}", "epsilon": 1.0, "radius_m": 200.0}
        spec = ReleaseSpec.parse({"mechanism": description})
        release = submit_release(owner=owner, dataset=walk, landmark_set=landmarks, spec=spec)
        Release.objects.filter(pk=release.pk).update(**columns)
        release.refresh_from_db()
        return release

    return submit


@pytest.fixture
def failed(ask: Any) -> Release:
    """One that a worker could not finish."""
    return ask(state=State.FAILED, attempt=1, started_at=now(), finished_at=now(), error=WHY)


@pytest.fixture(autouse=True)
def patience() -> Iterator[None]:
    """The drawer looks once a second, and a busy machine answers late."""
    expect.set_options(timeout=20_000)
    yield
    expect.set_options(timeout=5_000)


def button(page: Page) -> Locator:
    return page.locator("[data-jobs-button]")


def drawer(page: Page) -> Locator:
    return page.get_by_role("region", name="Jobs", exact=True)


def open_drawer(page: Page) -> Locator:
    page.set_default_timeout(60_000)
    page.goto("/", wait_until="domcontentloaded")
    button(page).click()
    return drawer(page)


class TestWhatIsTold:
    def test_stage_share_and_time_left(self, page: Page, ask: Any) -> None:
        began = now() - timedelta(seconds=60)
        held = {"state": State.RUNNING, "token": "0" * 32, "lease_until": now(), "started_at": began, "attempt": 1}
        ask(stage="Drawing", progress=0.5, **held)
        ask("skip")
        shown = open_drawer(page)
        expect(shown).to_contain_text(re.compile(r"drawing · 50\s% · \d.* left"))
        expect(shown.get_by_role("progressbar", name=TITLE)).to_have_js_property("value", 0.5)
        expect(shown).to_contain_text("waiting for a worker")
        expect(button(page)).to_contain_text(re.compile(r"1 of 2 jobs running · 25\s%"))

    def test_how_it_ended_is_said_once(self, page: Page, ask: Any) -> None:
        ask()
        shown = open_drawer(page)
        expect(shown).to_contain_text("waiting for a worker")
        work_off()
        expect(shown.locator("[data-jobs-over]")).to_contain_text("done")
        expect(page.locator("#announcer")).to_have_text(f"{TITLE} is done.")
        expect(button(page)).to_contain_text("Jobs")

    def test_a_failure_says_why_and_what_to_do(self, page: Page, failed: Release) -> None:
        shown = open_drawer(page)
        expect(button(page)).to_contain_text("1 job failed")
        expect(shown).to_contain_text(f"failed: {WHY['message']}")
        expect(shown).to_contain_text("Retry when less is running.")
        expect(shown.get_by_role("link", name=TITLE)).to_have_attribute("href", re.compile(f"release={failed.pk}"))


class TestWhatCanBeDone:
    def test_retry_runs_the_same_release(self, page: Page, failed: Release) -> None:
        shown = open_drawer(page)
        shown.get_by_role("button", name=f"Retry {TITLE}").click()
        expect(shown).to_contain_text("waiting for a worker")
        work_off()
        expect(shown.locator("[data-jobs-over]")).to_contain_text("done")
        assert Release.objects.get().state == State.DONE
