"""Count streams and check-ins in the browser: from the upload to a verified download, on a desktop and on a phone."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from privacy_engine.verify import verify
from tests.browser.conftest import DESKTOP, PHONE, open_upload
from tests.dashboard import kinds
from tests.patience import patience

JOURNEYS = {
    "stream": (
        kinds.wide(kinds.counts()),
        "40 timestamps",
        "Stream sample",
        {},
        (".chart .js-plotly-plot", "[data-streams][data-ready=all] .heat"),
        ("CSV", "Parquet"),
    ),
    "checkins": (
        kinds.checkins(kinds.checkin_rows()),
        "200 check-ins",
        "Popularity",
        {"East": "2.4", "West": "2.2", "North": "48.9", "South": "48.8"},
        ("[data-cells-rows] tr", "[data-recommend][data-ready=all] [data-rows] button"),
        ("CSV", "JSON"),
    ),
}


@pytest.mark.journey
@pytest.mark.usefixtures("worker")
@pytest.mark.parametrize(("kind", "size"), [("stream", DESKTOP), ("checkins", PHONE)])
def test_from_the_upload_to_the_download(open_page, owner, kind, size):
    body, facts, mechanism, fields, shown, formats = JOURNEYS[kind]
    page = open_page(owner, size=size)
    open_upload(page, "data.csv", body)
    expect(page.locator("header, .title").filter(has_text=facts).first).to_be_visible()
    expect(page.locator(shown[0]).first).to_be_visible(timeout=patience(30_000))

    page.get_by_role("link", name="New release").first.click()
    page.get_by_label(mechanism, exact=True).check()
    for label, value in fields.items():
        page.get_by_label(label, exact=False).first.fill(value)
    submit = page.get_by_role("button", name="Create 1 release")
    expect(submit).to_be_enabled()
    expect(page.locator("[data-promise]")).to_contain_text("probability")
    if kind == "stream":
        expect(page.locator("[data-promise]")).to_contain_text("on average, which is the mean absolute error of zeros")
    else:
        expect(page.locator("[data-promise] .notice")).to_contain_text("recommends no better than the nearest cells")

    submit.click()
    page.wait_for_url("**/compare/**")
    expect(page.locator("#releases")).to_contain_text("done", timeout=patience(30_000))
    page.goto(page.url.split("?")[0])
    expect(page.locator(shown[1]).first).to_be_visible(timeout=patience(30_000))
    for name in formats:
        with page.expect_download() as started:
            page.locator("#releases").get_by_role("link", name=name, exact=False).first.click()
        found = Path(started.value.path()).read_bytes()
        assert verify(found, started.value.suggested_filename).holds
