"""The main task without a mouse: a sample, landmarks, releases, the comparison, a file."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from dashboard.accounts.models import User
from dashboard.releases.models import Release
from tests.browser.rendering import wait_until_ready
from tests.patience import patience

MOST_TABS = 120
_FOCUS_IS_SEEN = """(element) => {
  const { outlineStyle, boxShadow } = getComputedStyle(element);
  const { top, bottom } = element.getBoundingClientRect();
  return (outlineStyle !== "none" || boxShadow !== "none") && bottom > 0 && top < innerHeight;
}"""


def tab_to(page: Page, target: Locator) -> None:
    """Press Tab until ``target`` has the focus, which must then be in sight."""
    expect(target).to_be_visible()
    for _ in range(MOST_TABS):
        if target.evaluate("(element) => element === document.activeElement"):
            assert target.evaluate(_FOCUS_IS_SEEN), f"focus is not seen: {target}"
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{target} is not reached by {MOST_TABS} tabs")


def press(page: Page, target: Locator, key: str = "Enter") -> None:
    tab_to(page, target)
    page.keyboard.press(key)


def test_from_a_sample_to_a_file(open_page: Callable[..., Page], owner: User, worker: None) -> None:
    page = open_page(owner)
    page.goto("/")
    press(page, page.get_by_role("button", name=re.compile("^Try a sample")))
    page.wait_for_url("**/datasets/*/")
    press(page, page.get_by_role("link", name="Define landmarks").first)
    wait_until_ready(page, "[data-editor]")
    press(page, page.get_by_role("button", name="Save and release"))
    page.wait_for_url("**/releases/new/**")
    wait_until_ready(page, "[data-form]")
    press(page, page.locator("[data-submit]"))
    page.wait_for_url("**/compare/**", timeout=patience(60_000))
    wait_until_ready(page)
    first = page.get_by_role("checkbox", name="Landmarks")
    press(page, first, "Space")
    expect(first).not_to_be_checked()
    press(page, page.locator("summary, button", has_text="Download").first)
    with page.expect_download() as download:
        press(page, page.get_by_role("link", name=re.compile("CSV")).first)
    assert download.value.suggested_filename.endswith(".csv")
    assert Release.objects.filter(state="done").exists()
