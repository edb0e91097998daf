"""Steps after the noise: requested with a release, added to a finished one, and saved in a file."""

import json
import re
from pathlib import Path

from playwright.sync_api import expect

from dashboard.datasets import ledger
from dashboard.datasets.models import BudgetEntry
from dashboard.releases.models import Release
from privacy_engine.releases.spec import ReleaseSpec
from tests.browser.actions import act_on, contains, downloaded
from tests.browser.conftest import run_jobs
from tests.browser.fixtures import released
from tests.browser.rendering import layers, lines, painted, wait_until_ready
from tests.patience import patience

NO_CONFIGURATIONS = [
    ("{", "This file is not JSON."),
    ("[]", "This file describes no releases"),
    ('{"mechanism": {"name": "magic", "epsilon": 1, "radius_m": 1}}', "Unknown mechanism or step “magic”."),
    (
        '{"mechanism": {"name": "event-level"}, "postprocess": [{"name": "magic"}]}',
        "Unknown mechanism or step “magic”.",
    ),
]


def form(page, dataset):
    page.goto(f"/datasets/{dataset.pk}/releases/new/")
    wait_until_ready(page, "[data-form]")


def unfold(page):
    """Show the rows that are folded away."""
    more = page.get_by_role("button", name=re.compile("^Show .*(User level|w-event)"))
    if more.is_visible():
        more.click()


def only(page, *titles):
    """Tick these releases and no others."""
    unfold(page)
    for row in page.evaluate("[...document.querySelectorAll('[name=mechanism]:checked')].map(({ id }) => id)"):
        page.locator(f"[id={row}]").uncheck()
    for title in titles:
        page.get_by_role("checkbox", name=title, exact=True).check()


def parameters(page, title):
    """The row below the one of that title, unfolded."""
    toggle = page.get_by_role("button", name=f"Parameters of {title}", exact=True)
    if toggle.get_attribute("aria-expanded") == "false":
        toggle.click()
    return page.locator(f"tr[id='{toggle.get_attribute('aria-controls')}']")


def add_row(page, title, step):
    """A row of its own for a mechanism with a step after it."""
    below = parameters(page, title)
    below.get_by_label(f"Post-processing of {title}").select_option(label=step)
    below.get_by_role("button", name=f"Add {title} with post-processing").click()


def row_of(page, title):
    """The row of a release, with its errors and its verdict."""
    return page.locator("tr[data-release]", has=page.get_by_role("checkbox", name=title, exact=True))


def save_button(page):
    page.get_by_label("More: configuration files").click()
    return page.get_by_role("button", name="Save configuration")


def load(page, name, text):
    file = {"name": name, "mimeType": "application/json", "buffer": text.encode()}
    page.set_input_files("[data-load-file]", file)


def test_steps_follow_the_noise_in_rows_of_their_own(page, taxi, stays):
    form(page, taxi)
    only(page, "w-event", "Planned")
    page.get_by_label("Privacy level ε", exact=True).fill("1")
    page.get_by_label("Radius r, m", exact=True).fill("50")
    own = parameters(page, "Planned")
    for q, landmarks in (("100000000000", stays.count), ("1", f"1 of {stays.count}")):
        own.get_by_label("Step variance q, m²", exact=True).fill(q)
        expect(page.locator("[data-forecast=landmark-planned]")).to_contain_text(f"Landmarks{landmarks}ε/")

    only(page)
    create = page.locator("[data-submit]")
    add_row(page, "Planned", "Causal filter")
    expect(page.get_by_role("checkbox", name="Planned + Causal filter", exact=True)).to_be_checked()
    below = parameters(page, "Planned + Causal filter")
    step = below.locator("[data-step=causal-filter]")
    contains(step, "works on live data")
    variance = step.get_by_label("Step variance q, m²", exact=True)
    variance.fill("-5")
    create.click()
    expect(step.locator(".field__error").first).to_contain_text("Must be greater than 0, got -5")
    expect(own.locator(".field__error").first).to_be_hidden()
    assert not Release.objects.exists()
    variance.fill("90000")
    below.get_by_label("Step to add").select_option("random-walk-smoother")
    below.get_by_role("button", name="Add step").click()
    below.get_by_role("button", name="Earlier: Random-walk smoother").click()
    expect(page.get_by_role("checkbox", name="Planned + Random-walk smoother + Causal filter")).to_be_checked()
    below.get_by_role("button", name="Earlier: Causal filter").click()
    both = "Planned + Causal filter + Random-walk smoother"
    expect(row_of(page, both)).to_contain_text(re.compile(r"\d\sk?m"))
    expect(create).to_have_text("Create 1 release")
    create.click()
    page.wait_for_url("**/compare/**")
    run_jobs()
    wait_until_ready(page)
    made = Release.objects.get()
    assert made.spec["postprocess"] == [
        {"name": "causal-filter", "step_variance_m2": 90000.0},
        {"name": "random-walk-smoother", "step_variance_m2": None},
    ]
    assert list(layers(page)) == ["Original", both, "Landmarks"]
    assert painted(page, str(made.pk)) > 50
    assert BudgetEntry.objects.count() == 1


def test_the_best_release_is_suggested_with_a_smoother(page, taxi, stays):
    form(page, taxi)
    page.get_by_label("Radius r, m", exact=True).fill("20")
    page.locator("[data-errors]:not([data-stale])").wait_for()
    suggested = page.get_by_role("checkbox", name=re.compile(r"\+ Random-walk smoother$"))
    expect(suggested).to_have_count(1)
    title = suggested.locator("xpath=ancestor::tr//label").inner_text().replace("\n", " ")
    suggested.uncheck()
    suggested.check()
    page.get_by_label("Privacy level ε", exact=True).fill("0.001")  # another mechanism may be the best
    page.locator("[data-errors]:not([data-stale])").wait_for()
    expect(page.get_by_role("checkbox", name=title, exact=True)).to_be_checked()
    below = parameters(page, title)
    below.get_by_role("button", name="Remove this row").click()
    expect(page.get_by_role("checkbox", name=title, exact=True)).to_have_count(0)


def test_what_is_suggested_has_the_parameters_that_its_errors_are_of(page, taxi, stays):
    form(page, taxi)
    for leading in ("gap", "back-fill"):
        parameters(page, "Skip").locator(".parameters__fields select").select_option(leading)
        page.locator("[data-errors]:not([data-stale])").wait_for()
        suggested = parameters(page, "Skip + Random-walk smoother")
        expect(suggested.locator(".parameters__fields select")).to_have_value(leading)


def test_a_smoothed_one_joins_the_comparison_and_costs_nothing(page, taxi, stays, worker, monitor):
    (uniform,) = released(stays, "uniform", epsilon=10.0)
    spent = ledger.spent(taxi)
    page.goto(f"/datasets/{taxi.pk}/compare/")
    wait_until_ready(page)
    act_on(page, "Uniform · ε", "Smooth")
    dialog = page.get_by_role("dialog", name="Smooth Uniform")
    create = dialog.get_by_role("button", name="Create release")
    expect(create).to_be_disabled()
    dialog.get_by_role("button", name="Add Causal filter").click()
    field = dialog.get_by_label("Step variance q, m²", exact=True)
    expect(field).to_be_focused()
    field.fill("")
    create.click()
    expect(dialog.locator(".step--on .field__error").first).to_contain_text("Give a number")
    dialog.get_by_role("button", name="Remove Causal filter").click()
    dialog.get_by_role("button", name="Add Ornstein-Uhlenbeck smoother").click()
    create.click()
    expect(dialog).to_be_hidden()
    expect(page.locator("[data-bench][data-charts='2']")).to_be_visible(timeout=patience(15_000))
    made = Release.objects.exclude(pk=uniform.pk).get()
    cells = page.locator(f"tr[data-release='{made.pk}']")
    expect(cells).to_contain_text("Done")
    made.refresh_from_db()
    assert (made.derived_from, ledger.spent(taxi)) == (uniform, spent)
    assert made.owner_view["mae_m"] < uniform.owner_view["mae_m"] / 1.5
    shown = ["Original", "Uniform", "Uniform + OU smoother", "Landmarks"]
    assert list(layers(page)) == shown
    assert all(painted(page, layer) > 50 for layer in layers(page).values())
    assert [line["name"] for line in lines(page)[0]] == shown[1:3]
    menu = act_on(page, made.title, "Privacy label")
    expect(menu).to_contain_text(f"post-processing of release {uniform.pk}")


def test_a_configuration_is_saved_loaded_or_refused(page, taxi, stays):
    level, uniform = page.get_by_label("Privacy level ε", exact=True), page.get_by_role("checkbox", name="Uniform")
    form(page, taxi)
    for i, (text, message) in enumerate(NO_CONFIGURATIONS):
        load(page, f"c{i}.json", text)
        expect(page.locator("[data-problem]"), text).to_contain_text(f"c{i}.json: {message}")
        expect(page.get_by_role("button", name="Create 1 release"), text).to_be_enabled()
    only(page, "Planned", "Skip")
    level.fill("3")
    parameters(page, "Skip").get_by_label("Landmarks before the first release").select_option("gap")
    add_row(page, "Planned", "Ornstein-Uhlenbeck smoother")
    expect(page.get_by_role("button", name="Create 3 releases")).to_be_enabled()
    saved = Path(downloaded(save_button(page)).path()).read_text()
    specs = [ReleaseSpec.parse(one) for one in json.loads(saved)["releases"]]
    assert {spec.title for spec in specs} == {"Skip", "Planned", "Planned + OU smoother"}
    assert {spec.mechanism.leading for spec in specs if spec.title == "Skip"} == {"gap"}

    form(page, taxi)
    load(page, "saved.json", saved)
    expect(level).to_have_value("3")
    expect(uniform).not_to_be_checked()
    expect(page.get_by_role("checkbox", name="Planned + OU smoother", exact=True)).to_be_checked()
    page.get_by_role("button", name="Create 3 releases").click()
    page.wait_for_url("**/compare/**")
    made = Release.objects.all()
    assert {row.spec_digest for row in made} == {spec.digest for spec in specs}
