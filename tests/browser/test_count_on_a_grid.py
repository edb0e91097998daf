"""From a dataset of positions to a released count stream in the browser."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import open_upload
from tests.dashboard import kinds
from tests.dashboard.test_aggregation import HEADER, ROWS
from tests.patience import patience


@pytest.mark.journey
@pytest.mark.usefixtures("worker")
def test_from_positions_to_a_release_of_their_counts(phone, monitor):
    open_upload(phone, "events.csv", kinds.checkins(ROWS, HEADER))
    phone.locator("summary[aria-label=More]").first.click()
    phone.get_by_role("link", name="Count on a grid").click()

    expected, problem = phone.locator("[data-expected]"), phone.locator("[data-problem]")
    expect(expected).to_contain_text("Not covered: the box of the grid, which was taken from the data.")
    phone.get_by_label("West").fill("2.2")
    expect(expected).to_contain_text("Give all four sides of the box, or none.")
    for label, value in {"South": "48.8", "East": "2.21", "North": "48.83"}.items():
        phone.get_by_label(label).fill(value)
    phone.get_by_role("textbox", name="Cells counted").fill("2")
    expect(expected).to_contain_text("Sensitivity 2: a person counts in at most 2 cells of a timestamp.")
    expect(expected).not_to_contain_text("the box of the grid")
    expect(expected).to_contain_text("1 event outside the box or the steps")
    bar = phone.locator("[data-submit-bar]")
    expect(bar).to_contain_text(f"{len(ROWS) - 1} of {len(ROWS)} events")
    phone.get_by_label("North").fill("48.801")
    expect(bar).to_contain_text("No event is in the box and the steps.")
    phone.get_by_label("North").fill("48.83")

    monitor.expect(400)
    phone.get_by_role("textbox", name="Cell size").fill("1")
    expect(phone.locator("[data-field=cell_m] .field__error")).to_contain_text("at most 20,000 cells")
    phone.get_by_label("What counts once").select_option("event")
    expect(phone.get_by_label("Which cells")).to_be_hidden()
    phone.get_by_label("What counts once").select_option("person")
    phone.get_by_role("textbox", name="Cell size").fill("1112")
    submit = phone.get_by_role("button", name="Count the events")
    expect(submit).to_be_enabled()
    expect(problem).to_be_hidden()
    submit.click()

    phone.wait_for_url("**/datasets/*/")
    expect(phone.locator(".chart .js-plotly-plot").first).to_be_visible(timeout=patience(30_000))
    expect(phone.locator("#reading")).to_contain_text("one person in at most 2 cells")
    phone.get_by_role("link", name="New release").first.click()
    expect(phone.locator("[data-promise]")).to_contain_text("which covers all events of one person at these timestamps")
    sensitivity = phone.get_by_role("textbox", name="Sensitivity")
    expect(sensitivity).to_have_value("2")
