"""A page that waits for a part of the engine to be compiled shows that."""

import re

import pytest
from playwright.sync_api import Route, expect

from privacy_engine import kernel_folder
from tests.browser.rendering import wait_until_ready
from tests.patience import patience


@pytest.mark.journey
def test_the_note_is_there_while_a_response_takes_long(page, stays, monkeypatch):
    monkeypatch.setattr(kernel_folder, "is_complete", lambda: False)
    held: list[Route] = []
    holding = True
    page.route(re.compile(r"/api/.*/loss/"), lambda route: held.append(route) if holding else route.continue_())
    page.goto(f"/landmark-sets/{stays.pk}/report/", wait_until="commit")
    note = page.locator("[data-compiling]")
    expect(note).to_be_visible()
    expect(note).to_contain_text("Compiling what this needs")
    holding = False
    for route in held:
        route.continue_()
    expect(note).to_be_hidden(timeout=patience(120_000))  # the answer may have to be compiled indeed
    wait_until_ready(page, "[data-report]")
