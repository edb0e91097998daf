"""The audits page in a browser: from the form to a verdict, cancelled, run again, deleted."""

import json

import pytest
from playwright.sync_api import expect

from dashboard.audits.models import Audit
from dashboard.jobs.models import State
from tests.browser.actions import downloaded
from tests.browser.conftest import run_jobs


def choose(page, mechanism):
    page.get_by_label("Mechanism").select_option(label=mechanism)


@pytest.mark.journey
def test_from_the_form_to_a_verdict_and_its_file(page):
    page.goto("/audits/")
    expect(page.get_by_role("heading", name="No audit yet")).to_be_visible()
    trials, start = page.get_by_label("Trials N", exact=True), page.get_by_role("button", name="Start the audit")
    radius, variant = page.get_by_label("Radius r, m", exact=True), page.get_by_label("Variant")
    choose(page, "w-event")
    expect(page.get_by_label("Window w, events", exact=True)).to_have_value("3")
    page.get_by_label("Level ε", exact=True).fill("1")
    radius.fill("200")
    trials.fill("10")
    start.click()
    expect(trials).to_have_attribute("aria-invalid", "true")
    expect(trials).to_be_focused()
    expect(page.locator("[data-field=trials] .field__error")).to_contain_text("1000")
    assert not Audit.objects.exists()
    for mechanism in ("numpy’s Laplace noise", "Skip"):
        choose(page, mechanism)
        expect(radius).to_have_value("200")  # what was typed stays
        expect(variant).to_be_visible(visible=mechanism == "Skip")
    variant.select_option(label="control: half the noise")
    trials.fill("20000")
    start.click()
    page.wait_for_url("**/audits/*-*/")

    audit = page.locator("#audit")
    audit.get_by_role("button", name="Cancel").click()
    audit.get_by_role("button", name="Run again").click()
    expect(audit).to_contain_text("waiting for a worker")
    assert Audit.objects.get().spec["mechanism"]["name"] == "control:half-noise:landmark-skip"
    assert Audit.objects.get().state == State.QUEUED
    run_jobs()
    expect(audit).to_contain_text("The claim is refuted.")  # without the page being loaded again
    expect(audit.locator("tbody tr")).to_have_count(4)
    expect(page.locator("#audits .verdict")).to_have_text("violated")
    result = downloaded(page.get_by_role("link", name="Result as JSON")).path()
    assert json.loads(result.read_text())["verdict"] == "violated"

    page.goto("/audits/")
    page.get_by_role("button", name="Delete Skip, half the noise").click()
    page.locator("#delete-dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", name="No audit yet")).to_be_visible()
    assert not Audit.objects.exists()
