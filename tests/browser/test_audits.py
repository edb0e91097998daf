"""The audits page in a browser: from the form to a verdict, cancelled, run again, deleted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from dashboard.audits.models import Audit
from dashboard.jobs.models import State
from tests.browser.conftest import run_jobs


def fill(page: Page, *, mechanism: str, trials: int = 20_000) -> None:
    page.goto("/audits/")
    page.get_by_label("Mechanism").select_option(label=mechanism)
    page.get_by_label("Level ε", exact=True).fill("1")
    page.get_by_label("Radius r, m", exact=True).fill("200")
    page.get_by_label("Trials N", exact=True).fill(str(trials))


def start(page: Page) -> None:
    page.get_by_role("button", name="Start the audit").click()
    page.wait_for_url("**/audits/*-*/")


@pytest.mark.journey
def test_from_the_form_to_a_refuted_claim_and_its_file(page: Page, tmp_path: Path) -> None:
    page.goto("/audits/")
    expect(page.get_by_role("heading", name="No audit yet")).to_be_visible()
    fill(page, mechanism="Skip")
    page.get_by_label("Variant").select_option(label="control: half the noise")
    start(page)
    expect(page.locator("#audit")).to_contain_text("waiting for a worker")
    assert Audit.objects.get().spec["mechanism"]["name"] == "control:half-noise:landmark-skip"
    run_jobs()
    expect(page.locator("#audit")).to_contain_text("The claim is refuted.")  # without the page being loaded again
    expect(page.locator("#audit tbody tr")).to_have_count(4)
    expect(page.locator("#audits .verdict")).to_have_text("violated")
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Result as JSON").click()
    waiting.value.save_as(tmp_path / "audit.json")
    assert json.loads((tmp_path / "audit.json").read_text())["verdict"] == "violated"
    page.get_by_role("button", name="Delete Skip, half the noise").click()
    page.locator("#delete-dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", name="No audit yet")).to_be_visible()
    assert not Audit.objects.exists()


@pytest.mark.journey
def test_cancelled_and_run_again(page: Page) -> None:
    fill(page, mechanism="Event level", trials=1000)
    start(page)
    page.locator("#audit").get_by_role("button", name="Cancel").click()
    page.locator("#audit").get_by_role("button", name="Run again").click()
    expect(page.locator("#audit")).to_contain_text("waiting for a worker")
    assert Audit.objects.get().state == State.QUEUED
    run_jobs()
    expect(page.locator("#audit")).to_contain_text("did not refute the claim, which does not prove it")


def test_a_value_out_of_its_domain_is_named_beside_its_field(page: Page) -> None:
    fill(page, mechanism="w-event", trials=10)
    expect(page.get_by_label("Window w, events", exact=True)).to_have_value("3")
    page.get_by_role("button", name="Start the audit").click()
    trials = page.get_by_label("Trials N", exact=True)
    expect(trials).to_have_attribute("aria-invalid", "true")
    expect(trials).to_be_focused()
    expect(page.locator("[data-field=trials] .field__error")).to_contain_text("1000")
    assert not Audit.objects.exists()


def test_what_was_typed_stays_when_the_mechanism_changes(page: Page) -> None:
    fill(page, mechanism="Uniform")
    page.get_by_label("Mechanism").select_option(label="Joint")
    expect(page.get_by_label("Radius r, m", exact=True)).to_have_value("200")
    page.get_by_label("Mechanism").select_option(label="numpy’s Laplace noise")
    expect(page.get_by_label("Radius r, m", exact=True)).to_have_value("200")
    expect(page.get_by_label("Variant")).to_be_hidden()
