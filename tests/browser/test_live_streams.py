"""Live streams in the browser: opened by the form, a chart that advances as counts arrive, pause and close."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from dashboard.accounts.models import User
from dashboard.projects.models import Role
from dashboard.projects.services import add_member, create_project, move_row
from dashboard.streams import services
from dashboard.streams.models import LiveStream, StreamState
from privacy_engine.spec import ReleaseSpec
from tests.browser.conftest import SIZES, check_page
from tests.dashboard import kinds
from tests.patience import patience

PLOT = "[data-chart] .js-plotly-plot"
POINTS = f"document.querySelector('{PLOT}')?.data.find(({{ name }}) => name === 'Published')?.x.length"


def publish(first: int, last: int) -> None:
    events = [{"time": t, "counts": [t, 10 * t]} for t in range(first, last)]
    services.publish_events(stream=LiveStream.objects.get(), events=events)


def wait_for_points(page: Page, number: int) -> None:
    """Wait until the chart shows so many timestamps."""
    end = time.monotonic() + patience(20)
    while page.evaluate(POINTS) != number:
        assert time.monotonic() < end
        page.wait_for_timeout(50)


@pytest.mark.journey
@SIZES
def test_from_the_form_to_a_chart_that_advances(
    open_page: Callable[..., Page], owner: User, size: dict[str, int]
) -> None:
    page = open_page(owner, size=size)
    page.goto("/streams/")
    check_page(page)
    page.get_by_role("textbox", name="Name").fill("Visits")
    page.get_by_role("textbox", name="Dimensions").fill("north\nsouth\n")
    expect(page.get_by_role("combobox", name="Mechanism")).to_have_value("stream-shrink")
    page.get_by_role("combobox", name="Mechanism").select_option("stream-adapub")
    expect(page.locator("[data-parameters]").locator("option", has_text="Sparse vector")).to_have_count(1)
    expect(page.locator("[data-parameters]").locator("option", has_text="no guarantee")).to_have_count(0)
    page.get_by_role("combobox", name="Mechanism").select_option("stream-uniform")
    page.get_by_role("textbox", name="Window").fill("5")
    expect(page.locator("[data-statement]")).to_contain_text("at most 5 successive timestamps")
    expect(page.locator("[data-statement]")).to_contain_text("exp(ε), ε = 1,")
    page.get_by_role("button", name="Open the stream").click()
    page.wait_for_url("**/streams/*-*/")
    expect(page.get_by_text("Nothing was published yet")).to_be_visible()
    check_page(page)

    publish(1, 4)
    expect(page.locator(PLOT)).to_be_visible()
    wait_for_points(page, 3)
    publish(4, 9)
    wait_for_points(page, 8)
    expect(page.get_by_text("Last timestamp: 8")).to_be_visible()
    expect(page.locator("[data-spent]")).to_have_text("1")
    page.get_by_role("combobox", name="Dimension").select_option("south")
    expect(page.get_by_text("Published counts: south")).to_be_visible()
    check_page(page)

    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("heading", name="Paused")).to_be_visible()
    assert LiveStream.objects.get().state == StreamState.PAUSED
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_role("heading", name="Publishing")).to_be_visible()
    page.get_by_role("button", name="Close the stream").click()
    check_page(page)
    page.get_by_role("dialog").get_by_role("button", name="Close the stream").click()
    expect(page.get_by_role("heading", name="Closed")).to_be_visible()
    assert LiveStream.objects.get().state == StreamState.CLOSED


def test_requests_take_the_place_of_a_connection_that_is_refused(
    open_page: Callable[..., Page], owner: User, monitor: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dashboard.streams.live.connect", lambda *_, **__: None)
    monitor.expect(429)
    spec = ReleaseSpec.parse({"mechanism": kinds.STREAM})
    row, _ = services.open_stream(owner=owner, name="Visits", dimensions=["a", "b"], spec=spec)
    page = open_page(owner)
    page.goto(row.page_url)
    expect(page.get_by_text("requested every 2 seconds")).to_be_visible()
    publish(1, 4)
    wait_for_points(page, 3)


@pytest.mark.parametrize("connected", [True, False], ids=["events", "requests"])
def test_changes_by_others_are_shown(
    open_page: Callable[..., Page], owner: User, monitor: Any, monkeypatch: pytest.MonkeyPatch, connected: bool
) -> None:
    """State and spent budget are the server's, also of a window longer than what the page has of it."""
    if not connected:
        monkeypatch.setattr("dashboard.streams.live.connect", lambda *_, **__: None)
        monitor.expect(429)
    monkeypatch.setattr("dashboard.streams.views.SHOWN", 3)
    spec = ReleaseSpec.parse({"mechanism": kinds.STREAM | {"window": 100}})
    row, _ = services.open_stream(owner=owner, name="Visits", dimensions=["a", "b"], spec=spec)
    publish(1, 11)
    page = open_page(owner)
    page.goto(row.page_url)
    spent = page.locator("[data-spent]")
    expect(spent).to_have_text("0.1")
    wait_for_points(page, 3)
    drawn = "document.querySelector('[data-budget-chart] .js-plotly-plot').data.find(({ name }) => name === 'Spent').y"
    assert page.evaluate(drawn) == pytest.approx([0.08, 0.09, 0.1])
    publish(11, 21)
    expect(spent).to_have_text("0.2")
    services.change_state(stream=row, state=StreamState.PAUSED)
    expect(page.get_by_role("heading", name="Paused")).to_be_visible()
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    services.change_state(stream=row, state=StreamState.CLOSED)
    expect(page.get_by_role("heading", name="Closed")).to_be_visible()
    expect(page.get_by_text("The stream is closed.", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Close the stream")).to_be_hidden()
    expect(page.get_by_role("button", name="Resume")).to_be_hidden()


def test_a_viewer_reads_until_the_access_ends(open_page: Callable[..., Page], owner: User, monitor: Any) -> None:
    spec = ReleaseSpec.parse({"mechanism": kinds.STREAM})
    row, _ = services.open_stream(owner=owner, name="Visits", dimensions=["a", "b"], spec=spec)
    project = create_project(owner=owner, name="Team")
    viewer = User.objects.create_user("viewer")
    add_member(project=project, username="viewer", role=Role.VIEWER)
    move_row(user=owner, row=row, project=project.pk)
    page = open_page(viewer)
    page.goto(row.page_url)
    expect(page.get_by_text("What its editors publish appears here.")).to_be_visible()
    publish(1, 4)
    wait_for_points(page, 3)
    for name in ("Pause", "Close the stream"):
        expect(page.get_by_role("button", name=name)).to_have_count(0)
    expect(page.get_by_role("heading", name="Send counts")).to_have_count(0)
    check_page(page)
    move_row(user=owner, row=row, project=None)
    expect(page.get_by_text("You have no access to this stream any more.")).to_be_visible()


@pytest.mark.journey
def test_the_form_names_what_is_wrong(page: Page, monitor: Any) -> None:
    monitor.expect(400)
    page.goto("/streams/")
    page.get_by_role("textbox", name="Name").fill("Visits")
    page.get_by_role("textbox", name="Dimensions").fill("north\nnorth")
    page.get_by_role("button", name="Open the stream").click()
    expect(page.locator("#dimensions-error")).to_contain_text("differs from that of dimension 1")
    expect(page.get_by_role("textbox", name="Dimensions")).to_be_focused()
    assert not LiveStream.objects.exists()
