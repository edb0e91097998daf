"""Temporal losses before the reader: on the comparison and on a landmark set's report."""

import json
import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import expect

from dashboard.releases.models import Release
from privacy_engine.accounting.temporal import landmark_temporal_loss, smoothing_matrix, temporal_loss
from privacy_engine.core import kernel_folder
from privacy_engine.mechanisms.landmark import Planned
from tests.browser.actions import contains, downloaded
from tests.browser.conftest import accessibility_faults
from tests.browser.rendering import compare, pick, wait_until_ready
from tests.patience import patience

LINES = """(chart) => Object.fromEntries(document.querySelector(`[data-chart=${chart}] .js-plotly-plot`).data
  .filter(({ name }) => name).map(({ name, y }) => [name.split(" · ε")[0], [...y]]))"""
LINEAR = "() => document.querySelector('[data-chart=loss] .js-plotly-plot')._fullLayout.yaxis.type === 'linear'"
MODERATE, STRONG = ((smoothing_matrix(2, share),) * 2 for share in (0.1, 0.01))
FAR = 5.0
"""States 1,000 m apart, as the pages begin, at levels within 200 m."""


def query_of(page):
    found = parse_qs(urlsplit(page.url).query)
    return {name: values for name, values in found.items() if name != "show"}  # as the test opened the page


def loss_is(page, name, expected, chart="loss"):
    """Wait until the line ``name`` of the chart is ``expected``, to the precision of a chart."""
    page.wait_for_function(
        f"([chart, name, expected]) => {{ const y = ({LINES})(chart)[name];"
        " return y && y.length === expected.length && y.every((v, i) => Math.abs(v - expected[i]) < 1e-9 * (1 + v)) }",
        arg=[chart, name, list(map(float, expected))],
    )


def uniform(stays):
    """Levels of Uniform at the distance of the states, ε = 1."""
    return [FAR / (stays.count + 1)] * stays.points


def test_the_comparison_shows_what_is_chosen_and_keeps_it_in_the_address(page, taxi, stays, pair, monitor):
    compare(page, taxi)
    loss_is(page, "Uniform", temporal_loss(uniform(stays), *MODERATE).total)
    page.get_by_label("Moderate").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_label("Strong")).to_be_checked()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Own matrix…")).to_be_focused()
    pick(page.get_by_label("Backward", exact=True))
    loss_is(page, "Uniform", temporal_loss(uniform(stays), *STRONG).backward)
    pick(page.get_by_label("Landmarks and event"))
    case = uniform(stays), stays.mask, *STRONG
    loss_is(page, "Uniform", landmark_temporal_loss(*case, bound="bridge"))
    pick(page.get_by_label("Published"))
    published = landmark_temporal_loss(*case, bound="published")
    loss_is(page, "Uniform", published)
    expect(page.locator(".loss__text")).to_contain_text("not an upper bound")
    page.get_by_label("Log axis").uncheck()
    page.wait_for_function(LINEAR)
    chosen = {"corr": "strong", "side": "backward", "view": "landmarks", "bound": "published", "axis": "linear"}
    assert query_of(page) == {name: [value] for name, value in chosen.items()}
    page.reload()
    wait_until_ready(page)
    loss_is(page, "Uniform", published)
    expect(page.get_by_label("Published")).to_be_checked()

    compare(page, taxi)
    rail, below, places = page.locator(".bench__charts"), page.locator(".meanings"), []
    # a field reports its change when the next button is pressed: nothing may move before it is released
    for name, text in (("Each event", "each event"), ("Landmarks and event", "all landmarks together")) * 2:
        pick(page.get_by_label(name))
        expect(page.locator(".loss__text")).to_contain_text(re.compile(text, re.IGNORECASE))
        rail.evaluate("(rail) => rail.scrollTo(0, 0)")
        places.append(below.bounding_box())
    assert places[0] == places[2]
    page.get_by_label("Largest distance of states, D, m").fill("500")
    rail.evaluate("(rail) => rail.scrollTo(0, rail.scrollHeight)")
    before = rail.evaluate("(rail) => rail.scrollTop")
    assert before > 0
    pick(page.get_by_label("Published"))
    assert rail.evaluate("(rail) => rail.scrollTop") == before

    monitor.expect(400)
    compare(page, taxi)
    apart = page.get_by_label("Largest distance of states, D, m")
    apart.fill("200")
    expect(page.locator(".loss__text")).to_contain_text("whose states lie at most 200 m apart")
    assert query_of(page) == {"diameter_m": ["200"]}
    apart.fill("1000")

    estimated, own = (page.get_by_role("button", name=name) for name in ("Estimated from this dataset…", "Own matrix…"))
    dialog = page.get_by_role("dialog")
    estimated.click()
    dialog.get_by_role("button", name="Cancel").click()
    expect(page.get_by_label("Moderate")).to_be_checked()
    estimated.click()
    expect(dialog).to_contain_text("publish nothing that depends on it")
    dialog.get_by_label("Cell, m").fill("3000")
    dialog.get_by_role("button", name="Apply").click()
    expect(page.get_by_role("note")).to_contain_text("this matrix is itself a disclosure")
    assert query_of(page)["cell_m"] == ["3000"]
    pick(page.get_by_label("Weak"))
    expect(page.get_by_role("note")).to_have_count(0)
    assert query_of(page) == {"corr": ["weak"]}

    own.click()
    forward, apply = dialog.get_by_label("Forward: Pr(next | present)"), dialog.get_by_role("button", name="Apply")
    forward.fill("0.9 0.2\n0.1, 0.9")
    apply.click()
    expect(dialog.get_by_role("alert")).to_contain_text("Forward must have rows that sum to 1")
    assert not accessibility_faults(page)
    forward.fill("0,9; 0.1\n0.1, 0.9")
    apply.click()
    expect(dialog).to_have_count(0)
    matrix = [[0.9, 0.1], [0.1, 0.9]]
    expect(own).to_have_attribute("aria-pressed", "true")
    assert json.loads(query_of(page)["forward"][0]) == matrix
    assert query_of(page)["backward"] == ["reversal"]


def report(page, landmark_set, query=""):
    page.goto(f"/landmark-sets/{landmark_set.pk}/report/{query}")
    wait_until_ready(page, "[data-report]")


def test_the_report_of_a_set_needs_no_release(page, taxi, stays, monkeypatch, monitor):
    monkeypatch.setattr(kernel_folder, "is_complete", lambda: False)
    held, holding, note = [], True, page.locator("[data-compiling]")
    page.route(re.compile(r"/api/.*/loss/"), lambda route: held.append(route) if holding else route.continue_())
    page.goto(f"/datasets/{taxi.pk}/")
    page.get_by_label(f"More for {stays.name}").click()
    page.get_by_role("link", name="Report", exact=True).click()
    expect(note).to_contain_text("Compiling what this needs")
    holding = False
    for route in held:
        route.continue_()
    expect(note).to_be_hidden(timeout=patience(120_000))  # the answer may have to be compiled indeed
    wait_until_ready(page, "[data-report]")
    expected = landmark_temporal_loss(uniform(stays), stays.mask, *MODERATE, bound="bridge")
    loss_is(page, "Uniform", expected)
    expect(page.locator("main")).to_contain_text("no position is read")
    expect(page.get_by_role("row", name=re.compile("^Uniform"))).to_contain_text(f"{expected.max():.3g}")
    contains(page.get_by_role("row", name="Adaptive"), "median of 20 simulated runs", "no run above")
    assert not Release.objects.exists()

    budgets, error = page.locator("[data-budgets]"), page.locator("#alpha-error")
    loss_is(page, "Total loss", [1.0] * stays.points, chart="plan")
    expect(budgets).to_contain_text("ε = 0.1095")  # 0.5474 at 1,000 m
    pick(page.get_by_label("By upper bound"))
    expect(budgets).not_to_contain_text("0.1095")
    page.get_by_label("Target α").fill("0")
    expect(error).to_contain_text("Must be greater than 0, got 0.")
    page.get_by_label("Target α").fill("2")
    expect(error).to_be_hidden()

    page.get_by_label("Level ε").fill("3")
    pick(page.get_by_label("Published"))
    case = [3 * one for one in uniform(stays)], stays.mask, *MODERATE
    loss_is(page, "Uniform", landmark_temporal_loss(*case, bound="published"))
    table_text = page.locator("[data-table-text]")
    expect(table_text).to_contain_text("at ε = 3")
    pick(page.get_by_label("Own", exact=True))
    expect(table_text).to_contain_text("The worst event’s own part")
    wait_until_ready(page, "[data-report]")
    chosen = {"epsilon": ["3"], "bound": ["published"], "part": ["own"]}
    assert chosen.items() <= query_of(page).items()
    page.get_by_label("Level ε").fill("-1")
    expect(page.locator("#epsilon-error")).to_contain_text("Must be greater than 0, got -1.")

    monitor.expect(400)
    report(page, stays)
    page.get_by_label("Radius r, m").fill("150")
    page.locator("summary", has_text="Mechanism parameters").click()
    planned = page.get_by_role("group", name="Planned: parameters")
    variance = planned.get_by_label("Step variance q, m²", exact=True)
    variance.fill("9000000")
    page.get_by_label("Budget of skipped landmarks").select_option("absorption")
    expect(page.get_by_role("row", name="Planned")).to_contain_text("step variance 9,000,000 m², radius 150 m")
    far = 1000 / 150
    levels = far * Planned(epsilon=1.0, radius_m=150.0, step_variance_m2=9e6).budgets(stays.mask)
    loss_is(page, "Planned", landmark_temporal_loss(levels, stays.mask, *MODERATE, bound="bridge"))
    wait_until_ready(page, "[data-report]")
    assert query_of(page)["radius_m"] == ["150"]

    page.reload()
    wait_until_ready(page, "[data-report]")
    expect(page.get_by_role("row", name="Planned")).to_contain_text("step variance 9,000,000 m², radius 150 m")
    variance.fill("-1")
    expect(planned.get_by_text("Must be greater than 0, got -1.")).to_be_visible()

    report(page, stays, "?corr=estimated&cell_m=3000&smoothing=1")
    expect(page.get_by_role("note")).to_contain_text("publish nothing")
    expect(page.get_by_role("columnheader", name="Estimated")).to_have_attribute("aria-current", "true")
    pick(page.get_by_label("Strong"))
    page.wait_for_function("() => location.search.includes('corr=strong')")
    page.locator("summary", has_text="Download").click()
    waiting = downloaded(page.get_by_role("link", name="Every event as CSV"))
    head, *rest = Path(waiting.path()).read_text().splitlines()
    for text in ("s=0.01", "within 200 m, for states at most 1000 m apart"):
        assert text in head
    assert len([line for line in rest if not line.startswith("#")]) == stays.points + 1
