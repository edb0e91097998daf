"""The first steps in a browser: followed, hidden, shown again; without scripts; accessible."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.management import call_command
from playwright.sync_api import Locator, Page, expect

from dashboard.accounts.models import User
from tests.browser.conftest import DESKTOP


@pytest.fixture
def samples(owner: User) -> None:
    """The generated samples, as at the first start."""
    call_command("loadsamples", "owner", verbosity=0)


def strip(page: Page) -> Locator:
    return page.get_by_role("navigation", name="First steps")


@pytest.mark.journey
def test_followed_from_link_to_link(page: Page, samples: None) -> None:
    page.goto("/")
    for title, seen in (("View the trajectory", "Walk across Paris"), ("Define landmarks", "Define landmarks")):
        strip(page).get_by_role("link", name=title).click()
        expect(page.get_by_role("heading", level=1, name=seen)).to_be_visible()
        expect(strip(page).locator("[aria-current=step]")).to_contain_text(title)
    expect(strip(page).get_by_role("link", name="Done: View the trajectory")).to_be_visible()
    expect(strip(page).get_by_role("link", name="Done:")).to_have_count(1)
    page.wait_for_selector(".map")
    bench = page.locator(".bench").bounding_box()
    assert bench
    assert bench["y"] + bench["height"] <= DESKTOP["height"] + 1, "the editor still fits the window"


@pytest.mark.parametrize("scripts", [True, False])
def test_hidden_and_brought_back(open_page: Callable[..., Page], owner: User, samples: None, scripts: bool) -> None:
    page = open_page(owner, java_script_enabled=scripts)
    page.goto("/")
    strip(page).get_by_role("button", name="Hide the first steps").click()
    expect(strip(page)).to_have_count(0)
    page.goto("/")
    expect(strip(page)).to_have_count(0)
    page.locator("summary[aria-label='Account and appearance']").click()
    page.get_by_role("button", name="Show the first steps").click()
    expect(strip(page)).to_be_visible()
