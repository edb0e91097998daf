"""The jobs drawer: what runs, what ended and why, what can be done about it; by hand, by keyboard, and gently."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import Locator, Page, expect

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset
from dashboard.datasets.services import import_dataset
from dashboard.jobs import workers
from dashboard.jobs.models import State, now
from dashboard.landmarks.services import mark_landmarks
from dashboard.releases.models import Release
from dashboard.releases.services import submit_release
from privacy_engine.spec import ReleaseSpec
from tests.browser.conftest import DEVICES, WALK, PageMonitor, check_page, run_jobs
from tests.patience import patience

WHY = {"code": "memory", "message": "The job needed more memory than one job may use."}
TITLE = "Uniform · ε 1 / 200 m, Walk"


# Record how long the page would wait before it polls again, and shorten the wait
WAITS = """
  window.waits = [];
  const later = window.setTimeout;
  window.setTimeout = (what, ms, ...rest) => {
    if (ms >= 1000) waits.push(ms);
    return later(what, Math.min(ms, 50), ...rest);
  };
"""


@pytest.fixture
def make_release(owner: User, walk: Dataset) -> Callable[..., Release]:
    """``make_release("uniform", state=…)``: a release of the walk in some state."""
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
def failed(make_release: Any) -> Release:
    """One that a worker could not finish."""
    return make_release(state=State.FAILED, attempt=1, started_at=now(), finished_at=now(), error=WHY)


def polls(monitor: PageMonitor) -> int:
    """Return how often the page has polled the jobs."""
    return sum(url.endswith("/api/v1/jobs/") for url in monitor.requests)


def button(page: Page) -> Locator:
    return page.locator("[data-jobs-button]")


def drawer(page: Page) -> Locator:
    return page.get_by_role("region", name="Jobs", exact=True)


def open_drawer(page: Page) -> Locator:
    page.set_default_timeout(patience(60_000))
    page.goto("/", wait_until="domcontentloaded")
    button(page).click()
    return drawer(page)


class TestTexts:
    @pytest.mark.journey
    def test_stage_share_and_time_left(self, page: Page, make_release: Any) -> None:
        began = now() - timedelta(seconds=60)
        held = {"state": State.RUNNING, "token": "0" * 32, "lease_until": now(), "started_at": began, "attempt": 1}
        make_release(stage="Drawing", progress=0.5, **held)
        make_release("skip")
        shown = open_drawer(page)
        expect(shown).to_contain_text(re.compile(r"drawing · 50\s% · \d.* left"))
        expect(shown.get_by_role("progressbar", name=TITLE)).to_have_js_property("value", 0.5)
        expect(shown).to_contain_text("waiting for a worker")
        expect(button(page)).to_contain_text(re.compile(r"1 of 2 jobs running · 25\s%"))

    def test_the_outcome_is_announced_once(self, page: Page, make_release: Any) -> None:
        make_release()
        shown = open_drawer(page)
        expect(shown).to_contain_text("waiting for a worker")
        run_jobs()
        expect(shown.locator("[data-jobs-over]")).to_contain_text("done")
        expect(page.locator("#announcer")).to_have_text(f"{TITLE} is done.")
        expect(button(page)).to_contain_text("Jobs")

    def test_a_failure_shows_its_reason_and_the_next_step(self, page: Page, failed: Release) -> None:
        shown = open_drawer(page)
        expect(button(page)).to_contain_text("1 job failed")
        expect(shown).to_contain_text(f"failed: {WHY['message']}")
        expect(shown).to_contain_text("Retry when less is running.")
        expect(shown.get_by_role("link", name=TITLE)).to_have_attribute("href", re.compile(f"release={failed.pk}"))


class TestWhatCanBeDone:
    @pytest.mark.journey
    def test_retry_runs_the_same_release(self, page: Page, failed: Release) -> None:
        shown = open_drawer(page)
        shown.get_by_role("button", name=f"Retry {TITLE}").click()
        expect(shown).to_contain_text("waiting for a worker")
        run_jobs()
        expect(shown.locator("[data-jobs-over]")).to_contain_text("done")
        assert Release.objects.get().state == State.DONE

    def test_dismiss_is_remembered(self, page: Page, failed: Release) -> None:
        shown = open_drawer(page)
        shown.get_by_role("button", name=f"Dismiss {TITLE}").click()
        expect(shown.locator("[data-jobs-ended]")).to_be_hidden()
        expect(button(page)).to_have_text(re.compile("^Jobs"))
        page.reload()
        button(page).click()
        expect(shown).to_contain_text("No jobs are waiting or running")
        expect(shown.locator("[data-jobs-ended]")).to_be_hidden()
        assert Release.objects.get().state == State.FAILED

    def test_all_are_dismissed_at_once(self, page: Page, make_release: Any) -> None:
        for _ in range(3):
            make_release(state=State.FAILED, attempt=1, started_at=now(), finished_at=now(), error=WHY)
        shown = open_drawer(page)
        shown.get_by_role("button", name="Dismiss all").click()
        expect(shown.locator("[data-jobs-ended]")).to_be_hidden()
        assert set(Release.objects.values_list("dismissed", flat=True)) == {True}

    @pytest.mark.journey
    def test_cancel_an_import(self, page: Page, owner: User, monkeypatch: Any) -> None:
        monkeypatch.setattr("dashboard.datasets.services.NOW_PLAIN_BYTES", -1)
        import_dataset(owner=owner, upload=ContentFile(WALK, name="long.csv"), name="Long walk")
        shown = open_drawer(page)
        shown.get_by_role("button", name="Cancel Long walk").click()
        expect(shown.locator("[data-jobs-over]")).to_contain_text("cancelled")
        shown.get_by_role("button", name="Retry Long walk").click()
        expect(shown.locator("[data-jobs-list]")).to_contain_text("waiting for a worker")
        run_jobs()
        expect(page.get_by_role("row", name=re.compile("Long walk"))).to_contain_text("ready")

    def test_by_keyboard_alone_focus_is_never_lost(self, page: Page, make_release: Any) -> None:
        for name in ("uniform", "skip"):
            make_release(name, state=State.FAILED, attempt=1, started_at=now(), finished_at=now(), error=WHY)
        page.goto("/")
        expect(button(page)).to_contain_text("2 jobs failed")
        button(page).focus()
        page.keyboard.press("Enter")
        for _ in range(6):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.textContent") == "Dismiss":
                break
        page.keyboard.press("Enter")
        expect(page.locator("[data-jobs-over] .job")).to_have_count(1)
        expect(page.locator("[data-jobs-over] .job").get_by_role("button", name=re.compile("^Retry"))).to_be_focused()
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page.locator("[data-jobs-ended]")).to_be_hidden()
        expect(page.get_by_role("heading", name="Jobs", exact=True)).to_be_focused()
        page.keyboard.press("Escape")
        expect(drawer(page)).to_be_hidden()
        expect(button(page)).to_be_focused()

    def test_a_refusal_is_shown_and_can_be_tried_again(self, page: Page, failed: Release, monitor: PageMonitor) -> None:
        monitor.expect(409)
        shown = open_drawer(page)
        retry = shown.get_by_role("button", name=f"Retry {TITLE}")
        expect(retry).to_be_enabled()
        Dataset.objects.update(state=State.CANCELLED)
        retry.click()
        expect(shown).to_contain_text("The dataset must be ready, it is cancelled.")
        expect(retry).to_be_enabled()


class TestGentle:
    def test_a_hidden_page_sends_no_request(self, page: Page, make_release: Any, monitor: PageMonitor) -> None:
        make_release()
        shown = open_drawer(page)
        expect(shown).to_contain_text("waiting for a worker")
        hide = """(hidden) => {
          Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
          document.dispatchEvent(new Event("visibilitychange"));
        }"""
        page.evaluate(hide, True)
        page.wait_for_timeout(500)  # responses of earlier polls have arrived
        before = polls(monitor)
        page.wait_for_timeout(3000)  # three polls of a page that is seen
        assert polls(monitor) == before
        run_jobs()
        page.evaluate(hide, False)
        expect(shown.locator("[data-jobs-over]")).to_contain_text("done")

    def test_idle_it_polls_ever_less(self, page: Page, walk: Dataset) -> None:
        page.add_init_script(WAITS)
        page.goto("/", wait_until="domcontentloaded")
        page.wait_for_function("() => waits.length >= 5")
        assert page.evaluate("waits.slice(0, 5)") == [15_000, 30_000, 60_000, 120_000, 120_000]

    def test_polling_slows_down_without_changes_and_is_quick_after_one(self, page: Page, make_release: Any) -> None:
        make_release()
        page.add_init_script(WAITS)
        page.goto("/", wait_until="domcontentloaded")
        page.wait_for_function("() => waits.length >= 10")
        found = page.evaluate("waits.slice(0, 10)")
        assert found[:3] == [1000, 1250, 1562.5]
        assert found[-2:] == [5000, 5000]
        make_release("skip")
        page.wait_for_function("() => waits.slice(10).includes(1000)")


@DEVICES
def test_accessible_and_fits(
    open_page: Any, owner: User, make_release: Any, failed: Release, colour: str, size: dict[str, int]
) -> None:
    make_release("skip")
    page = open_page(owner, colour=colour, size=size)
    shown = open_drawer(page)
    expect(shown).to_contain_text("waiting for a worker")
    check_page(page, both_colours=True)
    for one in shown.get_by_role("button").all():
        box = one.bounding_box()
        assert box
        assert min(box["width"], box["height"]) >= 24
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= size["width"]


# A list that is drawn again, with the job ended, before the page sees that the job is over
DRAWN_BEFORE = """async () => {
  const { watchStates } = await import("/static/js/components/job_status.js");
  const parts = "<span data-stage></span><progress></progress>";
  const row = (id) => document.body.insertAdjacentHTML("beforeend", `<p data-job="${id}">${parts}</p>`);
  const send = (name, detail) => document.dispatchEvent(new CustomEvent(name, { detail }));
  row("a");
  let over = 0;
  watchStates(() => document.querySelectorAll("p[data-job]").forEach((one) => one.remove()), () => (over += 1));
  const counts = [];
  for (const [name, detail] of [
    ["cairn:progress", [{ id: "a", state: "queued" }]], ["cairn:jobs", {}], ["cairn:progress", []],
    ["cairn:progress", []],
  ]) {
    send(name, detail);
    counts.push(over);
  }
  return counts;
}"""


@pytest.mark.journey
def test_a_job_is_over_also_where_its_list_was_drawn_before(page: Page) -> None:
    page.goto("/tokens/")
    assert page.evaluate(DRAWN_BEFORE) == [0, 0, 1, 1]


@pytest.mark.journey
def test_no_worker_answers(page: Page, make_release: Any, beats_recorded: None) -> None:
    """The place in the queue in the drawer, and a banner once the job has waited for ten seconds without a worker."""
    release = make_release()
    shown = open_drawer(page)
    expect(shown).to_contain_text("waiting for a worker, first in the queue")
    banner = page.get_by_role("alert").filter(has_text="No worker answers")
    expect(banner).to_be_hidden()
    Release.objects.filter(pk=release.pk).update(created_at=now() - timedelta(seconds=20), enqueued_at=None)
    expect(banner).to_be_visible()
    workers.beat("celery@here")
    try:
        expect(banner).to_be_hidden()
    finally:
        workers.stopped("celery@here")
