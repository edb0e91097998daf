"""The comparison of a million points in a headless Chromium with software raster, beside Leaflet's own canvas polyline.

    python benchmarks/browser/large_map.py [POINTS] [RELEASES]

One run measures both on the same arrays, size and machine: the first rendering after the data arrived, pans, zooms
and the heap. Times are until the frame after the one that painted, so about a frame of them is waiting.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))  # run from the checkout, not installed

HERE = Path(__file__).parent
SIZE = {"width": 1440, "height": 900}
MOVES = 12
MECHANISM = {"name": "event-level", "epsilon": 1.0, "radius_m": 200.0}


def walk(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Days in a city, a position every ten seconds: streets, turns, and a third of the time at rest."""
    rng = np.random.default_rng(20)
    heading = np.cumsum(rng.normal(0, 0.12, n)) + np.pi / 2 * rng.integers(0, 4, n // 200 + 1).repeat(200)[:n]
    rests = np.repeat(rng.random(n // 500 + 1) < 0.33, 500)[:n]
    step_m = np.abs(rng.normal(30, 12, n)) * ~rests
    reach = 25_000.0
    east, north = (_folded(np.cumsum(step_m * turn(heading)) + rng.normal(0, 4, n), reach) for turn in (np.sin, np.cos))
    return 2.35 + east / (111_320 * np.cos(np.radians(48.85))), 48.85 + north / 111_320, 1.7e9 + 10.0 * np.arange(n)


def _folded(x: np.ndarray, reach: float) -> np.ndarray:
    """Back at the city's edge."""
    return np.abs((x + reach) % (4 * reach) - 2 * reach) - reach


@contextmanager
def cairn(points: int, releases: int) -> Iterator[tuple[str, Any, Any]]:
    """A Cairn of its own with one dataset, its landmarks and its releases: address, user, dataset."""
    with tempfile.TemporaryDirectory(prefix="cairn-bench-") as home:
        os.environ |= {"CAIRN_HOME": home, "DJANGO_SETTINGS_MODULE": "dashboard.config.settings", "CAIRN_LOG": "ERROR"}
        os.environ |= {"DJANGO_ALLOW_ASYNC_UNSAFE": "true", "REDIS_URL": "redis://127.0.0.1:1/0"}
        import django

        django.setup()
        from django.core.management import call_command
        from waitress.server import create_server

        from dashboard.accounts.models import User
        from dashboard.config.wsgi import application

        call_command("migrate", verbosity=0)
        user = User.objects.create_user("researcher")
        dataset = filled(user, points, releases)
        server = create_server(application, host="127.0.0.1", port=0, clear_untrusted_proxy_headers=True)
        threading.Thread(target=server.run, daemon=True).start()
        yield f"http://127.0.0.1:{server.effective_port}", user, dataset
        server.close()


def filled(user: Any, points: int, releases: int) -> Any:
    from django.utils import timezone

    from dashboard.datasets import execution
    from dashboard.datasets.models import Dataset
    from dashboard.jobs.models import State
    from dashboard.landmarks.services import mark_landmarks
    from dashboard.releases import execution as drawing
    from dashboard.releases.services import submit_release
    from privacy_engine.data import Trajectory
    from privacy_engine.mechanisms import landmark  # noqa: F401  (registers the mechanisms)
    from privacy_engine.releases.spec import ReleaseSpec

    row = Dataset(owner=user, name="A city", state=State.READY, progress=1.0, finished_at=timezone.now())
    for column, value in execution.store(row.folder, [Trajectory(*walk(points))], token=uuid.uuid4()).items():
        setattr(row, column, value)
    with row.original_path.written() as out:
        out.write(b"lon,lat\n")
    row.save(force_insert=True)
    events = (np.arange(0, points, points // 200)[:, None] + np.arange(min(50, points // 400))).ravel()
    marks = mark_landmarks(owner=user, dataset=row, method={"name": "manual", "events": events.tolist()})
    for _ in range(releases):
        spec = ReleaseSpec.parse({"mechanism": MECHANISM, "seed": None})
        release = submit_release(owner=user, dataset=row, landmark_set=marks, spec=spec)
        drawing.run(release.pk)
        release.refresh_from_db()
        assert release.state == State.DONE, release.error
    return row


class Bench:
    """Pages of one browser, and their measurements."""

    def __init__(self, browser: Any, address: str, cookie: Any) -> None:
        self.browser, self.address, self.cookie = browser, address, cookie

    def page(self) -> Any:
        context = self.browser.new_context(base_url=self.address, viewport=SIZE, reduced_motion="reduce")
        context.add_cookies([self.cookie])
        context.add_init_script(path=HERE / "measure.js")
        return context.new_page()

    def heap_mb(self, page: Any) -> float:
        """Objects and typed arrays after a collection, in 10^6 bytes."""
        session = page.context.new_cdp_session(page)
        session.send("HeapProfiler.collectGarbage")
        used = session.send("Runtime.getHeapUsage")
        session.detach()
        return (used["usedSize"] + used.get("backingStorageSize", 0)) / 1e6

    def moves(self, page: Any, keys: list[str]) -> dict[str, float]:
        """The median of the milliseconds until each move is seen; the browser's own, of all its processes, per move."""
        began = browser_cpu_s()
        passed = [page.evaluate("(key) => measure.key(key)", key) for key in keys]
        return {"passed": statistics.median(passed), "cpu": 1e3 * (browser_cpu_s() - began) / len(keys)}


def browser_cpu_s() -> float:
    """Seconds of processor time of every Chromium process below this one."""
    parents, spent = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has just ended
        parents[int(folder.name)], spent[int(folder.name)] = int(fields[1]), int(fields[11]) + int(fields[12])

    def below(pid: int) -> bool:
        return pid == os.getpid() or (pid in parents and below(parents[pid]))

    return sum(ticks for pid, ticks in spent.items() if pid != os.getpid() and below(pid)) / os.sysconf("SC_CLK_TCK")


PANS = ["ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"] * (MOVES // 4)
ZOOMS = ["+"] * (MOVES // 2) + ["-"] * (MOVES // 2)
FEW = 4  # moves of the slow side: it takes minutes for more


def measure_cairn(bench: Bench, dataset: Any) -> dict[str, Any]:
    page = bench.page()
    page.goto(f"/datasets/{dataset.pk}/compare/")
    page.wait_for_selector("[data-bench][data-ready=all]", timeout=120_000)
    measured = page.evaluate("() => measure.firsts()")
    page.wait_for_timeout(500)
    found = {name: measured[name] for name in ("first", "early", "whole", "ready")} | {"kB": measured["bytes"] / 1e3}
    found |= {"pan": bench.moves(page, PANS), "zoom": bench.moves(page, ZOOMS)}
    found["heap"] = bench.heap_mb(page)
    found["longest"] = page.evaluate("() => Math.max(0, ...measure.tasks)")
    page.context.close()
    return found


def measure_leaflet(bench: Bench, dataset: Any) -> dict[str, Any]:
    page = bench.page()
    page.goto(f"/datasets/{dataset.pk}/compare/")
    page.wait_for_selector("[data-bench][data-ready=all]", timeout=120_000)
    names = page.evaluate("() => measure.sources()")
    page.goto("/tokens/")
    page.add_script_tag(url=names["leaflet"])
    page.add_style_tag(url=names["style"])
    found = {"first": page.evaluate("(names) => measure.leaflet(names)", names)}
    found |= {"pan": bench.moves(page, PANS[:FEW]), "zoom": bench.moves(page, ["+", "+", "-", "-"])}
    found["heap"] = bench.heap_mb(page)
    page.context.close()
    return found


def line(title: str, ours: float, theirs: float | None, unit: str, limit: str = "") -> None:
    beside = "" if theirs is None else f"{theirs:10.0f} {unit:3}{theirs / ours:7.1f} x"
    print(f"{title:42}{ours:8.0f} {unit:3}{beside:>24}  {limit}")


def main(points: int, releases: int) -> None:
    with cairn(points, releases) as (address, user, dataset):
        from playwright.sync_api import sync_playwright

        from tests.browser.chromium import FLAGS, find_browser
        from tests.browser.conftest import session_of

        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=find_browser(playwright), args=FLAGS)
            bench = Bench(browser, address, session_of(user, address))
            ours = measure_cairn(bench, dataset)
            print("Cairn, before Leaflet's turn:", ours, flush=True)
            theirs = measure_leaflet(bench, dataset)
            browser.close()
    print(f"{points:,} points and {releases} release(s) of as many; {SIZE['width']}x{SIZE['height']}")
    print(f"{'':42}{'Cairn':>11}{'Leaflet polyline':>24}")
    line("first rendering after the data arrived", ours["first"], theirs["first"], "ms", "limit 1000")
    for name in ("pan", "zoom"):
        line(
            f"{name} until it is seen, median of {MOVES} ({FEW})",
            ours[name]["passed"],
            theirs[name]["passed"],
            "ms",
            "limit 120",
        )
        line(f"{name}, processor time of the browser", ours[name]["cpu"], theirs[name]["cpu"], "ms")
    line("heap with typed arrays, after a collection", ours["heap"], theirs["heap"], "MB", "limit 120")
    if ours["early"] is not None:
        line("rendering of the original, from the start", ours["early"], None, "ms")
    line("the original itself, from the start", ours["whole"], None, "ms")
    line("page with charts ready", ours["ready"], None, "ms")
    line("longest task", ours["longest"], None, "ms")
    line("tracks over the wire", ours["kB"], None, "kB")


if __name__ == "__main__":
    main(*(int(float(one)) for one in (sys.argv[1:] + ["1e6", "1"][len(sys.argv) - 1 :])))
