"""The charts of a comparison: what is drawn, saved and tabled is what the server computed, of one range of events."""

import csv
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect

from dashboard.datasets.services import import_dataset
from dashboard.landmarks.dummy_landmarks import add_dummies
from dashboard.landmarks.services import mark_landmarks
from dashboard.releases.services import derive_release
from dashboard.storage import parquet
from dashboard.storage.data_files import read_data
from privacy_engine.analysis.simulation import simulate
from privacy_engine.data import LandmarkSet as Landmarks
from privacy_engine.data import Trajectory
from privacy_engine.mechanism import mechanisms
from privacy_engine.spec import parse_steps
from tests.browser.conftest import run_jobs
from tests.browser.fixtures import released, table
from tests.browser.rendering import compare, pick, wait_until_ready

TITLED = [f"{name} · ε 1 / 200\u202fm (m)" for name in ("Skip", "Uniform")]
VIEWS = (
    ("Events", "Error per event", ["event_index", *TITLED]),
    ("Distribution", "Error distribution", ["share", *TITLED]),
    ("Mean", "Running mean error", ["event_index", *TITLED]),
    ("By ε", "Error against ε", ["epsilon", "Skip, simulated (m)", "Skip, simulated, 5 % (m)"]),
)
PLOT = "document.querySelector('[data-chart={}] .js-plotly-plot')"
LINE = """([chart, name]) => { const found = document.querySelector(`[data-chart=${chart}] .js-plotly-plot`)?.data
  .find((one) => one.name?.split(" · ε")[0] === name);
  return found && { x: [...found.x], y: [...found.y], visible: found.visible } }"""
LINES = """() => Object.fromEntries(document.querySelector("[data-chart=budget] .js-plotly-plot").data
  .filter(({ name }) => name).map(({ name, y }) => [name, [...y]]))"""
FIT = """(chart) => { const { data, _fullLayout: { xaxis, yaxis } } =
  document.querySelector(`[data-chart=${chart}] .js-plotly-plot`); return { x: xaxis.range, y: yaxis.range,
  highest: Math.log10(Math.max(...data.filter(({ name }) => name).flatMap(({ x, y }) =>
    y.filter((_, i) => x[i] >= xaxis.range[0] && x[i] <= xaxis.range[1])))) } }"""
MARKED = """(name) => document.querySelector("[data-chart=error] .js-plotly-plot").data
  .find(({ meta }) => meta === name).x.filter((x) => x !== null)"""


def line(page, name, chart="error"):
    """A line of the chart, once it is drawn."""
    page.wait_for_function(f"(line) => ({LINE})(line)", arg=[chart, name])
    return page.evaluate(LINE, [chart, name])


def part(page, chart, name):
    """A part of a chart's layout or data."""
    return page.evaluate(f"{PLOT.format(chart)}.{name}")


def errors_of(release):
    return parquet.read_columns(release.errors_path)["error_m"]


def saved(page, title, label):
    page.get_by_label(f"{title}: save or show numbers").click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name=label, exact=True).click()
    return Path(waiting.value.path())


def rows_of(file):
    return list(csv.DictReader(file.read_text().splitlines()))


def spans(page):
    return page.locator(".chart__plot").evaluate_all("(all) => all.map((one) => one.dataset.span)")


def banded(page, name, *, corners):
    """Which of the taxi day's events lie in the bands of that name."""
    found = np.zeros(260, dtype=np.bool_)
    for outline in (np.array(page.evaluate(MARKED, name)).reshape(-1, corners) + 0.5).astype(int):
        found[outline[0] : outline[2]] = True
    return found


def drag(page, chart, start, end):
    """Press Shift and drag over a chart, from and to a share of its width; return the range that this chose."""
    box = page.locator(f"[data-chart={chart}] .js-plotly-plot").bounding_box()
    assert box
    page.keyboard.down("Shift")
    page.mouse.move(box["x"] + start * box["width"], box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + end * box["width"], box["y"] + 60, steps=4)
    expect(page.locator(f"[data-chart={chart}] .chart__range")).to_be_visible()
    page.mouse.up()
    page.keyboard.up("Shift")
    return ends(page)


def ends(page):
    """The events the brush is at."""
    first, last = (page.get_by_role("slider", name=f"{one} event shown") for one in ("First", "Last"))
    return int(first.get_attribute("aria-valuenow") or -1), int(last.get_attribute("aria-valuenow") or -1)


def chosen(page):
    return page.get_by_role("slider", name="Event", exact=True).get_attribute("aria-valuenow")


@pytest.mark.journey
def test_views_of_the_error_are_what_the_server_computed(page, taxi, stays, pair, monitor):
    compare(page, taxi)
    errors = [errors_of(one) for one in pair]
    pick(page.get_by_label("Mean", exact=True))
    expect(page.get_by_role("heading", name="Running mean error")).to_be_visible()
    assert line(page, "Skip")["y"] == pytest.approx((np.cumsum(errors[0]) / np.arange(1, 261)).tolist())
    expect(page.locator("[data-chart=error] .chart__cursor")).to_be_visible()

    pick(page.get_by_label("Distribution", exact=True))
    expect(page.get_by_role("heading", name="Error distribution")).to_be_visible()
    drawn = line(page, "Uniform")
    assert drawn["x"] == np.sort(errors[1]).tolist()
    assert drawn["y"] == pytest.approx((np.arange(1, 261) / 260).tolist())
    dots = page.locator("[data-chart=error] .chart__dot")
    expect(dots).to_have_count(2)
    places = "(all) => all.map((one) => one.style.transform)"
    before, count = dots.evaluate_all(places), part(page, "error", "data.length")
    page.get_by_role("slider", name="Event", exact=True).press("End")
    assert dots.evaluate_all(places) != before
    uniform = page.get_by_role("checkbox", name="Uniform")
    uniform.uncheck()
    expect(dots).to_have_count(1)
    assert part(page, "error", "data.length") == count
    uniform.check()
    page.get_by_label("Events counted").select_option("landmarks")
    page.wait_for_function(f"(line) => ({LINE})(line)?.x.length === {stays.count}", arg=["error", "Uniform"])
    assert line(page, "Uniform")["x"] == np.sort(errors[1][stays.mask]).tolist()
    expect(page.locator("[data-chart=error] .xtitle")).to_contain_text(f"landmarks, n = {stays.count}")
    assert "error=distribution&among=landmarks" in page.url
    page.reload()
    wait_until_ready(page)
    assert len(line(page, "Skip")["x"]) == stays.count

    monitor.expect(503)
    page.route("**/releases/curve/", lambda route: route.fulfill(status=503, json={}))
    pick(page.get_by_label("By ε"))
    expect(page.locator(".chart__text")).not_to_be_empty()
    page.unroute("**/releases/curve/")
    pick(page.get_by_label("Mean", exact=True))
    pick(page.get_by_label("By ε"))
    drawn = line(page, "Uniform, simulated")
    levels = [mechanisms.parse(pair[1].spec["mechanism"] | {"epsilon": level}) for level in drawn["x"]]
    assert len(levels) == 9
    (truth,) = read_data("trajectory", taxi.points_path)
    expected = simulate(levels, truth, [Landmarks(stays.mask)], seed=0, repetitions=20).errors_m[:, 0]
    assert drawn["y"] == expected.mean(axis=1).tolist()
    mark = line(page, "Uniform")
    assert (mark["x"], mark["y"]) == ([1.0], [pytest.approx(errors[1].mean())])
    expect(page.locator(".chart__text")).to_contain_text("reads the original: for its owner")
    expect(page.locator("[data-chart=error] .chart__cursor")).to_be_hidden()
    uniform.uncheck()
    assert line(page, "Uniform, simulated")["visible"] is False
    assert line(page, "Uniform")["visible"] is False


def test_every_view_is_saved_and_tabled(page, taxi, pair):
    compare(page, taxi)
    styles = page.evaluate(
        f"{PLOT.format('error')}.data.filter(({{ name }}) => name)"
        ".map(({ line, marker, mode }) => [line.dash, marker.symbol, mode])"
    )
    assert len({tuple(one) for one in styles}) == len({one[0] for one in styles}) == 2, "lines differ in grey"
    assert {one[2] for one in styles} == {"lines+markers"}
    for chart in ("error", "budget"):
        kind = "_fullLayout.yaxis.type"
        assert part(page, chart, kind) == "log", chart
        button = page.locator(f"[data-chart={chart}]").get_by_role("button", name=re.compile("logarithmic axis"))
        button.press("Enter")
        page.wait_for_function(f"() => {PLOT.format(chart)}.{kind} === 'linear'")
        expect(button).to_have_attribute("aria-pressed", "false")
    for view, title, head in VIEWS:
        pick(page.get_by_label(view, exact=True))
        line(page, "Uniform, simulated" if view == "By ε" else "Uniform")
        expect(page.get_by_role("heading", name=title)).to_be_visible()
        with saved(page, title, "CSV").open() as file:
            rows = list(csv.reader(file))
        assert rows[0][: len(head)] == head, view
        assert len(rows) == (10 if view == "By ε" else 261), view
        assert all(float(one) > 0 for one in rows[-1] if one), view
        svg = saved(page, title, "SVG").read_text()
        assert title in svg
        assert "Uniform" in svg, "its legend"
        assert len(saved(page, title, "PNG").read_bytes()) > 20_000, view
        page.get_by_label(f"{title}: save or show numbers").click()
        page.get_by_role("button", name="Data table").press("Enter")
        dialog = page.get_by_role("dialog")
        expect(dialog.locator("caption")).to_contain_text(f"{title}, m.")
        expect(dialog.locator("thead th").first).to_have_text(head[0].removesuffix("_index"))
        expect(dialog.locator("tbody tr")).to_have_count(min(200, len(rows) - 1))
        with page.expect_download() as waiting:
            dialog.get_by_role("button", name="Save all as CSV").click()
        assert len(Path(waiting.value.path()).read_text().splitlines()) == len(rows), view
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
    derive_release(source=pair[0], steps=parse_steps([{"name": "ou-smoother"}]))
    run_jobs()
    compare(page, taxi, "?error=epsilon")
    line(page, "Skip, simulated")
    names = part(page, "error", "data.flatMap(({ name }) => name ?? [])")
    assert sum("simulated" in name for name in names) == 2, "a smoothed release is a mark and not a curve"
    assert sum("this release" in name for name in names) == 3


@pytest.mark.journey
def test_a_range_of_one_chart_is_that_of_all_and_of_the_brush(page, taxi, stays, pair):
    compare(page, taxi, "?range=100-151")
    assert spans(page) == ["100-150"] * 3
    assert part(page, "error", "_fullLayout.xaxis.range") == [100, 150]
    page.get_by_role("slider", name="Last event shown").press("ArrowLeft")
    page.wait_for_function("() => document.querySelector('.chart__plot').dataset.span === '100-149'")
    fit = page.evaluate(FIT, "error")
    assert fit["y"][1] - 1.6 <= fit["highest"] <= fit["y"][1], "as high as what is shown, in whole decades"
    page.wait_for_url("**range=100-150**")
    assert [one["kind"] == "landmark" for one in rows_of(saved(page, "Error per event", "CSV"))] == stays.mask.tolist()
    page.get_by_label("Error per event: save or show numbers").click()
    page.get_by_role("button", name="Data table").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator("tbody tr")).to_have_count(50)
    expect(dialog.locator("caption")).to_contain_text("50 rows of events 101 to 150.")
    page.keyboard.press("Escape")
    back = page.get_by_role("button", name="Budget per event: show all events")
    back.press("Enter")
    assert ends(page) == (0, 259)
    expect(back).to_be_hidden()
    page.wait_for_url(lambda url: "range=" not in url)

    for chart in ("error", "loss"):
        at = chosen(page)
        first, last = drag(page, chart, 0.4, 0.7)
        assert 60 < first < 110 < 150 < last < 200, chart
        page.wait_for_url(f"**range={first}-{last + 1}**")
        assert spans(page) == [f"{first}-{last}"] * 3
        assert chosen(page) == at, "none was chosen"
        inner = drag(page, chart, 0.4, 0.7)
        assert first < inner[0] < inner[1] < last, "closer"
        page.wait_for_url(f"**range={inner[0]}-{inner[1] + 1}**")
        if chart == "loss":
            page.reload()
            wait_until_ready(page)
        assert (ends(page), spans(page)) == (inner, [f"{inner[0]}-{inner[1]}"] * 3)
        page.locator(f"[data-chart={chart}] .js-plotly-plot").dblclick()
        assert ends(page) == (0, 259)
        expect(page.locator(".chart__plot").first).to_have_attribute("data-span", "0-259")

    image = "document.querySelector('canvas[data-layer=selection]')?.toDataURL() ?? ''"
    before, at = page.evaluate(image), chosen(page)
    box = page.locator("[data-chart=error] .js-plotly-plot").bounding_box()
    assert box
    page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 70)
    readouts = page.locator(".chart__plot .tooltip")
    for i in range(3):
        expect(readouts.nth(i)).to_be_visible()
    (text,) = set(readouts.locator("p:first-child").all_text_contents())
    assert re.fullmatch(r"event \d+ · 2 Feb 2024, \d\d:\d\d:\d\d( · landmark)?", text)
    assert int(text.split(" ")[1]) > 100
    shown = readouts.nth(1).locator("li", has_text="Uniform").locator("b").text_content() or ""
    assert float(shown.removeprefix("ε\u202f")) == pytest.approx(1 / (stays.count + 1), rel=0.01)
    assert chosen(page) == at, "looked at, not chosen"
    page.wait_for_function(f"(before) => ({image}) !== before", arg=before)
    page.mouse.move(5, 5)  # not over the map, where the pointer might be near to an event
    expect(readouts.first).to_be_hidden()

    page.get_by_role("button", name="By time").first.press("Enter")
    page.wait_for_function(
        f"() => {PLOT.format('loss')}._fullLayout.xaxis.title.text.startsWith('time (UTC), 2 Feb 2024')"
    )
    start, end = part(page, "budget", "_fullLayout.xaxis.range")
    assert end - start == pytest.approx(21 * 3600 + 35 * 60), "seconds from the first event to the last"
    page.get_by_role("button", name="Rolling median").first.press("Enter")
    expect(page.get_by_role("button", name="Median of 13 points").first).to_be_visible()
    assert "along=time" in page.url
    assert "median=1" in page.url
    page.reload()
    wait_until_ready(page)
    assert part(page, "error", "_fullLayout.xaxis.range") == [start, end]
    drawn = page.evaluate(LINES)
    raw, smooth = (drawn[f"{pair[0].title}{more}"] for more in ("", ", rolling median of 13 points"))
    assert len(smooth) == len(raw) == 260
    assert np.median(raw[:7]) == pytest.approx(smooth[0])


def test_dummies_and_levels_of_another_radius_are_distinguished(page, owner, taxi, stays):
    method = {"name": "dummies-one-sided", "epsilon": 0.5}
    made = add_dummies(owner=owner, landmark_set=stays, method=method, name="With dummies")
    dummies = made.mask & ~stays.mask
    assert np.count_nonzero(dummies) > 3
    released(made, "uniform", epsilon=1.0, radius_m=200.0)
    released(made, "skip", epsilon=0.01, radius_m=1.0)
    compare(page, taxi)
    assert np.array_equal(banded(page, "Dummy landmarks", corners=5), dummies), "outlined: the dummies alone"
    assert np.array_equal(banded(page, "Landmarks", corners=4), stays.mask), "filled: the landmarks alone"
    rows = rows_of(saved(page, "Error per event", "CSV"))
    assert [row["kind"] == "dummy landmark" for row in rows] == dummies.tolist()
    assert "Dummy landmarks" in saved(page, "Error per event", "SVG").read_text()

    assert part(page, "budget", "_fullLayout.yaxis.title.text") == "ε within 200\u202fm, log"
    lines: dict[str, Any] = page.evaluate(LINES)
    name = next(one for one in lines if one.startswith("Skip"))
    assert name == "Skip · ε 2 within 200\u202fm (set as 0.01 within 1\u202fm)"
    assert max(lines[name]) == pytest.approx(2.0), "0.01 within 1 m is 2 within 200 m"
    assert max(lines[next(one for one in lines if one.startswith("Uniform"))]) == pytest.approx(1 / (made.count + 1))


def test_a_long_series_is_read_closer(page, owner):
    n = 9_000
    walk = Trajectory(2.3 + np.arange(n) * 1e-5, 48.8 + np.sin(np.arange(n) / 50) * 1e-3, 1.7e9 + np.arange(n) * 60.0)
    dataset = import_dataset(owner=owner, upload=table(("long", walk)), name="Long")
    marked = mark_landmarks(owner=owner, dataset=dataset, method={"name": "manual", "events": [5, 700, 8000]})
    released(marked, "uniform", radius_m=50.0)
    compare(page, dataset)
    assert len(line(page, "Uniform")["x"]) <= 4000
    first, last = drag(page, "error", 0.3, 0.5)
    close = f"(line) => ({LINE})(line)?.x.length === {last - first + 1}"
    page.wait_for_function(close, arg=["error", "Uniform"])
    pick(page.get_by_label("Sum", exact=True))
    page.wait_for_function(close, arg=["error", "Uniform"])
