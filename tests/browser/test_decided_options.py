"""The reading options that were decided, on the page of a dataset: listed, and changed from the report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import Page, expect

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset
from dashboard.datasets.services import import_dataset
from tests.browser.conftest import SIZES, check_page
from tests.dashboard.test_decided_options import BODY

GUESS = {"what": "0, 0", "value": "none", "message": "The position 0, 0 stands for none.", "option": "zeros"}


@pytest.mark.journey
@SIZES
def test_are_listed_and_changed(open_page: Callable[..., Page], owner: User, size: Any) -> None:
    dataset = import_dataset(owner=owner, upload=ContentFile(BODY, name="data.csv"))
    Dataset.objects.update(report={**(dataset.report or {}), "guesses": [GUESS]})
    page = open_page(owner, size=size)
    page.goto(f"/datasets/{dataset.pk}/")
    decided, field = page.locator("[data-decided]"), page.get_by_label("Position 0, 0", exact=True)
    expect(decided.locator("dl")).to_be_hidden()
    decided.locator("summary").click()
    expect(decided.locator("dl")).to_contain_text("Separator")
    expect(field).to_be_hidden()
    page.get_by_role("button", name=f"Change: {GUESS['message']}").click()
    expect(field).to_be_visible()
    expect(field).to_be_focused()
    expect(page.get_by_text("everything else is decided again from the data")).to_be_visible()
    check_page(page)
