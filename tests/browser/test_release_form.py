"""The release form: what a level means, noise, losses, errors, budget and purpose, up to the releases it makes."""

import json
import re

import pytest
from playwright.sync_api import expect

from dashboard.datasets.models import BudgetEntry
from dashboard.datasets.selectors import reference_radius_m
from dashboard.datasets.services import set_budget
from dashboard.experiments.models import Experiment
from dashboard.releases.models import Release
from privacy_engine.accounting.temporal import smoothing_matrix, temporal_loss
from privacy_engine.mechanisms.base.mechanism import mechanisms
from tests.browser.actions import contains, downloaded
from tests.browser.conftest import PHONE, check_page, run_jobs
from tests.browser.rendering import wait_until_ready
from tests.browser.test_steps import form, only

INKED = """() => {
  const canvas = document.querySelector("[data-noise-preview-canvas]");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let inked = 0;
  for (let i = 3; i < data.length; i += 4) inked += data[i] > 0;
  return inked;
}"""
PLACES = """() => [...document.querySelectorAll("[data-card]")].map((card) => {
  const { x, y, width, height } = card.getBoundingClientRect();
  return [x, y + scrollY, width, height];
})"""
FREE = [cls.title for cls in mechanisms.of("trajectory") if not cls.reads_landmarks]
P95 = 4.743865
"""The 95 % radius of planar Laplace noise of rate 1 per metre, in metres."""


def field(page, label):
    return page.get_by_label(label, exact=True)


def level(page, epsilon, radius_m):
    field(page, "Level ε").fill(str(epsilon))
    field(page, "Radius r, m").fill(str(radius_m))


def tick(page, title):
    return page.get_by_role("checkbox", name=re.compile(f"^{title}"))


def create(page, button):
    page.get_by_role("button", name=button).click()
    page.wait_for_url("**/compare/**")


def test_from_a_level_to_publishable_releases(page, taxi, stays):
    form(page, taxi)
    cards = page.get_by_role("region", name="Landmark level").locator("[data-card] label").all_inner_texts()
    assert cards[:3] == ["Skip", "Uniform", "Adaptive"]
    assert {"Planned", "Joint", "Optimal split"} <= set(cards)
    others = page.get_by_role("region", name="Other levels").locator("[data-card] label").all_inner_texts()
    assert set(others) == {"Event level", "w-event", "User level"}
    places, own = page.evaluate(PLACES), page.locator("[data-own] [data-mechanism=w-event]")
    for title in ("Planned", "Joint", "w-event"):
        tick(page, title).check()
        assert page.evaluate(PLACES) == places, "no card moves when one is ticked"
    expect(own).to_be_visible()
    tick(page, "w-event").uncheck()
    expect(own).to_be_hidden()
    only(page, "Skip", "Uniform", "Adaptive", "Event level")

    level(page, 2, 100)
    uniform = page.locator("[data-forecast=landmark-uniform]")
    expect(uniform).to_contain_text(f"260ε/{stays.count + 1}")
    only(page, "Skip", "Adaptive")
    field(page, "Change threshold").select_option("literal")
    field(page, "Level ε").fill("20000")
    page.get_by_role("button", name="Create 2 releases").click()
    error = page.locator("[data-field=epsilon] .field__error")
    expect(error).to_contain_text("Must be at most 10000, got 20000")
    assert Release.objects.count() == 0
    field(page, "Level ε").fill("0,5")
    expect(page.get_by_role("radio", name="Publishable release")).to_be_checked()
    expect(field(page, "Seed")).to_be_disabled()
    expect(page.locator("[data-kind]")).to_have_text("Publishable release")
    create(page, "Create 2 releases")
    specs = {row.mechanism: row.spec["mechanism"] for row in Release.objects.all()}
    assert {spec["epsilon"] for spec in specs.values()} == {0.5}, "a decimal comma does not weaken the level"
    assert set(specs) == {"landmark-skip", "landmark-adaptive"}
    assert specs["landmark-adaptive"]["reading"] == "literal"
    assert set(Release.objects.values_list("seeded", flat=True)) == {False}
    assert BudgetEntry.objects.count() == 2


def test_noise_is_drawn_at_the_scale_shown(page, taxi, stays):
    form(page, taxi)
    preview, text = page.locator("[data-noise-preview]"), page.locator("[data-noise-preview-text]")

    def zoom():
        return float(preview.get_attribute("data-zoom") or "nan")

    def noise_of(mechanism):
        expect(page.locator("[data-noise-preview][data-ready]")).to_be_attached()
        page.get_by_label("Noise of").select_option(mechanism)

    only(page, "Skip", "Uniform")
    level(page, 1, 20)
    page.wait_for_function(f"() => ({INKED})() > 2000")
    assert zoom() >= 1

    noise_of("landmark-uniform")
    most = P95 * 20 * (stays.count + 1)
    expect(text).to_contain_text(re.compile(f"{most / 1000:.3g}\\skm"))
    expect(text).not_to_contain_text("zoomed out")
    near = zoom()
    level(page, 1, 400)
    expect(text).to_contain_text(re.compile(r"the noise is larger, so the view is zoomed out \d+×"))
    assert zoom() > 5 * near
    level(page, 1, 20)
    noise_of("landmark-uniform")
    expect(text).to_contain_text(re.compile(f"{most / 1000:.3g}\\skm"))
    page.route("**/forecast/", lambda route: None)
    field(page, "Level ε").fill("2")  # before the server answers
    expect(text).to_contain_text(re.compile(f"{most / 2000:.3g}\\skm"))


def test_losses_and_warnings_follow_the_form(page, taxi, stays):
    form(page, taxi)
    leaks, warnings = page.locator("[data-leaks]"), page.locator("[data-warnings]")
    level(page, 1, 200)
    share = 5 / (stays.count + 1)  # states 1,000 m apart, levels within 200 m
    page.get_by_text("Strong", exact=True).click()
    worst = temporal_loss([share] * taxi.points, *[smoothing_matrix(2, 0.01)] * 2).total.max()
    contains(page.locator("[data-loss=landmark-uniform]"), f"{share:.3g} → {worst:.3g}", "5 → ")
    expect(leaks).to_contain_text("Adaptive: the median of 5 runs simulated")
    level(page, 15, 200)
    expect(warnings).to_contain_text("ε = 15 is a very weak guarantee")
    only(page, "Planned")
    planned, q = page.locator("[data-mechanism=landmark-planned]"), "Step variance q, m²"
    planned.get_by_label(q, exact=True).fill("0.01")
    expect(warnings).to_contain_text(f"almost none. 1 of {stays.count} landmarks get fresh noise.")
    planned.get_by_text("q from speed").click()
    expect(planned).to_contain_text("From public knowledge only")
    planned.get_by_label("Typical speed, km/h").fill("36")
    planned.get_by_label("Between two events, s").fill("60")
    expect(planned).to_contain_text("q = (600 m)² / 2 = 180,000 m²")
    expect(planned.get_by_label(q, exact=True)).to_have_value("180000")
    create(page, "Create 1 release")
    assert Release.objects.get().spec["mechanism"]["step_variance_m2"] == 180_000.0


def test_a_simulation_is_marked_everywhere_costs_nothing_and_is_loaded_again(page, taxi, stays, tmp_path):
    form(page, taxi)
    seed, seeded = field(page, "Seed"), page.get_by_role("radio", name="Seeded simulation")
    error, run = page.locator("#seed-error"), page.get_by_role("button", name="Run 1 simulation, not private")
    warnings = page.locator("[data-warnings]")
    expect(warnings).not_to_contain_text("One seed is one sample")
    seeded.check()
    expect(warnings).to_contain_text("One seed is one sample")
    only(page, "Uniform")
    expect(page.locator("[data-kind]")).to_have_text("Seeded simulation: not private")
    expect(page.locator("[data-not-private]")).to_contain_text("NOT PRIVATE")
    expect(page.locator("[data-spending]")).to_contain_text("spend nothing")
    for typed, message in (("", "Give a whole number from 0"), ("-1", "Must be at least 0, got -1")):
        seed.fill(typed)
        run.click()
        expect(seed).to_be_focused()
        expect(error).to_contain_text(message)
    assert not Release.objects.exists()
    seed.fill("7")
    waiting = downloaded(page.get_by_role("button", name="Save configuration"))
    file = tmp_path / "experiment.json"
    waiting.save_as(file)
    assert {one["seed"] for one in json.loads(file.read_text())["releases"]} == {7}
    form(page, taxi)
    page.set_input_files("[data-load-file]", file)
    expect(seeded).to_be_checked()
    expect(seed).to_have_value("7")
    create(page, "Run 1 simulation, not private")
    run_jobs()
    wait_until_ready(page)
    expect(page.locator(".layer", has_text="Uniform")).to_contain_text("NOT PRIVATE: seeded")
    made = Release.objects.get()
    assert (made.seeded, made.spec["seed"], BudgetEntry.objects.count()) == (True, 7, 0)


@pytest.mark.journey
def test_the_budget_is_kept(page, taxi, stays, monitor):
    monitor.expect(409)
    set_budget(dataset=taxi, epsilon=1.0, radius_m=100.0)
    form(page, taxi)
    button = page.get_by_role("button", name="Create 3 releases")
    field(page, "Radius r, m").fill("100")
    expect(page.locator("[data-spending]")).to_contain_text("more than the budget")
    expect(page.locator("[data-submit-bar]")).to_contain_text("Needs 3, 1 is left. Lower ε to 0.333")
    expect(button).to_be_disabled()
    page.get_by_role("button", name="Use ε 0.333").click()
    expect(button).to_be_enabled()
    set_budget(dataset=taxi, epsilon=0.5, radius_m=100.0)  # in another tab
    button.click()
    expect(page.locator("[data-form]")).to_contain_text("1 release before it was submitted")
    assert Release.objects.count() == 1


def test_from_an_accepted_error_or_a_protection_to_a_level(open_page, owner, taxi, stays):
    page = open_page(owner, size=PHONE)
    form(page, taxi)
    section, planned = page.locator("[data-errors]:has(tr)"), page.locator("[data-errors=landmark-planned]")
    epsilon, radius = field(page, "Level ε"), field(page, "Radius r, m")
    level(page, 1, 200)
    page.get_by_label("Error I accept, m").fill("500")
    page.get_by_role("button", name="Find the least ε").click()
    page.get_by_role("button", name=re.compile("^Use ε .* with Planned$")).click()
    expect(tick(page, "Planned")).to_be_checked()
    assert float(epsilon.input_value()) > 1
    expect(planned).to_contain_text(re.compile(r"(49\d|500)\sm"))
    radius.fill("100")
    expect(page.get_by_role("button", name=re.compile("^Use ε"))).to_have_count(0)

    reference = reference_radius_m(taxi, None)
    level(page, 5, 77)
    costs, find = page.locator("div[data-cost]"), page.get_by_role("button", name="Show what it costs")
    page.get_by_label("Protection I want: guesses right, %").fill("90")
    find.click()
    expect(costs).to_contain_text(re.compile(rf"ε 2.19 / {reference:g}\sm\. .* with at most 89.9\s%"))
    row = page.locator("[data-cost=landmark-planned]")
    shown = [row.locator(f"td:nth-child({i})").inner_text() for i in (2, 3, 4)]
    check_page(page)
    row.get_by_role("button", name="Use this: Planned at ε 2.19").click()
    expect(epsilon).to_have_value("2.19")
    expect(radius).to_have_value(f"{reference:g}")
    expect(section).not_to_have_attribute("data-stale", "")
    assert [planned.locator(f"td:nth-child({i})").inner_text() for i in (2, 3, 6)] == shown
    expect(row).to_be_visible()  # of the same data, steps and parameters

    page.get_by_role("button", name="Add Causal filter").click()
    expect(row).to_have_count(0)


def test_without_a_landmark_set_by_keyboard(page, taxi):
    page.goto(f"/datasets/{taxi.pk}/")
    page.get_by_role("link", name="New release").focus()
    page.keyboard.press("Enter")
    wait_until_ready(page, "[data-form]")
    expect(page.get_by_role("radio", name="No landmark set")).to_be_checked()
    expect(page.get_by_role("link", name="Define landmarks")).to_be_visible()
    for box in page.locator("[name=mechanism]").all():
        assert box.is_checked() == (box.get_attribute("value") in ("event-level", "user-level"))
    level(page, 1, 200)
    note, submit = page.locator("[data-bar-note]"), page.locator("[data-submit-bar] [type=submit]")
    expect(note).to_have_text("No limit is set.")
    tick(page, "Skip").focus()
    page.keyboard.press("Space")
    expect(note).to_have_text("Skip reads landmarks: choose a landmark set or define one.")
    expect(submit).to_be_disabled()
    page.keyboard.press("Space")
    expect(note).to_have_text("No limit is set.")
    expect(page.locator("[data-errors-table] tbody tr[data-errors]")).to_have_count(len(FREE))
    expect(submit).to_be_enabled()
    submit.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/compare/**")
    assert "landmark_set" not in page.url
    rows = Release.objects.all()
    assert {(row.mechanism, row.landmark_set) for row in rows} == {("event-level", None), ("user-level", None)}
    run_jobs()
    wait_until_ready(page)
    expect(page.locator("[data-summary] tr")).to_have_count(2)
    expect(page.locator("[data-layers]")).not_to_contain_text("Landmarks")
    expect(page.locator("[data-problem]").first).to_be_hidden()

    page.goto(f"/datasets/{taxi.pk}/")
    page.get_by_role("link", name="Attack Event level").click()
    page.wait_for_url("**/experiments/new/**")
    page.get_by_role("button", name=re.compile("^(Run|Submit|Start)")).last.click()
    page.wait_for_url(re.compile(r"/experiments/[0-9a-f-]{36}/"))
    base = Experiment.objects.get().spec["base"]
    assert base["landmarks"] == {"name": "manual", "events": []}
    assert base["release"]["mechanism"]["name"] == "event-level"
