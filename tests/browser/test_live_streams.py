"""Live streams in the browser: opened by the form, a chart that advances as counts arrive, pause and close."""

import pytest
from playwright.sync_api import expect

from dashboard.streams import services
from dashboard.streams.models import LiveStream, StreamState
from tests.browser.actions import contains
from tests.browser.conftest import check_page
from tests.dashboard import kinds

PLOT = "[data-chart] .js-plotly-plot"
POINTS = f"document.querySelector('{PLOT}')?.data.find(({{ name }}) => name === 'Published')?.x.length"
SPENT = "document.querySelector('[data-budget-chart] .js-plotly-plot').data.find(({ name }) => name === 'Spent').y"


def publish(first, last):
    events = [{"time": t, "counts": [t, 10 * t]} for t in range(first, last)]
    services.publish_events(stream=LiveStream.objects.get(), events=events)


def wait_for_points(page, number):
    """Wait until the chart shows so many timestamps."""
    page.wait_for_function(f"(number) => {POINTS} === number", arg=number)


def expect_state(page, state):
    expect(page.get_by_role("heading", name=state)).to_be_visible()


@pytest.mark.journey
def test_from_the_form_to_a_chart_that_advances_and_is_closed(page, monitor):
    monitor.expect(400)
    page.goto("/streams/")
    page.get_by_role("link", name="Open a live stream").click()
    dimensions, open_it = page.get_by_role("textbox", name="Dimensions"), page.get_by_role("button", name="Open the")
    page.get_by_role("textbox", name="Name").fill("Visits")
    dimensions.fill("north\nnorth")
    open_it.click()
    expect(page.locator("#dimensions-error")).to_contain_text("differs from that of dimension 1")
    expect(dimensions).to_be_focused()
    assert not LiveStream.objects.exists()
    dimensions.fill("north\nsouth\n")
    mechanism, options = page.get_by_role("combobox", name="Mechanism"), page.locator("[data-parameters] option")
    expect(mechanism).to_have_value("stream-shrink")
    mechanism.select_option("stream-adapub")
    expect(options.filter(has_text="Sparse vector")).to_have_count(1)
    expect(options.filter(has_text="no guarantee")).to_have_count(0)
    mechanism.select_option("stream-uniform")
    page.get_by_role("textbox", name="Window").fill("5")
    contains(page.locator("[data-statement]"), "at most 5 successive timestamps", "exp(ε), ε = 1,")
    open_it.click()
    page.wait_for_url("**/streams/*-*/")
    expect(page.get_by_text("Nothing was published yet")).to_be_visible()

    publish(1, 2)
    expect(page.locator(PLOT)).to_be_visible()
    expect(page.locator(".chart__unit").first).to_have_text("1 timestamp")
    publish(2, 9)
    wait_for_points(page, 8)
    expect(page.get_by_text("Last timestamp: 8")).to_be_visible()
    expect(page.locator("[data-spent]")).to_have_text("1")
    page.get_by_role("combobox", name="Dimension").select_option("south")
    expect(page.get_by_text("Published counts: south")).to_be_visible()

    page.get_by_role("button", name="Pause").click()
    expect_state(page, "Paused")
    assert LiveStream.objects.get().state == StreamState.PAUSED
    page.get_by_role("button", name="Resume").click()
    expect_state(page, "Publishing")
    page.get_by_role("button", name="Close the stream").click()
    check_page(page)
    page.get_by_role("dialog").get_by_role("button", name="Close the stream").click()
    expect_state(page, "Closed")
    assert LiveStream.objects.get().state == StreamState.CLOSED


def test_changes_by_others_are_shown(page, owner, monkeypatch):
    """State and spent budget are the server's, also of a window longer than what the page has of it."""
    monkeypatch.setattr("dashboard.streams.views.SHOWN", 3)
    row = kinds.live_stream(owner, ("a", "b"), window=100)
    publish(1, 11)
    page.goto(row.page_url)
    spent = page.locator("[data-spent]")
    expect(spent).to_have_text("0.1")
    wait_for_points(page, 3)
    assert page.evaluate(SPENT) == pytest.approx([0.08, 0.09, 0.1])
    publish(11, 21)
    expect(spent).to_have_text("0.2")
    resume = page.get_by_role("button", name="Resume")
    services.change_state(stream=row, state=StreamState.PAUSED)
    expect_state(page, "Paused")
    expect(resume).to_be_visible()
    services.change_state(stream=row, state=StreamState.CLOSED)
    expect_state(page, "Closed")
    expect(page.get_by_text("The stream is closed.", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Close the stream")).to_be_hidden()
    expect(resume).to_be_hidden()
