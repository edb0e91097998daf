"""The folds of the experiment form, its presets and its bar; the reference radius it proposes."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from dashboard.datasets.models import Dataset
from dashboard.datasets.selectors import reference_radius_m
from tests.browser.rendering import wait_until_ready
from tests.browser.test_experiment_form import ADDRESS, form, submitted


def fold(page: Page, name: str) -> Any:
    return page.locator(f"[data-fold={name}]")


@pytest.mark.journey
def test_from_a_preset_by_keyboard_to_a_refused_field_and_a_run(page: Page, walk: Dataset) -> None:
    """Folds state what is in them, open by keyboard and where a field is wrong; the submit button is in view."""
    page.goto(ADDRESS)
    wait_until_ready(page, "[data-form]")
    assert page.evaluate("document.documentElement.scrollHeight") < 1100
    page.get_by_role("link", name=re.compile("^Privacy against utility")).click()
    wait_until_ready(page, "[data-form][data-preset='Privacy against utility']")
    sweep, measures = fold(page, "sweep"), fold(page, "measures")
    expect(sweep.locator("[data-fold-line]").first).to_contain_text("Level ε 0.01–10 / 1 m")
    expect(measures).to_contain_text("Mean absolute error · 100 repetitions · seed 1")
    expect(measures.locator("[data-fold-mark]")).to_have_text("from preset")
    expect(page.locator("[data-bar]")).to_contain_text("42 cells × 100 repetitions")
    expect(page.get_by_label("Repetitions", exact=True)).to_be_hidden()
    measures.locator("summary").first.focus()
    page.keyboard.press("Enter")
    page.get_by_label("Repetitions", exact=True).fill("3")
    expect(measures.locator("[data-fold-line]")).to_contain_text("3 repetitions")
    expect(measures.locator("[data-fold-mark]")).to_have_text("changed")
    expect(fold(page, "data").locator("[data-fold-mark]")).to_have_text("from preset")
    page.get_by_label("Repetitions", exact=True).fill("0")
    measures.locator("summary").first.click()
    expect(measures.locator("[data-fold-line]")).to_contain_text("A value is missing or invalid")
    run = page.get_by_role("button", name="Run the experiment")
    expect(run).to_be_in_viewport()
    run.click()
    expect(page.get_by_label("Repetitions", exact=True)).to_be_focused()
    page.get_by_label("Repetitions", exact=True).fill("2")
    expect(page.locator("[data-bar]")).to_contain_text("42 cells × 2 repetitions")
    assert submitted(page).name.startswith("6 mechanisms · ε 0.01–10 / 1 m")


def test_the_reference_radius_of_the_chosen_dataset_is_proposed(page: Page, walk: Dataset) -> None:
    form(page)
    radii = page.get_by_label("Radii r, m")
    expect(radii).to_have_value("200")
    page.get_by_role("radio", name="A dataset").check()
    reference = reference_radius_m(walk, None)
    expect(radii).to_have_value(f"{reference:g}")
    expect(page.locator("[data-reference]")).to_contain_text(f"Reference radius of {walk.name}: {reference:g}")
    radii.fill("1")
    expect(page.locator("[data-reference]")).to_contain_text(f"ε = 1 / 1\u202fm (paper) is ε = {reference:g}")
    expect(fold(page, "sweep").locator("[data-fold-line]").first).to_contain_text("Level ε 1 / 1 m")
