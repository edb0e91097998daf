"""The charts of a comparison: what is drawn, saved and tabled is what the server computed, of one range of events."""

import csv
import re

import numpy as np
import pytest
from playwright.sync_api import expect

from dashboard.storage import parquet
from tests.browser.actions import downloaded, in_address
from tests.browser.rendering import compare, pick, wait_until_ready

PLOT = "document.querySelector('[data-chart={}] .js-plotly-plot')"
LINE = """([chart, name]) => { const found = document.querySelector(`[data-chart=${chart}] .js-plotly-plot`)?.data
  .find((one) => one.name?.split(" · ε")[0] === name);
  return found && { x: [...found.x], y: [...found.y], visible: found.visible } }"""
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
    return page.evaluate(f"{PLOT.format(chart)}.{name}")


def saved(page, title, label):
    page.get_by_label(f"{title}: save or show numbers").click()
    return downloaded(page.get_by_role("button", name=label, exact=True)).path()


def spans(page):
    return page.locator(".chart__plot").evaluate_all("(all) => all.map((one) => one.dataset.span)")


def banded(page):
    """Which of the taxi day's events lie in the bands of the landmarks."""
    found = np.zeros(260, dtype=np.bool_)
    for outline in (np.array(page.evaluate(MARKED, "Landmarks")).reshape(-1, 4) + 0.5).astype(int):
        found[outline[0] : outline[2]] = True
    return found


def drag(page, chart, start, end):
    """Press Shift and drag over a chart, from and to a share of its width; return the range that this chose."""
    box = page.locator(f"[data-chart={chart}] .js-plotly-plot").bounding_box()
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


def test_views_of_the_error_are_what_the_server_computed(page, taxi, stays, pair, monitor):
    compare(page, taxi)
    errors = [parquet.read_table(one.errors_path)["error_mm"].to_numpy() / 1000 for one in pair]
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
    uniform = page.get_by_role("checkbox", name="Uniform")
    uniform.uncheck()
    expect(dots).to_have_count(1)
    uniform.check()
    page.get_by_label("Events counted").select_option("landmarks")
    page.wait_for_function(f"(line) => ({LINE})(line)?.x.length === {stays.count}", arg=["error", "Uniform"])
    assert line(page, "Uniform")["x"] == np.sort(errors[1][stays.mask]).tolist()
    expect(page.locator("[data-chart=error] .xtitle")).to_contain_text(f"landmarks, n = {stays.count}")
    for text in ("error=distribution", "among=landmarks"):
        in_address(page, text)
    in_address(page, "hide=", False)
    page.reload()
    wait_until_ready(page)
    assert len(line(page, "Skip")["x"]) == stays.count

    pick(page.get_by_label("By ε"))
    assert len(line(page, "Uniform, simulated")["x"]) == 9
    mark = line(page, "Uniform")
    assert (mark["x"], mark["y"]) == ([1.0], [pytest.approx(errors[1].mean())])
    expect(page.locator(".chart__text")).to_contain_text("reads the original: for its owner")
    expect(page.locator("[data-chart=error] .chart__cursor")).to_be_hidden()
    assert "Uniform" in saved(page, "Error against ε", "SVG").read_text(), "its legend"
    assert len(saved(page, "Error against ε", "PNG").read_bytes()) > 20_000
    uniform.uncheck()
    for name in ("Uniform, simulated", "Uniform"):
        assert line(page, name)["visible"] is False


def test_a_range_of_one_chart_is_that_of_all_and_of_the_brush(page, taxi, stays, pair):
    compare(page, taxi, "?range=100-151")
    assert np.array_equal(banded(page), stays.mask)
    assert part(page, "error", "_fullLayout.yaxis.type") == "log"
    page.locator("[data-chart=error]").get_by_role("button", name=re.compile("logarithmic axis")).press("Enter")
    page.wait_for_function(f"() => {PLOT.format('error')}._fullLayout.yaxis.type === 'linear'")
    page.locator("[data-chart=error]").get_by_role("button", name=re.compile("logarithmic axis")).press("Enter")
    assert spans(page) == ["100-150"] * 3
    assert part(page, "error", "_fullLayout.xaxis.range") == [100, 150]
    page.get_by_role("slider", name="Last event shown").press("ArrowLeft")
    page.wait_for_function("() => document.querySelector('.chart__plot').dataset.span === '100-149'")
    fit = page.evaluate(FIT, "error")
    assert fit["y"][1] - 1.6 <= fit["highest"] <= fit["y"][1], "as high as what is shown, in whole decades"
    page.wait_for_url("**range=100-150**")
    rows = csv.DictReader(saved(page, "Error per event", "CSV").read_text().splitlines())
    assert [one["kind"] == "landmark" for one in rows] == stays.mask.tolist()
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
        assert (ends(page), spans(page)) == (inner, [f"{inner[0]}-{inner[1]}"] * 3)
        page.locator(f"[data-chart={chart}] .js-plotly-plot").dblclick()
        assert ends(page) == (0, 259)
        expect(page.locator(".chart__plot").first).to_have_attribute("data-span", "0-259")

    at, box = chosen(page), page.locator("[data-chart=error] .js-plotly-plot").bounding_box()
    page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 70)
    readouts = page.locator(".tooltip:visible")
    expect(readouts).to_have_count(1)
    heads = readouts.locator("p")
    assert heads.nth(0).inner_text().startswith("event 1")
    assert heads.all_inner_texts()[1:] == ["Error per event", "Budget per event", "Temporal privacy loss"]
    expect(readouts.locator("li")).to_have_count(6)
    assert chosen(page) == at, "looked at, not chosen"
    page.mouse.move(5, 5)  # not over the map, where the pointer might be near to an event
    expect(readouts.first).to_be_hidden()
    here = page.locator(".charts .chart__unit")
    before = here.all_inner_texts()
    page.locator("[data-map]").press("ArrowRight")
    page.wait_for_function(
        "(text) => document.querySelector('.charts .chart__unit').textContent !== text", arg=before[0]
    )
    assert all(text.startswith("here ") for text in before + here.all_inner_texts())
    page.locator("[data-map]").press("ArrowLeft")

    page.get_by_role("button", name="By time").first.press("Enter")
    page.wait_for_function(
        f"() => {PLOT.format('loss')}._fullLayout.xaxis.title.text.startsWith('time (UTC), 2 Feb 2024')"
    )
    median = page.get_by_role("button", name="Median of 13 points").first
    medians = [f"() => {PLOT.format(name)}.data.filter(({{ name }}) => name?.includes('rolling median')).length"
               for name in ("error", "budget", "loss")]  # fmt: skip
    assert [page.evaluate(one) for one in medians] == [2, 0, 0], "on for errors alone"
    median.press("Enter")
    page.wait_for_function(f"{medians[0]} === 0")
    page.get_by_role("button", name="Rolling median").first.press("Enter")
    expect(median).to_be_visible()
    page.wait_for_function(medians[2].replace("() => ", "() => 2 === "))
    assert "along=time" in page.url
    assert "median=1" in page.url
    page.reload()
    wait_until_ready(page)
    expect(page.get_by_role("button", name="Median of 13 points").first).to_be_visible()
