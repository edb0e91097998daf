"""The whole of it as one person does it: `manage.py run` with its broker and worker, Chromium, a file from end to end.

The file is large enough that import and releases are real jobs, whose progress can be watched.
"""

import io
import json
import os
import re
import signal
import zipfile
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

from privacy_engine import formats
from tests.browser.actions import act_on, downloaded
from tests.browser.browser_profiles import PageMonitor, Profile
from tests.browser.conftest import DESKTOP
from tests.browser.landmark_editor import draw_polygon, marked
from tests.browser.rendering import expect_painted, layers, lines, painted, pick, wait_until_ready
from tests.browser.test_steps import only
from tests.patience import patience
from tests.server import running_server

EVENTS = 50_000
BOTH = ["Skip", "Uniform"]
SOON_MS = 60_000  # for what a slow machine shows after some seconds
ZONE = [(0.35, 0.35), (0.65, 0.35), (0.65, 0.65), (0.35, 0.65)]
WAIT_MS = 180_000
SEEN = """
  const record = (detail) => {
    const seen = JSON.parse(sessionStorage.getItem("seen") ?? "[]");
    const drawer = document.querySelector("[data-jobs-list]")?.textContent ?? "";
    const jobs = detail.map(({ id, kind, state, progress }) => ({ id, kind, state, progress }));
    seen.push({ jobs, drawer });
    sessionStorage.setItem("seen", JSON.stringify(seen));
  };
  document.addEventListener("cairn:progress", ({ detail }) => record(detail));
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Its worker is held for a while, and must not be taken for dead."""
    with running_server(tmp_path_factory.mktemp("cairn"), CAIRN_LEASE_S="900") as running:
        yield running


@pytest.fixture
def page(browser, server):
    """Its owner, who came by the link it printed; every request and every violation is watched."""
    monitor = PageMonitor(server.address)
    page = Profile(browser, server.address, {"viewport": DESKTOP}).new_page(monitor)
    page.add_init_script(SEEN)
    page.set_default_timeout(patience(60_000))
    page.goto(server.link)
    page.wait_for_url(f"{server.address}/")
    yield page
    page.context.close()
    assert not monitor.faults, "\n".join(monitor.faults)


def walk_file(folder):
    """Hours of steps over a city, one a second, from a fixed seed; more text than is read while the browser waits."""
    rng = np.random.default_rng(7)
    lat, lon = (centre + np.cumsum(rng.normal(0, 2e-5, EVENTS)) for centre in (48.8566, 2.3522))
    path = folder / "hours.csv"
    times = range(1_714_550_400, 1_714_550_400 + EVENTS)
    rows = (f"{t},{y:.6f},{x:.6f}{' ' * 60}\n" for t, y, x in zip(times, lat, lon, strict=True))
    path.write_text("time,lat,lon\n" + "".join(rows))
    assert path.stat().st_size > 4_000_000
    return path


def signal_worker(server, number):
    for pid in server.process_ids("[cairn-worker]"):
        os.kill(pid, number)


def open_drawer(page):
    """The drawer's list of what waits and runs."""
    if not page.locator("#jobs").is_visible():
        page.locator("[data-jobs-button]").click()
    return page.locator("[data-jobs-list]")


def upload(page, server, file):
    """The dataset's address, once its import is watched to the end."""
    signal_worker(server, signal.SIGSTOP)
    page.set_input_files("input[type=file]", file)
    card = page.get_by_role("article", name=file.name)
    expect(card).to_contain_text("Waiting for a worker", timeout=SOON_MS)
    expect(open_drawer(page)).to_contain_text("waiting for a worker", timeout=SOON_MS)
    page.keyboard.press("Escape")
    signal_worker(server, signal.SIGCONT)
    link = card.get_by_role("link", name=re.compile("^Open"))
    expect(link).to_be_visible(timeout=WAIT_MS)
    link.click()
    page.wait_for_url("**/datasets/*/")
    return page.url


def mark_zone(page, dataset):
    """Landmarks from a zone drawn by hand; how many."""
    page.goto(f"{dataset}landmarks/new/")
    wait_until_ready(page, "[data-editor]")
    stays = page.locator("[data-count]").inner_text()
    draw_polygon(page, ZONE)
    expect(page.locator(".zone")).to_have_count(1, timeout=SOON_MS)
    assert painted(page, "zones") > 500
    page.wait_for_function(
        "(stays) => !['0', stays].includes(document.querySelector('[data-count]').textContent)", arg=stays
    )
    count = marked(page)
    assert 0 < count < EVENTS
    page.get_by_label("Name").fill("Around the start")
    page.get_by_role("button", name="Save and release").click()
    page.wait_for_url("**/releases/new/**")
    return count


def compose(page):
    """Two mechanisms as an experiment."""
    wait_until_ready(page, "[data-form]")
    pick(page.get_by_role("radio", name="Seeded simulation"))
    page.get_by_label("Privacy level ε", exact=True).fill("1")
    page.get_by_label("Radius r, m", exact=True).fill("50")
    only(page, *BOTH)
    expect(page.locator("[data-forecast] > tbody")).to_have_count(2, timeout=SOON_MS)


def run(page, server):
    """Send the form, wait for both, and return the API’s data of them in the order of the mechanisms."""
    signal_worker(server, signal.SIGSTOP)
    page.get_by_role("button", name="Run 2 simulations, not private").click()
    page.wait_for_url("**/compare/**")
    ids = re.findall("release=([0-9a-f-]{36})", page.url)
    assert len(ids) == 2
    watch_to_the_end(page, server, ids)
    page.wait_for_selector("[data-bench][data-ready=all]", timeout=WAIT_MS)
    page.get_by_role("button", name="Show all layers").click()
    page.wait_for_selector("[data-bench][data-charts='2']", timeout=WAIT_MS)
    releases = [page.request.get(f"/api/v1/releases/{one}/").json() for one in ids]
    assert [one["state"] for one in releases] == ["done"] * 2
    return sorted(releases, key=lambda one: BOTH.index(one["title"].split(" · ")[0]))


def watch_to_the_end(page, server, ids):
    """The drawer's texts while two jobs wait, run and end; each one's share only grows."""
    drawer = open_drawer(page)
    expect(drawer.get_by_text("waiting for a worker")).to_have_count(2, timeout=SOON_MS)
    page.evaluate("sessionStorage.removeItem('seen')")
    signal_worker(server, signal.SIGCONT)
    while "running" not in (states := [job["state"] for job in page.request.get("/api/v1/jobs/").json()["results"]]):
        assert states, "all ended before one was seen to run"
    signal_worker(server, signal.SIGSTOP)
    expect(drawer).to_contain_text(re.compile(r"· \d+\s%"), timeout=SOON_MS)
    expect(drawer.get_by_role("progressbar").first).to_be_visible(timeout=SOON_MS)
    signal_worker(server, signal.SIGCONT)
    over = page.locator("[data-jobs-over]")
    for one in ids:
        expect(over.locator(f"[data-job='{one}']")).to_contain_text("done", timeout=WAIT_MS)
    page.keyboard.press("Escape")
    observations = json.loads(page.evaluate("sessionStorage.getItem('seen')"))
    assert {job["id"] for observation in observations for job in observation["jobs"]} >= set(ids)
    for one in ids:
        shares = [job["progress"] for observation in observations for job in observation["jobs"] if job["id"] == one]
        assert shares == sorted(shares)
    for observation in observations:
        for job in observation["jobs"]:
            if job["state"] == "running":
                assert f"{min(int(job['progress'] * 100), 99)}\u202f%" in observation["drawer"], observation


@pytest.mark.timeout(900)
def test_from_a_file_to_releases(page, server, tmp_path):
    dataset = upload(page, server, walk_file(tmp_path))
    count = mark_zone(page, dataset)
    compose(page)
    first = run(page, server)

    shown = layers(page)
    assert list(shown)[:3] == ["Original", *BOTH]
    for title in ("Original", "Skip"):  # the noise of the others lies far outside of what is seen first
        expect_painted(page, shown[title], lambda pixels: pixels > 50)
    for chart in lines(page):
        assert [line["name"] for line in chart] == BOTH
        assert all(line["points"] > 100 and line["visible"] for line in chart), chart
    assert {one["summary"]["landmarks"] for one in first} == {count}
    menu = act_on(page, first[0]["title"], "Download")
    started = downloaded(menu.get_by_role("link", name=re.compile("as ZIP")))
    archive = zipfile.ZipFile(started.path())
    assert archive.testzip() is None
    files = {Path(name).suffix: archive.read(name) for name in archive.namelist()}
    assert files.keys() >= {".csv", ".geojson", ".gpx", ".parquet", ".json", ".txt"}
    (table,) = formats.read(io.BytesIO(files[".csv"]), name="release.csv").series
    assert len(table) == EVENTS
    assert b"NOT PRIVATE" in files[".csv"]
