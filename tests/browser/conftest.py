"""A browser before the running server. Every page is watched: nothing leaves for another host, nothing breaks."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from celery import current_app
from django.conf import settings
from django.core.cache import cache
from django.db import close_old_connections, connections
from django.test import Client
from playwright.sync_api import Browser, Locator, Page, Playwright, expect, sync_playwright

from dashboard.accounts.models import User
from dashboard.jobs import models as job_models
from dashboard.jobs.models import State
from tests.browser.given import WALK, elsewhere, served, stays, taxi, walk  # noqa: F401
from tests.browser.profiles import Profiles, Watch
from tests.patience import patience

os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"  # Playwright's loop runs in this thread; we do nothing async
FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--process-per-site",
]
PATIENCE_MS = patience(20_000)
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
DESKTOP = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of this folder ``browser``, and ``slow`` unless it is marked ``journey``."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("browser")
            if item.get_closest_marker("journey") is None:
                item.add_marker("slow")


def find_browser(playwright: Playwright) -> str | None:
    """BROWSER_PATH, then a Chromium on the PATH, then Playwright's own; None where there is none."""
    named = [os.environ.get("BROWSER_PATH"), *map(shutil.which, NAMES), playwright.chromium.executable_path]
    return next((path for path in named if path and Path(path).exists()), None)


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """The system's Chromium; without one the tests are skipped, and on CI that is an error."""
    path = find_browser(playwright)
    if path is None:
        words = "no Chromium: install one, or name it in BROWSER_PATH"
        if os.environ.get("CI") == "1":
            pytest.fail(words)
        pytest.skip(words)
    running = playwright.chromium.launch(executable_path=path, args=FLAGS)
    yield running
    running.close()


@pytest.fixture(scope="session")
def profiles(browser: Browser) -> Profiles:
    return Profiles(browser)


@pytest.fixture(autouse=True)
def clean_home() -> Iterator[None]:
    """Every test starts and ends with no files of datasets and releases, and with all its requests left."""
    cache.clear()
    yield
    for room in ("datasets", "releases", "experiments", "attacks", "blocks", "uploads", "tmp"):
        shutil.rmtree(Path(settings.CAIRN_HOME) / room, ignore_errors=True)


@pytest.fixture
def owner(transactional_db: None) -> User:
    """Who owns what the tests are about."""
    return User.objects.create_user("owner", password="a long walk along the Seine")


@pytest.fixture
def watch(live_server: Any) -> Watch:
    return Watch(live_server.url)


@pytest.fixture
def open_page(profiles: Profiles, live_server: Any, watch: Watch) -> Iterator[Callable[..., Page]]:
    """``open_page(user=None, colour="light", size=DESKTOP)``: a page of a browser profile that knows nothing yet."""

    def make(user: User | None = None, *, colour: str = "light", size: dict[str, int] = DESKTOP, **more: Any) -> Page:
        page = profiles.lend(watch, viewport=size, color_scheme=colour, **more)
        if user is not None:
            page.context.add_cookies([session_of(user, live_server.url)])
        page.set_default_timeout(PATIENCE_MS)
        return page

    yield make
    profiles.take_back()
    assert not watch.faults, "\n".join(watch.faults)


def session_of(user: User, url: str) -> Any:
    """A session's cookie, without going through the login page."""
    client = Client()
    client.force_login(user)
    name = settings.SESSION_COOKIE_NAME
    return {"name": name, "value": client.cookies[name].value, "url": url}


@pytest.fixture
def page(open_page: Callable[..., Page], owner: User) -> Page:
    """The owner at a desk, in light."""
    return open_page(owner)


@pytest.fixture
def phone(open_page: Callable[..., Page], owner: User) -> Page:
    """The owner with a phone in the hand."""
    return open_page(owner, size=PHONE, has_touch=True, is_mobile=True)


def work_off() -> int:
    """Do every waiting job, and those they make, here and now, as a worker would; how many there were."""
    current_app.loader.import_default_modules()
    done = 0
    while waiting := [(model, pk) for model in job_models.models_of() for pk in _waiting(model)]:
        for model, pk in waiting:
            current_app.tasks[model.TASK](str(pk))
        done += len(waiting)
    return done


def _waiting(model: type[job_models.Job]) -> list[Any]:
    return list(model._default_manager.filter(state=State.QUEUED).values_list("pk", flat=True))


@pytest.fixture
def worker(live_server: Any, transactional_db: None) -> Iterator[None]:
    """Jobs are done as they come, in a thread beside the server."""
    stop = threading.Event()

    def loop() -> None:
        while not stop.wait(0.05):
            close_old_connections()
            work_off()
        connections.close_all()

    thread = threading.Thread(target=loop, name="worker")
    thread.start()
    yield
    stop.set()
    thread.join()


# an animation that repeats for ever is never over, and one of a hidden element may not be either
ANIMATIONS_OVER = """() => {
    const ending = document.getAnimations().filter((one) => one.effect.getComputedTiming().endTime < Infinity);
    const over = Promise.allSettled(ending.map((one) => one.finished));
    return Promise.race([over, new Promise((resolve) => setTimeout(resolve, 2000))]).then(() => null);
}"""


def accessibility_faults(page: Page, *rules: str) -> list[str]:
    """What axe finds wrong on the page as it is now, by all its rules or these."""
    page.evaluate(ANIMATIONS_OVER)  # half faded is no contrast
    options = {"resultTypes": ["violations"], **({"runOnly": rules} if rules else {})}
    found = Axe().run(page, options=options).response["violations"]
    return [f"{one['id']}: {node['html'][:160]} ({node['failureSummary']})" for one in found for node in one["nodes"]]


def widths(page: Page) -> tuple[int, int]:
    """How wide the document is, and how wide the window."""
    return tuple(page.evaluate("[document.documentElement.scrollWidth, innerWidth]"))


def table(name: str, body: bytes) -> dict[str, Any]:
    """A file as a file field takes it."""
    return {"name": name, "mimeType": "text/csv", "buffer": body}


def choose(page: Page, *files: Any) -> None:
    """Choose files on the list's page."""
    page.set_input_files("input[type=file]", list(files))


def card(page: Page, name: str) -> Locator:
    """What is said about one upload."""
    return page.get_by_role("article", name=name)
