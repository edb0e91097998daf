"""The jobs drawer: what runs, what ended and why, what can be done about it; by hand, by keyboard, and gently."""

import re
from datetime import timedelta

import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import expect

from dashboard.datasets.models import Dataset
from dashboard.datasets.services import import_dataset
from dashboard.jobs import workers
from dashboard.jobs.models import State, now
from dashboard.landmarks.services import mark_landmarks
from dashboard.releases.models import Release
from tests.browser.actions import tab_to
from tests.browser.conftest import WALK, run_jobs
from tests.cases import refreshed
from tests.dashboard.api_helpers import UNIFORM
from tests.dashboard.release_runs import submitted
from tests.patience import patience

WHY = {"code": "memory", "message": "The job needed more memory than one job may use."}
TITLE = "Uniform · ε 1 / 200 m, Walk"


# Record how long the page would wait before it polls again, and shorten the wait
WAITS = """
  window.waits = [];
  const later = window.setTimeout;
  window.setTimeout = (what, ms, ...rest) => {
    if (what.name !== "start") return later(what, ms, ...rest); // of another module, or of a response
    waits.push(ms);
    return later(what, Math.min(ms, 50), ...rest);
  };
"""


HIDE = """(hidden) => {
  Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


@pytest.fixture
def make_release(owner, walk):
    """``make_release("uniform", state=…)``: a release of the walk in some state."""
    landmarks = mark_landmarks(owner=owner, dataset=walk, method={"name": "manual", "events": [1, 2, 3]}, name="Home")

    def submit(mechanism="uniform", **columns):
        release = submitted(landmarks, UNIFORM | {"name": f"landmark-{mechanism}"})
        Release.objects.filter(pk=release.pk).update(**columns)
        return refreshed(release)

    return submit


def button(page):
    return page.locator("[data-jobs-button]")


def drawer(page):
    return page.get_by_role("region", name="Jobs", exact=True)


def open_drawer(page):
    page.set_default_timeout(patience(60_000))
    page.goto("/", wait_until="domcontentloaded")
    button(page).click()
    return drawer(page)


@pytest.mark.journey
def test_what_runs_waits_and_ends(page, owner, make_release, beats_recorded, monkeypatch):
    held = {"state": State.RUNNING, "token": "0" * 32, "lease_until": now(), "attempt": 1}
    running = make_release("skip", stage="Drawing", progress=0.5, started_at=now() - timedelta(seconds=60), **held)
    waiting = make_release()
    shown = open_drawer(page)
    expect(shown).to_contain_text(re.compile(r"drawing · 50\s% · \d.* left"))
    expect(shown.get_by_role("progressbar")).to_have_js_property("value", 0.5)
    expect(shown).to_contain_text("waiting for a worker")
    expect(button(page)).to_contain_text(re.compile(r"1 of 2 jobs running · 25\s%"))

    banner = page.get_by_role("alert").filter(has_text="No worker answers")
    Release.objects.filter(pk=running.pk).update(state=State.CANCELLED, finished_at=now(), token=None, lease_until=None)
    expect(shown).to_contain_text("waiting for a worker, first in the queue")
    expect(banner).to_be_hidden()
    Release.objects.filter(pk=waiting.pk).update(created_at=now() - timedelta(seconds=20), enqueued_at=None)
    expect(banner).to_be_visible()  # for ten seconds without a worker
    workers.beat("celery@here")
    try:
        expect(banner).to_be_hidden()
    finally:
        workers.stopped("celery@here")
    run_jobs()
    expect(shown.locator("[data-jobs-over]")).to_contain_text("done")
    expect(page.locator("#announcer")).to_have_text(f"{TITLE} is done.")
    expect(button(page)).to_contain_text("Jobs")

    monkeypatch.setattr("dashboard.datasets.services.NOW_PLAIN_BYTES", -1)
    import_dataset(owner=owner, upload=ContentFile(WALK, name="long.csv"), name="Long walk")
    page.reload()
    button(page).click()
    shown.get_by_role("button", name="Cancel Long walk").click()
    expect(shown.locator("[data-jobs-over]")).to_contain_text("cancelled")
    shown.get_by_role("button", name="Retry Long walk").click()
    expect(shown.locator("[data-jobs-list]")).to_contain_text("waiting for a worker")
    run_jobs()
    expect(page.get_by_role("row", name=re.compile("Long walk"))).to_contain_text("ready")


def test_failures_are_read_retried_and_dismissed(page, make_release, monitor):
    def fail(*names):
        for name in names:
            make_release(name, state=State.FAILED, attempt=1, started_at=now(), finished_at=now(), error=WHY)

    fail("uniform")
    failed = Release.objects.get()
    shown = open_drawer(page)
    expect(button(page)).to_contain_text("1 job failed")
    expect(shown).to_contain_text(f"failed: {WHY['message']}")
    expect(shown).to_contain_text("Retry when less is running.")
    expect(shown.get_by_role("link", name=TITLE)).to_have_attribute("href", re.compile(f"release={failed.pk}"))
    monitor.expect(409)
    retry = shown.get_by_role("button", name=f"Retry {TITLE}")
    ready = Dataset.objects.get().state
    Dataset.objects.update(state=State.CANCELLED)
    retry.click()
    expect(shown).to_contain_text("The dataset must be ready, it is cancelled.")
    Dataset.objects.update(state=ready)
    retry.click()
    expect(shown).to_contain_text("waiting for a worker")
    run_jobs()
    expect(shown.locator("[data-jobs-over]")).to_contain_text("done")
    assert Release.objects.get().state == State.DONE

    Release.objects.update(dismissed=True)
    fail("uniform", "skip")  # by keyboard alone, focus is never lost
    page.reload()
    expect(button(page)).to_contain_text("2 jobs failed")
    button(page).focus()
    page.keyboard.press("Enter")
    tab_to(page, shown.get_by_role("button", name=re.compile("^Dismiss (?!all)")).first)
    page.keyboard.press("Enter")
    over = page.locator("[data-jobs-over] .job")
    expect(over).to_have_count(1)
    expect(over.get_by_role("button", name=re.compile("^Retry"))).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("[data-jobs-ended]")).to_be_hidden()
    expect(page.get_by_role("heading", name="Jobs", exact=True)).to_be_focused()
    page.keyboard.press("Escape")
    expect(shown).to_be_hidden()
    expect(button(page)).to_be_focused()

    fail("uniform", "uniform", "skip")
    page.reload()
    button(page).click()
    shown.get_by_role("button", name="Dismiss all").click()
    expect(shown.locator("[data-jobs-ended]")).to_be_hidden()
    expect(button(page)).to_have_text(re.compile("^Jobs"))
    assert not Release.objects.filter(state=State.FAILED, dismissed=False).exists()
    page.reload()
    button(page).click()
    expect(shown).to_contain_text("No jobs are waiting or running")  # remembered
    expect(shown.locator("[data-jobs-ended]")).to_be_hidden()


def test_it_polls_ever_less_without_changes_and_is_quick_after_one(page, make_release):
    page.add_init_script(WAITS)
    page.goto("/", wait_until="domcontentloaded")
    page.wait_for_function("() => waits.length >= 5")
    assert page.evaluate("waits.slice(0, 5)") == [15_000, 30_000, 60_000, 120_000, 120_000], "idle"
    make_release()
    page.wait_for_function("() => waits.at(-1) === 5000")
    assert page.evaluate("waits.slice(waits.indexOf(1000))")[:3] == [1000, 1250, 1562.5]
    make_release("skip")
    page.wait_for_function("() => waits.slice(waits.indexOf(5000)).includes(1000)")
    page.evaluate(HIDE, True)
    page.wait_for_load_state("networkidle")  # half a second without a request: a hidden page polls nothing
    run_jobs()
    page.evaluate(HIDE, False)
    button(page).click()
    expect(drawer(page).locator("[data-jobs-over] .job")).to_have_count(2)
