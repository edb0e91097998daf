"""The page that adds dummy landmarks: its texts, its selection, where it leads."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset
from dashboard.landmarks.models import LandmarkSet
from tests.browser.conftest import DEVICES, PageMonitor, check_page, faults_in_both_colours
from tests.browser.rendering import wait_until_ready


def visit(page: Page, landmark_set: LandmarkSet) -> None:
    page.goto(f"/landmark-sets/{landmark_set.pk}/dummies/")
    wait_until_ready(page, "[data-form]")


def made(source: LandmarkSet) -> LandmarkSet:
    return source.with_dummies.get()


class TestTexts:
    @pytest.mark.journey
    def test_plainly_which_ways_are_private_for_the_landmarks(self, page: Page, stays: LandmarkSet) -> None:
        visit(page, stays)
        coins = page.locator("[data-method=dummies-one-sided]")
        expect(coins).to_contain_text("one-sided ε-differential privacy for each event")
        expect(page.get_by_text("Not differentially private for the landmarks.")).to_have_count(1)
        for name in ("optimal", "heuristic", "partitioned"):
            expect(page.locator(f"[data-method=dummies-{name}]")).to_contain_text("not private")
        coins.get_by_text("What it does not cover").click()
        expect(coins).to_contain_text("Cost: of the events that are no landmarks, the share e−ε is marked")

    def test_how_many_to_expect_before_drawing(self, page: Page, stays: LandmarkSet) -> None:
        visit(page, stays)
        others = stays.points - stays.count
        page.locator("[data-method=dummies-one-sided]").get_by_label("Level of the selection ε", exact=True).fill("2")
        mean = others * 0.1353352832366127
        expect(page.locator("[data-expected]")).to_have_text(
            f"About {mean:.0f} of the {others} other events beside the {stays.count} landmarks."
        )
        rows = page.get_by_role("table", name="Probability of each number of dummies").locator("tbody tr")
        assert 2 <= rows.count() <= 16
        shares = [
            float(text.rstrip("% \u202f"))
            for text in rows.locator("td:last-child").all_inner_texts()
            if "<" not in text
        ]
        assert 98 < sum(shares) < 102
        expect(page.locator("[data-price]")).to_contain_text(f"instead of ε/{stays.count + 1},")
        assert not stays.with_dummies.exists()


class TestDraw:
    @pytest.mark.journey
    def test_then_release_with_one_click(self, page: Page, stays: LandmarkSet) -> None:
        visit(page, stays)
        page.get_by_label("Name").fill("Cover")
        page.get_by_role("button", name="Sample dummies").click()
        expect(page.locator("[data-drawn]")).to_be_focused()
        drawn = made(stays)
        expect(page.locator("[data-drawn]")).to_contain_text(f"{drawn.selection['dummies']} dummies sampled")
        expect(page.locator("[data-draws]")).to_contain_text(
            "1 earlier selection from these landmarks, ε = 1 in total."
        )
        page.get_by_role("link", name="Release on L′").click()
        wait_until_ready(page, "[data-form]")
        assert drawn.name == "Cover"
        expect(page.get_by_role("radio", name=re.compile("^Cover"))).to_be_checked()
        expect(page.locator("[data-forecast=landmark-uniform]")).to_contain_text(f"ε/{drawn.count + 1}")

    def test_draw_and_release_is_one_click(self, page: Page, stays: LandmarkSet) -> None:
        visit(page, stays)
        page.get_by_role("radio", name="Partitioned").check()
        page.get_by_role("button", name="Sample and release").click()
        page.wait_for_url("**/releases/new/**")
        wait_until_ready(page, "[data-form]")
        drawn = made(stays)
        assert drawn.method["name"] == "dummies-partitioned"
        assert page.locator("[name=landmark_set]:checked").get_attribute("value") == str(drawn.pk)

    def test_with_the_keyboard_alone(self, page: Page, stays: LandmarkSet) -> None:
        visit(page, stays)
        page.get_by_role("radio", name="One-sided coins").focus()
        for name in ("optimal", "heuristic"):
            page.keyboard.press("ArrowDown")
            expect(page.locator(f"[value=dummies-{name}]")).to_be_checked()
        expect(page.locator("[data-draw]")).to_be_enabled()
        page.locator("[data-draw]").focus()
        page.keyboard.press("Enter")
        expect(page.locator("[data-drawn]")).to_be_focused()
        assert made(stays).method["name"] == "dummies-heuristic"

    def test_a_seeded_draw_is_never_called_private(self, page: Page, taxi: Dataset, stays: LandmarkSet) -> None:
        visit(page, stays)
        page.get_by_text("Seeded simulation: a repeatable selection").click()
        page.get_by_label("Seed", exact=True).fill("7")
        expect(page.locator("[data-not-private]")).to_contain_text("NOT PRIVATE.")
        page.get_by_role("button", name="Sample dummies").click()
        expect(page.locator("[data-drawn]")).to_contain_text("NOT PRIVATE: sampled with a seed.")
        page.goto(f"/datasets/{taxi.pk}/")
        expect(page.locator(f"#set-{made(stays).pk}")).to_contain_text("seeded: not private")

    def test_the_dataset_leads_here_and_marks_what_came_of_it(
        self, page: Page, taxi: Dataset, stays: LandmarkSet
    ) -> None:
        page.goto(f"/datasets/{taxi.pk}/")
        page.get_by_label(f"More for {stays.name}").click()
        page.get_by_role("link", name="Add dummies").click()
        wait_until_ready(page, "[data-form]")
        page.get_by_role("button", name="Sample dummies").click()
        expect(page.locator("[data-drawn]")).to_be_focused()
        page.goto(f"/datasets/{taxi.pk}/")
        row = page.locator(f"#set-{made(stays).pk}")
        expect(row).to_contain_text("with dummies")
        expect(row.get_by_role("link", name="Add dummies")).to_have_count(0)


class TestRefusals:
    def test_are_shown_at_the_field(self, page: Page, stays: LandmarkSet, monitor: PageMonitor) -> None:
        monitor.expect(400)  # of the optimal way alone
        visit(page, stays)
        coins = page.locator("[data-method=dummies-one-sided]")
        coins.get_by_label("Level of the selection ε", exact=True).fill("-1")
        expect(coins.locator("[data-field=epsilon] .field__error")).to_contain_text("Must be greater than 0, got -1")
        page.locator("[data-draw]").click()
        expect(coins.get_by_label("Level of the selection ε", exact=True)).to_be_focused()
        coins.get_by_label("Level of the selection ε", exact=True).fill("1")
        expect(coins.locator("[data-field=epsilon] .field__error")).to_be_hidden()
        expect(page.locator("[data-draw]")).to_be_enabled()
        page.get_by_role("radio", name="Optimal").check()
        expect(page.locator("[data-method=dummies-optimal]")).to_contain_text("at most 16 regular events")

    def test_a_seed_that_is_none(self, page: Page, stays: LandmarkSet) -> None:
        visit(page, stays)
        page.get_by_text("Seeded simulation: a repeatable selection").click()
        page.get_by_label("Seed", exact=True).fill("-1")
        page.get_by_role("button", name="Sample dummies").click()
        expect(page.locator("#seed-error")).to_contain_text("Must be at least 0, got -1")
        expect(page.get_by_label("Seed", exact=True)).to_be_focused()


@DEVICES
def test_accessible_and_not_wider_than_the_window(
    open_page, owner: User, stays: LandmarkSet, colour: str, size: dict[str, int]
) -> None:
    page = open_page(owner, colour=colour, size=size)
    visit(page, stays)
    assert faults_in_both_colours(page) == []
    page.get_by_role("radio", name="Heuristic").check()
    page.get_by_role("button", name="Sample dummies").click()
    expect(page.locator("[data-drawn]")).to_be_focused()
    for summary in page.get_by_text("What it does not cover").all():
        summary.click()
    check_page(page, both_colours=True)
