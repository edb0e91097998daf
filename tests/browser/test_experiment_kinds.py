"""Experiments on count streams and check-ins in the browser: compose, run, read, download; on a desktop and a phone."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import Page, expect

from dashboard.accounts.models import User
from dashboard.datasets.services import import_dataset
from dashboard.experiments.models import Experiment
from dashboard.experiments.services import submit_experiment
from privacy_engine.experiments import ExperimentSpec, measures, presets
from privacy_engine.mechanism import mechanisms
from tests.browser.browser_profiles import PageMonitor
from tests.browser.conftest import SIZES, check_page, run_jobs
from tests.dashboard import kinds
from tests.patience import patience

FILES = {"stream": kinds.wide(kinds.counts()), "checkins": kinds.checkins(kinds.checkin_rows())}
SWEPT = {"stream": ("Window", "5, 10"), "checkins": ("Cells per side", "4, 8")}
VERTICAL = """() => { const { data, _fullLayout: { yaxis } } = document.querySelector(".js-plotly-plot");
  const values = data.filter(({ name }) => name).flatMap(({ y }) => [...y]);
  return [yaxis.type, yaxis.range, values, yaxis.title.text.replaceAll("<br>", " ")] }"""
DATA = {"stream": "Generated stream", "checkins": "Generated check-ins"}


def opened(page: Page, query: str) -> None:
    page.goto(f"/experiments/new/?{query}")
    expect(page.locator("[data-form][data-ready=all]")).to_be_visible(timeout=patience(20_000))
    expect(page.locator("[data-plan]")).to_contain_text("repetitions", timeout=patience(20_000))
    page.evaluate("document.querySelectorAll('[data-fold]').forEach((fold) => (fold.open = true))")


def spec_text(page: Page) -> Any:
    return json.loads(page.locator("[data-text]").input_value())


@pytest.mark.journey
@pytest.mark.usefixtures("worker")
@SIZES
@pytest.mark.parametrize("kind", ["checkins", pytest.param("stream", marks=pytest.mark.slow)])
def test_from_the_form_to_the_table(
    open_page: Callable[..., Page], owner: User, kind: str, size: dict[str, int], tmp_path: Path
) -> None:
    dataset = import_dataset(owner=owner, upload=ContentFile(FILES[kind], name="data.csv"))
    page = open_page(owner, size=size)
    opened(page, f"kind={kind}")
    for cls in (one for one in mechanisms.of(kind) if not getattr(one, "needs_venues", False)):
        expect(page.locator("[data-mechanisms]").get_by_label(cls.title, exact=True)).to_be_checked()
    expect(page.locator("[data-landmarks], [data-correlation], [data-dummies]")).to_have_count(0)
    expect(page.locator("[data-measures] [name=measure]")).to_have_count(len(measures.of(kind)))
    check_page(page)

    label, values = SWEPT[kind]
    page.locator("[data-swept]").get_by_label(label, exact=False).first.fill(values)
    page.locator("[data-swept]").get_by_label("Level", exact=False).first.fill("1")
    page.get_by_role("textbox", name="Repetitions").fill("2")
    page.locator("[data-data]").get_by_label("A dataset").check()
    expect(page.locator("[data-plan]")).to_contain_text("× 2 repetitions")
    expect(page.locator("[data-plan]")).to_contain_text("120 counts" if kind == "stream" else "200 check-ins")
    assert "data" not in spec_text(page)["base"]
    page.get_by_role("button", name="Run the experiment").click()
    page.wait_for_url("**/experiments/*-*/")
    expect(page.locator("[data-state-text]")).to_have_text("Done", timeout=patience(60_000))
    expect(page.locator("[data-results][data-ready=all]")).to_be_visible(timeout=patience(30_000))
    expect(page.locator(".js-plotly-plot").first).to_be_visible(timeout=patience(30_000))
    row = Experiment.objects.get()
    assert (row.kind, row.dataset_id) == (kind, dataset.pk)
    units = {one.full_title: one.unit for one in row.parsed_spec.metrics}
    about = page.locator("[data-about]")
    for title, unit in units.items():
        expect(about).to_contain_text(f"{title} {unit}".strip())
    heads = page.locator("[data-numbers] thead th").all_text_contents()
    assert "marked" not in heads
    expect(page.locator("[data-numbers] tbody tr")).to_have_count(len(list(row.parsed_spec.points())))
    expect(page.locator(".title")).to_contain_text("not private")
    check_page(page)

    page.get_by_text("Download", exact=False).first.click()
    with page.expect_download() as started:
        page.get_by_role("link", name="Table as CSV").click()
    rows = list(csv.DictReader(Path(started.value.path()).read_text().splitlines()))
    assert {one["metric"] for one in rows} == {one.column_name for one in row.parsed_spec.metrics}
    assert len(rows) == len(list(row.parsed_spec.points())) * len(units)


@pytest.mark.parametrize("kind", FILES)
def test_the_form_and_its_text_are_one(
    open_page: Callable[..., Page], owner: User, kind: str, monitor: PageMonitor
) -> None:
    monitor.expect(400)  # the text that is no spec, unless the form replaces it before it is sent
    page = open_page(owner)
    opened(page, f"kind={kind}")
    before = spec_text(page)
    assert before["kind"] == kind
    page.locator("[data-json] summary").click()
    text = page.locator("[data-text]")
    text.fill(json.dumps(before | {"repetitions": 7}))
    expect(page.get_by_role("textbox", name="Repetitions")).to_have_value("7")
    expect(page.locator("[data-by-hand]")).to_be_hidden()
    unusual = before | {"grid": before["grid"] | {"common": [True]}}
    text.fill(json.dumps(unusual))
    expect(page.locator("[data-text-error], [data-by-hand]").first).to_be_visible()
    page.get_by_role("button", name="Use the form instead").click()
    expect(page.locator("[data-formed]")).to_be_visible()
    level = page.locator("[data-swept]").get_by_label("Level", exact=False).first
    level.fill("99999")
    level.blur()
    expect(page.locator("[data-swept]")).to_contain_text("Must be at most 10000")


@pytest.mark.parametrize("kind", FILES)
def test_a_preset_runs_from_the_list_on_generated_data(open_page: Callable[..., Page], owner: User, kind: str) -> None:
    page = open_page(owner)
    page.goto("/experiments/")
    page.locator(f"#presets-{kind} > summary").click()
    page.locator(f"[data-run][data-kind={kind}]").first.click()
    page.wait_for_url("**/experiments/*-*/")
    row = Experiment.objects.get()
    assert (row.kind, row.dataset_id) == (kind, None)
    expect(page.locator(".title")).to_contain_text("generated")
    page.get_by_role("link", name="Clone and edit").click()
    expect(page.locator("[data-form][data-ready=all]")).to_be_visible(timeout=patience(20_000))
    expect(page.locator("[data-by-hand]")).to_be_hidden()
    expect(page.locator("[data-data]").get_by_label("Generated data")).to_be_checked()
    rows = page.locator("[data-data] [data-row]")
    expect(rows).to_have_count(2 if kind == "stream" else 1)
    expect(rows.first).to_contain_text(DATA[kind])


def test_one_more_parameter_of_what_is_chosen_is_swept(
    open_page: Callable[..., Page], owner: User, monitor: PageMonitor
) -> None:
    monitor.expect(400)  # a value that the server refuses
    page = open_page(owner)
    opened(page, "preset=stream-samples")
    other = page.get_by_label("Also sweep")
    expect(other).to_have_value("release.mechanism.samples")
    expect(page.locator("[data-other]").get_by_label("Samples", exact=False)).to_have_value("1, 2, 5, 10, 20, 50, 100")
    page.locator("[data-mechanisms]").get_by_label("Stream uniform", exact=True).check()
    expect(other).to_have_value("")
    expect(other.locator("option")).to_have_text(["Nothing else", "Timestamps T", "Dimensions d"])
    assert "release.mechanism.samples" not in spec_text(page)["grid"]
    other.select_option("dimensions")
    page.locator("[data-other]").get_by_label("Dimensions", exact=False).fill("1, 2, 30")
    expect(page.locator("[data-other]")).to_contain_text("Value 3: Must be at most 20")
    page.locator("[data-other]").get_by_label("Dimensions", exact=False).fill("1, 2")
    expect(page.locator("[data-plan]")).to_contain_text("Dimensions d · horizontal axis")
    assert spec_text(page)["grid"]["dimensions"] == [1, 2]
    check_page(page)


@pytest.mark.parametrize("preset", [cls.registered_name() for cls in presets.of("stream")])
def test_the_form_holds_every_preset(open_page: Callable[..., Page], owner: User, preset: str) -> None:
    page = open_page(owner)
    opened(page, f"preset={preset}")
    expect(page.locator("[data-by-hand]")).to_be_hidden()
    found = ExperimentSpec.parse(spec_text(page))
    assert [cell.digest for cell in found.cells()] == [
        cell.digest for cell in presets.parse({"name": preset}).spec().cells()
    ]


def test_negative_correlations_are_drawn(open_page: Callable[..., Page], owner: User) -> None:
    small = kinds.wide(kinds.counts() % 3)
    dataset = import_dataset(owner=owner, upload=ContentFile(small, name="data.csv"))
    run_jobs()
    preset = presets.parse({"name": "stream-correlation", "repetitions": 2})
    row = submit_experiment(owner=owner, dataset=dataset, preset=preset)
    run_jobs()
    page = open_page(owner)
    page.goto(f"/experiments/{row.pk}/")
    expect(page.locator("[data-results][data-ready=all]")).to_be_visible(timeout=patience(30_000))
    kind, (low, high), values = page.evaluate(VERTICAL)[:3]
    assert kind == "linear"
    assert low < min(values) < 0 < max(values) < high
    page.get_by_role("button", name="logarithmic axis").click()
    page.wait_for_function(f"({VERTICAL})()[0] === 'log'")
    assert "values below 0 are not shown" in page.evaluate(VERTICAL)[3]
    check_page(page)
