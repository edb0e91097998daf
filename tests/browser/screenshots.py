"""``make screenshots``: images of every page, in light and dark, on a desktop and on a phone.

    python -m tests.browser.screenshots [FOLDER] [NAME …]

Only generated data is shown: no real movements belong in a screenshot.
"""

import os
import sys
import tempfile
import threading
from contextlib import contextmanager
from dataclasses import replace
from io import BytesIO
from pathlib import Path

from PIL import Image

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "screenshots"
EXACT = 64  # colours of an image that stay as they are
SIZES = {"": (1440, 900), "-phone": (390, 844)}
COLOURS = ("light", "dark")


# What is done on a page before its screenshot
STEPS = {
    "zones": lambda page: page.locator(".zone__head").first.click(),
    "api": lambda page: page.locator(".opblock-summary-control").nth(2).click(),
}


def shots():
    """The page of every screenshot, by the screenshot's name."""
    from tests.browser.page_cases import CASES
    from tests.browser.page_states import STATES

    pages = {case.name: case for case in CASES}
    opened = {name: replace(pages[of], name=name) for of, states in STATES.items() for name in states}
    return {**pages, **opened}


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
        from dashboard.config.wsgi import application  # after the tests' modules: it defers the REST framework's own

        server = create_server(application, host="127.0.0.1", port=0)
        threading.Thread(target=server.run, daemon=True).start()
        yield f"http://127.0.0.1:{server.effective_port}", stage
        server.close()


def main(folder, names):
    from playwright.sync_api import sync_playwright

    with cairn() as (address, stage), sync_playwright() as playwright:
        from tests.browser.chromium import FLAGS, find_browser
        from tests.patience import patience

        wanted = {name: case for name, case in shots().items() if name in names or not names}
        folder.mkdir(parents=True, exist_ok=True)
        browser = playwright.chromium.launch(executable_path=find_browser(playwright), args=FLAGS)
        for suffix, (width, height) in SIZES.items():
            device = {"has_touch": True, "is_mobile": True} if suffix else {}
            for colour in COLOURS:
                size = {"width": width, "height": height}
                context = browser.new_context(base_url=address, viewport=size, color_scheme=colour, **device)
                page = context.new_page()
                page.set_default_timeout(patience(120_000))
                for name, case in wanted.items():
                    path = folder / f"{name}{suffix}-{colour}.png"
                    with_palette(taken(page, case, stage, address)).save(path, optimize=True)
                context.close()
        browser.close()


def taken(page, case, stage, address):
    """The screenshot of one page, once it is complete."""
    from tests.browser.page_cases import visit
    from tests.browser.page_states import STATES

    visit(page, case, stage, address)
    opened = {name: act for states in STATES.values() for name, act in states.items()}
    step = STEPS.get(case.name) or opened.get(case.name)
    if step:
        step(page)
        page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(400)  # what moves has moved, what is drawn is painted
    return bytes(page.screenshot(full_page=bool(os.environ.get("FULL_PAGE"))))


def with_palette(png):
    """The image in 256 colours: its most frequent ones unchanged, which are a page's flat ones, and the nearest."""
    image = Image.open(BytesIO(png)).convert("RGB")
    frequent = sorted(image.getcolors(image.width * image.height) or [], reverse=True)[:EXACT]
    others = image.quantize(256 - EXACT).getpalette() or []
    palette = Image.new("P", (1, 1))
    palette.putpalette([value for _, colour in frequent for value in colour] + others)
    return image.quantize(palette=palette, dither=Image.Dither.NONE)


if __name__ == "__main__":
    folder, *names = sys.argv[1:] or [FOLDER]
    main(Path(folder), names)
