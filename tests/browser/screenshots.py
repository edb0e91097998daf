"""``make screenshots``: pictures of the generated samples, in light and dark, at a desk and on a phone.

    python -m tests.browser.screenshots [FOLDER] [NAME …]

Only generated data is shown: nobody's real movements belong in a picture.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "screenshots"
SIZES = {"": (1440, 900), "-phone": (390, 844)}
COLOURS = ("light", "dark")
RADII_M = {"walk": 1.0, "taxi": 2.0, "day in paris": 60.0}
ZONES = "Clinic and home"
MECHANISMS = ("landmark-skip", "landmark-uniform", "landmark-adaptive")


class Stage:
    """What the pictures show: one user with the samples, and releases of each."""

    def __init__(self) -> None:
        from dashboard.accounts.models import User
        from dashboard.datasets.models import Dataset

        self.user = User.objects.get(username="researcher")
        rows = Dataset.objects.filter(sample=True)
        words = ("walk", "taxi", "day in paris")
        self.datasets = {word: next(row for row in rows if word in row.name.lower()) for word in words}

    def dataset(self, name: str = "walk") -> Any:
        return self.datasets[name]

    def release_all(self) -> None:
        from dashboard.releases.services import submit_release
        from privacy_engine.mechanisms import landmark  # noqa: F401  (registers the mechanisms)
        from privacy_engine.spec import ReleaseSpec

        for word, dataset in self.datasets.items():
            for name in MECHANISMS:
                mechanism = {"name": name, "epsilon": 1.0, "radius_m": RADII_M[word]}
                spec = ReleaseSpec.parse({"mechanism": mechanism, "seed": None})
                landmarks = dataset.landmark_sets.first()
                submit_release(owner=self.user, dataset=dataset, landmark_set=landmarks, spec=spec)

    def zones(self) -> Any:
        """The walk with two zones as its landmarks."""
        from dashboard.landmarks.services import mark_landmarks

        corners = [[2.3262, 48.8512], [2.3362, 48.8535], [2.3372, 48.8562], [2.3285, 48.8569], [2.3262, 48.8512]]
        polygon = {"type": "Polygon", "coordinates": [corners], "label": "Clinic"}
        circle = {"type": "Circle", "center": [2.3585, 48.8567], "radius_m": 260.0, "label": "Home"}
        zones = self.dataset().landmark_sets.filter(name=ZONES).first()
        method = {"name": "zones", "zones": [polygon, circle]}
        return zones or mark_landmarks(owner=self.user, dataset=self.dataset(), method=method, name=ZONES)


# A picture is a name and a way to its page; what is done there first, if anything
SHOTS: dict[str, Callable[[Stage], str]] = {
    "datasets": lambda stage: "/",
    "dataset": lambda stage: f"/datasets/{stage.dataset().pk}/",
    "tokens": lambda stage: "/tokens/",
    "landmarks": lambda stage: f"/datasets/{stage.dataset().pk}/landmarks/new/",
    "zones": lambda stage: f"/datasets/{stage.dataset().pk}/landmarks/new/?from={stage.zones().pk}",
    "dummies": lambda stage: f"/landmark-sets/{stage.dataset('taxi').landmark_sets.first().pk}/dummies/",
    "release": lambda stage: f"/datasets/{stage.dataset().pk}/releases/new/",
    "glossary": lambda stage: "/glossary/",
    "term": lambda stage: f"/datasets/{stage.dataset().pk}/releases/new/",
    "landmark-report": lambda stage: f"/landmark-sets/{stage.dataset('taxi').landmark_sets.first().pk}/report/",
    "report": lambda stage: f"/datasets/{stage.dataset('taxi').pk}/compare/report/",
    "compare": lambda stage: f"/datasets/{stage.dataset('taxi').pk}/compare/",
    "compare-swipe": lambda stage: f"/datasets/{stage.dataset('taxi').pk}/compare/?mode=swipe",
    "compare-side-by-side": lambda stage: f"/datasets/{stage.dataset('taxi').pk}/compare/?mode=grid",
    "compare-paris": lambda stage: f"/datasets/{stage.dataset('day in paris').pk}/compare/",
}

STEPS: dict[str, Callable[[Any], None]] = {
    "zones": lambda page: page.locator(".zone__head").first.click(),
    "term": lambda page: page.locator(".term[popovertarget=term-level]").focus(),
}


@contextmanager
def cairn() -> Iterator[str]:
    """A Cairn of its own with the samples and their releases; its address."""
    with tempfile.TemporaryDirectory(prefix="cairn-pictures-") as home:
        os.environ |= {"CAIRN_HOME": home, "DJANGO_SETTINGS_MODULE": "dashboard.settings", "CAIRN_LOG": "ERROR"}
        os.environ |= {"DJANGO_ALLOW_ASYNC_UNSAFE": "true", "REDIS_URL": "redis://127.0.0.1:1/0"}
        import django

        django.setup()
        from django.core.management import call_command
        from waitress.server import create_server

        from dashboard.accounts.models import User
        from dashboard.wsgi import application
        from tests.browser.conftest import work_off

        call_command("migrate", verbosity=0)
        User.objects.create_user("researcher")
        call_command("loadsamples", "researcher", verbosity=0)
        Stage().release_all()
        work_off()
        server = create_server(application, host="127.0.0.1", port=0)
        threading.Thread(target=server.run, daemon=True).start()
        yield f"http://127.0.0.1:{server.effective_port}"
        server.close()


def main(folder: Path, names: list[str]) -> None:
    from playwright.sync_api import sync_playwright

    with cairn() as address, sync_playwright() as playwright:
        from tests.browser.conftest import FLAGS, find_browser, session_of

        stage = Stage()
        folder.mkdir(parents=True, exist_ok=True)
        browser = playwright.chromium.launch(executable_path=find_browser(playwright), args=FLAGS)
        for suffix, (width, height) in SIZES.items():
            for colour in COLOURS:
                device = {"viewport": {"width": width, "height": height}, "color_scheme": colour}
                device |= {"has_touch": True, "is_mobile": True} if suffix else {}
                context = browser.new_context(base_url=address, **device)
                context.add_cookies([session_of(stage.user, address)])
                page = context.new_page()
                for name in names:
                    page.goto(SHOTS[name](stage))
                    page.wait_for_load_state("networkidle")
                    if name in STEPS:
                        STEPS[name](page)
                        page.evaluate("scrollTo(0, 0)")
                        page.wait_for_timeout(300)
                    page.screenshot(path=folder / f"{name}{suffix}-{colour}.png")
                context.close()
        browser.close()


if __name__ == "__main__":
    folder, *names = sys.argv[1:] or [FOLDER]
    main(Path(folder), names or list(SHOTS))
