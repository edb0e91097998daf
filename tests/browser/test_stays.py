"""From trajectories to check-ins in the browser: the form, the job, and whom a release of them protects."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from dashboard.accounts.models import User
from tests.browser.conftest import SIZES, PageMonitor, accessibility_faults, check_page, open_upload
from tests.dashboard import kinds
from tests.dashboard.test_stays import HEADER, ROWS
from tests.patience import patience


@pytest.mark.journey
@pytest.mark.usefixtures("worker")
@SIZES
def test_from_trajectories_to_check_ins_of_users(
    open_page: Callable[..., Page], owner: User, monitor: PageMonitor, size: dict[str, int]
) -> None:
    page = open_page(owner, size=size)
    open_upload(page, "events.csv", kinds.checkins(ROWS, HEADER))
    page.locator("summary[aria-label=More]").first.click()
    page.get_by_role("link", name="Stays as check-ins").click()
    duration, submit = page.get_by_role("textbox", name="Duration"), page.get_by_role("button", name="Detect the stays")
    duration.fill("-1")
    submit.click()
    expect(page.locator("[data-field=duration_s] .field__error")).to_be_visible()
    duration.fill("600")
    assert not accessibility_faults(page)
    submit.click()

    page.wait_for_url("**/datasets/*/")
    expect(page.locator("[data-cells-rows] tr")).to_have_count(3, timeout=patience(30_000))
    expect(page.locator("#reading")).to_contain_text("A user is one person of the trajectories.")
    check_page(page)
    page.get_by_role("link", name="New release").first.click()
    expect(page.locator("[data-promise]")).to_contain_text("which covers all events of one person")
    expect(page.get_by_label("Protected").locator("option")).to_have_text(["each user"])
