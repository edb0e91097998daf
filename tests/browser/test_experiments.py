"""Experiments before the reader: from a click to a figure that fills in, stopped, resumed, compared, saved."""

import csv
from contextlib import suppress

import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import expect

from dashboard.datasets.services import import_dataset
from dashboard.experiments.models import Experiment, ExperimentPart
from dashboard.experiments.services import submit_experiment
from privacy_engine.experiments import measures, presets
from privacy_engine.mechanisms.base.mechanism import mechanisms
from tests.browser.actions import downloaded
from tests.browser.conftest import DESKTOP, PHONE, run_jobs
from tests.browser.test_experiment_form import form, plan, spec_of
from tests.dashboard import kinds
from tests.dashboard.experiment_runs import work_off
from tests.patience import patience

PLOTS = """() => [...document.querySelectorAll(".js-plotly-plot")].map((plot) => Object.fromEntries(
  plot.data.filter(({ name }) => name).map(({ name, x, y, visible }) => [name, { x: [...x], y: [...y], visible }])))"""

FILES = {"stream": kinds.wide(kinds.counts()), "checkins": kinds.checkins(kinds.checkin_rows())}
SWEPT = {"stream": ("Window", "5, 10"), "checkins": ("Cells per side", "4, 8")}


def drawn(page):
    return int(page.locator("[data-panels]").get_attribute("data-drawn") or 0)


def saved(page, chart, kind):
    page.get_by_label(f"{chart}: save or show numbers").click()
    return downloaded(page.locator(".chart", has_text=chart).get_by_role("button", name=kind, exact=True))


def table(page):
    """The rows of the page's table, as a download."""
    file = downloaded(page.get_by_role("link", name="Table as CSV")).path()
    return list(csv.DictReader(file.read_text().splitlines()))


def submitted(owner, **changes):
    preset = presets.parse({"name": "temporal-distance", "repetitions": 5} | changes)
    return submit_experiment(owner=owner, preset=preset)


def test_loss_under_correlation_from_a_click_to_its_files(page, monkeypatch):
    page.goto("/experiments/")
    page.get_by_role("button", name="Run Loss under correlation").click()
    state = page.locator("[data-state-text]")
    expect(state).to_have_text("Waiting for a worker, first in the queue")
    expect(page.get_by_role("heading", name="Strong, s = 0.01")).to_be_visible()
    assert drawn(page) == 0
    with suppress(KeyboardInterrupt):
        work_off(4, end=KeyboardInterrupt)  # its worker is killed then
    expect(state).to_contain_text("Computing")
    expect(page.locator("[data-panels]")).not_to_have_attribute("data-drawn", "0")
    some = drawn(page)
    page.get_by_role("button", name="Cancel", exact=True).click()
    expect(state).to_contain_text("Stopped")
    assert not ExperimentPart.objects.exists()
    page.get_by_role("button", name="Resume", exact=True).click()
    expect(state).to_have_text("Waiting for a worker, first in the queue")
    assert drawn(page) >= some  # what was computed is shown still
    with monkeypatch.context() as broken:
        broken.setattr("privacy_engine.experiments.run_block", None)
        work_off()
    expect(page.locator("[data-problem]")).to_contain_text("Internal error.")
    page.get_by_role("button", name="Resume", exact=True).click()
    expect(state).to_have_text("Waiting for a worker, first in the queue")
    run_jobs()
    expect(page.locator("[data-problem]")).to_be_hidden()
    expect(state).to_have_text("Done")
    expect(page.locator("[data-panels]")).to_have_attribute("data-drawn", str(3 * 5 * 6 + 3 * 6))

    image = saved(page, "Strong, s = 0.01", "SVG")
    assert image.path().read_text().startswith("<svg")
    assert image.suggested_filename == "Loss-under-correlation-synthetic-series_loss-own_Strong-s-0.01.svg"
    page.get_by_text("Download", exact=True).click()
    pgfplots = downloaded(page.get_by_role("link", name="Figure’s table for LaTeX (pgfplots)"))
    assert "\\cairn" in pgfplots.path().read_text()
    rows = table(page)
    plots = page.evaluate(PLOTS)
    assert [len(plot) for plot in plots] == [6, 6, 6]
    strong = {"metric": "loss-own", "correlation.smoothing": "0.01", "landmarks.distribution": "left-skewed"}
    ends = [float(row["mean"]) for row in rows if strong.items() <= row.items()]
    assert plots[2]["Towards the end (left-skewed)"]["y"] == pytest.approx(ends, rel=1e-12)

    page.get_by_label("Charts by").select_option(label="Where landmarks lie")
    expect(page.locator(".js-plotly-plot")).to_have_count(5)
    lines = page.locator("[data-lines] button")
    expect(lines).to_have_text(["No correlation", "Weak, s = 1", "Moderate, s = 0.1", "Strong, s = 0.01"])
    lines.nth(3).click()
    expect(lines.nth(3)).to_have_attribute("aria-pressed", "false")
    assert page.evaluate(PLOTS)[0]["Strong, s = 0.01"]["visible"] is False
    page.get_by_label("Charts by").select_option(label="one chart")
    expect(page.locator(".js-plotly-plot")).to_have_count(1)
    expect(page.get_by_label("Where landmarks lie")).to_be_visible()
    page.get_by_label("Measure", exact=True).select_option(label="Loss of landmarks and one event, mean over events")
    expect(page.locator("[data-measure]")).to_have_text("Loss of landmarks and one event, mean over events")


@pytest.mark.usefixtures("worker")
@pytest.mark.parametrize(("kind", "size"), [("checkins", PHONE), ("stream", DESKTOP)])
def test_another_kind_from_the_form_to_the_table(open_page, owner, kind, size):
    dataset = import_dataset(owner=owner, upload=ContentFile(FILES[kind], name="data.csv"))
    page = open_page(owner, size=size)
    form(page, f"?kind={kind}")
    for cls in (one for one in mechanisms.of(kind) if not one.needs_venues):
        expect(page.locator("[data-mechanisms]").get_by_label(cls.title, exact=True)).to_be_checked()
    expect(page.locator("[data-landmarks], [data-correlation], [data-dummies]")).to_have_count(0)
    expect(page.locator("[data-measures] [name=measure]")).to_have_count(len(measures.of(kind)))

    label, values = SWEPT[kind]
    page.locator("[data-swept]").get_by_label(label, exact=False).first.fill(values)
    page.locator("[data-swept]").get_by_label("Level", exact=False).first.fill("1")
    page.get_by_role("textbox", name="Repetitions").fill("2")
    page.locator("[data-data]").get_by_label("A dataset").check()
    expect(plan(page)).to_contain_text("× 2 repetitions")
    expect(plan(page)).to_contain_text("120 counts" if kind == "stream" else "200 check-ins")
    assert "data" not in spec_of(page)["base"]
    page.get_by_role("button", name="Run the experiment").click()
    page.wait_for_url("**/experiments/*-*/")
    expect(page.locator("[data-state-text]")).to_have_text("Done", timeout=patience(60_000))
    expect(page.locator("[data-results][data-ready=all]")).to_be_visible(timeout=patience(30_000))
    expect(page.locator(".js-plotly-plot").first).to_be_visible(timeout=patience(30_000))
    row = Experiment.objects.get()
    assert (row.kind, row.dataset_id) == (kind, dataset.pk)


@pytest.mark.journey
def test_presets_run_from_the_list(page, taxi):
    state = page.locator("[data-state-text]")
    page.goto("/experiments/")
    page.get_by_label("Data", exact=True).select_option(label=f"Taxi day, {taxi.points} events")
    page.get_by_role("button", name="Run Temporal distance by distribution").click()
    expect(page.get_by_role("heading", name="Temporal distance by distribution")).to_be_visible()
    expect(state).to_be_visible()
    run_jobs()
    expect(state).to_have_text("Done")
    made = Experiment.objects.get()
    assert (made.dataset, made.lengths) == (taxi, [taxi.points])
    expect(page.get_by_role("link", name="Taxi day")).to_be_visible()


def test_runs_are_listed_compared_renamed_and_deleted(page, owner):
    first, second = submitted(owner, seed=1), submitted(owner, seed=2)
    run_jobs()
    page.goto("/experiments/")
    runs = page.locator(".runs")
    expect(runs.get_by_role("columnheader")).to_contain_text(["Run", "State", "Seed"])
    expect(runs.locator("tbody tr")).to_have_count(2)
    assert second.name.endswith("seed 2")
    runs.get_by_role("link", name="Seed", exact=True).click()
    expect(runs.get_by_role("columnheader", name="Seed")).to_have_attribute("aria-sort", "ascending")
    expect(runs.locator("tbody tr").first).to_contain_text(first.name)
    runs.get_by_role("link", name="Seed", exact=True).click()
    expect(runs.locator("tbody tr").first).to_contain_text(second.name)

    page.locator("#columns summary").click()
    page.locator("#columns").get_by_role("checkbox", name="Repetitions").check()
    expect(runs.get_by_role("columnheader", name="Repetitions")).to_be_visible()
    page.keyboard.press("Escape")
    runs.get_by_role("button", name=f"Rename {second.name}").click()
    page.get_by_label("Name", exact=True).fill("Seed nine")
    page.get_by_role("textbox", name="Tags").fill("paper, draft")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(runs.get_by_role("link", name="Experiments with tag paper")).to_be_visible()
    page.get_by_role("searchbox").fill("draft")
    expect(runs.locator("tbody tr")).to_have_count(1)
    assert [(row["name"], row["Seed"], row["tags"]) for row in table(page)] == [("Seed nine", "2", "paper, draft")]
    page.get_by_role("searchbox").fill("")
    expect(runs.locator("tbody tr")).to_have_count(2)
    for name in (first.name, "Seed nine"):
        runs.get_by_role("checkbox", name=f"Select {name}", exact=True).check()
    page.get_by_role("link", name="Compare 2 runs").click()
    expect(page.get_by_label("Compare with")).not_to_have_value("")

    apart = submitted(owner, name="privacy-utility", repetitions=1, events=10)
    run_jobs()
    page.goto(f"/experiments/{first.pk}/")
    page.get_by_label("Compare with").select_option(str(second.pk))
    page.wait_for_url(f"**/?with={second.pk}")
    expect(page.locator("[data-lines] button").last).to_have_text("Anywhere, Seed nine")
    expect(page.get_by_role("columnheader", name="mean, Seed nine")).to_be_visible()
    expect(page.locator("[data-panels][data-drawn] .js-plotly-plot")).to_have_count(1)
    (plot,) = page.evaluate(PLOTS)
    assert plot["Anywhere"]["x"] == plot["Anywhere, Seed nine"]["x"]
    assert plot["Anywhere"]["y"] != plot["Anywhere, Seed nine"]["y"]
    page.get_by_label("Compare with").select_option(str(apart.pk))
    expect(page.locator("[data-compared]")).to_contain_text("is over other axes: release, level")
    page.get_by_label("More", exact=True).click()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    page.wait_for_url("**/experiments/")
    expect(runs.locator("tbody tr")).to_have_count(2)
    assert not Experiment.objects.filter(pk=first.pk).exists()
