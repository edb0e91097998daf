"""What can be opened on a page, dialogs, panels and views: each is checked with every page, and is a screenshot."""

from playwright.sync_api import expect

from dashboard.accounts.models import UserSession
from tests.browser.actions import act_on
from tests.browser.fixtures import DAYS, WALK, csv_file
from tests.browser.page_checks import UNFOLD


def _term(page):
    term = page.locator(".term:visible").first
    term.focus()
    page.wait_for_selector(f"#{term.get_attribute('popovertarget')}:popover-open")


def _jobs(page):
    page.locator("[data-jobs-button]").click()
    page.wait_for_selector("#jobs:popover-open .job")


def _delete(page):
    page.locator("[data-delete]:visible").first.click()
    page.wait_for_selector("#delete-dialog[open]")


def _numbers(page):
    page.get_by_label("Budget per event: save or show numbers").click()
    page.get_by_role("button", name="Data table").click()
    page.wait_for_selector("dialog[open] tbody tr")


def _smooth(page):
    act_on(page, "Uniform · ε", "Smooth")
    page.wait_for_selector("#smooth-dialog[open] [data-steps] > *")


def _detection(page):
    page.locator("[data-detection] summary").first.evaluate("(summary) => (summary.parentElement.open = true)")
    page.wait_for_selector("[data-roc] .js-plotly-plot")
    page.locator("[data-detection]").scroll_into_view_if_needed()


def _built_in(page):
    page.locator(".map-note__button").first.click()
    page.get_by_role("radio", name="Built in").check()
    page.wait_for_selector("canvas[data-layer=names][data-drawn]")


def _base_map(page):
    _built_in(page)
    page.keyboard.press("Escape")
    page.wait_for_load_state("networkidle")


def _place(page):
    _base_map(page)
    page.get_by_role("button", name="Find a place").first.click()
    page.get_by_role("combobox", name="Find a city").fill("zur")
    page.wait_for_selector(".place-search__option")


def _refused(page):
    page.get_by_text("Import settings").click()
    files = {"good.csv": WALK + b",,\n", "empty.csv": b"", "days.csv": DAYS}
    page.set_input_files("input[type=file]", [csv_file(name, body) for name, body in files.items()])
    expect(page.get_by_role("article", name="good.csv")).to_contain_text("refused")
    expect(page.get_by_role("article", name="days.csv").get_by_role("group")).to_be_visible()


def _own_file(page):
    page.locator(".map-note__button").first.click()
    page.get_by_role("radio", name="File").check()


def _distribution(page):
    page.locator("input[value=distribution]").locator("xpath=ancestor::label").click()
    page.wait_for_selector("[data-chart=error] .chart__dot")


def _simulated(page):
    page.locator("input[value=epsilon]").locator("xpath=ancestor::label").click()
    expect(page.locator(".chart__text")).to_contain_text("reads the original")


def _picker(page):
    page.get_by_role("button", name="Choose releases").click()
    expect(page.get_by_role("dialog", name="Choose releases to compare")).to_be_visible()


def _enlarged(page):
    page.locator(".chart__enlarge:visible").first.press("Enter")
    expect(page.locator(".chart__large[open]")).to_be_visible()


def _dummies(page):
    page.get_by_role("radio", name="Heuristic").check()
    page.get_by_role("button", name="Sample dummies").click()
    expect(page.locator("[data-drawn]")).to_be_focused()


def _logged_out(page):
    page.evaluate(UNFOLD)
    page.get_by_label("Repetitions", exact=True).fill("3")
    expect(page.locator("[data-plan]")).to_contain_text("× 3 repetitions")
    UserSession.objects.all().delete()
    page.get_by_role("button", name="Run the experiment").click()
    expect(page.get_by_role("dialog", name="Log in again")).to_be_visible()


def _restored(page):
    page.evaluate(UNFOLD)
    page.get_by_label("Repetitions", exact=True).fill("4")
    page.wait_for_function("() => Object.keys(sessionStorage).some((key) => key.startsWith('cairn:form:'))")
    page.reload()
    expect(page.get_by_role("group", name="Restored form")).to_be_visible()


# By page, in the order in which they are opened there; Escape closes each
STATES = {
    "datasets": {"delete": _delete, "refused-uploads": _refused},
    "dataset": {"jobs": _jobs, "base-map-file": _own_file},
    "first-dataset": {"base-map-panel": _built_in, "base-map": _base_map, "base-map-places": _place},  # chosen already
    "release": {"term": _term},
    "dummies": {"dummies-drawn": _dummies},
    "compare": {
        "numbers": _numbers,
        "smooth": _smooth,
        "picker": _picker,
        "enlarged": _enlarged,
        "distribution": _distribution,
        "simulated": _simulated,
    },
    "stream-compare": {"stream-detection": _detection},
    "new-experiment": {"restored": _restored, "logged-out": _logged_out},
}
