"""What was typed into a form is kept: over a reload, Back, a lost request and the end of a session."""

import json
import re

import pytest
from playwright.sync_api import expect

from dashboard.accounts.models import UserSession
from dashboard.experiments.models import Experiment
from dashboard.experiments.services import submit_experiment
from dashboard.releases.models import Release
from privacy_engine.experiments import AS_THEY_ARE, ExperimentSpec, presets
from tests.browser.actions import downloaded
from tests.browser.page_checks import UNFOLD
from tests.browser.rendering import pick, wait_until_ready
from tests.browser.test_accounts import log_in
from tests.browser.test_experiment_form import ODD, SERIES, form, only, plan, spec_of, submitted
from tests.browser.test_steps import add_row
from tests.browser.test_steps import form as release_form
from tests.browser.test_steps import only as only_releases

_KEPT = """() => Object.entries(sessionStorage).filter(([key]) => key.startsWith("cairn:form:"))
  .map(([key, value]) => [key.split("/new/")[1] ?? key, value])"""
# Everything that a person may have typed, ticked or chosen on the page
_FIELDS = """() => [...document.querySelectorAll("main :is(input, select:not(#noise-preview-mechanism))")]
  .filter(({ type, readOnly }) => !["hidden", "file", "search"].includes(type) && !readOnly)
  .map((one) => `${one.labels[0]?.textContent.trim() ?? one.id}: `
    + (["radio", "checkbox"].includes(one.type) ? one.checked : one.value))"""


def kept(page):
    """Return what the tab keeps, by beginning."""
    return dict(page.evaluate(_KEPT))


def keeps(page, text):
    """Wait until a text is kept."""
    page.wait_for_function(f"(text) => ({_KEPT})().some(([, value]) => value.includes(text))", arg=text)


def fields(page):
    return list(page.evaluate(_FIELDS))


def reload(page):
    page.reload()
    ready(page)


def ready(page):
    wait_until_ready(page, "[data-form]")
    page.evaluate(UNFOLD)


def level(page):
    return page.get_by_label("Privacy level ε", exact=True)


def restored(page):
    return page.get_by_role("group", name="Restored form")


def stays_typed(page, fresh):
    """Reload, leave and come back: the form is as it was typed."""
    typed = fields(page)
    assert typed != fresh
    reload(page)
    expect(restored(page)).to_contain_text("Restored what you typed.")
    assert fields(page) == typed
    page.goto("/")
    page.go_back()
    ready(page)
    assert fields(page) == typed


def starts_afresh(page, fresh):
    restored(page).get_by_role("button", name="Start afresh").click()
    expect(restored(page)).to_have_count(0)
    wanted = json.dumps(fresh, ensure_ascii=False, separators=(",", ":"))
    page.wait_for_function(f"(fresh) => JSON.stringify(({_FIELDS})()) === fresh", arg=wanted)
    assert kept(page) == {}


def is_lost_and_sent_again(page, monitor, path, button):
    """A request to ``path`` fails, and after a reload the session is over: what was typed is there still."""
    monitor.expect(500, 401)
    page.route(path, lambda route: route.fulfill(status=500))
    page.get_by_role("button", name=button).click()
    expect(page.locator("[data-problem]")).to_contain_text("The server failed (status 500)")
    page.unroute(path)
    typed = fields(page)
    reload(page)
    assert fields(page) == typed
    expect(page.get_by_role("button", name=button)).to_be_enabled()
    UserSession.objects.all().delete()
    page.get_by_role("button", name=button).click()


def test_a_release_form(page, taxi, stays, monitor):
    release_form(page, taxi)
    page.evaluate(UNFOLD)
    fresh = fields(page)
    only_releases(page, "w-event")
    level(page).fill("0,5")
    add_row(page, "Planned", "Causal filter")
    shown = page.locator("[data-errors]:not([data-stale])")
    expect(shown).to_be_visible()
    pick(page.get_by_role("radio", name="Seeded simulation"))
    page.get_by_label("Seed", exact=True).fill("12x")  # refused, and kept
    keeps(page, "12x")
    stays_typed(page, fresh)
    starts_afresh(page, fresh)
    expect(page.locator("[data-step]")).to_have_count(1)  # of what is suggested

    monitor.expect(400)
    level(page).fill("2")
    is_lost_and_sent_again(page, monitor, "**/api/v1/releases/", "Create 1 release")
    dialog = page.get_by_role("dialog", name="Log in again")
    expect(dialog.get_by_label("User name")).to_have_value("owner")
    dialog.get_by_role("button", name="Cancel").click()
    expect(page.locator("[data-problem]")).to_contain_text("You are logged out")
    expect(level(page)).to_have_value("2")
    page.locator("[data-submit]").click()
    log_in(dialog, "guess")
    expect(dialog.get_by_role("alert")).to_contain_text("Wrong user name or password")
    dialog.get_by_role("button", name="Continue").click()
    expect(dialog.get_by_role("alert")).to_contain_text("No user is logged in")
    tab = page.context.new_page()
    tab.goto("/login/")
    log_in(tab)
    tab.wait_for_url(lambda url: not url.endswith("/login/"))
    page.bring_to_front()
    page.evaluate("window.dispatchEvent(new Event('focus'))")  # not every browser without a screen sends it
    page.wait_for_url("**/compare/**")
    assert {one.spec["mechanism"]["epsilon"] for one in Release.objects.all()} == {2}
    assert UserSession.objects.count() == 1
    assert kept(page) == {}


def test_stale_figures_are_dimmed_and_not_submitted(page, taxi, stays):
    release_form(page, taxi)
    submit, section, held = page.locator("[data-submit]"), page.locator("[data-errors]:has(tr)"), []
    expect(submit).to_be_enabled()
    page.route("**/expected-errors/", lambda route: held.append(route))
    level(page).fill("2")
    expect(section).to_have_attribute("data-stale", "")
    expect(page.locator("[data-errors-answer]")).to_contain_text("Updating forecast for ε 2 / ")
    expect(submit).to_have_text("Updating…")
    expect(submit).to_be_disabled()
    expect(page.locator("[data-promise]:not([data-stale])")).to_be_visible()  # its own answer is there
    held[-1].continue_()
    expect(submit).to_be_enabled()
    expect(section).not_to_have_attribute("data-stale", "")
    level(page).fill("0,,5")
    submit.click()
    expect(level(page)).to_be_focused()
    expect(page.locator("[data-submit-bar]")).to_contain_text("Correct Privacy level ε.")
    expect(page.locator("[data-errors-answer]")).to_contain_text("No forecast: Privacy level ε is missing or invalid")
    expect(page.locator("[data-promise][data-stale]")).to_be_visible()
    assert not Release.objects.exists()


def test_zones_and_selections(page, taxi):
    address = f"/datasets/{taxi.pk}/landmarks/new/"
    page.goto(address)
    wait_until_ready(page, "[data-editor]")
    name, manual = page.get_by_label("Name", exact=True), page.locator("[data-method=manual]")
    name.fill("my places")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("l")
    expect(manual).to_have_attribute("aria-pressed", "true")
    marked = page.locator("[data-count]").inner_text()
    keeps(page, "my places")
    page.goto("/")
    page.goto(address)
    wait_until_ready(page, "[data-editor]")
    expect(page.locator("[data-count]")).to_have_text(marked)
    expect(name).to_have_value("my places")
    restored(page).get_by_role("button", name="Start afresh").click()
    expect(manual).to_have_attribute("aria-pressed", "false")
    expect(name).to_have_value("")


def test_an_experiment(page, walk, monitor):
    form(page)
    fresh, radii = fields(page), page.get_by_label("Radii r, m")
    page.get_by_role("radio", name="A dataset").check()
    radii.fill("1")
    page.get_by_label("Events used").select_option("first")
    page.get_by_label("Events", exact=True).fill("30")
    only(page, "Uniform", "Planned")
    page.get_by_role("button", name="Add variant of Planned").click()
    variances = page.locator("[data-row=landmark-planned]").get_by_label("Step variance q, m²", exact=True)
    variances.nth(0).fill("9")
    variances.nth(1).fill("1,5e3")
    page.get_by_role("checkbox", name="Ornstein-Uhlenbeck smoother", exact=True).check()
    page.get_by_role("checkbox", name="Ornstein-Uhlenbeck smoother for Planned 2").uncheck()
    page.get_by_label("Levels ε").fill("0,3; 1")
    radii.fill("50 500")
    page.locator("[data-landmarks]").get_by_text("Stay points", exact=True).click()
    page.get_by_label("Distances, m").fill("100 400")
    page.get_by_text("Dummy landmarks", exact=True).click()
    page.get_by_role("checkbox", name="One-sided coins").check()
    page.get_by_role("checkbox", name="No dummies").uncheck()
    page.get_by_label("Levels of the selection ε").fill("1, 2")
    page.get_by_role("checkbox", name="Each event's own loss, mean over events").check()
    page.get_by_text("Adversary model", exact=True).click()
    page.get_by_role("checkbox", name="Strong").check()
    page.get_by_label("Other strengths s").fill("0.5")
    page.get_by_label("Repetitions", exact=True).fill("2x")  # refused, and kept
    page.get_by_label("Common random numbers").uncheck()
    quantile = page.locator("[data-measure=error-quantile]")
    quantile.get_by_role("checkbox").check()
    quantile.get_by_label("Share of the events p", exact=True).fill("0.9")
    page.get_by_label("Name").fill("Mine")
    keeps(page, "Mine")
    stays_typed(page, fresh)

    page.get_by_label("Repetitions", exact=True).fill("3")
    expect(plan(page)).to_contain_text("Strong, s = 0.01, states 1,000 m apart")
    is_lost_and_sent_again(page, monitor, "**/api/v1/experiments/", "Run the experiment")
    log_in(page.get_by_role("dialog", name="Log in again"))
    page.wait_for_url(re.compile(r"/experiments/[0-9a-f-]{36}/"))
    assert kept(page) == {}
    made = Experiment.objects.get()
    grid = made.spec["grid"]
    assert (len(grid["release"]), grid["release.mechanism.epsilon"]) == (5, [0.3, 1])
    assert (grid["landmarks.distance_m"], grid["dummies.epsilon"]) == ([100, 400], [1, 2])
    assert made.spec["metrics"] == ["error", "loss-own", {"name": "error-quantile", "p": 0.9}]
    assert (made.spec["repetitions"], made.spec["common"], made.name) == (3, False, "Mine")
    assert (made.dataset, made.lengths) == (walk, [30])


@pytest.mark.journey
def test_beginnings_do_not_mix(page):
    repetitions = page.get_by_label("Repetitions", exact=True)
    form(page)
    repetitions.fill("5")
    keeps(page, '"repetitions":"5"')
    page.get_by_role("link", name=re.compile("^Privacy against utility")).click()
    ready(page)
    expect(repetitions).to_have_value("100")
    expect(restored(page)).to_have_count(0)
    page.go_back()
    ready(page)
    expect(repetitions).to_have_value("5")


def test_a_spec_as_text_from_a_file_and_one_that_the_form_cannot_show(page, owner, walk, tmp_path):
    form(page)
    page.get_by_text("As JSON", exact=True).click()
    spec = spec_of(page) | {"repetitions": 3, "grid": {"landmarks.share": [0.125, 0.5]}}
    spec["grid"]["landmarks.distribution"] = ["bimodal", "uniform"]
    spec["base"]["release"] = {"mechanism": {"name": "landmark-skip", "epsilon": 2, "radius_m": 50}}
    text = page.get_by_label("Spec as JSON")
    text.fill(json.dumps(spec))
    expect(page.get_by_label("Shares, %")).to_have_value("12.5, 50")
    expect(page.get_by_label("Levels ε")).to_have_value("2")
    expect(page.get_by_role("checkbox", name="Uniform", exact=True)).not_to_be_checked()
    expect(page.get_by_role("checkbox", name="Around both quarters (bimodal)")).to_be_checked()
    expect(plan(page)).to_contain_text("4 cells × 3 repetitions")
    text.fill("{")
    keeps(page, '"text":"{"')
    reload(page)
    expect(text).to_have_value("{")
    expect(page.locator("[data-text-error]")).to_contain_text("This is not JSON")
    expect(page.get_by_role("button", name="Run the experiment")).to_be_disabled()
    text.fill(json.dumps(spec))
    assert submitted(page).spec_digest == ExperimentSpec.parse(spec | {"series": SERIES}).digest

    form(page, "?preset=privacy-utility")
    page.get_by_text("As JSON", exact=True).click()
    download = downloaded(page.get_by_role("button", name="Save as JSON"))
    file = tmp_path / download.suggested_filename
    download.save_as(file)
    assert file.name == "privacy-against-utility-synthetic-series.json"
    form(page)
    page.set_input_files("[data-load-file]", file)
    expect(page.get_by_label("Levels ε")).to_have_value("0.01, 0.03, 0.1, 0.3, 1, 3, 10")
    assert submitted(page).spec_digest == presets.parse({"name": "privacy-utility"}).spec().digest

    spec = ExperimentSpec.parse(ODD)
    first = submit_experiment(owner=owner, dataset=walk, spec=spec, name="Odd")
    form(page, f"?from={first.pk}")
    expect(page.locator("[data-by-hand]")).to_contain_text("This experiment is edited as text.")
    expect(page.get_by_label("Levels ε")).to_be_hidden()
    expect(plan(page)).to_contain_text("3 cells × 2 repetitions")
    assert submitted(page).spec_digest == spec.on(AS_THEY_ARE).digest
    form(page, f"?from={first.pk}")
    page.get_by_role("button", name="Use the form instead").click()
    expect(plan(page)).to_contain_text("18 cells")


def test_an_experiment_of_another_kind(page):
    form(page, "?kind=checkins")
    expect(plan(page)).to_contain_text("repetitions")
    fresh = fields(page)
    page.locator("[data-data]").get_by_role("button", name=re.compile("^Add variant")).first.click()
    page.get_by_label("Also sweep").select_option(index=1)
    page.locator("[data-other] input").fill("2, 3")
    page.get_by_role("textbox", name="Repetitions").fill("2")
    page.locator("[data-swept]").get_by_label("Cells per side", exact=False).first.fill("4,,8")  # refused, and kept
    keeps(page, "4,,8")
    stays_typed(page, fresh)
    starts_afresh(page, fresh)
