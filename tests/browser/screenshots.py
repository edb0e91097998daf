"""``make screenshots``: the images of docs/screenshots; those are taken again whose page has changed.

    python -m tests.browser.screenshots [NAME …]        (ALL=1: all of them)

Each has the names of the templates that its page rendered and of the scripts, styles and data that it loaded, and their
digest: tests/test_screenshots.py finds what is stale. What views and engine compute is no part of it. Noise and time
are the same in each run. Only generated data is shown: no real movements belong in a screenshot.
"""

import hashlib
import inspect
import json
import os
import sys
import tempfile
import threading
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

from PIL import Image
from PIL.PngImagePlugin import PngInfo

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "screenshots"
EXACT = 64  # colours of an image that stay as they are
PHONE = (390, 844)
NOW = datetime(2026, 12, 1, 9, 30, tzinfo=UTC)


@dataclass(frozen=True)
class Shot:
    """A page in a state (tests/browser/page_cases.py, page_states.py); ``presented`` to whoever uses it first."""

    case: str
    colour: str = "light"
    size: tuple[int, int] = (1440, 900)
    presented: bool = False
    step: object = None

    @property
    def described(self):
        """All of it, with the source of the step."""
        return repr(replace(self, step=self.step and inspect.getsource(self.step)))


def _downloads(page):
    from tests.browser.actions import act_on

    act_on(page, "Skip", "Download").locator("a[href*='format=csv']").scroll_into_view_if_needed()


def _first_zone(page):
    page.locator(".zone__head").first.click()


def _needed(page):
    """Wait for the level that the accepted error needs, which is computed last."""
    page.wait_for_function("() => document.querySelector('[data-accepted-text]').textContent.match(/→ [^…]/)")


def _evaluated(page):
    from tests.browser.jobs import run_jobs

    with page.expect_response(lambda answer: answer.request.method == "POST"):
        page.get_by_role("button", name="Evaluate").click()
    run_jobs()
    page.wait_for_selector("[data-chart] .js-plotly-plot")


def _usual_port(page):
    """In the command that sends counts: the port of the server is another each time."""
    commands = page.get_by_text(f":{page.url.split(':')[2].split('/')[0]}/")
    commands.evaluate_all(
        "(all) => all.forEach((one) => { one.textContent = one.textContent.replace(/:\\d+/, ':8000'); })"
    )


PRESENTED = {"presented": True}
SHOTS = {
    "first-1-upload": Shot("datasets", **PRESENTED),
    "first-2-landmarks": Shot("landmarks", **PRESENTED),
    "first-3-release": Shot("release", **PRESENTED, step=_needed),
    "first-4-compare": Shot("compare", **PRESENTED),
    "first-5-download": Shot("compare", **PRESENTED, step=_downloads),
    "compare-light": Shot("compare", **PRESENTED),
    "compare-dark": Shot("compare", "dark", **PRESENTED),
    "compare-phone": Shot("compare", size=PHONE, **PRESENTED),
    "compare-attack-light": Shot("compare-attack", **PRESENTED),
    "compare-swipe-light": Shot("compare-swipe", **PRESENTED),
    "numbers-light": Shot("numbers", **PRESENTED),
    "release-light": Shot("release", step=_needed),
    "release-dark": Shot("release", "dark", step=_needed),
    "release-phone": Shot("release", size=PHONE, **PRESENTED, step=_needed),
    "stream-release-light": Shot("stream-release", step=_needed),
    "experiment-dark": Shot("experiment", "dark"),
    "zones-dark": Shot("zones", "dark", step=_first_zone),
    "no-datasets-phone": Shot("no-datasets", size=PHONE),
    "checkins-compare-light": Shot("checkins-compare", step=_evaluated),
    "live-stream-light": Shot("live-stream", step=_usual_port),
    **{
        f"{name}-light": Shot(name)
        for name in (
            *("experiment", "import", "dataset", "dummies", "new-experiment", "stream-compare"),
            *("recommend", "audit", "explain", "project", "public-trajectory", "jobs"),
            "owners-report",
        )
    },
}


class _Clock:
    """A hundredth of a second passes at each look, until it stops at NOW."""

    def __init__(self):
        self._now, self._step = NOW - timedelta(minutes=1), timedelta(seconds=0.01)

    def __call__(self):
        self._now += self._step
        return self._now

    def stop(self):
        self._now, self._step = NOW, timedelta()


@contextmanager
def cairn():
    """A server with every state of the data: its address, the data, and a set of the templates that were rendered."""
    with ExitStack() as kept:
        os.environ |= {
            "CAIRN_HOME": kept.enter_context(tempfile.TemporaryDirectory(prefix="cairn-screenshots-")),
            "DJANGO_SETTINGS_MODULE": "dashboard.config.settings",
            "CAIRN_LOG": "CRITICAL",
            "DJANGO_ALLOW_ASYNC_UNSAFE": "true",
            "REDIS_URL": "redis://127.0.0.1:1/0",
        }
        clock = _Clock()
        kept.enter_context(patch("django.utils.timezone.now", clock))  # before models take it as a default
        import django

        django.setup()
        from django.core.management import call_command
        from django.test.signals import template_rendered
        from django.test.utils import setup_test_environment
        from waitress.server import create_server

        from tests.browser.sample_states import SampleStates

        kept.enter_context(_same_noise())
        kept.enter_context(_files_as_written())
        kept.enter_context(patch("dashboard.jobs.workers.answering", return_value=1))  # as where Cairn runs
        call_command("migrate", verbosity=0)
        stage = SampleStates()
        stage.add_every_state()
        present(stage)
        clock.stop()
        from dashboard.config.wsgi import application  # after the tests' modules: it defers the REST framework's own

        setup_test_environment(debug=False)  # sends a signal of each template that is rendered
        rendered = set()
        template_rendered.connect(lambda template, **_: rendered.add(template.origin.name), weak=False)
        server = create_server(application, host="127.0.0.1", port=0)
        threading.Thread(target=server.run, daemon=True).start()
        kept.callback(server.close)
        yield f"http://127.0.0.1:{server.effective_port}", stage, rendered


def _same_noise():
    """Releases that draw the same in each run without a seed, which pages would show."""
    import numpy as np

    from privacy_engine.noise import sources

    generator = np.random.default_rng(0)

    def urandom(size):
        return generator.integers(0, 2**64, size=size // 8, dtype=np.uint64).tobytes()

    return patch.object(sources, "os", SimpleNamespace(urandom=urandom))


def _files_as_written():
    """Scripts and styles one by one, not joined: a page loads what it is made from."""
    from django.conf import settings
    from django.test import override_settings

    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    served = {"WHITENOISE_USE_FINDERS": True, "WHITENOISE_AUTOREFRESH": True}
    return override_settings(STORAGES=settings.STORAGES | {"staticfiles": plain}, **served)


def present(stage):
    """Add a user with the samples and releases of one of them, as whoever follows the README has."""
    from dashboard.accounts.models import User
    from dashboard.accounts.services import show_tour
    from dashboard.attacks.services import submit_attack
    from dashboard.landmarks.generated_samples import load_samples
    from privacy_engine.attacks import attacks
    from tests.browser.conftest import run_jobs
    from tests.browser.sample_states import HOME_WORK
    from tests.dashboard.release_runs import submitted

    stage.presenter = User.objects.create_user("ada")
    for user in (stage.presenter, stage.researcher):
        show_tour(user=user, shown=False)
    stage.presented = next(row for row in load_samples(owner=stage.presenter) if "Taxi" in row.name)
    for name in ("landmark-skip", "landmark-joint", "landmark-uniform"):
        given = {} if name != "landmark-joint" else {"step_variance_m2": 250_000.0}
        submitted(stage.presented.landmark_sets.get(), {"name": name, "epsilon": 1.0, "radius_m": 200.0, **given})
    run_jobs()
    skip = stage.presented.releases.get(mechanism="landmark-skip")
    stage.attack, _ = submit_attack(owner=stage.presenter, release=skip, attack=attacks.parse(HOME_WORK))
    run_jobs()


def main(names):
    from playwright.sync_api import sync_playwright

    wanted = {name: SHOTS[name] for name in names or (SHOTS if os.environ.get("ALL") else stale())}
    for path in FOLDER.glob("*.png"):
        if path.stem not in SHOTS:
            path.unlink()
    if not wanted:
        return
    with cairn() as (address, stage, rendered), sync_playwright() as playwright:
        from tests.browser.chromium import FLAGS, find_browser

        browser = playwright.chromium.launch(executable_path=find_browser(playwright), args=FLAGS)
        for name, shot in wanted.items():
            rendered.clear()
            png, loaded = taken(browser, shot, stage, address)
            image, about = with_palette(png), PngInfo()
            files = sources(rendered, loaded)
            about.add_text("sources", json.dumps(files), zip=True)
            about.add_text("digest", digest(shot, files))
            image.save(FOLDER / f"{name}.png", optimize=True, pnginfo=about)
        browser.close()


def taken(browser, shot, stage, address):
    """The screenshot of one page, once it is complete, and the addresses that the page loaded."""
    from tests.browser.page_cases import CASES, visit
    from tests.browser.page_states import STATES
    from tests.patience import patience

    opened = {name: (of, act) for of, states in STATES.items() for name, act in states.items()}
    name, step = opened.get(shot.case, (shot.case, shot.step))
    case = next(case for case in CASES if case.name == name)
    if shot.presented:
        case = replace(case, who="presenter", of=case.of and "presented")
    width, height = shot.size
    device = {"has_touch": True, "is_mobile": True} if shot.size == PHONE else {}
    size = {"width": width, "height": height}
    context = browser.new_context(base_url=address, viewport=size, color_scheme=shot.colour, **device)
    loaded = set()
    context.on("request", lambda request: loaded.add(request.url.partition("?")[0].removeprefix(f"{address}/")))
    page = context.new_page()
    page.clock.set_fixed_time(NOW)
    page.set_default_timeout(patience(120_000))
    visit(page, case, stage, address)
    if step:
        step(page)
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(400)  # what moves has moved, what is drawn is painted
    png = page.screenshot(animations="disabled")
    context.close()
    return png, loaded


def sources(rendered, loaded):
    """Of the files of templates and the paths of requests those in ``templates`` and ``static``, sorted."""
    folders, files = (ROOT / "templates", ROOT / "static"), {Path(file) for file in rendered}
    files |= {ROOT / path for path in loaded}
    ours = (file for file in files if file.is_file() and any(file.is_relative_to(folder) for folder in folders))
    return sorted(str(file.relative_to(ROOT)) for file in ours)


def digest(shot, files):
    """The SHA-256 of what an image is made from; empty where a file is gone."""
    made = hashlib.sha256(shot.described.encode())
    for name in files:
        if not (ROOT / name).is_file():
            return ""
        made.update((ROOT / name).read_bytes())
    return made.hexdigest()


def stale():
    """The names of the images that are not there, or not of the page of today."""
    return [name for name, shot in SHOTS.items() if not _is_of_today(FOLDER / f"{name}.png", shot)]


def _is_of_today(path, shot):
    if not path.is_file():
        return False
    with Image.open(path) as image:
        known = image.text
    return known.get("digest") == digest(shot, json.loads(known.get("sources", "[]"))) != ""


def with_palette(png):
    """The image in 256 colours: its most frequent ones, and the most frequent of each 16th of red, green and blue.

    So the colour of a line or of a legend stays, however few pixels it has.
    """
    image = Image.open(BytesIO(png)).convert("RGB")
    frequent = [colour for _, colour in sorted(image.getcolors(image.width * image.height) or [], reverse=True)]
    first = {}
    for colour in frequent:
        first.setdefault(tuple(value // 16 for value in colour), colour)
    chosen = dict.fromkeys([*frequent[:EXACT], *first.values()])
    palette = Image.new("P", (1, 1))
    palette.putpalette([value for colour in [*chosen][:256] for value in colour])
    return image.quantize(palette=palette, dither=Image.Dither.NONE)


if __name__ == "__main__":
    main(sys.argv[1:])
