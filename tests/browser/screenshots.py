"""``make screenshots``: images of every page, in light and dark, on a desktop and on a phone.

    python -m tests.browser.screenshots [FOLDER] [NAME …]

Only generated data is shown: no real movements belong in a screenshot.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.browser.page_cases import Case

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "screenshots"
SIZES = {"": (1440, 900), "-phone": (390, 844)}
COLOURS = ("light", "dark")


def _term(page: Any) -> None:
    page.locator(".term[popovertarget=term-epsilon]").focus()
    page.wait_for_selector("#term-epsilon:popover-open")


def _jobs(page: Any) -> None:
    page.locator("[data-jobs-button]").click()
    page.wait_for_selector("#jobs:popover-open .job")


def _delete(page: Any) -> None:
    page.locator("[data-delete]:visible").first.click()
    page.wait_for_selector("#delete-dialog[open]")


def _numbers(page: Any) -> None:
    page.get_by_label("Budget per event: save or show numbers").click()
    page.get_by_role("button", name="Data table").click()
    page.wait_for_selector("dialog[open] tbody tr")


def _smooth(page: Any) -> None:
    page.get_by_role("button", name="Smooth Uniform · ε").first.click()
    page.wait_for_selector("#smooth-dialog[open] [data-steps] > *")


def _detection(page: Any) -> None:
    page.locator("[data-detection] summary").click()
    page.wait_for_selector("[data-roc] .js-plotly-plot")
    page.locator("[data-detection]").scroll_into_view_if_needed()


def _built_in(page: Any) -> None:
    page.locator(".map-note__button").first.click()
    page.get_by_role("radio", name="Built in").check()
    page.wait_for_selector("canvas[data-layer=names][data-drawn]")


def _base_map(page: Any) -> None:
    _built_in(page)
    page.keyboard.press("Escape")
    page.wait_for_load_state("networkidle")


def _place(page: Any) -> None:
    _base_map(page)
    page.get_by_role("button", name="Find a place").first.click()
    page.get_by_role("combobox", name="Find a city").fill("zur")
    page.wait_for_selector(".places__option")


# What is done on a page before its screenshot; a screenshot of its own if the name is no page's
STEPS: dict[str, Callable[[Any], None]] = {
    "zones": lambda page: page.locator(".zone__head").first.click(),
    "api": lambda page: page.locator(".opblock-summary-control").nth(2).click(),
}
MORE: dict[str, tuple[str, Callable[[Any], None]]] = {
    "term": ("release", _term),
    "jobs": ("dataset", _jobs),
    "delete": ("datasets", _delete),
    "numbers": ("compare", _numbers),
    "smooth": ("compare", _smooth),
    "base-map": ("compare", _base_map),
    "base-map-panel": ("compare", _built_in),
    "base-map-places": ("dataset", _place),
    "stream-detection": ("stream-compare", _detection),
}


def shots() -> dict[str, Case]:
    """The page of every screenshot, by the screenshot's name."""
    from tests.browser.page_cases import CASES

    pages = {case.name: case for case in CASES}
    acted = {name: replace(pages[of], name=name) for name, (of, _) in MORE.items()}
    return {**pages, **acted}


@contextmanager
def cairn() -> Iterator[tuple[str, Any]]:
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
        from dashboard.config.wsgi import application  # after the tests' modules: it defers the REST framework's own

        server = create_server(application, host="127.0.0.1", port=0)
        threading.Thread(target=server.run, daemon=True).start()
        yield f"http://127.0.0.1:{server.effective_port}", stage
        server.close()


def main(folder: Path, names: list[str]) -> None:
    from playwright.sync_api import sync_playwright

    with cairn() as (address, stage), sync_playwright() as playwright:
        from tests.browser.chromium import FLAGS, find_browser
        from tests.browser.png_palette import with_palette
        from tests.patience import patience

        wanted = {name: case for name, case in shots().items() if name in names or not names}
        folder.mkdir(parents=True, exist_ok=True)
        browser = playwright.chromium.launch(executable_path=find_browser(playwright), args=FLAGS)
        reader = browser.new_page()
        for suffix, (width, height) in SIZES.items():
            device = {"has_touch": True, "is_mobile": True} if suffix else {}
            for colour in COLOURS:
                size = {"width": width, "height": height}
                context = browser.new_context(base_url=address, viewport=size, color_scheme=colour, **device)
                page = context.new_page()
                page.set_default_timeout(patience(120_000))
                for name, case in wanted.items():
                    path = folder / f"{name}{suffix}-{colour}.png"
                    path.write_bytes(with_palette(reader, taken(page, case, stage, address)))
                context.close()
        browser.close()


def taken(page: Any, case: Case, stage: Any, address: str) -> bytes:
    """The screenshot of one page, once it is complete."""
    from tests.browser.page_cases import visit

    visit(page, case, stage, address)
    step = STEPS.get(case.name) or MORE.get(case.name, ("", None))[1]
    if step:
        step(page)
        page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(400)  # what moves has moved, what is drawn is painted
    return bytes(page.screenshot(full_page=bool(os.environ.get("FULL_PAGE"))))


if __name__ == "__main__":
    folder, *names = sys.argv[1:] or [FOLDER]
    main(Path(folder), names)
