"""The tutorial in the browser: whatever is named in bold on its page is there, and leads on."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from dashboard.landmarks.generated_samples import load_trajectories
from dashboard.releases.models import Release
from tests.browser.actions import act_on, downloaded
from tests.browser.rendering import wait_until_ready
from tests.patience import patience

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tutorial" / "mobility-analyst.md"
STEP = re.compile(r"^\d\. \*\*.+?\*\*(.*?)(?=^\d\. |^## )", re.MULTILINE | re.DOTALL)


def control(page, name):
    """The link, button or part of a menu that begins with ``name``."""
    named = {"name": re.compile(f"^{re.escape(name)}")}
    found = page.get_by_role("link", **named).or_(page.get_by_role("button", **named))
    return found.or_(page.locator("summary", has_text=name)).locator("visible=true").first


@pytest.mark.journey
def test_every_step_leads_on(page, worker, owner):
    load_trajectories(owner=owner)
    opened, marked, chosen, compared, downloads, explained = (
        re.findall(r"\*\*(.+?)\*\*", step) for step in STEP.findall(PAGE.read_text())
    )
    page.goto("/")
    upload, sample = opened
    expect(control(page, upload)).to_be_visible()
    control(page, sample).click()
    define, schedule, save = marked
    control(page, define).click()
    wait_until_ready(page, "[data-editor]")
    control(page, schedule).wait_for()
    control(page, save).click()
    page.wait_for_url("**/releases/new/**")
    wait_until_ready(page, "[data-form]")
    expect(page.locator("tr[data-verdict=usable]").first).to_contain_text("usable")
    control(page, *chosen).click()
    page.wait_for_url("**/compare/**")
    wait_until_ready(page)
    expect(control(page, *compared)).to_be_visible()
    title = Release.objects.earliest("created_at").title
    menu = act_on(page, title, *downloads)
    assert downloaded(menu.locator("a[href*='format=csv']")).path()
    page.keyboard.press("Escape")
    act_on(page, title, *explained)
    expect(page.get_by_role("heading", level=1)).to_be_visible(timeout=patience(10_000))
    assert {release.state for release in Release.objects.all()} == {"done"}
