"""``make screenshots``: the images of docs/screenshots; those are taken again whose page has changed.

    python -m tests.browser.screenshots [NAME …]        (ALL=1: all of them)

Each carries the names of the templates, scripts and styles of its page, and their digest: tests/test_screenshots.py
finds what is stale. Only generated data is shown: no real movements belong in a screenshot.
"""

import hashlib
import json
import os
import re
import sys
import tempfile
import threading
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path

from PIL import Image
from PIL.PngImagePlugin import PngInfo

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "screenshots"
EXACT = 64  # colours of an image that stay as they are
PHONE = (390, 844)
_IMPORT = re.compile(r"""(?:from|import)\s*\(?\s*["'](\.[^"']+)["']""")
_MODULE = re.compile(r"""\{% module ["']([^"']+)["'] %\}""")
_STYLES = re.compile(r"""\{% styles ([^%]+) %\}|css/([\w-]+)\.css""")


@dataclass(frozen=True)
class Shot:
    """A page in a state (tests/browser/page_cases.py, page_states.py); ``presented`` to whoever uses it first."""

    case: str
    colour: str = "light"
    size: tuple[int, int] = (1440, 900)
    presented: bool = False
    step: object = None


def _downloads(page):
    from tests.browser.actions import act_on

    act_on(page, "Skip", "Download").locator("a[href*='format=csv']").scroll_into_view_if_needed()


def _first_zone(page):
    page.locator(".zone__head").first.click()


SHOTS = {
    "first-1-upload": Shot("datasets", presented=True),
    "first-2-landmarks": Shot("landmarks", presented=True),
    "first-3-release": Shot("release", presented=True),
    "first-4-compare": Shot("compare", presented=True),
    "first-5-download": Shot("compare", presented=True, step=_downloads),
    "compare-light": Shot("compare", presented=True),
    "compare-dark": Shot("compare", "dark", presented=True),
    **{f"{name}-dark": Shot(name, "dark") for name in ("release", "experiment")},
    "zones-dark": Shot("zones", "dark", step=_first_zone),
    **{f"{name}-phone": Shot(name, size=PHONE) for name in ("compare", "release", "no-datasets")},
    **{
        f"{name}-light": Shot(name)
        for name in (
            *("release", "experiment", "import", "dataset", "dummies", "new-experiment", "stream-release"),
            *("stream-compare", "checkins-compare", "recommend", "compare-attack", "audit", "explain", "live-stream"),
            *("project", "public-trajectory", "jobs", "compare-swipe", "owners-report", "numbers"),
        )
    },
}


@contextmanager
def cairn():
    """A server with the samples, their releases and every state a job may be in; its address."""
    with tempfile.TemporaryDirectory(prefix="cairn-screenshots-") as home:
        os.environ |= {
            "CAIRN_HOME": home,
            "DJANGO_SETTINGS_MODULE": "dashboard.config.settings",
            "CAIRN_LOG": "CRITICAL",
        }
        os.environ |= {"DJANGO_ALLOW_ASYNC_UNSAFE": "true", "REDIS_URL": "redis://127.0.0.1:1/0"}
        import django

        django.setup()
        from django.core.management import call_command
        from waitress.server import create_server

        from tests.browser.sample_states import SampleStates

        call_command("migrate", verbosity=0)
        stage = SampleStates()
        stage.add_every_state()
        present(stage)
        from dashboard.config.wsgi import application  # after the tests' modules: it defers the REST framework's own

        server = create_server(application, host="127.0.0.1", port=0)
        threading.Thread(target=server.run, daemon=True).start()
        yield f"http://127.0.0.1:{server.effective_port}", stage
        server.close()


def present(stage):
    """Add a user with the samples and releases of one of them, as whoever follows the README has."""
    from dashboard.accounts.models import User
    from dashboard.accounts.services import show_tour
    from dashboard.landmarks.generated_samples import load_samples
    from tests.browser.conftest import run_jobs
    from tests.dashboard.release_runs import submitted

    stage.presenter = User.objects.create_user("ada")
    show_tour(user=stage.presenter, shown=False)
    stage.presented = next(row for row in load_samples(owner=stage.presenter) if "Taxi" in row.name)
    for name in ("landmark-skip", "landmark-joint", "landmark-uniform"):
        given = {} if name != "landmark-joint" else {"step_variance_m2": 250_000.0}
        submitted(stage.presented.landmark_sets.get(), {"name": name, "epsilon": 1.0, "radius_m": 200.0, **given})
    run_jobs()


def main(names):
    from playwright.sync_api import sync_playwright

    wanted = {name: SHOTS[name] for name in names or (SHOTS if os.environ.get("ALL") else stale())}
    for path in FOLDER.glob("*.png"):
        if path.stem not in SHOTS:
            path.unlink()
    if not wanted:
        return
    with cairn() as (address, stage), sync_playwright() as playwright:
        from django.test.signals import template_rendered
        from django.test.utils import setup_test_environment

        from tests.browser.chromium import FLAGS, find_browser
        from tests.patience import patience

        setup_test_environment(debug=False)  # sends a signal of each template that is rendered
        rendered = set()
        template_rendered.connect(lambda template, **_: rendered.add(template.name), weak=False)
        browser = playwright.chromium.launch(executable_path=find_browser(playwright), args=FLAGS)
        for name, shot in wanted.items():
            rendered.clear()
            width, height = shot.size
            device = {"has_touch": True, "is_mobile": True} if shot.size == PHONE else {}
            size = {"width": width, "height": height}
            context = browser.new_context(base_url=address, viewport=size, color_scheme=shot.colour, **device)
            page = context.new_page()
            page.set_default_timeout(patience(120_000))
            image, about = with_palette(taken(page, shot, stage, address)), PngInfo()
            files = sources(rendered)
            about.add_text("sources", json.dumps(files))
            about.add_text("digest", digest(shot, files))
            image.save(FOLDER / f"{name}.png", optimize=True, pnginfo=about)
            context.close()
        browser.close()


def taken(page, shot, stage, address):
    """The screenshot of one page, once it is complete."""
    from tests.browser.page_cases import CASES, visit
    from tests.browser.page_states import STATES

    opened = {name: (of, act) for of, states in STATES.items() for name, act in states.items()}
    name, step = opened.get(shot.case, (shot.case, shot.step))
    case = next(case for case in CASES if case.name == name)
    if shot.presented:
        case = replace(case, who="presenter", of=case.of and "presented")
    visit(page, case, stage, address)
    if step:
        step(page)
        page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(400)  # what moves has moved, what is drawn is painted
    return page.screenshot()


def sources(rendered):
    """The files of these templates, and the scripts and styles that they load, below the repository."""
    folder = ROOT / "templates"
    templates = sorted(path for name in rendered if name and (path := folder.joinpath(*name.split("/"))).is_file())
    text = "\n".join(path.read_text() for path in templates)
    styles = {name.strip("\"'") for several, one in _STYLES.findall(text) for name in (several.split() or [one])}
    found = {ROOT / "static" / "css" / f"{name}.css" for name in styles}
    waiting = [ROOT / "static" / path for path in _MODULE.findall(text)]
    while waiting:
        script = waiting.pop()
        if script not in found and script.is_file():
            found.add(script)
            waiting += [(script.parent / path).resolve() for path in _IMPORT.findall(script.read_text())]
    return sorted(str(path.relative_to(ROOT)) for path in {*templates, *found} if path.is_file())


def digest(shot, files):
    """The SHA-256 of what an image is made from; empty where a file is gone."""
    made = hashlib.sha256(f"{shot.case} {shot.colour} {shot.size} {shot.presented}".encode())
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
    """The image in 256 colours: its most frequent ones unchanged, which are a page's flat ones, and the nearest."""
    image = Image.open(BytesIO(png)).convert("RGB")
    frequent = sorted(image.getcolors(image.width * image.height) or [], reverse=True)[:EXACT]
    others = image.quantize(256 - EXACT).getpalette() or []
    palette = Image.new("P", (1, 1))
    palette.putpalette([value for _, colour in frequent for value in colour] + others)
    return image.quantize(palette=palette, dither=Image.Dither.NONE)


if __name__ == "__main__":
    main(sys.argv[1:])
