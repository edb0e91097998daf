"""The release form: which release is usable, what a level means, its budget and purpose, up to the releases made."""

import json
import re
from math import log

import pytest
from playwright.sync_api import expect

from dashboard.datasets.models import BudgetEntry
from dashboard.datasets.services import set_budget
from dashboard.releases.models import Release
from privacy_engine.accounting.temporal import smoothing_matrix, temporal_loss
from tests.browser.actions import contains, downloaded
from tests.browser.conftest import DESKTOP, PHONE, check_page, run_jobs
from tests.browser.page_checks import WATCH_SHIFTS, contradictions, quantities
from tests.browser.rendering import pick, wait_until_ready
from tests.browser.test_steps import add_row, form, only, parameters, row_of, save_button, unfold

INKED = """() => {
  const canvas = document.querySelector("[data-noise-preview-canvas]");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let inked = 0;
  for (let i = 3; i < data.length; i += 4) inked += data[i] > 0;
  return inked;
}"""
PLACES = """() => [...document.querySelectorAll("tr[data-release] > th")].map((cell) => {
  const { x, y, width, height } = cell.getBoundingClientRect();
  return [cell.textContent, x, y + scrollY, width, height];
})"""
P95 = 4.743865
"""The 95 % radius of planar Laplace noise of rate 1 per metre, in metres."""


def field(page, label):
    return page.get_by_label(label, exact=True)


def level(page, epsilon, radius_m):
    field(page, "Privacy level ε").fill(str(epsilon))
    field(page, "Radius r, m").fill(str(radius_m))


def tick(page, title):
    return page.get_by_role("checkbox", name=title, exact=True)


def ticked(page):
    """The titles of what is ticked, as they are read."""
    boxes = page.locator("[name=mechanism]:checked")
    return [" ".join(text.split()) for text in boxes.locator("xpath=ancestor::tr//label").all_inner_texts()]


def settled(page):
    """Wait for the errors and the promise of what is typed."""
    for part in ("errors", "promise"):
        expect(page.locator(f"[data-{part}]:not([data-stale])")).to_be_visible()
    expect(page.locator("[data-submit]")).not_to_have_text("Updating…")


def shown(page, quantity):
    """What the page shows for a quantity, which is one value wherever it is shown."""
    (value,) = set(quantities(page)[quantity])
    return value


def create(page, button):
    page.get_by_role("button", name=button).click()
    page.wait_for_url("**/compare/**")


def test_only_the_answer_is_ticked_and_what_the_user_chose_stays(page, taxi, stays):
    form(page, taxi)
    answer, submit = page.locator("[data-errors-answer]"), page.locator("[data-submit]")
    level(page, 1, 200)
    settled(page)
    (best,) = ticked(page)
    contains(answer, f"Usable: {best}", shown(page, "extent_m"))
    expect(row_of(page, best)).to_have_attribute("data-verdict", "usable")
    expect(submit).to_have_text("Create 1 release")
    level(page, 0.01, 200)
    settled(page)
    expect(answer).to_contain_text("No release is usable at this level")
    assert ticked(page) == []
    expect(submit).to_have_text("No usable release")
    expect(submit).to_be_disabled()
    usable = page.locator("[data-usable-at]")
    contains(usable, "usable at Doorway, ε ", f"/ 20 m: {best}")
    at = float(re.search(r"ε ([\d.]+) / 20", usable.inner_text())[1])
    assert 0.01 < at < 0.1  # ten times the radius is worth a tenth of the level
    page.get_by_role("button", name=re.compile("^Use Doorway")).click()
    settled(page)
    expect(page.get_by_label("Doorway")).to_be_checked()
    expect(answer).to_contain_text("Usable: ")
    expect(usable).to_have_count(0)
    assert len(ticked(page)) == 1
    level(page, 1, 200)
    settled(page)
    assert ticked(page) == [best]

    shown_by = page.get_by_label("Noise of")
    expect(shown_by.locator("option:checked")).to_have_text(best)
    tick(page, best).uncheck()
    tick(page, "Uniform").check()
    settled(page)
    expect(shown_by.locator("option:checked")).to_have_text("Uniform")
    level(page, 0.5, 200)
    settled(page)
    assert ticked(page) == ["Uniform"]
    tick(page, "Uniform").uncheck()
    expect(submit).to_have_text("No release chosen")
    level(page, 1, 200)
    settled(page)
    assert ticked(page) == []


def test_what_is_made_is_marked_and_not_ticked_again(page, taxi, stays):
    form(page, taxi)
    level(page, 1, 200)
    settled(page)
    (best,) = ticked(page)
    create(page, "Create 1 release")
    form(page, taxi)
    level(page, 1, 200)
    settled(page)
    made = Release.objects.get()
    link = page.get_by_role("link", name=f"{best}: made already", exact=True)
    expect(link).to_have_attribute("href", made.page_url)
    assert ticked(page) == []
    expect(page.locator("[data-submit]")).to_have_text("Made already")
    expect(page.locator("[data-submit]")).to_be_disabled()
    tick(page, best).check()
    contains(page.locator("[data-bar-note]"), "A second one is charged, too")
    level(page, 1.5, 200)
    settled(page)
    expect(link).to_have_count(0)


def test_one_screen_holds_it_and_nothing_moves(open_page, owner, taxi, stays):
    for size, screens in ((DESKTOP, 1), (PHONE, 2.3)):
        page = open_page(owner, size=size)
        page.add_init_script(WATCH_SHIFTS)
        form(page, taxi)
        settled(page)
        height, width = page.evaluate("[document.documentElement.scrollHeight, document.documentElement.scrollWidth]")
        assert height <= screens * size["height"], size
        assert width <= size["width"]
        assert sum(value for value, _ in page.evaluate("window.shifts")) < 0.01
        assert contradictions(page) == {}
        check_page(page)


def test_every_number_has_one_value_wherever_it_is_shown(page, taxi, stays):
    form(page, taxi)
    page.get_by_role("button", name="What this means").click()
    for title in ("Planned", "Skip"):
        parameters(page, title)
    for epsilon, radius_m in ((1, 200), (2.5, 100), (0.1, 77)):
        level(page, epsilon, radius_m)
        settled(page)
        page.get_by_label("Noise of").select_option(label="Planned")
        assert contradictions(page) == {}
        typical = shown(page, "typical_m:landmark-planned")
        contains(row_of(page, "Planned"), typical)
        numbers = [shown(page, f"{figure}_m:landmark-planned:landmarks") for figure in ("typical", "p95")]
        contains(page.locator("[data-noise-preview-text]"), *numbers)
    only(page, "Event level", "Planned", "Uniform")
    settled(page)
    assert contradictions(page) == {}
    assert shown(page, "budget_cost") == "0.3"


def test_from_a_level_to_publishable_releases(page, taxi, stays):
    form(page, taxi)
    titles = set(page.locator("tbody").first.locator("tr[data-release] > th").all_inner_texts())
    assert {"Skip", "Uniform", "Adaptive", "Planned", "Joint", "Optimal split"} <= titles
    places = page.evaluate(PLACES)
    for title in ("Planned", "Joint"):
        tick(page, title).check()
        assert page.evaluate(PLACES) == places, "no row moves when one is ticked"
    unfold(page)
    for title in ("Event level", "w-event"):
        expect(row_of(page, title).locator(".verdict")).to_contain_text("landmarks exposed")
    only(page, "Skip", "Adaptive")
    level(page, 2, 100)
    parameters(page, "Adaptive").get_by_label("Change threshold").select_option("literal")
    field(page, "Privacy level ε").fill("20000")
    page.locator("[data-submit]").click()
    expect(page.locator("#epsilon-error")).to_contain_text("Must be at most 10000, got 20000")
    assert Release.objects.count() == 0
    field(page, "Privacy level ε").fill("0,5")
    expect(page.get_by_role("radio", name="Publishable")).to_be_checked()
    expect(field(page, "Seed")).to_be_hidden()
    create(page, "Create 2 releases")
    specs = {row.mechanism: row.spec["mechanism"] for row in Release.objects.all()}
    assert {spec["epsilon"] for spec in specs.values()} == {0.5}, "a decimal comma does not weaken the level"
    assert set(specs) == {"landmark-skip", "landmark-adaptive"}
    assert specs["landmark-adaptive"]["reading"] == "literal"
    assert set(Release.objects.values_list("seeded", flat=True)) == {False}
    assert BudgetEntry.objects.count() == 2


def test_the_radius_is_named_or_typed(page, taxi, stays):
    form(page, taxi)
    own, text = field(page, "Radius r, m"), page.locator("[data-radius-text]")
    page.get_by_text("Block").click()
    expect(own).to_have_value("")
    expect(text).to_contain_text(re.compile(r"up to 200\sm apart"))
    page.get_by_text("Own", exact=True).click()
    expect(own).to_have_value("200")
    own.fill("0,,5")
    page.locator("[data-submit]").click()
    expect(own).to_be_focused()
    expect(page.locator("[data-errors-answer]")).to_contain_text("No forecast: Radius r is missing or invalid")
    page.get_by_text("Doorway").click()
    expect(text).not_to_contain_text("remain easy to distinguish")
    epsilon = field(page, "Privacy level ε")
    entered = epsilon.input_value()
    epsilon.fill("8")
    expect(text).to_contain_text("remain easy to distinguish")
    epsilon.fill(entered)
    settled(page)
    create(page, "Create 1 release")
    assert Release.objects.get().spec["mechanism"]["radius_m"] == 20.0


def test_noise_is_drawn_at_the_scale_shown(page, taxi, stays):
    form(page, taxi)
    preview, text = page.locator("[data-noise-preview]"), page.locator("[data-noise-preview-text]")

    def zoom():
        return float(preview.get_attribute("data-zoom") or "nan")

    level(page, 1, 20)
    settled(page)
    page.wait_for_function(f"() => ({INKED})() > 2000")
    assert zoom() >= 1
    page.get_by_label("Noise of").select_option(label="Uniform")
    most = P95 * 20 * (stays.count + 1)
    expect(text).to_contain_text(re.compile(f"{most / 1000:.3g}\\skm"))
    expect(text).not_to_contain_text("zoomed out")
    near = zoom()
    level(page, 1, 400)
    settled(page)
    page.get_by_label("Noise of").select_option(label="Uniform")  # another answer is ticked, which it follows
    expect(text).to_contain_text(re.compile(r"the view is zoomed out \d+×"))
    assert zoom() > 5 * near
    at = page.locator("[data-noise-preview-event]")
    before = at.inner_text()
    assert re.match(r"Landmark, event \d+ of 260, Fri 2 Feb \d\d:\d\d", before)
    page.get_by_label("Event after").click()
    expect(at).not_to_have_text(before)
    page.get_by_label("Event before").click()
    expect(at).to_have_text(before)


def test_losses_and_warnings_follow_the_form(page, taxi, stays):
    form(page, taxi)
    leaks, warnings = page.locator("[data-leaks]"), page.locator("[data-warnings]")
    page.get_by_role("button", name="What this means").click()
    only(page, "Uniform", "Adaptive")
    level(page, 1, 200)
    share = 5 / (stays.count + 1)  # states 1,000 m apart, levels within 200 m
    page.get_by_text("Strong", exact=True).click()
    worst = temporal_loss([share] * taxi.points, *[smoothing_matrix(2, 0.01)] * 2).total.max()
    contains(page.locator("[data-loss=landmark-uniform]"), f"{share:.3g} → {worst:.3g}", "5 → ")
    expect(leaks).to_contain_text("Adaptive: the median of 5 runs simulated")
    expect(page.locator("[data-forecast=landmark-uniform]")).to_contain_text(f"260ε/{stays.count + 1}")
    level(page, 15, 200)
    expect(warnings).to_contain_text("ε = 15 is a very weak guarantee")
    only(page, "Planned")
    planned, q = parameters(page, "Planned"), "Step variance q, m²"
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
    only(page, "Uniform", "Skip")
    expect(warnings).not_to_contain_text("One seed is one sample")
    pick(seeded)
    expect(warnings).to_contain_text("One seed is one sample")
    only(page, "Uniform")
    expect(page.locator("[data-not-private]")).to_contain_text("NOT PRIVATE")
    expect(page.locator("[data-promises]")).not_to_contain_text("leak at most")
    expect(page.locator("[data-bar-note]")).to_have_text("Not published: spends nothing.")
    for typed, message in (("", "Give a whole number from 0"), ("-1", "Must be at least 0, got -1")):
        seed.fill(typed)
        run.click()
        expect(seed).to_be_focused()
        expect(error).to_contain_text(message)
    assert not Release.objects.exists()
    seed.fill("7")
    settled(page)
    file = tmp_path / "experiment.json"
    downloaded(save_button(page)).save_as(file)
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
    only(page, "Skip", "Uniform", "Adaptive")
    button = page.get_by_role("button", name="Create 3 releases")
    field(page, "Radius r, m").fill("100")
    bar = page.locator("[data-submit-bar]")
    expect(bar).to_contain_text("Needs 3, 1 is left. Lower ε to 0.333, untick one, or raise the limit.")
    expect(bar).to_contain_text("2 over")
    expect(button).to_be_disabled()
    page.get_by_role("button", name="Use ε 0.333").click()
    expect(button).to_be_enabled()
    set_budget(dataset=taxi, epsilon=0.5, radius_m=100.0)  # in another tab
    button.click()
    expect(page.locator("[data-form]")).to_contain_text("1 release before it was submitted")
    assert Release.objects.count() == 1


def test_from_an_accepted_error_or_a_guess_to_a_level(page, taxi, stays):
    form(page, taxi)
    epsilon, text = field(page, "Privacy level ε"), page.locator("[data-accepted-text]")
    level(page, 1, 200)
    page.get_by_label(re.compile("Or start from the error")).fill("500")
    use = page.locator("[data-accepted-use]")
    for _ in range(2):
        settled(page)
        expect(use).to_have_text(re.compile(r"^Use ε [\d.]+$"))
        use.click()
    settled(page)
    (best,) = ticked(page)
    expect(text).to_contain_text(f"→ needs ε {epsilon.input_value()} with {best}")
    typical = row_of(page, best).locator("td.number").first.inner_text()
    assert 450 < float(re.sub(r"\sm$", "", typical)) <= 500
    page.get_by_label("Which error is accepted").select_option("p95_m")
    expect(text).to_contain_text(re.compile("→ (needs ε .*; )?none with .*: repeated positions alone are off by more"))

    page.get_by_role("button", name="What this means").click()
    page.get_by_label("Such a guess may be right at most").fill("90")
    page.locator("[data-guess-use]").click()
    assert log(0.9 / 0.1) - 0.01 < float(epsilon.input_value()) <= log(0.9 / 0.1)
    settled(page)
    assert shown(page, "guess") == "90\u202f%"


def test_without_the_server_nothing_is_lost_and_the_reason_is_shown(page, monitor, taxi, stays):
    monitor.expect(500)
    form(page, taxi)
    page.route("**/expected-errors/", lambda route: route.fulfill(status=500))
    level(page, 3, 200)
    expect(page.locator("[data-errors-answer]")).to_contain_text("The server failed (status 500)")
    expect(page.locator("[data-errors][data-stale]")).to_be_visible()
    page.unroute("**/expected-errors/")
    page.evaluate("window.dispatchEvent(new Event('online'))")
    settled(page)
    expect(page.locator("[data-errors-answer]")).to_contain_text("Usable:")


def test_rows_with_steps_and_the_other_parts_fit_a_phone(open_page, owner, taxi, stays):
    page = open_page(owner, size=PHONE)
    form(page, taxi)
    add_row(page, "Planned", "Causal filter")
    page.get_by_role("button", name="What this means").click()
    toggle = page.get_by_role("button", name="Noise preview")
    expect(page.locator("[data-noise-preview-canvas]")).to_be_hidden()
    toggle.click()
    expect(page.locator("[data-noise-preview-canvas]")).to_be_visible()
    unfold(page)
    settled(page)
    assert contradictions(page) == {}
    check_page(page)
