"""A browser and the running server. Every page is monitored: no request to another host, no error."""

import itertools
import json
import os
import re
import shutil
import threading
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.cache import cache
from django.db import close_old_connections, connections
from django.http import HttpResponse
from django.test import Client
from django.test.testcases import FSFilesHandler, _StaticFilesHandler
from playwright.sync_api import expect, sync_playwright

from dashboard.accounts.models import User
from dashboard.core import static_files
from tests.browser.browser_profiles import PageMonitor, Profiles
from tests.browser.chromium import FLAGS, find_browser
from tests.browser.fixtures import WALK, elsewhere, pair, seeded_pair, served, stays, taxi, walk  # noqa: F401
from tests.browser.fixtures import csv_file as table
from tests.browser.jobs import run_jobs
from tests.patience import patience

os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"  # Playwright's loop runs in this thread; we do nothing async
AXE = Axe().axe_script
OFF_BY_DEFAULT = ("target-size", "label-content-name-mismatch")
"""Rules of axe that are checked as well."""
FOLDERS = (
    "datasets", "releases", "events", "experiments", "attacks", "blocks", "uploads", "base-maps", "area-maps", "tmp",
    "publications",
)  # fmt: skip
"""Of data, in CAIRN_HOME."""
PATIENCE_MS = patience(20_000)
DESKTOP = {"width": 1440, "height": 900}
_NUMBERS = itertools.count()
PHONE = {"width": 390, "height": 844}


def pytest_collection_modifyitems(items):
    """Mark what needs a browser ``browser``, and ``slow`` unless it is a ``journey``."""
    for item in items:
        if Path(__file__).parent in item.path.parents and "browser" in item.fixturenames:
            item.add_marker("browser")
            if item.get_closest_marker("journey") is None:
                item.add_marker("slow")


@pytest.fixture(scope="session")
def playwright():
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="session")
def browser(playwright):
    """The system's Chromium; without one the tests are skipped, and on CI that is an error."""
    path = find_browser(playwright)
    if path is None:
        message = "no Chromium: install one, or name it in BROWSER_PATH"
        if os.environ.get("CI") == "1":
            pytest.fail(message)
        pytest.skip(message)
    running = playwright.chromium.launch(executable_path=path, args=FLAGS)
    yield running
    running.close()


@pytest.fixture(scope="session")
def collected():
    """The static files as a server has them: pages get what users get."""
    with pytest.MonkeyPatch.context() as patch:
        storage = static_files.JoinedStaticFilesStorage()
        patch.setattr(staticfiles_storage, "_wrapped", storage)
        static_files.collect()
    return storage


@pytest.fixture(scope="session")
def profiles(browser, collected):
    """Profiles that keep scripts and styles, whose names change with them."""

    def kept(handler, request):
        if part := re.fullmatch(r"bytes=(\d+)-(\d+)", request.headers.get("Range", "")):
            file = Path(settings.STATIC_ROOT, handler.file_path(request.path)).read_bytes()
            response = HttpResponse(file[int(part[1]) : int(part[2]) + 1], status=206)
        else:
            response = FSFilesHandler.serve(handler, request)
        response["Cache-Control"] = "max-age=3600"
        return response

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_StaticFilesHandler, "serve", kept, raising=False)
        yield Profiles(browser)


@pytest.fixture(autouse=True)
def collected_names(request, monkeypatch):
    """Pages name the files that are collected."""
    if "browser" in request.fixturenames:
        monkeypatch.setattr(staticfiles_storage, "_wrapped", request.getfixturevalue("collected"))


@pytest.fixture(autouse=True)
def clean_home():
    """Every test starts and ends with no files of datasets and releases, and with a full rate limit."""
    cache.clear()
    yield
    for folder in FOLDERS:
        shutil.rmtree(Path(settings.CAIRN_HOME) / folder, ignore_errors=True)


@pytest.fixture
def owner(transactional_db):
    """The owner of the data under test."""
    return User.objects.create_user("owner", password="a long walk along the Seine")


@pytest.fixture
def monitor(live_server):
    return PageMonitor(live_server.url)


@pytest.fixture
def session_cookie(settings):
    """A name for the session's cookie that no other test has.

    A closed page's requests may be answered in the next test, with a Set-Cookie that would delete its cookie.
    """
    settings.SESSION_COOKIE_NAME = f"session_{next(_NUMBERS)}"


@pytest.fixture
def open_page(profiles, live_server, monitor, session_cookie):
    """``open_page(user=None, colour="light", size=DESKTOP)``: a page of a browser profile without stored data."""

    def make(user=None, *, colour="light", size=DESKTOP, **more):
        page = profiles.new_page(monitor, viewport=size, color_scheme=colour, **more)
        if user is not None:
            page.context.add_cookies([session_of(user, live_server.url)])
        page.set_default_timeout(PATIENCE_MS)
        return page

    yield make
    profiles.reset_all()
    assert not monitor.faults, "\n".join(monitor.faults)


def session_of(user, url):
    """A session's cookie, without going through the login page."""
    client = Client()
    client.force_login(user)
    name = settings.SESSION_COOKIE_NAME
    return {"name": name, "value": client.cookies[name].value, "url": url}


@pytest.fixture
def page(open_page, owner):
    """A desktop page of the owner, in light colours."""
    return open_page(owner)


@pytest.fixture
def phone(open_page, owner):
    """A phone's page of the owner."""
    return open_page(owner, size=PHONE, has_touch=True, is_mobile=True)


@pytest.fixture
def worker(live_server, transactional_db):
    """Run jobs as they are queued, in a thread beside the server."""
    stop = threading.Event()

    def loop():
        while not stop.wait(0.2):
            close_old_connections()
            run_jobs()
        connections.close_all()

    thread = threading.Thread(target=loop, name="worker")
    thread.start()
    yield
    stop.set()
    thread.join()


# Half faded is no contrast: animations end first, but for those that never do or that are hidden, and what changes
# colour while axe reads (a button that is enabled meanwhile) changes at once. What a bar that sticks covers at this
# moment, scrolling shows: it is no target too small
RUN_AXE = """async (options) => {
  const ending = document.getAnimations().filter((one) => one.effect.getComputedTiming().endTime < Infinity);
  const over = Promise.allSettled(ending.map((one) => one.finished));
  await Promise.race([over, new Promise((resolve) => setTimeout(resolve, 2000))]);
  const atOnce = new CSSStyleSheet();
  atOnce.replaceSync("*, ::before, ::after { transition: none !important; }");
  document.adoptedStyleSheets.push(atOnce);
  const sticky = [...document.querySelectorAll("body *")].filter((one) => getComputedStyle(one).position === "sticky");
  const before = sticky.map((one) => one.style.position);
  for (const one of sticky) one.style.position = "relative";
  const { violations } = await axe.run(options);
  sticky.forEach((one, i) => (one.style.position = before[i]));
  document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== atOnce);
  return JSON.stringify(violations);
}"""


def accessibility_faults(page, *rules):
    """Return the violations that axe finds on the page in its present state, by all its rules or these."""
    chosen = {one: {"enabled": True} for one in OFF_BY_DEFAULT}
    if page.evaluate("!window.axe"):
        page.evaluate(AXE)
    options = {"resultTypes": ["violations"], **({"runOnly": list(rules)} if rules else {"rules": chosen})}
    found = json.loads(page.evaluate(RUN_AXE, options))
    return [f"{one['id']}: {node['html'][:160]} ({node['failureSummary']})" for one in found for node in one["nodes"]]


def faults_in_both_colours(page):
    """Return the violations of the page in its present state, and those of contrast in the other colours."""
    dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    own, other = ("dark", "light") if dark else ("light", "dark")
    faults = [f"{own}: {one}" for one in accessibility_faults(page)]
    page.emulate_media(color_scheme=other)
    faults += [f"{other}: {one}" for one in accessibility_faults(page, "color-contrast")]
    page.emulate_media(color_scheme=own)
    return faults


def widths(page):
    """Return the widths of the document and of the window, px."""
    return tuple(page.evaluate("[document.documentElement.scrollWidth, innerWidth]"))


def assert_fits(page):
    """Nothing on the page is wider than the window."""
    document, window = widths(page)
    assert document <= window


def check_page(page, *, both_colours=False):
    """Nothing is wider than the window, and axe finds nothing, in the page's colours or in light and in dark ones."""
    assert_fits(page)
    assert (faults_in_both_colours if both_colours else accessibility_faults)(page) == []


def choose(page, *files):
    """Choose files on the list's page."""
    page.set_input_files("input[type=file]", list(files))


def open_upload(page, name, body):
    """Upload a file on the list's page and open the dataset that is made of it."""
    page.goto("/")
    choose(page, table(name, body))
    page.get_by_role("link", name=f"Open {name}").click(timeout=3 * PATIENCE_MS)  # once it was read


def card(page, name):
    """The card of one upload."""
    return page.get_by_role("article", name=name)
