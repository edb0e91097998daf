"""Numbers of the comparison of a count stream: exact as text, in tables and in files."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from dashboard.accounts.models import User
from dashboard.releases.models import Release
from dashboard.storage.data_files import cached_release
from tests.browser.test_stream_compare import COUNTS, compared, opened
from tests.dashboard import kinds

LARGE = COUNTS + 123_456_789


def downloaded(page: Page, menu: str) -> list[list[str]]:
    """The rows below the head of the CSV of a plot."""
    open_menu(page, menu)
    with page.expect_download() as started:
        page.locator(menu).get_by_role("button", name="CSV").click()
    return list(csv.reader(Path(started.value.path()).read_text().splitlines()))[1:]


def open_menu(page: Page, menu: str) -> None:
    page.locator(f"{menu} summary, {menu} button").first.click()


@pytest.mark.journey
def test_large_counts_are_exact(open_page: Callable[..., Page], owner: User) -> None:
    page = opened(open_page(owner), compared(owner, kinds.wide(LARGE), kinds.STREAM))
    row = Release.objects.get()
    published = np.asarray(cached_release(row.kind, row.data_path).counts)
    order = [int(one.get_attribute("data-dimension") or "") for one in page.locator(".dimensions tbody tr").all()]
    truth = LARGE[:, [kinds.NAMES.index(name) for name in page.locator(".dimensions__name").all_text_contents()]]
    last = published[-1, order[0]]
    values = page.locator("[data-values]")
    expect(values).to_contain_text(f"truth {truth[-1, 0]:,}")
    expect(values).to_contain_text(f" {last:,.0f}")
    difference = f"{last - truth[-1, 0]:+,.0f}".replace("-", "−") if last != truth[-1, 0] else "0"
    expect(values).to_contain_text(f"difference {difference}")
    found = [[float(value) for value in row[1:]] for row in downloaded(page, "[data-heat-menu]")]
    assert found == published[:, order].T.tolist()
    pinned = np.array([[float(value) for value in row[1:]] for row in downloaded(page, "[data-pinned-menu]")])
    assert pinned[:, ::2].tolist() == truth.tolist()
    open_menu(page, "[data-heat-menu]")
    page.locator("[data-heat-menu]").get_by_role("button", name="Data table").click()
    expect(page.locator("dialog[open] tbody")).to_contain_text(f"{truth[-1, 0]:,}")
