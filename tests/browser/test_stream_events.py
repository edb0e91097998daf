"""Detection of events in count streams, counts on a map, and the live stream beside a comparison."""

import re

from django.core.files.base import ContentFile
from django.urls import reverse
from playwright.sync_api import expect

from dashboard.datasets.aggregation import aggregate_dataset
from dashboard.datasets.services import import_dataset
from dashboard.streams.services import publish_events
from privacy_engine.aggregation import AggregationSpec
from tests.browser.actions import contains
from tests.browser.conftest import accessibility_faults, run_jobs
from tests.browser.stream_pages import COUNTS, READY, compared, opened
from tests.cases import refreshed
from tests.dashboard import kinds
from tests.dashboard.release_runs import submitted
from tests.patience import patience


def test_detection_compares_releases_beside_the_live_stream_of_the_same_dimensions(open_page, owner, monitor):
    monitor.expected = {400}
    dataset = compared(owner, kinds.wide(COUNTS), kinds.STREAM, kinds.SAMPLE)
    names = [one["name"] for one in dataset.summary["dimensions"]]
    live = kinds.live_stream(owner, names, "Visitors now")
    page = opened(open_page(owner), dataset)
    rows, chart = page.locator("[data-detection-table] tbody tr"), page.locator("[data-roc]")
    length, threshold = page.get_by_label("Timestamps", exact=True), page.get_by_label("Threshold")
    again = page.get_by_role("button", name="Compare", exact=True)
    page.get_by_text("Detection of jumps and low signals").click()
    expect(rows).to_have_count(2)
    expect(page.locator("[data-roc] .js-plotly-plot")).to_be_visible()

    def compare(timestamps, level):
        length.fill(str(timestamps))
        threshold.fill(level)
        again.click()

    compare(2, "20")
    expect(rows.first).to_contain_text(f"{(abs(COUNTS[2:] - COUNTS[:-2]) >= 20).sum():,}")
    compare(40, "20")
    expect(page.locator("#detection-length-error")).to_contain_text("at most 39")
    expect(rows).to_have_count(0)
    expect(chart).to_be_hidden()
    compare(2, "1e12")
    expect(rows.first).to_contain_text("no such event")
    expect(chart).to_be_visible()
    assert not accessibility_faults(page)

    card = page.locator("[data-live-card]")
    expect(card).to_contain_text("no timestamp yet")
    publish_events(stream=live, events=[{"time": kinds.day(0), "counts": COUNTS[0].tolist()}])
    contains(card, f"last timestamp {kinds.day(0)}", "ε 0.25 of 1 spent")
    for button, state in (("Pause", "paused"), ("Resume", "open")):
        card.get_by_role("button", name=button).click()
        expect(card).to_have_attribute("data-state", state)
        assert refreshed(live).state == state


def test_counted_cells_are_played_on_the_map(open_page, owner):
    source = import_dataset(owner=owner, upload=ContentFile(kinds.checkins(kinds.checkin_rows()), name="Check-ins.csv"))
    run_jobs()
    box = [kinds.POPULARITY[side] for side in ("west", "south", "east", "north")]
    spec = AggregationSpec.parse({"cell_m": 2000.0, "step": "10min", "unit": "person", "most": 2, "box": box})
    waiting = aggregate_dataset(dataset=refreshed(source), spec=spec)
    run_jobs()
    counted = refreshed(waiting)
    submitted(counted, kinds.STREAM | {"sensitivity": counted.counted.sensitivity})
    run_jobs()
    page = opened(open_page(owner), counted)
    canvas = page.locator("canvas[data-layer=counts]")
    expect(canvas).to_have_attribute("data-drawn", re.compile(r"\d+"))
    at_last = page.locator("[data-map]").get_attribute("data-column")
    first = page.evaluate("document.querySelector('canvas[data-layer=counts]').toDataURL()")
    page.get_by_role("button", name="Play").click()
    expect(page.locator("[data-map]")).not_to_have_attribute("data-column", at_last or "")
    page.locator(".heat").focus()
    page.keyboard.press("p")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    page.keyboard.press("Home")
    expect(page.locator("[data-map]")).to_have_attribute("data-column", "0")
    page.wait_for_function(
        "(first) => document.querySelector('canvas[data-layer=counts]').toDataURL() !== first", arg=first
    )
    values = page.locator("[data-values]")
    before = values.text_content() or ""
    page.locator("[data-map]").click()  # in its middle
    expect(values).not_to_have_text(before)
    expect(page.locator("[data-promise]")).to_contain_text("exp(ε)")
    assert not accessibility_faults(page)

    page.goto(f"{reverse('releases:compare', args=[counted.pk])}?range=1-3")
    expect(page.locator(READY)).to_be_visible(timeout=patience(30_000))
    page.get_by_label("Speed", exact=True).select_option("86400")
    page.get_by_role("button", name="Play").press("P")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    expect(page.locator("[data-map]")).to_have_attribute("data-column", "2")
