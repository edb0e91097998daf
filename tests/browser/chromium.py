"""The browser of the tests, and how it is started."""

import os
import shutil
from pathlib import Path

FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--process-per-site",
    "--renderer-process-limit=1",  # a new page takes the process there is
]
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find_browser(playwright):
    """BROWSER_PATH, then a Chromium on the PATH, then Playwright's own; None where there is none."""
    named = [os.environ.get("BROWSER_PATH"), *map(shutil.which, NAMES), playwright.chromium.executable_path]
    return next((path for path in named if path and Path(path).exists()), None)
