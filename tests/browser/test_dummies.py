"""The page that adds dummy landmarks: its texts, its selection, where it leads."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.rendering import wait_until_ready


def visit(page, landmark_set):
    page.goto(f"/landmark-sets/{landmark_set.pk}/dummies/")
    wait_until_ready(page, "[data-form]")


@pytest.mark.journey
def test_dummies_are_estimated_refused_drawn_and_released(page, stays, monitor):
    visit(page, stays)
    coins = page.locator("[data-method=dummies-one-sided]")
    expect(coins).to_contain_text("one-sided ε-differential privacy for each event")
    expect(page.get_by_text("Not differentially private for the landmarks.")).to_have_count(1)
    for name in ("optimal", "heuristic", "partitioned"):
        expect(page.locator(f"[data-method=dummies-{name}]")).to_contain_text("not private")
    coins.get_by_text("What it does not cover").click()
    expect(coins).to_contain_text("Cost: of the events that are no landmarks, the share e−ε is marked")

    others, level = stays.points - stays.count, coins.get_by_label("Level of the selection ε", exact=True)
    level.fill("2")
    mean = others * 0.1353352832366127
    expect(page.locator("[data-expected]")).to_have_text(
        f"About {mean:.0f} of the {others} other events beside the {stays.count} landmarks."
    )
    rows = page.get_by_role("table", name="Probability of each number of dummies").locator("tbody tr")
    assert 2 <= rows.count() <= 16
    texts = rows.locator("td:last-child").all_inner_texts()
    assert 98 < sum(float(text.rstrip("% \u202f")) for text in texts if "<" not in text) < 102
    expect(page.locator("[data-price]")).to_contain_text(f"instead of ε/{stays.count + 1},")

    monitor.expect(400)  # of the optimal way alone
    draw, error = page.locator("[data-draw]"), coins.locator("[data-field=epsilon] .field__error")
    level.fill("-1")
    expect(error).to_contain_text("Must be greater than 0, got -1")
    draw.click()
    expect(level).to_be_focused()
    level.fill("1")
    expect(error).to_be_hidden()
    expect(draw).to_be_enabled()
    page.get_by_role("radio", name="Optimal").check()
    expect(page.locator("[data-method=dummies-optimal]")).to_contain_text("at most 16 regular events")
    assert not stays.with_dummies.exists()
    page.get_by_role("radio", name="One-sided coins").check()
    page.get_by_label("Name").fill("Cover")
    page.get_by_role("button", name="Sample dummies").click()
    expect(page.locator("[data-drawn]")).to_be_focused()
    drawn = stays.with_dummies.get()
    assert drawn.name == "Cover"
    expect(page.locator("[data-drawn]")).to_contain_text(f"{drawn.selection['dummies']} dummies sampled")
    expect(page.locator("[data-draws]")).to_contain_text("1 earlier selection from these landmarks, ε = 1 in total.")
    page.get_by_role("link", name="Release on L′").click()
    wait_until_ready(page, "[data-form]")
    expect(page.get_by_role("radio", name=re.compile("^Cover"))).to_be_checked()
    expect(page.locator("[data-forecast=landmark-uniform]")).to_contain_text(f"ε/{drawn.count + 1}")

    visit(page, stays)
    page.get_by_text("Seeded simulation: a repeatable selection").click()
    page.get_by_label("Seed", exact=True).fill("7")
    expect(page.locator("[data-not-private]")).to_contain_text("NOT PRIVATE.")
    page.get_by_role("radio", name="One-sided coins").focus()
    for name in ("optimal", "heuristic", "partitioned"):
        page.keyboard.press("ArrowDown")
        expect(page.locator(f"[value=dummies-{name}]")).to_be_checked()
    page.get_by_role("button", name="Sample and release").click()
    page.wait_for_url("**/releases/new/**")
    wait_until_ready(page, "[data-form]")
    drawn = stays.with_dummies.latest("created_at")
    assert (drawn.method["name"], drawn.method["seed"]) == ("dummies-partitioned", 7)
    assert page.locator("[name=landmark_set]:checked").get_attribute("value") == str(drawn.pk)
