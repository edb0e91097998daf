"""Errors to expect in the release form: the table, the least ε for an error, and what a protection costs."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset
from dashboard.datasets.selectors import reference_radius_m
from dashboard.landmarks.models import LandmarkSet
from tests.browser.conftest import PHONE, PageMonitor, check_page
from tests.browser.test_release_form import level
from tests.browser.test_steps import form


class TestErrors:
    """The table of errors: figures of the server, a verdict each, and the least ε for an accepted error."""

    def row(self, page: Page, mechanism: str) -> Any:
        return page.locator(f"[data-errors={mechanism}]")

    @pytest.mark.journey
    def test_from_an_accepted_error_to_a_release(self, page: Page, taxi: Dataset, stays: LandmarkSet) -> None:
        form(page, taxi)
        level(page, 1, 200)
        mean_m = 2 * 200 * (stays.count + 1)
        typical_km = mean_m / 2 * 1.678347 / 1000
        expect(self.row(page, "landmark-uniform")).to_contain_text(re.compile(rf"{typical_km:.3g}\skm"))
        expect(self.row(page, "landmark-uniform")).to_contain_text("larger than your data")
        page.get_by_label("Error I accept, m").fill("500")
        page.get_by_role("button", name="Find the least ε").click()
        page.get_by_role("button", name=re.compile("^Use ε .* with Planned$")).click()
        expect(page.get_by_role("checkbox", name=re.compile("^Planned"))).to_be_checked()
        found = float(page.get_by_label("Level ε", exact=True).input_value())
        assert found > 1
        expect(self.row(page, "landmark-planned")).to_contain_text(re.compile(r"(49\d|500)\sm"))
        page.get_by_label("Radius r, m", exact=True).fill("100")
        expect(page.get_by_role("button", name=re.compile("^Use ε"))).to_have_count(0)

    def test_stale_figures_are_dimmed_and_a_refusal_is_shown(
        self, page: Page, taxi: Dataset, stays: LandmarkSet, monitor: PageMonitor
    ) -> None:
        form(page, taxi)
        section = page.locator("[data-errors]:has(tr)")
        expect(section).not_to_have_attribute("aria-busy", "true")
        monitor.expect(400)
        refusal = {"errors": [{"field": "mechanisms", "message": "Refused by a test.", "rule": "", "value": None}]}
        page.route("**/expected-errors/", lambda route: route.fulfill(status=400, json=refusal))
        level(page, 2, 20)
        expect(page.locator("[data-errors-answer]")).to_contain_text("Refused by a test.")
        expect(section).not_to_have_attribute("aria-busy", "true")


_PROTECTION = """async () => {
  const { protectionOf, protectionText } = await import("/static/js/trajectory/release_form/protection_cost.js");
  return [protectionOf("guess", 75), protectionOf("epsilon", 0.3),
    protectionText({ radius_m: 200, guess: 0.73106 }),
    protectionText({ radius_m: 1000, guess: 0.99999999 })];
}"""


class TestProtection:
    """What a protection costs with each mechanism, beside the level for an accepted error."""

    @pytest.mark.journey
    def test_from_a_protection_to_a_release(
        self, open_page: Any, owner: User, taxi: Dataset, stays: LandmarkSet, monitor: PageMonitor
    ) -> None:
        page = open_page(owner, size=PHONE)
        form(page, taxi)
        guess, epsilon, near, far = page.evaluate(_PROTECTION)
        assert (guess, epsilon) == ({"guess": 0.75}, {"epsilon": 0.3})
        assert re.search(r"^If events are independent.* each up to 200\sm away, is right with at most 73.1\s%\.$", near)
        assert re.search(r"each up to 1\skm away, is right with over 99.9\s%\.$", far)
        reference = reference_radius_m(taxi, None)
        level(page, 5, 77)
        costs, find = page.locator("div[data-cost]"), page.get_by_role("button", name="Show what it costs")
        page.get_by_label("Protection I want: guesses right, %").fill("90")
        find.click()
        expect(costs).to_contain_text(re.compile(rf"ε 2.19 / {reference:g}\sm\. .* with at most 89.9\s%"))
        row = page.locator("[data-cost=landmark-planned]")
        shown = [row.locator(f"td:nth-child({i})").inner_text() for i in (2, 3, 4)]
        check_page(page, both_colours=True)
        row.get_by_role("button", name="Use this: Planned at ε 2.19").click()
        expect(page.get_by_label("Level ε", exact=True)).to_have_value("2.19")
        expect(page.get_by_label("Radius r, m", exact=True)).to_have_value(f"{reference:g}")
        expect(page.get_by_role("checkbox", name=re.compile("^Planned"))).to_be_checked()
        expect(page.locator("[data-errors]:has(tr)")).not_to_have_attribute("data-stale", "")
        again = page.locator("[data-errors=landmark-planned]")
        assert [again.locator(f"td:nth-child({i})").inner_text() for i in (2, 3, 6)] == shown
        expect(row).to_be_visible()  # of the same data, steps and parameters

        page.get_by_label("As", exact=True).select_option("epsilon")
        page.get_by_label("Protection I want: ε").fill("0.5")
        find.click()
        expect(costs).to_contain_text(f"ε 0.5 / {reference:g}")
        page.get_by_role("button", name="Add Causal filter").click()
        expect(row).to_have_count(0)
        monitor.expect(400)
        refusal = {"errors": [{"field": "epsilon", "message": "Refused by a test.", "rule": "", "value": None}]}
        page.route("**/protection-costs/", lambda route: route.fulfill(status=400, json=refusal))
        find.click()
        expect(costs).to_contain_text("Refused by a test.")
