"""Charts of counts: the labels of their axis, and a check box for each line."""

from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.urls import reverse
from playwright.sync_api import expect

from dashboard.datasets.services import import_dataset
from dashboard.releases.services import submit_release
from privacy_engine.spec import ReleaseSpec
from tests.browser.conftest import PHONE, run_jobs
from tests.dashboard import kinds

PLOT = ".js-plotly-plot"
LABELS = """() => { const left = document.querySelector(".js-plotly-plot .main-svg").getBoundingClientRect().left;
  return [...document.querySelectorAll(".js-plotly-plot .ytick text")].map((label) => {
    const box = label.getBoundingClientRect();
    return { text: label.textContent, left: box.left - left, right: box.right - left };
  }) }"""
OFFSET = """() => document.querySelector(".js-plotly-plot")._fullLayout.xaxis._offset"""
DRAWN = """() => document.querySelector("[data-multiples]").dataset.lines.split(" ").filter(Boolean)"""


@pytest.mark.journey
def test_labels_are_inside_and_every_line_can_be_hidden(open_page, owner):
    phone = open_page(owner, size=PHONE)
    for scale, highest in ((20_000, "5e9"), (100, "25,000,000"), (1, "250,000")):
        body = kinds.wide(kinds.counts() * scale)
        dataset = import_dataset(owner=owner, upload=ContentFile(body, name="Counts.csv"))
        run_jobs()
        phone.goto(reverse("datasets:detail", args=[dataset.pk]))
        expect(phone.locator(PLOT)).to_be_visible()
        labels: list[dict[str, Any]] = phone.evaluate(LABELS)
        assert labels[-1]["text"] == highest
        assert min(label["left"] for label in labels) >= 0, highest
        assert max(label["right"] for label in labels) <= phone.evaluate(OFFSET), highest

    submit_release(owner=owner, dataset=dataset, spec=ReleaseSpec.parse({"mechanism": kinds.STREAM}))
    run_jobs()
    page = open_page(owner)
    page.goto(reverse("releases:compare", args=[dataset.pk]))
    expect(page.locator("[data-streams][data-ready=all]")).to_be_visible()
    lines = page.evaluate(DRAWN)
    assert len(lines) == 2
    for line in lines:
        box = page.locator(f"[data-line='{line}']")
        for visible in (False, True):
            box.set_checked(visible)
            page.wait_for_function(f"({DRAWN})().includes('{line}') === {str(visible).lower()}")
            assert set(page.evaluate(DRAWN)) == (set(lines) if visible else set(lines) - {line})
